/* Operands: from text to struct operand, by the form that the opcode wants at that place.
 *
 * Takes a piece of a line and a form, leaves the decoded operand, or says at the piece itself what is wrong
 * with it. Numbers are checked against the type that the form's letter has in the opcode's shape. */
#include "asm/assembly.h"

#include <string.h>

bool operand_guard(struct slice text, struct instruction *instruction)
{
    const bool negated = text.length > 1 && text.at[1] == '!';
    const size_t skip = 1u + negated;
    uint8_t number;
    if (text.length <= skip || text.at[0] != '@' ||
        !register_read((struct slice){text.at + skip, text.length - skip}, 'p', PREDICATE_COUNT, &number))
        return false;
    instruction->guard = (int8_t)number;
    instruction->guard_negated = negated;
    return true;
}

/* ---- Complaints ---------------------------------------------------------------------------------------- */

static bool looks_like(struct slice text, char letter)
{
    bool digits = text.length > 1 && (text.at[0] | 0x20) == letter;
    for (size_t i = 1; i < text.length; i++)
        digits = digits && text_is_digit(text.at[i]);
    return digits;
}

static void wrong_kind(struct assembly *assembly, struct piece piece, const char *wanted)
{
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_KIND, piece.place, NULL,
                                        "'" SLICE_FORMAT "' is not %s", SLICE_ARGS(piece.text), wanted));
}

/* A word that has the form of a register (letter r) or predicate (p), but names none, gets a message of its
 * own. */
static bool bad_register(struct assembly *assembly, struct piece piece, char letter)
{
    if (!looks_like(piece.text, letter))
        return false;
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_REGISTER, piece.place,
                                        letter == 'r' ? "r0 to r255 are there" : "p0 to p15 are there",
                                        "there is no %s '" SLICE_FORMAT "'",
                                        letter == 'r' ? "register" : "predicate", SLICE_ARGS(piece.text)));
    return true;
}

/* `lead`: what stands before the name and is no part of it, '$' or '%'. */
static void unknown_name(struct assembly *assembly, struct piece piece, const char *what, const char *lead,
                         const char *near)
{
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    text_print(&hint, "did you mean '%s%s'?", lead, near ? near : "");
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NAME, piece.place, near ? hint.at : NULL,
                                        "there is no %s '" SLICE_FORMAT "'", what, SLICE_ARGS(piece.text)));
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

static const char *array_at(void *user, size_t index)
{
    const struct assembly *assembly = user;
    const struct array_list *lists[] = {&assembly->kernel->shared, &assembly->program->constants,
                                        &assembly->kernel->local};
    for (size_t i = 0; i < HX_COUNT_OF(lists); index -= lists[i++]->count)
        if (index < lists[i]->count)
            return lists[i]->items[index].name;
    return NULL;
}

static bool find_parameter(struct assembly *assembly, struct piece piece, uint16_t *ret_symbol)
{
    const struct slice name = {piece.text.at + 1, piece.text.length - 1};
    const struct name *found = names_find(&assembly->symbols, name);
    if (!found) {
        unknown_name(assembly, piece, "parameter or buffer", "$",
                     text_suggest(name, symbol_at, assembly->program));
        return false;
    }
    *ret_symbol = (uint16_t)found->number;
    return true;
}

