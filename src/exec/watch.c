/* Looking at warps.
 *
 * Takes a micro-op that is about to run, leaves it as it is, and adds to its instruction's counts. A launch
 * that looks at warps runs gangs of one warp each: then an issue to a gang is what a GPU would issue,
 * whatever width of gangs was asked for and whichever of the two codes runs, and all lanes are in one chunk.
 *
 * Lanes *stand* at an instruction when they are in the mask in force without its guard (of the running path,
 * or of a side of a branch). Addresses are computed here once more, from the same rows and apart from the
 * handlers, so that looking at memory costs nothing where nobody looks. */
#include "exec/watch.h"

#include "exec/access.h"
#include "exec/flow.h"

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
        state->gang.masks->restrict_lanes((const uint8_t *)state->rows + op->c.at, op->c.step,
                                          (op->flags & MICRO_GUARD_NEGATED) != 0, 1, state->base_bits,
                                          &lanes);
    }
    for (uint64_t left = lanes; left && semantic == SEM_loop; left &= left - 1)
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

static uint64_t address_of(const struct op *op, const char *rows, uint32_t lane)
{
    const uint64_t base = cell_8(rows, op->a, lane) + (uint64_t)op->immediate;
    uint32_t index;
    if (op->pattern) /* the part that all lanes have, and what the pattern adds; row c may be out of date */
        index = cell_4(rows, op->f, lane) + cell_4(rows, op->e, lane);
    else if (op->source_type != HX_TYPE_NONE)
        index = cell_4(rows, op->c, lane);
    else
        return base;
    const uint64_t wide = op->source_type == HX_TYPE_I32 ? (uint64_t)(int64_t)(int32_t)index : index;
    return base + (wide << op->scale_log2);
}

static void add_cost(const struct access_cost *cost, struct warp_count *count)
{
    count->sectors += cost->sectors;
    count->lines += cost->lines;
    count->sectors_least += cost->sectors_least;
    count->wavefronts += cost->wavefronts;
    count->wavefronts_least += cost->wavefronts_least;
}

/* A generic access may go to several spaces: it is one request, and one access of each space. */
static void watch_access(const struct gang_state *state, const struct op *op, uint64_t lanes,
                         struct warp_count *count)
{
    const struct launch *launch = gang_launch(state);
    const enum semantic_shape shape = launch->bound->lowered->kernel->code[op->instruction].opcode->shape;
    uint64_t addresses[LANES_PER_CHUNK] = {0}, of_space[SPACE_COUNT] = {0};
    struct warp_access access = {.instruction = op->instruction,
                                 .lane_bytes = launch->access_bytes[op->instruction],
                                 .block = state->block->number,
                                 .first_thread = state->first_thread,
                                 .is_store = shape != SHAPE_LOAD,
                                 .is_load = shape != SHAPE_STORE,
                                 .addresses = addresses};
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        addresses[lane] = address_of(op, state->rows, lane);
        of_space[op->space == SPACE_GENERIC ? access_resolve(&addresses[lane]) : op->space] |= left & -left;
    }
    count->requests++;
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (!of_space[space])
            continue;
        access.space = (uint8_t)space;
        access.lanes = of_space[space];
        if (launch->watches & WATCH_MEMORY) {
            const struct access_cost cost = access_cost(&access, launch->options.warp_size);
            add_cost(&cost, count);
        }
        if (launch->watches & WATCH_ACCESSES)
            launch->observer->access(launch->observer->user, state->block->worker->number, &access);
    }
}

/* -------------------------------------------------------------------------------------------------------- */

void watch_issue(struct gang_state *state, const struct op *op)
{
    struct warp_count *count = &state->block->worker->warps[op->instruction];
    const int semantic = lowered_op(state, op)->semantic;
    const bool by_table = semantic == SEM_jump_table || semantic == SEM_call_table;
    const uint64_t standing = state->base_bits[0], doing = doing_lanes(state, op, semantic);
    count->warps++;
    count->standing += bits_count(standing);
    count->none += doing == 0;
    count->partial += doing != 0 && (doing != standing || (by_table && indices_differ(state, op, doing)));
    if (doing && gang_launch(state)->access_bytes[op->instruction])
        watch_access(state, op, doing, count);
}
