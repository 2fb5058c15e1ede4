/* Operands: from text to struct operand, by the form that the opcode wants at that place. */
#include "program/operands.h"

#include <ctype.h>
#include <string.h>

bool operand_register(struct slice text, char letter, unsigned count, uint8_t *ret_number)
{
    uint64_t number;
    if (text.length < 2 || tolower((unsigned char)text.at[0]) != letter ||
        !isdigit((unsigned char)text.at[1]))
        return false;
    if (number_parse_u64((struct slice){text.at + 1, text.length - 1}, &number) != NUMBER_OK ||
        number >= count)
        return false;
    *ret_number = (uint8_t)number;
    return true;
}

static bool looks_like(struct slice text, char letter)
{
    bool digits = text.length > 1 && tolower((unsigned char)text.at[0]) == letter;
    for (size_t i = 1; i < text.length; i++)
        digits = digits && isdigit((unsigned char)text.at[i]);
    return digits;
}

static void wrong_kind(struct assembly *assembly, struct piece piece, const char *wanted)
{
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_KIND, piece.place, NULL,
                                        "'" SLICE_FORMAT "' is not %s", SLICE_ARGS(piece.text), wanted));
}

/* A word that has the form of a register but names none gets a message of its own. */
static bool bad_register(struct assembly *assembly, struct piece piece)
{
    bool is_register = looks_like(piece.text, 'r'), is_predicate = looks_like(piece.text, 'p');
    if (is_register || is_predicate)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_REGISTER, piece.place, NULL,
                                            "there is no %s '" SLICE_FORMAT "': %s",
                                            is_register ? "register" : "predicate", SLICE_ARGS(piece.text),
                                            is_register ? "r0 to r255 are there" : "p0 to p15 are there"));
    return is_register || is_predicate;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static const char *symbol_at(void *user, size_t index)
{
    return program_symbol_name(user, (unsigned)index);
}

static const char *special_at(void *user, size_t index)
{
    (void)user;
    return special_name((enum special_register)index);
}

static void unknown_name(struct assembly *assembly, struct piece piece, const char *what, const char *near)
{
    struct text hint = {0};
    text_print(&hint, "did you mean '%c%s'?", piece.text.at[0], near ? near : "");
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NAME, piece.place, near ? hint.at : NULL,
                                        "there is no %s '" SLICE_FORMAT "'", what, SLICE_ARGS(piece.text)));
    text_done(&hint);
}

static bool find_parameter(struct assembly *assembly, struct piece piece, uint16_t *ret_symbol)
{
    struct slice name = {piece.text.at + 1, piece.text.length - 1};
    const char *known;
    for (unsigned i = 0; (known = program_symbol_name(assembly->program, i)); i++)
        if (slice_equal(name, known)) {
            *ret_symbol = (uint16_t)i;
            return true;
        }
    unknown_name(assembly, piece, "parameter or buffer", text_suggest(name, symbol_at, assembly->program));
    return false;
}

static bool find_in(const struct array_list *list, struct slice name, uint16_t *ret_symbol)
{
    for (size_t i = 0; i < list->count; i++)
        if (slice_equal(name, list->items[i].name)) {
            *ret_symbol = (uint16_t)i;
            return true;
        }
    return false;
}

