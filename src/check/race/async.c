/* Copies to shared memory that are under way.
 *
 * Takes the notes of copies and waits (check/notes.h), accesses to shared memory and stores to global memory,
 * leaves findings: accesses to what a copy writes, and stores to what it reads, before the thread that began
 * it has waited for it. hexec makes a copy at once, so that such a program gives the right result here, and
 * may give another one on a GPU.
 *
 * Copies of a thread are in groups, as PTX has them: a thread's groups have numbers from 0 on, and it waits
 * for all below one. What threads other than the copy's own need besides, a barrier, the engine looks after:
 * for it a copy is a store. */
#include "check/race/async.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/program.h"

#define WORD 4 /* bytes: the smallest copy */

struct written {
    uint32_t thread; /* 1 + the thread whose copy was the last; 0: none */
    uint32_t group, instruction;
};
/* What a copy under way reads of global memory. */
struct origin {
    uint64_t low, end;
    struct written by;
};
struct copier {
    uint64_t from;    /* what the copy reads that it will note next; 0: that is not known */
    uint32_t group;   /* that it fills */
    uint32_t done;    /* groups below are there */
    uint32_t settled; /* and were so before it waited for the last time, ... */
    uint32_t met;     /* ... when this was the block's `met` */
};
#define THIN_LEAST 64u
struct async_block {
    uint64_t number;
    uint32_t met; /* how often its threads may have learned what others waited for */
    struct written *words;
    struct copier *threads;
    LIST(struct origin) sources;
    size_t thin_at;    /* so many are looked through for those that can go */
    uint64_t low, end; /* all sources lie there */
};
struct async_copies {
    hx_checks *checks;
    uint32_t word_count, thread_count;
    bool has_failed;
    LIST(struct async_block) blocks; /* that run, and have copied */
};

hx_status async_copies_new(hx_checks *checks, uint64_t shared_bytes, uint32_t block_threads,
                           struct async_copies **ret_copies)
{
    *ret_copies = NULL;
    if (!note_is_in(check_kernel_now(checks), NOTE_ASYNC_COPY) || shared_bytes / WORD >= UINT32_MAX)
        return HX_OK;
    struct async_copies *const copies = memory_allocate(check_allocator(checks), 1, sizeof *copies);
    if (!copies)
        return HX_NO_MEMORY;
    copies->checks = checks;
    copies->word_count = (uint32_t)((shared_bytes + WORD - 1) / WORD);
    copies->thread_count = block_threads;
    *ret_copies = copies;
    return HX_OK;
}

static void free_block(const hx_allocator *allocator, struct async_block *block)
{
    memory_free(allocator, block->words);
    memory_free(allocator, block->threads);
    LIST_DONE(allocator, &block->sources);
}

void async_copies_free(struct async_copies *copies)
{
    if (!copies)
        return;
    const hx_allocator *const allocator = check_allocator(copies->checks);
    for (size_t i = 0; i < copies->blocks.count; i++)
        free_block(allocator, &copies->blocks.items[i]);
    LIST_DONE(allocator, &copies->blocks);
    if (copies->has_failed)
        check_lost(copies->checks);
    memory_free(allocator, copies);
}

static struct async_block *find(struct async_copies *copies, uint64_t number)
{
    for (size_t i = 0; i < copies->blocks.count; i++)
        if (copies->blocks.items[i].number == number)
            return &copies->blocks.items[i];
    return NULL;
}

static struct async_block *make(struct async_copies *copies, uint64_t number)
{
    const hx_allocator *const allocator = check_allocator(copies->checks);
    struct async_block made = {.number = number};
    made.words = memory_allocate(allocator, copies->word_count, sizeof *made.words);
    made.threads = memory_allocate(allocator, copies->thread_count, sizeof *made.threads);
    if (made.words && made.threads && LIST_PUSH(allocator, &copies->blocks, made))
        return &copies->blocks.items[copies->blocks.count - 1];
    free_block(allocator, &made);
    copies->has_failed = true;
    return NULL;
}

void async_copies_block_end(struct async_copies *copies, uint64_t block)
{
    struct async_block *const ended = copies ? find(copies, block) : NULL;
    if (!ended)
        return;
    free_block(check_allocator(copies->checks), ended);
    *ended = copies->blocks.items[--copies->blocks.count];
}

/* Does the thread know that the copy is done? */
static bool is_done(const struct async_block *block, const struct written *written, uint32_t thread)
{
    const struct copier *const copier = &block->threads[written->thread - 1];
    const bool is_news = copier->met == block->met && written->thread - 1 != thread;
    return written->group < (is_news ? copier->settled : copier->done);
}

/* Leaves the sources of those copies that somebody does not know to be done; or, with `by_own`, that their
 * own thread has not waited for: a store of another thread is a race with the copy's load then. */
static void drop_sources(struct async_block *block, bool by_own)
{
    size_t kept = 0;
    block->low = UINT64_MAX;
    block->end = 0;
    for (size_t i = 0; i < block->sources.count; i++) {
        const struct origin source = block->sources.items[i];
        if (is_done(block, &source.by, by_own ? source.by.thread - 1 : UINT32_MAX))
            continue;
        block->sources.items[kept++] = source;
        block->low = source.low < block->low ? source.low : block->low;
        block->end = source.end > block->end ? source.end : block->end;
    }
    block->sources.count = kept;
}

