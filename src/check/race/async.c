/* Copies to and from shared memory that are under way.
 *
 * Takes the notes of copies and waits (check/notes.h), accesses to shared memory and to global memory,
 * leaves findings: accesses to what a copy writes, and stores to what it reads, before somebody has
 * waited for it. hexec makes a copy at once, so that such a program gives the right result here, and may give
 * another one on a GPU.
 *
 * Copies of a thread are in groups, as PTX has them: a thread's groups have numbers from 0 on, and it waits
 * for all below one. Other copies end with the phase of a barrier (phases.h): who finds it over has
 * waited for them; and so do groups that a thread has bound to a barrier (cp.async.mbarrier.arrive). What
 * threads other than the one that waited need besides, a barrier, the engine looks after: for it a copy is a
 * store. */
#include "check/race/async.h"

#include "base/memory.h"
#include "check/notes.h"
#include "check/race/phases.h"
#include "program/program.h"

#define WORD 4 /* bytes: the smallest copy */

struct written {
    uint32_t thread; /* 1 + the thread whose copy was the last; 0: none */
    uint32_t group;  /* without an end */
    uint32_t instruction;
    enum groups { GROUPS_ASYNC, GROUPS_BULK, GROUPS_BULK_WRITTEN, GROUPS_COUNT } of;
    bool combines; /* what is there with other bytes, by atomics */
    struct copy_end end;
};
/* What a copy under way reads, or in global memory writes. */
struct origin {
    uint64_t low, end;
    struct written by;
    bool is_there; /* of what it writes */
};
struct origins {
    LIST(struct origin) list;
    size_t thin_at;    /* so many are looked through for those that can go */
    uint64_t low, end; /* all lie there */
};
/* Of one thread and one kind. */
struct progress {
    uint32_t group;   /* that it fills */
    uint32_t done;    /* groups below are there */
    uint32_t settled; /* and were so before it waited for the last time, ... */
    uint32_t met;     /* ... when this was the block's `met` */
};
/* Groups of GROUPS_ASYNC below one end with a phase. */
struct bound {
    uint32_t below;
    struct copy_end end;
};
#define BOUND_MAX 8 /* of which a thread's oldest one is taken for done when there are more */
struct copier {
    uint64_t from;       /* what the copy reads that it will note next; 0: that is not known */
    uint32_t bulk_bytes; /* of the last copy out of shared memory */
    struct copy_end end; /* of the copy that it will note next */
    struct progress of[GROUPS_COUNT];
    uint32_t bound_count;
    struct bound bound[BOUND_MAX];
};
#define THIN_LEAST 64u
struct async_block {
    uint64_t number;
    uint32_t met; /* how often its threads may have learned what others waited for */
    struct written *words;
    struct copier *threads;
    struct phases phases;
    struct origins global, shared; /* that copies read */
    struct origins written;        /* of global memory, that copies write */
};
struct async_copies {
    struct race_copy_launch of;
    uint32_t word_count, thread_count;
    bool has_failed, writes_global;
    async_arrived arrived; /* NULL: nobody is called */
    void *user;
    LIST(struct async_block) blocks; /* that run, and have copied */
};

hx_status async_copies_new(const struct race_copy_launch *launch, async_arrived arrived, void *user,
                           struct async_copies **ret_copies)
{
    *ret_copies = NULL;
    const struct kernel *const code = check_kernel_now(launch->checks);
    const bool has_copies = note_is_in(code, NOTE_ASYNC_COPY) || note_is_in(code, NOTE_BULK_READS);
    if (!has_copies || launch->shared_bytes / WORD >= UINT32_MAX)
        return HX_OK;
    struct async_copies *const copies = memory_allocate(check_allocator(launch->checks), 1, sizeof *copies);
    if (!copies)
        return HX_NO_MEMORY;
    copies->of = *launch;
    copies->arrived = arrived;
    copies->user = user;
    copies->word_count = (uint32_t)((launch->shared_bytes + WORD - 1) / WORD);
    copies->thread_count = launch->block_threads;
    copies->writes_global = note_is_in(code, NOTE_BULK_WRITES) || note_is_in(code, NOTE_BULK_COMBINES);
    *ret_copies = copies;
    return HX_OK;
}

