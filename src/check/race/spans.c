/* Accesses of many lanes at once, as far as they are simple.
 *
 * Where whole blocks alone are ordered (RACE_BY_BLOCK), all that was done before the block's last barrier is
 * known to all its threads, so nearly every access finds a word whose records are of then, or loads. What
 * race_touch would make of the word's cell is then known without going over pairs: a store is its only
 * record; a load is added to one of the two records, or takes the place of one. Any other case is left to
 * race_touch: both leave the same.
 *
 * Mostly what is so for one word is so for those next to it, which the next lanes access: a line of global
 * memory, or a page, has one cell for all its words (struct alike) as long as that is so.
 *
 * Most loads add nothing, and most stores find what is past: that stands beside the word (SEEN_...), so that
 * a run of lanes costs one comparison for each word, and lanes that load one place cost one. */
#include "check/race/state.h"

#include <string.h>

#define ONE_WORD WHAT_MASK /* all bytes of the word */

/* Who does what, for all words of a span. */
struct touching {
    uint32_t first_group, groups; /* of the block */
    uint32_t full_time, time, what;
    uint32_t seen;   /* of the epoch */
    uint32_t by_all; /* SEEN_BY_ALL and the instruction; in shared memory what is never seen */
    bool is_shared;
};

bool race_takes_spans(const struct race_engine *engine, const struct race_op *op)
{
    return engine->options.level == RACE_BY_BLOCK && !engine->options.lockstep && !op->is_strong &&
           op->is_load != op->is_store && op->element_bytes == 4 && op->elements == 1;
}

bool race_spans_begin(struct race_engine *engine, const struct race_op *op, uint64_t block,
                      struct race_spans *ret_spans)
{
    struct race_block *const of = race_block_of(engine, block);
    if (!of)
        return false;
    *ret_spans = (struct race_spans){.engine = engine,
                                     .block = of,
                                     .what = race_what(op) | ONE_WORD,
                                     .time = of->time,
                                     .full_time = {of->full_time[0], of->full_time[1]},
                                     .seen = {2 * of->epoch[0], 2 * of->epoch[1]},
                                     .groups = engine->block_groups,
                                     .first_group = (uint32_t)(block * engine->block_groups),
                                     .is_load = op->is_load};
    return true;
}

static inline struct touching touching_of(const struct race_spans *spans, bool is_shared)
{
    return (struct touching){.first_group = is_shared ? 0 : spans->first_group,
                             .groups = spans->groups,
                             .full_time = spans->full_time[is_shared],
                             .time = spans->time,
                             .what = spans->what,
                             .seen = spans->seen[is_shared],
                             .by_all =
                                 is_shared ? UINT32_MAX : SEEN_BY_ALL | (spans->what & WHAT_INSTRUCTION),
                             .is_shared = is_shared};
}

static inline bool is_here(const struct touching *by, const struct record *record)
{
    return record->group - by->first_group < by->groups;
}

/* All threads of the block are behind it. */
static inline bool is_past(const struct touching *by, const struct record *record)
{
    return is_here(by, record) && record->time < by->full_time;
}

static inline bool is_one(uint32_t lanes)
{
    return !(lanes & (lanes - 1));
}

static inline bool is_like_load(const struct record *record, uint32_t what)
{
    return !((record->what ^ what) & ~WHAT_INSTRUCTION);
}

/* Groups of shared memory are of one block. */
static inline bool is_same_block(const struct touching *by, uint32_t a, uint32_t b)
{
    const uint32_t apart = a > b ? a - b : b - a;
    return apart == 0 || (apart < by->groups && a / by->groups == b / by->groups);
}

/* ---- Stores -------------------------------------------------------------------------------------------- */

static inline struct record record_of(const struct touching *by, uint32_t group, uint32_t lanes)
{
    return (struct record){.group = group, .lanes = lanes, .time = by->time, .what = by->what};
}

/* Nobody has accessed the word since the last barrier. */
static inline bool is_fresh(const struct touching *by, struct word word)
{
    return by->is_shared && (*word.seen ^ by->seen) > SEEN_SETTLED && !word.cell->more;
}

/* Are all records of a cell past, but for the lane's own? */
static bool has_past_alone(const struct touching *by, const struct cell *cell, uint32_t group, uint32_t lane)
{
    for (int i = 0; i < 2; i++) {
        const struct record *const then = &cell->records[i];
        if (then->lanes && !is_past(by, then) && (then->group != group || then->lanes != lane))
            return false;
    }
    return !cell->more;
}

