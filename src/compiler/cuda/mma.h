/* Matrices of a warp, as in the CUDA toolkit's mma.h: fragments that are loaded, multiplied and stored by
 * PTX's wmma instructions. A fragment's elements are those of its registers, in their order. */
#pragma once
__HEXEC_HEADER_BEGIN
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}

template <typename Use, int __M, int __N, int __K, typename __T, typename Layout = void> class fragment;
template <typename __E, int Count> struct __hexec_elements {
    enum { num_elements = Count, num_storage_elements = Count };
    typedef __E element_type;
    __E x[Count];
};
template <typename Use, int __M, int __N, int __K, typename __T, typename Layout, typename __V>
static inline __device__ void fill_fragment(fragment<Use, __M, __N, __K, __T, Layout> &to, const __V &value)
{
    for (auto &element : to.x)
        element = value;
}
static inline __device__ float __float_to_tf32(float value)
{
    float rounded;
    asm("{.reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t;}" : "=f"(rounded) : "f"(value));
    return rounded;
}

/* Lists of 1, 2, 4 and 8 registers: their names in assembly, and what they are as results and operands. */
#define __hexec_names_1(n) "{%[" n "0]}"
#define __hexec_names_2(n) "{%[" n "0], %[" n "1]}"
#define __hexec_names_4(n) "{%[" n "0], %[" n "1], %[" n "2], %[" n "3]}"
#define __hexec_names_8(n)                                                                                   \
    "{%[" n "0], %[" n "1], %[" n "2], %[" n "3], %[" n "4], %[" n "5], %[" n "6], %[" n "7]}"
#define __hexec_out_1(n, c, v) [n##0] "=" c(v[0])
#define __hexec_out_2(n, c, v) __hexec_out_1(n, c, v), [n##1] "=" c(v[1])
#define __hexec_out_4(n, c, v) __hexec_out_2(n, c, v), [n##2] "=" c(v[2]), [n##3] "=" c(v[3])
#define __hexec_out_8(n, c, v)                                                                               \
    __hexec_out_4(n, c, v), [n##4] "=" c(v[4]), [n##5] "=" c(v[5]), [n##6] "=" c(v[6]), [n##7] "=" c(v[7])
#define __hexec_in_1(n, c, v) [n##0] c(v[0])
#define __hexec_in_2(n, c, v) __hexec_in_1(n, c, v), [n##1] c(v[1])
#define __hexec_in_4(n, c, v) __hexec_in_2(n, c, v), [n##2] c(v[2]), [n##3] c(v[3])
#define __hexec_in_8(n, c, v)                                                                                \
    __hexec_in_4(n, c, v), [n##4] c(v[4]), [n##5] c(v[5]), [n##6] c(v[6]), [n##7] c(v[7])
#define __hexec_shape(__M, __N, __K) ".m" #__M "n" #__N "k" #__K

/* --- loads and stores ----------------------------------------------------------------------------------- */

/* E: the elements' type; R, c: the registers' type and letter in assembly */
#define __hexec_matrix_in(USE, use, __M, __N, __K, __T, __E, ptx, __R, c, registers, LAYOUT, layout)         \
    template <>                                                                                              \
    class fragment<USE, __M, __N, __K, __T, LAYOUT>                                                          \
        : public __hexec_elements<__E, sizeof(__R) * registers / sizeof(__E)>                                \
    {                                                                                                        \
    };                                                                                                       \
    static inline __device__ void load_matrix_sync(fragment<USE, __M, __N, __K, __T, LAYOUT> &to,            \
                                                   const __E *at, unsigned stride)                           \
    {                                                                                                        \
        __R words[registers];                                                                                \
        asm volatile("wmma.load." use ".sync.aligned." layout __hexec_shape(                                 \
                         __M, __N, __K) "." ptx " " __hexec_names_##registers("d") ", [%[at]], %[stride];"   \
                     : __hexec_out_##registers(d, c, words)                                                  \
                     : [at] "l"(at), [stride] "r"(stride)                                                    \
                     : "memory");                                                                            \
        __builtin_memcpy(to.x, words, sizeof words);                                                         \
    }
#define __hexec_matrix(USE, use, __M, __N, __K, __T, __E, ptx, __R, c, registers)                            \
    __hexec_matrix_in(USE, use, __M, __N, __K, __T, __E, ptx, __R, c, registers, row_major, "row")           \
        __hexec_matrix_in(USE, use, __M, __N, __K, __T, __E, ptx, __R, c, registers, col_major, "col")
#define __hexec_sum_in(__M, __N, __K, __T, ptx, __R, c, registers, LAYOUT, layout)                           \
    static inline __device__ void __hexec_load_##LAYOUT(fragment<accumulator, __M, __N, __K, __T> &to,       \
                                                        const __T *at, unsigned stride)                      \
    {                                                                                                        \
        __R words[registers];                                                                                \
        asm volatile("wmma.load.c.sync.aligned." layout __hexec_shape(                                       \
                         __M, __N, __K) "." ptx " " __hexec_names_##registers("d") ", [%[at]], %[stride];"   \
                     : __hexec_out_##registers(d, c, words)                                                  \
                     : [at] "l"(at), [stride] "r"(stride)                                                    \
                     : "memory");                                                                            \
        __builtin_memcpy(to.x, words, sizeof words);                                                         \
    }                                                                                                        \
    static inline __device__ void __hexec_store_##LAYOUT(                                                    \
        __T *at, const fragment<accumulator, __M, __N, __K, __T> &from, unsigned stride)                     \
    {                                                                                                        \
        __R words[registers];                                                                                \
        __builtin_memcpy(words, from.x, sizeof words);                                                       \
        asm volatile("wmma.store.d.sync.aligned." layout __hexec_shape(                                      \
                         __M, __N, __K) "." ptx " [%[at]], " __hexec_names_##registers("d") ", %[stride];"   \
                     :                                                                                       \
                     : __hexec_in_##registers(d, c, words), [at] "l"(at), [stride] "r"(stride)               \
                     : "memory");                                                                            \
    }
