/* Compaction: a diverged gang moves the running path's lanes together.
 *
 * Takes a gang whose lanes have diverged, lets its handlers process fewer chunks. The lanes of a path with
 * few lanes lie all over the gang, and a handler processes whole chunks. First, handlers stop after the last
 * chunk in which the path has lanes. Second, once the surplus chunks have cost as much as a move, the path's
 * lanes are moved to the front and all others behind them. This is the ski-rental rule: the cost is never
 * more than twice the least possible.
 *
 * Results must not change. Stores to one place, atomics, faults and jump tables depend on the order of lanes,
 * so a running path's lanes are always in ascending order of their threads. If a move left them in any other
 * order, the gang first returns to its original order; it also does so before it waits or enters the
 * converged code. The lanes at the front and those behind them are each in order, so the set of lanes at the
 * front says where every lane is.
 *
 * A launch with a seed moves lanes as often as possible, which tests this. */
#include "exec/fast/fast.h"

#include "exec/flow/paths.h"

#include <string.h>

/* What moving rows there and back costs, in micro-ops over one chunk: so many, and for each chunk one for a
 * row of this width. */
#define COST_FIXED 16
#define COST_BYTES 2
#ifdef HX_PARANOID
#define IS_EAGER(seed) true
#else
#define IS_EAGER(seed) ((seed) != 0)
#endif

struct row_marks {
    struct bound_kernel *bound;
    uint64_t *seen; /* a bit for each 64 bytes of a gang's rows */
};

static void mark_row(struct row_marks *marks, struct op_row row)
{
    const uint32_t at = row.at / 64;
    if (row.step == 0 || (marks->seen[at / 64] >> (at % 64) & 1))
        return;
    marks->seen[at / 64] |= UINT64_C(1) << (at % 64);
    marks->bound->lane_rows[marks->bound->lane_row_count++] =
        (struct lane_row){row.at, row.step / LANES_PER_CHUNK};
}

static void mark_op(struct row_marks *marks, const struct op *op)
{
    const struct op_row rows[] = {op->d, op->e, op->a, op->b, op->c, op->f};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        mark_row(marks, rows[i]);
}

hx_status compact_bind(struct bound_kernel *bound, struct arena *arena, hx_diag *diag)
{
    const struct lowered_kernel *lowered = bound->lowered;
    const uint32_t most = lowered->rows_4 + lowered->rows_8 + lowered->rows_predicate + SPECIAL_COUNT + 1;
    struct row_marks marks = {bound, ARENA_ARRAY(arena, uint64_t, bound->rows_bytes / 4096 + 1)};
    bound->lane_rows = ARENA_ARRAY(arena, struct lane_row, most);
    if (!bound->lane_rows || !marks.seen)
        return diag_no_memory(diag);
    /* what no block fills in anew comes first: it must be back in its place when the block ends */
    mark_row(&marks, (struct op_row){bound->origin_at, LANES_PER_CHUNK * sizeof(uint32_t)});
    for (int special = 0; special < SPECIAL_COUNT; special++)
        if (lowered->specials & (1u << special))
            mark_row(&marks, bound_special(bound, special));
    bound->lane_lasting_count = bound->lane_row_count;
    for (uint32_t i = 0; i < bound->converged_at; i++)
        mark_op(&marks, &bound->ops[i]);
    return HX_OK;
}

void compact_init(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    struct compaction *compaction = &state->compaction;
    int64_t bytes = 0;
    for (uint32_t i = 0; i < bound->lane_row_count; i++)
        bytes += bound->lane_rows[i].cell_bytes;
    compaction->chunks = state->gang.chunks;
    /* warps are runs of lanes; what lanes do is reported by their place */
    compaction->is_on = state->gang.chunks > 1 && !bound->lowered->has_warp_ops &&
                        !gang_launch(state)->is_plain && gang_launch(state)->driver != DRIVER_WATCHED;
    compaction->is_eager = IS_EAGER(gang_launch(state)->options.seed);
    compaction->price = COST_FIXED + bytes * state->gang.chunks / COST_BYTES;
    compaction->patience = INT64_MAX;
    compaction->origin = (uint32_t *)(void *)(state->rows + bound->origin_at);
    for (uint32_t lane = 0; lane < state->gang.chunks * LANES_PER_CHUNK; lane++)
        compaction->origin[lane] = lane;
}

static void move_rows(struct gang_state *state, uint32_t count, bool back)
{
    const struct compaction *compaction = &state->compaction;
    state->gang.masks->move_rows(state->rows, gang_launch(state)->bound->lane_rows, count, compaction->chunks,
                                 compaction->front, back);
}

static void move_paths(struct gang_state *state, bool back)
{
    for (uint32_t i = 0; i < state->path_count; i++)
        state->gang.masks->move_lanes(state->paths[i].lanes, state->compaction.chunks,
                                      state->compaction.front, back);
}

