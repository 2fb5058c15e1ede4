/* Numbers of PTX, and expressions of them.
 *
 * Takes tokens, leaves the bits of a number. PTX ISA, "Integer Constants", "Floating-Point Constants",
 * "Constant Expressions". An integer has 64 bits, with a sign unless it is written with U or is too large for
 * one; the binary operators are read by their precedence. */
#include "ptx/parser.h"

#define DEPTH_MAX 50 /* of parentheses and signs in each other: reading them takes stack */

struct constant {
    enum ptx_number_kind kind;
    bool is_unsigned;
    uint64_t bits;
};

/* --- literals --------------------------------------------------------------------------------------------
 */

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

static bool read_expression(struct ptx_parser *parser, unsigned level, unsigned depth,
                            struct constant *ret_constant);

static bool is_number(const struct ptx_parser *parser)
{
    return parser->token.kind == PTX_TOKEN_NUMBER ||
           (parser->token.kind == PTX_TOKEN_DIRECTIVE && text_is_digit(parser->token.text.at[1])); /* .5 */
}

static bool read_literal(struct ptx_parser *parser, struct constant *ret_constant)
{
    const struct ptx_token token = ptx_take(parser);
    const char last = token.text.at[token.text.length - 1];
    if (!number_of(token.text, &ret_constant->kind, &ret_constant->bits)) {
        ptx_error_cured(
            parser, DIAG_PTX_NUMBER, token.place,
            "write 12, 0x1F, 017, 0b101, 1.5, 0f and 8 digits, or 0d and 16; an integer has 64 bits",
            "'" SLICE_FORMAT "' is no number of PTX", SLICE_ARGS(token.text));
        return false;
    }
    ret_constant->is_unsigned = last == 'U' || last == 'u' || ret_constant->bits > INT64_MAX;
    return true;
}

/* (1 + 2), (.u64) 5 */
static bool read_group(struct ptx_parser *parser, unsigned depth, struct constant *ret_constant)
{
    ptx_take(parser);
    const bool is_unsigned = ptx_is(parser, ".u64");
    if (is_unsigned || ptx_is(parser, ".s64")) {
        ptx_take(parser);
        ptx_expect(parser, ")", " behind the type");
        if (!read_expression(parser, UINT32_MAX, depth, ret_constant))
            return false;
        ret_constant->is_unsigned = is_unsigned;
        return true;
    }
    return read_expression(parser, 0, depth, ret_constant) &&
           ptx_expect(parser, ")", " behind the expression");
}

static void apply_sign(char sign, struct constant *constant)
{
    if (sign == '-')
        negate(constant->kind, &constant->bits);
    else if (sign == '~')
        constant->bits = ~constant->bits;
    else if (sign == '!')
        *constant = (struct constant){PTX_NUMBER_INTEGER, false, constant->bits == 0};
}

static bool read_unary(struct ptx_parser *parser, unsigned depth, struct constant *ret_constant)
{
    if (depth >= DEPTH_MAX) {
        ptx_error(parser, DIAG_PTX_NUMBER, parser->token.place, "the expression is nested too deeply");
        return false;
    }
    if (is_number(parser))
        return read_literal(parser, ret_constant);
    if (ptx_is(parser, "("))
        return read_group(parser, depth + 1, ret_constant);
    if (!ptx_is(parser, "-") && !ptx_is(parser, "+") && !ptx_is(parser, "~") && !ptx_is(parser, "!"))
        return false;
    const char sign = ptx_take(parser).text.at[0];
    if (!read_unary(parser, depth + 1, ret_constant)) {
        ptx_error(parser, DIAG_PTX_NUMBER, parser->token.place, "a number is expected behind the sign");
        return false;
    }
    apply_sign(sign, ret_constant);
    return true;
}

/* --- operators ------------------------------------------------------------------------------------------ */

