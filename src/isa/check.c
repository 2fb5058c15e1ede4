/* What entries mean: rows and variants of the semantics, and whether forms, types, modifiers and the encoding
 * fit.
 *
 * Every check reads the shapes and sets that the semantics' rows are written in; none knows an opcode. */
#include "isa/load.h"

#include <string.h>

static struct place place_of(const struct yaml_node *node, const char *key)
{
    const struct yaml_node *child = yaml_get(node, key);
    return child ? child->place : node->place;
}

/* ---- Modifiers and variants ---------------------------------------------------------------------------- */

/* Modifiers that change nothing, or that lowering does with micro-ops of their own. */
static bool is_generic(const struct isa_opcode *opcode, int group, unsigned value)
{
    bool has_float = false;
    for (int type = 0; type < HX_TYPE_COUNT; type++)
        has_float |= ((opcode->types | opcode->source_types) >> type & 1) &&
                     type_is_float(type_half((enum hx_type)type));
    switch ((enum modifier_group)group) {
    case GROUP_ROUNDING:
        return value == ROUNDING_RN || (value <= ROUNDING_RP && opcode->has_directed);
    case GROUP_SATURATE:
    case GROUP_FLUSH:
        return has_float;
    case GROUP_APPROX:
        return true;
    case GROUP_NOFTZ:
        return has_float;
    case GROUP_CACHE:
        return shape_is_memory(opcode->shape) || opcode->shape == SHAPE_FLOW;
    case GROUP_VECTOR:
        return opcode->shape == SHAPE_LOAD || opcode->shape == SHAPE_STORE;
    case GROUP_COMBINE:
        return opcode->shape == SHAPE_COMPARE;
    case GROUP_SCOPE:
        return opcode->shape == SHAPE_FLOW || shape_is_memory(opcode->shape);
    case GROUP_TILE:
        return opcode->shape == SHAPE_MATRIX;
    case GROUP_PRIORITY:
    case GROUP_REST:
        return opcode->shape == SHAPE_POLICY || opcode->shape == SHAPE_POLICY_RANGE;
    default:
        return false;
    }
}

static void find_variants(struct isa_loading *loading, struct isa_opcode *opcode,
                          const struct yaml_node *node)
{
    struct slice base = slice_of(opcode->semantics_name);
    struct isa_variant *variants = ARENA_ARRAY(&loading->isa->arena, struct isa_variant, 64);
    if (!variants) {
        isa_note(loading, diag_no_memory(loading->diag));
        return;
    }
    opcode->variants = variants;
    int directed = semantic_find_variant(base, slice_of("directed"));
    opcode->has_directed = directed != SEMANTIC_NONE;
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++) {
            if (!(opcode->modifiers[group] >> value & 1))
                continue;
            int row = semantic_find_variant(base, slice_of(modifier_text(group, value)));
            if (row != SEMANTIC_NONE && opcode->variant_count < 64)
                variants[opcode->variant_count++] =
                    (struct isa_variant){(uint8_t)group, (uint8_t)value, (int16_t)row};
            else if (!is_generic(opcode, group, value))
                isa_note(loading, diag_report(loading->diag, DIAG_ISA_MODIFIER, place_of(node, "modifiers"),
                                              NULL, "semantics '%s' can do nothing with modifier '%s'",
                                              opcode->semantics_name, modifier_text(group, value)));
        }
}

/* ---- Types and forms ----------------------------------------------------------------------------------- */

/* The packed types that lowering makes of a row over their halves: where there are operands of one type, and
 * comparisons into a register. */
static uint32_t packed_types(const struct isa_opcode *opcode, uint32_t types)
{
    const enum semantic_shape shape = opcode->shape;
    const bool is_split = shape == SHAPE_UNARY || shape == SHAPE_BINARY || shape == SHAPE_TERNARY ||
                          (shape == SHAPE_COMPARE && opcode->source_types != 0);
    return is_split ? (types & TYPE_BIT(HX_TYPE_F16) ? TYPE_BIT(HX_TYPE_F16X2) : 0) |
                          (types & TYPE_BIT(HX_TYPE_BF16) ? TYPE_BIT(HX_TYPE_BF16X2) : 0)
                    : 0;
}

