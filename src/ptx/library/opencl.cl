/* Functions of OpenCL C that libclc leaves out or has wrong. Their names are mangled as clang does it for kernels. */
#define OVER __attribute__((overloadable))

/* DEFINE(W, ...) for each width of vectors, DEFINE(SPACE, ...) for each address space, and all elements of a vector.
 * A vector has two parts, that of three elements a pair and one. */
#define EACH_WIDTH(DEFINE, ...) DEFINE(2, __VA_ARGS__) DEFINE(3, __VA_ARGS__) DEFINE(4, __VA_ARGS__) DEFINE(8, __VA_ARGS__) DEFINE(16, __VA_ARGS__)
#define EACH_SPACE(DEFINE, ...) DEFINE(private, __VA_ARGS__) DEFINE(global, __VA_ARGS__) DEFINE(local, __VA_ARGS__)
#define ELEMENTS(W)             _Pragma("unroll") for (int i = 0; i < W; i++)
#define FIRST_2(v)              v.lo
#define FIRST_3(v)              v.xy
#define FIRST_4(v)              v.lo
#define FIRST_8(v)              v.lo
#define FIRST_16(v)             v.lo
#define REST_2(v)               v.hi
#define REST_3(v)               v.z
#define REST_4(v)               v.hi
#define REST_8(v)               v.hi
#define REST_16(v)              v.hi
/* Vectors: each half by the function of its width, which is defined before */
#define WIDE_ONE(W, NAME, T)                                                                                 \
    T##W OVER NAME(T##W a)                                                                                   \
    {                                                                                                        \
        return (T##W)(NAME(FIRST_##W(a)), NAME(REST_##W(a)));                                                \
    }
#define WIDE_TWO(W, NAME, T)                                                                                 \
    T##W OVER NAME(T##W a, T##W b)                                                                           \
    {                                                                                                        \
        return (T##W)(NAME(FIRST_##W(a), FIRST_##W(b)), NAME(REST_##W(a), REST_##W(b)));                     \
    }
#define WIDE_THREE(W, NAME, T)                                                                               \
    T##W OVER NAME(T##W a, T##W b, T##W c)                                                                   \
    {                                                                                                        \
        return (T##W)(NAME(FIRST_##W(a), FIRST_##W(b), FIRST_##W(c)),                                        \
                      NAME(REST_##W(a), REST_##W(b), REST_##W(c)));                                          \
    }

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "atomics.cl"
#include "halves.cl"
#include "integers.cl"
#include "sub_groups.cl"
#include "work_groups.cl"
#include "work_items.cl"

#include "conversions.cl"
#include "copies.cl"
#include "images.cl"

#include "bulk.cl"
#include "matrices.cl"

#include "image_functions.cl"
