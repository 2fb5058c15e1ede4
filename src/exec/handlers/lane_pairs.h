/* Packed types, which no rows but atomics are written over: two floats, with C's operators for each (a vector
 * of gcc's and clang's). */
#pragma once

#include <stdint.h>

typedef float pair __attribute__((vector_size(2 * sizeof(float))));
typedef uint32_t cell_F16X2, cell_BF16X2;
#define VIEW_F16X2(X)  X(F16X2, pair, pair, pair, pair, 32, 1, 1)
#define VIEW_BF16X2(X) X(BF16X2, pair, pair, pair, pair, 32, 1, 1)
#define IN_F16X2(x)                                                                                          \
    (pair)                                                                                                   \
    {                                                                                                        \
        float_of_f16(x), float_of_f16((x) >> 16)                                                             \
    }
#define IN_BF16X2(x)                                                                                         \
    (pair)                                                                                                   \
    {                                                                                                        \
        float_of_bf16(x), float_of_bf16((x) >> 16)                                                           \
    }
#define OUT_F16X2(x)        (f16_nearest((x)[0]) | f16_nearest((x)[1]) << 16)
#define OUT_BF16X2(x)       (bf16_nearest((x)[0]) | bf16_nearest((x)[1]) << 16)
#define READ_F16X2(letter)  CELL_OF(F16X2, letter)
#define READ_BF16X2(letter) CELL_OF(BF16X2, letter)
