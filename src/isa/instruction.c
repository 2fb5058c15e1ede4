/* The decoded instruction: which row it means, at which types its operands are, which registers it meets. */
#include "isa/isa.h"

#include <stdio.h>

int instruction_semantic(const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    struct isa_tile tile;
    const bool is_matrix = opcode->shape == SHAPE_MATRIX;
    if (is_matrix && (!instruction_tile(instruction, &tile) ||
                      (instruction->modifiers[GROUP_SATURATE] && instruction->type != HX_TYPE_I32)))
        return SEMANTIC_NONE;
    for (size_t i = 0; i < opcode->variant_count; i++) {
        const struct isa_variant *variant = &opcode->variants[i];
        const struct semantic *row = semantic_at(variant->semantic);
        enum hx_type type = type_half(opcode->shape == SHAPE_COMPARE && opcode->source_types
                                          ? (enum hx_type)instruction->source_type
                                      : is_matrix ? instruction_sum_type(instruction)
                                                  : (enum hx_type)instruction->type);
        bool over = row->types == 0 || (type != HX_TYPE_NONE && (row->types >> type & 1));
        if (instruction->modifiers[variant->group] == variant->value && over)
            return variant->semantic;
    }
    return opcode->semantic;
}

static bool has_packed_type(const struct instruction *instruction)
{
    return type_is_packed((enum hx_type)instruction->type) ||
           type_is_packed((enum hx_type)instruction->source_type);
}

bool instruction_is_packed(const struct instruction *instruction)
{
    return has_packed_type(instruction) && !shape_is_memory(instruction->opcode->shape);
}

enum hx_type instruction_flop_type(const struct instruction *instruction)
{
    const enum hx_type type = type_half((enum hx_type)instruction->type);
    return instruction->opcode->flops > 0 && type_is_float(type) ? type : HX_TYPE_NONE;
}

double instruction_flops(const struct instruction *instruction)
{
    struct isa_tile tile;
    if (instruction_flop_type(instruction) == HX_TYPE_NONE)
        return 0;
    if (instruction_tile(instruction, &tile)) /* of one lane of 32 */
        return instruction->opcode->flops * tile.rows * tile.depth * 8 / 32;
    return instruction->opcode->flops * (has_packed_type(instruction) ? 2 : 1);
}

unsigned instruction_vector(const struct instruction *instruction)
{
    return 1u << instruction->modifiers[GROUP_VECTOR]; /* none, v2, v4 */
}

enum hx_type instruction_operand_type(const struct instruction *instruction, unsigned operand)
{
    const struct isa_opcode *opcode = instruction->opcode;
    const struct form *form = &opcode->forms[operand];
    bool destination = form->kind == FORM_DESTINATION;
    switch (form->kind) {
    case FORM_PREDICATE_DESTINATION:
    case FORM_PREDICATE_SOURCE:
        return HX_TYPE_PRED;
    case FORM_ADDRESS:
        return HX_TYPE_U64;
    case FORM_LABEL:
    case FORM_SMALL:
    case FORM_IMM8:
        return HX_TYPE_NONE;
    default:
        break;
    }
    switch (opcode->shape) {
    case SHAPE_FLOW:
        return form->kind == FORM_READ_WRITE || destination ? instruction->type : HX_TYPE_U32;
    case SHAPE_PAIR:
    case SHAPE_HALF:
        return destination ? instruction->type : instruction->source_type;
    case SHAPE_LOAD:
    case SHAPE_STORE:
    case SHAPE_ATOMIC:
    case SHAPE_CAS:
        return instruction->type;
    case SHAPE_COMPARE:
        return destination || opcode->source_types == 0 ? instruction->type : instruction->source_type;
    case SHAPE_MATRIX:
        if (instruction->type == HX_TYPE_F16 && (destination || form->letter == OPERAND_C))
            return HX_TYPE_F16X2;
        return semantic_operand_type(opcode->shape, form->letter, instruction->type, HX_TYPE_NONE);
    default:
        return semantic_operand_type(opcode->shape, form->letter, instruction->type,
                                     instruction->source_type);
    }
}

static size_t add_address(const struct operand *operand, struct operand_access *accesses)
{
    size_t count = 0;
    if (operand->base_kind == BASE_REGISTER)
        accesses[count++] = (struct operand_access){
            .reads = true, .first = operand->reg, .registers = 1, .type = HX_TYPE_U64, .is_base = true};
    enum hx_type index = operand->index_kind == INDEX_64    ? HX_TYPE_U64
                         : operand->index_kind == INDEX_I32 ? HX_TYPE_I32
                                                            : HX_TYPE_U32;
    if (operand->index_kind != INDEX_NONE)
        accesses[count++] = (struct operand_access){
            .reads = true, .first = operand->index_reg, .registers = 1, .type = index, .is_index = true};
    return count;
}

size_t instruction_accesses(const struct instruction *instruction, struct operand_access *ret_accesses)
{
    size_t count = 0;
    const struct isa_opcode *opcode = instruction->opcode;
    if (instruction->guard >= 0)
        ret_accesses[count++] = (struct operand_access){.reads = true,
                                                        .predicate = true,
                                                        .first = (uint8_t)instruction->guard,
                                                        .registers = 1,
                                                        .type = HX_TYPE_PRED};
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_ADDRESS)
            count += add_address(operand, ret_accesses + count);
        if (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_PREDICATE)
            continue;
        enum form_kind kind = opcode->forms[i].kind;
        bool writes = kind == FORM_DESTINATION || kind == FORM_PREDICATE_DESTINATION;
        ret_accesses[count++] = (struct operand_access){
            .reads = !writes,
            .writes = writes || kind == FORM_READ_WRITE,
            .predicate = operand->kind == OPERAND_PREDICATE,
            .first = operand->reg,
            .registers = (uint8_t)instruction_registers(instruction, i),
            .type = instruction_operand_type(instruction, i),
        };
    }
    return count;
}

void instruction_form(const struct instruction *instruction, char *ret_text, size_t room)
{
    const char *type =
        instruction->type == HX_TYPE_NONE ? NULL : hx_type_name((enum hx_type)instruction->type);
    const char *source = instruction->source_type == HX_TYPE_NONE
                             ? NULL
                             : hx_type_name((enum hx_type)instruction->source_type);
    snprintf(ret_text, room, "%s%s%s%s%s", instruction->opcode->mnemonic, type ? "." : "", type ? type : "",
             source ? "." : "", source ? source : "");
}

bool register_read(struct slice text, char letter, unsigned count, uint8_t *ret_number)
{
    unsigned number = 0;
    if (text.length < 2 || text.length > 4 || (text.at[0] | 0x20) != letter ||
        (text.at[1] == '0' && text.length > 2))
        return false;
    for (size_t i = 1; i < text.length; i++) {
        if (!text_is_digit(text.at[i]))
            return false;
        number = 10 * number + (unsigned)(text.at[i] - '0');
    }
    if (number >= count)
        return false;
    *ret_number = (uint8_t)number;
    return true;
}