/* False: it is not simple, and nothing is changed. */
static inline bool add_store(const struct touching *by, struct word word, uint32_t group, uint32_t lane,
                             uint32_t value)
{
    if (!is_fresh(by, word) && !has_past_alone(by, word.cell, group, lane))
        return false;
    word.cell->records[0] = record_of(by, group, lane);
    word.cell->records[1].lanes = 0;
    word.cell->value = value;
    *word.seen = by->seen;
    return true;
}

/* ---- Loads --------------------------------------------------------------------------------------------- */

/* The like loads of a cell that the new one is not ordered behind. */
struct like_loads {
    uint32_t count, group; /* 2: of two threads or more; of the first */
    bool blocks;           /* they are of two blocks */
};

static inline void count_alike(const struct touching *by, const struct record *then, struct like_loads *alike)
{
    const bool is_first = alike->count == 0;
    alike->blocks |= !is_first && !is_same_block(by, then->group, alike->group);
    alike->count = !is_first || !is_one(then->lanes) ? 2 : 1;
    alike->group = is_first ? then->group : alike->group;
}

/* Will loads of the block's threads add nothing, until its next barrier? */
static bool is_settled(const struct touching *by, const struct cell *cell)
{
    uint32_t of_others = 0;
    bool has_two = false;
    for (int i = 0; i < 2; i++) {
        const struct record *const then = &cell->records[i];
        if (!then->lanes || is_past(by, then))
            continue;
        if (!is_like_load(then, by->what))
            return false;
        has_two |= is_here(by, then) && !is_one(then->lanes);
        of_others += !is_here(by, then);
    }
    return has_two || (of_others == 2 && !is_same_block(by, cell->records[0].group, cell->records[1].group));
}

/* Have threads of two blocks done the same load? */
static inline bool is_of_two_blocks(const struct touching *by, const struct cell *cell)
{
    const struct record *const a = &cell->records[0], *const b = &cell->records[1];
    return !by->is_shared && a->lanes && b->lanes && a->what == by->what && b->what == by->what &&
           !is_same_block(by, a->group, b->group);
}

/* A record of the cell: it goes, stays, or is where the new one fits. False: it is not simple. */
static inline bool pass_load(const struct touching *by, struct record *then, uint32_t group, uint32_t lanes,
                             struct record **merge, struct like_loads *alike)
{
    const bool is_store = then->what & WHAT_STORE;
    if (!then->lanes)
        return true;
    if (is_past(by, then)) {
        then->lanes = is_store ? then->lanes : 0; /* whatever races with that load races with the new one */
        return true;
    }
    if (is_store && then->group == group && then->lanes == lanes && is_one(lanes))
        return !(then->what & WHAT_STRONG); /* its own */
    if (!is_like_load(then, by->what))
        return false;
    if (then->group == group && then->time == by->time && then->what == by->what) {
        *merge = then;
        return true;
    }
    if (then->group == group && is_one(lanes))
        then->lanes &= ~lanes;
    if (then->lanes)
        count_alike(by, then, alike);
    return true;
}

/* The lanes of one group load the word. False: it is not simple; no more is changed than race_touch would. */
static bool add_load(const struct touching *by, struct word word, uint32_t group, uint32_t lanes)
{
    struct record *const records = word.cell->records, *merge = NULL;
    struct like_loads alike = {0};
    if (word.cell->more || !pass_load(by, &records[0], group, lanes, &merge, &alike) ||
        !pass_load(by, &records[1], group, lanes, &merge, &alike))
        return false;
    struct record *const free = !records[0].lanes ? &records[0] : !records[1].lanes ? &records[1] : NULL;
    const bool is_enough = !merge && alike.count > 0 &&
                           (alike.blocks || (alike.count == 2 && alike.group - by->first_group < by->groups));
    if (merge)
        merge->lanes |= lanes;
    else if (!is_enough && !free)
        return false;
    else if (!is_enough)
        *free = record_of(by, group, lanes);
    *word.seen = is_of_two_blocks(by, word.cell) ? by->by_all
                 : is_settled(by, word.cell)     ? by->seen | SEEN_SETTLED
                                                 : by->seen;
    return true;
}

