/* The checker `sync`.
 *
 * Takes arrivals at barriers, exits and faults, leaves findings: lanes of one warp, or in OpenCL C and CUDA C
 * threads of one block, that meet at different barrier instructions; threads that go past a barrier and end
 * while others wait there; barriers that never complete; bad counts and member masks; shuffles that read
 * lanes which take no part.
 *
 * A barrier is checked when it lets its threads go on: each thread has then the instruction at which it
 * arrived, or the one at which it has exited. That is known whatever the order in which threads ran. A block
 * runs on one worker, so the state of blocks is kept per worker. */
#include "base/memory.h"
#include "check/checks.h"
#include "check/notes.h"
#include "check/sync/copies.h"
#include "check/sync/mbarriers.h"
#include "check/sync/operands.h"
#include "check/sync/sub_groups.h"
#include "check/sync/ways.h"
#include "program/program.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct block_state {
    uint64_t number;
    bool is_used;
    bool is_of_all;          /* the next barrier is one that nobody may have returned before */
    uint32_t *arrived;       /* 1 + the instruction where a thread waits, or has arrived; 0: nowhere */
    uint8_t *barrier;        /* ... and the barrier */
    uint32_t *exited;        /* 1 + the instruction where a thread ended; 0: it runs */
    struct copy_log *copies; /* NULL: there were none */
    struct sub_group_log *sub_groups; /* the same */
    struct way_log *ways;             /* the same of branches */
    struct mbarriers mbarriers;
    uint32_t *unnamed; /* 1 + the instruction where its mask does not name it, and where it waits; 0: none */
};

struct worker_state {
    LIST(struct block_state *) blocks;
};

struct sync {
    struct checker checker;
    hx_checks *checks;
    uint32_t threads; /* of a block */
    uint32_t warp_size;
    bool is_source_c; /* OpenCL C or CUDA C: all threads of a block meet at one barrier */
    bool may_return;  /* CUDA C or PTX: threads may end before a barrier, and compilers give them one end */
    struct worker_state *workers;
    uint32_t worker_count;
};

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void free_blocks(struct sync *sync)
{
    const hx_allocator *allocator = check_allocator(sync->checks);
    for (uint32_t i = 0; i < sync->worker_count; i++) {
        for (size_t k = 0; k < sync->workers[i].blocks.count; k++) {
            copies_free(sync->checks, sync->workers[i].blocks.items[k]->copies);
            sub_groups_free(sync->checks, sync->workers[i].blocks.items[k]->sub_groups);
            ways_free(sync->checks, sync->workers[i].blocks.items[k]->ways);
            mbarriers_free(sync->checks, &sync->workers[i].blocks.items[k]->mbarriers);
            memory_free(allocator, sync->workers[i].blocks.items[k]);
        }
        LIST_DONE(allocator, &sync->workers[i].blocks);
    }
    memory_free(allocator, sync->workers);
    sync->workers = NULL;
    sync->worker_count = 0;
}

static struct block_state *make_block(const struct sync *sync, struct worker_state *worker)
{
    const hx_allocator *allocator = check_allocator(sync->checks);
    const size_t threads = sync->threads;
    struct block_state *block =
        memory_allocate(allocator, 1, sizeof *block + threads * (3 * sizeof(uint32_t) + sizeof(uint8_t)));
    if (!block || !LIST_PUSH(allocator, &worker->blocks, block)) {
        memory_free(allocator, block);
        return NULL;
    }
    block->arrived = (uint32_t *)(block + 1);
    block->exited = block->arrived + threads;
    block->unnamed = block->exited + threads;
    block->barrier = (uint8_t *)(block->unnamed + threads);
    return block;
}

