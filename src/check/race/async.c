/* Copies to shared memory that are under way.
 *
 * Takes the notes of copies and waits (check/notes.h) and accesses to shared memory, leaves findings:
 * accesses to what a copy writes, before the thread that began it has waited for it. hexec makes a copy at
 * once, so that such a program gives the right result here, and may give another one on a GPU.
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
struct copier {
    uint32_t group;   /* that it fills */
    uint32_t done;    /* groups below are there */
    uint32_t settled; /* and were so before it waited for the last time, ... */
    uint32_t met;     /* ... when this was the block's `met` */
};
struct async_block {
    uint64_t number;
    uint32_t met; /* how often its threads may have learned what others waited for */
    struct written *words;
    struct copier *threads;
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

void async_copies_meet(struct async_copies *copies, uint64_t block)
{
    struct async_block *const met = copies ? find(copies, block) : NULL;
    if (met)
        met->met++;
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

static void copy(struct async_copies *copies, struct async_block *block, uint32_t thread, uint64_t low,
                 uint64_t bytes, uint32_t instruction)
{
    for (uint64_t word = low / WORD; word < (low + bytes) / WORD && word < copies->word_count; word++)
        block->words[word] = (struct written){thread + 1, block->threads[thread].group, instruction};
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
    if (!copies || event->value < NOTE_ASYNC_COPY || event->value > NOTE_ASYNC_WAIT_ALL)
        return;
    struct async_block *block = find(copies, event->at.block);
    if (!block && !(block = make(copies, event->at.block)))
        return;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        struct copier *const copier = &block->threads[thread];
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
    (void)user;
    text_print(&words->message, "%s of %u bytes of shared memory that a copy is still writing",
               finding->sites[0].role, finding->bytes);
    text_print(&words->note, "the thread that began the copy has not waited for it");
    text_print(&words->hint, "commit, wait (__pipeline_wait_prior), and let a barrier follow before other "
                             "threads read");
}

static void report(struct async_copies *copies, const hx_access_event *event, uint32_t lane,
                   const struct written *written)
{
    const struct check_launch *const launch = check_launch_now(copies->checks);
    const bool is_atomic = event->is_load && event->is_store;
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
                                          .space = event->space,
                                          .address = event->addresses[lane],
                                          .bytes = event->lane_bytes};
    check_found(copies->checks, &finding);
}

static bool is_there(const struct async_block *block, const struct written *written, uint32_t thread)
{
    const struct copier *const copier = &block->threads[written->thread - 1];
    const bool is_news = copier->met == block->met && written->thread - 1 != thread;
    return written->group < (is_news ? copier->settled : copier->done);
}

void async_copies_access(struct async_copies *copies, const hx_access_event *event)
{
    const struct async_block *const block = copies ? find(copies, event->at.block) : NULL;
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->addresses[lane], end = low + event->lane_bytes;
        for (uint64_t word = low / WORD; word * WORD < end && word < copies->word_count; word++) {
            const struct written *const written = &block->words[word];
            if (!written->thread || is_there(block, written, event->at.first_thread + lane))
                continue;
            report(copies, event, lane, written);
            break;
        }
    }
}
