/* Packed types, for the reference interpreter: PTX's half2 instructions one half after the other, each as the
 * instruction over the half's type. */
#include "reference_values.h"

static hx_type half_of(hx_type type)
{
    switch (type) {
    case HX_TYPE_F16X2:
        return HX_TYPE_F16;
    case HX_TYPE_BF16X2:
        return HX_TYPE_BF16;
    default:
        return HX_TYPE_NONE;
    }
}

bool reference_is_packed(const struct instruction *instruction)
{
    return half_of((hx_type)instruction->type) != HX_TYPE_NONE ||
           half_of((hx_type)instruction->source_type) != HX_TYPE_NONE;
}

/* Of integers that a comparison gives, a half is 16 bits without a sign. */
static struct instruction over_halves(const struct instruction *instruction)
{
    struct instruction half = *instruction;
    const hx_type result = half_of((hx_type)instruction->type);
    half.type = (uint8_t)(result == HX_TYPE_NONE ? HX_TYPE_U16 : result);
    half.source_type = (uint8_t)half_of((hx_type)instruction->source_type);
    return half;
}

void reference_evaluate_packed(const struct instruction *instruction, enum meaning meaning,
                               struct values *values)
{
    const struct instruction half = over_halves(instruction);
    struct values low = *values, high = *values;
    for (unsigned i = 0; i < values->sources; i++) {
        low.source[i] &= 0xffff;
        high.source[i] = high.source[i] >> 16 & 0xffff;
    }
    reference_evaluate(&half, meaning, &low);
    reference_evaluate(&half, meaning, &high);
    values->result[0] = (high.result[0] & 0xffff) << 16 | (low.result[0] & 0xffff);
    values->result_type[0] = instruction->type;
}

uint64_t reference_atomic_packed(const struct instruction *instruction, uint64_t old, uint64_t b)
{
    const struct instruction half = over_halves(instruction);
    return reference_atomic(&half, old >> 16 & 0xffff, b >> 16 & 0xffff, 0) << 16 |
           reference_atomic(&half, old & 0xffff, b & 0xffff, 0);
}