/* Arrays that the kernel sees, by space. */
static enum hx_space find_array(const struct assembly *assembly, struct slice name, uint16_t *ret_symbol)
{
    const struct name *found = names_find(&assembly->arrays, name);
    if (!found)
        return SPACE_NONE;
    *ret_symbol = (uint16_t)(found->number / SPACE_COUNT);
    return (enum hx_space)(found->number % SPACE_COUNT);
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

static void bad_address(struct assembly *assembly, struct piece piece, const char *why)
{
    assembly_note(assembly,
                  diag_report(assembly->diag, DIAG_ASM_ADDRESS, piece.place, "[base + index*scale + offset]",
                              "'" SLICE_FORMAT "': %s", SLICE_ARGS(piece.text), why));
}

static void read_base(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    static const enum address_base bases[] = {[SPACE_NONE] = BASE_NONE,
                                              [SPACE_SHARED] = BASE_SHARED,
                                              [SPACE_CONSTANT] = BASE_CONSTANT,
                                              [SPACE_LOCAL] = BASE_LOCAL};
    if (register_read(piece.text, 'r', REGISTER_COUNT, &operand->reg)) {
        operand->base_kind = BASE_REGISTER;
    } else if (piece.text.at[0] == '$') {
        if (find_parameter(assembly, piece, &operand->symbol))
            operand->base_kind = BASE_PARAMETER;
    } else if (memchr(piece.text.at, '*', piece.text.length)) {
        bad_address(assembly, piece, "a base comes first: a register, a $buffer or an array");
    } else if (!bad_register(assembly, piece, 'r')) {
        const enum hx_space space = find_array(assembly, piece.text, &operand->symbol);
        operand->base_kind = (uint8_t)bases[space];
        if (space == SPACE_NONE)
            unknown_name(assembly, piece, "shared, constant or local array", "",
                         text_suggest(piece.text, array_at, assembly));
    }
}

static bool read_scale(struct assembly *assembly, struct piece factor, struct operand *operand)
{
    uint64_t scale = 0;
    if (number_parse_u64(factor.text, &scale) != NUMBER_OK || scale == 0 || scale > 16 ||
        (scale & (scale - 1)) != 0) {
        bad_address(assembly, factor, "the scale must be 1, 2, 4, 8 or 16");
        return false;
    }
    operand->scale = (uint8_t)scale;
    return true;
}

/* r0, r0.u32, r0.i32, each perhaps with *scale. False when the term has no such form. */
static bool read_index(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    const char *star = memchr(piece.text.at, '*', piece.text.length);
    const size_t length = star ? (size_t)(star - piece.text.at) : piece.text.length;
    const struct piece name = piece_part(piece, 0, length);
    const char *dot = memchr(name.text.at, '.', name.text.length);
    const struct piece bare = piece_part(name, 0, dot ? (size_t)(dot - name.text.at) : name.text.length);
    const struct slice type = {dot ? dot + 1 : "",
                               dot ? (size_t)(name.text.at + name.text.length - dot - 1) : 0};
    uint8_t number;
    if (!register_read(bare.text, 'r', REGISTER_COUNT, &number)) {
        const bool is_bad = bad_register(assembly, bare, 'r');
        if (star && !is_bad)
            bad_address(assembly, name, "the index must be a register");
        return star || is_bad;
    }
    if (star && !read_scale(assembly, piece_part(piece, length + 1, piece.text.length - length - 1), operand))
        return true;
    const bool is_signed = slice_equal_nocase(type, "i32") || slice_equal_nocase(type, "s32"),
               is_unsigned = slice_equal_nocase(type, "u32");
    if (dot && !is_signed && !is_unsigned)
        bad_address(assembly, name, "an index is r0, r0.i32 or r0.u32");
    if (operand->index_kind != INDEX_NONE)
        bad_address(assembly, name, "there is an index already");
    operand->index_kind = is_signed ? INDEX_I32 : is_unsigned ? INDEX_U32 : INDEX_64;
    operand->index_reg = number;
    return true;
}

static void read_offset(struct assembly *assembly, struct piece piece, bool minus, struct operand *operand)
{
    bool negative = false;
    uint64_t magnitude = 0;
    uint8_t number;
    const enum number_result result = number_parse_integer(piece.text, &negative, &magnitude);
    int64_t offset = INT64_MAX;
    if (result == NUMBER_OK && magnitude <= UINT32_MAX)
        offset = operand->offset + (negative != minus ? -(int64_t)magnitude : (int64_t)magnitude);
    if (result == NUMBER_NOT_A_NUMBER && register_read(piece.text, 'r', REGISTER_COUNT, &number))
        bad_address(assembly, piece, "an index can be added only");
    else if (result == NUMBER_NOT_A_NUMBER)
        bad_address(assembly, piece, "this is no register and no number");
    else if (result == NUMBER_LEADING_ZERO)
        bad_address(assembly, piece, "a number begins with 0: decimal or octal?");
    else if (offset > INT32_MAX || offset < INT32_MIN)
        bad_address(assembly, piece, "the offset must fit 32 signed bits");
    else
        operand->offset = (int32_t)offset;
}

/* Where the term that begins at `start` ends: at a sign that does not begin the term, or at the bracket. */
static size_t term_end(struct slice text, size_t start)
{
    size_t end = start;
    while (end < text.length && text_is_blank(text.at[end]))
        end++;
    if (end < text.length && text.at[end] == '-')
        end++;
    while (end < text.length && text.at[end] != '+' && text.at[end] != '-')
        end++;
    return end;
}

static void read_address(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    *operand = (struct operand){.kind = OPERAND_ADDRESS, .base_kind = BASE_NONE, .scale = 1};
    const size_t length = piece.text.length;
    if (piece.text.at[0] != '[') {
        wrong_kind(assembly, piece, "an address, such as [r0 + 4]");
        return;
    }
    if (length < 2 || piece.text.at[length - 1] != ']' ||
        memchr(piece.text.at, ']', length) != piece.text.at + length - 1) {
        bad_address(assembly, piece, "a bracket is missing, or too many are there");
        return;
    }
    const struct piece inside = piece_part(piece, 1, length - 2);
    bool minus = false;
    for (size_t start = 0; start <= inside.text.length;) {
        const size_t end = term_end(inside.text, start);
        const struct piece term = piece_part(inside, start, end - start);
        const char c = term.text.length > 0 ? term.text.at[0] : 0;
        if (term.text.length == 0)
            bad_address(assembly, start == 0 ? piece : term,
                        start == 0 ? "it is empty" : "a term is missing");
        else if (start == 0 && !text_is_digit(c) && c != '-')
            read_base(assembly, term, operand);
        else if (minus || !read_index(assembly, term, operand))
            read_offset(assembly, term, minus, operand);
        minus = end < inside.text.length && inside.text.at[end] == '-';
        start = end + 1;
    }
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

static void read_number(struct assembly *assembly, enum hx_type type, struct piece piece,
                        struct operand *operand)
{
    operand->kind = OPERAND_IMMEDIATE;
    const enum number_result result = values_immediate_bits(piece.text, type, &operand->bits);
    if (result == NUMBER_OK)
        return;
    const char *why = result == NUMBER_LEADING_ZERO   ? "begins with 0: decimal or octal?"
                      : result == NUMBER_OUT_OF_RANGE ? "does not fit"
                                                      : "is not right here";
    struct text hint HX_AUTO(text_done) = assembly_text(assembly);
    text_print(&hint, "%s is wanted", values_immediate_range(type));
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NUMBER, piece.place, hint.at,
                                        "'" SLICE_FORMAT "' %s", SLICE_ARGS(piece.text), why));
}

