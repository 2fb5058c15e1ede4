/* Copies of whole groups that are under way.
 *
 * Takes the notes of copies and waits of OpenCL C (check/notes.h) and accesses to shared memory, leaves
 * findings: accesses to what a copy writes, and stores to what it reads, by a thread that has not waited for
 * its event. All threads of a group make a copy together, each a share, and hexec makes it at once.
 *
 * What no barrier orders with the share of another thread is a race that the engine finds. Behind a barrier
 * it takes the copy for done, and so it does with the thread's own share: those are found here.
 *
 * Events have numbers, and one may be that of several copies, and of later ones again: each time that a
 * thread begins what it has waited for before, another generation of the event begins. */
#include "check/race/group_copies.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/program.h"

#define WORD 4 /* bytes */

struct share {
    uint32_t event;      /* 1 + its place in `events`; 0: no copy was here */
    uint32_t generation; /* of the event */
    uint32_t barriers;   /* of the block, when the share was made */
    uint32_t thread, instruction;
    uint8_t bytes; /* of the word, a bit for each */
    bool is_read;  /* the copy reads them */
};
struct progress {
    uint32_t begun, waited; /* the generation that a thread has begun, and waited for */
};
struct event {
    uint32_t number, generation;
    struct progress *threads;
};
struct group_block {
    uint64_t number;
    uint32_t barriers; /* that its threads have met at */
    struct share *words;
    uint32_t *current; /* of each thread: 1 + the event of the copy that it makes */
    LIST(struct event) events;
};
struct group_copies {
    struct race_copy_launch of;
    uint32_t word_count, thread_count;
    bool has_failed;
    LIST(struct group_block) blocks; /* that run, and have copied */
};

hx_status group_copies_new(const struct race_copy_launch *launch, struct group_copies **ret_copies)
{
    const struct kernel *const code = check_kernel_now(launch->checks);
    const bool has_copies = note_is_in(code, NOTE_COPY_WRITES) || note_is_in(code, NOTE_COPY_READS);
    *ret_copies = NULL;
    if (!has_copies || launch->shared_bytes / WORD >= UINT32_MAX)
        return HX_OK;
    struct group_copies *const copies = memory_allocate(check_allocator(launch->checks), 1, sizeof *copies);
    if (!copies)
        return HX_NO_MEMORY;
    copies->of = *launch;
    copies->word_count = (uint32_t)((launch->shared_bytes + WORD - 1) / WORD);
    copies->thread_count = launch->block_threads;
    *ret_copies = copies;
    return HX_OK;
}

static void free_block(const hx_allocator *allocator, struct group_block *block)
{
    for (size_t i = 0; i < block->events.count; i++)
        memory_free(allocator, block->events.items[i].threads);
    LIST_DONE(allocator, &block->events);
    memory_free(allocator, block->words);
    memory_free(allocator, block->current);
}

void group_copies_free(struct group_copies *copies)
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

static struct group_block *find(const struct group_copies *copies, uint64_t number)
{
    for (size_t i = 0; copies && i < copies->blocks.count; i++)
        if (copies->blocks.items[i].number == number)
            return &copies->blocks.items[i];
    return NULL;
}

static struct group_block *make(struct group_copies *copies, uint64_t number)
{
    const hx_allocator *const allocator = check_allocator(copies->of.checks);
    struct group_block made = {.number = number};
    made.words = memory_allocate(allocator, copies->word_count, sizeof *made.words);
    made.current = memory_allocate(allocator, copies->thread_count, sizeof *made.current);
    if (made.words && made.current && LIST_PUSH(allocator, &copies->blocks, made))
        return &copies->blocks.items[copies->blocks.count - 1];
    free_block(allocator, &made);
    copies->has_failed = true;
    return NULL;
}

void group_copies_barrier(struct group_copies *copies, uint64_t block)
{
    struct group_block *const met = find(copies, block);
    if (met)
        met->barriers++;
}