/* The union over the rows that an entry may mean. */
static void row_types(const struct isa_opcode *opcode, uint32_t *types, uint32_t *source_types)
{
    const struct semantic *row = semantic_at(opcode->semantic);
    *types = row ? row->types : 0;
    *source_types = row ? row->source_types : 0;
    for (size_t i = 0; i < opcode->variant_count; i++) {
        *types |= semantic_at(opcode->variants[i].semantic)->types;
        *source_types |= semantic_at(opcode->variants[i].semantic)->source_types;
    }
    *types |= packed_types(opcode, *types);
    if (opcode->shape == SHAPE_MATRIX &&
        (*types & TYPE_BIT(HX_TYPE_F32))) /* sums are rounded to f16 at the end */
        *types |= TYPE_BIT(HX_TYPE_F16);
}

/* Rows over two types. */
static bool has_source_type(const struct isa_opcode *opcode)
{
    return opcode->shape == SHAPE_CONVERT || opcode->shape == SHAPE_CHOOSE;
}

/* A comparison whose result is a register, a pack or an unpack: the row's type is the source's. */
static bool types_are_swapped(const struct isa_opcode *opcode)
{
    return !has_source_type(opcode) && opcode->source_types != 0;
}

static void check_types(struct isa_loading *loading, const struct isa_opcode *opcode,
                        const struct yaml_node *node)
{
    uint32_t types, source_types;
    row_types(opcode, &types, &source_types);
    uint32_t missing = opcode->types & ~types;
    if (types_are_swapped(opcode))
        missing = opcode->shape == SHAPE_HALF ? opcode->types & ~types : opcode->source_types & ~types;
    else if (has_source_type(opcode))
        missing |= opcode->source_types & ~source_types;
    if (opcode->shape == SHAPE_FLOW)
        missing = 0;
    if (missing)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_TYPE, place_of(node, "types"), NULL,
                                      "semantics '%s' is not written over type %s", opcode->semantics_name,
                                      hx_type_name((hx_type)__builtin_ctz(missing))));
    bool needs_type = types != 0 && !(types & TYPE_BIT(HX_TYPE_PRED));
    if (needs_type && opcode->types == 0)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_TYPE, node->place, NULL,
                                      "opcode '%s' needs types", opcode->mnemonic));
    if (has_source_type(opcode) && opcode->source_types == 0)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_TYPE, node->place, NULL,
                                      "opcode '%s' needs source_types", opcode->mnemonic));
}

/* Has the semantics an operand of this letter? */
static bool shape_has(const struct isa_opcode *opcode, enum semantic_operand letter)
{
    enum hx_type probe = opcode->shape == SHAPE_TEST || opcode->shape == SHAPE_COMPARE || (opcode->types == 0)
                             ? HX_TYPE_U32
                             : (hx_type)__builtin_ctz(opcode->types);
    return semantic_operand_type(opcode->shape, letter, probe, probe) != HX_TYPE_NONE;
}

/* Letters that a form may have beyond its shape's: those of micro-op sequences that lowering makes. */
static bool letter_fits(const struct isa_opcode *opcode, const struct form *form)
{
    switch (opcode->shape) {
    case SHAPE_FLOW:
        return form->kind == FORM_ADDRESS || form->kind == FORM_LABEL || form->kind == FORM_READ_WRITE ||
               form->kind == FORM_SMALL || form->kind == FORM_SOURCE || form->kind == FORM_DESTINATION ||
               form->kind == FORM_PREDICATE_DESTINATION || form->kind == FORM_PREDICATE_SOURCE;
    case SHAPE_LOAD:
    case SHAPE_STORE:
        return form->kind == FORM_ADDRESS ||
               (form->letter == (opcode->shape == SHAPE_LOAD ? OPERAND_D : OPERAND_C));
    case SHAPE_ATOMIC:
    case SHAPE_CAS:
        return form->kind == FORM_ADDRESS || form->kind == FORM_DESTINATION ||
               (form->kind == FORM_SOURCE &&
                (form->letter == OPERAND_C || (form->letter == OPERAND_F && opcode->shape == SHAPE_CAS)));
    case SHAPE_PAIR:
    case SHAPE_HALF:
        return form->letter == OPERAND_D || form->kind == FORM_SOURCE;
    case SHAPE_COMPARE:
        if (form->letter == OPERAND_E)
            return form->kind == FORM_PREDICATE_DESTINATION && opcode->forms[0].kind == form->kind;
        return form->letter != OPERAND_F;
    case SHAPE_POLICY_RANGE:
        return form->kind == FORM_ADDRESS || (form->letter != OPERAND_A && shape_has(opcode, form->letter));
    default:
        if (form->kind == FORM_IMM8)
            return opcode->shape == SHAPE_TERNARY;
        return form->extra == 0 && form->kind != FORM_LABEL && form->kind != FORM_SMALL &&
               form->kind != FORM_ADDRESS && shape_has(opcode, form->letter);
    }
}

