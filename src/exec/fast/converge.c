/* Moves a gang between general and converged code.
 *
 * The converged code keeps a value that is equal in all lanes once. Takes a gang that has just diverged or
 * reconverged, leaves it in the code that fits. A gang that diverges gets each such value in all its lanes. A
 * gang that reconverges goes back only if the values are equal in all lanes: lanes that reconverge in
 * different iterations of a loop have different counters. A gang that often diverges within a block ends up
 * in the general code, because moving would cost more than the converged code saves. */
#include "exec/fast/fast.h"

#include "exec/block.h"
#include "exec/flow/flow.h"

#include <string.h>

#define ENTRIES_PER_BLOCK 16

/* ---- Affine parts
 * ------------------------------------------------------------------------------------------ */

static uint32_t place_of(const struct launch *launch, enum lane_basis basis, uint32_t number)
{
    const uint32_t threads = (uint32_t)launch->threads_per_block, thread = number % threads;
    switch (basis) {
    case LANE_TID_X:
    case LANE_TID_Y:
    case LANE_TID_Z:
        return gang_thread_index(launch, (int)(basis - LANE_TID_X), thread);
    case LANE_THREAD:
        return number;
    case LANE_BLOCK:
        return number / threads;
    }
    return 0;
}

static uint32_t sum_at(const struct gang_state *state, const struct lane_sum *sum, uint32_t number)
{
    const struct launch *launch = gang_launch(state);
    uint32_t value = 0;
    for (uint8_t i = 0; i < sum->count; i++) {
        const struct lane_term *term = &sum->terms[i];
        const struct uniform *factors = launch->bound->lowered->factors;
        const uint32_t factor =
            term->factor ? (uint32_t)block_uniform_value(state->block, &factors[term->factor - 1]) : 1;
        value += term->by * factor * place_of(launch, (enum lane_basis)term->basis, number);
    }
    return value;
}

static enum lane_layout kind_of(const int32_t *steps, uint32_t lanes)
{
    bool in_run = true, groups_in_run = lanes % LAYOUT_GROUP == 0, groups_at_one = groups_in_run;
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t in_group = l % LAYOUT_GROUP;
        const uint32_t first = (uint32_t)steps[l - in_group], step = (uint32_t)steps[l];
        in_run &= step == (uint32_t)steps[0] + l;
        groups_in_run &= step == first + in_group;
        groups_at_one &= step == first;
    }
    return in_run          ? LAYOUT_LANES_IN_RUN
           : groups_in_run ? LAYOUT_GROUPS_IN_RUN
           : groups_at_one ? LAYOUT_GROUPS_AT_ONE
                           : LAYOUT_ANY_LANES;
}

static void find_groups(const int32_t *steps, uint32_t chunks, struct affine_part *affine_part)
{
    affine_part->is_repeated = true;
    for (uint32_t g = 0; g < chunks * CHUNK_GROUPS; g++) {
        affine_part->groups[g] = steps[g * LAYOUT_GROUP];
        affine_part->is_repeated &= affine_part->groups[g] == affine_part->groups[g - g % CHUNK_GROUPS];
    }
}

void converge_set_affine(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const uint32_t lanes = state->gang.lanes;
    const bool has_converged = bound->converged_at < bound->op_count; /* nobody else uses them */
    for (uint32_t p = 0; p < bound->lowered->affine_count && has_converged; p++) {
        int32_t *steps = (int32_t *)(void *)(state->rows + bound->affine_at[p]);
        struct affine_part affine_part = {.low = INT32_MAX, .high = INT32_MIN};
        for (uint32_t l = 0; l < state->gang.chunks * LANES_PER_CHUNK; l++) {
            /* lanes that do not exist load what the first one does */
            steps[l] = (int32_t)sum_at(state, &bound->lowered->affine_parts[p],
                                       state->first_thread + (l < lanes ? l : 0));
            affine_part.low = steps[l] < affine_part.low ? steps[l] : affine_part.low;
            affine_part.high = steps[l] > affine_part.high ? steps[l] : affine_part.high;
        }
        affine_part.kind = (uint8_t)kind_of(steps, lanes);
        find_groups(steps, state->gang.chunks, &affine_part);
        state->gang.affine_parts[p] = affine_part;
    }
}

