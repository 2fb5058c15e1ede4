/* Branches whose arms are straight code.
 *
 * Takes the flow graph, leaves each instruction's role, and the micro-ops around arms. An arm is one basic
 * block that only the branch leads to, and that holds nothing at which lanes wait, part or end; all lanes
 * reconverge behind the last arm. */
#include "lower/converged/inner.h"

static bool is_straight(const struct lowering *lowering, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const enum semantic_shape shape = lowering->kernel->code[i].opcode->shape;
        if (shape > SHAPE_CAS && shape != SHAPE_SPECIAL)
            return false;
    }
    return true;
}

/* The block that begins at an instruction, if nothing but one place leads to it. */
static const struct flow_node *own_block(const struct lowering *lowering, uint32_t first)
{
    const struct flow *flow = &lowering->verified->flow;
    if (first >= lowering->kernel->code_count)
        return NULL;
    const struct flow_node *node = &flow->nodes[flow->node_of[first]];
    return node->first == first && node->in_count == 1 ? node : NULL;
}

static bool is_branch(const struct lowering *lowering, uint32_t at, bool guarded)
{
    const struct instruction *instruction = &lowering->kernel->code[at];
    return instruction_semantic(instruction) == SEM_branch && (instruction->guard >= 0) == guarded;
}

static void mark(struct lowering *lowering, uint32_t first, uint32_t end, enum arm_role role, uint32_t branch,
                 uint32_t behind)
{
    for (uint32_t i = first; i < end; i++)
        lowering->arms[i] = (struct arm){.role = (uint8_t)role, .branch = branch, .end = behind};
}

static void find_arms(struct lowering *lowering, uint32_t branch)
{
    const struct kernel *kernel = lowering->kernel;
    const uint32_t other = verify_flow_target(kernel, &kernel->code[branch]), first = branch + 1;
    const struct flow_node *arm = own_block(lowering, first);
    if (other == FLOW_NONE || other <= first || other >= kernel->code_count || !arm || arm->end != other)
        return;
    if (is_straight(lowering, first, other)) {
        mark(lowering, branch, first, ARM_BRANCH, branch, other);
        mark(lowering, first, other, ARM_ONLY, branch, other);
        return;
    }
    if (!is_branch(lowering, other - 1, false) || !is_straight(lowering, first, other - 1))
        return;
    const uint32_t behind = verify_flow_target(kernel, &kernel->code[other - 1]);
    const struct flow_node *second = own_block(lowering, other);
    if (behind == FLOW_NONE || behind <= other || behind >= kernel->code_count || !second ||
        second->end != behind || !is_straight(lowering, other, behind))
        return;
    mark(lowering, branch, first, ARM_BRANCH, branch, behind);
    mark(lowering, first, other - 1, ARM_FIRST, branch, behind);
    mark(lowering, other - 1, other, ARM_JUMP, branch, behind);
    mark(lowering, other, behind, ARM_SECOND, branch, behind);
}

void arms_find(struct lowering *lowering)
{
    const uint32_t count = lowering->kernel->code_count;
    lowering->arms = ARENA_ARRAY(&lowering->scratch, struct arm, count);
    if (!lowering->arms) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        if (is_branch(lowering, i, true))
            find_arms(lowering, i);
}

void arms_drop_uniform(struct lowering *lowering)
{
    const uint32_t count = lowering->kernel->code_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct arm *arm = &lowering->arms[i];
        if (arm->role != ARM_BRANCH)
            continue;
        const struct instruction *branch = &lowering->kernel->code[i];
        const struct web_plan *guard =
            lower_plan(lowering, i, REGISTER_COUNT + (uint32_t)branch->guard, false);
        const uint32_t behind = arm->end;
        if (guard && guard->form == WEB_SAME)
            mark(lowering, i, behind, ARM_NONE, i, behind);
    }
}

bool converged_in_arm(const struct lowering *lowering, uint32_t at)
{
    const uint8_t role = lowering->arms[at].role;
    return role == ARM_ONLY || role == ARM_FIRST || role == ARM_SECOND;
}

uint32_t converged_second_arm(const struct lowering *lowering, uint32_t at)
{
    const struct arm *arm = lowering->arms ? &lowering->arms[at] : NULL;
    return arm && arm->role == ARM_FIRST
               ? verify_flow_target(lowering->kernel, &lowering->kernel->code[arm->branch])
               : FLOW_NONE;
}

bool converged_emit_branch(struct lowering *lowering)
{
    const uint8_t role = lowering->arms[lowering->at].role;
    if (role != ARM_BRANCH && role != ARM_JUMP)
        return false;
    struct micro_op op = lower_primary(lowering);
    op.semantic = role == ARM_BRANCH ? MICRO_ARM_BEGIN : MICRO_ARM_OTHER;
    op.target = verify_flow_target(lowering->kernel, lowering->instruction);
    if (role == ARM_BRANCH)
        lower_guard(lowering, &op);
    lower_emit(lowering, op);
    return true;
}

void converged_end_arms(struct lowering *lowering)
{
    const struct arm *arm = &lowering->arms[lowering->at];
    if ((arm->role == ARM_ONLY || arm->role == ARM_SECOND) && lowering->at + 1 == arm->end)
        lower_emit(lowering, (struct micro_op){.semantic = MICRO_ARM_END, .type = HX_TYPE_PRED});
}
