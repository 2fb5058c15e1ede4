/* Where instructions take the same part of a value and its affine part in place of the value.
 *
 * Takes instructions and the plans of webs, leaves operands of micro-ops: of addresses, and of comparisons
 * that handlers can do for all lanes at once by the least and the greatest value. */
#include "lower/converged/inner.h"

bool affine_is_linear(const struct instruction *instruction)
{
    const int semantic = instruction_semantic(instruction);
    const unsigned bits = type_bits((enum hx_type)instruction->type);
    return !type_is_float((enum hx_type)instruction->type) && bits >= 32 && instruction->guard < 0 &&
           (semantic == SEM_mov || semantic == SEM_add || semantic == SEM_sub || semantic == SEM_mul ||
            semantic == SEM_shl || semantic == SEM_mad);
}

const struct operand *affine_operand(const struct instruction *instruction, enum semantic_operand letter)
{
    const struct isa_opcode *opcode = instruction->opcode;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].letter == letter &&
            (opcode->forms[i].kind == FORM_SOURCE || opcode->forms[i].kind == FORM_ANY_SOURCE))
            return &instruction->operands[i];
    return NULL;
}

static const struct operand *address_of(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].kind == FORM_ADDRESS)
            return &instruction->operands[i];
    return NULL;
}

/* An access whose index, or else whose base, has an affine part. */
static struct affine_use use_in_address(const struct lowering *lowering, uint32_t at)
{
    const struct operand *address = address_of(&lowering->kernel->code[at]);
    if (!address)
        return (struct affine_use){0};
    const struct web_plan *base =
        address->base_kind == BASE_REGISTER ? lower_plan(lowering, at, address->reg, false) : NULL;
    if (address->index_kind == INDEX_NONE)
        return (struct affine_use){.kind = base && base->kind == ROW_8 ? AFFINE_BASE : AFFINE_NONE,
                                   .plan = base,
                                   .member = address->reg};
    const struct web_plan *index = lower_plan(lowering, at, address->index_reg, false);
    const bool is_whole = index && (index->kind == ROW_4 || address->index_kind == INDEX_64);
    return (struct affine_use){.kind = !is_whole              ? AFFINE_NONE
                                       : index->kind == ROW_8 ? AFFINE_WIDE_INDEX
                                                              : AFFINE_INDEX,
                               .plan = index,
                               .with = base,
                               .member = address->index_reg};
}

/* Comparisons that handlers can do for all lanes at once, by the least and the greatest value. */
static bool is_by_order(int semantic, enum hx_type type)
{
    return (type == HX_TYPE_U32 || type == HX_TYPE_I32) &&
           (semantic == SEM_setp_eq || semantic == SEM_setp_ne || semantic == SEM_setp_lt ||
            semantic == SEM_setp_le || semantic == SEM_setp_gt || semantic == SEM_setp_ge);
}

/* A comparison of 32-bit integers with what may be one value. */
static struct affine_use use_in_comparison(const struct lowering *lowering, uint32_t at)
{
    const struct instruction *instruction = &lowering->kernel->code[at];
    const struct operand *a = affine_operand(instruction, OPERAND_A),
                         *b = affine_operand(instruction, OPERAND_B);
    const enum hx_type type = instruction_operand_type(instruction, (unsigned)(a - instruction->operands));
    const struct web_plan *plan =
        a->kind == OPERAND_REGISTER ? lower_plan(lowering, at, a->reg, false) : NULL;
    if (!plan || plan->kind != ROW_4 || !is_by_order(instruction_semantic(instruction), type))
        return (struct affine_use){0};
    return (struct affine_use){.kind = AFFINE_COMPARED,
                               .plan = plan,
                               .with = b->kind == OPERAND_REGISTER ? lower_plan(lowering, at, b->reg, false)
                                                                   : NULL,
                               .member = a->reg};
}

struct affine_use affine_use_of(const struct lowering *lowering, uint32_t at)
{
    const struct instruction *instruction = &lowering->kernel->code[at];
    const enum semantic_shape shape = instruction->opcode->shape;
    if (instruction->guard >= 0)
        return (struct affine_use){0};
    if (shape == SHAPE_COMPARE)
        return converged_in_arm(lowering, at) ? (struct affine_use){0} : use_in_comparison(lowering, at);
    return (shape == SHAPE_LOAD || shape == SHAPE_STORE) && space_is_common(instruction->opcode->space)
               ? use_in_address(lowering, at)
               : (struct affine_use){0};
}