bool converge_init(struct gang_state *state)
{
    const struct launch *launch = gang_launch(state);
    state->gang.affine_parts =
        ARENA_ARRAY(&state->block->memory, struct affine_part, launch->bound->lowered->affine_count + 1u);
    if (state->gang.affine_parts)
        converge_set_affine(state);
    return state->gang.affine_parts != NULL;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static const int32_t *steps_of(const struct gang_state *state, const struct bound_transfer *transfer)
{
    return transfer->affine_at ? (const int32_t *)(const void *)(state->rows + transfer->affine_at) : NULL;
}

static uint64_t first_cell(const char *row, uint8_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, row, bytes);
    return bits;
}

/* cells[lane] = same + steps[lane] for the lanes of a chunk; all of them at once where none is left out. */
#define FILL_CELLS(type, cells, same, steps, lanes)                                                          \
    do {                                                                                                     \
        type *const cells_ = (type *)(void *)(cells);                                                        \
        if ((lanes) == UINT64_MAX)                                                                           \
            for (uint32_t l = 0; l < LANES_PER_CHUNK; l++)                                                   \
                cells_[l] = (type)((same) + ((steps) ? (type)(steps)[l] : 0));                               \
        else                                                                                                 \
            for (uint64_t left = (lanes); left; left &= left - 1) {                                          \
                const uint32_t l = (uint32_t)__builtin_ctzll(left);                                          \
                cells_[l] = (type)((same) + ((steps) ? (type)(steps)[l] : 0));                               \
            }                                                                                                \
    } while (0)

static void fill_chunk(char *cells, uint8_t bytes, uint64_t same, const int32_t *steps, uint64_t lanes)
{
    if (bytes == 1)
        FILL_CELLS(uint8_t, cells, same, (const int32_t *)NULL, lanes);
    else if (bytes == 8 && steps)
        FILL_CELLS(uint64_t, cells, same, steps, lanes);
    else if (bytes == 8)
        FILL_CELLS(uint64_t, cells, same, (const int32_t *)NULL, lanes);
    else if (steps)
        FILL_CELLS(uint32_t, cells, same, steps, lanes);
    else
        FILL_CELLS(uint32_t, cells, same, (const int32_t *)NULL, lanes);
}

/* The values that instruction `at` finds kept once, into the cells of `lanes`. */
static void spread_values(struct gang_state *state, uint32_t at, const uint64_t *lanes)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const struct bound_transfer *transfer = bound->transfers + (bound->lowered->transfer_at[at] - 1);
    for (; transfer->cell_bytes != 0; transfer++) {
        const int32_t *const steps = steps_of(state, transfer);
        const uint64_t same = first_cell(state->rows + transfer->same_at, transfer->cell_bytes);
        if (transfer->back_only)
            continue;
        for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++)
            if (lanes[chunk])
                fill_chunk(state->rows + transfer->vector_at +
                               (size_t)chunk * LANES_PER_CHUNK * transfer->cell_bytes,
                           transfer->cell_bytes, same, steps ? steps + chunk * LANES_PER_CHUNK : NULL,
                           lanes[chunk]);
    }
}

/* Is cells[lane] - steps[lane] the same in all lanes? */
#define ARE_IN_STEP(type, cells, steps, lanes)                                                               \
    ({                                                                                                       \
        const type *const cells_ = (const type *)(const void *)(cells);                                      \
        const type same_ = cells_[0] - (type)(steps)[0];                                                     \
        type others_ = 0;                                                                                    \
        for (uint32_t lane = 1; lane < (lanes); lane++)                                                      \
            others_ |= (cells_[lane] - (type)(steps)[lane]) ^ same_;                                         \
        others_ == 0;                                                                                        \
    })

/* Is the value, less the affine_part, the same in all lanes? */
static bool is_same(const struct gang_state *state, const struct bound_transfer *transfer)
{
    const char *const vector = state->rows + transfer->vector_at;
    const int32_t *const steps = steps_of(state, transfer);
    const uint32_t lanes = state->gang.lanes;
    if (!steps) /* each cell is like the one before it */
        return memcmp(vector, vector + transfer->cell_bytes, (size_t)(lanes - 1) * transfer->cell_bytes) == 0;
    return transfer->cell_bytes == 8 ? ARE_IN_STEP(uint64_t, vector, steps, lanes)
                                     : ARE_IN_STEP(uint32_t, vector, steps, lanes);
}

