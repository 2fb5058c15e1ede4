/* The micro-ops of memory accesses: loads, stores, atomics. See shapes.c. */
#include "lower/lowering.h"

static struct row copy_of(struct lowering *lowering, struct row row)
{
    const struct row copy = lower_temporary(lowering, (enum row_kind)row.kind);
    lower_step(lowering, SEM_mov, lower_has_8_bytes(row) ? HX_TYPE_U64 : HX_TYPE_U32, copy, row, ROW_ABSENT);
    return copy;
}

/* Element by element; the first one checks the access as a whole. */
void lower_memory(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const bool loads = instruction->opcode->shape == SHAPE_LOAD;
    const unsigned address = lower_form(lowering, FORM_ADDRESS), count = instruction_vector(instruction);
    const unsigned value = lower_form(lowering, loads ? FORM_DESTINATION : FORM_SOURCE);
    const enum hx_type type = (enum hx_type)instruction->type;
    const unsigned bytes = type_bytes(type);
    struct micro_op op = lower_primary(lowering);
    lower_address(lowering, lower_operand(lowering, address), &op);
    op.access_bytes = (uint8_t)(bytes * count);
    op.align_log2 = (uint8_t)__builtin_ctz(bytes * count);
    struct result results[4];
    bool overwrites_a = false, overwrites_c = false;
    for (unsigned i = 0; i < count && loads; i++) {
        results[i] = lower_result(lowering, value, type, i);
        overwrites_a |= i + 1 < count && row_is_equal(results[i].final, op.a);
        overwrites_c |= i + 1 < count && row_is_equal(results[i].final, op.c);
    }
    if (overwrites_a)
        op.a = copy_of(lowering, op.a);
    if (overwrites_c)
        op.c = copy_of(lowering, op.c);
    for (unsigned i = 0; i < count; i++) {
        const bool is_register = lower_operand(lowering, value)->kind == OPERAND_REGISTER;
        if (loads)
            op.d = results[i].to;
        else
            op.b = lower_source(lowering, value, type, is_register ? i : 0);
        lower_emit(lowering, op);
        if (loads)
            lower_finish(lowering, &results[i]);
        op.immediate += bytes;
        op.access_bytes = op.align_log2 = op.flags = 0;
    }
}

/* The result goes to a row of its own when nobody wants it. */
void lower_atomic(struct lowering *lowering)
{
    const struct instruction *instruction = lowering->instruction;
    const struct isa_opcode *opcode = instruction->opcode;
    const enum hx_type type = (enum hx_type)instruction->type;
    struct micro_op op = lower_primary(lowering);
    struct result result = {.type = type};
    lower_address(lowering, lower_operand(lowering, lower_form(lowering, FORM_ADDRESS)), &op);
    op.access_bytes = (uint8_t)type_bytes(type);
    op.align_log2 = (uint8_t)__builtin_ctz(type_bytes(type));
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].kind == FORM_SOURCE)
            *(opcode->forms[i].letter == OPERAND_F ? &op.f : &op.b) = lower_source(lowering, i, type, 0);
    if (opcode->forms[lower_form(lowering, FORM_DESTINATION)].kind == FORM_DESTINATION)
        result = lower_result(lowering, lower_form(lowering, FORM_DESTINATION), type, 0);
    else
        result.to = lower_temporary(lowering, row_kind_of(type));
    op.d = result.to;
    lower_emit(lowering, op);
    lower_finish(lowering, &result);
}
