/* The four float formats, as bits in a buffer and as doubles, which hold each of their values. */
#pragma once

#include "hexec/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format {
    hx_type type;
    size_t bytes;
    int precision; /* bits of the significand, the hidden one among them */
    int min_exponent, max_exponent;
};

/* NULL for a type that is no float. */
const struct format *format_of(hx_type type);
/* 2^32 for f32; 0 for f64, which has too many. */
uint64_t format_patterns(const struct format *format);
/* The bits of element `index`, and what they are worth. */
uint64_t format_load(const struct format *format, const void *cells, size_t index);
void format_store(const struct format *format, void *cells, size_t index, uint64_t bits);
double format_value(const struct format *format, uint64_t bits);
void format_values(const struct format *format, const void *cells, size_t count, double *ret_values);
/* The bits of a value, cut off towards zero where it does not fit: for choosing inputs, not for judging. */
uint64_t format_cut(const struct format *format, double value);