static void gather_value(struct gang_state *state, const struct bound_transfer *transfer)
{
    const int32_t *const steps = steps_of(state, transfer);
    const uint64_t first = first_cell(state->rows + transfer->vector_at, transfer->cell_bytes);
    fill_chunk(state->rows + transfer->same_at, transfer->cell_bytes,
               first - (uint64_t)(int64_t)(steps ? steps[0] : 0), NULL, UINT64_MAX);
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* Which instruction finds a path's values: the one that comes next, or the one that lanes of a warp wait in,
 * before they read anything. */
static uint32_t instruction_at(const struct bound_kernel *bound, uint32_t pc)
{
    const struct op *op = &bound->ops[pc];
    const int semantic = bound_micro_op(bound, pc)->semantic;
    const bool is_before =
        (op->flags & MICRO_FIRST) || semantic == MICRO_WARP_WAIT || semantic == SEM_warp_sync;
    return is_before ? op->instruction : op->instruction + 1;
}

/* Lanes that wait in a reduction or scan have not given it their values yet, so these are spread even if no
 * later instruction reads them. */
static void spread_awaited(struct gang_state *state, const struct path *path)
{
    if (path->state == PATH_AT_BARRIER && path->barrier == BARRIER_COLLECTIVE)
        spread_values(state, gang_launch(state)->bound->ops[path->pc - 1].instruction, path->lanes);
}

static bool is_end(const struct bound_kernel *bound, uint32_t pc)
{
    return bound_micro_op(bound, pc)->semantic == MICRO_END;
}

static uint32_t primary_of(const struct bound_kernel *bound, uint32_t pc)
{
    while (!(bound->ops[pc].flags & MICRO_PRIMARY))
        pc++;
    return pc;
}

/* The place in the general code that a place in the converged one means. From where lanes wait up to the end
 * of the instruction both codes are the same. */
static uint32_t general_place(const struct bound_kernel *bound, uint32_t pc)
{
    const struct lowered_kernel *lowered = bound->lowered;
    const uint32_t instruction = bound->ops[pc].instruction;
    if (is_end(bound, pc))
        return lowered->general.op_count - 1;
    if (bound->ops[pc].flags & MICRO_FIRST)
        return lowered->general.first_op[instruction];
    const uint32_t here = primary_of(bound, bound->converged_at + lowered->converged.first_op[instruction]);
    return primary_of(bound, lowered->general.first_op[instruction]) + (pc - here);
}

void converge_start(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    state->entries_left = ENTRIES_PER_BLOCK;
    state->is_converged = bound->converged_at < bound->op_count;
    if (state->is_converged)
        state->paths[0].pc = bound->converged_at;
}

void converge_part(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    if (state->path_count == 0 ||
        (state->path_count == 1 && memcmp(state->paths[0].lanes, state->exists, sizeof state->exists) == 0))
        return;
    state->is_converged = false;
    for (uint32_t i = 0; i < state->path_count; i++) {
        struct path *path = &state->paths[i];
        const uint32_t at = instruction_at(bound, path->pc);
        spread_awaited(state, path);
        if (!is_end(bound, path->pc) && at < bound->lowered->kernel->code_count)
            spread_values(state, at, path->lanes);
        path->pc = general_place(bound, path->pc);
    }
}

bool converge_enter(struct gang_state *state)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    struct path *path = &state->paths[state->running];
    if (state->is_converged || bound->converged_at == bound->op_count || state->entries_left == 0)
        return false;
    const struct op *op = &bound->ops[path->pc];
    if (!(op->flags & MICRO_FIRST) || is_end(bound, path->pc) ||
        !bound->lowered->transfer_at[op->instruction])
        return false;
    const struct bound_transfer *first =
        bound->transfers + (bound->lowered->transfer_at[op->instruction] - 1);
    for (const struct bound_transfer *transfer = first; transfer->cell_bytes != 0; transfer++)
        if (!is_same(state, transfer))
            return false;
    for (const struct bound_transfer *transfer = first; transfer->cell_bytes != 0; transfer++)
        gather_value(state, transfer);
    path->pc = bound->converged_at + bound->lowered->converged.first_op[op->instruction];
    state->is_converged = true;
    state->entries_left--;
    return true;
}
