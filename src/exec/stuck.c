/* Launches that can only go round in loops.
 *
 * A worker does the same again and again if registers, places and memory of its blocks and the device's
 * memory are what they were before: nothing else has an influence, as long as no other thread writes memory.
 * So states are compared, by digests, whenever each block has had many turns. That is seldom, and the
 * device's memory is read only when the blocks' own state has come again; a kernel that counts, or reads a
 * clock, is never found here. The launch is stuck when all of its workers are, among the same memory, and
 * find that twice.
 *
 * On a unified device the host may write at any time, so nothing is said there. On other devices a program
 * may have other ways to write, which it knows itself (hx_device_may_change). */
#include "exec/stuck.h"

#include "base/machine.h"
#include "exec/faults.h"

#include <string.h>

#define REPEATS     4          /* of the same state, until it counts */
#define PATIENCE    16         /* times what a digest takes, until the next one is made */
#define IS_REPORTED UINT64_MAX /* launch->stuck_at: one of the workers has */

/* ---- Digests ------------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
    uint64_t words[4], sums[4] = {digest, 1, 2, 3};
    const char *at = bytes;
    for (; count >= sizeof words; count -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++)
            sums[i] = mixed(sums[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (count > 0)
        memcpy(words, at, count);
    for (int i = 0; i < 4; i++)
        digest = mixed(mixed(digest, sums[i]), words[i]);
    return digest;
}

/* `count` rows of cells, one for each lane of the gang: those of `lanes`. */
static uint64_t digest_cells(uint64_t digest, const char *rows, uint32_t count, size_t cell_bytes,
                             uint32_t chunks, const uint64_t *lanes)
{
    char cells[LANES_PER_CHUNK * sizeof(uint64_t)];
    for (uint32_t i = 0; i < count * chunks; i++, rows += LANES_PER_CHUNK * cell_bytes) {
        memset(cells, 0, sizeof cells);
        for (uint64_t left = lanes[i % chunks]; left; left &= left - 1) {
            const size_t at = (size_t)__builtin_ctzll(left) * cell_bytes;
            memcpy(cells + at, rows + at, cell_bytes);
        }
        digest = digest_bytes(digest, cells, LANES_PER_CHUNK * cell_bytes);
    }
    return digest;
}

/* Only of lanes that have a thread which runs: some code is for all cells of a row, so that the others, which
 * nobody reads, may count up for ever. */
static uint64_t digest_rows(uint64_t digest, const struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const struct lowered_kernel *lowered = bound->lowered;
    const uint32_t chunks = bound->chunks;
    uint64_t live[GANG_CHUNKS_MAX] = {0};
    for (uint32_t i = 0; i < state->path_count; i++)
        for (int k = 0; k < GANG_CHUNKS_MAX; k++)
            live[k] |= state->paths[i].lanes[k];
    digest = digest_bytes(digest, state->rows, bound->rows_8_at);
    digest =
        digest_cells(digest, state->rows + bound->rows_8_at, lowered->rows_8, sizeof(uint64_t), chunks, live);
    digest =
        digest_cells(digest, state->rows + bound->rows_4_at, lowered->rows_4, sizeof(uint32_t), chunks, live);
    digest =
        digest_cells(digest, state->rows + bound->predicates_at, lowered->rows_predicate, 1, chunks, live);
    return digest_bytes(digest, state->rows + bound->origin_at, chunks * LANES_PER_CHUNK * sizeof(uint32_t));
}

static uint64_t digest_gang(uint64_t digest, const struct gang_state *state)
{
    digest = digest_rows(digest, state);
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *path = &state->paths[i];
        digest = mixed(digest, (uint64_t)path->pc << 32 | (uint64_t)path->depth << 16 |
                                   (uint64_t)path->state << 8 | path->barrier);
        digest = digest_bytes(digest, path->lanes, sizeof path->lanes);
    }
    if (state->gang.local_stride)
        digest = digest_bytes(digest, state->gang.local.host, state->gang.local_stride * state->gang.lanes);
    if (state->stack_ends)
        digest = digest_bytes(digest, state->stack_ends, state->gang.lanes * sizeof *state->stack_ends);
    if (state->returns)
        digest = digest_bytes(digest, state->returns, state->return_depths * sizeof *state->returns);
    return digest;
}