/* All lanes to where they began. */
static void move_back(struct gang_state *state)
{
    move_rows(state, gang_launch(state)->bound->lane_row_count, true);
    move_paths(state, true);
    state->compaction.is_moved = false;
}

/* The running path's lanes to the front. */
static void move_together(struct gang_state *state)
{
    struct compaction *compaction = &state->compaction;
    if (compaction->is_moved)
        move_back(state);
    memcpy(compaction->front, state->paths[state->running].lanes, sizeof compaction->front);
    compaction->front_lanes = lanes_count(compaction->front, compaction->chunks);
    move_rows(state, gang_launch(state)->bound->lane_row_count, false);
    move_paths(state, false);
    compaction->is_moved = true;
    compaction->debt = 0;
}

/* Are the threads of `lanes` in ascending order? Those of the front are, and the others; so the last one of
 * the front is to come before the first one behind it. */
static bool are_in_order(const struct gang_state *state, const uint64_t *lanes)
{
    uint32_t last_in = UINT32_MAX, first_out = UINT32_MAX;
    for (uint32_t chunk = 0; chunk < state->compaction.chunks; chunk++) {
        const uint32_t begin = chunk * LANES_PER_CHUNK;
        const uint32_t front_lanes = state->compaction.front_lanes;
        const uint32_t within = front_lanes > begin ? front_lanes - begin : 0;
        const uint64_t front = within < LANES_PER_CHUNK ? (UINT64_C(1) << within) - 1 : UINT64_MAX;
        if (lanes[chunk] & front)
            last_in = begin + 63 - (uint32_t)__builtin_clzll(lanes[chunk] & front);
        if ((lanes[chunk] & ~front) && first_out == UINT32_MAX)
            first_out = begin + (uint32_t)__builtin_ctzll(lanes[chunk] & ~front);
    }
    return last_in == UINT32_MAX || first_out == UINT32_MAX ||
           gang_origin(state, last_in) < gang_origin(state, first_out);
}

/* The handlers see the chunks up to the path's last one. */
static void narrow(struct gang_state *state)
{
    const uint64_t *lanes = state->paths[state->running].lanes;
    uint32_t chunks = state->compaction.chunks;
    while (chunks > 1 && lanes[chunks - 1] == 0)
        state->guard_bits[--chunks] = 0; /* nobody writes there meanwhile */
    state->gang.chunks = chunks;
}

static void spread_mask(struct gang_state *state)
{
    struct path *path = &state->paths[state->running];
    /* mostly all lanes run, block after block */
    const bool is_whole = memcmp(path->lanes, state->exists, sizeof state->exists) == 0;
    state->running_active =
        is_whole && state->spread_whole
            ? state->gang.lanes
            : state->gang.masks->spread_lanes(path->lanes, state->gang.chunks, state->path_bytes);
    state->active = state->base_active = state->running_active;
    state->gang.mask_bits = state->base_bits = path->lanes;
    state->gang.mask_bytes = state->base_bytes = state->path_bytes;
    state->gang.is_whole = state->spread_whole = is_whole;
}

/* The turn that ends has cost what it has cost. */
static void settle(struct compaction *compaction)
{
    if (compaction->too_many)
        compaction->debt += compaction->too_many * (compaction->given - compaction->patience);
    compaction->too_many = 0;
    compaction->patience = INT64_MAX;
}

/* How far back the path may jump until moving is no dearer than what its chunks have cost. */
static void wait_for_cost(struct gang_state *state, uint32_t too_many)
{
    struct compaction *compaction = &state->compaction;
    compaction->too_many = too_many;
    compaction->given = (compaction->price - compaction->debt) / too_many + 1;
    compaction->patience = compaction->given;
}

void compact_run(struct gang_state *state)
{
    struct compaction *compaction = &state->compaction;
    if (!compaction->is_on) {
        spread_mask(state);
        return;
    }
    settle(compaction);
    if (compaction->is_moved && !are_in_order(state, state->paths[state->running].lanes))
        move_back(state);
    narrow(state);
    spread_mask(state);
    if (state->gang.is_whole)
        return;
    const uint32_t too_many =
        state->gang.chunks - (state->running_active + LANES_PER_CHUNK - 1) / LANES_PER_CHUNK;
    const bool asked = compaction->is_eager && (state->turn & 1);
    if (asked || (too_many && compaction->debt >= compaction->price))
        compact_now(state);
    else if (compaction->is_eager)
        compaction->patience = 1;
    else if (too_many)
        wait_for_cost(state, too_many);
}

void compact_now(struct gang_state *state)
{
    settle(&state->compaction);
    move_together(state);
    narrow(state);
    spread_mask(state);
}

void compact_put_back(struct gang_state *state)
{
    struct compaction *compaction = &state->compaction;
    if (state->path_count > 0) {
        move_back(state);
    } else {
        move_rows(state, gang_launch(state)->bound->lane_lasting_count, true);
        compaction->is_moved = false;
    }
}
