/* The arithmetic of the reference interpreter: one instruction, one thread.
 *
 * Takes an instruction and the values of its sources, leaves the values of its results. It was written from
 * the descriptions of the instruction set and of PTX, and shares no code with the executor: integers are
 * 128-bit numbers that are cut to the width at the end, bit operations go bit by bit, floats are
 * reference_floats.c. */
#include "reference_floats.h"
#include "reference_types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Integers ---------------------------------------------------------------------------------------------
 */

static uint64_t quotient(signed_wide a, signed_wide b)
{
    return b == 0 ? UINT64_MAX : (uint64_t)(a / b);
}

static uint64_t remainder_of(signed_wide a, signed_wide b)
{
    return b == 0 ? (uint64_t)a : (uint64_t)(a % b);
}

static uint64_t integer(enum meaning meaning, hx_type type, bool saturates, const uint64_t *source)
{
    const signed_wide a = number(source[0], type), b = number(source[1], type), c = number(source[2], type);
    const wide product = (wide)a * (wide)b;
    switch (meaning) {
    case MEANING_ADD:
        return (uint64_t)(saturates ? clamped(a + b, type) : a + b);
    case MEANING_SUB:
        return (uint64_t)(saturates ? clamped(a - b, type) : a - b);
    case MEANING_MUL:
    case MEANING_MULW:
        return (uint64_t)product;
    case MEANING_MULHI:
        return (uint64_t)(product >> width_of(type));
    case MEANING_MAD:
        return (uint64_t)(product + (wide)c);
    case MEANING_MADHI:
        return (uint64_t)((product >> width_of(type)) + (wide)c);
    case MEANING_MADW:
        return (uint64_t)(product + source[2]);
    case MEANING_DIV:
        return quotient(a, b);
    case MEANING_REM:
        return remainder_of(a, b);
    case MEANING_MIN:
        return (uint64_t)(a < b ? a : b);
    case MEANING_MAX:
        return (uint64_t)(a > b ? a : b);
    case MEANING_ABS:
        return (uint64_t)(a < 0 ? -a : a);
    case MEANING_SAD:
        return (uint64_t)(c + (a < b ? b - a : a - b));
    default:
        return (uint64_t)-a; /* MEANING_NEG */
    }
}

static uint64_t dot_of_bytes(hx_type type, const uint64_t *source)
{
    const hx_type byte = is_signed(type) ? HX_TYPE_I8 : HX_TYPE_U8;
    signed_wide sum = number(source[2], type);
    for (unsigned i = 0; i < 32; i += 8)
        sum += number(source[0] >> i, byte) * number(source[1] >> i, byte);
    return (uint64_t)sum;
}

static signed_wide low24(uint64_t bits, hx_type type)
{
    const signed_wide low = (signed_wide)(bits & 0xffffff);
    return is_signed(type) && low >> 23 ? low - (1 << 24) : low;
}

/* Products of 24 bits, dot products and differences of parts. */
static uint64_t of_parts(enum meaning meaning, hx_type type, const uint64_t *source)
{
    const hx_type byte = is_signed(type) ? HX_TYPE_I8 : HX_TYPE_U8,
                  half = is_signed(type) ? HX_TYPE_I16 : HX_TYPE_U16;
    const signed_wide product = low24(source[0], type) * low24(source[1], type);
    const unsigned first = meaning == MEANING_DP2A_HI ? 16 : 0;
    signed_wide sum = number(source[2], type);
    switch (meaning) {
    case MEANING_MUL24_LO:
        return (uint64_t)product;
    case MEANING_MUL24_HI:
        return (uint64_t)(product >> 16);
    case MEANING_MAD24_LO:
        return (uint64_t)(product + sum);
    case MEANING_MAD24_HI:
        return (uint64_t)((product >> 16) + sum);
    case MEANING_SAD4:
        for (unsigned i = 0; i < 32; i += 8) {
            const signed_wide a = number(source[0] >> i, byte), b = number(source[1] >> i, byte);
            sum += a < b ? b - a : a - b;
        }
        return (uint64_t)sum;
    default:
        for (unsigned i = 0; i < 2; i++)
            sum += number(source[0] >> (16 * i), half) * number(source[1] >> (first + 8 * i), byte);
        return (uint64_t)sum;
    }
}

