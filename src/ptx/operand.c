/* Operands of PTX instructions.
 *
 * Takes tokens, leaves operands with their names looked up. A name that nothing has yet is a label: it is
 * looked up again when its braces close. Numbers: PTX ISA, "Integer Constants" and "Floating-Point
 * Constants". */
#include "ptx/parser.h"

/* --- numbers -------------------------------------------------------------------------------------------- */

static bool read_digits(struct slice text, unsigned base, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.at[i];
        const unsigned digit = text_is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret_value = value;
    return text.length > 0;
}

static bool read_float(struct slice text, enum ptx_number_kind *ret_kind, uint64_t *ret_bits)
{
    double value;
    *ret_kind = PTX_NUMBER_F64;
    if (number_parse_f64(text, &value) != NUMBER_OK)
        return false;
    memcpy(ret_bits, &value, sizeof value);
    return true;
}

static bool number_of(struct slice text, enum ptx_number_kind *ret_kind, uint64_t *ret_bits)
{
    const char second = text.length > 1 && text.at[0] == '0' ? (char)(text.at[1] | 0x20) : ' ';
    const struct slice rest = {text.at + 2, text.length > 2 ? text.length - 2 : 0};
    *ret_kind = second == 'f' ? PTX_NUMBER_F32 : second == 'd' ? PTX_NUMBER_F64 : PTX_NUMBER_INTEGER;
    if (second == 'f' || second == 'd')
        return rest.length == (second == 'f' ? 8 : 16) && read_digits(rest, 16, ret_bits);
    const char last = text.at[text.length - 1];
    const size_t suffix = last == 'U' || (last == 'u' && second != 'x');
    if (second == 'x' || second == 'b')
        return read_digits((struct slice){rest.at, rest.length - (rest.length ? suffix : 0)},
                           second == 'x' ? 16 : 2, ret_bits);
    if (memchr(text.at, '.', text.length) || memchr(text.at, 'e', text.length) ||
        memchr(text.at, 'E', text.length))
        return read_float(text, ret_kind, ret_bits);
    const struct slice digits = {text.at, text.length - suffix};
    return read_digits(digits, digits.at[0] == '0' ? 8 : 10, ret_bits);
}

static void negate(enum ptx_number_kind kind, uint64_t *bits)
{
    *bits = kind == PTX_NUMBER_INTEGER ? 0 - *bits
            : kind == PTX_NUMBER_F32   ? *bits ^ 0x80000000u
                                       : *bits ^ 0x8000000000000000u;
}

bool ptx_read_number(struct ptx_parser *parser, enum ptx_number_kind *ret_kind, uint64_t *ret_bits)
{
    bool negative = false, complement = false, any = false;
    while (ptx_is(parser, "-") || ptx_is(parser, "+") || ptx_is(parser, "~")) {
        negative ^= ptx_is(parser, "-");
        complement ^= ptx_is(parser, "~");
        any = true;
        ptx_take(parser);
    }
    if (parser->token.kind != PTX_TOKEN_NUMBER) {
        if (any)
            ptx_error(parser, DIAG_PTX_NUMBER, parser->token.place, "a number is expected behind the sign");
        return false;
    }
    const struct ptx_token token = ptx_take(parser);
    if (!number_of(token.text, ret_kind, ret_bits)) {
        ptx_error(parser, DIAG_PTX_NUMBER, token.place, "'" SLICE_FORMAT "' is no number of PTX",
                  SLICE_ARGS(token.text));
        return false;
    }
    if (complement)
        *ret_bits = ~*ret_bits;
    if (negative)
        negate(*ret_kind, ret_bits);
    return true;
}

uint64_t ptx_expect_count(struct ptx_parser *parser, uint64_t most, const char *what)
{
    enum ptx_number_kind kind = PTX_NUMBER_INTEGER;
    uint64_t value = 0;
    const struct place place = parser->token.place;
    if (!ptx_read_number(parser, &kind, &value)) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "%s is missing", what);
    } else if (kind != PTX_NUMBER_INTEGER || value > most) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "%s is an integer from 0 to %llu", what,
                  (unsigned long long)most);
        value = 0;
    }
    return value;
}

/* --- operands ------------------------------------------------------------------------------------------- */

static void read_items(struct ptx_parser *parser, const char *end, struct ptx_operand *operand)
{
    LIST(struct ptx_operand) items = {0};
    while (parser->status == HX_OK && !ptx_is(parser, end)) {
        struct ptx_operand item;
        if (!ptx_read_operand(parser, &item))
            break;
        if (!LIST_PUSH(parser->arena->allocator, &items, item)) {
            ptx_no_memory(parser);
            break;
        }
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, end, "");
    operand->count = (uint32_t)items.count;
    operand->items = ARENA_ARRAY(parser->arena, struct ptx_operand, items.count + 1);
    if (!operand->items)
        ptx_no_memory(parser);
    else if (items.count > 0)
        memcpy(operand->items, items.items, items.count * sizeof *items.items);
    LIST_DONE(parser->arena->allocator, &items);
}

