/* The rules of rules.def, applied.
 *
 * Takes the values and undefined bits of one lane's operands, leaves the undefined bits of the results. A
 * rule is written as the row itself is: what the row does with bits it does with undefined bits. */
#include "check/init/rules.h"

#include "exec/handlers/lane_math.h"
#include "semantics/types.h"

#include <string.h>

#define LOW_BITS  UINT64_C(0x0101010101010101)
#define HIGH_BITS UINT64_C(0x8080808080808080)
#define SIGN32    UINT64_C(0x80000000)

uint64_t init_spread(uint8_t bytes)
{
    const uint64_t one_each = (bytes * LOW_BITS) & UINT64_C(0x8040201008040201);
    return (((one_each | ((one_each & ~HIGH_BITS) + ~HIGH_BITS)) & HIGH_BITS) >> 7) * 255;
}

uint8_t init_gather(uint64_t bits)
{
    const uint64_t any = ((bits | ((bits & ~HIGH_BITS) + ~HIGH_BITS)) & HIGH_BITS) >> 7;
    return (uint8_t)((any * UINT64_C(0x0102040810204080)) >> 56);
}

static uint64_t low_bits(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t extend(uint64_t bits, unsigned width, bool is_signed)
{
    const uint64_t sign = is_signed && width < 64 ? UINT64_C(1) << (width - 1) : 0;
    return (int64_t)((bits ^ sign) - sign);
}

uint64_t init_cell(enum hx_type type, uint64_t bits)
{
    const unsigned width = type_bits(type);
    if (width == 1)
        return bits != 0;
    const uint64_t cell = (uint64_t)extend(bits & low_bits(width), width, type_is_signed(type));
    return width == 64 ? cell : (uint32_t)cell;
}

/* ---- What the rules' expressions see */

struct view {
    uint64_t a, b, c, f, undefined_a, undefined_b, undefined_c, undefined_f;
    unsigned width, source_width;
    bool is_signed, source_is_signed, is_between_integers;
    int64_t immediate;
};

static uint64_t carried_up(uint64_t bits)
{
    return bits | (0 - bits);
}

static uint64_t all_if(uint64_t bits)
{
    return bits ? UINT64_MAX : 0;
}

/* A bit is undefined when the table has different results for the values that the undefined operands may
 * have: they are tried. */
static uint64_t looked_up(const struct view *v)
{
    uint32_t differ = 0, first = 0;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t a = i & 4 ? v->a | v->undefined_a : v->a & ~v->undefined_a;
        const uint64_t b = i & 2 ? v->b | v->undefined_b : v->b & ~v->undefined_b;
        const uint64_t c = i & 1 ? v->c | v->undefined_c : v->c & ~v->undefined_c;
        const uint32_t result = lookup3((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)v->immediate);
        first = i == 0 ? result : first;
        differ |= result ^ first;
    }
    return differ;
}

static uint64_t extracted(const struct view *v)
{
    const uint32_t at = (uint32_t)v->b, bits = (uint32_t)v->c;
    if (v->width == 32)
        return v->is_signed ? (uint32_t)field_extracted((int32_t)v->undefined_a, at, bits)
                            : field_extracted((uint32_t)v->undefined_a, at, bits);
    return v->is_signed ? (uint64_t)field_extracted((int64_t)v->undefined_a, at, bits)
                        : field_extracted((uint64_t)v->undefined_a, at, bits);
}

static uint64_t inserted(const struct view *v)
{
    const uint32_t at = (uint32_t)v->c, bits = (uint32_t)v->f;
    return v->width == 32 ? field_inserted((uint32_t)v->undefined_a, (uint32_t)v->undefined_b, at, bits)
                          : field_inserted((uint64_t)v->undefined_a, (uint64_t)v->undefined_b, at, bits);
}

#define WIDTH              (v->width)
#define SIGNED             (v->is_signed)
#define SIGN               (UINT64_C(1) << (WIDTH - 1))
#define UP(x)              carried_up(x)
#define BY(x, d)           ((x) ? UINT64_MAX : (uint64_t)(d))
#define ALL                all_if(A | B | C | F)
#define EXTENDED(x)        extend(x, v->width, true)
#define SOURCE_EXTENDED(x) extend(x, v->source_width, v->source_is_signed)
#define BETWEEN_INTEGERS   (v->is_between_integers)

#define DEFINE_RULE(name, ...)                                                                               \
    static uint64_t rule_##name(const struct view *v)                                                        \
    {                                                                                                        \
        const uint64_t a __attribute__((unused)) = v->a, b __attribute__((unused)) = v->b;                   \
        const uint64_t c __attribute__((unused)) = v->c;                                                     \
        const uint64_t A __attribute__((unused)) = v->undefined_a;                                           \
        const uint64_t B __attribute__((unused)) = v->undefined_b;                                           \
        const uint64_t C __attribute__((unused)) = v->undefined_c;                                           \
        const uint64_t F __attribute__((unused)) = v->undefined_f;                                           \
        return (uint64_t)(__VA_ARGS__);                                                                      \
    }
#define INIT_RULE DEFINE_RULE
#define INIT_MOVE DEFINE_RULE
#include "check/init/rules.def"
#undef INIT_RULE
#undef INIT_MOVE

static const struct {
    uint64_t (*apply)(const struct view *v);
    bool moves;
} rules[SEMANTIC_COUNT] = {
#define INIT_RULE(name, ...) [SEM_##name] = {rule_##name, false},
#define INIT_MOVE(name, ...) [SEM_##name] = {rule_##name, true},
#include "check/init/rules.def"
#undef INIT_RULE
#undef INIT_MOVE
};

bool init_has_rule(int semantic)
{
    return semantic >= 0 && semantic < SEMANTIC_COUNT && rules[semantic].apply;
}

bool init_rule_moves(int semantic)
{
    return init_has_rule(semantic) && rules[semantic].moves;
}

static bool is_integer(enum hx_type type)
{
    return type != HX_TYPE_NONE && !type_is_float(type);
}

struct init_outcome init_apply_rule(int semantic, const struct init_operands *operands)
{
    const enum semantic_shape shape = semantic_at(semantic)->shape;
    const enum hx_type type = (enum hx_type)operands->type, from = (enum hx_type)operands->source_type;
    uint64_t values[OPERAND_LETTERS] = {0}, undefined[OPERAND_LETTERS] = {0};
    for (int o = OPERAND_A; o < OPERAND_LETTERS; o++) {
        const enum hx_type at = semantic_operand_type(shape, (enum semantic_operand)o, type, from);
        if (at == HX_TYPE_NONE)
            continue;
        values[o] = operands->value[o] & low_bits(type_bits(at));
        undefined[o] = operands->undefined[o] & low_bits(type_bits(at));
    }
    const struct view v = {values[OPERAND_A],
                           values[OPERAND_B],
                           values[OPERAND_C],
                           values[OPERAND_F],
                           undefined[OPERAND_A],
                           undefined[OPERAND_B],
                           undefined[OPERAND_C],
                           undefined[OPERAND_F],
                           type_bits(type),
                           from == HX_TYPE_NONE ? 64 : type_bits(from),
                           type_is_signed(type),
                           type_is_signed(from),
                           is_integer(type) && is_integer(from),
                           operands->immediate};
    const enum hx_type result = semantic_operand_type(shape, OPERAND_D, type, from);
    const uint64_t any = v.undefined_a | v.undefined_b | v.undefined_c | v.undefined_f;
    return (struct init_outcome){init_cell(result, rules[semantic].apply(&v)), any != 0};
}
