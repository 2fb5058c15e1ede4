/* What kernels in CUDA C call: compiled by clang with hexec's headers and by nvcc with the toolkit's, the results must
 * be the same. Each kernel takes x (256 numbers in -8 to 8), y (results), out (integers), one block of 64 threads. */
#include <assert.h>
#include <cooperative_groups.h>
#ifdef __clang__
#else
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>
#include <stdio.h>

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const float *x, float *y, int *out)
#define HERE const int i = threadIdx.x + blockIdx.x * blockDim.x

__constant__ float scales[4] = {0.5f, 1, 2, 4};
__device__ int total;
struct particle {
    float3 position, velocity;
    int kind;
};

KERNEL(vectors)
{
    HERE;
    const float4 a = make_float4(x[i], 1, 2, 3);
    const int2 b = make_int2(i, -i);
    const uchar4 c = make_uchar4(i, i + 1, i + 2, i + 3);
    particle p = {make_float3(x[i], 2, 3), make_float3(1, x[i], 0), i};
    p.position.x += p.velocity.y * 0.5f;
    y[i] = a.x + a.w + p.position.x * scales[i & 3];
    out[i] = b.x * b.y + c.w + p.kind + (int)sizeof(particle) + (int)sizeof(double4) + (int)sizeof(short3);
}

KERNEL(integers)
{
    HERE;
    const int a = __float_as_int(x[i]), b = a * 77 + i;
    unsigned h = __popc(a) + __clz(b) * 3 + __ffs(b) * 5 + __brev(a) + __byte_perm(a, b, 0x5140) + __mulhi(a, b) + __umulhi(a, b);
    h ^= __funnelshift_l(a, b, i) + __funnelshift_r(a, b, 7) + __hadd(a, b) + __rhadd(a, b) + __sad(a, b, 3) + __usad(a, b, 4) + __mul24(a, b);
    h += (unsigned)(__mul64hi((long long)a << 20, b) + __popcll((long long)a * b) + __clzll(a)) + min(a, b) + max((unsigned)a, 9u) + abs(a);
    h += __dp4a(a, b, 5) + __vadd4(a, b) + __vabsdiffu4(a, b) + __vcmpgtu2(a, b) + __vmaxs2(a, b) + (unsigned)llabs((long long)a * b);
    out[i] = h;
}

KERNEL(rounding)
{
    HERE;
    const float a = x[i];
    out[i] = __float2int_rn(a) + 3 * __float2int_ru(a * 1.5f) + 5 * __float2int_rd(a) + 7 * (int)a + 11 * __double2int_rz(a * 3.7) + (int)lrintf(a) +
             (int)roundf(a) + (int)__float2uint_rz(a);
    y[i] = __fadd_rz(a, 0.1f) + __fmul_ru(a, 0.3f) + __fdiv_rn(a, 3) + __fsqrt_rn(fabsf(a)) + __fmaf_rn(a, a, 1) + floorf(a) + ceilf(a) + truncf(a) +
           rintf(a) + copysignf(2, a) + fmodf(a, 0.7f) + fdimf(a, 1) + ldexpf(a, 3) + fminf(a, 1) + fmaxf(a, CUDART_PI_F) + __saturatef(a) + fabsf(a) +
           nextafterf(a, 0) + remainderf(a, 0.7f) + (isnan(a) ? 1 : 0) + (signbit(a) ? 1 : 0) + (float)__dmul_rd(a, 0.1) + (float)__ll2double_rn(i);
}

KERNEL(warps)
{
    HERE;
    const unsigned all = 0xffffffff;
    float a = x[i];
    for (int by = 16; by > 0; by /= 2)
        a = fmaxf(a, __shfl_down_sync(all, a, by));
    const double d = __shfl_xor_sync(all, (double)x[i], 5);
    const long long l = __shfl_up_sync(all, (long long)i << 33, 2);
    y[i] = a + (float)d;
    out[i] = __ballot_sync(all, x[i] > 0) + __shfl_sync(all, i, 3, 8) + (int)(l >> 32) + __any_sync(all, i == 40) + 2 * __all_sync(all, i < 40) +
             (int)__match_any_sync(all, i & 3) + (int)__activemask() + __syncthreads_count(i & 1) + __syncthreads_or(i == 5);
    __syncwarp();
}

KERNEL(atomics)
{
    HERE;
    __shared__ int bins[8];
    __shared__ float sum;
    if (i < 8)
        bins[i] = 0;
    if (i == 8)
        sum = 0;
    __syncthreads();
    atomicAdd(&bins[i & 7], i);
    atomicMax(&bins[(i + 1) & 7], i);
    atomicAdd_block(&sum, (float)i);
    atomicXor((unsigned *)&out[64], (unsigned)i * 77);
    atomicOr(&out[65], 1 << (i & 15));
    atomicMin((unsigned long long *)&out[66], (unsigned long long)(1000 - i));
    atomicInc((unsigned *)&out[68], 40);
    int old = out[69], seen;
    do {
        seen = old;
        old = atomicCAS(&out[69], seen, seen + 2);
    } while (old != seen);
    atomicAdd((double *)&out[70], 0.25);
    atomicSub(&total, 1);
    __threadfence();
    __syncthreads();
    out[i] = bins[i & 7] + total * 0;
    y[i] = sum;
}