#define __hexec_sum(__M, __N, __K, __T, ptx, __R, c, registers)                                              \
    template <>                                                                                              \
    class fragment<accumulator, __M, __N, __K, __T, void>                                                    \
        : public __hexec_elements<__T, sizeof(__R) * registers / sizeof(__T)>                                \
    {                                                                                                        \
    };                                                                                                       \
    __hexec_sum_in(__M, __N, __K, __T, ptx, __R, c, registers, row_major, "row") __hexec_sum_in(             \
        __M, __N, __K, __T, ptx, __R, c, registers, col_major, "col") static inline __device__ void          \
    load_matrix_sync(fragment<accumulator, __M, __N, __K, __T> &to, const __T *at, unsigned stride,          \
                     layout_t layout)                                                                        \
    {                                                                                                        \
        layout == mem_row_major ? __hexec_load_row_major(to, at, stride)                                     \
                                : __hexec_load_col_major(to, at, stride);                                    \
    }                                                                                                        \
    static inline __device__ void store_matrix_sync(                                                         \
        __T *at, const fragment<accumulator, __M, __N, __K, __T> &from, unsigned stride, layout_t layout)    \
    {                                                                                                        \
        layout == mem_row_major ? __hexec_store_row_major(at, from, stride)                                  \
                                : __hexec_store_col_major(at, from, stride);                                 \
    }

/* --- products ------------------------------------------------------------------------------------------- */

/* to = a b + c of types DT, T, T, CT; `operation` and `types` are words of the instruction. */
#define __hexec_product_in(NAME, operation, __M, __N, __K, __T, __R, c_ab, a_count, b_count, DT, DR, c_d,    \
                           d_count, CT, CR, c_c, c_count, types, A_LAYOUT, B_LAYOUT, layouts)                \
    static inline __device__ void NAME(fragment<accumulator, __M, __N, __K, DT> &to,                         \
                                       const fragment<matrix_a, __M, __N, __K, __T, A_LAYOUT> &a,            \
                                       const fragment<matrix_b, __M, __N, __K, __T, B_LAYOUT> &b,            \
                                       const fragment<accumulator, __M, __N, __K, CT> &c)                    \
    {                                                                                                        \
        __R a_words[a_count], b_words[b_count];                                                              \
        DR d_words[d_count];                                                                                 \
        CR c_words[c_count];                                                                                 \
        __builtin_memcpy(a_words, a.x, sizeof a_words);                                                      \
        __builtin_memcpy(b_words, b.x, sizeof b_words);                                                      \
        __builtin_memcpy(c_words, c.x, sizeof c_words);                                                      \
        asm volatile("wmma.mma" operation ".sync.aligned." layouts __hexec_shape(__M, __N, __K) types        \
                     " " __hexec_names_##d_count("d") ", " __hexec_names_##a_count(                          \
                         "a") ", " __hexec_names_##b_count("b") ", " __hexec_names_##c_count("c") ";"        \
                     : __hexec_out_##d_count(d, c_d, d_words)                                                \
                     : __hexec_in_##a_count(a, c_ab, a_words), __hexec_in_##b_count(b, c_ab, b_words),       \
                       __hexec_in_##c_count(c, c_c, c_words));                                               \
        __builtin_memcpy(to.x, d_words, sizeof d_words);                                                     \
    }