/* NULL: no memory; nothing is said of the block. */
static struct block_state *find_block(struct sync *sync, uint32_t number, uint64_t block)
{
    struct worker_state *worker = &sync->workers[number];
    struct block_state *found = NULL;
    for (size_t i = 0; i < worker->blocks.count; i++) {
        struct block_state *at = worker->blocks.items[i];
        if (at->is_used && at->number == block)
            return at;
        found = at->is_used ? found : at;
    }
    found = found ? found : make_block(sync, worker);
    if (!found) {
        check_lost(sync->checks);
        return NULL;
    }
    found->number = block;
    found->is_used = true;
    found->is_of_all = false;
    ways_clear(found->ways);
    memset(found->arrived, 0, sync->threads * (3 * sizeof *found->arrived + sizeof *found->barrier));
    return found;
}

static struct sync_places places_in(const struct block_state *block)
{
    return (struct sync_places){block->arrived, block->exited};
}

static void on_block(void *user, const hx_interval_event *event)
{
    struct sync *sync = user;
    struct worker_state *worker = &sync->workers[event->worker];
    for (size_t i = 0; i < worker->blocks.count; i++) {
        struct block_state *block = worker->blocks.items[i];
        if (block->number != event->block || !block->is_used)
            continue;
        const struct sync_places at = places_in(block);
        copies_end(sync->checks, block->copies, block->number, &at);
        (void)sub_groups_end(sync->checks, block->sub_groups, block->number, &at);
        mbarriers_clear(&block->mbarriers);
        block->is_used = false;
    }
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

struct words {
    const char *detail; /* of a fault; or NULL */
    uint32_t barrier, threads;
    uint32_t lane, source; /* of a shuffle, in their warp */
    bool is_named;         /* the mask names the source */
};

static const char *barrier_name(uint32_t barrier, char *space, size_t bytes)
{
    if (barrier == HX_BARRIER_COLLECTIVE)
        return "a reduction or scan over the block";
    snprintf(space, bytes, "barrier %u", barrier);
    return space;
}

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct words *of = user;
    char space[32];
    const char *barrier = barrier_name(of->barrier, space, sizeof space);
    switch (finding->kind) {
    case CHECK_SYNC_DIVERGENT_WARP:
        text_print(&words->message, "lanes of one warp meet at %s in different instructions", barrier);
        text_print(&words->hint,
                   "put one barrier where all lanes of the warp pass it: behind the branch, not in its arms");
        break;
    case CHECK_SYNC_DIVERGENT_BLOCK:
        text_print(&words->message, "threads of one block meet at %s in different instructions", barrier);
        text_print(
            &words->hint,
            "put one barrier where all threads of the block pass it: behind the branch, not in its arms");
        break;
    case CHECK_SYNC_SKIPPED:
        text_print(&words->message, "%s lets %u threads go on while others went past it and have ended",
                   barrier, of->threads);
        text_print(&words->hint,
                   "let all threads of the block pass the barrier; guard what stands around it instead");
        break;
    case CHECK_SYNC_DEADLOCK:
        text_print(&words->message, "threads wait at barriers that can never be complete");
        text_print(&words->hint,
                   "each barrier needs the threads that it counts: the same number, and a count that comes");
        break;
    case CHECK_SYNC_COUNT:
        text_print(&words->message, "a barrier with a bad thread count");
        text_print(&words->hint,
                   "the count is the same in all threads, and from 1 to the threads of the block");
        break;
    case CHECK_SYNC_NO_PROGRESS:
        text_print(&words->message, "threads go round in loops that nothing can end");
        text_print(&words->hint,
                   "is a lock given back on every way, and is what they wait for set by a thread "
                   "that does not wait itself?");
        break;
    case CHECK_SYNC_INACTIVE_LANE:
        text_print(&words->message, "lane %u reads the value of lane %u, which %s", of->lane, of->source,
                   of->is_named ? "does not take part" : "its member mask does not name");
        text_print(&words->hint,
                   "what it gets is undefined: let all lanes that are read execute the shuffle, "
                   "and name them in the mask");
        break;
    default:
        text_print(&words->message, "a member mask that does not name its own lane");
        text_print(&words->hint, "the mask names the lanes that execute the instruction: compute it with a "
                                 "vote before the branch");
        break;
    }
    if (of->detail)
        text_print(&words->note, "%s", of->detail);
}

