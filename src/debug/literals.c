/* Numbers and characters in expressions of the debugger, as C writes them. */
#include "debug/reader.h"

#include <string.h>

static bool is_one_of(char letter, const char *letters)
{
    return strchr(letters, letter) != NULL;
}

/* Without "u", "ul", "LL" and the like behind an integer, and "f" behind a number with a point or exponent.
 */
static struct slice without_suffix(struct slice text, bool *ret_is_float, bool *ret_is_unsigned)
{
    const bool is_hex = text.length > 1 && text.at[0] == '0' && (text.at[1] | 0x20) == 'x';
    bool is_real = false;
    for (size_t i = 0; i < text.length && !is_hex; i++)
        is_real |= is_one_of(text.at[i], ".eE");
    *ret_is_float = *ret_is_unsigned = false;
    if (is_real && text.length > 1 && is_one_of(text.at[text.length - 1], "fF")) {
        *ret_is_float = true;
        text.length--;
    }
    for (unsigned i = 0; !is_real && i < 3 && text.length > 1 && is_one_of(text.at[text.length - 1], "uUlL");
         i++)
        *ret_is_unsigned |= is_one_of(text.at[--text.length], "uU");
    return text;
}

struct value reader_number(struct reader *reader)
{
    const char *from = reader->at;
    while (reader->at < reader->end &&
           (text_is_word(*reader->at) || *reader->at == '.' ||
            ((*reader->at == '-' || *reader->at == '+') && (reader->at[-1] == 'e' || reader->at[-1] == 'E') &&
             !(from[0] == '0' && (from[1] | 0x20) == 'x'))))
        reader->at++;
    const struct slice whole_text = {from, (size_t)(reader->at - from)};
    bool is_float, is_unsigned;
    const struct slice text = without_suffix(whole_text, &is_float, &is_unsigned);
    uint64_t whole;
    double fraction;
    if (!is_float && number_parse_u64(text, &whole) == NUMBER_OK)
        return value_integer(whole, is_unsigned || whole > INT64_MAX);
    if (!is_unsigned && number_parse_f64(text, &fraction) == NUMBER_OK) {
        const struct value real = value_real(fraction);
        return is_float ? value_converted(&real, HX_TYPE_F32) : real;
    }
    reader_fail(reader, "'" SLICE_FORMAT "' is not a number", SLICE_ARGS(whole_text));
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
struct value reader_character(struct reader *reader)
{
    static const char escapes[] = "a\ab\bt\tn\nv\vf\fr\r\\\\''\"\"";
    const char *end = reader->end;
    unsigned code = 0, digits = 0;
    if (reader->at < end && *reader->at != '\\') {
        code = (unsigned char)*reader->at++;
        digits = 1;
    } else if (++reader->at < end) {
        const bool is_hex = *reader->at == 'x';
        for (const char *at = escapes; *at && !digits; at += 2)
            if (*at == *reader->at) {
                code = (unsigned char)at[1];
                digits = 1;
                reader->at++;
            }
        for (reader->at += is_hex; !is_hex && reader->at < end && digits < 3 && code < 32 &&
                                   *reader->at >= '0' && *reader->at <= '7';
             digits++)
            code = 8 * code + (unsigned)(*reader->at++ - '0');
        for (; is_hex && reader->at < end && digits < 2 && hex_digit(*reader->at) < 16; digits++)
            code = 16 * code + hex_digit(*reader->at++);
    }
    if (!digits || reader->at >= end || *reader->at++ != '\'')
        reader_fail(reader, "a character is written 'a' or '\\n'");
    return value_integer((uint64_t)(signed char)code, false);
}