void group_copies_block_end(struct group_copies *copies, uint64_t block)
{
    struct group_block *const ended = find(copies, block);
    if (!ended)
        return;
    free_block(check_allocator(copies->of.checks), ended);
    *ended = copies->blocks.items[--copies->blocks.count];
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

/* 1 + its place; 0: there is none. */
static uint32_t find_event(const struct group_block *block, uint32_t number)
{
    for (size_t i = 0; i < block->events.count; i++)
        if (block->events.items[i].number == number)
            return (uint32_t)i + 1;
    return 0;
}

static void begin(struct group_copies *copies, struct group_block *block, uint32_t thread, uint32_t number)
{
    const hx_allocator *const allocator = check_allocator(copies->of.checks);
    uint32_t at = find_event(block, number);
    if (!at) {
        struct event made = {.number = number};
        made.threads = memory_allocate(allocator, copies->thread_count, sizeof *made.threads);
        if (!made.threads || !LIST_PUSH(allocator, &block->events, made)) {
            memory_free(allocator, made.threads);
            copies->has_failed = true;
            block->current[thread] = 0;
            return;
        }
        at = (uint32_t)block->events.count;
    }
    struct event *const event = &block->events.items[at - 1];
    if (event->threads[thread].waited == event->generation)
        event->generation++;
    event->threads[thread].begun = event->generation;
    block->current[thread] = at;
}

/* A thread's share of a copy: every n-th element, as src/compiler/opencl/prelude_group.cl deals them out. */
static void add_share(const struct group_copies *copies, struct group_block *block,
                      const hx_lanes_event *event, uint32_t lane)
{
    const uint32_t thread = event->at.first_thread + lane, at = block->current[thread];
    const uint64_t count = event->also_noted[lane] >> 3, bytes = 1ull << (event->also_noted[lane] & 7);
    if (!at)
        return;
    struct share share = {.event = at,
                          .generation = block->events.items[at - 1].generation,
                          .barriers = block->barriers,
                          .thread = thread,
                          .instruction = event->at.instruction,
                          .is_read = event->value == NOTE_COPY_READS};
    for (uint64_t i = (thread + 1) % copies->thread_count; i < count; i += copies->thread_count) {
        const uint64_t low = event->noted[lane] + i * bytes, end = low + bytes;
        for (uint64_t word = low / WORD; word * WORD < end && word < copies->word_count; word++) {
            struct share *const old = &block->words[word];
            const bool is_same = old->event == at && old->generation == share.generation;
            share.bytes = is_same ? old->bytes : 0;
            for (uint64_t byte = word * WORD; byte < (word + 1) * WORD; byte++)
                share.bytes |= (uint8_t)((byte >= low && byte < end) << byte % WORD);
            *old = share;
        }
    }
}

void group_copies_note(struct group_copies *copies, const hx_lanes_event *event)
{
    const bool is_share = event->value == NOTE_COPY_WRITES || event->value == NOTE_COPY_READS;
    if (!copies || !event->noted || (is_share && !event->also_noted) ||
        !(is_share || event->value == NOTE_COPY_EVENT || event->value == NOTE_COPY_WAIT))
        return;
    struct group_block *block = find(copies, event->at.block);
    if (!block && !(block = make(copies, event->at.block)))
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        const uint32_t waits = event->value == NOTE_COPY_WAIT ? find_event(block, event->noted[lane]) : 0;
        if (is_share)
            add_share(copies, block, event, lane);
        else if (event->value == NOTE_COPY_EVENT)
            begin(copies, block, thread, event->noted[lane]);
        else if (waits)
            block->events.items[waits - 1].threads[thread].waited = block->events.items[waits - 1].generation;
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static void advise(const void *user, struct check_words *words)
{
    (void)user;
    text_print(&words->note, "a barrier does not wait for a copy");
    text_print(&words->hint, "give its event to wait_group_events before");
}

/* Is the copy not done for this thread, and not one that the engine compares with it? Of a copy that not all
 * threads make, `sync` tells; those that do not make it have nothing to wait for. */
static bool is_under_way(const struct group_block *block, const struct share *share, uint32_t thread)
{
    if (!share->event)
        return false;
    const struct progress *const made = &block->events.items[share->event - 1].threads[thread];
    return made->begun >= share->generation && made->waited < share->generation &&
           (share->thread == thread || share->barriers != block->barriers);
}

void group_copies_access(struct group_copies *copies, const hx_access_event *event)
{
    const struct group_block *const block = find(copies, event->at.block);
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->addresses[lane], end = low + event->lane_bytes;
        for (uint64_t word = low / WORD; word * WORD < end && word < copies->word_count; word++) {
            const struct share *const share = &block->words[word];
            bool meets = false;
            for (uint64_t byte = word * WORD; byte < (word + 1) * WORD; byte++)
                meets = meets || (byte >= low && byte < end && share->bytes >> byte % WORD & 1);
            if (!meets || (share->is_read && !event->is_store) ||
                !is_under_way(block, share, event->at.first_thread + lane))
                continue;
            race_copy_report(&copies->of, &(struct race_copy){.event = event,
                                                              .lane = lane,
                                                              .instruction = share->instruction,
                                                              .thread = share->thread,
                                                              .reads = share->is_read,
                                                              .advise = advise});
            break;
        }
    }
}
