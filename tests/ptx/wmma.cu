// nvcc -ptx -O3 -arch=sm_80 wmma.cu -o wmma-O3-sm_80.ptx
// nvcc -ptx -G -arch=sm_80 wmma.cu -o wmma-G-sm_80.ptx
// One product of matrices by a warp, d = a b + c; a and c are stored in rows and b in columns, or the other way.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, typename T, typename S, typename Kind, typename LayoutA, typename LayoutB>
__device__ void multiply(const T *a, const T *b, const S *c, S *d, wmma::layout_t layout)
{
    const bool rows_a = std::is_same<LayoutA, wmma::row_major>::value, rows_b = std::is_same<LayoutB, wmma::row_major>::value;
    wmma::fragment<wmma::matrix_a, M, N, K, Kind, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Kind, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc;
    const int stride_c = layout == wmma::mem_row_major ? N : M;
    wmma::load_matrix_sync(fa, a, rows_a ? K : M);
    wmma::load_matrix_sync(fb, b, rows_b ? N : K);
    wmma::load_matrix_sync(fc, c, stride_c, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, stride_c, layout);
}

#define PAIR(name, m, n, k, T, S, Kind)                                                                              \
    extern "C" __global__ void name##_rows(const T *a, const T *b, const S *c, S *d)                                 \
    {                                                                                                                \
        multiply<m, n, k, T, S, Kind, wmma::row_major, wmma::col_major>(a, b, c, d, wmma::mem_row_major);            \
    }                                                                                                                \
    extern "C" __global__ void name##_columns(const T *a, const T *b, const S *c, S *d)                              \
    {                                                                                                                \
        multiply<m, n, k, T, S, Kind, wmma::col_major, wmma::row_major>(a, b, c, d, wmma::mem_col_major);            \
    }
#define SHAPES(name, T, S, Kind)                                                                                     \
    PAIR(name##_m16n16k16, 16, 16, 16, T, S, Kind)                                                                   \
    PAIR(name##_m32n8k16, 32, 8, 16, T, S, Kind)                                                                     \
    PAIR(name##_m8n32k16, 8, 32, 16, T, S, Kind)
SHAPES(f16_f32, half, float, half)
SHAPES(f16_f16, half, half, half)
SHAPES(bf16_f32, __nv_bfloat16, float, __nv_bfloat16)
SHAPES(s8_s32, signed char, int, signed char)
SHAPES(u8_s32, unsigned char, int, unsigned char)
PAIR(tf32_f32_m16n16k8, 16, 16, 8, float, float, wmma::precision::tf32)
PAIR(f64_f64_m8n8k4, 8, 8, 4, double, double, double)

// Sub-byte types: a in rows and b in columns.
template <int K, typename Kind, typename Op> __device__ void multiply_bits(const void *a, const void *b, const int *c, int *d, Op multiply)
{
    wmma::fragment<wmma::matrix_a, 8, 8, K, Kind, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, Kind, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    multiply(fc, fa, fb);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
extern "C" __global__ void s4_s32_m8n8k32_rows(const void *a, const void *b, const int *c, int *d)
{
    multiply_bits<32, wmma::experimental::precision::s4>(
        a, b, c, d, [](auto &fc, auto &fa, auto &fb) { wmma::mma_sync(fc, fa, fb, fc); });
}
extern "C" __global__ void u4_s32_m8n8k32_rows(const void *a, const void *b, const int *c, int *d)
{
    multiply_bits<32, wmma::experimental::precision::u4>(
        a, b, c, d, [](auto &fc, auto &fa, auto &fb) { wmma::mma_sync(fc, fa, fb, fc); });
}
extern "C" __global__ void b1_s32_m8n8k128_rows(const void *a, const void *b, const int *c, int *d)
{
    multiply_bits<128, wmma::experimental::precision::b1>(
        a, b, c, d, [](auto &fc, auto &fa, auto &fb) { wmma::bmma_sync(fc, fa, fb, fc); });
}
