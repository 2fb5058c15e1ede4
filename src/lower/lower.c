/* Lowers a kernel: from instructions over registers to micro-ops over rows.
 *
 * Takes a verified kernel, leaves a lowered one that stands alone but for the kernel it names. The work is a
 * list of passes over one state. Instructions under one guard that follow each other share a mask:
 * GUARD_BEGIN belongs to the first of them, GUARD_END to the last, and nothing jumps into the run because it
 * lies within a basic block. The micro-ops are made twice: for the general code, and, if some value is the
 * same in all lanes, for the converged one. */
#include "hexec/trace.h"
#include "lower/converged/converged.h"
#include "lower/simplify.h"

#include <string.h>

static void lowering_done(struct lowering *lowering)
{
    LIST_DONE(lowering->allocator, &lowering->ops);
    LIST_DONE(lowering->allocator, &lowering->uniforms);
    LIST_DONE(lowering->allocator, &lowering->affine_parts);
    LIST_DONE(lowering->allocator, &lowering->factors);
    LIST_DONE(lowering->allocator, &lowering->transfers);
    LIST_DONE(lowering->allocator, &lowering->uniform_next);
    arena_done(&lowering->scratch);
}

/* ---- Pass 1: rows -------------------------------------------------------------------------------------- */

static void find_webs(struct lowering *lowering)
{
    struct web_list *list = &lowering->webs;
    lowering->status = web_list_make(lowering->verified, &lowering->scratch, lowering->diag, list);
    if (lowering->status != HX_OK)
        return;
    const uint32_t count = lowering->kernel->code_count;
    lowering->cursor.list = list;
    lowering->plans = ARENA_ARRAY(&lowering->scratch, struct web_plan, list->web_count);
    lowering->drops = ARENA_ARRAY(&lowering->scratch, bool, count);
    lowering->deferred_compares = ARENA_ARRAY(&lowering->scratch, bool, count);
    if (!lowering->plans || !lowering->drops || !lowering->deferred_compares) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (uint32_t w = 0; w < list->web_count; w++) {
        lowering->plans[w].kind = (uint8_t)(ROW_4 + list->webs[w].kind);
        lowering->plans[w].form = WEB_VECTOR;
    }
}

