/* Values of the debugger: their numbers, the operators between them, and their text.
 *
 * An operation is done in f64 if one operand is of floating point, else in 64 bits, without a sign if one
 * operand is an unsigned number of 64 bits. */
#include "debug/debug.h"
#include "program/parts.h"

#include <math.h>

/* ---- Numbers of values --------------------------------------------------------------------------------- */

double value_number(const struct value *value)
{
    if (type_is_float(value->type))
        return values_to_f64(&value->bits, value->type);
    if (type_is_signed(value->type))
        return (double)(int64_t)value->bits;
    return (double)value->bits;
}

/* Bits as a value of the type has them: signed ones extended by their sign, others by zeros. */
uint64_t value_extend(uint64_t bits, enum hx_type type)
{
    const unsigned width = type_bits(type);
    if (width == 0 || width >= 64)
        return bits;
    const uint64_t low = bits & ((UINT64_C(1) << width) - 1);
    return type_is_signed(type) && (low >> (width - 1) & 1) ? low | ~UINT64_C(0) << width : low;
}

struct value value_integer(uint64_t bits, bool is_unsigned)
{
    return (struct value){.type = is_unsigned ? HX_TYPE_U64 : HX_TYPE_I64, .bits = bits};
}

struct value value_real(double number)
{
    struct value value = {.type = HX_TYPE_F64};
    memcpy(&value.bits, &number, sizeof number);
    return value;
}

bool value_is_true(const struct value *value)
{
    return type_is_float(value->type) ? value_number(value) != 0 : value->bits != 0;
}