void async_copies_meet(struct async_copies *copies, uint64_t block)
{
    struct async_block *const met = copies ? find(copies, block) : NULL;
    if (!met)
        return;
    met->met++;
    if (met->sources.count > 0)
        drop_sources(met, false);
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

static void add_source(struct async_copies *copies, struct async_block *block, const struct origin *source)
{
    if (block->sources.count >= block->thin_at) {
        drop_sources(block, true);
        block->thin_at = 2 * block->sources.count + THIN_LEAST;
    }
    if (!LIST_PUSH(check_allocator(copies->checks), &block->sources, *source)) {
        copies->has_failed = true;
        return;
    }
    const bool is_first = block->sources.count == 1;
    block->low = is_first || source->low < block->low ? source->low : block->low;
    block->end = is_first || source->end > block->end ? source->end : block->end;
}

static void copy(struct async_copies *copies, struct async_block *block, uint32_t thread, uint64_t low,
                 uint64_t bytes, uint32_t instruction)
{
    struct copier *const copier = &block->threads[thread];
    const struct written by = {thread + 1, copier->group, instruction};
    for (uint64_t word = low / WORD; word < (low + bytes) / WORD && word < copies->word_count; word++)
        block->words[word] = by;
    if (copier->from)
        add_source(copies, block, &(struct origin){copier->from, copier->from + bytes, by});
    copier->from = 0;
}

/* Other threads do not know of a wait before they have met: how far it is settled for them. */
static void wait(const struct async_block *block, struct copier *copier, uint32_t left)
{
    const uint32_t done = copier->group > left ? copier->group - left : 0;
    if (copier->met != block->met)
        copier->settled = copier->done;
    copier->met = block->met;
    copier->done = done > copier->done ? done : copier->done;
}

void async_copies_note(struct async_copies *copies, const hx_lanes_event *event)
{
    const bool is_of_copies = event->value >= NOTE_ASYNC_COPY && event->value <= NOTE_ASYNC_WAIT_ALL;
    if (!copies || !(is_of_copies || event->value == NOTE_ASYNC_READS))
        return;
    struct async_block *block = find(copies, event->at.block);
    if (!block && !(block = make(copies, event->at.block)))
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        struct copier *const copier = &block->threads[thread];
        if (event->value == NOTE_ASYNC_READS && event->noted && event->also_noted)
            copier->from = event->noted[lane] | (uint64_t)event->also_noted[lane] << 32;
        if (event->value == NOTE_ASYNC_COPY && event->noted && event->also_noted)
            copy(copies, block, thread, event->noted[lane], event->also_noted[lane], event->at.instruction);
        copier->group += event->value == NOTE_ASYNC_COMMIT || event->value == NOTE_ASYNC_WAIT_ALL;
        if (event->value == NOTE_ASYNC_WAIT && event->noted)
            wait(block, copier, event->noted[lane]);
        if (event->value == NOTE_ASYNC_WAIT_ALL)
            wait(block, copier, 0);
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    const bool is_source = *(const bool *)user;
    text_print(&words->message, "%s of %u bytes of %s memory that a copy is still %s", finding->sites[0].role,
               finding->bytes, is_source ? "global" : "shared", is_source ? "reading" : "writing");
    text_print(&words->note, "the thread that began the copy has not waited for it");
    text_print(&words->hint, "commit, wait (__pipeline_wait_prior), and let a barrier follow before other "
                             "threads read or overwrite it");
}

static void report(struct async_copies *copies, const hx_access_event *event, uint32_t lane,
                   const struct written *written)
{
    const struct check_launch *const launch = check_launch_now(copies->checks);
    const bool is_atomic = event->is_load && event->is_store;
    bool is_source = event->space == SPACE_GLOBAL;
    const struct check_finding finding = {.kind = CHECK_RACE_UNWAITED_COPY,
                                          .sites = {{.launch = launch,
                                                     .instruction = event->at.instruction,
                                                     .thread = event->at.first_thread + lane,
                                                     .block = event->at.block,
                                                     .role = is_atomic         ? "atomic"
                                                             : event->is_store ? "store"
                                                                               : "load"},
                                                    {.launch = launch,
                                                     .instruction = written->instruction,
                                                     .thread = written->thread - 1,
                                                     .block = event->at.block,
                                                     .role = "copy"}},
                                          .site_count = 2,
                                          .describe = describe,
                                          .user = &is_source,
                                          .space = event->space,
                                          .address = event->addresses[lane],
                                          .bytes = event->lane_bytes};
    check_found(copies->checks, &finding);
}

/* The first copy under way that reads some of these bytes. */
static const struct written *find_reader(const struct async_block *block, uint64_t low, uint64_t end,
                                         uint32_t thread)
{
    for (size_t i = 0; low < block->end && end > block->low && i < block->sources.count; i++) {
        const struct origin *const source = &block->sources.items[i];
        if (low < source->end && end > source->low && !is_done(block, &source->by, thread))
            return &source->by;
    }
    return NULL;
}

static void store_to_source(struct async_copies *copies, const hx_access_event *event)
{
    const struct async_block *const block = find(copies, event->at.block);
    for (uint64_t left = block && block->sources.count > 0 ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->addresses[lane];
        const struct written *const reader =
            find_reader(block, low, low + event->lane_bytes, event->at.first_thread + lane);
        if (reader)
            report(copies, event, lane, reader);
    }
}

void async_copies_access(struct async_copies *copies, const hx_access_event *event)
{
    if (copies && event->space == SPACE_GLOBAL) {
        if (event->is_store)
            store_to_source(copies, event);
        return;
    }
    const struct async_block *const block = copies ? find(copies, event->at.block) : NULL;
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->addresses[lane], end = low + event->lane_bytes;
        for (uint64_t word = low / WORD; word * WORD < end && word < copies->word_count; word++) {
            const struct written *const written = &block->words[word];
            if (!written->thread || is_done(block, written, event->at.first_thread + lane))
                continue;
            report(copies, event, lane, written);
            break;
        }
    }
}
