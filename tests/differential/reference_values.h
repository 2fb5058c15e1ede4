/* What an instruction does to values, for the reference interpreter. Shared by reference.c and
 * reference_values.c. */
#pragma once

#include "program/program.h"

enum meaning {
#define MEANING(NAME, name) MEANING_##NAME,
#include "reference_meanings.def"
#undef MEANING
    MEANING_COUNT,
    MEANING_UNKNOWN = MEANING_COUNT
};

/* Sources in the order in which they are written: numbers are registers' 64 bits, predicates 0 or 1. Results
 * are the bits of their types, not yet extended; a predicate is 0 or 1. */
struct values {
    uint64_t source[4];
    unsigned sources;
    uint64_t result[4];
    unsigned results;
    uint8_t result_type[4]; /* enum hx_type */
};
/* Computes what is neither memory nor control flow. */
void reference_evaluate(const struct instruction *instruction, enum meaning meaning, struct values *values);
/* Its parts: what works on bits, bytes and addresses; pack and unpack, of two or of four parts. */
void reference_evaluate_bits(const struct instruction *instruction, enum meaning meaning,
                             struct values *values);
void reference_halves(const struct instruction *instruction, enum meaning meaning, struct values *values);
/* Instructions over f16x2 and bf16x2, half by half; atomics among them. */
bool reference_is_packed(const struct instruction *instruction);
void reference_evaluate_packed(const struct instruction *instruction, enum meaning meaning,
                               struct values *values);
uint64_t reference_atomic_packed(const struct instruction *instruction, uint64_t old, uint64_t b);
/* A transcendental function of bits of a float type; b is pow's exponent. */
uint64_t reference_math(enum meaning meaning, hx_type type, uint64_t a, uint64_t b);
/* What an atomic leaves where `old` was; the operands' bits above the type's do not count. */
uint64_t reference_atomic(const struct instruction *instruction, uint64_t old, uint64_t b, uint64_t f);