static void carry(enum meaning meaning, hx_type type, struct values *values)
{
    const unsigned width = width_of(type);
    const wide a = cut(values->source[0], width), b = cut(values->source[1], width), c = values->source[2];
    const wide result = meaning == MEANING_ADDC ? a + b + c : a - b - c;
    values->result[0] = (uint64_t)result;
    values->result[1] = (uint64_t)(result >> width) & 1;
}

/* A half of the product and c are added as numbers without sign, whatever the product's was. */
static void multiply_with_carry(enum meaning meaning, hx_type type, struct values *values)
{
    const unsigned width = width_of(type);
    const wide product = (wide)number(values->source[0], type) * (wide)number(values->source[1], type);
    const wide half = cut((uint64_t)(meaning == MEANING_MADC_HI ? product >> width : product), width);
    const wide result = half + cut(values->source[2], width) + values->source[3];
    values->result[0] = (uint64_t)result;
    values->result[1] = (uint64_t)(result >> width);
}

/* ---- Floats -----------------------------------------------------------------------------------------------
 */

static enum direction direction_of(const struct instruction *instruction)
{
    switch (instruction->modifiers[GROUP_ROUNDING]) {
    case ROUNDING_RZ:
        return TOWARD_ZERO;
    case ROUNDING_RM:
        return DOWNWARD;
    case ROUNDING_RP:
        return UPWARD;
    default:
        return NEAREST_EVEN;
    }
}

/* [0, 1], NaN gives +0 */
static uint64_t saturated(uint64_t bits, hx_type type)
{
    const double value = float_value(bits, type);
    return !(value > 0) ? 0 : value < 1 ? bits : float_bits(1, type, NEAREST_EVEN);
}

/* Subnormals become zeros of their sign. */
static uint64_t flushed(uint64_t bits, hx_type type)
{
    const double value = float_value(bits, type);
    if (isnan(value))
        return float_nan(type);
    return fabs(value) < float_smallest_normal(type) ? float_bits(copysign(0, value), type, NEAREST_EVEN)
                                                     : bits;
}

static uint64_t extreme(enum meaning meaning, hx_type type, bool keeps_nan, uint64_t a, uint64_t b)
{
    const double x = float_value(a, type), y = float_value(b, type);
    if (isnan(x) || isnan(y))
        return (isnan(x) && isnan(y)) || keeps_nan ? float_nan(type) : isnan(x) ? b : a;
    if (x == y) /* zeros of both signs: -0 < +0 */
        return (signbit(x) != 0) == (meaning == MEANING_FMIN) ? a : b;
    return (x < y) == (meaning == MEANING_FMIN) ? a : b;
}

static uint64_t reciprocal_root(hx_type type, uint64_t a)
{
    const double root = sqrt(float_value(a, type));
    return float_bits(1 / root, type, NEAREST_EVEN);
}

/* Long division: the largest b * 2^k that is not above what is left goes off, again and again; all steps are
 * exact. */
static double remainder_by_subtraction(double a, double b)
{
    double left = fabs(a);
    b = fabs(b);
    if (isnan(a) || isnan(b) || isinf(a) || b == 0)
        return NAN;
    while (isfinite(b) && left >= b) {
        const int distance = ilogb(left) - ilogb(b);
        const double part = ldexp(b, distance);
        left -= part > left ? ldexp(b, distance - 1) : part;
    }
    return copysign(left, a);
}

