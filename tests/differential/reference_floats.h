/* Floating-point numbers of all formats, for the reference interpreter: values, one rounding in any
 * direction. */
#pragma once

#include "hexec/isa.h"

#include <stdbool.h>
#include <stdint.h>

enum direction { NEAREST_EVEN, TOWARD_ZERO, DOWNWARD, UPWARD };

/* The value of a format's bits; every f16, bf16, f32 and f64 is a double. */
double float_value(uint64_t bits, hx_type type);
/* The bits of the value nearest in that direction. A NaN becomes the canonical one. */
uint64_t float_bits(double value, hx_type type, enum direction direction);
/* The same for an integer of 64 bits and a sign. */
uint64_t float_from_integer(bool negative, uint64_t magnitude, hx_type type, enum direction direction);
/* PTX's NaN: all ones but the sign. */
uint64_t float_nan(hx_type type);
/* The smallest normal number, as a value. */
double float_smallest_normal(hx_type type);

enum float_operation { FLOAT_ADD, FLOAT_SUBTRACT, FLOAT_MULTIPLY, FLOAT_DIVIDE, FLOAT_ROOT, FLOAT_FUSED };
/* a + b, a - b, a * b, a / b, the square root of a, a * b + c: of the format's bits, rounded once. */
uint64_t float_compute(enum float_operation operation, hx_type type, enum direction direction, uint64_t a,
                       uint64_t b, uint64_t c);
