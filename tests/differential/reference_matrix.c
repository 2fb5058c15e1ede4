/* Products of matrices, for the reference interpreter.
 *
 * Takes the registers of a warp, makes whole matrices of them (PTX ISA, Matrix Fragments for mma), multiplies
 * row by column, and gives the lanes their elements of D. Lanes that take no part have zeros. What the
 * modifiers mean is read from their names. */
#include "reference_floats.h"
#include "reference_machine.h"

#include <stdio.h>
#include <string.h>

#define WARP 32u

struct matrices {
    unsigned rows, depth, bits; /* of D and A; of A and B; of an element of A and B */
    bool is_signed[2];          /* integers of A, of B */
    hx_type number, sum;        /* of A's and B's elements, NONE for integers; of C's and D's */
    char combination;           /* of b1: 'a' and, 'x' xor; else 0 */
    bool clamps;
    uint64_t a[16][256], b[256][8], c[16][8];
};

static const char *modifier_of(const struct instruction *instruction, enum modifier_group group)
{
    return modifier_text(group, instruction->modifiers[group]);
}

static void describe(const struct instruction *instruction, struct matrices *matrices)
{
    const char *product = modifier_of(instruction, GROUP_PRODUCT);
    static const struct {
        const char *begin;
        hx_type number;
        unsigned bits;
    } kinds[] = {{"f16", HX_TYPE_F16, 16}, {"bf16", HX_TYPE_BF16, 16}, {"tf32", HX_TYPE_F32, 32},
                 {"f64", HX_TYPE_F64, 64}, {"s8", HX_TYPE_NONE, 8},    {"u8", HX_TYPE_NONE, 8},
                 {"s4", HX_TYPE_NONE, 4},  {"u4", HX_TYPE_NONE, 4},    {"b1", HX_TYPE_NONE, 1}};
    sscanf(modifier_of(instruction, GROUP_TILE), "m%un8k%u", &matrices->rows, &matrices->depth);
    for (size_t i = 0; i < HX_COUNT_OF(kinds); i++)
        if (strncmp(product, kinds[i].begin, strlen(kinds[i].begin)) == 0) {
            matrices->number = kinds[i].number;
            matrices->bits = kinds[i].bits;
        }
    matrices->combination = strncmp(product, "b1", 2) == 0 ? product[2] : 0;
    matrices->is_signed[0] = product[0] == 's';
    matrices->is_signed[1] = strchr(product, 'x') && strchr(product, 'x')[1] == 's';
    matrices->sum = (hx_type)instruction->type;
    matrices->clamps = instruction->modifiers[GROUP_SATURATE] != 0;
}

static uint64_t *register_of(struct thread *lanes, uint32_t lane, const struct value_place *place,
                             unsigned index)
{
    return &lanes[lane].registers[place->reg + index];
}

/* Element `part` of a register. */
static uint64_t cut(const struct matrices *matrices, uint64_t bits, unsigned part)
{
    return matrices->bits == 64 ? bits
                                : bits >> part * matrices->bits & ((UINT64_C(1) << matrices->bits) - 1);
}

static void gather(struct matrices *matrices, struct thread *lanes, uint32_t present, const struct step *step)
{
    const unsigned parts = matrices->bits >= 32 ? 1 : 32 / matrices->bits, halves = matrices->rows / 8;
    for (uint32_t lane = 0; lane < WARP; lane++) {
        const unsigned g = lane / 4, t = lane % 4;
        if (!(present >> lane & 1))
            continue;
        for (unsigned k = 0; k < matrices->depth / 4; k++) {
            const unsigned at = k % parts + t * parts + k / parts * 4 * parts;
            for (unsigned half = 0; half < halves; half++)
                matrices->a[g + 8 * half][at] =
                    cut(matrices, *register_of(lanes, lane, &step->source[0], k / parts * halves + half),
                        k % parts);
            matrices->b[at][g] =
                cut(matrices, *register_of(lanes, lane, &step->source[1], k / parts), k % parts);
        }
        for (unsigned i = 0; i < 2 * halves; i++) {
            const bool is_half = matrices->sum == HX_TYPE_F16;
            const uint64_t bits = *register_of(lanes, lane, &step->source[2], is_half ? i / 2 : i);
            matrices->c[g + i / 2 * 8][2 * t + i % 2] = is_half ? bits >> i % 2 * 16 & 0xffff : bits;
        }
    }
}

