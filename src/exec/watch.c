/* Looking at warps.
 *
 * Takes a micro-op that is about to run, leaves it as it is, and adds to its instruction's counts. A launch
 * that looks at warps runs gangs of one warp each: then an issue to a gang is what a GPU would issue,
 * whatever width of gangs was asked for and whichever of the two codes runs, and all lanes are in one chunk.
 *
 * Lanes *stand* at an instruction when they are in the mask in force without its guard (of the running path,
 * or of a arm of a branch). Addresses are computed here once more, from the same rows, so that
 * memory accesses cost nothing more where nobody counts them. */
#include "exec/watch.h"

#include "exec/access.h"
#include "exec/flow/flow.h"
#include "exec/handlers/addresses.h"

#include <string.h>

/* ---- Which lanes do it --------------------------------------------------------------------------------- */

/* All lanes are in a row's first chunk, of which a row of one value has 64 equal cells. */
static uint32_t cell_4(const char *rows, struct op_row row, uint32_t lane)
{
    uint32_t value;
    memcpy(&value, rows + row.at + lane * sizeof value, sizeof value);
    return value;
}

static uint64_t cell_8(const char *rows, struct op_row row, uint32_t lane)
{
    uint64_t value;
    memcpy(&value, rows + row.at + lane * sizeof value, sizeof value);
    return value;
}

/* Does the loop instruction jump: is its counter above one? */
static bool loops(const struct op *op, const char *rows, uint32_t lane)
{
    if (op->type == HX_TYPE_I64)
        return (int64_t)cell_8(rows, op->d, lane) > 1;
    if (type_bits(op->type) == 64)
        return cell_8(rows, op->d, lane) > 1;
    const uint32_t counter = cell_4(rows, op->d, lane);
    return op->type == HX_TYPE_U32 ? counter > 1 : (int32_t)counter > 1;
}

/* Of those that stand there, the lanes whose guard lets them. */
static uint64_t doing_lanes(const struct gang_state *state, const struct op *op, int semantic)
{
    uint64_t lanes = state->gang.mask_bits[0];
    if (op->flags & MICRO_GUARDED) {
        lanes = 0;
        guard_lanes(op, state, state->rows, (op->flags & MICRO_GUARD_NEGATED) != 0, state->base_bits, &lanes);
    }
    if (semantic != SEM_loop)
        return lanes;
    if (op->d.step == 0) /* one counter for all */
        return loops(op, state->rows, 0) ? lanes : 0;
    for (uint64_t left = lanes; left; left &= left - 1)
        if (!loops(op, state->rows, (uint32_t)__builtin_ctzll(left)))
            lanes &= ~(left & -left);
    return lanes;
}

/* Do the lanes go to different branches of a table? */
static bool indices_differ(const struct gang_state *state, const struct op *op, uint64_t lanes)
{
    const uint32_t first = lanes ? cell_4(state->rows, op->a, (uint32_t)__builtin_ctzll(lanes)) : 0;
    uint32_t others = 0;
    for (; lanes; lanes &= lanes - 1)
        others |= cell_4(state->rows, op->a, (uint32_t)__builtin_ctzll(lanes)) ^ first;
    return others != 0;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static void add_cost(const struct access_cost *cost, struct warp_count *count)
{
    count->sectors += cost->sectors;
    count->lines += cost->lines;
    count->sectors_least += cost->sectors_least;
    count->wavefronts += cost->wavefronts;
    count->wavefronts_least += cost->wavefronts_least;
}

static void watch_space(const struct gang_state *state, const struct warp_access *access,
                        struct warp_count *count)
{
    const struct launch *launch = gang_launch(state);
    if (launch->watches & WATCH_MEMORY) {
        const struct access_cost cost = access_cost(access, launch->options.warp_size);
        add_cost(&cost, count);
    }
    if (launch->watches & WATCH_ACCESSES)
        launch->observer->access(launch->observer->user, state->block->worker->number, access);
}

/* A generic access may go to several spaces: it is one request, and one access of each space. */
static void watch_generic(const struct gang_state *state, struct warp_access *access, uint64_t *addresses,
                          struct warp_count *count)
{
    uint64_t of_space[SPACE_COUNT] = {0};
    for (uint64_t left = access->lanes; left; left &= left - 1)
        of_space[window_resolve(&addresses[__builtin_ctzll(left)])] |= left & -left;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (of_space[space]) {
            access->space = (uint8_t)space;
            access->lanes = of_space[space];
            watch_space(state, access, count);
        }
}

static void watch_access(const struct gang_state *state, const struct op *op, enum semantic_shape shape,
                         uint64_t lanes, struct warp_count *count)
{
    uint64_t addresses[LANES_PER_CHUNK];
    struct warp_access access = {.instruction = op->instruction,
                                 .lane_bytes = gang_launch(state)->access_bytes[op->instruction],
                                 .block = state->block->number,
                                 .first_thread = state->first_thread,
                                 .space = op->space,
                                 .is_store = shape != SHAPE_LOAD,
                                 .is_load = shape != SHAPE_STORE,
                                 .lanes = lanes,
                                 .addresses = addresses};
    lane_addresses(op, state->rows, 0, state->gang.lanes, addresses);
    for (uint32_t l = state->gang.lanes; l < LANES_PER_CHUNK; l++)
        addresses[l] = 0;
    count->requests++;
    if (op->space == SPACE_GENERIC)
        watch_generic(state, &access, addresses, count);
    else
        watch_space(state, &access, count);
}

/* -------------------------------------------------------------------------------------------------------- */

void watch_issue(struct gang_state *state, const struct op *op)
{
    const struct launch *launch = gang_launch(state);
    struct warp_count *count = &state->block->worker->warps[op->instruction];
    const enum semantic_shape shape = launch->bound->lowered->kernel->code[op->instruction].opcode->shape;
    const int semantic = shape == SHAPE_FLOW ? lowered_op(state, op)->semantic : SEMANTIC_NONE;
    const bool by_table = semantic == SEM_jump_table || semantic == SEM_call_table;
    const uint64_t standing = state->base_bits[0], doing = doing_lanes(state, op, semantic);
    count->warps++;
    count->standing += bits_count(standing);
    count->none += doing == 0;
    count->partial += doing != 0 && (doing != standing || (by_table && indices_differ(state, op, doing)));
    if (doing && shape_is_memory(shape) && (launch->watches & (WATCH_MEMORY | WATCH_ACCESSES)))
        watch_access(state, op, shape, doing, count);
}