/* Arrays that the kernel sees, by space. */
static enum hx_space find_array(const struct assembly *assembly, struct slice name, uint16_t *ret_symbol)
{
    if (find_in(&assembly->kernel->shared, name, ret_symbol))
        return SPACE_SHARED;
    if (find_in(&assembly->program->constants, name, ret_symbol))
        return SPACE_CONSTANT;
    return find_in(&assembly->kernel->local, name, ret_symbol) ? SPACE_LOCAL : SPACE_NONE;
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

static struct piece sub_piece(struct piece piece, size_t start, size_t length)
{
    struct slice part = {piece.text.at + start, length}, trimmed = slice_trim(part);
    struct place place = piece.place;
    place.column += (int)(trimmed.at - piece.text.at);
    place.length = (int)(trimmed.length ? trimmed.length : 1);
    return (struct piece){trimmed, place};
}

static void bad_address(struct assembly *assembly, struct piece piece, const char *why)
{
    assembly_note(assembly,
                  diag_report(assembly->diag, DIAG_ASM_ADDRESS, piece.place, "[base + index*scale + offset]",
                              "'" SLICE_FORMAT "': %s", SLICE_ARGS(piece.text), why));
}

static void read_base(struct assembly *assembly, const struct isa_opcode *opcode, struct piece piece,
                      struct operand *operand)
{
    static const enum address_base bases[] = {
        [SPACE_SHARED] = BASE_SHARED, [SPACE_CONSTANT] = BASE_CONSTANT, [SPACE_LOCAL] = BASE_LOCAL};
    if (operand_register(piece.text, 'r', REGISTER_COUNT, &operand->reg)) {
        operand->base_kind = BASE_REGISTER;
        return;
    }
    if (piece.text.length > 1 && piece.text.at[0] == '$') {
        operand->base_kind = BASE_PARAMETER;
        if (find_parameter(assembly, piece, &operand->symbol) && opcode->space != SPACE_GLOBAL &&
            operand->symbol >= assembly->program->param_count)
            bad_address(assembly, piece, "a buffer is in global memory, which this opcode does not reach");
        return;
    }
    if (bad_register(assembly, piece))
        return;
    enum hx_space space = find_array(assembly, piece.text, &operand->symbol);
    if (space == SPACE_NONE)
        unknown_name(assembly, piece, "shared, constant or local array", NULL);
    else if (space != opcode->space)
        bad_address(assembly, piece, "the array is in another space than the opcode's");
    else
        operand->base_kind = (uint8_t)bases[space];
}

/* r0, r0.u32, r0.i32, each perhaps with *scale. False when the term has no such form. */
static bool read_index(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    const char *star = memchr(piece.text.at, '*', piece.text.length);
    struct piece name = star ? sub_piece(piece, 0, (size_t)(star - piece.text.at)) : piece;
    uint64_t scale = 1;
    if (star) {
        struct piece factor = sub_piece(piece, (size_t)(star - piece.text.at) + 1,
                                        piece.text.length - (size_t)(star - piece.text.at) - 1);
        if (number_parse_u64(factor.text, &scale) != NUMBER_OK ||
            (scale != 1 && scale != 2 && scale != 4 && scale != 8 && scale != 16)) {
            bad_address(assembly, factor, "the scale must be 1, 2, 4, 8 or 16");
            return true;
        }
    }
    const char *dot = memchr(name.text.at, '.', name.text.length);
    struct slice type = {dot ? dot + 1 : "", dot ? (size_t)(name.text.at + name.text.length - dot - 1) : 0};
    struct slice bare = {name.text.at, dot ? (size_t)(dot - name.text.at) : name.text.length};
    uint8_t number;
    if (!operand_register(bare, 'r', REGISTER_COUNT, &number)) {
        if (star && !bad_register(assembly, (struct piece){bare, name.place}))
            bad_address(assembly, name, "the index must be a register");
        return star != NULL;
    }
    bool is_signed = slice_equal_nocase(type, "i32") || slice_equal_nocase(type, "s32"),
         is_unsigned = slice_equal_nocase(type, "u32");
    if (dot && !is_signed && !is_unsigned)
        bad_address(assembly, name, "an index is r0, r0.i32 or r0.u32");
    if (operand->index_kind != INDEX_NONE)
        bad_address(assembly, name, "there is an index already");
    operand->index_kind = is_signed ? INDEX_I32 : is_unsigned ? INDEX_U32 : INDEX_64;
    operand->index_reg = number;
    operand->scale = (uint8_t)scale;
    return true;
}

static void read_offset(struct assembly *assembly, struct piece piece, bool minus, struct operand *operand)
{
    bool negative;
    uint64_t magnitude;
    enum number_result result = number_parse_integer(piece.text, &negative, &magnitude);
    negative ^= minus;
    int64_t offset = result == NUMBER_OK && magnitude <= UINT32_MAX
                         ? (negative ? -(int64_t)magnitude : (int64_t)magnitude)
                         : INT64_MAX;
    if (offset != INT64_MAX)
        offset += operand->offset;
    if (offset > INT32_MAX || offset < INT32_MIN)
        bad_address(assembly, piece,
                    result == NUMBER_NOT_A_NUMBER ? "this is no register and no number"
                                                  : "the offset must fit 32 signed bits");
    else
        operand->offset = (int32_t)offset;
}

static void read_address(struct assembly *assembly, const struct isa_opcode *opcode, struct piece piece,
                         struct operand *operand)
{
    *operand = (struct operand){.kind = OPERAND_ADDRESS, .base_kind = BASE_NONE, .scale = 1};
    size_t length = piece.text.length;
    if (length < 3 || piece.text.at[0] != '[' || piece.text.at[length - 1] != ']') {
        wrong_kind(assembly, piece, "an address, such as [r0 + 4]");
        return;
    }
    bool minus = false, first = true;
    for (size_t start = 1; start < length;) {
        size_t end = start;
        while (end < length - 1 &&
               !(piece.text.at[end] == '+' ||
                 (piece.text.at[end] == '-' &&
                  slice_trim((struct slice){piece.text.at + start, end - start}).length > 0)))
            end++;
        struct piece term = sub_piece(piece, start, end - start);
        if (term.text.length == 0)
            bad_address(assembly, piece, "a term is missing");
        else if (first && !isdigit((unsigned char)term.text.at[0]) && term.text.at[0] != '-')
            read_base(assembly, opcode, term, operand);
        else if (minus || !read_index(assembly, term, operand))
            read_offset(assembly, term, minus, operand);
        first = false;
        minus = piece.text.at[end] == '-';
        start = end + 1;
    }
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

static void read_number(struct assembly *assembly, enum hx_type type, struct piece piece,
                        struct operand *operand)
{
    operand->kind = OPERAND_IMMEDIATE;
    enum number_result result = values_number_bits(piece.text, type, &operand->bits);
    if (result == NUMBER_OK)
        return;
    const char *why = result == NUMBER_LEADING_ZERO   ? "begins with 0: decimal or octal?"
                      : result == NUMBER_OUT_OF_RANGE ? "does not fit"
                                                      : "is not a number";
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NUMBER, piece.place, NULL,
                                        "'" SLICE_FORMAT "' %s: %s is wanted", SLICE_ARGS(piece.text), why,
                                        values_range(type)));
}

