/* Numbers and characters in expressions of the debugger, as C writes them, with the types that C gives them
 * (C17, 6.4.4); `long` has 64 bits. */
#include "debug/expression.h"

#include <string.h>

static bool is_one_of(char letter, const char *letters)
{
    return letter && strchr(letters, letter) != NULL;
}

struct suffix {
    bool is_float, is_unsigned, is_long;
};

/* Without "u", "ul", "LL" and the like behind an integer, and "f" behind a number with a point or exponent.
 */
static struct slice without_suffix(struct slice text, struct suffix *ret_suffix)
{
    const bool is_hex = text.length > 1 && text.at[0] == '0' && (text.at[1] | 0x20) == 'x';
    bool is_real = false;
    for (size_t i = 0; i < text.length && !is_hex; i++)
        is_real |= is_one_of(text.at[i], ".eE");
    *ret_suffix = (struct suffix){0};
    if (is_real && text.length > 1 && is_one_of(text.at[text.length - 1], "fF")) {
        ret_suffix->is_float = true;
        text.length--;
    }
    for (unsigned i = 0; !is_real && i < 3 && text.length > 1 && is_one_of(text.at[text.length - 1], "uUlL");
         i++) {
        const bool is_unsigned = is_one_of(text.at[--text.length], "uU");
        ret_suffix->is_unsigned |= is_unsigned;
        ret_suffix->is_long |= !is_unsigned;
    }
    return text;
}

/* 017 */
static bool read_octal(struct slice text, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (text.length < 2 || text.at[0] != '0')
        return false;
    for (size_t i = 1; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '7' || value >> 61)
            return false;
        value = 8 * value + (uint64_t)(text.at[i] - '0');
    }
    *ret_value = value;
    return true;
}

/* The first of C's types that has the number: those without a sign only where its writing allows them. */
static enum hx_type type_of(uint64_t number, struct suffix suffix, bool is_decimal)
{
    const bool may_be_unsigned = suffix.is_unsigned || !is_decimal;
    if (!suffix.is_long && !suffix.is_unsigned && number <= INT32_MAX)
        return HX_TYPE_I32;
    if (!suffix.is_long && may_be_unsigned && number <= UINT32_MAX)
        return HX_TYPE_U32;
    return !suffix.is_unsigned && number <= INT64_MAX ? HX_TYPE_I64 : HX_TYPE_U64;
}

struct value literal_number(struct parser *parser)
{
    const char *from = parser->at;
    while (parser->at < parser->end &&
           (text_is_word(*parser->at) || *parser->at == '.' ||
            ((*parser->at == '-' || *parser->at == '+') && (parser->at[-1] == 'e' || parser->at[-1] == 'E') &&
             !(from[0] == '0' && (from[1] | 0x20) == 'x'))))
        parser->at++;
    const struct slice whole_text = {from, (size_t)(parser->at - from)};
    struct suffix suffix;
    const struct slice text = without_suffix(whole_text, &suffix);
    uint64_t whole;
    double fraction;
    if (!suffix.is_float && (number_parse_u64(text, &whole) == NUMBER_OK || read_octal(text, &whole)))
        return (struct value){.type = type_of(whole, suffix, text.at[0] != '0'), .bits = whole};
    if (!suffix.is_unsigned && !suffix.is_long && number_parse_f64(text, &fraction) == NUMBER_OK) {
        const struct value real = value_real(fraction);
        return suffix.is_float ? value_converted(&real, HX_TYPE_F32) : real;
    }
    parse_fail(parser, "'" SLICE_FORMAT "' is not a number", SLICE_ARGS(whole_text));
    return (struct value){0};
}

/* 16: it is none. */
static unsigned hex_digit(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *found =
        letter ? strchr(digits, letter >= 'A' && letter <= 'F' ? letter | 0x20 : letter) : NULL;
    return found ? (unsigned)(found - digits) : 16;
}

/* Behind the opening quote: a, \n, \101, \x41. */
struct value literal_character(struct parser *parser)
{
    static const char escapes[] = "a\ab\bt\tn\nv\vf\fr\r\\\\''\"\"";
    const char *end = parser->end;
    unsigned code = 0, digits = 0;
    if (parser->at < end && *parser->at != '\\') {
        code = (unsigned char)*parser->at++;
        digits = 1;
    } else if (++parser->at < end) {
        const bool is_hex = *parser->at == 'x';
        for (const char *at = escapes; *at && !digits; at += 2)
            if (*at == *parser->at) {
                code = (unsigned char)at[1];
                digits = 1;
                parser->at++;
            }
        for (parser->at += is_hex; !is_hex && parser->at < end && digits < 3 && code < 32 &&
                                   *parser->at >= '0' && *parser->at <= '7';
             digits++)
            code = 8 * code + (unsigned)(*parser->at++ - '0');
        for (; is_hex && parser->at < end && digits < 2 && hex_digit(*parser->at) < 16; digits++)
            code = 16 * code + hex_digit(*parser->at++);
    }
    if (!digits || parser->at >= end || *parser->at++ != '\'')
        parse_fail(parser, "a character is written 'a' or '\\n'");
    return (struct value){.type = HX_TYPE_I32, .bits = (uint64_t)(signed char)code};
}