/* The same for a word that nobody has accessed since the last barrier: only a store of before stays. */
static inline bool add_first_load(const struct touching *by, struct word word, uint32_t group, uint32_t lanes)
{
    struct record *const records = word.cell->records;
    const bool has_store = records[0].lanes && (records[0].what & WHAT_STORE);
    if (!is_fresh(by, word) || (records[1].lanes && (records[1].what & WHAT_STORE)))
        return add_load(by, word, group, lanes);
    records[1].lanes = 0;
    records[has_store] = record_of(by, group, lanes);
    *word.seen = by->seen | (is_one(lanes) ? 0 : SEEN_SETTLED);
    return true;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

/* Do loads add nothing to the word? */
static inline bool adds_nothing(const struct touching *by, uint32_t seen)
{
    return seen == (by->seen | SEEN_SETTLED) || seen == by->by_all;
}

/* How many of the words loads add nothing to, from the first on. */
static inline uint32_t count_known(const struct touching *by, const uint32_t *seen, uint32_t count)
{
    const uint32_t like = seen[0];
    uint32_t at = 0;
    if (!adds_nothing(by, like))
        return 0;
    for (; at + 8 <= count; at += 8) {
        const uint32_t *const s = seen + at;
        if ((s[0] ^ like) | (s[1] ^ like) | (s[2] ^ like) | (s[3] ^ like) | (s[4] ^ like) | (s[5] ^ like) |
            (s[6] ^ like) | (s[7] ^ like))
            break;
    }
    while (at < count && seen[at] == like)
        at++;
    return at;
}

/* Lanes that load one word, group by group; those that are left. first: thread of lane 0. */
static inline uint64_t load_word(const struct touching *by, uint32_t first, uint64_t lanes, struct word word)
{
    const uint32_t group = by->first_group + first / GROUP_LANES;
    const uint32_t low = (uint32_t)lanes, high = (uint32_t)(lanes >> GROUP_LANES);
    if (low && !adds_nothing(by, *word.seen) && !add_first_load(by, word, group, low))
        return lanes;
    if (high && !adds_nothing(by, *word.seen) && !add_first_load(by, word, group + 1, high))
        return (uint64_t)high << GROUP_LANES;
    return 0;
}

/* `count` words that are next to each other, of the lanes from `lane` on; those that are left. */
static uint64_t store_words(const struct touching *by, const struct race_span *span, uint32_t lane,
                            uint32_t count, struct word word)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < count; i++, word.cell++, word.seen++) {
        const uint32_t thread = span->first + lane + i;
        if (!add_store(by, word, by->first_group + thread / GROUP_LANES, 1u << (thread % GROUP_LANES),
                       span->stored[lane + i]))
            left |= UINT64_C(1) << (lane + i);
    }
    return left;
}