static void read_any(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    if (piece.text.at[0] == '%') {
        struct slice name = {piece.text.at + 1, piece.text.length - 1};
        int special = special_find(name);
        if (special < 0)
            unknown_name(assembly, piece, "special register", text_suggest(name, special_at, NULL));
        *operand = (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)(special < 0 ? 0 : special)};
        return;
    }
    enum hx_space space = find_array(assembly, piece.text, &operand->symbol);
    if (space == SPACE_NONE)
        unknown_name(assembly, piece, "array", NULL);
    operand->kind = OPERAND_ARRAY;
    operand->space = (uint8_t)space;
}

static void read_source(struct assembly *assembly, const struct instruction *instruction, unsigned index,
                        struct piece piece, struct operand *operand)
{
    const struct form *form = &instruction->opcode->forms[index];
    bool may_literal = instruction->opcode->may_literal >> form->letter & 1;
    if (operand_register(piece.text, 'r', REGISTER_COUNT, &operand->reg)) {
        operand->kind = OPERAND_REGISTER;
        return;
    }
    if (bad_register(assembly, piece))
        return;
    char c = piece.text.at[0];
    bool number = isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.' ||
                  slice_equal_nocase(piece.text, "inf") || slice_equal_nocase(piece.text, "nan");
    if (!may_literal)
        wrong_kind(assembly, piece,
                   c == '$' || number ? "possible here: a register is wanted (move it there with mov)"
                                      : "a register");
    else if (c == '$') {
        operand->kind = OPERAND_PARAMETER;
        (void)find_parameter(assembly, piece, &operand->symbol);
    } else if (number)
        read_number(assembly, instruction_operand_type(instruction, index), piece, operand);
    else if (form->kind == FORM_ANY_SOURCE)
        read_any(assembly, piece, operand);
    else
        wrong_kind(assembly, piece,
                   c == '%' ? "possible here: move the special register to a register with mov"
                            : "a register, number or $parameter");
}

static void read_small(struct assembly *assembly, uint64_t most, struct piece piece, struct operand *operand)
{
    operand->kind = OPERAND_IMMEDIATE;
    if (number_parse_u64(piece.text, &operand->bits) != NUMBER_OK || operand->bits > most)
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NUMBER, piece.place, NULL,
                                            "'" SLICE_FORMAT "' is not a number from 0 to %llu",
                                            SLICE_ARGS(piece.text), (unsigned long long)most));
}

static void read_predicate(struct assembly *assembly, bool may_negate, struct piece piece,
                           struct operand *operand)
{
    struct slice name = piece.text;
    operand->kind = OPERAND_PREDICATE;
    if (may_negate && name.at[0] == '!') {
        operand->negated = true;
        name = slice_trim((struct slice){name.at + 1, name.length - 1});
    }
    if (!operand_register(name, 'p', PREDICATE_COUNT, &operand->reg) &&
        !bad_register(assembly, (struct piece){name, piece.place}))
        wrong_kind(assembly, piece, may_negate ? "a predicate, p0 or !p0" : "a predicate, p0 to p15");
}

void operand_read(struct assembly *assembly, struct instruction *instruction, unsigned index,
                  struct piece piece)
{
    const struct form *form = &instruction->opcode->forms[index];
    struct operand *operand = &instruction->operands[index];
    *operand = (struct operand){0};
    if (piece.text.length == 0) {
        wrong_kind(assembly, piece, "an operand");
        return;
    }
    switch (form->kind) {
    case FORM_DESTINATION:
    case FORM_READ_WRITE:
        operand->kind = OPERAND_REGISTER;
        if (form->may_sink && slice_equal(piece.text, "_"))
            operand->kind = OPERAND_SINK;
        else if (!operand_register(piece.text, 'r', REGISTER_COUNT, &operand->reg) &&
                 !bad_register(assembly, piece))
            wrong_kind(assembly, piece, "a register, r0 to r255");
        break;
    case FORM_SOURCE:
    case FORM_ANY_SOURCE:
        read_source(assembly, instruction, index, piece, operand);
        break;
    case FORM_PREDICATE_DESTINATION:
    case FORM_PREDICATE_SOURCE:
        read_predicate(assembly, form->kind == FORM_PREDICATE_SOURCE, piece, operand);
        break;
    case FORM_ADDRESS:
        read_address(assembly, instruction->opcode, piece, operand);
        break;
    case FORM_SMALL:
        read_small(assembly, form->maximum, piece, operand);
        break;
    case FORM_IMM8:
        read_small(assembly, 255, piece, operand);
        break;
    case FORM_LABEL:
        operand->kind = OPERAND_TARGET;
        break;
    }
}