static void assign_rows(struct lowering *lowering)
{
    find_webs(lowering);
    if (lowering->status == HX_OK && !lowering->is_plain)
        simplify_find(lowering);
    if (lowering->status == HX_OK && !lowering->is_plain)
        converged_analyse(lowering);
    if (lowering->status == HX_OK)
        lowering->status = rows_assign(lowering, &lowering->counts);
    for (int c = 0; c < ROW_CLASSES && lowering->status == HX_OK; c++) {
        lowering->taken[c] =
            ARENA_ARRAY(&lowering->scratch, uint32_t, (size_t)lowering->counts.used[c] + 2 * TEMPORARIES_MAX);
        if (!lowering->taken[c])
            lowering->status = diag_no_memory(lowering->diag);
    }
    lowering->web_counts = lowering->counts;
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

/* Do instructions `at` and the one behind it share a mask? Plain code may be left between any two. */
static bool shares_mask(const struct lowering *lowering, uint32_t at)
{
    const struct instruction *one = &lowering->kernel->code[at], *two = one + 1;
    return !lowering->is_plain && at + 1 < lowering->kernel->code_count && is_masked(one) && is_masked(two) &&
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

/* Is the row one of which no lane on another path needs its value? Then it is written without a mask. */
static bool is_passing(const struct lowering *lowering, struct row row)
{
    if (row.kind < ROW_4 || row.kind > ROW_PREDICATE)
        return false;
    const int class = ROW_CLASS(row.kind);
    return row.index >= lowering->web_counts.settled[class] &&
           row.index < lowering->web_counts.used[class] + TEMPORARIES_MAX;
}

static uint8_t mask_flags(const struct lowering *lowering, const struct micro_op *op, bool masked,
                          bool in_arm)
{
    const struct semantic *semantic = semantic_at(op->semantic);
    if (lower_is_same(op->d)) /* what has one value has it without a mask */
        return 0;
    if (!masked && !lowering->is_plain && semantic && semantic->shape <= SHAPE_ADDRESS &&
        is_passing(lowering, op->d) && (op->e.kind == ROW_NONE || is_passing(lowering, op->e)))
        return MICRO_MASK_UNNEEDED;
    /* a load that finds all lanes' elements by an affine part may load them all */
    const bool may_all =
        op->affine_part && semantic && semantic->shape == SHAPE_LOAD && is_passing(lowering, op->d);
    return masked || in_arm ? MICRO_MASKED | (may_all ? MICRO_MASK_UNNEEDED : 0) : 0;
}

static void lower_one(struct lowering *lowering, uint32_t at, bool shared_before)
{
    const size_t first = lowering->ops.count;
    const struct instruction *instruction = &lowering->kernel->code[at];
    const bool masked = is_masked(instruction);
    const bool in_arm = lowering->is_converged && converged_in_arm(lowering, at);
    lowering->at = at;
    lowering->instruction = instruction;
    lowering->knows_rows = false;
    lowering->code->first_op[at] = (uint32_t)first;
    if (lowering->is_converged)
        converged_list_transfers(lowering, at);
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
    lowering->makes_same = lowering->is_converged && converged_makes_same(lowering, at);
    if (lowering->drops[at])
        lower_emit(lowering,
                   (struct micro_op){.semantic = SEM_nop, .type = HX_TYPE_NONE, .flags = MICRO_PRIMARY});
    else if (!lowering->is_converged || !converged_emit_branch(lowering))
        lower_instruction(lowering);
    lowering->makes_same = false;
    for (size_t i = body; i < lowering->ops.count; i++)
        lowering->ops.items[i].flags |= mask_flags(lowering, &lowering->ops.items[i], masked, in_arm);
    if (masked && !shares_mask(lowering, at))
        lower_emit(lowering, (struct micro_op){.semantic = MICRO_GUARD_END, .type = HX_TYPE_PRED});
    if (lowering->is_converged)
        converged_end_arms(lowering);
    if (lowering->status != HX_OK)
        return;
    lowering->ops.items[first].flags |= MICRO_FIRST;
    lowering->ops.items[last_op(lowering, first)].flags |= MICRO_LAST;
}

/* From instructions, which is what labels name, to their first micro-ops. */
static void resolve_targets(struct lowering *lowering)
{
    const uint32_t *first_op = lowering->code->first_op, count = lowering->kernel->code_count;
    for (size_t i = 0; i < lowering->ops.count; i++) {
        struct micro_op *op = &lowering->ops.items[i];
        if (op->semantic == SEM_branch || op->semantic == SEM_call || op->semantic == SEM_loop ||
            op->semantic == SEM_jump_table || op->semantic == SEM_call_table ||
            op->semantic == MICRO_ARM_BEGIN || op->semantic == MICRO_ARM_OTHER)
            op->target = first_op[op->target < count ? op->target : count];
    }
}

/* Hands over what was made of all instructions. */
static void deliver_code(struct lowering *lowering)
{
    struct micro_code *code = lowering->code;
    code->op_count = (uint32_t)lowering->ops.count;
    code->ops = ARENA_ARRAY(&lowering->lowered->arena, struct micro_op, code->op_count);
    if (!code->ops) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    memcpy(code->ops, lowering->ops.items, code->op_count * sizeof *code->ops);
    lowering->ops.count = 0;
}

static void lower_code(struct lowering *lowering, struct micro_code *code)
{
    const struct kernel *kernel = lowering->kernel;
    const struct flow *flow = &lowering->verified->flow;
    lowering->code = code;
    code->first_op = ARENA_ARRAY(&lowering->lowered->arena, uint32_t, (size_t)kernel->code_count + 1);
    if (!code->first_op) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    for (int c = 0; c < ROW_CLASSES; c++) /* rows that the other code found in use */
        memset(lowering->taken[c], 0,
               ((size_t)lowering->web_counts.used[c] + 2 * TEMPORARIES_MAX) * sizeof *lowering->taken[c]);
    for (uint32_t i = 0; i < kernel->code_count && lowering->status == HX_OK; i++) {
        if (flow->nodes[flow->node_of[i]].first == i)
            web_cursor_enter(&lowering->cursor, flow->node_of[i]);
        lower_one(lowering, i, i > 0 && shares_mask(lowering, i - 1));
    }
    code->first_op[kernel->code_count] = (uint32_t)lowering->ops.count;
    lowering->at = kernel->code_count - 1; /* a fault there is one of the last instruction */
    lower_emit(lowering, (struct micro_op){
                             .semantic = MICRO_END, .type = HX_TYPE_NONE, .flags = MICRO_FIRST | MICRO_LAST});
    if (lowering->status == HX_OK)
        resolve_targets(lowering);
    if (lowering->status == HX_OK)
        deliver_code(lowering);
}

static void lower_general(struct lowering *lowering)
{
    lower_code(lowering, &lowering->lowered->general);
    if (lowering->status == HX_OK && lowering->is_plain)
        converged_fuse(lowering);
}

static void lower_converged(struct lowering *lowering)
{
    struct lowered_kernel *lowered = lowering->lowered;
    if (!lowering->has_same)
        return;
    lowered->transfer_at = ARENA_ARRAY(&lowered->arena, uint32_t, lowering->kernel->code_count);
    if (!lowered->transfer_at) {
        lowering->status = diag_no_memory(lowering->diag);
        return;
    }
    lowering->is_converged = true;
    lower_code(lowering, &lowered->converged);
    if (lowering->status == HX_OK)
        converged_fuse(lowering);
}

/* ---- Pass 3: what exec is given ------------------------------------------------------------------------ */

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

/* A copy of a list's items in the kernel's arena. */
static void *keep_items(struct lowering *lowering, const void *items, size_t count, size_t size)
{
    void *kept = arena_allocate(&lowering->lowered->arena, count, size);
    if (!kept)
        lowering->status = diag_no_memory(lowering->diag);
    else if (count > 0)
        memcpy(kept, items, count * size);
    return kept;
}
#define KEEP(list)                                                                                           \
    keep_items(lowering, lowering->list.items, lowering->list.count, sizeof *lowering->list.items)

/* What each instruction writes, for listeners. */
static bool list_writes(struct lowering *lowering)
{
    struct lowered_kernel *lowered = lowering->lowered;
    const struct web_list *webs = &lowering->webs;
    const uint32_t count = lowering->kernel->code_count;
    lowered->first_write = ARENA_ARRAY(&lowered->arena, uint32_t, (size_t)count + 1);
    lowered->writes = ARENA_ARRAY(&lowered->arena, struct lowered_write, webs->first[count]);
    if (!lowered->first_write || !lowered->writes)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        lowered->first_write[i] = lowered->write_count;
        for (uint32_t r = webs->first[i]; r < webs->first[i + 1]; r++) {
            const struct web_reference *reference = &webs->references[r];
            const struct web_plan *plan = &lowering->plans[reference->web];
            if (reference->writes)
                lowered->writes[lowered->write_count++] =
                    (struct lowered_write){reference->member, {plan->kind, plan->row}};
        }
    }
    lowered->first_write[count] = lowered->write_count;
    return true;
}

/* May it tell another block something, or wait for one? */
static bool tells_others(const struct instruction *instruction)
{
    const int semantic = instruction_semantic(instruction);
    return (shape_is_atomic(instruction->opcode->shape) && semantic_at(semantic)->space != SPACE_SHARED) ||
           semantic == SEM_fence || semantic == SEM_yield;
}

static void deliver(struct lowering *lowering)
{
    struct lowered_kernel *lowered = lowering->lowered;
    lowered->uniforms = KEEP(uniforms);
    lowered->transfers = KEEP(transfers);
    lowered->affine_parts = KEEP(affine_parts);
    lowered->factors = KEEP(factors);
    lowered->uniform_count = (uint32_t)lowering->uniforms.count;
    lowered->transfer_count = (uint32_t)lowering->transfers.count;
    lowered->affine_count = (uint32_t)lowering->affine_parts.count;
    if (lowering->status == HX_OK &&
        (!list_zeroed(lowering) || (lowering->is_plain && !list_writes(lowering))))
        lowering->status = diag_no_memory(lowering->diag);
    if (lowering->status == HX_OK)
        lowering->status = origins_find(&lowering->webs, &lowered->arena, lowering->diag, &lowered->origins);
    if (lowering->status != HX_OK)
        return;
    lowered->rows_4 = lowering->counts.used[ROW_CLASS(ROW_4)];
    lowered->rows_8 = lowering->counts.used[ROW_CLASS(ROW_8)];
    lowered->rows_predicate = lowering->counts.used[ROW_CLASS(ROW_PREDICATE)];
    lowered->same_4 = lowering->counts.used[ROW_CLASS(ROW_SAME_4)];
    lowered->same_8 = lowering->counts.used[ROW_CLASS(ROW_SAME_8)];
    lowered->same_predicate = lowering->counts.used[ROW_CLASS(ROW_SAME_PREDICATE)];
    for (uint32_t i = 0; i < lowering->kernel->code_count; i++) {
        const struct instruction *instruction = &lowering->kernel->code[i];
        lowered->uses_stack |= shape_is_stack(instruction->opcode->shape);
        lowered->blocks_meet |= tells_others(instruction);
        lowered->prints |= shape_is_print(instruction->opcode->shape);
        lowered->barriers_used |= instruction_semantic(instruction) == SEM_barrier_arrive;
        lowered->has_warp_ops |=
            shape_is_warp(instruction->opcode->shape) || instruction_semantic(instruction) == SEM_warp_sync;
    }
    lowered->barriers_used |= lowering->verified->has_barriers;
    lowered->call_depth = lowering->verified->call_depth;
}

/* Which code is made. */
enum variant { VARIANT_USUAL, VARIANT_PACKED, VARIANT_PLAIN };

static hx_status lower_variant(const hx_program *program, const struct verified_kernel *verified,
                               enum variant variant, const hx_allocator *allocator, hx_diag *diag,
                               struct lowered_kernel **ret_lowered)
{
    void (*const passes[])(struct lowering *) = {assign_rows, lower_general, lower_converged, deliver};
    struct lowered_kernel *lowered = memory_allocate(allocator, 1, sizeof *lowered);
    if (!lowered)
        return diag_no_memory(diag);
    arena_init(&lowered->arena, allocator);
    lowered->program = program;
    lowered->kernel = verified->kernel;
    lowered->packs_blocks = variant == VARIANT_PACKED;
    HX_AUTO(lowering_done)
    struct lowering lowering = {.program = program,
                                .verified = verified,
                                .kernel = verified->kernel,
                                .allocator = allocator,
                                .diag = diag,
                                .lowered = lowered,
                                .is_plain = variant == VARIANT_PLAIN};
    arena_init(&lowering.scratch, allocator);
    for (size_t i = 0; i < HX_COUNT_OF(passes) && lowering.status == HX_OK; i++)
        passes[i](&lowering);
    if (lowering.status == HX_OK)
        *ret_lowered = lowered;
    else
        lower_free(lowered);
    return lowering.status;
}

/* May the instruction be one for the threads of a block together, or find memory of the block? */
static bool is_of_block(const struct kernel *kernel, const struct instruction *instruction)
{
    const enum hx_space space = instruction->opcode->space;
    return shape_is_print(instruction->opcode->shape) || verify_waits_for_block(instruction) ||
           instruction_semantic(instruction) == SEM_barrier_arrive || space == SPACE_SHARED ||
           (space == SPACE_GENERIC && kernel->shared.bytes > 0);
}

static bool can_pack_blocks(const struct kernel *kernel)
{
    bool can_pack = true;
    for (uint32_t i = 0; i < kernel->code_count && can_pack; i++)
        can_pack = !is_of_block(kernel, &kernel->code[i]);
    return can_pack;
}

hx_status lower_kernel(const hx_program *program, const struct verified_kernel *verified,
                       const hx_allocator *allocator, hx_diag *diag, struct lowered_kernel **ret_lowered,
                       struct lowered_kernel **ret_packed)
{
    HX_SPAN(HX_DEBUG, "hexec::lower", "lower", HX_STR("kernel.name", verified->kernel->name));
    struct lowered_kernel *lowered = NULL;
    hx_status status = lower_variant(program, verified, VARIANT_USUAL, allocator, diag, &lowered);
    if (status == HX_OK && ret_packed && can_pack_blocks(verified->kernel))
        status = lower_variant(program, verified, VARIANT_PACKED, allocator, diag, ret_packed);
    if (status == HX_OK)
        *ret_lowered = lowered;
    else
        lower_free(lowered);
    return status;
}

hx_status lower_kernel_plain(const hx_program *program, const struct verified_kernel *verified,
                             const hx_allocator *allocator, hx_diag *diag,
                             struct lowered_kernel **ret_lowered)
{
    return lower_variant(program, verified, VARIANT_PLAIN, allocator, diag, ret_lowered);
}

void lower_free(struct lowered_kernel *lowered)
{
    if (!lowered)
        return;
    const hx_allocator *allocator = lowered->arena.allocator;
    arena_done(&lowered->arena);
    memory_free(allocator, lowered);
}
