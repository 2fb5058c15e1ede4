/* Lowers a kernel: from instructions over registers to micro-ops over rows.
 *
 * Takes a verified kernel, leaves a lowered one that stands alone but for the kernel it names. The work is a
 * list of passes over one state. Instructions under one guard that follow each other share a mask:
 * GUARD_BEGIN belongs to the first of them, GUARD_END to the last, and nothing jumps into the run because it
 * lies within a basic block. */
#include "lower/lowering.h"

#include <string.h>

static void lowering_done(struct lowering *lowering)
{
    LIST_DONE(lowering->allocator, &lowering->ops);
    LIST_DONE(lowering->allocator, &lowering->uniforms);
    LIST_DONE(lowering->allocator, &lowering->uniform_next);
    arena_done(&lowering->scratch);
}

/* ---- Pass 1: rows -------------------------------------------------------------------------------------- */

static void assign_rows(struct lowering *lowering)
{
    lowering->status = web_list_make(lowering->verified, &lowering->scratch, lowering->diag, &lowering->webs);
    if (lowering->status == HX_OK)
        lowering->status =
            rows_assign(&lowering->webs, lowering->allocator, lowering->diag, &lowering->counts);
    for (int c = 0; c < ROW_CLASSES && lowering->status == HX_OK; c++) {
        lowering->taken[c] =
            ARENA_ARRAY(&lowering->scratch, uint32_t, (size_t)lowering->counts.used[c] + TEMPORARIES_MAX);
        if (!lowering->taken[c])
            lowering->status = diag_no_memory(lowering->diag);
    }
    lowering->web_counts = lowering->counts;
    lowering->cursor.list = &lowering->webs;
}

/* ---- Pass 2: micro-ops --------------------------------------------------------------------------------- */

static bool is_masked(const struct instruction *instruction)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    return instruction->guard >= 0 && shape != SHAPE_FLOW && !shape_is_collective(shape);
}

static bool writes_guard(const struct instruction *instruction)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && accesses[i].predicate && accesses[i].first == instruction->guard)
            return true;
    return false;
}

/* Do instructions `at` and the one behind it share a mask? */
static bool shares_mask(const struct lowering *lowering, uint32_t at)
{
    const struct instruction *one = &lowering->kernel->code[at], *two = one + 1;
    return at + 1 < lowering->kernel->code_count && is_masked(one) && is_masked(two) &&
           one->guard == two->guard && one->guard_negated == two->guard_negated &&
           lowering->verified->flow.node_of[at] == lowering->verified->flow.node_of[at + 1] &&
           !writes_guard(one) && !shape_gathers_warp(two->opcode->shape);
}

/* Where the instruction's time ends: where its lanes wait for others, it ends with the wait. */
static size_t last_op(const struct lowering *lowering, size_t first)
{
    const enum semantic_shape shape = lowering->instruction->opcode->shape;
    size_t at = lowering->ops.count - 1;
    while ((shape == SHAPE_FLOW || shape_is_collective(shape)) && at > first &&
           !(lowering->ops.items[at].flags & MICRO_PRIMARY))
        at--;
    return at;
}

static void lower_one(struct lowering *lowering, uint32_t at, bool shared_before)
{
    const size_t first = lowering->ops.count;
    const struct instruction *instruction = &lowering->kernel->code[at];
    const bool masked = is_masked(instruction);
    lowering->at = at;
    lowering->instruction = instruction;
    lowering->knows_rows = false;
    lowering->lowered->first_op[at] = (uint32_t)first;
    web_cursor_pass(&lowering->cursor, at);
    if (shape_gathers_warp(instruction->opcode->shape))
        lower_warp_wait(lowering);
    if (masked && !shared_before)
        lower_emit(lowering,
                   (struct micro_op){
                       .semantic = MICRO_GUARD_BEGIN,
                       .type = HX_TYPE_PRED,
                       .flags = instruction->guard_negated ? MICRO_GUARD_NEGATED : 0,
                       .c = lower_member(lowering, REGISTER_COUNT + (uint32_t)instruction->guard, false)});
    const size_t body = lowering->ops.count;
    lower_instruction(lowering);
    for (size_t i = body; i < lowering->ops.count && masked; i++)
        lowering->ops.items[i].flags |= MICRO_MASKED;
    if (masked && !shares_mask(lowering, at))
        lower_emit(lowering, (struct micro_op){.semantic = MICRO_GUARD_END, .type = HX_TYPE_PRED});
    if (lowering->status != HX_OK)
        return;
    lowering->ops.items[first].flags |= MICRO_FIRST;
    lowering->ops.items[last_op(lowering, first)].flags |= MICRO_LAST;
}