/* A longer one stands before one that it begins with. */
static const struct operator
{
    const char *text;
    unsigned level; /* those of a higher one bind first */
}
operators[] = {{"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},
               {"&&", 2}, {"||", 1}, {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},
               {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3}};

static const struct operator* find_operator(const struct ptx_parser *parser)
{
    struct ptx_text ahead = parser->text;
    if (parser->token.kind != PTX_TOKEN_SIGN)
        return NULL;
    const struct ptx_token next = ptx_token_next(&ahead);
    for (size_t i = 0; i < HX_COUNT_OF(operators); i++) {
        const char *text = operators[i].text;
        const bool is_second =
            !text[1] || (next.kind == PTX_TOKEN_SIGN && next.follows && next.text.at[0] == text[1]);
        if (parser->token.text.at[0] == text[0] && is_second)
            return &operators[i];
    }
    return NULL;
}

static int64_t compare(const struct constant *a, const struct constant *b, bool is_unsigned)
{
    if (is_unsigned)
        return (a->bits > b->bits) - (a->bits < b->bits);
    return ((int64_t)a->bits > (int64_t)b->bits) - ((int64_t)a->bits < (int64_t)b->bits);
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool wants_rest)
{
    if (!is_unsigned && b == UINT64_MAX) /* the least number by -1 has no quotient of 64 bits */
        return wants_rest ? 0 : 0 - a;
    if (is_unsigned)
        return wants_rest ? a % b : a / b;
    return (uint64_t)(wants_rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(const struct constant *a, uint64_t by, bool is_left)
{
    if (by > 63)
        return !is_left && !a->is_unsigned && (int64_t)a->bits < 0 ? UINT64_MAX : 0;
    return is_left ? a->bits << by : a->is_unsigned ? a->bits >> by : (uint64_t)((int64_t)a->bits >> by);
}

static struct constant operate(const char *text, const struct constant *a, const struct constant *b)
{
    const bool is_unsigned = a->is_unsigned || b->is_unsigned;
    const int64_t order = compare(a, b, is_unsigned);
    const bool or_equal = text[1] == '=';
    struct constant result = {PTX_NUMBER_INTEGER, is_unsigned, 0};
    if (text[0] == '*')
        result.bits = a->bits * b->bits;
    else if (text[0] == '/' || text[0] == '%')
        result.bits = divide(a->bits, b->bits, is_unsigned, text[0] == '%');
    else if (text[0] == '+' || text[0] == '-')
        result.bits = text[0] == '+' ? a->bits + b->bits : a->bits - b->bits;
    else if (text[0] == '^')
        result.bits = a->bits ^ b->bits;
    else if (text[0] == '=' || text[0] == '!')
        result.bits = (order == 0) == (text[0] == '=');
    else if (text[0] == '&')
        result.bits = text[1] ? a->bits && b->bits : a->bits & b->bits;
    else if (text[0] == '|')
        result.bits = text[1] ? a->bits || b->bits : a->bits | b->bits;
    else if (text[1] == text[0])
        result = (struct constant){PTX_NUMBER_INTEGER, a->is_unsigned, shift(a, b->bits, text[0] == '<')};
    else
        result.bits = (text[0] == '<' ? order < 0 : order > 0) || (or_equal && order == 0);
    return result;
}

static bool read_binary(struct ptx_parser *parser, const struct operator* operator, unsigned depth,
                        struct constant *left)
{
    const struct place place = parser->token.place;
    struct constant right;
    for (const char *c = operator->text; *c; c++)
        ptx_take(parser);
    if (!read_expression(parser, operator->level + 1, depth + 1, &right)) {
        ptx_error(parser, DIAG_PTX_NUMBER, parser->token.place, "a number is expected behind the operator");
        return false;
    }
    if (left->kind != PTX_NUMBER_INTEGER || right.kind != PTX_NUMBER_INTEGER) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "only integers have operators");
        return false;
    }
    if (right.bits == 0 && (operator->text[0] == '/' || operator->text[0] == '%')) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "the divisor is 0");
        return false;
    }
    *left = operate(operator->text, left, &right);
    return true;
}

/* a ? b : c */
static bool read_choice(struct ptx_parser *parser, unsigned depth, struct constant *condition)
{
    struct constant yes, no;
    if (!read_expression(parser, 0, depth + 1, &yes) || !ptx_expect(parser, ":", " in the expression") ||
        !read_expression(parser, 0, depth + 1, &no)) {
        ptx_error(parser, DIAG_PTX_NUMBER, parser->token.place, "a number is expected behind the operator");
        return false;
    }
    *condition = condition->bits ? yes : no;
    return true;
}

/* Operators of `level` and higher; 0 takes all and ? : too, UINT32_MAX none. */
static bool read_expression(struct ptx_parser *parser, unsigned level, unsigned depth,
                            struct constant *ret_constant)
{
    const struct operator* operator;
    if (!read_unary(parser, depth, ret_constant))
        return false;
    while ((operator= find_operator(parser)) && operator->level >= level)
        if (!read_binary(parser, operator, depth, ret_constant))
            return false;
    return level > 0 || !ptx_accept(parser, "?") || read_choice(parser, depth, ret_constant);
}

bool ptx_read_number(struct ptx_parser *parser, enum ptx_number_kind *ret_kind, uint64_t *ret_bits)
{
    struct constant constant = {0};
    const bool found = read_expression(parser, 0, 0, &constant);
    *ret_kind = constant.kind;
    *ret_bits = constant.bits;
    return found && parser->status == HX_OK;
}

uint64_t ptx_expect_count(struct ptx_parser *parser, uint64_t most, const char *what)
{
    struct constant constant = {0};
    const struct place place = parser->token.place;
    if (!read_unary(parser, 0, &constant)) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "%s is missing", what);
    } else if (constant.kind != PTX_NUMBER_INTEGER || constant.bits > most) {
        ptx_error(parser, DIAG_PTX_NUMBER, place, "%s is an integer from 0 to %llu", what,
                  (unsigned long long)most);
        constant.bits = 0;
    }
    return constant.bits;
}