static int64_t integer(const struct matrices *matrices, uint64_t bits, int operand)
{
    const uint64_t top = UINT64_C(1) << (matrices->bits - 1);
    return matrices->is_signed[operand] && (bits & top) ? (int64_t)bits - (int64_t)(2 * top) : (int64_t)bits;
}

static uint64_t sum_integers(const struct matrices *matrices, unsigned row, unsigned column)
{
    int64_t sum = (int32_t)matrices->c[row][column];
    for (unsigned k = 0; k < matrices->depth; k++) {
        const uint64_t a = matrices->a[row][k], b = matrices->b[k][column];
        sum += matrices->combination == 'a'   ? (int64_t)(a & b)
               : matrices->combination == 'x' ? (int64_t)(a ^ b)
                                              : integer(matrices, a, 0) * integer(matrices, b, 1);
    }
    if (matrices->clamps)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* As an f32, which has all values of f16 and bf16. */
static uint64_t as_f32(const struct matrices *matrices, uint64_t bits)
{
    return matrices->number == HX_TYPE_F32
               ? bits & ~UINT64_C(0x1fff)
               : float_bits(float_value(bits, matrices->number), HX_TYPE_F32, NEAREST_EVEN);
}

static uint64_t sum_floats(const struct matrices *matrices, unsigned row, unsigned column)
{
    const bool is_half = matrices->sum == HX_TYPE_F16, is_wide = matrices->number == HX_TYPE_F64;
    uint64_t sum = matrices->c[row][column];
    if (is_half)
        sum = float_bits(float_value(sum, HX_TYPE_F16), HX_TYPE_F32, NEAREST_EVEN);
    for (unsigned k = 0; k < matrices->depth; k++) {
        const uint64_t a = matrices->a[row][k], b = matrices->b[k][column];
        if (is_wide)
            sum = float_compute(FLOAT_FUSED, HX_TYPE_F64, NEAREST_EVEN, a, b, sum);
        else
            sum = float_compute(FLOAT_ADD, HX_TYPE_F32, NEAREST_EVEN, sum,
                                float_compute(FLOAT_MULTIPLY, HX_TYPE_F32, NEAREST_EVEN, as_f32(matrices, a),
                                              as_f32(matrices, b), 0),
                                0);
    }
    return is_half ? float_bits(float_value(sum, HX_TYPE_F32), HX_TYPE_F16, NEAREST_EVEN) : sum;
}

void reference_matrix(const struct machine *machine, struct thread *lanes, uint32_t present,
                      const struct step *step)
{
    static struct matrices matrices; /* of the thread that runs the reference: there is one */
    (void)machine;
    memset(&matrices, 0, sizeof matrices);
    describe(step->instruction, &matrices);
    gather(&matrices, lanes, present, step);
    const bool is_half = matrices.sum == HX_TYPE_F16;
    for (uint32_t lane = 0; lane < WARP; lane++)
        for (unsigned i = 0; (present >> lane & 1) && i < matrices.rows / 4; i++) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            const uint64_t bits = matrices.number == HX_TYPE_NONE ? sum_integers(&matrices, row, column)
                                                                  : sum_floats(&matrices, row, column);
            uint64_t *to = register_of(lanes, lane, &step->result[0], is_half ? i / 2 : i);
            if (!is_half)
                *to = bits;
            else
                *to = i % 2 ? *to | bits << 16 : bits;
        }
}
