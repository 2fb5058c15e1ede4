/* Chains: micro-ops that one handler runs together.
 *
 * Takes a bound kernel in which each micro-op has its own handler, gives the head of each chain a handler
 * that runs the whole chain: loads and their multiply-adds (fused.c). */
#include "exec/driver.h"
#include "exec/fast/fast.h"

/* How far the loads of other links lie from the first one's. */
static void find_apart(const struct micro_op *load, uint32_t links, uint32_t link_ops, struct op *op)
{
    for (uint32_t k = 1; k < links; k++) {
        const int32_t by = (int32_t)(load[(size_t)k * link_ops].immediate - load->immediate);
        op->apart_low = by < op->apart_low ? by : op->apart_low;
        op->apart_high = by > op->apart_high ? by : op->apart_high;
    }
}

/* A head of a chain does all of it, as long as nothing is unusual; the others are bound when it is. */
static void bind_fused(const struct bound_kernel *bound, const struct handler_set *handlers, uint32_t index)
{
    const struct micro_op *micro = bound_micro_op(bound, index);
    struct op *const op = &bound->ops[index];
    op->links = micro->links;
    op->link_ops = micro->link_ops;
    op->single = op->run[0];
    op->fused = handlers->multiply_add;
    op->run[0] = bound->fusing == FUSE_COUNTED    ? driver_count_fused
                 : bound->fusing == FUSE_SAMPLED  ? driver_sample_fused
                 : bound->fusing == FUSE_FOLLOWED ? driver_follow_fused
                                                  : op->fused;
    for (uint32_t i = 0; i + 1 < op->link_ops; i++)
        find_apart(micro + i, op->links, op->link_ops, op + i);
    struct op *const sum = op + op->link_ops - 1;
    if (op->link_ops == 2 && sum->b.at == op->d.at) { /* b is what is not loaded; a * b is b * a */
        sum->b = sum->a;
        sum->a = op->d;
    }
}

void chains_bind(const struct bound_kernel *bound, const struct handler_set *handlers)
{
    for (uint32_t i = 0; i < bound->op_count; i++)
        if (bound_micro_op(bound, i)->links)
            bind_fused(bound, handlers, i);
}
