/* What compiled code counts.
 *
 * Takes counts of blocks, leaves counts of instructions; that an instruction was not reached after all is
 * taken off here. */
#include "base/bits.h"
#include "exec/tier/run.h"

/* Each instruction of `block` from micro-op `from` on: `issues` more issues, and where it has no guard
 * `lanes` more lanes. */
static void count_instructions(const struct worker *worker, uint32_t block, uint32_t from, uint64_t issues,
                               uint64_t lanes)
{
    const struct tier_kernel *kernel = worker->launch->tier;
    const struct op *ops = worker->launch->bound->ops;
    for (uint32_t i = from; i < kernel->blocks[block].end; i++) {
        if (!(ops[i].flags & MICRO_PRIMARY))
            continue;
        hx_issue_counts *count = &worker->counts[ops[i].instruction];
        count->issues += issues;
        if (kernel->slot_at[i] == TIER_NONE)
            count->lanes += lanes;
    }
}

void tier_add_counts(struct worker *worker)
{
    const struct tier_kernel *kernel = worker->launch->tier;
    const struct bound_kernel *bound = worker->launch->bound;
    if (!kernel)
        return;
    const uint64_t *counts = worker->tier_frames[0].counts;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        count_instructions(worker, b, kernel->blocks[b].op, counts[2 * b], counts[2 * b + 1]);
    for (uint32_t i = 0; i < bound->op_count; i++)
        if (kernel->slot_at[i] != TIER_NONE)
            worker->counts[bound->ops[i].instruction].lanes +=
                counts[2 * kernel->block_count + kernel->slot_at[i]];
}

uint32_t tier_block_of(const struct tier_kernel *kernel, uint32_t op)
{
    uint32_t low = 0, high = kernel->block_count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (kernel->blocks[middle].op <= op)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tier_uncount_step(const struct worker *worker, const struct tier_frame *frame)
{
    const uint32_t block = tier_block_of(worker->launch->tier, frame->step_op);
    count_instructions(worker, block, frame->step_op, UINT64_MAX, -(uint64_t)bits_count(frame->step_lanes));
}
