/* The sets of types that rows of src/semantics are written over.
 *
 * A set applies one of two macros to each of its types: OWN(view, type, ...) to the first type of a view and
 * SHARED(view, type, ...) to the others. The view is how the bits are read: rows that only move or combine
 * bits have one view for u32, i32 and f32, and so one handler for the three. For types alone, give the
 * same macro twice, or use SET_TYPES(INTEGERS) for the bit set. The sources of a conversion come from the
 * SOURCE_ macros (a macro is not expanded inside itself, so the inner list needs a name of its own). */
#pragma once

#include "hexec/isa.h"

/* Integers where the sign matters. */
#define SET_SIGNED(OWN, SHARED, ...)                                                                         \
    OWN(I8, I8, __VA_ARGS__) OWN(I16, I16, __VA_ARGS__) OWN(I32, I32, __VA_ARGS__) OWN(I64, I64, __VA_ARGS__)
#define SET_UNSIGNED(OWN, SHARED, ...)                                                                       \
    OWN(U8, U8, __VA_ARGS__) OWN(U16, U16, __VA_ARGS__) OWN(U32, U32, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__)
#define SET_INTEGERS(OWN, SHARED, ...)                                                                       \
    SET_SIGNED(OWN, SHARED, __VA_ARGS__) SET_UNSIGNED(OWN, SHARED, __VA_ARGS__)
/* Those that have a type of twice their width. */
#define SET_NARROW(OWN, SHARED, ...)                                                                         \
    OWN(I8, I8, __VA_ARGS__)                                                                                 \
    OWN(I16, I16, __VA_ARGS__)                                                                               \
    OWN(I32, I32, __VA_ARGS__) OWN(U8, U8, __VA_ARGS__) OWN(U16, U16, __VA_ARGS__) OWN(U32, U32, __VA_ARGS__)
/* 32 and 64 bits, with and without regard to the sign. */
#define SET_WIDE_INTEGERS(OWN, SHARED, ...)                                                                  \
    OWN(I32, I32, __VA_ARGS__)                                                                               \
    OWN(U32, U32, __VA_ARGS__) OWN(I64, I64, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__)
#define SET_WORDS(OWN, SHARED, ...)                                                                          \
    OWN(U32, U32, __VA_ARGS__)                                                                               \
    SHARED(U32, I32, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__) SHARED(U64, I64, __VA_ARGS__)
#define SET_WORD32(OWN, SHARED, ...)        OWN(U32, U32, __VA_ARGS__) SHARED(U32, I32, __VA_ARGS__)
#define SET_WORD32_SIGNED(OWN, SHARED, ...) OWN(I32, I32, __VA_ARGS__) OWN(U32, U32, __VA_ARGS__)

/* Integers where the sign does not matter, but for how a narrow result is extended to its cell ... */
#define SET_MODULAR(OWN, SHARED, ...)                                                                        \
    OWN(I8, I8, __VA_ARGS__)                                                                                 \
    OWN(U8, U8, __VA_ARGS__)                                                                                 \
    OWN(I16, I16, __VA_ARGS__) OWN(U16, U16, __VA_ARGS__) SET_WORDS(OWN, SHARED, __VA_ARGS__)
/* ... and where the result is of another type, so that it does not matter at all. */
#define SET_BITS(OWN, SHARED, ...)                                                                           \
    OWN(U8, U8, __VA_ARGS__)                                                                                 \
    SHARED(U8, I8, __VA_ARGS__)                                                                              \
    OWN(U16, U16, __VA_ARGS__) SHARED(U16, I16, __VA_ARGS__) SET_WORDS(OWN, SHARED, __VA_ARGS__)

/* Floats as values, and as bits. */
#define SET_FLOATS(OWN, SHARED, ...)                                                                         \
    OWN(F16, F16, __VA_ARGS__)                                                                               \
    OWN(BF16, BF16, __VA_ARGS__) OWN(F32, F32, __VA_ARGS__) OWN(F64, F64, __VA_ARGS__)
#define SET_FLOAT_BITS(OWN, SHARED, ...)                                                                     \
    OWN(U16, F16, __VA_ARGS__)                                                                               \
    SHARED(U16, BF16, __VA_ARGS__) OWN(U32, F32, __VA_ARGS__) OWN(U64, F64, __VA_ARGS__)
#define SET_WIDE_FLOATS(OWN, SHARED, ...) OWN(F32, F32, __VA_ARGS__) OWN(F64, F64, __VA_ARGS__)
/* What atomics add, and what they exchange. */
#define SET_ATOMIC_SUMS(OWN, SHARED, ...)                                                                    \
    SET_WORDS(OWN, SHARED, __VA_ARGS__)                                                                      \
    SET_FLOATS(OWN, SHARED, __VA_ARGS__) OWN(F16X2, F16X2, __VA_ARGS__) OWN(BF16X2, BF16X2, __VA_ARGS__)
#define SET_ATOMIC_BITS(OWN, SHARED, ...)                                                                    \
    OWN(U16, U16, __VA_ARGS__)                                                                               \
    SET_WORDS(OWN, SHARED, __VA_ARGS__) SHARED(U32, F32, __VA_ARGS__) SHARED(U64, F64, __VA_ARGS__)
