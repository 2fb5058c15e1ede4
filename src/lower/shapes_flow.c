/* The micro-ops of control flow, and of what the threads of a warp or block do together. See shapes.c. */
#include "lower/lowering.h"

void lower_guard(struct lowering *lowering, struct micro_op *op)
{
    const struct instruction *instruction = lowering->instruction;
    if (instruction->guard < 0)
        return;
    op->c = lower_member(lowering, REGISTER_COUNT + (uint32_t)instruction->guard, false);
    op->flags |= MICRO_GUARDED | (instruction->guard_negated ? MICRO_GUARD_NEGATED : 0);
    if (lowering->at > 0 && lowering->deferred_compares[lowering->at - 1]) {
        const struct micro_op *comparison = &lowering->ops.items[lowering->ops.count - 1];
        op->flags |= comparison->flags & MICRO_DEFERRED_COMPARE;
        op->affine_part = comparison->affine_part;
    }
}

/* A 32-bit loop over a register whose web has 64 bits: its counter is the lower half, and the upper half
 * goes when the counter changes. So the step is made by hand, and what is left is a branch. */
static void lower_wide_loop(struct lowering *lowering, struct micro_op op)
{
    const struct instruction *instruction = lowering->instruction;
    const struct row counter = op.d;
    const struct row old = lower_register(lowering, lower_operand(lowering, 0)->reg, HX_TYPE_U32);
    const struct row zero = lower_immediate(lowering, 0, HX_TYPE_U32);
    const struct row one = lower_immediate(lowering, 1, HX_TYPE_U32);
    const struct row runs = lower_temporary(lowering, ROW_PREDICATE);
    const struct row stays = lower_temporary(lowering, ROW_PREDICATE);
    const struct row less = lower_temporary(lowering, ROW_4), wide = lower_temporary(lowering, ROW_8);
    const enum hx_type type = type_is_signed((enum hx_type)instruction->type) ? HX_TYPE_I32 : HX_TYPE_U32;
    lower_step(lowering, SEM_setp_gt, type, runs, old, zero);
    if (instruction->guard >= 0) {
        struct operand guard = {.reg = (uint8_t)instruction->guard, .negated = instruction->guard_negated};
        lower_step(lowering, SEM_pand, HX_TYPE_PRED, runs, runs, lower_predicate(lowering, &guard));
    }
    lower_step(lowering, SEM_sub, HX_TYPE_U32, less, old, one);
    lower_step(lowering, SEM_setp_gt, type, stays, less, zero);
    lower_step(lowering, SEM_pand, HX_TYPE_PRED, stays, stays, runs);
    lower_emit(
        lowering,
        (struct micro_op){
            .semantic = SEM_cvt, .type = HX_TYPE_U64, .source_type = HX_TYPE_U32, .d = wide, .a = less});
    lower_emit(
        lowering,
        (struct micro_op){
            .semantic = SEM_sel, .type = HX_TYPE_U64, .d = counter, .a = wide, .b = counter, .c = runs});
    op.semantic = SEM_branch;
    op.type = HX_TYPE_NONE;
    op.d = ROW_ABSENT;
    op.c = stays;
    op.flags |= MICRO_GUARDED;
    lower_emit(lowering, op);
}