static uint64_t floating(const struct instruction *instruction, enum meaning meaning, const uint64_t *s)
{
    const hx_type type = (hx_type)instruction->type;
    const enum direction direction = direction_of(instruction);
    const uint64_t sign = UINT64_C(1) << (width_of(type) - 1);
    switch (meaning) {
    case MEANING_FADD:
        return float_compute(FLOAT_ADD, type, direction, s[0], s[1], 0);
    case MEANING_FSUB:
        return float_compute(FLOAT_SUBTRACT, type, direction, s[0], s[1], 0);
    case MEANING_FMUL:
        return float_compute(FLOAT_MULTIPLY, type, direction, s[0], s[1], 0);
    case MEANING_FDIV:
        return float_compute(FLOAT_DIVIDE, type, direction, s[0], s[1], 0);
    case MEANING_FREM:
        return float_bits(remainder_by_subtraction(float_value(s[0], type), float_value(s[1], type)), type,
                          NEAREST_EVEN);
    case MEANING_FRCP:
        return float_compute(FLOAT_DIVIDE, type, direction, float_bits(1, type, NEAREST_EVEN), s[0], 0);
    case MEANING_FSQRT:
        return float_compute(FLOAT_ROOT, type, direction, s[0], 0, 0);
    case MEANING_FFMA:
        return float_compute(FLOAT_FUSED, type, direction, s[0], s[1], s[2]);
    case MEANING_FMAD:
        return float_compute(FLOAT_ADD, type, direction,
                             float_compute(FLOAT_MULTIPLY, type, direction, s[0], s[1], 0), s[2], 0);
    case MEANING_FRSQRT:
        return reciprocal_root(type, s[0]);
    case MEANING_FMIN:
    case MEANING_FMAX:
        return extreme(meaning, type, instruction->modifiers[GROUP_NAN] != 0, s[0], s[1]);
    case MEANING_FABS:
        return s[0] & ~sign;
    case MEANING_FNEG:
        return s[0] ^ sign;
    case MEANING_FCOPYSIGN:
        return (s[0] & sign) | (s[1] & ~sign);
    default:
        return reference_math(meaning, type, s[0], s[1]);
    }
}

static bool is_of_kind(const struct instruction *instruction, uint64_t bits)
{
    const hx_type type = (hx_type)instruction->type;
    const double value = float_value(bits, type);
    const char *kind = modifier_text(GROUP_NUMBER, instruction->modifiers[GROUP_NUMBER]);
    const bool normal = isfinite(value) && (value == 0 || fabs(value) >= float_smallest_normal(type));
    if (strcmp(kind, "finite") == 0)
        return isfinite(value);
    if (strcmp(kind, "infinite") == 0)
        return isinf(value);
    if (strcmp(kind, "number") == 0)
        return !isnan(value);
    if (strcmp(kind, "notanumber") == 0)
        return isnan(value);
    if (strcmp(kind, "normal") == 0)
        return normal;
    return isfinite(value) && value != 0 && !normal; /* subnormal */
}

static bool at_least_zero(const struct instruction *instruction, uint64_t bits)
{
    const uint64_t cell = cut(bits, 32);
    return float_value(instruction->modifiers[GROUP_FLUSH] ? flushed(cell, HX_TYPE_F32) : cell,
                       HX_TYPE_F32) >= 0;
}

/* ---- Conversions ------------------------------------------------------------------------------------------
 */

static double integral(const struct instruction *instruction, double value)
{
    switch (instruction->modifiers[GROUP_ROUNDING]) {
    case ROUNDING_RNI:
        return rint(value);
    case ROUNDING_RZI:
        return trunc(value);
    case ROUNDING_RMI:
        return floor(value);
    case ROUNDING_RPI:
        return ceil(value);
    default:
        return value;
    }
}

static uint64_t integer_of_float(hx_type to, hx_type from, double value)
{
    if (isnan(value))
        return from == HX_TYPE_F64 || width_of(to) == 64 ? UINT64_C(1) << (width_of(to) - 1) : 0;
    value = trunc(value);
    if (value >= ldexp(1, 100) || value <= -ldexp(1, 100))
        return (uint64_t)(value > 0 ? highest(to) : lowest(to));
    return (uint64_t)clamped((signed_wide)value, to);
}

static uint64_t converted(const struct instruction *instruction, uint64_t a)
{
    const hx_type to = (hx_type)instruction->type, from = (hx_type)instruction->source_type;
    const bool flushes = instruction->modifiers[GROUP_FLUSH] != 0;
    const bool saturates = instruction->modifiers[GROUP_SATURATE] != 0;
    const enum direction direction = direction_of(instruction);
    uint64_t result;
    if (!is_float(from)) {
        const signed_wide value = number(a, from);
        if (!is_float(to))
            return (uint64_t)(saturates ? clamped(value, to) : value);
        result = float_from_integer(value < 0, (uint64_t)(value < 0 ? -value : value), to, direction);
    } else {
        const uint64_t cell = cut(a, width_of(from));
        const double value = integral(
            instruction, float_value(flushes && from == HX_TYPE_F32 ? flushed(cell, from) : cell, from));
        if (!is_float(to))
            return integer_of_float(to, from, value);
        result = float_bits(value, to, direction);
    }
    if (saturates)
        result = saturated(result, to);
    return flushes && to == HX_TYPE_F32 ? flushed(result, to) : result;
}