struct value value_converted(const struct value *value, enum hx_type type)
{
    if (type == HX_TYPE_F32) {
        const float narrow = (float)value_number(value);
        struct value result = {.type = type};
        memcpy(&result.bits, &narrow, sizeof narrow);
        return result;
    }
    if (type_is_float(type))
        return value_real(value_number(value));
    if (!type_is_float(value->type))
        return (struct value){.type = type, .bits = value_extend(value->bits, type)};
    const double number = value_number(value); /* saturates, as cvt does */
    const int64_t whole = isnan(number)       ? 0
                          : number >= 0x1p63  ? INT64_MAX
                          : number <= -0x1p63 ? INT64_MIN
                                              : (int64_t)number;
    return (struct value){.type = type, .bits = value_extend((uint64_t)whole, type)};
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

static struct value of_reals(const char *operator, double a, double b, const char **ret_wrong)
{
    switch (operator[0]) {
    case '+':
        return value_real(a + b);
    case '-':
        return value_real(a - b);
    case '*':
        return value_real(a * b);
    case '/':
        return value_real(a / b);
    case '=':
        return value_integer(a == b, false);
    case '!':
        return value_integer(a != b, false);
    case '<':
        if (operator[1] != '<')
            return value_integer(operator[1] ? a <= b : a<b, false);
        break;
    case '>':
        if (operator[1] != '>')
            return value_integer(operator[1] ? a >= b : a> b, false);
    }
    *ret_wrong = "'%s' wants integers";
    return (struct value){0};
}

static struct value divided(char operator, uint64_t a, uint64_t b, bool is_unsigned, const char **ret_wrong)
{
    if (b == 0)
        *ret_wrong = "a division by 0: '%s'";
    if (b == 0 || (!is_unsigned && (int64_t)b == -1)) /* INT64_MIN / -1 has no value in C */
        return value_integer(operator== '/' ? 0 - a : 0, is_unsigned);
    if (is_unsigned)
        return value_integer(operator== '/' ? a / b : a % b, true);
    return value_integer((uint64_t)(operator== '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b),
                         false);
}

static struct value of_integers(const char *operator, uint64_t a, uint64_t b, bool is_unsigned,
                                const char **ret_wrong)
{
    const bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (operator[0]) {
    case '+':
        return value_integer(a + b, is_unsigned);
    case '-':
        return value_integer(a - b, is_unsigned);
    case '*':
        return value_integer(a * b, is_unsigned);
    case '/':
    case '%':
        return divided(operator[0], a, b, is_unsigned, ret_wrong);
    case '=':
        return value_integer(a == b, false);
    case '!':
        return value_integer(a != b, false);
    case '&':
        return value_integer(a & b, is_unsigned);
    case '|':
        return value_integer(a | b, is_unsigned);
    case '^':
        return value_integer(a ^ b, is_unsigned);
    case '<':
        if (operator[1] == '<')
            return value_integer(b < 64 ? a << b : 0, is_unsigned);
        return value_integer(operator[1] ? less || a == b : less, false);
    default:
        if (operator[1] == '>')
            return value_integer(is_unsigned ? (b < 64 ? a >> b : 0)
                                             : (uint64_t)((int64_t)a >> (b < 64 ? b : 63)),
                                 is_unsigned);
        return value_integer(operator[1] ? !less : !less && a != b, false);
    }
}

struct value value_combined(const char *operator, const struct value * a, const struct value *b,
                            const char **ret_wrong)
{
    *ret_wrong = NULL;
    if (!strcmp(operator, "&&"))
        return value_integer(value_is_true(a) && value_is_true(b), false);
    if (!strcmp(operator, "||"))
        return value_integer(value_is_true(a) || value_is_true(b), false);
    if (type_is_float(a->type) || type_is_float(b->type))
        return of_reals(operator, value_number(a), value_number(b), ret_wrong);
    return of_integers(operator, a->bits, b->bits, a->type == HX_TYPE_U64 || b->type == HX_TYPE_U64,
                       ret_wrong);
}

/* As C writes it behind its number: 'a', '\\n', '\\310'. */
void value_print_character(unsigned char byte, char quote, struct text *out)
{
    static const char special[] = "\aa\bb\tt\nn\vv\ff\rr\\\\";
    for (const char *at = special; *at && byte; at += 2)
        if ((unsigned char)*at == byte) {
            text_print(out, "\\%c", at[1]);
            return;
        }
    if (byte == (unsigned char)quote)
        text_print(out, "\\%c", quote);
    else
        text_print(out, byte >= 32 && byte < 127 ? "%c" : "\\%03o", byte);
}

/* The bits as a format says, whatever they mean. */
static void print_bits(uint64_t low, unsigned bits, char format, struct text *out)
{
    const unsigned width = bits ? bits : 1;
    const bool is_negative = width < 64 ? low >> (width - 1) & 1 : low >> 63;
    const int64_t number = (int64_t)(is_negative && width < 64 ? low | ~UINT64_C(0) << width : low);
    switch (format) {
    case 'x':
        text_print(out, "0x%llx", (unsigned long long)low);
        return;
    case 'b':
    case 't':
        text_append(out, "0b", 2);
        for (unsigned i = width; i-- > 0;)
            text_append(out, low >> i & 1 ? "1" : "0", 1);
        return;
    case 'c':
        text_print(out, "%d '", (signed char)low);
        value_print_character((unsigned char)low, '\'', out);
        text_append(out, "'", 1);
        return;
    case 'f':
        if (width == 16 || width == 32 || width == 64) {
            values_print(out, &low, width == 16 ? HX_TYPE_F16 : width == 32 ? HX_TYPE_F32 : HX_TYPE_F64);
            return;
        }
        text_print(out, "%lld", (long long)number);
        return;
    case 'd':
        text_print(out, "%lld", (long long)number);
        return;
    default:
        text_print(out, "%llu", (unsigned long long)low);
    }
}

void value_print(const struct value *value, char format, struct text *out)
{
    const unsigned bits = type_bits(value->type);
    const uint64_t low = bits >= 64 ? value->bits : value->bits & ((UINT64_C(1) << bits) - 1);
    if (format) {
        print_bits(low, bits, format, out);
    } else if (value->type == HX_TYPE_PRED) {
        text_append(out, low ? "true" : "false", low ? 4 : 5);
    } else if (type_is_packed(value->type)) {
        const uint16_t halves[] = {(uint16_t)low, (uint16_t)(low >> 16)};
        text_append(out, "{", 1);
        values_print(out, &halves[0], type_half(value->type));
        text_append(out, ", ", 2);
        values_print(out, &halves[1], type_half(value->type));
        text_append(out, "}", 1);
    } else {
        values_print(out, &value->bits, value->type);
    }
}