void lower_flow(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    struct micro_op op = lower_primary(lowering);
    struct result result;
    bool has_result = false;
    struct row *source = &op.a;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = lower_operand(lowering, i);
        switch (opcode->forms[i].kind) {
        case FORM_LABEL:
            op.target = verify_flow_target(lowering->kernel, instruction);
            break;
        case FORM_ADDRESS:
            break; /* of a hint: nobody goes there */
        case FORM_SMALL:
            op.immediate = (int64_t)operand->bits;
            break;
        case FORM_READ_WRITE:
            op.d = lower_member(lowering, operand->reg, true);
            break;
        case FORM_PREDICATE_SOURCE:
            op.b = lower_predicate(lowering, operand);
            break;
        case FORM_DESTINATION:
        case FORM_PREDICATE_DESTINATION:
            result = lower_result(lowering, i, instruction_operand_type(instruction, i), 0);
            op.d = result.to;
            has_result = true;
            break;
        default:
            *source = lower_source(lowering, i, HX_TYPE_U32, 0);
            source = &op.b;
        }
    }
    if (lowering->semantic == SEM_fence)
        op.immediate = instruction->modifiers[GROUP_SCOPE];
    if (lower_has_8_bytes(op.d) && row_kind_of((enum hx_type)op.type) == ROW_4) {
        lower_wide_loop(lowering, op);
        return;
    }
    lower_guard(lowering, &op);
    if (lowering->semantic == SEM_warp_sync) { /* lanes that wait come again: counted is what comes behind */
        op.semantic = MICRO_WARP_WAIT;
        op.flags &= (uint8_t)~MICRO_PRIMARY;
        lower_emit(lowering, op);
        op = (struct micro_op){.semantic = SEM_nop, .type = HX_TYPE_NONE, .flags = MICRO_PRIMARY};
        lower_guard(lowering, &op);
    }
    lower_emit(lowering, op);
    if (has_result)
        lower_finish(lowering, &result);
}

/* The mask is the last source. */
static struct row member_mask(struct lowering *lowering)
{
    const unsigned last = lowering->instruction->opcode->form_count - 1u;
    if (lowering->instruction->opcode->shape == SHAPE_MATRIX) /* it has none */
        return ROW_ABSENT;
    return lower_operand(lowering, last)->kind == OPERAND_ABSENT
               ? ROW_ABSENT
               : lower_source(lowering, last, HX_TYPE_U32, 0);
}

void lower_warp_wait(struct lowering *lowering)
{
    struct micro_op op = {.semantic = MICRO_WARP_WAIT, .type = HX_TYPE_U32, .a = member_mask(lowering)};
    lower_guard(lowering, &op);
    lower_emit(lowering, op);
}

/* What may be left out: a mask names all lanes, a shuffle's bound is the warp's end (up: its begin). */
static struct row warp_source(struct lowering *lowering, unsigned index)
{
    const bool is_up = lowering->semantic == SEM_shfl_up;
    if (lower_operand(lowering, index)->kind != OPERAND_ABSENT)
        return lower_own_source(lowering, index);
    const bool is_bound = lowering->instruction->opcode->forms[index].letter == OPERAND_C;
    return lower_immediate(lowering, !is_bound ? UINT32_MAX : is_up ? 0 : 63, HX_TYPE_U32);
}

void lower_warp(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    struct micro_op op = lower_primary(lowering);
    struct result results[2];
    unsigned count = 0;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE || opcode->forms[i].kind == FORM_PREDICATE_SOURCE)
            *lower_row_of(&op, opcode->forms[i].letter) = warp_source(lowering, i);
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->kind != FORM_DESTINATION && form->kind != FORM_PREDICATE_DESTINATION)
            continue;
        results[count] = lower_result(lowering, i, instruction_operand_type(lowering->instruction, i), 0);
        *lower_row_of(&op, form->letter) = results[count++].to;
    }
    lower_emit(lowering, op);
    for (unsigned i = 0; i < count; i++)
        lower_finish(lowering, &results[i]);
}

/* First the wait, which is what is counted, then the row that exec does when all have come. */
void lower_collective(struct lowering *lowering)
{
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    struct micro_op op = lower_primary(lowering),
                    wait = {.semantic = MICRO_COLLECTIVE, .flags = MICRO_PRIMARY};
    op.flags = 0;
    op.a = lower_own_source(lowering, lower_form(lowering, FORM_SOURCE));
    const struct result result = lower_result(lowering, lower_form(lowering, FORM_DESTINATION), type, 0);
    op.d = result.to;
    wait.type = (uint8_t)type;
    lower_guard(lowering, &wait);
    lower_emit(lowering, wait);
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}