static void read_special(struct assembly *assembly, struct piece piece, struct operand *operand)
{
    const struct slice name = {piece.text.at + 1, piece.text.length - 1};
    const int special = special_find(name);
    if (special < 0)
        unknown_name(assembly, piece, "special register", "%", text_suggest(name, special_at, NULL));
    *operand = (struct operand){.kind = OPERAND_SPECIAL, .symbol = (uint16_t)(special < 0 ? 0 : special)};
}

static bool is_number(struct slice text)
{
    const char c = text.at[0];
    return text_is_digit(c) || c == '-' || c == '+' || c == '.' || slice_equal_nocase(text, "inf") ||
           slice_equal_nocase(text, "nan");
}

/* Anything but a register, where any such thing may stand. */
static void read_literal(struct assembly *assembly, const struct instruction *instruction, unsigned index,
                         struct piece piece, struct operand *operand)
{
    const bool any = instruction->opcode->forms[index].kind == FORM_ANY_SOURCE;
    const char c = piece.text.at[0];
    if (is_number(piece.text)) {
        read_number(assembly, instruction_operand_type(instruction, index), piece, operand);
    } else if (c == '$') {
        operand->kind = OPERAND_PARAMETER;
        (void)find_parameter(assembly, piece, &operand->symbol);
    } else if (any && c == '%') {
        read_special(assembly, piece, operand);
    } else if (any) {
        const enum hx_space space = find_array(assembly, piece.text, &operand->symbol);
        operand->kind = OPERAND_ARRAY;
        operand->space = (uint8_t)space;
        if (space == SPACE_NONE)
            unknown_name(assembly, piece, "array", "", text_suggest(piece.text, array_at, assembly));
    } else {
        wrong_kind(assembly, piece,
                   c == '%' ? "possible here: move the special register to a register first (mov)"
                            : "a register, number or $parameter");
    }
}

static void read_source(struct assembly *assembly, const struct instruction *instruction, unsigned index,
                        struct piece piece, struct operand *operand)
{
    const struct form *form = &instruction->opcode->forms[index];
    operand->kind = OPERAND_REGISTER;
    if (register_read(piece.text, 'r', REGISTER_COUNT, &operand->reg) || bad_register(assembly, piece, 'r'))
        return;
    if (instruction->opcode->may_literal >> form->letter & 1)
        read_literal(assembly, instruction, index, piece, operand);
    else if (piece.text.at[0] == '$' || is_number(piece.text))
        wrong_kind(assembly, piece, "possible here: a register is wanted, move it there first (mov)");
    else
        wrong_kind(assembly, piece, "a register");
}