static void found_two(const struct sync *sync, enum check_kind kind, uint64_t count, struct check_site first,
                      struct check_site second, const struct words *words)
{
    const struct check_finding finding = {.kind = kind,
                                          .sites = {first, second},
                                          .site_count = 2,
                                          .count = count,
                                          .describe = describe,
                                          .user = (void *)(uintptr_t)words};
    check_found(sync->checks, &finding);
}

/* ---- Barriers ------------------------------------------------------------------------------------------ */

/* Does a barrier's instruction count its threads? Its count is the only source that is no predicate. */
static bool has_count(const struct sync *sync, uint32_t instruction)
{
    const struct instruction *barrier = &check_kernel_now(sync->checks)->code[instruction];
    for (unsigned i = 0; i < barrier->opcode->form_count; i++)
        if (barrier->opcode->forms[i].kind == FORM_SOURCE && barrier->operands[i].kind != OPERAND_ABSENT)
            return true;
    return false;
}

/* May two threads that meet at the barrier be at these instructions, 1 + their indices? Lanes of a warp may
 * where PTX does not want one instruction of all (.aligned). Threads of a block may at barriers that the
 * source numbers or counts, by PTX, as the roles of a producer and a consumer have them: __syncthreads() has
 * neither. */
static bool may_meet(const struct sync *sync, uint32_t barrier, uint32_t one, uint32_t other,
                     enum check_kind kind)
{
    const struct code_line *lines = check_kernel_now(sync->checks)->lines;
    if (one == other || (lines[one - 1].is_unaligned && lines[other - 1].is_unaligned))
        return true;
    if (note_is_one_call(check_kernel_now(sync->checks), one - 1, other - 1))
        return true;
    if (kind == CHECK_SYNC_DIVERGENT_WARP || barrier == HX_BARRIER_COLLECTIVE)
        return false;
    return barrier > 0 || has_count(sync, one - 1) || has_count(sync, other - 1);
}

/* Threads from `from` to `end` - 1 that arrived elsewhere than the first of them that did; false: none did.
 * The place that comes first in the code is the finding's first, so that it is one whichever thread was
 * first. */
static bool compare_places(const struct sync *sync, const struct block_state *block, uint32_t barrier,
                           uint32_t from, uint32_t end, enum check_kind kind)
{
    uint32_t first = end, other = end, count = 0;
    for (uint32_t thread = from; thread < end; thread++) {
        if (!block->arrived[thread] || block->barrier[thread] != barrier)
            continue;
        first = first == end ? thread : first;
        if (may_meet(sync, barrier, block->arrived[thread], block->arrived[first], kind))
            continue;
        other = other == end ? thread : other;
        count++;
    }
    if (count == 0)
        return false;
    const struct words words = {.barrier = barrier, .threads = count};
    const bool is_in_order = block->arrived[first] < block->arrived[other];
    const uint32_t upper = is_in_order ? first : other, lower = is_in_order ? other : first;
    found_two(sync, kind, count,
              sync_site(sync->checks, block->arrived[upper] - 1, block->number, upper, "barrier"),
              sync_site(sync->checks, block->arrived[lower] - 1, block->number, lower, "another barrier"),
              &words);
    return true;
}

/* Has a thread ended that the barrier needs? */
static bool has_skipped(const struct sync *sync, struct block_state *block, uint32_t thread, uint32_t barrier)
{
    const uint32_t end = block->exited[thread];
    return end && (block->is_of_all || ways_has_skipped(sync->checks, &block->ways, sync->threads, thread,
                                                        barrier, end - 1, sync->may_return));
}

