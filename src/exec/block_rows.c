/* Rows of a block's gangs that hold special registers and what is the same in all threads.
 *
 * Takes a block and its place in the grid, leaves its rows: those that are the same for all blocks are filled
 * in once, the others when a block begins. */
#include "exec/block.h"

#include <string.h>

static uint64_t uniform_special(const struct block *block, enum special_register special)
{
    const struct launch *launch = block->worker->launch;
    const hx_launch_options *options = &launch->options;
    uint64_t shared = launch->shared_bytes;
    switch (special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return options->block[special - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return block->ctaid[special - SPECIAL_CTAID_X];
    case SPECIAL_GTID: /* of the first thread */
        return block->number * launch->threads_per_block;
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return options->grid[special - SPECIAL_NCTAID_X];
    case SPECIAL_NWARPID:
        return (launch->threads_per_block + options->warp_size - 1) / options->warp_size;
    case SPECIAL_SMID:
        return block->worker->number;
    case SPECIAL_NSMID:
        return launch->workers;
    case SPECIAL_GRIDID:
        return options->launch_id;
    case SPECIAL_WARPSIZE:
        return options->warp_size;
    case SPECIAL_DYNAMIC_SMEM_SIZE:
        return options->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM_SIZE:
        return shared;
    default:
        return 0;
    }
}

static uint64_t lane_special(const struct block *block, enum special_register special, uint32_t number)
{
    const hx_launch_options *options = &block->worker->launch->options;
    const uint32_t threads = (uint32_t)block->worker->launch->threads_per_block, thread = number % threads;
    uint32_t lane = thread % options->warp_size;
    uint64_t own = UINT64_C(1) << lane;
    switch (special) {
    case SPECIAL_CTAID_X:
        return block->ctaid[0] + number / threads;
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z:
        return gang_thread_index(block->worker->launch, (int)(special - SPECIAL_TID_X), thread);
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return thread / options->warp_size;
    case SPECIAL_GTID:
        return block->number * threads + number;
    case SPECIAL_LANEMASK_EQ:
        return own;
    case SPECIAL_LANEMASK_LT:
        return own - 1;
    case SPECIAL_LANEMASK_LE:
        return own | (own - 1);
    case SPECIAL_LANEMASK_GT:
        return ~(own | (own - 1));
    case SPECIAL_LANEMASK_GE:
        return ~(own - 1);
    default:
        return uniform_special(block, special);
    }
}

uint64_t block_special(const struct block *block, enum special_register special, uint32_t thread)
{
    const uint64_t value = lane_special(block, special, thread);
    return type_bits(special_type(special)) == 64 ? value : (uint32_t)value;
}

uint64_t block_uniform_value(const struct block *block, const struct uniform *uniform)
{
    const struct launch *launch = block->worker->launch;
    const struct kernel *kernel = launch->bound->lowered->kernel;
    switch ((enum uniform_kind)uniform->kind) {
    case UNIFORM_IMMEDIATE:
        return uniform->bits;
    case UNIFORM_PARAMETER:
        return launch->parameters[uniform->symbol] + uniform->bits;
    case UNIFORM_ARRAY: {
        const struct array_list *list = uniform->space == SPACE_SHARED     ? &kernel->shared
                                        : uniform->space == SPACE_CONSTANT ? &launch->program->constants
                                                                           : &kernel->local;
        return list->items[uniform->symbol].offset + uniform->bits;
    }
    case UNIFORM_SPECIAL:
        return uniform_special(block, uniform->symbol);
    }
    return 0;
}

/* A row of %tid, counted on from the first thread's: divisions for each thread take longer than a small
 * launch. */
static void fill_thread_index(const struct block *block, const struct gang_state *state, int axis,
                              uint32_t *row)
{
    const struct launch *launch = block->worker->launch;
    const uint32_t *sizes = launch->options.block, threads = (uint32_t)launch->threads_per_block;
    uint32_t at[3], thread = state->first_thread % threads;
    for (int i = 0; i < 3; i++)
        at[i] = gang_thread_index(launch, i, thread);
    for (uint32_t lane = 0; lane < state->gang.lanes; lane++) {
        row[lane] = at[axis];
        for (int i = 0; i < 3 && ++at[i] == sizes[i]; i++)
            at[i] = 0;
    }
}

/* Rows that are the same for all blocks. */
void block_fill_rows(struct block *block, struct gang_state *state)
{
    const struct bound_kernel *bound = block->worker->launch->bound;
    const struct lowered_kernel *lowered = bound->lowered;
    for (uint32_t i = 0; i < lowered->uniform_count; i++)
        state->gang.masks->fill_row(state->rows + bound->uniform_at[i], lowered->uniforms[i].width,
                                    block_uniform_value(block, &lowered->uniforms[i]));
    for (int special = 0; special < SPECIAL_COUNT; special++) {
        if (!(lowered->specials & (1u << special)))
            continue;
        const unsigned bytes = type_bits(special_type(special)) == 64 ? 8 : 4;
        if (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z) {
            uint32_t *const row = (uint32_t *)(void *)(state->rows + bound->special_at[special]);
            fill_thread_index(block, state, special - SPECIAL_TID_X, row);
            continue;
        }
        for (uint32_t lane = 0; lane < state->gang.lanes; lane++) {
            const uint64_t value = lane_special(block, special, state->first_thread + lane);
            const uint32_t narrow = (uint32_t)value;
            memcpy(state->rows + bound->special_at[special] + (size_t)lane * bytes,
                   bytes == 8 ? (const void *)&value : (const void *)&narrow, bytes);
        }
    }
}

/* Compared for each block: a copy of as many bytes as a cell has would take longer than all the rest. */
static bool holds(const char *row, uint32_t cell_bytes, uint64_t value)
{
    uint64_t wide;
    uint32_t narrow;
    if (cell_bytes == sizeof wide)
        return memcpy(&wide, row, sizeof wide), wide == value;
    return memcpy(&narrow, row, sizeof narrow), narrow == (uint32_t)value;
}

/* Rows of numbers that differ between blocks. */
static void renew_uniforms(struct block *block, struct gang_state *state)
{
    const struct bound_kernel *bound = block->worker->launch->bound;
    const bool has_first_cells = block->worker->launch->tier != NULL;
    for (uint32_t i = 0; i < bound->place_count; i++) {
        const struct uniform *uniform = &bound->lowered->uniforms[bound->places[i]];
        char *const row = state->rows + bound->uniform_at[bound->places[i]];
        const uint64_t value = uniform_special(block, uniform->symbol);
        if (has_first_cells || !holds(row, uniform->width, value))
            state->gang.masks->fill_row(row, uniform->width, value);
    }
    state->renewed = block->starts;
}

/* All that compiled code reads of them: first cells in the first gang. */
static void renew_first_cells(struct block *block)
{
    const struct bound_kernel *bound = block->worker->launch->bound;
    for (uint32_t i = 0; i < bound->place_count; i++) {
        const struct uniform *uniform = &bound->lowered->uniforms[bound->places[i]];
        const uint64_t value = uniform_special(block, uniform->symbol);
        const uint32_t narrow = (uint32_t)value;
        char *const row = block->gangs[0].rows + bound->uniform_at[bound->places[i]];
        if (uniform->width == sizeof value)
            memcpy(row, &value, sizeof value);
        else
            memcpy(row, &narrow, sizeof narrow);
    }
}

void block_renew(struct gang_state *state)
{
    if (state->renewed != state->block->starts)
        renew_uniforms(state->block, state);
}

/* Rows that differ between blocks and threads. */
static void renew_specials(struct block *block, struct gang_state *state)
{
    const struct bound_kernel *bound = block->worker->launch->bound;
    const struct lowered_kernel *lowered = bound->lowered;
    const uint32_t threads = (uint32_t)block->worker->launch->threads_per_block;
    if (lowered->specials & (1u << SPECIAL_GTID)) {
        uint64_t *const row = (uint64_t *)(void *)(state->rows + bound->special_at[SPECIAL_GTID]);
        const uint64_t first = block->number * threads + state->first_thread;
        for (uint32_t lane = 0; lane < state->gang.chunks * LANES_PER_CHUNK; lane++)
            row[lane] = first + lane;
    }
    if (lowered->specials & (1u << SPECIAL_CTAID_X)) {
        uint32_t *row = (uint32_t *)(void *)(state->rows + bound->special_at[SPECIAL_CTAID_X]);
        for (uint32_t i = 0; i < block->blocks; i++)
            for (uint32_t lane = 0; lane < threads; lane++)
                *row++ = block->ctaid[0] + i;
    }
}

void block_renew_rows(struct block *block)
{
    const struct launch *launch = block->worker->launch;
    const uint32_t changing = 1u << SPECIAL_GTID | 1u << SPECIAL_CTAID_X;
    const bool has_specials = launch->bound->lowered->specials & changing;
    if (launch->tier)
        renew_first_cells(block);
    for (uint32_t i = 0; i < block->gang_count && !launch->tier; i++)
        renew_uniforms(block, &block->gangs[i]);
    for (uint32_t i = 0; i < block->gang_count && has_specials; i++)
        renew_specials(block, &block->gangs[i]);
}