static uint64_t digest_blocks(const struct worker *worker)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < worker->slots.count; i++) {
        const struct block *block = worker->slots.items[i];
        if (!block->active)
            continue;
        digest = mixed(digest, block->number);
        for (unsigned id = 0; id <= BARRIER_COUNT; id++)
            digest = mixed(digest, (uint64_t)block->barriers[id].arrived << 32 | block->barriers[id].ayes);
        if (worker->launch->shared_bytes)
            digest = digest_bytes(digest, block->shared, worker->launch->shared_bytes);
        for (uint32_t g = 0; g < block->gang_count; g++)
            digest = digest_gang(digest, &block->gangs[g]);
    }
    return digest;
}

static uint64_t digest_memory(const struct launch *launch)
{
    const struct device_memory *memory = device_memory(launch->device);
    uint64_t digest = 0;
    for (size_t i = 0; i < memory->buffers.count; i++) {
        const hx_buffer *buffer = memory->buffers.items[i];
        if (buffer->access & HX_ACCESS_WRITE)
            digest = digest_bytes(digest, buffer->window.host, buffer->window.size);
    }
    return digest;
}

/* ---- Rounds -------------------------------------------------------------------------------------------- */

void stuck_goes_on(struct worker *worker)
{
    struct stuck_worker *stuck = &worker->stuck;
    if (stuck->rounds == 0)
        return;
    stuck->rounds = stuck->saved_at = 0;
    stuck->repeats = 0;
    atomic_store(&stuck->since, 0);
    atomic_fetch_add(&worker->launch->changes, 1);
}

/* Keeps the state, to compare later ones with. */
static void keep_state(struct worker *worker, uint64_t state)
{
    struct stuck_worker *stuck = &worker->stuck;
    stuck->saved_at = 2 * stuck->rounds;
    stuck->state = state;
    stuck->repeats = 0;
    atomic_store(&stuck->since, 0);
    atomic_fetch_add(&worker->launch->changes, 1);
}

/* Has the state of an earlier round come again, and again? It is kept in rounds that lie further and further
 * apart, so that a cycle of any length is found. */
static bool has_come_again(struct worker *worker)
{
    struct stuck_worker *stuck = &worker->stuck;
    const uint64_t state = digest_blocks(worker);
    stuck->rounds++;
    if (stuck->rounds > stuck->saved_at) {
        keep_state(worker, state);
        return false;
    }
    if (state != stuck->state)
        return false;
    const uint64_t memory = digest_memory(worker->launch);
    if (stuck->repeats > 0 && memory != stuck->memory)
        keep_state(worker, state);
    stuck->memory = memory;
    return ++stuck->repeats >= REPEATS;
}

static bool are_all_stuck(const struct launch *launch)
{
    const uint64_t changes = atomic_load(&launch->changes);
    const struct stuck_worker *known = NULL;
    for (uint32_t i = 0; i < launch->workers; i++) {
        const struct stuck_worker *stuck = &launch->worker_states[i].stuck;
        if (atomic_load(&stuck->is_done))
            continue;
        if (atomic_load(&stuck->since) != changes ||
            (known && atomic_load(&known->among) != atomic_load(&stuck->among)))
            return false;
        known = stuck;
    }
    return known != NULL;
}

bool stuck_round(struct worker *worker)
{
    struct launch *launch = worker->launch;
    struct stuck_worker *stuck = &worker->stuck;
    const uint64_t start = machine_now_ns();
    if (!(launch->wanted & HX_EVENT_STUCK) || device_memory(launch->device)->is_unified ||
        start < stuck->next_ns)
        return false;
    const bool again = has_come_again(worker);
    const uint64_t end = machine_now_ns();
    stuck->next_ns = end + PATIENCE * (end - start);
    if (!again)
        return false;
    atomic_store(&stuck->among, stuck->memory);
    atomic_store(&stuck->since, atomic_load(&launch->changes));
    if (!are_all_stuck(launch))
        return false;
    /* each must find it once more, now that all have: what one has said may be past */
    uint64_t found_at = atomic_load(&launch->changes), stuck_at = atomic_load(&launch->stuck_at);
    if (stuck_at != found_at && stuck_at != IS_REPORTED) {
        (void)atomic_compare_exchange_strong(&launch->stuck_at, &stuck_at,
                                             atomic_fetch_add(&launch->changes, 1) + 1);
        return false;
    }
    if (device_may_change(launch->device))
        return false;
    if (atomic_compare_exchange_strong(&launch->stuck_at, &found_at, IS_REPORTED))
        fault_no_progress(worker);
    return true;
}