/* What lanes and threads give each other: whole cells as bits, as numbers. */
#define SET_CELLS_WIDE(OWN, SHARED, ...)                                                                     \
    SET_WORDS(OWN, SHARED, __VA_ARGS__) SHARED(U32, F32, __VA_ARGS__) SHARED(U64, F64, __VA_ARGS__)
#define SET_WIDE_NUMBERS(OWN, SHARED, ...)                                                                   \
    SET_WIDE_INTEGERS(OWN, SHARED, __VA_ARGS__) SET_WIDE_FLOATS(OWN, SHARED, __VA_ARGS__)
#define SET_MASKS(OWN, SHARED, ...) OWN(U32, U32, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__)
#define SET_F32(OWN, SHARED, ...)   OWN(F32, F32, __VA_ARGS__)
#define SET_F64(OWN, SHARED, ...)   OWN(F64, F64, __VA_ARGS__)
/* What products of small integers are added to; of 64 bits when the sum is clamped behind. */
#define SET_SIGNED_SUMS(OWN, SHARED, ...) OWN(I32, I32, __VA_ARGS__) OWN(I64, I64, __VA_ARGS__)

/* All twelve, as values, as values of which integers are compared without sign, and as something to move. */
#define SET_NUMBERS(OWN, SHARED, ...)                                                                        \
    SET_INTEGERS(OWN, SHARED, __VA_ARGS__) SET_FLOATS(OWN, SHARED, __VA_ARGS__)
#define SET_MAGNITUDES(OWN, SHARED, ...)                                                                     \
    SET_BITS(OWN, SHARED, __VA_ARGS__) SET_FLOATS(OWN, SHARED, __VA_ARGS__)
#define SET_CELLS(OWN, SHARED, ...)                                                                          \
    SET_MODULAR(OWN, SHARED, __VA_ARGS__)                                                                    \
    SHARED(U16, F16, __VA_ARGS__)                                                                            \
    SHARED(U16, BF16, __VA_ARGS__) SHARED(U32, F32, __VA_ARGS__) SHARED(U64, F64, __VA_ARGS__)

/* Halves of words: the result (pack) or the halves (unpack) follow from the width. */
#define SET_HALVES(OWN, SHARED, ...)                                                                         \
    OWN(U16, U16, __VA_ARGS__)                                                                               \
    SHARED(U16, I16, __VA_ARGS__)                                                                            \
    SHARED(U16, F16, __VA_ARGS__)                                                                            \
    SHARED(U16, BF16, __VA_ARGS__)                                                                           \
    OWN(U32, U32, __VA_ARGS__) SHARED(U32, I32, __VA_ARGS__) SHARED(U32, F32, __VA_ARGS__)
#define SET_HALVES_SIGNED(OWN, SHARED, ...)                                                                  \
    OWN(I16, I16, __VA_ARGS__)                                                                               \
    OWN(U16, U16, __VA_ARGS__)                                                                               \
    SHARED(U16, F16, __VA_ARGS__)                                                                            \
    SHARED(U16, BF16, __VA_ARGS__)                                                                           \
    OWN(U32, U32, __VA_ARGS__) SHARED(U32, I32, __VA_ARGS__) SHARED(U32, F32, __VA_ARGS__)

/* Indices of addresses; predicates; what a clock gives. */
#define SET_INDICES(OWN, SHARED, ...)                                                                        \
    OWN(I32, I32, __VA_ARGS__)                                                                               \
    OWN(U32, U32, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__) SHARED(U64, I64, __VA_ARGS__)
#define SET_PREDICATE(OWN, SHARED, ...) OWN(PRED, PRED, __VA_ARGS__)
#define SET_U32(OWN, SHARED, ...)       OWN(U32, U32, __VA_ARGS__)
#define SET_U64(OWN, SHARED, ...)       OWN(U64, U64, __VA_ARGS__)

/* Sources of conversions. */
#define SOURCE_FLOATS(OWN, SHARED, ...)                                                                      \
    OWN(F16, F16, __VA_ARGS__)                                                                               \
    OWN(BF16, BF16, __VA_ARGS__) OWN(F32, F32, __VA_ARGS__) OWN(F64, F64, __VA_ARGS__)
#define SOURCE_NUMBERS(OWN, SHARED, ...)                                                                     \
    OWN(I8, I8, __VA_ARGS__)                                                                                 \
    OWN(U8, U8, __VA_ARGS__)                                                                                 \
    OWN(I16, I16, __VA_ARGS__)                                                                               \
    OWN(U16, U16, __VA_ARGS__)                                                                               \
    OWN(I32, I32, __VA_ARGS__)                                                                               \
    OWN(U32, U32, __VA_ARGS__)                                                                               \
    OWN(I64, I64, __VA_ARGS__) OWN(U64, U64, __VA_ARGS__) SOURCE_FLOATS(OWN, SHARED, __VA_ARGS__)

/* The set as bits of 1 << HX_TYPE_...: SET_TYPES(INTEGERS), SOURCE_TYPES(FLOATS). */
#define SET_BIT(view, type, ...) | 1u << HX_TYPE_##type
#define SET_TYPES(set)           (0u SET_##set(SET_BIT, SET_BIT, ))
#define SOURCE_TYPES(set)        (0u SOURCE_##set(SET_BIT, SET_BIT, ))
