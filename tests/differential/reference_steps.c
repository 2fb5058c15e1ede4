/* Prepares the reference interpreter's steps: a decoded instruction to what it means as one number, and where
 * its sources and results are. */
#include "reference_machine.h"

#include <string.h>

static enum meaning meaning_of(const struct isa_opcode *opcode)
{
    static const char *const names[] = {
#define MEANING(NAME, name) [MEANING_##NAME] = name,
#include "reference_meanings.def"
#undef MEANING
    };
    if (opcode->semantics_name && strncmp(opcode->semantics_name, "atomic_", 7) == 0)
        return MEANING_ATOMIC;
    if (shape_gathers_warp(opcode->shape))
        return MEANING_WARP;
    if (shape_is_collective(opcode->shape))
        return MEANING_COLLECTIVE;
    for (int meaning = 0; meaning < MEANING_COUNT && opcode->semantics_name; meaning++)
        if (strcmp(opcode->semantics_name, names[meaning]) == 0)
            return (enum meaning)meaning;
    return MEANING_UNKNOWN;
}

bool reference_knows(const struct isa_opcode *opcode)
{
    return opcode->expansion_count > 0 || meaning_of(opcode) != MEANING_UNKNOWN;
}

uint64_t reference_extended(uint64_t bits, hx_type type)
{
    switch (type) {
    case HX_TYPE_I8:
        return (uint32_t)(int32_t)(int8_t)bits;
    case HX_TYPE_U8:
        return (uint8_t)bits;
    case HX_TYPE_I16:
        return (uint32_t)(int32_t)(int16_t)bits;
    case HX_TYPE_U16:
    case HX_TYPE_F16:
    case HX_TYPE_BF16:
        return (uint16_t)bits;
    case HX_TYPE_I32:
    case HX_TYPE_U32:
    case HX_TYPE_F32:
    case HX_TYPE_F16X2:
    case HX_TYPE_BF16X2:
        return (uint32_t)bits;
    case HX_TYPE_PRED:
        return bits & 1;
    default:
        return bits;
    }
}

static uint64_t symbol_value(const struct reference_launch *launch, unsigned symbol)
{
    const hx_program *program = launch->program;
    if (symbol < program->param_count)
        return reference_extended(launch->values ? launch->values[symbol] : program->params[symbol].bits,
                                  program->params[symbol].type);
    return launch->buffers[symbol - program->param_count].address;
}

static uint64_t array_offset(const struct reference_launch *launch, enum hx_space space, unsigned symbol)
{
    const struct array_list *list = space == SPACE_SHARED  ? &launch->kernel->shared
                                    : space == SPACE_LOCAL ? &launch->kernel->local
                                                           : &launch->program->constants;
    return list->items[symbol].offset;
}

static struct value_place number_place(uint64_t bits)
{
    return (struct value_place){.kind = PLACE_NUMBER, .bits = bits};
}

static struct value_place place_of(const struct reference_launch *launch, const struct operand *operand)
{
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_REGISTER:
        return (struct value_place){.kind = PLACE_REGISTER, .reg = operand->reg};
    case OPERAND_PREDICATE:
        return (struct value_place){
            .kind = PLACE_PREDICATE, .reg = operand->reg, .negated = operand->negated};
    case OPERAND_IMMEDIATE:
        return number_place(operand->bits);
    case OPERAND_PARAMETER:
        return number_place(symbol_value(launch, operand->symbol));
    case OPERAND_ARRAY:
        return number_place(array_offset(launch, (enum hx_space)operand->space, operand->symbol));
    case OPERAND_SPECIAL:
        return (struct value_place){.kind = PLACE_SPECIAL, .bits = operand->symbol};
    default:
        return (struct value_place){.kind = PLACE_NOTHING};
    }
}

static void prepare_address(const struct reference_launch *launch, const struct operand *operand,
                            struct step *step)
{
    static const enum hx_space spaces[] = {
        [BASE_SHARED] = SPACE_SHARED, [BASE_CONSTANT] = SPACE_CONSTANT, [BASE_LOCAL] = SPACE_LOCAL};
    step->base = number_place(0);
    if (operand->base_kind == BASE_REGISTER)
        step->base = (struct value_place){.kind = PLACE_REGISTER, .reg = operand->reg};
    else if (operand->base_kind == BASE_PARAMETER)
        step->base = number_place(symbol_value(launch, operand->symbol));
    else if (operand->base_kind != BASE_NONE)
        step->base = number_place(array_offset(launch, spaces[operand->base_kind], operand->symbol));
    step->index_kind = (enum address_index)operand->index_kind;
    step->index = operand->index_reg;
    step->scale = operand->scale;
    step->offset = operand->offset;
}

void reference_prepare(const struct reference_launch *launch, const struct instruction *instruction,
                       struct step *step)
{
    const struct isa_opcode *opcode = instruction->opcode;
    *step = (struct step){.instruction = instruction, .meaning = meaning_of(opcode)};
    step->count = instruction_vector(instruction);
    step->bytes = (unsigned)hx_type_bytes((hx_type)instruction->type);
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        switch (opcode->forms[i].kind) {
        case FORM_DESTINATION:
        case FORM_PREDICATE_DESTINATION:
            step->result[step->results] = place_of(launch, operand);
            step->result_form[step->results++] = (uint8_t)i;
            break;
        case FORM_READ_WRITE:
            step->source[step->sources++] = step->result[step->results++] = place_of(launch, operand);
            break;
        case FORM_ADDRESS:
            prepare_address(launch, operand, step);
            break;
        case FORM_SMALL:
            step->small = (uint32_t)operand->bits;
            break;
        case FORM_LABEL:
            step->target = (uint32_t)operand->bits;
            break;
        case FORM_IMM8:
            break; /* read from the instruction */
        default:
            step->source[step->sources++] = place_of(launch, operand);
        }
    }
}
