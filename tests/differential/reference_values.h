/* What an instruction does to values, for the reference interpreter. Shared by reference.c and
 * reference_values.c. */
#pragma once

#include "program/program.h"

/* The semantics that the reference knows, by the names that an instruction set gives them: X(NAME, name).
 * Those of memory and control flow are done in reference.c. */
/* clang-format off */
#define REFERENCE_MEANINGS(X)         \
    X(MOV, "mov")                     \
    X(CVT, "cvt")                     \
    X(SEL, "sel")                     \
    X(SLCT_I32, "slct_i32")           \
    X(SLCT_F32, "slct_f32")           \
    X(PACK, "pack")                   \
    X(UNPACK, "unpack")               \
    X(PRMT, "prmt")                   \
    X(CVTA, "cvta")                   \
    X(CVTA_TO, "cvta_to")             \
    X(ISSPACEP, "isspacep")           \
    X(POLICY_PART, "policy_fractional") \
    X(POLICY_RANGE, "policy_range")   \
    X(ADD, "add")                     \
    X(SUB, "sub")                     \
    X(MUL, "mul")                     \
    X(MULHI, "mulhi")                 \
    X(MULW, "mulw")                   \
    X(MAD, "mad")                     \
    X(MADHI, "madhi")                 \
    X(MADW, "madw")                   \
    X(DIV, "div")                     \
    X(REM, "rem")                     \
    X(MIN, "min")                     \
    X(MAX, "max")                     \
    X(ABS, "abs")                     \
    X(NEG, "neg")                     \
    X(ADDC, "addc")                   \
    X(SUBC, "subc")                   \
    X(MADC_LO, "madc_lo")             \
    X(MADC_HI, "madc_hi")             \
    X(SAD, "sad")                     \
    X(DP4A, "dp4a")                   \
    X(CNOT, "cnot")                   \
    X(MUL24_LO, "mul24_lo")           \
    X(MUL24_HI, "mul24_hi")           \
    X(MAD24_LO, "mad24_lo")           \
    X(MAD24_HI, "mad24_hi")           \
    X(DP2A_LO, "dp2a_lo")             \
    X(DP2A_HI, "dp2a_hi")             \
    X(SAD4, "sad4")                   \
    X(FADD, "fadd")                   \
    X(FSUB, "fsub")                   \
    X(FMUL, "fmul")                   \
    X(FFMA, "ffma")                   \
    X(FMAD, "fmad")                   \
    X(FDIV, "fdiv")                   \
    X(FREM, "frem")                   \
    X(FRCP, "frcp")                   \
    X(FSQRT, "fsqrt")                 \
    X(FRSQRT, "frsqrt")               \
    X(FMIN, "fmin")                   \
    X(FMAX, "fmax")                   \
    X(FABS, "fabs")                   \
    X(FNEG, "fneg")                   \
    X(FCOPYSIGN, "fcopysign")         \
    X(TESTP, "testp")                 \
    X(EX2, "ex2")                     \
    X(EXP, "exp")                     \
    X(LG2, "lg2")                     \
    X(LOG, "log")                     \
    X(SIN, "sin")                     \
    X(COS, "cos")                     \
    X(LOG10, "log10")                 \
    X(TAN, "tan")                     \
    X(TANH, "tanh")                   \
    X(SIGMOID, "sigmoid")             \
    X(ERF, "erf")                     \
    X(POW, "pow")                     \
    X(AND, "and")                     \
    X(OR, "or")                       \
    X(XOR, "xor")                     \
    X(NOT, "not")                     \
    X(SHL, "shl")                     \
    X(SHR, "shr")                     \
    X(LOP3, "lop3")                   \
    X(SHF_L, "shf_l")                 \
    X(SHF_R, "shf_r")                 \
    X(BFE, "bfe")                     \
    X(BFI, "bfi")                     \
    X(BFIND, "bfind")                 \
    X(POPC, "popc")                   \
    X(CLZ, "clz")                     \
    X(BREV, "brev")                   \
    X(BMSK, "bmsk")                   \
    X(SETP, "setp")                   \
    X(PMOV, "pmov")                   \
    X(PAND, "pand")                   \
    X(POR, "por")                     \
    X(PXOR, "pxor")                   \
    X(PNOT, "pnot")                   \
    X(LOAD_GLOBAL, "load_global")     \
    X(LOAD_SHARED, "load_shared")     \
    X(LOAD_CONSTANT, "load_constant") \
    X(LOAD_LOCAL, "load_local")       \
    X(LOAD_GENERIC, "load_generic")   \
    X(STORE_GLOBAL, "store_global")   \
    X(STORE_SHARED, "store_shared")   \
    X(STORE_LOCAL, "store_local")     \
    X(STORE_GENERIC, "store_generic") \
    X(ATOMIC, "atomic")               \
    X(BRANCH, "branch")               \
    X(JUMP_TABLE, "jump_table")       \
    X(CALL, "call")                   \
    X(CALL_TABLE, "call_table")       \
    X(RETURN, "return")               \
    X(LOOP, "loop")                   \
    X(EXIT, "exit")                   \
    X(TRAP, "trap")                   \
    X(NOP, "nop")                     \
    X(YIELD, "yield")                 \
    X(BARRIER, "barrier_sync")        \
    X(PRINT, "print")                 \
    X(VPRINT, "vprint")               \
    X(ASSERT, "assert")               \
    X(FENCE, "fence")                 \
    X(BARRIER_ARRIVE, "barrier_arrive")     \
    X(BARRIER_RED_POPC, "barrier_red_popc") \
    X(BARRIER_RED_AND, "barrier_red_and")   \
    X(BARRIER_RED_OR, "barrier_red_or")     \
    X(WARP_SYNC, "warp_sync")               \
    X(STACK_TAKE, "stack_take")             \
    X(STACK_SAVE, "stack_save")             \
    X(STACK_RESTORE, "stack_restore")       \
    X(WARP, "a row between lanes")          \
    X(COLLECTIVE, "a row over a block")
/* clang-format on */

enum meaning {
#define MEANING_VALUE(NAME, name) MEANING_##NAME,
    REFERENCE_MEANINGS(MEANING_VALUE)
#undef MEANING_VALUE
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
