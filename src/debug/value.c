/* Values of the debugger: their numbers, the operators between them, and their text.
 *
 * Operators convert their operands as C does (C17, 6.3.1): integers below 32 bits are i32, and both operands
 * get the type of the higher rank. OpenCL C's half and hexec's bf16 are types of floating point below f32. */
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

enum hx_type debug_type(struct slice name)
{
    char text[16];
    if (name.length == 0 || name.length >= sizeof text)
        return HX_TYPE_NONE;
    text_put(text, name.length + 1, name.at);
    return hx_type_find(text);
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

/* A number in the range of a type, as cvt saturates it. */
static uint64_t saturated(double number, enum hx_type type)
{
    const unsigned width = type_bits(type) ? type_bits(type) : 64;
    const bool is_signed = type_is_signed(type);
    const double most = ldexp(1, (int)width - is_signed), least = is_signed ? -most : 0;
    if (isnan(number))
        return 0;
    if (number >= most)
        return (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX) >> is_signed;
    if (number <= least)
        return is_signed ? ~UINT64_C(0) << (width - 1) : 0;
    return is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
}

struct value value_converted(const struct value *value, enum hx_type type)
{
    struct value result = {.type = type};
    if (type == value->type)
        result.bits = value->bits;
    else if (type == HX_TYPE_PRED)
        result.bits = value_is_true(value);
    else if (type == HX_TYPE_F32 && !type_is_float(value->type)) { /* rounded once */
        const float narrow = type_is_signed(value->type) ? (float)(int64_t)value->bits : (float)value->bits;
        memcpy(&result.bits, &narrow, sizeof narrow);
    } else if (type == HX_TYPE_F64)
        return value_real(value_number(value));
    else if (type_is_float(type))
        result.bits = values_float_bits(value_number(value), type);
    else
        result.bits = value_extend(
            type_is_float(value->type) ? saturated(value_number(value), type) : value->bits, type);
    return result;
}

/* ---- Conversions --------------------------------------------------------------------------------------- */

/* The integer promotions (6.3.1.1). A bit-field is an int if that has all of its numbers. */
static enum hx_type promoted(const struct value *value)
{
    if (type_is_float(value->type))
        return value->type;
    const unsigned bits = value->range.count ? value->range.count : type_bits(value->type);
    if (bits < 32)
        return HX_TYPE_I32;
    return type_bits(value->type) > 32   ? (type_is_signed(value->type) ? HX_TYPE_I64 : HX_TYPE_U64)
           : type_is_signed(value->type) ? HX_TYPE_I32
                                         : HX_TYPE_U32;
}

/* The usual arithmetic conversions (6.3.1.8). */
static enum hx_type common_type(const struct value *a, const struct value *b)
{
    static const enum hx_type ranks[] = {HX_TYPE_F64, HX_TYPE_F32, HX_TYPE_F16, HX_TYPE_BF16,
                                         HX_TYPE_U64, HX_TYPE_I64, HX_TYPE_U32};
    const enum hx_type left = promoted(a), right = promoted(b);
    if ((left == HX_TYPE_F16 && right == HX_TYPE_BF16) || (left == HX_TYPE_BF16 && right == HX_TYPE_F16))
        return HX_TYPE_F32;
    for (size_t i = 0; i < HX_COUNT_OF(ranks); i++)
        if (left == ranks[i] || right == ranks[i])
            return ranks[i];
    return HX_TYPE_I32;
}

struct value value_common(const struct value *value, const struct value *other)
{
    if (value->type == HX_TYPE_NONE || other->type == HX_TYPE_NONE)
        return *value;
    return value_converted(value, common_type(value, other));
}

static struct value truth(bool is_true)
{
    return (struct value){.type = HX_TYPE_I32, .bits = is_true};
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

/* Of floats the result is that of f64, rounded again: f64 has more than twice their digits, so this is what
 * the operation itself rounds to. */
static struct value of_reals(const char *operator, double a, double b, enum hx_type type,
                             const char **ret_wrong)
{
    struct value value = {.type = HX_TYPE_F64};
    switch (operator[0]) {
    case '+':
        value = value_real(a + b);
        break;
    case '-':
        value = value_real(a - b);
        break;
    case '*':
        value = value_real(a * b);
        break;
    case '/':
        value = value_real(a / b);
        break;
    case '=':
        return truth(a == b);
    case '!':
        return truth(a != b);
    case '<':
        if (operator[1] != '<')
            return truth(operator[1] ? a <= b : a<b);
        *ret_wrong = "'%s' wants integers";
        break;
    case '>':
        if (operator[1] != '>')
            return truth(operator[1] ? a >= b : a> b);
        *ret_wrong = "'%s' wants integers";
        break;
    default:
        *ret_wrong = "'%s' wants integers";
    }
    return value_converted(&value, type);
}

static uint64_t divided(char operator, uint64_t a, uint64_t b, bool is_unsigned, const char **ret_wrong)
{
    if (b == 0)
        *ret_wrong = "a division by 0: '%s'";
    if (b == 0 || (!is_unsigned && (int64_t)b == -1)) /* INT64_MIN / -1 has no value in C */
        return operator== '/' ? 0 - a : 0;
    if (is_unsigned)
        return operator== '/' ? a / b : a % b;
    return (uint64_t)(operator== '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

/* Of two numbers of a type, in 64 bits. */
static uint64_t of_integers(const char *operator, uint64_t a, uint64_t b, bool is_unsigned,
                            const char **ret_wrong)
{
    const bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (operator[0]) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
    case '%':
        return divided(operator[0], a, b, is_unsigned, ret_wrong);
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return a & b;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '<':
        return operator[1] ? less || a == b : less;
    default:
        return operator[1] ? !less : !less && a != b;
    }
}

/* The type is that of what is shifted. By its width or more, which C leaves open, everything is shifted out.
 */
static struct value shifted(char operator, const struct value * a, const struct value *b)
{
    const enum hx_type type = promoted(a);
    const uint64_t bits = value_converted(a, type).bits;
    const bool is_out = b->bits >= type_bits(type);
    if (operator== '<')
        return (struct value){.type = type, .bits = is_out ? 0 : value_extend(bits << b->bits, type)};
    if (type_is_signed(type))
        return (struct value){.type = type, .bits = (uint64_t)((int64_t)bits >> (is_out ? 63 : b->bits))};
    return (struct value){.type = type, .bits = is_out ? 0 : bits >> b->bits};
}

static bool is_comparison(const char *operator)
{
    return operator[0] == '=' || operator[0] == '!' || operator[0] == '<' || operator[0] == '>';
}

struct value value_combined(const char *operator, const struct value * a, const struct value *b,
                            const char **ret_wrong)
{
    *ret_wrong = NULL;
    if (!strcmp(operator, "&&"))
        return truth(value_is_true(a) && value_is_true(b));
    if (!strcmp(operator, "||"))
        return truth(value_is_true(a) || value_is_true(b));
    const enum hx_type type = common_type(a, b);
    const struct value left = value_converted(a, type), right = value_converted(b, type);
    if (type_is_float(type))
        return of_reals(operator, value_number(&left), value_number(&right), type, ret_wrong);
    if (!strcmp(operator, "<<") || !strcmp(operator, ">>"))
        return shifted(operator[0], a, b);
    const uint64_t bits = of_integers(operator, left.bits, right.bits, !type_is_signed(type), ret_wrong);
    return is_comparison(operator) ? truth(bits)
                                   : (struct value){.type = type, .bits = value_extend(bits, type)};
}

struct value value_of_one(char operator, const struct value * a, const char **ret_wrong)
{
    const enum hx_type type = promoted(a);
    const struct value from = value_converted(a, type);
    *ret_wrong = NULL;
    if (operator== '!')
        return truth(!value_is_true(a));
    if (type_is_float(type) && operator== '-') {
        const struct value real = value_real(-value_number(&from));
        return value_converted(&real, type);
    }
    if (type_is_float(type) && operator== '~')
        *ret_wrong = "'%s' wants an integer";
    if (operator== '+' || * ret_wrong)
        return from;
    return (struct value){.type = type,
                          .bits = value_extend(operator== '-' ? 0 - from.bits : ~from.bits, type)};
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