/* ---- The rest ------------------------------------------------------------------------------------------ */

static void read_small(struct assembly *assembly, uint64_t most, struct piece piece, struct operand *operand)
{
    operand->kind = OPERAND_IMMEDIATE;
    const enum number_result result = number_parse_u64(piece.text, &operand->bits);
    if (result == NUMBER_OK && operand->bits <= most)
        return;
    operand->bits = 0;
    assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_NUMBER, piece.place, NULL,
                                        "'" SLICE_FORMAT "' is not a number from 0 to %llu",
                                        SLICE_ARGS(piece.text), (unsigned long long)most));
}

static void read_register(struct assembly *assembly, bool may_sink, struct piece piece,
                          struct operand *operand)
{
    operand->kind = OPERAND_REGISTER;
    if (may_sink && slice_equal(piece.text, "_"))
        operand->kind = OPERAND_SINK;
    else if (!register_read(piece.text, 'r', REGISTER_COUNT, &operand->reg) &&
             !bad_register(assembly, piece, 'r'))
        wrong_kind(assembly, piece, may_sink ? "a register, r0 to r255, or _" : "a register, r0 to r255");
}

static void read_predicate(struct assembly *assembly, bool may_negate, bool may_sink, struct piece piece,
                           struct operand *operand)
{
    struct piece name = piece;
    operand->kind = OPERAND_PREDICATE;
    if (may_sink && slice_equal(piece.text, "_")) {
        operand->kind = OPERAND_SINK;
        return;
    }
    if (may_negate && piece.text.at[0] == '!') {
        operand->negated = true;
        name = piece_part(piece, 1, piece.text.length - 1);
    }
    if (!register_read(name.text, 'p', PREDICATE_COUNT, &operand->reg) && !bad_register(assembly, name, 'p'))
        wrong_kind(assembly, piece, may_negate ? "a predicate, p0 or !p0" : "a predicate, p0 to p15");
}

static void read_label(struct assembly *assembly, unsigned index, struct piece piece, struct operand *operand)
{
    operand->kind = OPERAND_TARGET;
    if (!program_is_name(piece.text)) {
        wrong_kind(assembly, piece, "a label");
        return;
    }
    struct jump jump = {(uint32_t)assembly->code.count, (uint8_t)index, piece};
    if (!LIST_PUSH(assembly->program->arena.allocator, &assembly->jumps, jump))
        assembly_note(assembly, diag_no_memory(assembly->diag));
}

void operand_read(struct assembly *assembly, struct instruction *instruction, unsigned index,
                  struct piece piece)
{
    const struct form *form = &instruction->opcode->forms[index];
    struct operand *operand = &instruction->operands[index];
    const size_t errors = assembly->errors;
    *operand = (struct operand){0};
    if (piece.text.length == 0) {
        assembly_note(assembly, diag_report(assembly->diag, DIAG_ASM_OPERAND_KIND, piece.place, NULL,
                                            "an operand is missing here"));
        return;
    }
    switch (form->kind) {
    case FORM_DESTINATION:
    case FORM_READ_WRITE:
        read_register(assembly, form->may_sink, piece, operand);
        break;
    case FORM_SOURCE:
    case FORM_ANY_SOURCE:
        read_source(assembly, instruction, index, piece, operand);
        break;
    case FORM_PREDICATE_DESTINATION:
    case FORM_PREDICATE_SOURCE:
        read_predicate(assembly, form->kind == FORM_PREDICATE_SOURCE, form->may_sink, piece, operand);
        break;
    case FORM_ADDRESS:
        read_address(assembly, piece, operand);
        break;
    case FORM_SMALL:
        read_small(assembly, form->maximum, piece, operand);
        break;
    case FORM_IMM8:
        read_small(assembly, 255, piece, operand);
        break;
    case FORM_LABEL:
        read_label(assembly, index, piece, operand);
        break;
    }
    const char *problem =
        assembly->errors > errors
            ? NULL
            : program_operand_problem(assembly->program, assembly->kernel, instruction, index);
    if (problem)
        assembly_note(
            assembly,
            diag_report(assembly->diag, form->kind == FORM_ADDRESS ? DIAG_ASM_ADDRESS : DIAG_ASM_OPERAND_KIND,
                        piece.place, NULL, "'" SLICE_FORMAT "': %s", SLICE_ARGS(piece.text), problem));
}