/* Every operand of the semantics must be written, and each once. */
static void check_letters(struct isa_loading *loading, const struct isa_opcode *opcode,
                          const struct yaml_node *node)
{
    static const char letters[OPERAND_LETTERS] = {'d', 'e', 'a', 'b', 'c', 'f'};
    uint8_t seen[OPERAND_LETTERS] = {0}; /* bit sets of `extra` */
    char text[16];
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        if (form->kind == FORM_LABEL || form->kind == FORM_SMALL || form->kind == FORM_IMM8)
            continue;
        form_print(form, text);
        if (seen[form->letter] >> form->extra & 1)
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_FORM, yaml_at(yaml_get(node, "operands"), i)->place,
                                 NULL, "operand '%s' has the letter of one before it", text));
        seen[form->letter] |= (uint8_t)(1u << form->extra);
    }
    const bool is_memory = shape_is_memory(opcode->shape);
    for (int letter = 0; letter < OPERAND_LETTERS && opcode->shape != SHAPE_FLOW; letter++) {
        bool needed = shape_has(opcode, (enum semantic_operand)letter);
        if (is_memory)
            needed = letter == OPERAND_A || letter == (opcode->shape == SHAPE_LOAD ? OPERAND_D : OPERAND_C) ||
                     (letter == OPERAND_F && opcode->shape == SHAPE_CAS);
        if (opcode->shape == SHAPE_CHECK && letter == OPERAND_C)
            continue; /* sets of before that have no values for messages remain right */
        if (needed && !seen[letter])
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_FORM, place_of(node, "operands"), NULL,
                                          "semantics '%s' needs an operand '%c'", opcode->semantics_name,
                                          letters[letter]));
    }
}

/* False when some form is none, or does not fit. */
static bool check_forms(struct isa_loading *loading, struct isa_opcode *opcode, const struct yaml_node *node)
{
    bool wide = false, all_fit = yaml_get(node, "operands")->count == opcode->form_count;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const struct form *form = &opcode->forms[i];
        char text[16];
        form_print(form, text);
        const bool fits = letter_fits(opcode, form);
        all_fit = all_fit && fits;
        if (!fits)
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_FORM, yaml_at(yaml_get(node, "operands"), i)->place,
                                 NULL, "operand '%s' does not fit semantics '%s'", text,
                                 opcode->semantics_name));
        bool source = form->kind == FORM_SOURCE || form->kind == FORM_ANY_SOURCE;
        if (source && !form->register_only)
            opcode->may_literal |= (uint8_t)(1u << form->letter);
        wide |= form->kind == FORM_IMM8 || form->kind == FORM_LABEL || form->kind == FORM_ADDRESS;
    }
    bool has_address = shape_is_memory(opcode->shape);
    if (wide || has_address) /* the immediate is taken */
        opcode->may_literal = 0;
    return all_fit;
}

void isa_check_opcode(struct isa_loading *loading, struct isa_opcode *opcode, const struct yaml_node *node)
{
    opcode->semantic = SEMANTIC_NONE;
    opcode->shape = SHAPE_FLOW;
    bool is_macro = opcode->expansion_count > 0;
    if (is_macro) {
        if (opcode->code >= 0 || opcode->semantics_name[0])
            isa_note(loading,
                     diag_report(loading->diag, DIAG_ISA_MACRO, opcode->place, NULL,
                                 "macro-opcode '%s' has neither code nor semantics", opcode->mnemonic));
        for (unsigned i = 0; i < opcode->form_count; i++)
            opcode->may_literal |= (uint8_t)(1u << opcode->forms[i].letter);
        return;
    }
    if (opcode->code < 0)
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_CODE, opcode->place, NULL,
                                      "opcode '%s' has no code", opcode->mnemonic));
    struct slice name = slice_of(opcode->semantics_name);
    if (!semantic_is_family(name)) {
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_SEMANTICS, place_of(node, "semantics"), NULL,
                                      "there are no semantics '%s'", opcode->semantics_name));
        return;
    }
    int row = semantic_find(name);
    if (row == SEMANTIC_NONE) { /* a family: any member tells the shape */
        for (row = 0; row < SEMANTIC_COUNT; row++) {
            struct slice member = slice_of(semantic_at(row)->name);
            if (member.length > name.length && memcmp(member.at, name.at, name.length) == 0 &&
                member.at[name.length] == '_')
                break;
        }
        opcode->shape = semantic_at(row)->shape;
    } else {
        opcode->semantic = (int16_t)row;
        opcode->shape = semantic_at(row)->shape;
        opcode->space = semantic_at(row)->space;
    }
    find_variants(loading, opcode, node);
    if (opcode->shape == SHAPE_HALF &&
        opcode->semantic == SEMANTIC_NONE) /* unpack: the low half comes first */
        opcode->semantic = (int16_t)semantic_find_variant(name, slice_of("low"));
    check_types(loading, opcode, node);
    if (check_forms(loading, opcode, node))
        check_letters(loading, opcode, node);
}

