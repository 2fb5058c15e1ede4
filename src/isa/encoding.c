/* Words: packing and unpacking instructions by the fields that the YAML places.
 *
 * Both directions walk the entry's forms and ask one function for the field of each. Unpacking packs again
 * what it understood and compares: a word is accepted when every bit of it means something. */
#include "isa/load.h"

#include <string.h>

enum literal_kind {
    LITERAL_IMMEDIATE,
    LITERAL_PARAMETER,
    LITERAL_SPECIAL,
    LITERAL_SHARED,
    LITERAL_CONSTANT,
    LITERAL_LOCAL,
    LITERAL_KINDS
};
#define TYPE_FIELD_NONE 15u

static void put(struct word *word, struct isa_field field, uint64_t value)
{
    for (unsigned i = 0; i < field.bits; i++)
        if (value >> i & 1)
            word->bytes[(field.at + i) / 8] |= (uint8_t)(1u << ((field.at + i) % 8));
}

static uint64_t get(const struct word *word, struct isa_field field)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < field.bits; i++)
        value |= (uint64_t)(word->bytes[(field.at + i) / 8] >> ((field.at + i) % 8) & 1) << i;
    return value;
}

/* Comparisons have their modifiers where others have a second result, so this one goes behind the first. */
static bool has_short_results(const struct isa_opcode *opcode, const struct form *form)
{
    return form->kind == FORM_PREDICATE_DESTINATION && opcode->modifiers[GROUP_COMPARE] != 0;
}

/* A comparison whose second result may be dropped says that it is there, where others say that it is not: so
 * a word without either bit has one result. */
static bool has_flag_for_q(const struct isa_opcode *opcode, const struct form *form)
{
    return form->may_sink && has_short_results(opcode, form);
}

/* Where the register of a form's operand stands. */
static struct isa_field register_field(const hx_isa *isa, const struct isa_opcode *opcode,
                                       const struct form *form)
{
    if (has_short_results(opcode, form)) {
        struct isa_field field = form->letter == OPERAND_E ? isa->fields.q : isa->fields.d;
        field.bits = field.bits < 4 ? field.bits : 4; /* predicates have 4 bits */
        return field;
    }
    const struct isa_field extra[] = {isa->fields.d, isa->fields.d2, isa->fields.d3, isa->fields.d4};
    switch (form->letter) {
    case OPERAND_D:
        return extra[form->extra];
    case OPERAND_E:
        return isa->fields.e;
    case OPERAND_A:
        return isa->fields.a;
    case OPERAND_B:
        return isa->fields.b;
    case OPERAND_C:
        return isa->fields.c;
    default:
        return isa->fields.f;
    }
}

static unsigned literal_slot(const struct form *form)
{
    return form->letter == OPERAND_F ? 4 : 1u + form->letter - OPERAND_A;
}

/* With a fourth source in the immediate's top byte a literal has 32 bits. */
static struct isa_field immediate_field(const hx_isa *isa, const struct isa_opcode *opcode)
{
    struct isa_field field = isa->fields.immediate;
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (opcode->forms[i].letter == OPERAND_F)
            field.bits = field.bits < 32 ? field.bits : 32;
    return field;
}

/* ---- Which bits an entry uses -------------------------------------------------------------------------- */

struct bit_owner {
    const char *owner[128];
    const char *first, *second;
};

static void claim(struct bit_owner *bits, struct isa_field field, const char *name)
{
    for (unsigned i = field.at; i < (unsigned)field.at + field.bits && i < 128; i++) {
        if (bits->owner[i] && bits->owner[i] != name && !bits->first) {
            bits->first = bits->owner[i];
            bits->second = name;
        }
        bits->owner[i] = name;
    }
}

static void claim_forms(struct bit_owner *bits, const hx_isa *isa, const struct isa_opcode *opcode)
{
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        static const char *const names[] = {"operand 1", "operand 2", "operand 3",
                                            "operand 4", "operand 5", "operand 6"};
        switch (form->kind) {
        case FORM_ADDRESS:
            claim(bits, isa->fields.a, names[i]);
            claim(bits, isa->fields.b, names[i]);
            claim(bits, isa->fields.offset, "offset");
            claim(bits, isa->fields.symbol, "symbol");
            claim(bits, isa->fields.base, "base");
            claim(bits, isa->fields.scale, "scale");
            claim(bits, isa->fields.index, "index");
            break;
        case FORM_LABEL:
            claim(bits, isa->fields.target, "target");
            break;
        case FORM_IMM8:
            claim(bits, isa->fields.imm8, "imm8");
            break;
        default:
            claim(bits, register_field(isa, opcode, form), names[i]);
        }
        if (form->may_sink && form->kind == FORM_DESTINATION)
            claim(bits, isa->fields.sinks, "sinks");
        else if (has_flag_for_q(opcode, form))
            claim(bits, isa->fields.has_q, "has_q");
        else if (form->may_sink)
            claim(bits, isa->fields.no_e, "no_e");
        if (form->optional && (form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE))
            claim(bits, isa->fields.omitted, "omitted");
    }
}