/* ---- Comparisons ------------------------------------------------------------------------------------------
 */

/* What a condition is true of, and how it takes integers. */
struct condition {
    const char *name;
    bool less, equal, greater, unordered, as_unsigned;
};

static const struct condition *find_condition(const char *name)
{
    static const struct condition conditions[] = {
        {"eq", 0, 1, 0, 0, 0},  {"ne", 1, 0, 1, 0, 0},  {"lt", 1, 0, 0, 0, 0},  {"le", 1, 1, 0, 0, 0},
        {"gt", 0, 0, 1, 0, 0},  {"ge", 0, 1, 1, 0, 0},  {"equ", 0, 1, 0, 1, 1}, {"neu", 1, 0, 1, 1, 1},
        {"ltu", 1, 0, 0, 1, 1}, {"leu", 1, 1, 0, 1, 1}, {"gtu", 0, 0, 1, 1, 1}, {"geu", 0, 1, 1, 1, 1},
        {"lo", 1, 0, 0, 0, 1},  {"ls", 1, 1, 0, 0, 1},  {"hi", 0, 0, 1, 0, 1},  {"hs", 0, 1, 1, 0, 1},
        {"num", 1, 1, 1, 0, 0}, {"nan", 0, 0, 0, 1, 0}};
    const struct condition *condition = conditions;
    while (strcmp(condition->name, name) != 0)
        condition++; /* the assembler lets no other through */
    return condition;
}

static bool compared(const struct instruction *instruction, hx_type type, const uint64_t *source)
{
    const struct condition *condition =
        find_condition(modifier_text(GROUP_COMPARE, instruction->modifiers[GROUP_COMPARE]));
    const uint64_t a = cut(source[0], width_of(type)), b = cut(source[1], width_of(type));
    if (is_float(type)) {
        const double x = float_value(a, type), y = float_value(b, type);
        return isnan(x) || isnan(y) ? condition->unordered
               : x < y              ? condition->less
               : x > y              ? condition->greater
                                    : condition->equal;
    }
    const bool less = condition->as_unsigned ? a < b : number(a, type) < number(b, type);
    return a == b ? condition->equal : less ? condition->less : condition->greater;
}

static void compare(const struct instruction *instruction, struct values *values)
{
    const bool into_register = instruction->opcode->source_types != 0;
    const hx_type type = (hx_type)(into_register ? instruction->source_type : instruction->type);
    if (instruction->modifiers[GROUP_FLUSH] && is_float(type))
        for (unsigned i = 0; i < 2; i++)
            values->source[i] = flushed(cut(values->source[i], width_of(type)), type);
    const bool is_true = compared(instruction, type, values->source);
    values->result[0] = is_true;
    if (into_register)
        values->result[0] = !is_true ? 0
                            : is_float((hx_type)instruction->type)
                                ? float_bits(1, (hx_type)instruction->type, NEAREST_EVEN)
                                : UINT32_MAX;
    values->result[1] = !is_true; /* of those that have two */
    for (unsigned i = 0; i < values->results; i++)
        switch (instruction->modifiers[GROUP_COMBINE]) {
        case COMBINE_AND:
            values->result[i] &= values->source[2];
            break;
        case COMBINE_OR:
            values->result[i] |= values->source[2];
            break;
        case COMBINE_XOR:
            values->result[i] ^= values->source[2];
            break;
        default:
            break;
        }
}

/* ---- All of them ------------------------------------------------------------------------------------------
 */

