/* Finds branches whose sides are straight code.
 *
 * Takes the flow graph, leaves each instruction's role. A side is one basic block that only the branch leads
 * to, and that holds nothing at which lanes wait, part or end; it ends where the sides join. */
#include "lower/converged/arms.h"

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

static void mark(struct lowering *lowering, uint32_t first, uint32_t end, enum side_role role,
                 uint32_t branch, uint32_t join)
{
    for (uint32_t i = first; i < end; i++)
        lowering->sides[i] = (struct side){.role = (uint8_t)role, .branch = branch, .join = join};
}

static void find_sides(struct lowering *lowering, uint32_t branch)
{
    const struct kernel *kernel = lowering->kernel;
    const uint32_t other = verify_flow_target(kernel, &kernel->code[branch]), first = branch + 1;
    const struct flow_node *side = own_block(lowering, first);
    if (other == FLOW_NONE || other <= first || other >= kernel->code_count || !side || side->end != other)
        return;
    if (is_straight(lowering, first, other)) {
        mark(lowering, branch, first, SIDE_BRANCH, branch, other);
        mark(lowering, first, other, SIDE_ONLY, branch, other);
        return;
    }
    if (!is_branch(lowering, other - 1, false) || !is_straight(lowering, first, other - 1))
        return;
    const uint32_t join = verify_flow_target(kernel, &kernel->code[other - 1]);
    const struct flow_node *second = own_block(lowering, other);
    if (join == FLOW_NONE || join <= other || join >= kernel->code_count || !second || second->end != join ||
        !is_straight(lowering, other, join))
        return;
    mark(lowering, branch, first, SIDE_BRANCH, branch, join);
    mark(lowering, first, other - 1, SIDE_FIRST, branch, join);
    mark(lowering, other - 1, other, SIDE_JUMP, branch, join);
    mark(lowering, other, join, SIDE_OTHER, branch, join);
}

void sides_find(struct lowering *lowering)
{
    const uint32_t count = lowering->kernel->code_count;
    lowering->sides = ARENA_ARRAY(&lowering->scratch, struct side, count);
    if (!lowering->sides) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        if (is_branch(lowering, i, true))
            find_sides(lowering, i);
}

void sides_drop_uniform(struct lowering *lowering)
{
    const uint32_t count = lowering->kernel->code_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct side *side = &lowering->sides[i];
        if (side->role != SIDE_BRANCH)
            continue;
        const struct instruction *branch = &lowering->kernel->code[i];
        const struct web *guard = web_of(&lowering->webs, i, REGISTER_COUNT + (uint32_t)branch->guard, false);
        const uint32_t join = side->join;
        if (guard && guard->form == WEB_SAME)
            mark(lowering, i, join, SIDE_NONE, i, join);
    }
}

bool sides_contain(const struct lowering *lowering, uint32_t at)
{
    const uint8_t role = lowering->sides[at].role;
    return role == SIDE_ONLY || role == SIDE_FIRST || role == SIDE_OTHER;
}
