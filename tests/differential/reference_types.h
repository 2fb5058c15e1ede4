/* Integer types as the reference interpreter sees them: widths, and numbers wide enough for any result. */
#pragma once

#include "reference_values.h"

typedef unsigned __int128 wide; /* two's complement */
typedef __int128 signed_wide;

static inline unsigned width_of(hx_type type)
{
    return type == HX_TYPE_PRED ? 1 : (unsigned)hx_type_bytes(type) * 8;
}

static inline bool is_signed(hx_type type)
{
    return type == HX_TYPE_I8 || type == HX_TYPE_I16 || type == HX_TYPE_I32 || type == HX_TYPE_I64;
}

static inline bool is_float(hx_type type)
{
    return type == HX_TYPE_F16 || type == HX_TYPE_BF16 || type == HX_TYPE_F32 || type == HX_TYPE_F64;
}

static inline uint64_t cut(uint64_t bits, unsigned width)
{
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

/* The number that bits of an integer type stand for. */
static inline signed_wide number(uint64_t bits, hx_type type)
{
    const unsigned width = width_of(type);
    const uint64_t cell = cut(bits, width);
    if (is_signed(type) && cell >> (width - 1) & 1)
        return (signed_wide)cell - ((signed_wide)1 << width);
    return (signed_wide)cell;
}

static inline signed_wide lowest(hx_type type)
{
    return is_signed(type) ? -((signed_wide)1 << (width_of(type) - 1)) : 0;
}

static inline signed_wide highest(hx_type type)
{
    return ((signed_wide)1 << (width_of(type) - is_signed(type))) - 1;
}

static inline signed_wide clamped(signed_wide value, hx_type type)
{
    return value < lowest(type) ? lowest(type) : value > highest(type) ? highest(type) : value;
}

static inline hx_type twice(hx_type type)
{
    switch (width_of(type)) {
    case 8:
        return is_signed(type) ? HX_TYPE_I16 : HX_TYPE_U16;
    case 16:
        return is_signed(type) ? HX_TYPE_I32 : HX_TYPE_U32;
    default:
        return is_signed(type) ? HX_TYPE_I64 : HX_TYPE_U64;
    }
}