bool async_copies_write_global(const struct async_copies *copies)
{
    return copies && copies->writes_global;
}

static void free_block(const hx_allocator *allocator, struct async_block *block)
{
    memory_free(allocator, block->words);
    memory_free(allocator, block->threads);
    phases_free(&block->phases, allocator);
    LIST_DONE(allocator, &block->global.list);
    LIST_DONE(allocator, &block->shared.list);
    LIST_DONE(allocator, &block->written.list);
}

void async_copies_free(struct async_copies *copies)
{
    if (!copies)
        return;
    const hx_allocator *const allocator = check_allocator(copies->of.checks);
    for (size_t i = 0; i < copies->blocks.count; i++)
        free_block(allocator, &copies->blocks.items[i]);
    LIST_DONE(allocator, &copies->blocks);
    if (copies->has_failed)
        check_lost(copies->of.checks);
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
    const hx_allocator *const allocator = check_allocator(copies->of.checks);
    struct async_block made = {.number = number};
    made.words = memory_allocate(allocator, copies->word_count, sizeof *made.words);
    made.threads = memory_allocate(allocator, copies->thread_count, sizeof *made.threads);
    if (made.words && made.threads && LIST_PUSH(allocator, &copies->blocks, made))
        return &copies->blocks.items[copies->blocks.count - 1];
    free_block(allocator, &made);
    copies->has_failed = true;
    return NULL;
}

/* The thread's groups below one are there; UINT32_MAX, twice: those of all. */
static void tell_arrivals(const struct async_copies *copies, const struct async_block *block, uint32_t thread,
                          uint32_t below)
{
    for (size_t i = 0; copies->arrived && i < block->written.list.count; i++) {
        struct origin *const origin = &block->written.list.items[i];
        const struct async_arrival arrival = {.block = block->number,
                                              .thread = origin->by.thread - 1,
                                              .instruction = origin->by.instruction,
                                              .combines = origin->by.combines,
                                              .low = origin->low,
                                              .bytes = origin->end - origin->low};
        if (origin->is_there || (thread != UINT32_MAX && arrival.thread != thread) ||
            origin->by.group >= below)
            continue;
        origin->is_there = true;
        copies->arrived(copies->user, &arrival);
    }
}

void async_copies_block_end(struct async_copies *copies, uint64_t block)
{
    struct async_block *const ended = copies ? find(copies, block) : NULL;
    if (!ended)
        return;
    tell_arrivals(copies, ended, UINT32_MAX, UINT32_MAX);
    free_block(check_allocator(copies->of.checks), ended);
    *ended = copies->blocks.items[--copies->blocks.count];
}

/* Does the thread know that the copy is done? UINT32_MAX: do all? */
static bool is_done(const struct async_block *block, const struct written *written, uint32_t thread)
{
    const struct copier *const copier = &block->threads[written->thread - 1];
    const struct progress *const progress = &copier->of[written->of];
    const bool is_news = progress->met == block->met && written->thread - 1 != thread;
    if (written->end.barrier)
        return phases_are_over(&block->phases, written->end, thread, block->met);
    if (written->group < (is_news ? progress->settled : progress->done))
        return true;
    for (uint32_t i = 0; written->of == GROUPS_ASYNC && i < copier->bound_count; i++)
        if (written->group < copier->bound[i].below &&
            phases_are_over(&block->phases, copier->bound[i].end, thread, block->met))
            return true;
    return false;
}

/* Leaves the sources of those copies that somebody does not know to be done; or, with `by_own`, that their
 * own thread has not waited for: a store of another thread is a race with the copy's load then. */