/* Threads that ended behind the barrier without reaching it. */
static void find_skipped(const struct sync *sync, struct block_state *block, uint32_t barrier,
                         uint32_t threads)
{
    uint32_t first = UINT32_MAX, gone = UINT32_MAX, count = 0;
    for (uint32_t thread = 0; thread < sync->threads; thread++)
        if (first == UINT32_MAX && block->arrived[thread] && block->barrier[thread] == barrier)
            first = thread;
    if (first == UINT32_MAX ||
        (barrier != HX_BARRIER_COLLECTIVE && has_count(sync, block->arrived[first] - 1)))
        return;
    for (uint32_t thread = 0; thread < sync->threads; thread++)
        if (has_skipped(sync, block, thread, block->arrived[first] - 1)) {
            gone = gone == UINT32_MAX ? thread : gone;
            count++;
        }
    if (count == 0)
        return;
    const struct words words = {.barrier = barrier, .threads = threads};
    found_two(sync, CHECK_SYNC_SKIPPED, count,
              sync_site(sync->checks, block->arrived[first] - 1, block->number, first, "barrier"),
              sync_site(sync->checks, block->exited[gone] - 1, block->number, gone,
                        "end of a thread that did not come"),
              &words);
}

static void on_arrive(void *user, const hx_lanes_event *event)
{
    struct sync *sync = user;
    struct block_state *block = find_block(sync, event->at.worker, event->at.block);
    operands_check_counts(sync->checks, event, sync->threads, sync->warp_size);
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t thread = event->at.first_thread + (uint32_t)__builtin_ctzll(left);
        block->arrived[thread] = event->at.instruction + 1;
        block->barrier[thread] = (uint8_t)event->value;
    }
}

/* Those that have returned count as arrived. */
static uint32_t count_exited(const struct sync *sync, const struct block_state *block)
{
    uint32_t count = 0;
    for (uint32_t thread = 0; thread < sync->threads; thread++)
        count += block->exited[thread] != 0;
    return count;
}

static void on_release(void *user, const hx_release_event *event)
{
    struct sync *sync = user;
    struct block_state *block = find_block(sync, event->worker, event->block);
    if (!block)
        return;
    bool is_found = false;
    for (uint32_t from = 0; from < sync->threads; from += sync->warp_size) {
        const uint32_t end = from + sync->warp_size < sync->threads ? from + sync->warp_size : sync->threads;
        is_found |= compare_places(sync, block, event->barrier, from, end, CHECK_SYNC_DIVERGENT_WARP);
    }
    if (sync->is_source_c && !is_found) /* what warps do, the block does, too */
        (void)compare_places(sync, block, event->barrier, 0, sync->threads, CHECK_SYNC_DIVERGENT_BLOCK);
    find_skipped(sync, block, event->barrier, event->threads);
    block->is_of_all = false;
    const struct sync_places at = places_in(block);
    copies_release(sync->checks, block->copies, block->number, &at);
    if (event->threads + count_exited(sync, block) == sync->threads) {
        mbarriers_release(&block->mbarriers);
        (void)sub_groups_end(sync->checks, block->sub_groups, block->number, &at);
    }
    for (uint32_t thread = 0; thread < sync->threads; thread++)
        if (block->barrier[thread] == event->barrier)
            block->arrived[thread] = 0;
}

static void on_note(void *user, const hx_lanes_event *event)
{
    struct sync *sync = user;
    struct block_state *block = find_block(sync, event->at.worker, event->at.block);
    if (block && event->value == NOTE_BARRIER_OF_ALL)
        block->is_of_all = true;
    if (block && !(copies_note(sync->checks, &block->copies, sync->threads, event) &&
                   sub_groups_note(sync->checks, &block->sub_groups, sync->threads, event) &&
                   mbarriers_note(sync->checks, &block->mbarriers, event)))
        check_lost(sync->checks);
}