static uint64_t load_words(const struct touching *by, const struct race_span *span, uint32_t lane,
                           uint32_t count, struct word word)
{
    const uint64_t each =
        (span->count <= 16 ? UINT64_C(0x0001000100010001) << (span->lane % 16) : UINT64_C(1) << span->lane)
        << (lane - span->lane);
    uint64_t left = 0;
    for (uint32_t i = count_known(by, word.seen, count); i < count; i++)
        if (!adds_nothing(by, word.seen[i]))
            left |= load_word(by, span->first, (each << i) & span->lanes,
                              (struct word){word.cell + i, word.seen + i});
    return left;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* Is a thread that is up to `count` - 1 behind of another group? */
static inline bool is_beyond(uint32_t lanes, uint32_t count)
{
    return lanes && GROUP_LANES - (uint32_t)__builtin_clz(lanes) + count > GROUP_LANES + 1;
}

/* Is what threads of a group find in the first word what the next ones find in the others? Only whether they
 * and those of a record are of one group can differ. */
static inline bool finds_alike(const struct touching *by, const struct cell *cell, uint32_t count,
                               uint32_t group, uint32_t lanes)
{
    for (int i = 0; lanes && i < 2; i++) {
        const struct record *const then = &cell->records[i];
        const bool is_own = then->group == group && then->lanes == lanes;
        if (then->lanes && !is_own && is_here(by, then) && !is_past(by, then) &&
            (is_beyond(lanes, count) || is_beyond(then->lanes, count)))
            return false;
    }
    return true;
}

/* Words next to each other, and who accesses them. */
struct part {
    uint32_t first, count; /* in the page, or in the line */
    uint32_t thread;       /* a multiple of 32: of lane 0 of */
    uint64_t lanes; /* those of the first word; those of each next one are one further on. 0: they are not */
    const uint32_t *stored; /* of a store: of each word */
    uint32_t *values;       /* of the page, or of the line */
};

/* All words by one cell. False: that does not do, and nothing is changed. */
static bool do_alike(const struct race_spans *spans, const struct touching *by, struct alike *alike,
                     const struct part *part, uint64_t *ret_left)
{
    const uint32_t group = by->first_group + part->thread / GROUP_LANES, count = part->count;
    const uint32_t low = (uint32_t)part->lanes, high = (uint32_t)(part->lanes >> GROUP_LANES);
    *ret_left = 0;
    if (spans->is_load && part->first >= alike->first && part->first + count <= alike->first + alike->count &&
        adds_nothing(by, alike->seen))
        return true;
    if (!part->lanes || (alike->count > 0 && (alike->first != part->first || alike->count != count)) ||
        !finds_alike(by, &alike->cell, count, group, low) ||
        !finds_alike(by, &alike->cell, count, group + 1, high))
        return false;
    const struct word word = {&alike->cell, &alike->seen};
    alike->first = (uint16_t)part->first;
    alike->count = (uint16_t)count;
    if (spans->is_load)
        *ret_left = load_word(by, part->thread, part->lanes, word);
    else if (add_store(by, word, group + (high > 0), low | high, 0))
        memcpy(part->values + part->first, part->stored, count * sizeof *part->values);
    else
        *ret_left = part->lanes;
    return true;
}

/* The lanes that access the word of `lane`, if those of the next words are the next ones; else 0. */
static inline uint64_t lanes_of_word(const struct race_span *span, uint32_t lane)
{
    if (span->lanes == UINT64_MAX >> (64 - span->count) << span->lane)
        return UINT64_C(1) << lane;
    return span->lanes == UINT64_MAX && span->count <= 16 ? UINT64_C(0x0001000100010001) << lane : 0;
}

/* Words of a line, of the lanes from `lane` on, by one cell; false as above. */
static bool do_line(const struct race_spans *spans, const struct touching *by, const struct race_span *span,
                    uint32_t lane, uint32_t count, uint64_t address, uint64_t *ret_left)
{
    const uint32_t word = race_word_in_page(address);
    struct page *const page = race_page(spans->engine, address);
    struct line *const line = page ? race_line(spans->engine, page, word) : NULL;
    if (!line || line->words)
        return false;
    const struct part part = {.first = word % LINE_WORDS,
                              .count = count,
                              .thread = span->first,
                              .lanes = lanes_of_word(span, lane),
                              .stored = span->stored ? span->stored + lane : NULL,
                              .values = &page->values[word - word % LINE_WORDS]};
    const bool is_done = do_alike(spans, by, &line->alike, &part, ret_left);
    *ret_left *= (UINT64_C(1) << count) - 1;
    return is_done;
}

/* ---- Spans --------------------------------------------------------------------------------------------- */

/* Bytes from an address on whose words are next to each other in the shadow. */
static inline uint64_t bytes_at(const struct race_engine *engine, bool is_shared, uint64_t address)
{
    if (is_shared)
        return address < engine->options.shared_bytes ? engine->options.shared_bytes - address : 0;
    return 4 * LINE_WORDS - address % (4 * LINE_WORDS);
}

static inline struct word word_at(const struct race_spans *spans, bool is_shared, uint64_t address)
{
    struct race_block *const block = spans->block;
    if (is_shared && block->seen && address < spans->engine->options.shared_bytes)
        return (struct word){&block->cells[address / 4], &block->seen[address / 4]};
    return race_word(spans->engine, block, is_shared, address);
}

/* `count` words from an address on whose shadow is in one place. */
static uint64_t do_part(const struct race_spans *spans, const struct touching *by,
                        const struct race_span *span, uint32_t lane, uint32_t count, uint64_t address)
{
    uint64_t left;
    if (!span->is_shared && do_line(spans, by, span, lane, count, address, &left))
        return left;
    const struct word word = word_at(spans, span->is_shared, address);
    return word.cell ? (spans->is_load ? load_words : store_words)(by, span, lane, count, word) : 0;
}

static uint64_t do_run(const struct race_spans *spans, const struct touching *by,
                       const struct race_span *span)
{
    uint64_t left = 0;
    for (uint32_t done = 0, part; done < span->count; done += part) {
        const uint64_t at = span->address + 4 * (uint64_t)done;
        const uint64_t words = bytes_at(spans->engine, span->is_shared, at) / 4;
        part = words < span->count - done ? (uint32_t)words : span->count - done;
        if (part == 0) /* behind the end of shared memory */
            return left | (span->lanes & UINT64_MAX << (span->lane + done));
        left |= do_part(spans, by, span, span->lane + done, part, at);
    }
    return left;
}

static inline bool is_possible(const struct race_spans *spans, uint32_t first)
{
    return first % GROUP_LANES == 0 && spans->engine->epochs < EPOCHS_MAX;
}

static inline uint64_t load_one(const struct race_spans *spans, const struct touching *by, uint32_t first,
                                uint64_t lanes, uint64_t address)
{
    if ((address & 3) || bytes_at(spans->engine, by->is_shared, address) < 4)
        return lanes;
    const struct word word = word_at(spans, by->is_shared, address);
    return word.cell ? load_word(by, first, lanes, word) : 0;
}

uint64_t race_span_access(const struct race_spans *spans, const struct race_span *span)
{
    const struct touching by = touching_of(spans, span->is_shared);
    if (span->is_shared && !spans->block->deferred.is_off)
        race_do_deferred(spans->engine, spans->block);
    if (!is_possible(spans, span->first) || (span->address & 3) || (span->count == 0 && !spans->is_load))
        return span->lanes;
    return span->count > 0 ? do_run(spans, &by, span)
                           : load_one(spans, &by, span->first, span->lanes, span->address);
}

/* Words of a page by one cell. False: they are to be done line by line. */
static bool do_page(const struct race_spans *spans, const struct touching *by, const struct race_span *span,
                    uint32_t count)
{
    struct page *const page = race_page(spans->engine, span->address);
    uint64_t left;
    if (!page || page->lines)
        return false;
    const struct part part = {.first = race_word_in_page(span->address),
                              .count = count,
                              .thread = span->first,
                              .lanes = UINT64_C(1) << span->lane,
                              .stored = span->stored ? span->stored + span->lane : NULL,
                              .values = page->values};
    return do_alike(spans, by, &page->alike, &part, &left) && !left;
}

bool race_run_access(const struct race_spans *spans, const struct race_span *run, uint64_t left[RACE_CHUNKS])
{
    if (!is_possible(spans, run->first) || (run->address & 3))
        return false;
    const struct touching by = touching_of(spans, false);
    uint32_t count;
    for (uint32_t lane = run->lane, end = lane + run->count; lane < end; lane += count) {
        const uint64_t address = run->address + 4 * (uint64_t)(lane - run->lane);
        const uint32_t first = lane - lane % GROUP_LANES, words = PAGE_WORDS - race_word_in_page(address);
        struct race_span span = {.first = run->first + first,
                                 .lane = lane - first,
                                 .address = address,
                                 .stored = run->stored ? run->stored + first : NULL};
        count = words < end - lane ? words : end - lane;
        if (do_page(spans, &by, &span, count))
            continue;
        count = LINE_WORDS - race_word_in_page(address) % LINE_WORDS;
        span.count = count = count < end - lane ? count : end - lane;
        span.lanes = UINT64_MAX >> (64 - count) << span.lane;
        const uint64_t rest = do_run(spans, &by, &span);
        left[first / 64] |= rest << first % 64;
        if (first % 64 && rest >> GROUP_LANES) /* there are more lanes behind */
            left[first / 64 + 1] |= rest >> GROUP_LANES;
    }
    return true;
}

uint64_t race_groups_access(const struct race_spans *spans, uint32_t first, uint64_t lanes, bool is_shared,
                            const uint64_t addresses[4])
{
    const struct touching by = touching_of(spans, is_shared);
    uint64_t left = 0;
    if (is_shared && !spans->block->deferred.is_off)
        race_do_deferred(spans->engine, spans->block);
    if (!is_possible(spans, first))
        return lanes;
    for (int group = 0; group < 4; group++) {
        const uint64_t of_group = lanes & UINT64_C(0xffff) << (16 * group);
        if (of_group)
            left |= load_one(spans, &by, first, of_group, addresses[group]);
    }
    return left;
}