static void evaluate_float(const struct instruction *instruction, enum meaning meaning, struct values *values)
{
    const hx_type type = (hx_type)instruction->type;
    const bool flushes = instruction->modifiers[GROUP_FLUSH] != 0;
    uint64_t source[4];
    for (unsigned i = 0; i < 4; i++) {
        source[i] = cut(values->source[i], width_of(type));
        source[i] = flushes ? flushed(source[i], type) : source[i];
    }
    if (meaning == MEANING_TESTP) {
        values->result[0] = is_of_kind(instruction, source[0]);
        return;
    }
    uint64_t result = floating(instruction, meaning, source);
    if (instruction->modifiers[GROUP_SATURATE])
        result = saturated(result, type);
    values->result[0] = flushes ? flushed(result, type) : result;
}

/* What moves or chooses values, and logic of predicates; false for any other meaning. */
static bool move(const struct instruction *instruction, enum meaning meaning, struct values *values)
{
    const uint64_t *s = values->source;
    switch (meaning) {
    case MEANING_MOV:
        values->result[0] = s[0];
        return true;
    case MEANING_POLICY_PART:
    case MEANING_POLICY_RANGE:
        values->result[0] = UINT64_C(1) << 60; /* whatever the operands are */
        return true;
    case MEANING_CVT:
        values->result[0] = converted(instruction, s[0]);
        return true;
    case MEANING_SEL:
        values->result[0] = s[2] ? s[0] : s[1];
        return true;
    case MEANING_SLCT_I32:
        values->result[0] = s[2] >> 31 & 1 ? s[1] : s[0];
        return true;
    case MEANING_SLCT_F32:
        values->result[0] = at_least_zero(instruction, s[2]) ? s[0] : s[1];
        return true;
    case MEANING_PACK:
    case MEANING_UNPACK:
        reference_halves(instruction, meaning, values);
        return true;
    case MEANING_PMOV:
    case MEANING_PNOT:
        values->result[0] = s[0] ^ (meaning == MEANING_PNOT);
        return true;
    case MEANING_PAND:
        values->result[0] = s[0] & s[1];
        return true;
    case MEANING_POR:
        values->result[0] = s[0] | s[1];
        return true;
    case MEANING_PXOR:
        values->result[0] = s[0] ^ s[1];
        return true;
    default:
        return false;
    }
}

void reference_evaluate(const struct instruction *instruction, enum meaning meaning, struct values *values)
{
    const hx_type type = (hx_type)instruction->type;
    const uint64_t *s = values->source;
    if (reference_is_packed(instruction)) {
        reference_evaluate_packed(instruction, meaning, values);
        return;
    }
    for (unsigned i = 0; i < values->results; i++)
        values->result_type[i] = (uint8_t)type;
    if (move(instruction, meaning, values))
        return;
    switch (meaning) {
    case MEANING_ADDC:
    case MEANING_SUBC:
        carry(meaning, type, values);
        values->result_type[1] = HX_TYPE_PRED;
        break;
    case MEANING_MADC_LO:
    case MEANING_MADC_HI:
        multiply_with_carry(meaning, type, values);
        values->result_type[1] = HX_TYPE_PRED;
        break;
    case MEANING_CNOT:
        values->result[0] = cut(s[0], width_of(type)) == 0;
        break;
    case MEANING_DP4A:
        values->result[0] = dot_of_bytes(type, s);
        break;
    case MEANING_SETP:
        compare(instruction, values);
        break;
    case MEANING_MULW:
    case MEANING_MADW:
        values->result_type[0] = (uint8_t)twice(type); /* and as the integers below */
        __attribute__((fallthrough));
    default:
        if (meaning >= MEANING_FADD && meaning <= MEANING_POW)
            evaluate_float(instruction, meaning, values);
        else if (meaning >= MEANING_AND && meaning <= MEANING_BMSK)
            reference_evaluate_bits(instruction, meaning, values);
        else if (meaning >= MEANING_PRMT && meaning <= MEANING_ISSPACEP)
            reference_evaluate_bits(instruction, meaning, values);
        else if (meaning >= MEANING_MUL24_LO && meaning <= MEANING_SAD4)
            values->result[0] = of_parts(meaning, type, s);
        else
            values->result[0] = integer(meaning, type, instruction->modifiers[GROUP_SATURATE] != 0, s);
    }
}