bool isa_word_bits(const hx_isa *isa, const struct isa_opcode *opcode, const char **ret_first,
                   const char **ret_second)
{
    struct bit_owner bits = {0};
    claim(&bits, isa->fields.opcode, "opcode");
    claim(&bits, isa->fields.type, "type");
    if (opcode->source_types)
        claim(&bits, isa->fields.source_type, "source_type");
    claim(&bits, isa->fields.guard, "guard");
    claim(&bits, isa->fields.literal, "literal");
    claim_forms(&bits, isa, opcode);
    if (opcode->may_literal)
        claim(&bits, immediate_field(isa, opcode), "immediate");
    for (int group = 0; group < GROUP_COUNT; group++)
        if (opcode->modifiers[group])
            claim(&bits, isa->group_fields[group], modifier_group_name(group));
    *ret_first = bits.first;
    *ret_second = bits.second;
    return !bits.first;
}

/* ---- Packing ------------------------------------------------------------------------------------------- */

static void put_address(const hx_isa *isa, struct word *word, const struct operand *operand)
{
    put(word, isa->fields.a, operand->base_kind == BASE_REGISTER ? operand->reg : 0);
    put(word, isa->fields.b, operand->index_kind == INDEX_NONE ? 0 : operand->index_reg);
    put(word, isa->fields.offset, (uint32_t)operand->offset);
    put(word, isa->fields.symbol, operand->symbol);
    put(word, isa->fields.base, operand->base_kind);
    put(word, isa->fields.scale, (uint64_t)__builtin_ctz(operand->scale));
    put(word, isa->fields.index, operand->index_kind);
}

static void put_literal(const hx_isa *isa, struct word *word, const struct isa_opcode *opcode,
                        const struct form *form, const struct operand *operand)
{
    enum literal_kind kind = operand->kind == OPERAND_IMMEDIATE   ? LITERAL_IMMEDIATE
                             : operand->kind == OPERAND_PARAMETER ? LITERAL_PARAMETER
                             : operand->kind == OPERAND_SPECIAL   ? LITERAL_SPECIAL
                             : operand->space == SPACE_SHARED     ? LITERAL_SHARED
                             : operand->space == SPACE_CONSTANT   ? LITERAL_CONSTANT
                                                                  : LITERAL_LOCAL;
    put(word, isa->fields.literal, literal_slot(form));
    put(word, register_field(isa, opcode, form), kind);
    put(word, immediate_field(isa, opcode), kind == LITERAL_IMMEDIATE ? operand->bits : operand->symbol);
}

static void put_operand(const hx_isa *isa, struct word *word, const struct isa_opcode *opcode, unsigned index,
                        const struct operand *operand)
{
    const struct form *form = &opcode->forms[index];
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_ABSENT:
        break;
    case OPERAND_REGISTER:
        put(word, register_field(isa, opcode, form), operand->reg);
        break;
    case OPERAND_PREDICATE:
        put(word, register_field(isa, opcode, form), operand->reg | (unsigned)operand->negated << 4);
        if (has_flag_for_q(opcode, form))
            put(word, isa->fields.has_q, 1);
        break;
    case OPERAND_SINK:
        if (form->kind == FORM_DESTINATION)
            put(word, isa->fields.sinks, 1u << form->extra);
        else if (!has_flag_for_q(opcode, form))
            put(word, isa->fields.no_e, 1);
        break;
    case OPERAND_ADDRESS:
        put_address(isa, word, operand);
        break;
    case OPERAND_TARGET:
        put(word, isa->fields.target, operand->bits);
        break;
    default:
        if (form->kind == FORM_IMM8)
            put(word, isa->fields.imm8, operand->bits);
        else if (form->kind == FORM_SMALL)
            put(word, register_field(isa, opcode, form), operand->bits);
        else
            put_literal(isa, word, opcode, form, operand);
    }
}

