/* What the expressions of rows see of their types, for code that compiles them.
 *
 * A view is how the bits of a type are read (see sets.h). T is the value, U unsigned and at least 32 bits
 * wide (for floats T), W twice as wide, UW the same without sign. */
#pragma once

#include "hexec/isa.h"

#include <stdint.h>

#define VIEW_UNUSED __attribute__((unused))

typedef __int128 int128;
typedef unsigned __int128 uint128;

/* X(view, T, U, W, UW, bits, is signed, is float) */
#define VIEW_I8(X)   X(I8, int8_t, uint32_t, int16_t, uint16_t, 8, 1, 0)
#define VIEW_U8(X)   X(U8, uint8_t, uint32_t, uint16_t, uint16_t, 8, 0, 0)
#define VIEW_I16(X)  X(I16, int16_t, uint32_t, int32_t, uint32_t, 16, 1, 0)
#define VIEW_U16(X)  X(U16, uint16_t, uint32_t, uint32_t, uint32_t, 16, 0, 0)
#define VIEW_I32(X)  X(I32, int32_t, uint32_t, int64_t, uint64_t, 32, 1, 0)
#define VIEW_U32(X)  X(U32, uint32_t, uint32_t, uint64_t, uint64_t, 32, 0, 0)
#define VIEW_I64(X)  X(I64, int64_t, uint64_t, int128, uint128, 64, 1, 0)
#define VIEW_U64(X)  X(U64, uint64_t, uint64_t, uint128, uint128, 64, 0, 0)
#define VIEW_F16(X)  X(F16, float, float, float, float, 16, 1, 1)
#define VIEW_BF16(X) X(BF16, float, float, float, float, 16, 1, 1)
#define VIEW_F32(X)  X(F32, float, float, float, float, 32, 1, 1)
#define VIEW_F64(X)  X(F64, double, double, double, double, 64, 1, 1)
#define VIEW_PRED(X) X(PRED, uint8_t, uint32_t, uint32_t, uint32_t, 1, 0, 0)

/* What an expression sees of its type, declared at the head of each body. */
#define VIEW_DECLARE(view, t, u, w, uw, bits, is_signed, is_float)                                           \
    typedef t T VIEW_UNUSED;                                                                                 \
    typedef u U VIEW_UNUSED;                                                                                 \
    typedef w W VIEW_UNUSED;                                                                                 \
    typedef uw UW VIEW_UNUSED;                                                                               \
    enum {                                                                                                   \
        TYPE = HX_TYPE_##view,                                                                               \
        WIDTH = bits,                                                                                        \
        SIGNED = is_signed,                                                                                  \
        IS_FLOAT = is_float,                                                                                 \
        IS_HALF = is_float && bits == 16,                                                                    \
        IS_F16 = (int)HX_TYPE_##view == (int)HX_TYPE_F16,                                                    \
        IS_F64 = is_float && bits == 64                                                                      \
    };
#define VIEW_DECLARE_SOURCE(view, t, u, w, uw, bits, is_signed, is_float)                                    \
    typedef t S VIEW_UNUSED;                                                                                 \
    enum { FROM_BITS = bits, FROM_FLOAT = is_float };
#define SIGN ((U)1 << (WIDTH - 1))

#define VIEW_VALUE(view, t, ...) t
#define VALUE(view)              VIEW_##view(VIEW_VALUE)
