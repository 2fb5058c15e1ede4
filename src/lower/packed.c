/* Instructions over packed types: two numbers of 16 bits in one of 32.
 *
 * Takes the current instruction, leaves the micro-ops of its half type twice, and one that puts the two
 * results together. So every row that is written over f16 and bf16 serves their pairs, with all its
 * modifiers, and no handler knows of them. The low half needs no taking apart: rows over 16 bits ignore
 * the bits above. Where the result is the same in all lanes so is all on the way to it, and has rows of
 * that form. */
#include "lower/lowering.h"

/* A half of the current instruction, while it is lowered. */
struct half {
    bool high;
    struct row like; /* the result: what is on the way has rows of its form */
};

static struct row temporary(struct lowering *lowering, const struct half *half, enum row_kind kind)
{
    return lower_temporary_like(lowering, kind, half->like);
}

/* A micro-op of one source, into a row of its own. */
static struct row step(struct lowering *lowering, const struct half *half, int semantic, enum hx_type type,
                       struct row a)
{
    const struct row d = temporary(lowering, half, ROW_4);
    lower_emit(lowering,
               (struct micro_op){.semantic = (int16_t)semantic, .type = (uint8_t)type, .d = d, .a = a});
    return d;
}

/* That half of operand `index`, flushed if the instruction says so. */
static struct row source_half(struct lowering *lowering, const struct half *half, unsigned index)
{
    const struct operand *operand = &lowering->instruction->operands[index];
    const enum hx_type type = type_half(instruction_operand_type(lowering->instruction, index));
    struct row row;
    if (operand->kind == OPERAND_IMMEDIATE)
        row = lower_immediate(lowering, operand->bits >> (half->high ? 16 : 0) & UINT16_MAX, type);
    else
        row = lower_source(lowering, index, HX_TYPE_U32, 0);
    if (half->high && operand->kind != OPERAND_IMMEDIATE)
        row = step(lowering, half, SEM_unpack_high, HX_TYPE_U16, row);
    return lower_flushes(lowering, type) ? step(lowering, half, SEM_flush, type, row) : row;
}

/* The micro-op that the instruction is about, for one half, which is of `type`; the result has a row of its
 * own. */
static struct row compute_half(struct lowering *lowering, const struct half *half, enum hx_type type,
                               enum row_kind result)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    struct micro_op op = {.semantic = (int16_t)lowering->semantic,
                          .type = (uint8_t)type,
                          .source_type = HX_TYPE_NONE,
                          .rounding = lowering->rounding,
                          .flags = half->high ? 0 : MICRO_PRIMARY};
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE)
            *lower_row_of(&op, opcode->forms[i].letter) = source_half(lowering, half, i);
    op.d = temporary(lowering, half, result);
    lower_emit(lowering, op);
    return op.d;
}

static struct row arithmetic_half(struct lowering *lowering, const struct half *half)
{
    const enum hx_type type = type_half((enum hx_type)lowering->instruction->type);
    struct row d = compute_half(lowering, half, type, ROW_4);
    if (lowering->saturates)
        d = step(lowering, half, SEM_saturate, type, d);
    return lower_flushes(lowering, type) ? step(lowering, half, SEM_flush, type, d) : d;
}

/* 1.0 of the half's type, or all ones. */
static struct row compared_half(struct lowering *lowering, const struct half *half)
{
    const enum hx_type type = (enum hx_type)lowering->instruction->type;
    const uint64_t one = type == HX_TYPE_F16X2 ? 0x3c00u : type == HX_TYPE_BF16X2 ? 0x3f80u : UINT16_MAX;
    const struct row truth = compute_half(
        lowering, half, type_half((enum hx_type)lowering->instruction->source_type), ROW_PREDICATE);
    const struct row d = temporary(lowering, half, ROW_4);
    lower_emit(lowering, (struct micro_op){.semantic = SEM_sel,
                                           .type = HX_TYPE_U16,
                                           .d = d,
                                           .a = lower_immediate(lowering, one, HX_TYPE_U16),
                                           .b = lower_immediate(lowering, 0, HX_TYPE_U16),
                                           .c = truth});
    return d;
}

void lower_packed(struct lowering *lowering)
{
    const struct isa_opcode *opcode = lowering->instruction->opcode;
    const bool saturates = lowering->saturates;
    struct row halves[2];
    unsigned destination = 0;
    while (opcode->forms[destination].kind != FORM_DESTINATION)
        destination++;
    lowering->saturates = false; /* the halves are, not the whole */
    const struct result result =
        lower_result(lowering, destination, (enum hx_type)lowering->instruction->type, 0);
    lowering->saturates = saturates;
    for (int high = 0; high < 2; high++) {
        const struct half half = {high != 0, result.final};
        halves[high] = opcode->shape == SHAPE_COMPARE ? compared_half(lowering, &half)
                                                      : arithmetic_half(lowering, &half);
    }
    lower_emit(
        lowering,
        (struct micro_op){
            .semantic = SEM_pack, .type = HX_TYPE_U16, .d = result.to, .a = halves[0], .b = halves[1]});
    lower_finish(lowering, &result);
}