struct word instruction_encode(const hx_isa *isa, const struct instruction *instruction)
{
    struct word word = {{0}};
    const struct isa_opcode *opcode = instruction->opcode;
    put(&word, isa->fields.opcode, (uint64_t)opcode->code);
    put(&word, isa->fields.type, instruction->type == HX_TYPE_NONE ? TYPE_FIELD_NONE : instruction->type);
    if (opcode->source_types)
        put(&word, isa->fields.source_type, instruction->source_type);
    if (instruction->guard >= 0)
        put(&word, isa->fields.guard, 1u + 2u * (unsigned)instruction->guard + instruction->guard_negated);
    for (int group = 0; group < GROUP_COUNT; group++)
        if (opcode->modifiers[group])
            put(&word, isa->group_fields[group], instruction->modifiers[group]);
    uint64_t omitted = 0;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        put_operand(isa, &word, opcode, i, &instruction->operands[i]);
        const enum form_kind kind = opcode->forms[i].kind;
        omitted += (kind == FORM_SOURCE || kind == FORM_ANY_SOURCE) &&
                   instruction->operands[i].kind == OPERAND_ABSENT;
    }
    if (omitted)
        put(&word, isa->fields.omitted, omitted);
    return word;
}

/* ---- Unpacking ----------------------------------------------------------------------------------------- */

static bool get_address(const hx_isa *isa, const struct word *word, struct operand *operand)
{
    uint64_t scale = get(word, isa->fields.scale);
    *operand = (struct operand){
        .kind = OPERAND_ADDRESS,
        .reg = (uint8_t)get(word, isa->fields.a),
        .index_reg = (uint8_t)get(word, isa->fields.b),
        .offset = (int32_t)get(word, isa->fields.offset),
        .symbol = (uint16_t)get(word, isa->fields.symbol),
        .base_kind = (uint8_t)get(word, isa->fields.base),
        .index_kind = (uint8_t)get(word, isa->fields.index),
        .scale = (uint8_t)(1u << (scale & 7)),
    };
    bool has_symbol = operand->base_kind != BASE_REGISTER && operand->base_kind != BASE_NONE;
    return scale <= 4 && operand->base_kind <= BASE_NONE && operand->index_kind <= INDEX_I32 &&
           (has_symbol || operand->symbol == 0) && (operand->index_kind != INDEX_NONE || scale == 0);
}

static bool get_literal(const hx_isa *isa, const struct word *word, const struct isa_opcode *opcode,
                        const struct form *form, struct operand *operand)
{
    uint64_t kind = get(word, register_field(isa, opcode, form)),
             bits = get(word, immediate_field(isa, opcode));
    bool any = form->kind == FORM_ANY_SOURCE;
    if (kind == LITERAL_IMMEDIATE) {
        *operand = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = bits};
        return true;
    }
    *operand = (struct operand){.symbol = (uint16_t)bits};
    if (bits > UINT16_MAX || kind >= LITERAL_KINDS)
        return false;
    if (kind == LITERAL_PARAMETER) {
        operand->kind = OPERAND_PARAMETER;
        return true;
    }
    if (kind == LITERAL_SPECIAL) {
        operand->kind = OPERAND_SPECIAL;
        return any && bits < SPECIAL_COUNT;
    }
    operand->kind = OPERAND_ARRAY;
    operand->space = kind == LITERAL_SHARED     ? SPACE_SHARED
                     : kind == LITERAL_CONSTANT ? SPACE_CONSTANT
                                                : SPACE_LOCAL;
    return any;
}

/* Of a second result that is a predicate. */
static bool is_dropped(const hx_isa *isa, const struct word *word, const struct isa_opcode *opcode,
                       const struct form *form)
{
    return has_flag_for_q(opcode, form) ? !get(word, isa->fields.has_q) : get(word, isa->fields.no_e) != 0;
}