#define __hexec_product(...)                                                                                 \
    __hexec_product_in(__VA_ARGS__, row_major, row_major, "row.row")                                         \
        __hexec_product_in(__VA_ARGS__, row_major, col_major, "row.col")                                     \
            __hexec_product_in(__VA_ARGS__, col_major, row_major, "col.row")                                 \
                __hexec_product_in(__VA_ARGS__, col_major, col_major, "col.col")

/* --- shapes and types ----------------------------------------------------------------------------------- */

#define __hexec_half(__M, __N, __K)                                                                          \
    __hexec_matrix(matrix_a, "a", __M, __N, __K, __half, __half, "f16", unsigned, "r", 8);                   \
    __hexec_matrix(matrix_b, "b", __M, __N, __K, __half, __half, "f16", unsigned, "r", 8);                   \
    __hexec_sum(__M, __N, __K, __half, "f16", unsigned, "r", 4);                                             \
    __hexec_sum(__M, __N, __K, float, "f32", float, "f", 8);                                                 \
    __hexec_product(mma_sync, "", __M, __N, __K, __half, unsigned, "r", 8, 8, float, float, "f", 8, float,   \
                    float, "f", 8, ".f32.f32");                                                              \
    __hexec_product(mma_sync, "", __M, __N, __K, __half, unsigned, "r", 8, 8, float, float, "f", 8, __half,  \
                    unsigned, "r", 4, ".f32.f16");                                                           \
    __hexec_product(mma_sync, "", __M, __N, __K, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4,      \
                    float, float, "f", 8, ".f16.f32");                                                       \
    __hexec_product(mma_sync, "", __M, __N, __K, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4,      \
                    __half, unsigned, "r", 4, ".f16.f16");
__hexec_half(16, 16, 16);
__hexec_half(32, 8, 16);
__hexec_half(8, 32, 16);
#undef __hexec_half

#define __hexec_bfloat(__M, __N, __K, a_count, b_count)                                                      \
    __hexec_matrix(matrix_a, "a", __M, __N, __K, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned, "r",        \
                   a_count);                                                                                 \
    __hexec_matrix(matrix_b, "b", __M, __N, __K, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned, "r",        \
                   b_count);                                                                                 \
    __hexec_product(mma_sync, "", __M, __N, __K, __nv_bfloat16, unsigned, "r", a_count, b_count, float,      \
                    float, "f", 8, float, float, "f", 8, ".f32.bf16.bf16.f32");
__hexec_bfloat(16, 16, 16, 4, 4);
__hexec_bfloat(32, 8, 16, 8, 2);
__hexec_bfloat(8, 32, 16, 2, 8);
#undef __hexec_bfloat

#define __hexec_bytes_of(__M, __N, __K, __T, ptx, a_count, b_count)                                          \
    __hexec_matrix(matrix_a, "a", __M, __N, __K, __T, __T, ptx, unsigned, "r", a_count);                     \
    __hexec_matrix(matrix_b, "b", __M, __N, __K, __T, __T, ptx, unsigned, "r", b_count);                     \
    __hexec_product(__hexec_wraps, "", __M, __N, __K, __T, unsigned, "r", a_count, b_count, int, int, "r",   \
                    8, int, int, "r", 8, ".s32." ptx "." ptx ".s32");                                        \
    __hexec_product(__hexec_clamps, "", __M, __N, __K, __T, unsigned, "r", a_count, b_count, int, int, "r",  \
                    8, int, int, "r", 8, ".s32." ptx "." ptx ".s32.satfinite");                              \
    template <typename __A, typename __B>                                                                    \
    static inline __device__ void mma_sync(                                                                  \
        fragment<accumulator, __M, __N, __K, int> &to, const fragment<matrix_a, __M, __N, __K, __T, __A> &a, \
        const fragment<matrix_b, __M, __N, __K, __T, __B> &b,                                                \
        const fragment<accumulator, __M, __N, __K, int> &c, bool is_clamped = false)                         \
    {                                                                                                        \
        is_clamped ? __hexec_clamps(to, a, b, c) : __hexec_wraps(to, a, b, c);                               \
    }
#define __hexec_bytes(__M, __N, __K, a_count, b_count)                                                       \
    __hexec_sum(__M, __N, __K, int, "s32", int, "r", 8);                                                     \
    __hexec_bytes_of(__M, __N, __K, signed char, "s8", a_count, b_count);                                    \
    __hexec_bytes_of(__M, __N, __K, unsigned char, "u8", a_count, b_count);
__hexec_bytes(16, 16, 16, 2, 2);
__hexec_bytes(32, 8, 16, 4, 1);
__hexec_bytes(8, 32, 16, 1, 4);
#undef __hexec_bytes_of
#undef __hexec_bytes

