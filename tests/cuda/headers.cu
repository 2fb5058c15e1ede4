/* More of what kernels in CUDA C call, as in cuda_c.cu (nvcc -ptx -arch=sm_90 -std=c++17). Here each thread
 * mixes the bits of all results into one number. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <stdio.h>
namespace cg = cooperative_groups;

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const float *x, float *y, int *out)
#define HERE                                                                                                 \
    const int i = threadIdx.x + blockIdx.x * blockDim.x;                                                     \
    unsigned long long mixed = 0;                                                                            \
    y[i] = 0
#define DONE out[i] = (int)(mixed ^ mixed >> 32)

__device__ unsigned long long bits_of(long long value)
{
    return value;
}
__device__ unsigned long long bits_of(__half h)
{
    return __hisnan(h) ? 0x7fff : __half_as_ushort(h);
}
__device__ unsigned long long bits_of(__nv_bfloat16 h)
{
    return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h);
}
template <typename T> __device__ unsigned long long bits_of_pair(T v)
{
    return bits_of(v.x) | bits_of(v.y) << 16;
}
#define MIX(...)  mixed = mixed * 0x9e3779b97f4a7c15ull + (unsigned long long)bits_of(__VA_ARGS__) + 1
#define MIX2(...) mixed = mixed * 0x9e3779b97f4a7c15ull + bits_of_pair(__VA_ARGS__) + 1

KERNEL(words)
{
    HERE;
    const int a = __float_as_int(x[i]), b = i * 0x01234567;
    const unsigned u = a, v = b;
    const long long p = (long long)a << 21 ^ b;
    MIX(__dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(b, b >> 8, b >> 16, b >> 24), 9));
    MIX((int)__dp4a(make_uchar4(a, a >> 8, a >> 16, a >> 24), make_uchar4(b, b >> 8, b >> 16, b >> 24), 9u));
    MIX(__dp2a_lo(make_short2(a, a >> 16), make_char4(b, b >> 8, b >> 16, b >> 24), 7));
    MIX(__dp2a_hi(make_short2(a, a >> 16), make_char4(b, b >> 8, b >> 16, b >> 24), 7));
    MIX((int)__dp2a_hi(make_ushort2(a, a >> 16), make_uchar4(b, b >> 8, b >> 16, b >> 24), 7u));
#define B(f) MIX((int)f(u, v))
    B(__vabsdiffs2), B(__vabsdiffs4), B(__vabsdiffu2), B(__vabsdiffu4), B(__vadd2), B(__vadd4), B(__vaddss2),
        B(__vaddss4);
    B(__vaddus2), B(__vaddus4), B(__vavgs2), B(__vavgs4), B(__vavgu2), B(__vavgu4), B(__vcmpeq2),
        B(__vcmpges4), B(__vcmpgtu2);
    B(__vcmples4), B(__vcmpltu4), B(__vcmpne2), B(__vhaddu2), B(__vhaddu4), B(__vmaxs2), B(__vmaxs4),
        B(__vmaxu2), B(__vmaxu4);
    B(__vmins2), B(__vmins4), B(__vminu2), B(__vminu4), B(__vsads2), B(__vsads4), B(__vsadu2), B(__vsadu4),
        B(__vseteq2);
    B(__vsetges4), B(__vsetgtu2), B(__vsetles4), B(__vsetltu4), B(__vsetne2), B(__vsub2), B(__vsub4),
        B(__vsubss2), B(__vsubss4);
    B(__vsubus2), B(__vsubus4), B(__hadd), B(__rhadd), B(__uhadd), B(__urhadd), B(__mulhi), B(__umulhi),
        B(__mul24), B(__umul24);
    MIX((int)__vabs2(u)), MIX((int)__vabs4(u)), MIX((int)__vabsss2(u)), MIX((int)__vneg4(u)),
        MIX((int)__vnegss2(u));
    MIX(__fns(u, 3, 2)), MIX(__ffsll(p)), MIX(__clzll(p)), MIX(__brevll(p)), MIX(__mul64hi(p, p)),
        MIX(__sad(a, b, u));
    DONE;
}

KERNEL(half_results)
{
    HERE;
    const __half a = x[i], c = x[i ^ 1];
    const __half2 p = __halves2half2(a, c), q = __floats2half2_rn(x[i ^ 2], x[i ^ 3]);
    MIX(__hadd_sat(a, c)), MIX(__hsub_sat(a, c)), MIX(__hmul_sat(a, c)), MIX(__hfma_relu(a, c, a)),
        MIX(__hmax_nan(a, c));
    MIX(hfloor(a)), MIX(hceil(a)), MIX(htrunc(a)), MIX(hrint(a)), MIX(hsqrt(__habs(a))),
        MIX(__float2half_rz(x[i])), MIX(__float2half_ru(x[i]));
    MIX(__float2half_rd(x[i])), MIX(__double2half(x[i] * 1.0000001)), MIX(__int2half_rz(i * 2049)),
        MIX(__uint2half_ru(i * 2049));
    MIX(__short2half_rn(i * 77)), MIX(__ushort2half_rd(i * 77)), MIX(__ll2half_rn(i * 513)),
        MIX(__ull2half_rz(i * 513));
    MIX(__half2int_rn(a)), MIX(__half2int_ru(a)), MIX(__half2int_rd(a)), MIX(__half2short_rz(a)),
        MIX(__half2ushort_rn(__habs(a)));
    MIX(__half2ll_rn(a)), MIX((long long)__half2ull_rz(__habs(a))), MIX(__hcmadd(p, q, p).x),
        MIX2(__hcmadd(p, q, p));
    MIX2(__hadd2_sat(p, q)), MIX2(__hsub2_sat(p, q)), MIX2(__hmul2_sat(p, q)), MIX2(__hfma2_sat(p, q, p)),
        MIX2(__hfma2_relu(p, q, p));
    MIX2(__hmin2_nan(p, q)), MIX2(h2floor(p)), MIX2(h2ceil(p)), MIX2(h2trunc(p)), MIX2(h2rint(p)),
        MIX2(__heq2(p, q)), MIX2(__hltu2(p, q));
    MIX2(__hge2(p, q)), MIX((int)__hgt2_mask(p, q)), MIX(__hbne2(p, q)), MIX(__hble2(p, p)),
        MIX2(__low2half2(p)), MIX2(__high2half2(p));
    MIX2(__lows2half2(p, q)), MIX2(__highs2half2(p, q)), MIX2(-p), MIX2(p / q), MIX(p == q);
    const __nv_bfloat16 f = x[i];
    const __nv_bfloat162 g = __floats2bfloat162_rn(x[i], x[i ^ 1]);
    MIX(__float2bfloat16_ru(x[i])), MIX(__float2bfloat16_rd(x[i])), MIX(__bfloat162int_ru(f)),
        MIX(__bfloat162ll_rd(f)), MIX2(__hfma2(g, g, g));
    MIX2(__low2bfloat162(g)), MIX2(__halves2bfloat162(f, f)), MIX(__hblt2(g, g)), MIX2(h2floor(g));
    DONE;
}

__device__ int of_any(cg::thread_group group, int value)
{
    group.sync();
    return value + 100 * group.size() + group.thread_rank();
}
KERNEL(group_results)
{
    HERE;
    __shared__ float tile[64];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(warp);
    cg::memcpy_async(block, tile, x, sizeof(float) * 64);
    cg::wait(block);
    const int value = (int)tile[i ^ 5];
    MIX(of_any(block, 1)), MIX(of_any(warp, 2)), MIX(of_any(cg::tiled_partition(block, 16), 3)),
        MIX(of_any(four, 4));
    MIX(cg::reduce(four, value, cg::plus<int>())), MIX(cg::inclusive_scan(four, value)),
        MIX(cg::exclusive_scan(warp, value, cg::plus<int>()));
    if (value & 1) {
        cg::coalesced_group some = cg::coalesced_threads();
        MIX(some.size()), MIX(cg::reduce(some, value, cg::greater<int>())), MIX(some.shfl(value, 0)),
            MIX(some.ballot(value > 0));
        MIX(cg::inclusive_scan(some, value, cg::plus<int>()));
    }
    MIX(cg::binary_partition(warp, value & 1).size()),
        MIX(cg::labeled_partition(warp, value % 3).thread_rank());
    int all;
    MIX(warp.match_any(value)), MIX(warp.match_all(1, all)), MIX(all), MIX(four.meta_group_rank()),
        MIX(four.ballot(value > 1));
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    MIX(cg::this_grid().thread_rank()), MIX(block.group_index().x), MIX(block.thread_index().x);
    DONE;
}

__device__ unsigned total;
KERNEL(standard)
{
    HERE;
    cuda::std::array<int, 3> three{i, 2, 3};
    MIX(three[0] + three.size()), MIX(cuda::std::is_same<int, int>::value),
        MIX(cuda::std::numeric_limits<int>::max());
    __shared__ cuda::atomic<int, cuda::thread_scope_block> shared;
    if (i == 0)
        shared.store(5);
    __syncthreads();
    shared.fetch_add(i, cuda::memory_order_relaxed);
    shared.fetch_max(7);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(total).fetch_or(1u << (i & 31));
    __syncthreads();
    int expected = 2021;
    MIX(shared.load()), MIX(total), MIX(shared.compare_exchange_strong(expected, 2021)), MIX(expected);
    auto square = [=](int a) { return a * a + i; };
    if constexpr (sizeof(long) == 8)
        MIX(square(7));
    DONE;
}

KERNEL(copies)
{
    HERE;
    __shared__ float4 stage[2][16];
    if (i < 16) {
        __pipeline_memcpy_async(&stage[0][i], (const float4 *)x + i, sizeof(float4));
        __pipeline_commit();
        __pipeline_memcpy_async(&stage[1][i], (const float4 *)x + (i ^ 3), sizeof(float4), 8);
        __pipeline_commit();
        __pipeline_wait_prior(1);
    }
    __syncthreads();
    MIX((int)stage[0][i & 15].y);
    if (i < 16)
        __pipeline_wait_prior(0);
    __syncthreads();
    MIX((int)(stage[1][i & 15].x + stage[1][i & 15].z));
    y[i] = fma(x[i], 2.0f, 1.0f);
    DONE;
}