static void drop_sources(const struct async_block *block, struct origins *sources, bool by_own)
{
    size_t kept = 0;
    sources->low = UINT64_MAX;
    sources->end = 0;
    for (size_t i = 0; i < sources->list.count; i++) {
        const struct origin source = sources->list.items[i];
        if (is_done(block, &source.by, by_own ? source.by.thread - 1 : UINT32_MAX))
            continue;
        sources->list.items[kept++] = source;
        sources->low = source.low < sources->low ? source.low : sources->low;
        sources->end = source.end > sources->end ? source.end : sources->end;
    }
    sources->list.count = kept;
}

void async_copies_meet(struct async_copies *copies, uint64_t block)
{
    struct async_block *const met = copies ? find(copies, block) : NULL;
    if (!met)
        return;
    struct origins *const all[] = {&met->global, &met->shared, &met->written};
    met->met++;
    for (size_t i = 0; i < HX_COUNT_OF(all); i++)
        if (all[i]->list.count > 0)
            drop_sources(met, all[i], false);
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

static void add_source(struct async_copies *copies, const struct async_block *block, struct origins *sources,
                       const struct origin *source)
{
    if (sources->list.count >= sources->thin_at) {
        drop_sources(block, sources, true);
        sources->thin_at = 2 * sources->list.count + THIN_LEAST;
    }
    if (!LIST_PUSH(check_allocator(copies->of.checks), &sources->list, *source)) {
        copies->has_failed = true;
        return;
    }
    const bool is_first = sources->list.count == 1;
    sources->low = is_first || source->low < sources->low ? source->low : sources->low;
    sources->end = is_first || source->end > sources->end ? source->end : sources->end;
}

static void copy(struct async_copies *copies, struct async_block *block, uint32_t thread, uint64_t low,
                 uint64_t bytes, uint32_t instruction)
{
    struct copier *const copier = &block->threads[thread];
    const struct written by = {.thread = thread + 1,
                               .group = copier->of[GROUPS_ASYNC].group,
                               .instruction = instruction,
                               .of = GROUPS_ASYNC,
                               .end = copier->end};
    for (uint64_t word = low / WORD; word < (low + bytes) / WORD && word < copies->word_count; word++)
        block->words[word] = by;
    if (copier->from)
        add_source(copies, block, &block->global,
                   &(struct origin){.low = copier->from, .end = copier->from + bytes, .by = by});
    copier->from = 0;
    copier->end = (struct copy_end){0};
}

/* Other threads do not know of a wait before they have met: how far it is settled for them. */
static void wait(const struct async_block *block, struct progress *progress, uint32_t left)
{
    const uint32_t done = progress->group > left ? progress->group - left : 0;
    if (progress->met != block->met)
        progress->settled = progress->done;
    progress->met = block->met;
    progress->done = done > progress->done ? done : progress->done;
}

/* The thread's copies until now end with a phase. */
static void bind_copies(struct copier *copier, struct copy_end end)
{
    struct progress *const progress = &copier->of[GROUPS_ASYNC];
    progress->group++;
    if (copier->bound_count == BOUND_MAX) {
        progress->done = copier->bound[0].below > progress->done ? copier->bound[0].below : progress->done;
        memmove(copier->bound, copier->bound + 1, --copier->bound_count * sizeof *copier->bound);
    }
    copier->bound[copier->bound_count++] = (struct bound){progress->group, end};
}

static bool is_noted(const hx_lanes_event *event)
{
    switch (event->value) {
    case NOTE_ASYNC_READS:
    case NOTE_ASYNC_COPY:
    case NOTE_BULK_READS:
    case NOTE_BULK_WRITES:
    case NOTE_BULK_COMBINES:
        return event->noted && event->also_noted;
    case NOTE_BULK_COMMIT:
    case NOTE_ASYNC_COMMIT:
    case NOTE_ASYNC_WAIT_ALL:
        return true;
    case NOTE_BULK_WAIT:
    case NOTE_BULK_WAIT_WRITTEN:
    case NOTE_ASYNC_WAIT:
    case NOTE_MBARRIER_INIT:
        return event->noted;
    case NOTE_ASYNC_END:
    case NOTE_ASYNC_ARRIVE:
    case NOTE_MBARRIER_PHASE:
    case NOTE_MBARRIER_USE:
        return event->noted && event->also_noted; /* of a wait */
    default:
        return false;
    }
}

/* Notes of barriers: the lane's offset, and the phase that it has found. */
static void note_barrier(struct async_copies *copies, struct async_block *block, const hx_lanes_event *event,
                         uint32_t lane)
{
    const hx_allocator *const allocator = check_allocator(copies->of.checks);
    const uint32_t thread = event->at.first_thread + lane, offset = event->noted[lane];
    if (event->value == NOTE_MBARRIER_INIT) {
        phases_restart(&block->phases, offset);
        return;
    }
    const uint32_t phase = event->also_noted[lane];
    if (event->value == NOTE_MBARRIER_USE) {
        copies->has_failed |=
            !phases_wait(&block->phases, allocator, offset, copies->thread_count, thread, phase, block->met);
        return;
    }
    const struct copy_end end = phases_see(&block->phases, allocator, offset, copies->thread_count, phase);
    copies->has_failed |= !end.barrier;
    if (event->value == NOTE_ASYNC_END)
        block->threads[thread].end = end;
    if (event->value == NOTE_ASYNC_ARRIVE && end.barrier)
        bind_copies(&block->threads[thread], end);
}

/* What a copy in bulk reads, or writes. */
static void add_bulk(struct async_copies *copies, struct async_block *block, const hx_lanes_event *event,
                     uint32_t lane)
{
    const uint32_t thread = event->at.first_thread + lane, first = event->noted[lane],
                   second = event->also_noted[lane];
    struct copier *const copier = &block->threads[thread];
    const bool reads = event->value == NOTE_BULK_READS;
    const enum groups of = reads ? GROUPS_BULK : GROUPS_BULK_WRITTEN;
    copier->bulk_bytes = reads ? second : copier->bulk_bytes;
    const uint64_t low = reads ? first : first | (uint64_t)second << 32;
    const struct origin origin = {.low = low,
                                  .end = low + copier->bulk_bytes,
                                  .by = {.thread = thread + 1,
                                         .group = copier->of[of].group,
                                         .instruction = event->at.instruction,
                                         .of = of,
                                         .combines = event->value == NOTE_BULK_COMBINES}};
    add_source(copies, block, reads ? &block->shared : &block->written, &origin);
}

static void note_lane(struct async_copies *copies, struct async_block *block, const hx_lanes_event *event,
                      uint32_t lane)
{
    const uint32_t thread = event->at.first_thread + lane;
    const uint32_t first = event->noted ? event->noted[lane] : 0,
                   second = event->also_noted ? event->also_noted[lane] : 0;
    struct copier *const copier = &block->threads[thread];
    switch (event->value) {
    case NOTE_ASYNC_READS:
        copier->from = first | (uint64_t)second << 32;
        break;
    case NOTE_ASYNC_COPY:
        copy(copies, block, thread, first, second, event->at.instruction);
        break;
    case NOTE_ASYNC_COMMIT:
        copier->of[GROUPS_ASYNC].group++;
        break;
    case NOTE_ASYNC_WAIT:
        wait(block, &copier->of[GROUPS_ASYNC], first);
        break;
    case NOTE_ASYNC_WAIT_ALL:
        copier->of[GROUPS_ASYNC].group++;
        wait(block, &copier->of[GROUPS_ASYNC], 0);
        break;
    case NOTE_BULK_READS:
    case NOTE_BULK_WRITES:
    case NOTE_BULK_COMBINES:
        add_bulk(copies, block, event, lane);
        break;
    case NOTE_BULK_COMMIT:
        copier->of[GROUPS_BULK].group++;
        copier->of[GROUPS_BULK_WRITTEN].group++;
        break;
    case NOTE_BULK_WAIT:
        wait(block, &copier->of[GROUPS_BULK], first);
        break;
    case NOTE_BULK_WAIT_WRITTEN:
        wait(block, &copier->of[GROUPS_BULK_WRITTEN], first);
        tell_arrivals(copies, block, thread, copier->of[GROUPS_BULK_WRITTEN].done);
        break;
    default:
        note_barrier(copies, block, event, lane);
    }
}

void async_copies_note(struct async_copies *copies, const hx_lanes_event *event)
{
    if (!copies || !is_noted(event))
        return;
    struct async_block *block = find(copies, event->at.block);
    if (!block && !(block = make(copies, event->at.block)))
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1)
        note_lane(copies, block, event, (uint32_t)__builtin_ctzll(left));
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static void advise(const void *user, struct check_words *words)
{
    const struct written *const copy = user;
    static const char *const waits[GROUPS_COUNT] = {"__pipeline_wait_prior", "cp.async.bulk.wait_group.read",
                                                    "cp.async.bulk.wait_group"};
    if (copy->end.barrier) {
        text_print(&words->note, "this thread has not waited for the barrier that the copy ends with");
        text_print(&words->hint,
                   "let each thread wait for the phase of that barrier (barrier.wait, consumer_wait, "
                   "mbarrier.try_wait) before it reads or overwrites it; another barrier does "
                   "not wait for the copy");
        return;
    }
    text_print(&words->note, "the thread that began the copy has not waited for %s",
               copy->of == GROUPS_BULK_WRITTEN ? "what it writes" : "it");
    text_print(&words->hint,
               "commit, wait (%s), and let a barrier follow before other threads %soverwrite it",
               waits[copy->of], copy->of == GROUPS_BULK ? "" : "read or ");
}

static void report(struct async_copies *copies, const hx_access_event *event, uint32_t lane,
                   const struct written *written)
{
    const bool is_global = event->space == SPACE_GLOBAL;
    race_copy_report(&copies->of,
                     &(struct race_copy){.event = event,
                                         .lane = lane,
                                         .instruction = written->instruction,
                                         .thread = written->thread - 1,
                                         .reads = written->of == GROUPS_BULK ||
                                                  (is_global && written->of != GROUPS_BULK_WRITTEN),
                                         .advise = advise,
                                         .user = written});
}

/* The first copy under way of some of these bytes; that combines them, unless they are accessed by atomics.
 */
static const struct written *find_copy(const struct async_block *block, const struct origins *sources,
                                       uint64_t low, uint64_t end, uint32_t thread, bool is_atomic)
{
    for (size_t i = 0; low < sources->end && end > sources->low && i < sources->list.count; i++) {
        const struct origin *const source = &sources->list.items[i];
        if (low < source->end && end > source->low && !(is_atomic && source->by.combines) &&
            !is_done(block, &source->by, thread))
            return &source->by;
    }
    return NULL;
}

static void access_to(struct async_copies *copies, const struct async_block *block,
                      const struct origins *sources, const hx_access_event *event)
{
    for (uint64_t left = sources->list.count > 0 ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->addresses[lane];
        const struct written *const copy =
            find_copy(block, sources, low, low + event->lane_bytes, event->at.first_thread + lane,
                      event->is_load && event->is_store);
        if (copy)
            report(copies, event, lane, copy);
    }
}

static void access_to_written(struct async_copies *copies, const struct async_block *block,
                              const hx_access_event *event)
{
    for (uint64_t left = event->lanes; left; left &= left - 1) {
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

void async_copies_access(struct async_copies *copies, const hx_access_event *event)
{
    const struct async_block *const block = copies ? find(copies, event->at.block) : NULL;
    const bool is_global = event->space == SPACE_GLOBAL;
    if (block && event->is_store)
        access_to(copies, block, is_global ? &block->global : &block->shared, event);
    if (block && is_global)
        access_to(copies, block, &block->written, event);
    if (block && !is_global)
        access_to_written(copies, block, event);
}