__hexec_matrix(matrix_a, "a", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4);
__hexec_matrix(matrix_b, "b", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4);
__hexec_sum(16, 16, 8, float, "f32", float, "f", 8);
__hexec_product(mma_sync, "", 16, 16, 8, precision::tf32, unsigned, "r", 4, 4, float, float, "f", 8, float,
                float, "f", 8, ".f32.tf32.tf32.f32");

__hexec_matrix(matrix_a, "a", 8, 8, 4, double, double, "f64", double, "d", 1);
__hexec_matrix(matrix_b, "b", 8, 8, 4, double, double, "f64", double, "d", 1);
__hexec_sum(8, 8, 4, double, "f64", double, "d", 2);
__hexec_product(mma_sync, "", 8, 8, 4, double, double, "d", 1, 1, double, double, "d", 2, double, double, "d",
                2, ".f64.f64.f64.f64");

/* Elements of 4 bits and of one, which lie in words: a in rows, b in columns. */
namespace experimental
{
namespace precision
{
struct s4;
struct u4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental
#define __hexec_bits_of(__K, __T, __E, ptx)                                                                  \
    __hexec_matrix_in(matrix_a, "a", 8, 8, __K, experimental::precision::__T, __E, ptx, unsigned, "r", 1,    \
                      row_major, "row");                                                                     \
    __hexec_matrix_in(matrix_b, "b", 8, 8, __K, experimental::precision::__T, __E, ptx, unsigned, "r", 1,    \
                      col_major, "col");                                                                     \
    static inline __device__ void load_matrix_sync(                                                          \
        fragment<matrix_a, 8, 8, __K, experimental::precision::__T, row_major> &to, const void *at,          \
        unsigned stride)                                                                                     \
    {                                                                                                        \
        load_matrix_sync(to, (const __E *)at, stride);                                                       \
    }                                                                                                        \
    static inline __device__ void load_matrix_sync(                                                          \
        fragment<matrix_b, 8, 8, __K, experimental::precision::__T, col_major> &to, const void *at,          \
        unsigned stride)                                                                                     \
    {                                                                                                        \
        load_matrix_sync(to, (const __E *)at, stride);                                                       \
    }
#define __hexec_bits_product(NAME, operation, __K, __T, end)                                                 \
    __hexec_product_in(NAME, operation, 8, 8, __K, experimental::precision::__T, unsigned, "r", 1, 1, int,   \
                       int, "r", 2, int, int, "r", 2, end, row_major, col_major, "row.col")
__hexec_bits_of(32, s4, int, "s4");
__hexec_bits_of(32, u4, unsigned, "u4");
__hexec_bits_of(128, b1, unsigned, "b1");
__hexec_sum(8, 8, 32, int, "s32", int, "r", 2);
__hexec_sum(8, 8, 128, int, "s32", int, "r", 2);
__hexec_bits_product(__hexec_wraps, "", 32, s4, ".s32.s4.s4.s32");
__hexec_bits_product(__hexec_clamps, "", 32, s4, ".s32.s4.s4.s32.satfinite");
__hexec_bits_product(__hexec_wraps, "", 32, u4, ".s32.u4.u4.s32");
__hexec_bits_product(__hexec_clamps, "", 32, u4, ".s32.u4.u4.s32.satfinite");
template <typename __T>
static inline __device__ void mma_sync(fragment<accumulator, 8, 8, 32, int> &to,
                                       const fragment<matrix_a, 8, 8, 32, __T, row_major> &a,
                                       const fragment<matrix_b, 8, 8, 32, __T, col_major> &b,
                                       const fragment<accumulator, 8, 8, 32, int> &c, bool is_clamped = false)
{
    is_clamped ? __hexec_clamps(to, a, b, c) : __hexec_wraps(to, a, b, c);
}
__hexec_bits_product(__hexec_xor, ".xor.popc", 128, b1, ".s32.b1.b1.s32");
__hexec_bits_product(__hexec_and, ".and.popc", 128, b1, ".s32.b1.b1.s32");
typedef fragment<accumulator, 8, 8, 128, int> __hexec_counts;
static inline __device__ void
bmma_sync(__hexec_counts &to, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const __hexec_counts &c, experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    operation == experimental::bmmaBitOpXOR ? __hexec_xor(to, a, b, c) : __hexec_and(to, a, b, c);
}
namespace experimental
{
using wmma::bmma_sync;
}
#undef __hexec_bits_of
#undef __hexec_bits_product
#undef __hexec_matrix
#undef __hexec_matrix_in
#undef __hexec_sum
#undef __hexec_sum_in
#undef __hexec_product
#undef __hexec_product_in
#undef __hexec_shape
} // namespace wmma
} // namespace nvcuda
__HEXEC_HEADER_END