static void read_offset(struct ptx_parser *parser, int64_t *offset)
{
    enum ptx_number_kind kind;
    uint64_t bits = 0;
    if (!ptx_is(parser, "+") && !ptx_is(parser, "-"))
        return;
    const struct place place = parser->token.place;
    if (ptx_read_number(parser, &kind, &bits) && kind != PTX_NUMBER_INTEGER)
        ptx_error(parser, DIAG_PTX_NUMBER, place, "an offset is an integer");
    *offset = (int64_t)bits;
}

/* Labels stand in the text behind jumps to them; what an operand lies in moves until it is in the arena, so
 * the copy that is kept is registered by body.c. */
static void read_name(struct ptx_parser *parser, struct ptx_operand *operand)
{
    const struct ptx_token token = ptx_take(parser);
    uint32_t number = 0;
    const struct ptx_symbol *symbol = ptx_find(parser, token.text, &number);
    operand->text = token.text;
    if (slice_equal(token.text, "_")) {
        operand->kind = PTX_OPERAND_SINK;
    } else if (symbol && (symbol->kind == PTX_SYMBOL_REGISTER || symbol->kind == PTX_SYMBOL_RANGE)) {
        operand->kind = PTX_OPERAND_REGISTER;
        operand->reg = number;
        if (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows) {
            const struct slice part = ptx_take(parser).text;
            operand->selector = (struct slice){part.at + 1, part.length - 1};
        }
    } else if (symbol && symbol->kind == PTX_SYMBOL_VARIABLE) {
        operand->kind =
            symbol->variable->space == PTX_SPACE_REG ? PTX_OPERAND_REGISTER : PTX_OPERAND_VARIABLE;
        operand->variable = symbol->variable;
        operand->reg = symbol->variable->reg;
        read_offset(parser, &operand->offset);
    } else if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION) {
        operand->kind = PTX_OPERAND_FUNCTION;
        operand->function = symbol->function;
    } else if (symbol && symbol->kind == PTX_SYMBOL_TARGETS) {
        *operand = *symbol->targets;
    } else if (symbol && symbol->kind == PTX_SYMBOL_PROTOTYPE) {
        operand->kind = PTX_OPERAND_PROTOTYPE;
    } else if (slice_equal(token.text, "WARP_SZ")) {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->text = slice_of("warpsize");
    } else if (token.text.at[0] == '%') {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->text = (struct slice){token.text.at + 1, token.text.length - 1};
        if (parser->token.kind == PTX_TOKEN_DIRECTIVE && parser->token.follows)
            operand->text.length += ptx_take(parser).text.length;
    } else {
        operand->kind = PTX_OPERAND_LABEL;
        operand->label = UINT32_MAX;
    }
}

static void read_address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->kind = PTX_OPERAND_ADDRESS;
    read_items(parser, "]", operand);
    if (parser->status != HX_OK)
        return;
    if (operand->count == 0)
        ptx_error(parser, DIAG_PTX_SYNTAX, operand->place, "the address is empty");
    else
        operand->offset = operand->items[0].offset;
}

static void read_plain(struct ptx_parser *parser, struct ptx_operand *operand)
{
    operand->place = parser->token.place;
    operand->negated = ptx_accept(parser, "!");
    if (ptx_accept(parser, "{")) {
        operand->kind = PTX_OPERAND_VECTOR;
        read_items(parser, "}", operand);
    } else if (ptx_accept(parser, "(")) {
        operand->kind = PTX_OPERAND_LIST;
        read_items(parser, ")", operand);
    } else if (ptx_accept(parser, "[")) {
        read_address(parser, operand);
    } else if (parser->token.kind == PTX_TOKEN_WORD) {
        read_name(parser, operand);
        if (operand->kind == PTX_OPERAND_REGISTER)
            read_offset(parser, &operand->offset);
    } else {
        operand->kind = PTX_OPERAND_IMMEDIATE;
        if (!ptx_read_number(parser, &operand->number, &operand->bits))
            ptx_error(parser, DIAG_PTX_SYNTAX, operand->place, "an operand is expected here");
    }
}

bool ptx_read_operand(struct ptx_parser *parser, struct ptx_operand *ret_operand)
{
    *ret_operand = (struct ptx_operand){.kind = PTX_OPERAND_SINK};
    read_plain(parser, ret_operand);
    if (ptx_accept(parser, "|")) {
        ret_operand->second = ARENA_NEW(parser->arena, struct ptx_operand);
        if (ret_operand->second)
            read_plain(parser, ret_operand->second);
        else
            ptx_no_memory(parser);
    }
    return parser->status == HX_OK;
}