static void lower_code(struct lowering *lowering)
{
    const struct kernel *kernel = lowering->kernel;
    const struct flow *flow = &lowering->verified->flow;
    struct lowered_kernel *lowered = lowering->lowered;
    lowered->first_op = ARENA_ARRAY(&lowered->arena, uint32_t, (size_t)kernel->code_count + 1);
    if (!lowered->first_op) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (uint32_t i = 0; i < kernel->code_count && lowering->status == HX_OK; i++) {
        if (flow->nodes[flow->node_of[i]].first == i)
            web_cursor_enter(&lowering->cursor, flow->node_of[i]);
        lower_one(lowering, i, i > 0 && shares_mask(lowering, i - 1));
    }
    lowered->first_op[kernel->code_count] = (uint32_t)lowering->ops.count;
    lowering->at = kernel->code_count - 1; /* a fault there is told of the last instruction */
    lower_emit(lowering, (struct micro_op){
                             .semantic = MICRO_END, .type = HX_TYPE_NONE, .flags = MICRO_FIRST | MICRO_LAST});
}

/* ---- Pass 3: targets ----------------------------------------------------------------------------------- */

/* From instructions, which is what labels name, to their first micro-ops. */
static void resolve_targets(struct lowering *lowering)
{
    const uint32_t *first_op = lowering->lowered->first_op, count = lowering->kernel->code_count;
    for (size_t i = 0; i < lowering->ops.count; i++) {
        struct micro_op *op = &lowering->ops.items[i];
        if (op->semantic == SEM_branch || op->semantic == SEM_call || op->semantic == SEM_loop ||
            op->semantic == SEM_jump_table)
            op->target = first_op[op->target < count ? op->target : count];
    }
}

/* ---- Pass 4: what exec is given ------------------------------------------------------------------------ */

static bool list_zeroed(const struct lowering *lowering)
{
    struct lowered_kernel *lowered = lowering->lowered;
    uint32_t count = 0;
    for (int c = 0; c < ROW_CLASSES; c++)
        count += lowering->counts.zeroed[c];
    lowered->zero_rows = ARENA_ARRAY(&lowered->arena, struct row, count);
    if (!lowered->zero_rows)
        return false;
    for (int c = 0; c < ROW_CLASSES; c++)
        for (uint32_t row = 0; row < lowering->counts.zeroed[c]; row++)
            lowered->zero_rows[lowered->zero_row_count++] = (struct row){(uint8_t)(ROW_4 + c), (uint16_t)row};
    return true;
}

static void deliver(struct lowering *lowering)
{
    struct lowered_kernel *lowered = lowering->lowered;
    lowered->op_count = (uint32_t)lowering->ops.count;
    lowered->uniform_count = (uint32_t)lowering->uniforms.count;
    lowered->ops = ARENA_ARRAY(&lowered->arena, struct micro_op, lowered->op_count);
    lowered->uniforms = ARENA_ARRAY(&lowered->arena, struct uniform, lowered->uniform_count);
    if (!lowered->ops || !lowered->uniforms || !list_zeroed(lowering)) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    memcpy(lowered->ops, lowering->ops.items, lowered->op_count * sizeof *lowered->ops);
    if (lowered->uniform_count > 0)
        memcpy(lowered->uniforms, lowering->uniforms.items,
               lowered->uniform_count * sizeof *lowered->uniforms);
    lowered->rows_4 = lowering->counts.used[ROW_CLASS(ROW_4)];
    lowered->rows_8 = lowering->counts.used[ROW_CLASS(ROW_8)];
    lowered->rows_predicate = lowering->counts.used[ROW_CLASS(ROW_PREDICATE)];
    for (uint32_t i = 0; i < lowering->kernel->code_count; i++) {
        const struct instruction *instruction = &lowering->kernel->code[i];
        lowered->prints |= instruction->opcode->shape == SHAPE_PRINT;
        lowered->has_warp_ops |=
            shape_is_warp(instruction->opcode->shape) || instruction_semantic(instruction) == SEM_warp_sync;
    }
    lowered->barriers_used = lowering->verified->has_barriers;
    lowered->call_depth = lowering->verified->call_depth;
}

hx_status lower_kernel(const hx_program *program, const struct verified_kernel *verified,
                       const hx_allocator *allocator, hx_diag *diag, struct lowered_kernel **ret_lowered)
{
    void (*const passes[])(struct lowering *) = {assign_rows, lower_code, resolve_targets, deliver};
    struct lowered_kernel *lowered = memory_allocate(allocator, 1, sizeof *lowered);
    if (!lowered)
        return diag_no_memory(diag);
    arena_init(&lowered->arena, allocator);
    lowered->program = program;
    lowered->kernel = verified->kernel;
    HX_AUTO(lowering_done)
    struct lowering lowering = {.program = program,
                                .verified = verified,
                                .kernel = verified->kernel,
                                .allocator = allocator,
                                .diag = diag,
                                .lowered = lowered};
    arena_init(&lowering.scratch, allocator);
    for (size_t i = 0; i < HX_COUNT_OF(passes) && lowering.status == HX_OK; i++)
        passes[i](&lowering);
    if (lowering.status == HX_OK)
        *ret_lowered = lowered;
    else
        lower_free(lowered);
    return lowering.status;
}

void lower_free(struct lowered_kernel *lowered)
{
    if (!lowered)
        return;
    const hx_allocator *allocator = lowered->arena.allocator;
    arena_done(&lowered->arena);
    memory_free(allocator, lowered);
}
