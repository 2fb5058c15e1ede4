/* The types as data, beside the enum of hexec/isa.h: one line a type, and the arithmetic on types. */
#pragma once

#include "hexec/isa.h"

#include <stdbool.h>
#include <stdint.h>

#define TYPE_BIT(type) (1u << (type))
static inline bool type_is_float(enum hx_type type)
{
    return type == HX_TYPE_F16 || type == HX_TYPE_BF16 || type == HX_TYPE_F32 || type == HX_TYPE_F64;
}
static inline bool type_is_signed(enum hx_type type)
{
    return type == HX_TYPE_I8 || type == HX_TYPE_I16 || type == HX_TYPE_I32 || type == HX_TYPE_I64;
}
/* Two numbers of 16 bits, the first one in the low half. An instruction over them is one over each half. */
static inline bool type_is_packed(enum hx_type type)
{
    return type == HX_TYPE_F16X2 || type == HX_TYPE_BF16X2;
}
/* What a packed type has two of; any other type is itself. */
static inline enum hx_type type_half(enum hx_type type)
{
    return type == HX_TYPE_F16X2 ? HX_TYPE_F16 : type == HX_TYPE_BF16X2 ? HX_TYPE_BF16 : type;
}
/* Can memory, arrays and parameters hold it? */
static inline bool type_is_element(enum hx_type type)
{
    return type < HX_TYPE_F16X2;
}
/* Bits of a value: 8, 16, 32, 64; 1 for a predicate; 0 for NONE. */
unsigned type_bits(enum hx_type type);
static inline unsigned type_bytes(enum hx_type type)
{
    return (type_bits(type) + 7) / 8;
}
/* i32 for i16, u64 for u32; NONE where there is none. */
enum hx_type type_twice(enum hx_type type);
