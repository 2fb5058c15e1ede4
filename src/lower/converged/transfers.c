/* Where the code may change, and what is transferred then: the values that the converged code keeps once. */
#include "lower/converged/inner.h"

static bool add_transfer(struct lowering *lowering, const struct web_plan *plan)
{
    const struct transfer transfer = {.same = {(uint8_t)ROW_SAME_OF(plan->kind), plan->same_row},
                                      .vector = {plan->kind, plan->row},
                                      .affine_part = plan->affine_part,
                                      .back_only = (plan->form & WEB_VECTOR) != 0};
    return !(plan->form & WEB_SAME) || plan->is_unread ||
           LIST_PUSH(lowering->allocator, &lowering->transfers, transfer);
}

void converged_list_transfers(struct lowering *lowering, uint32_t at)
{
    const struct web_list *webs = &lowering->webs;
    const struct flow *flow = &lowering->verified->flow;
    const bool is_first = flow->nodes[flow->node_of[at]].first == at;
    const struct flow_set *live =
        is_first ? &webs->live_before[flow->node_of[at]] : &webs->live_after[at - 1];
    bool good = true;
    if (!web_stops_at(flow, at))
        return;
    lowering->lowered->transfer_at[at] = 1 + (uint32_t)lowering->transfers.count;
    for (uint32_t m = flow_set_next(live, 0); m < FLOW_SET_BITS; m = flow_set_next(live, m + 1))
        good = good && add_transfer(lowering, &lowering->plans[lowering->cursor.current[m]]);
    if (!good || !LIST_PUSH(lowering->allocator, &lowering->transfers, (struct transfer){.affine_part = 0}))
        lowering->status = diag_no_memory(lowering->diag);
}