static bool get_operand(const hx_isa *isa, const struct word *word, const struct instruction *instruction,
                        unsigned index, struct operand *operand)
{
    const struct isa_opcode *opcode = instruction->opcode;
    const struct form *form = &opcode->forms[index];
    uint64_t slot = get(word, isa->fields.literal), reg = get(word, register_field(isa, opcode, form));
    switch (form->kind) {
    case FORM_ADDRESS:
        return get_address(isa, word, operand);
    case FORM_LABEL:
        *operand = (struct operand){.kind = OPERAND_TARGET, .bits = get(word, isa->fields.target)};
        return true;
    case FORM_IMM8:
        *operand = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = get(word, isa->fields.imm8)};
        return true;
    case FORM_SMALL:
        *operand = (struct operand){.kind = OPERAND_IMMEDIATE, .bits = reg};
        return operand->bits <= form->maximum;
    case FORM_PREDICATE_DESTINATION:
    case FORM_PREDICATE_SOURCE:
        if (form->may_sink && is_dropped(isa, word, opcode, form)) {
            *operand = (struct operand){.kind = OPERAND_SINK};
            return true;
        }
        *operand = (struct operand){.kind = OPERAND_PREDICATE, .reg = reg & 15, .negated = reg >> 4 & 1};
        if (form->optional && form->kind == FORM_PREDICATE_SOURCE &&
            instruction->modifiers[GROUP_COMBINE] == 0)
            operand->kind = OPERAND_ABSENT;
        return reg < 32 && (form->kind == FORM_PREDICATE_SOURCE || reg < 16);
    default:
        break;
    }
    if (form->may_sink && (get(word, isa->fields.sinks) >> form->extra & 1)) {
        *operand = (struct operand){.kind = OPERAND_SINK};
        return true;
    }
    if (form->optional && index + get(word, isa->fields.omitted) >= opcode->form_count) {
        *operand = (struct operand){.kind = OPERAND_ABSENT};
        return true;
    }
    bool source = form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE;
    if (source && slot == literal_slot(form))
        return (opcode->may_literal >> form->letter & 1) && get_literal(isa, word, opcode, form, operand);
    *operand = (struct operand){.kind = OPERAND_REGISTER, .reg = (uint8_t)reg};
    return true;
}

/* A vector's last register must exist, and its operands' values must fit their types. */
static bool operands_are_sound(const struct instruction *instruction)
{
    const struct isa_opcode *opcode = instruction->opcode;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == OPERAND_REGISTER &&
            operand->reg + instruction_registers(instruction, i) > REGISTER_COUNT)
            return false;
        unsigned bits = type_bits(instruction_operand_type(instruction, i));
        if (operand->kind == OPERAND_IMMEDIATE && bits > 0 && bits < 64 && operand->bits >> bits)
            return false;
    }
    return true;
}

bool instruction_decode(const hx_isa *isa, const struct word *word, struct instruction *ret_instruction,
                        const char **ret_why)
{
    struct instruction instruction = {.opcode = isa->by_code[get(word, isa->fields.opcode) & 255],
                                      .guard = -1};
    *ret_why = "no opcode has this number";
    if (!instruction.opcode)
        return false;
    const struct isa_opcode *opcode = instruction.opcode;
    uint64_t type = get(word, isa->fields.type), source_type = get(word, isa->fields.source_type);
    instruction.type = type == TYPE_FIELD_NONE ? HX_TYPE_NONE : (uint8_t)type;
    instruction.source_type = opcode->source_types ? (uint8_t)source_type : HX_TYPE_NONE;
    *ret_why = "the opcode has no such type";
    if (type != TYPE_FIELD_NONE && type >= HX_TYPE_COUNT) /* the YAML may give types a wide field */
        return false;
    if (instruction.type == HX_TYPE_NONE ? opcode->types != 0 : !(opcode->types >> type & 1))
        return false;
    if (opcode->source_types && (source_type >= HX_TYPE_COUNT || !(opcode->source_types >> source_type & 1)))
        return false;
    uint64_t guard = get(word, isa->fields.guard);
    *ret_why = "there is no such guard";
    if (guard > 2 * PREDICATE_COUNT)
        return false;
    if (guard > 0) {
        instruction.guard = (int8_t)((guard - 1) / 2);
        instruction.guard_negated = (guard - 1) & 1;
    }
    *ret_why = "the opcode has no such modifier";
    for (int group = 0; group < GROUP_COUNT; group++) {
        if (!opcode->modifiers[group])
            continue;
        uint64_t value = get(word, isa->group_fields[group]);
        if (value > 0 && !(value < 64 && (opcode->modifiers[group] >> value & 1)))
            return false;
        instruction.modifiers[group] = (uint8_t)value;
    }
    *ret_why = "an operand is out of range";
    for (unsigned i = 0; i < opcode->form_count; i++)
        if (!get_operand(isa, word, &instruction, i, &instruction.operands[i]))
            return false;
    if (!operands_are_sound(&instruction))
        return false;
    *ret_why = "no row of the semantics fits the type and modifiers";
    if (instruction_semantic(&instruction) == SEMANTIC_NONE)
        return false;
    *ret_why = "bits are set that mean nothing";
    struct word again = instruction_encode(isa, &instruction);
    if (memcmp(&again, word, sizeof again) != 0)
        return false;
    *ret_instruction = instruction;
    *ret_why = NULL;
    return true;
}