/* ---- Across entries ------------------------------------------------------------------------------------ */

static bool names_meet(const struct isa_opcode *a, const struct isa_opcode *b)
{
    for (size_t i = 0; i <= a->alias_count; i++)
        for (size_t j = 0; j <= b->alias_count; j++)
            if (strcmp(i ? a->aliases[i - 1] : a->mnemonic, j ? b->aliases[j - 1] : b->mnemonic) == 0)
                return true;
    return false;
}

static bool types_meet(const struct isa_opcode *a, const struct isa_opcode *b)
{
    bool types = (a->types & b->types) || (a->types == 0 && b->types == 0);
    bool sources = (a->source_types & b->source_types) || (a->source_types == 0 && b->source_types == 0);
    return types && sources;
}

/* Follows macro-opcodes; `depth` bounds the walk, so that a cycle is found by running out of it. */
static bool macro_ends(const hx_isa *isa, const struct isa_opcode *opcode, size_t depth)
{
    if (depth == 0)
        return false;
    for (size_t i = 0; i < opcode->expansion_count; i++) {
        struct slice line = slice_trim(slice_of(opcode->expansion[i]));
        size_t length = 0;
        while (length < line.length && line.at[length] != ' ' && line.at[length] != '\t')
            length++;
        struct slice name = {line.at, length};
        while (name.length > 0 && !isa_has_mnemonic(isa, name))
            name.length = name.length > 0 ? name.length - 1 : 0;
        for (size_t k = 0; k < isa->opcode_count; k++) {
            const struct isa_opcode *other = &isa->opcodes[k];
            if (slice_equal(name, other->mnemonic) && other->expansion_count > 0 &&
                !macro_ends(isa, other, depth - 1))
                return false;
        }
    }
    return true;
}

static void check_macro(struct isa_loading *loading, const struct isa_opcode *opcode)
{
    for (size_t i = 0; i < opcode->expansion_count; i++) {
        struct slice line = slice_trim(slice_of(opcode->expansion[i]));
        size_t length = 0;
        while (length < line.length && line.at[length] != '{' && line.at[length] != ' ')
            length++;
        struct slice name = {line.at, length};
        while (name.length > 0 && !isa_has_mnemonic(loading->isa, name))
            name.length--;
        if (name.length == 0)
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_MACRO, opcode->place, NULL,
                                          "macro-opcode '%s': no opcode begins line %zu, '%s'",
                                          opcode->mnemonic, i + 1, opcode->expansion[i]));
    }
    if (!macro_ends(loading->isa, opcode, 16))
        isa_note(loading, diag_report(loading->diag, DIAG_ISA_MACRO, opcode->place, NULL,
                                      "macro-opcode '%s' expands to itself", opcode->mnemonic));
}

void isa_check_set(struct isa_loading *loading)
{
    hx_isa *isa = loading->isa;
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        if (opcode->code >= 0 && isa->by_code[opcode->code])
            isa_note(loading, diag_report_noted(loading->diag, DIAG_ISA_CODE, opcode->place, NULL,
                                                isa->by_code[opcode->code]->place, "the first one is here",
                                                "code %d of '%s' is taken by '%s'", opcode->code,
                                                opcode->mnemonic, isa->by_code[opcode->code]->mnemonic));
        else if (opcode->code >= 0)
            isa->by_code[opcode->code] = opcode;
        for (size_t j = 0; j < i; j++)
            if (names_meet(opcode, &isa->opcodes[j]) && types_meet(opcode, &isa->opcodes[j]))
                isa_note(loading,
                         diag_report_noted(loading->diag, DIAG_ISA_CLASH, opcode->place, NULL,
                                           isa->opcodes[j].place, "the other entry is here",
                                           "'%s' is given twice for the same types", opcode->mnemonic));
        const char *first, *second;
        if (opcode->expansion_count == 0 && !isa_word_bits(isa, opcode, &first, &second))
            isa_note(loading, diag_report(loading->diag, DIAG_ISA_ENCODING, opcode->place, NULL,
                                          "in '%s' the fields '%s' and '%s' share bits", opcode->mnemonic,
                                          first, second));
        check_macro(loading, opcode);
    }
}
