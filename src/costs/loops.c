/* Loops at the machine's limit.
 *
 * Arithmetic: 12 chains of x := x * m + c, more than a core has multiply-adds under way at once (two units of
 * 4 or 5 cycles), few enough for 16 registers. From AVX2 on the compiler makes fused multiply-adds of them;
 * below they are a product and a sum, and count as two just the same. Memory: vectors one after the other,
 * several in each step. An empty assembler statement in each step keeps the compiler from seeing what the
 * loop is for.
 *
 * The loops are written once and compiled for each width of vectors by the `target` attribute: the library as
 * a whole is compiled for any machine. */
#include "costs/loops.h"

#if defined(__x86_64__)
#define FOR_V4 __attribute__((target("avx512f,fma")))
#define FOR_V3 __attribute__((target("avx2,fma")))
#endif

#define CHAINS(X)   X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CHAIN_COUNT 12u
#define START(n)    Vector x##n = one * (Vector){n};
#define STEP(n)     x##n = x##n * factor + addend;
#define KEEP(n)     __asm__ volatile("" : : "m"(x##n));

/* factor < 1, so that x stays near addend / (1 - factor) and never becomes subnormal. The numbers come from
 * volatile memory, which is what keeps them from being known. */
#define ARITHMETIC(name, level, Number, width)                                                               \
    level static uint64_t name(uint64_t rounds)                                                              \
    {                                                                                                        \
        typedef Number Vector __attribute__((vector_size(width)));                                           \
        static const volatile Number numbers[3] = {1, (Number)0.75, (Number)0.5};                            \
        const Vector zero = {0};                                                                             \
        const Vector one = zero + numbers[0], factor = zero + numbers[1], addend = zero + numbers[2];        \
        CHAINS(START)                                                                                        \
        for (uint64_t i = 0; i < rounds; i++) {                                                              \
            CHAINS(STEP)                                                                                     \
        }                                                                                                    \
        CHAINS(KEEP)                                                                                         \
        return rounds * CHAIN_COUNT * 2 * (width / sizeof(Number));                                          \
    }

#define WORD_OF(width) uint64_t __attribute__((vector_size(width), may_alias))
/* 8 vectors a step: 4 sums, so that none waits for the one before. */
#define READ(name, level, width)                                                                             \
    level static void name(void *memory, size_t bytes)                                                       \
    {                                                                                                        \
        typedef WORD_OF(width) Vector;                                                                       \
        const Vector *from = memory, *end = (const Vector *)((const char *)memory + bytes);                  \
        Vector a = {0}, b = {0}, c = {0}, d = {0};                                                           \
        for (; from < end; from += 8) {                                                                      \
            a += from[0], b += from[1], c += from[2], d += from[3];                                          \
            a += from[4], b += from[5], c += from[6], d += from[7];                                          \
        }                                                                                                    \
        a += b + (c + d);                                                                                    \
        __asm__ volatile("" : : "m"(a));                                                                     \
    }
#define WRITE(name, level, width)                                                                            \
    level static void name(void *memory, size_t bytes)                                                       \
    {                                                                                                        \
        typedef WORD_OF(width) Vector;                                                                       \
        Vector *to = memory, *end = (Vector *)((char *)memory + bytes);                                      \
        const Vector value = {1};                                                                            \
        for (; to < end; to += 8) {                                                                          \
            to[0] = value, to[1] = value, to[2] = value, to[3] = value;                                      \
            to[4] = value, to[5] = value, to[6] = value, to[7] = value;                                      \
            __asm__ volatile("" : : "r"(to) : "memory");                                                     \
        }                                                                                                    \
    }
#define COPY(name, level, width)                                                                             \
    level static void name(void *memory, size_t bytes)                                                       \
    {                                                                                                        \
        typedef WORD_OF(width) Vector;                                                                       \
        const Vector *from = memory, *end = (const Vector *)((const char *)memory + bytes / 2);              \
        Vector *to = (Vector *)((char *)memory + bytes / 2);                                                 \
        for (; from < end; from += 8, to += 8) {                                                             \
            to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];                              \
            to[4] = from[4], to[5] = from[5], to[6] = from[6], to[7] = from[7];                              \
            __asm__ volatile("" : : "r"(to) : "memory");                                                     \
        }                                                                                                    \
    }
#define ALL(suffix, level, width)                                                                            \
    ARITHMETIC(f32_##suffix, level, float, width)                                                            \
    ARITHMETIC(f64_##suffix, level, double, width)                                                           \
    READ(read_##suffix, level, width)                                                                        \
    WRITE(write_##suffix, level, width)                                                                      \
    COPY(copy_##suffix, level, width)
#define TABLE(suffix)                                                                                        \
    {                                                                                                        \
        f32_##suffix, f64_##suffix, read_##suffix, write_##suffix, copy_##suffix                             \
    }

ALL(base, , 16)
#if defined(__x86_64__)
ALL(v3, FOR_V3, 32)
ALL(v4, FOR_V4, 64)
#endif

const struct loops *loops_at(enum cpu_level level)
{
    static const struct loops table[CPU_LEVEL_COUNT] = {
        [CPU_LEVEL_PLAIN] = TABLE(base),
#if defined(__x86_64__)
        [CPU_LEVEL_V3] = TABLE(v3),
        [CPU_LEVEL_V4] = TABLE(v4),
#endif
    };
    return &table[level];
}