bool converged_makes_same(const struct lowering *lowering, uint32_t at)
{
    const struct web_list *webs = &lowering->webs;
    if (!affine_is_linear(&lowering->kernel->code[at]))
        return false;
    for (uint32_t i = webs->first[at]; i < webs->first[at + 1]; i++)
        if (webs->references[i].writes)
            return lowering->plans[webs->references[i].web].affine_part != 0;
    return false;
}

/* How the current instruction takes a same part. */
static struct affine_use current_use(const struct lowering *lowering)
{
    struct affine_use use = {0};
    if (lowering->is_converged)
        use = affine_use_of(lowering, lowering->at);
    const bool fits = use.kind != AFFINE_NONE && use.plan->affine_part != 0 && (use.plan->form & WEB_SAME) &&
                      (!use.with || (use.with->form == WEB_SAME && use.with->affine_part == 0));
    return fits ? use : (struct affine_use){0};
}

/* The affine part of byte addresses that is 2^*ret_scale_log2 times another one, the largest up to
 * *ret_scale_log2; that other affine part. */
static uint8_t scale_down(struct lowering *lowering, uint8_t affine_part, uint8_t *ret_scale_log2)
{
    struct lane_sum sum = lowering->affine_parts.items[affine_part - 1];
    uint32_t multiples = 0;
    for (uint8_t i = 0; i < sum.count; i++)
        multiples |= sum.terms[i].by;
    uint8_t scale_log2 = (uint8_t)__builtin_ctz(multiples);
    scale_log2 = scale_log2 < *ret_scale_log2 ? scale_log2 : *ret_scale_log2;
    for (uint8_t i = 0; i < sum.count; i++)
        sum.terms[i].by = (uint32_t)((int32_t)sum.terms[i].by >> scale_log2);
    const unsigned scaled = affine_intern(lowering, sum);
    *ret_scale_log2 = scaled > LANE_SUMS_MAX ? 0 : scale_log2;
    return scaled > LANE_SUMS_MAX ? affine_part : (uint8_t)scaled;
}

bool converged_take_address(struct lowering *lowering, const struct operand *operand, struct micro_op *op)
{
    const struct affine_use use = current_use(lowering);
    if (use.kind == AFFINE_NONE)
        return false;
    const struct row same = {(uint8_t)ROW_SAME_OF(use.plan->kind), use.plan->same_row};
    const struct row none = lower_immediate(lowering, 0, HX_TYPE_U32);
    op->affine_part = use.plan->affine_part;
    op->source_type =
        use.kind == AFFINE_INDEX && operand->index_kind != INDEX_I32 ? HX_TYPE_U32 : HX_TYPE_I32;
    op->f = use.kind == AFFINE_INDEX ? same : none;
    if (use.kind != AFFINE_BASE)
        op->scale_log2 = (uint8_t)__builtin_ctz(operand->scale);
    if (use.kind == AFFINE_BASE) {
        op->scale_log2 = (uint8_t)__builtin_ctz(type_bytes((enum hx_type)op->type) *
                                                instruction_vector(lowering->instruction));
        op->affine_part = scale_down(lowering, op->affine_part, &op->scale_log2);
        op->a = same;
    }
    if (use.kind == AFFINE_WIDE_INDEX) {
        const struct row base = lower_temporary(lowering, ROW_SAME_8);
        lower_emit(lowering, (struct micro_op){.semantic = SEM_address,
                                               .type = HX_TYPE_U64,
                                               .d = base,
                                               .a = op->a,
                                               .b = same,
                                               .immediate = operand->scale});
        op->a = base;
    }
    op->e = (struct row){ROW_AFFINE, op->affine_part};
    op->c = lower_temporary(lowering, ROW_4);
    return true;
}

void converged_take_comparison(const struct lowering *lowering, struct micro_op *op)
{
    const struct affine_use use = current_use(lowering);
    if (use.kind == AFFINE_NONE)
        return;
    op->a = (struct row){(uint8_t)ROW_SAME_OF(use.plan->kind), use.plan->same_row};
    op->affine_part = use.plan->affine_part;
    op->e = (struct row){ROW_AFFINE, op->affine_part};
}