static void on_branch(void *user, const hx_lanes_event *event)
{
    struct sync *sync = user;
    struct block_state *block = sync->may_return ? find_block(sync, event->at.worker, event->at.block) : NULL;
    if (block && !ways_branch(sync->checks, &block->ways, sync->threads, event))
        check_lost(sync->checks);
}

static void on_exit(void *user, const hx_lanes_event *event)
{
    struct sync *sync = user;
    struct block_state *block = find_block(sync, event->at.worker, event->at.block);
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1)
        block->exited[event->at.first_thread + (uint32_t)__builtin_ctzll(left)] = event->at.instruction + 1;
}

/* The first lane of each shuffle says which one it reads; the others count. */
static void on_warp_sync(void *user, const hx_lanes_event *event)
{
    struct sync *sync = user;
    struct block_state *block = find_block(sync, event->at.worker, event->at.block);
    uint64_t wrong = 0;
    operands_check_masks(sync->checks, event, sync->warp_size);
    for (uint64_t left = block ? event->lanes : 0; left; left &= left - 1)
        block->unnamed[event->at.first_thread + (uint32_t)__builtin_ctzll(left)] = 0;
    for (uint64_t left = event->sources ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t members = (event->value ? UINT64_MAX : event->lanes) & event->members[lane];
        if (event->sources[lane] != lane && !(members >> event->sources[lane] & 1) &&
            !(block && sub_groups_is_apart(block->sub_groups, event->at.first_thread + lane)))
            wrong |= left & -left;
    }
    if (!wrong)
        return;
    const uint32_t lane = (uint32_t)__builtin_ctzll(wrong), source = event->sources[lane];
    const struct words words = {.lane = lane % sync->warp_size,
                                .source = source % sync->warp_size,
                                .is_named = event->members[lane] >> source & 1};
    const struct check_finding finding = {
        .kind = CHECK_SYNC_INACTIVE_LANE,
        .sites = {sync_site(sync->checks, event->at.instruction, event->at.block,
                            event->at.first_thread + lane, "shuffle")},
        .site_count = 1,
        .count = (uint64_t)__builtin_popcountll(wrong),
        .describe = describe,
        .user = (void *)(uintptr_t)&words,
    };
    check_found(sync->checks, &finding);
}

/* False: it is of another checker. */
static bool kind_of(hx_fault_kind fault, enum check_kind *ret_kind)
{
    switch (fault) {
    case HX_FAULT_BARRIER_DEADLOCK:
        *ret_kind = CHECK_SYNC_DEADLOCK;
        return true;
    case HX_FAULT_BARRIER_COUNT:
        *ret_kind = CHECK_SYNC_COUNT;
        return true;
    case HX_FAULT_MEMBER_MASK:
        *ret_kind = CHECK_SYNC_MEMBER_MASK;
        return true;
    case HX_FAULT_NO_PROGRESS:
        *ret_kind = CHECK_SYNC_NO_PROGRESS;
        return true;
    default:
        return false;
    }
}

/* Threads that the fault is new for: one whose mask does not name it is found whenever others reach where
 * it waits. */
static uint64_t count_threads(struct sync *sync, const hx_fault_event *event, uint64_t number)
{
    struct block_state *block = find_block(sync, event->worker, number);
    uint64_t count = 0;
    if (!event->lanes || !block)
        return 1;
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t thread = event->first_thread + (uint32_t)__builtin_ctzll(left);
        const uint32_t here = event->fault->instruction + 1;
        count += event->fault->kind != HX_FAULT_MEMBER_MASK || block->unnamed[thread] != here;
        if (event->fault->kind == HX_FAULT_MEMBER_MASK)
            block->unnamed[thread] = here;
    }
    return count;
}

/* What threads wait for is work-items of their sub-groups, and those are elsewhere: that is reported. */
static bool is_of_sub_groups(struct sync *sync, const hx_fault_event *event, uint64_t number)
{
    const struct block_state *const block = find_block(sync, event->worker, number);
    if (event->fault->kind != HX_FAULT_BARRIER_DEADLOCK || !block)
        return false;
    const struct sync_places at = places_in(block);
    return sub_groups_end(sync->checks, block->sub_groups, number, &at) > 0;
}