KERNEL(groups)
{
    HERE;
    namespace cg = cooperative_groups;
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int sum = cg::reduce(tile, i, cg::plus<int>()), scan = cg::inclusive_scan(tile, i);
    block.sync();
    int mine = 0;
    if (x[i] > 0) {
        const auto active = cg::coalesced_threads();
        mine = active.thread_rank() + 100 * active.size() + active.shfl(i, 0);
    }
    out[i] = sum + 1000 * scan + mine + tile.shfl_xor(i, 1) + tile.meta_group_rank() + tile.any(i == 17) + block.thread_rank() + block.size();
    y[i] = tile.shfl(x[i], 2);
}

KERNEL(halves)
{
    HERE;
    const half a = __float2half(x[i]), b = __float2half_rn(0.75f);
    const half2 p = __hmul2(__halves2half2(a, b), __float2half2_rn(3));
    const __nv_bfloat16 c = __float2bfloat16(x[i]);
    half s = __hfma(a, b, __hadd(a, a));
    s = s + a * b - b;
    s += __hmax(a, b);
    y[i] = __half2float(s) + __low2float(p) + __high2float(p) + __bfloat162float(__hmul(c, c)) + (a < b ? 1 : 0) + __half2float(__habs(a)) +
           (float)__hneg(a) + __half2float(hsqrt(__habs(a)));
    out[i] = __half_as_ushort(a) + __half2int_rn(a) + (__hge(a, b) ? 3 : 0) + __bfloat16_as_ushort(c);
}

KERNEL(doubles)
{
    HERE;
    const double d = x[i];
    y[i] = (float)(sqrt(fabs(d)) + fma(d, d, 1.0) + floor(d) + __longlong_as_double(__double_as_longlong(d)) + fmax(d, 2.0) + trunc(d) + __drcp_rn(d + 20) +
                   __hiloint2double(__double2hiint(d), __double2loint(d)) + rint(d) + (double)__double2ll_rn(d));
    out[i] = ilogb(d + 9) + (int)llround(d) + signbit(d);
}

/* Results differ in the last places: libdevice and hexec's library are rounded differently. */
KERNEL(mathematics)
{
    HERE;
    const float a = x[i], p = fabsf(a) + 0.125f;
    const double d = p;
    y[i] = sinf(a) + cosf(a) + tanf(a / 8) + expf(a) + logf(p) + powf(p, 1.5f) + sqrtf(p) + rsqrtf(p) + tanhf(a) + erff(a) + asinf(a / 9) + acosf(a / 9) +
           atanf(a) + atan2f(a, p) + sinhf(a) + coshf(a) + asinhf(a) + acoshf(p + 1) + atanhf(a / 9) + cbrtf(a) + hypotf(a, p) + exp2f(a) + exp10f(a / 4) +
           expm1f(a) + log1pf(p) + log2f(p) + log10f(p) + lgammaf(p) + tgammaf(p) + erfcf(a) + normcdff(a) + sinpif(a) + cospif(a) + __expf(a) + __sinf(a) +
           (float)(sin(d) + exp(-d) + pow(d, 0.3) + log(d) + tgamma(d / 4) + erfc(d) + asin(d / 10) + cbrt(d) + erfcinv(d / 9) + rhypot(d, 2.0) + norm3d(d, d, d));
    out[i] = 0;
}

template <typename T, int N> __device__ T sum_of(const T (&values)[N])
{
    T sum = 0;
    for (int k = 0; k < N; k++)
        sum += values[k];
    return sum;
}
KERNEL(templates)
{
    HERE;
    const int values[5] = {i, i * 2, 3, i & 7, -1};
    auto twice = [](int v) { return v * 2; };
    out[i] = twice(sum_of(values));
    y[i] = i;
    assert(i < 64);
    if (i == 63)
        printf("thread %d of %d: %.2f %s\n", i, (int)blockDim.x, 1.5, "done");
}

#define CHECK(call) if ((call) != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
int main()
{
    float *x, *y;
    int *out;
    CHECK(cudaMalloc(&x, 1024));
    CHECK(cudaMallocManaged(&y, 1024));
    CHECK(cudaMalloc((void **)&out, 1024));
    const float host[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpyToSymbol(scales, host, sizeof host));
    cudaEvent_t start;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEventCreate(&start);
    vectors<<<dim3(1), 64, 0, stream>>>(x, y, out);
    templates<<<1, 64>>>(x, y, out);
    cudaEventRecord(start);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