static void on_fault(void *user, const hx_fault_event *event)
{
    struct sync *sync = user;
    const hx_fault *fault = event->fault;
    const struct check_launch *launch = check_launch_now(sync->checks);
    const uint32_t *grid = launch->grid, *block = launch->block;
    enum check_kind kind;
    if (!kind_of(fault->kind, &kind))
        return;
    const struct words words = {.detail = fault->detail[0] ? fault->detail : NULL};
    const uint64_t number =
        ((uint64_t)fault->block[2] * grid[1] + fault->block[1]) * grid[0] + fault->block[0];
    const uint32_t thread = (fault->thread[2] * block[1] + fault->thread[1]) * block[0] + fault->thread[0];
    const struct check_finding finding = {
        .kind = kind,
        .sites = {sync_site(sync->checks, fault->instruction, number, thread,
                            kind == CHECK_SYNC_NO_PROGRESS ? "where it goes round" : "wait")},
        .site_count = 1,
        .count = count_threads(sync, event, number),
        .describe = describe,
        .user = (void *)(uintptr_t)&words,
    };
    if (!is_of_sub_groups(sync, event, number) && finding.count > 0)
        check_found(sync->checks, &finding);
    *event->is_reported = 1;
    if (event->is_let_by)
        *event->is_let_by = 1;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static bool has_barrier(const struct kernel *code)
{
    for (uint32_t i = 0; i < code->code_count; i++)
        if (verify_waits_for_block(&code->code[i]))
            return true;
    return false;
}

static hx_status on_begin(void *user, const hx_launch_begin *event)
{
    struct sync *sync = user;
    const uint32_t *block = event->options->block;
    const enum program_language language = check_program_now(sync->checks)->language;
    free_blocks(sync);
    sync->threads = block[0] * block[1] * block[2];
    sync->warp_size = event->options->warp_size;
    sync->is_source_c = language == LANGUAGE_OPENCL || language == LANGUAGE_CUDA;
    sync->may_return = check_kernel_now(sync->checks)->is_imported &&
                       has_barrier(check_kernel_now(sync->checks)) && language != LANGUAGE_OPENCL;
    sync->workers = memory_allocate(check_allocator(sync->checks), event->workers, sizeof *sync->workers);
    sync->worker_count = sync->workers ? event->workers : 0;
    return sync->workers ? HX_OK : HX_NO_MEMORY;
}

static void close_sync(struct checker *checker)
{
    struct sync *sync = (struct sync *)checker;
    free_blocks(sync);
    memory_free(check_allocator(sync->checks), sync);
}

hx_status check_sync_open(hx_checks *checks, hx_diag *diag, struct checker **ret_checker)
{
    struct sync *sync = memory_allocate(check_allocator(checks), 1, sizeof *sync);
    if (!sync)
        return diag_no_memory(diag);
    sync->checks = checks;
    sync->checker =
        (struct checker){.listener = {.size = sizeof sync->checker.listener,
                                      .events = HX_EVENT_LAUNCH | HX_EVENT_BLOCK | HX_EVENT_BARRIER |
                                                HX_EVENT_BRANCH | HX_EVENT_EXIT | HX_EVENT_WARP_SYNC |
                                                HX_EVENT_FAULT | HX_EVENT_STUCK | HX_EVENT_NOTE,
                                      .user = sync,
                                      .begin = on_begin,
                                      .block = on_block,
                                      .branch = on_branch,
                                      .exited = on_exit,
                                      .warp_sync = on_warp_sync,
                                      .arrive = on_arrive,
                                      .release = on_release,
                                      .fault = on_fault,
                                      .note = on_note},
                         .close = close_sync};
    *ret_checker = &sync->checker;
    return HX_OK;
}
