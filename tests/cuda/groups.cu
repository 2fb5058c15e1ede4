/* What threads of a block do together, and minima and maxima of three: as headers.cu (nvcc -ptx -arch=sm_90 -std=c++17), with blocks of
 * 256 threads. Each thread mixes the bits of all results into one number. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const float *x, float *y, int *out)
#define HERE                                                                                                 \
    const int i = threadIdx.x;                                                                               \
    unsigned int mixed = 0;                                                                                  \
    y[i] = 0
#define MIX(...) mixed = mixed * 0x9e3779b1u + (unsigned int)(__VA_ARGS__) + 1
#define DONE     out[i] = (int)mixed

KERNEL(video)
{
    HERE;
    unsigned int a = __float_as_uint(x[i & 63]) * 0x85ebca6bu, b = a * 0xc2b2ae35u + i, c = b * 0x27d4eb2fu;
    for (int turn = 0; turn < 8; turn++) {
        bool one, two;
        const int sa = (int)a, sb = (int)b, sc = (int)c;
        MIX(__vimax3_s32(sa, sb, sc)), MIX(__vimin3_s32(sa, sb, sc));
        MIX(__vimax3_u32(a, b, c)), MIX(__vimin3_u32(a, b, c));
        MIX(__vimax3_s16x2(a, b, c)), MIX(__vimin3_s16x2(a, b, c));
        MIX(__vimax3_u16x2(a, b, c)), MIX(__vimin3_u16x2(a, b, c));
        MIX(__vimax_s32_relu(sa, sb)), MIX(__vimin_s32_relu(sa, sb));
        MIX(__vimax_s16x2_relu(a, b)), MIX(__vimin_s16x2_relu(a, b));
        MIX(__vimax3_s32_relu(sa, sb, sc)), MIX(__vimin3_s32_relu(sa, sb, sc));
        MIX(__vimax3_s16x2_relu(a, b, c)), MIX(__vimin3_s16x2_relu(a, b, c));
        MIX(__viaddmax_s32(sa, sb, sc)), MIX(__viaddmin_s32(sa, sb, sc));
        MIX(__viaddmax_u32(a, b, c)), MIX(__viaddmin_u32(a, b, c));
        MIX(__viaddmax_s16x2(a, b, c)), MIX(__viaddmin_s16x2(a, b, c));
        MIX(__viaddmax_u16x2(a, b, c)), MIX(__viaddmin_u16x2(a, b, c));
        MIX(__viaddmax_s32_relu(sa, sb, sc)), MIX(__viaddmin_s32_relu(sa, sb, sc));
        MIX(__viaddmax_s16x2_relu(a, b, c)), MIX(__viaddmin_s16x2_relu(a, b, c));
        MIX(__vibmax_s32(sa, turn & 1 ? sa : sb, &one)), MIX(one);
        MIX(__vibmin_s32(sa, turn & 1 ? sa : sb, &one)), MIX(one);
        MIX(__vibmax_u32(a, b, &one)), MIX(one);
        MIX(__vibmin_u32(a, b, &one)), MIX(one);
        MIX(__vibmax_s16x2(a, b, &one, &two)), MIX(one + 2 * two);
        MIX(__vibmin_s16x2(a, b, &one, &two)), MIX(one + 2 * two);
        MIX(__vibmax_u16x2(a, b, &one, &two)), MIX(one + 2 * two);
        MIX(__vibmin_u16x2(a, b, &one, &two)), MIX(one + 2 * two);
        a = b, b = c, c = mixed;
    }
    DONE;
}

__device__ float2 sums_of_two;
__device__ float4 sums_of_four;
KERNEL(vector_atomics)
{
    HERE;
    atomicAdd(&sums_of_two, make_float2(i, 1));
    atomicAdd(&sums_of_four, make_float4(i, 2 * i, 1, i & 3));
    __syncthreads();
    if (i == 0) {
        MIX(*(volatile float *)&sums_of_two.x), MIX(*(volatile float *)&sums_of_two.y);
        MIX(*(volatile float *)&sums_of_four.x), MIX(*(volatile float *)&sums_of_four.y);
        MIX(*(volatile float *)&sums_of_four.z), MIX(*(volatile float *)&sums_of_four.w);
    }
    DONE;
}

template <int Size> __device__ unsigned int with_tile(unsigned int mixed, float value, int i)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<Size>(block);
    const int number = (int)(value * 8) + i;
    MIX(tile.thread_rank()), MIX(tile.meta_group_rank()), MIX(tile.meta_group_size()), MIX(tile.num_threads());
    MIX(cg::reduce(tile, number, cg::plus<int>())), MIX(cg::reduce(tile, number, cg::greater<int>()));
    MIX(cg::inclusive_scan(tile, number)), MIX(cg::exclusive_scan(tile, number));
    MIX(tile.any(i == 70)), MIX(tile.all(i < 128));
    tile.sync();
    return mixed;
}
KERNEL(large_tiles)
{
    HERE;
    mixed = with_tile<64>(mixed, x[i & 63], i);
    mixed = with_tile<128>(mixed, x[i & 63], i);
    mixed = with_tile<256>(mixed, x[i & 63], i);
    mixed = with_tile<32>(mixed, x[i & 63], i);
    DONE;
}

/* The first warp fills what the others read, in two buffers. */
KERNEL(barriers)
{
    HERE;
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready[2], taken[2], all;
    __shared__ int tile[2][32];
    if (i == 0) {
        for (int k = 0; k < 2; k++) {
            init(&ready[k], 32 + 224);
            init(&taken[k], 32 + 224);
        }
        init(&all, blockDim.x);
    }
    __syncthreads();
    for (int turn = 0; turn < 6; turn++) {
        const int k = turn & 1;
        if (i < 32) {
            if (turn >= 2)
                taken[k].arrive_and_wait();
            tile[k][i] = (int)(x[i] * 16) + turn;
            (void)ready[k].arrive();
        } else {
            if (turn >= 2)
                (void)taken[k].arrive();
            barrier::arrival_token token = ready[k].arrive();
            ready[k].wait(std::move(token));
            MIX(tile[k][(i + turn) & 31]);
        }
    }
    all.arrive_and_wait();
    if (i >= 128)
        all.arrive_and_drop();
    else
        for (int turn = 0; turn < 3; turn++)
            all.arrive_and_wait();
    DONE;
}

KERNEL(copies_with_barrier)
{
    HERE;
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ __align__(16) float tile[64];
    auto block = cg::this_thread_block();
    if (i == 0)
        init(&ready, block.size());
    block.sync();
    cuda::memcpy_async(block, tile, x, sizeof tile, ready);
    ready.arrive_and_wait();
    MIX(__float_as_uint(tile[(i * 5) & 63]));
    block.sync();
    cuda::memcpy_async(block, tile, x, cuda::aligned_size_t<16>(128), ready);
    ready.arrive_and_wait();
    MIX(__float_as_uint(tile[(i * 3) & 31]));
    DONE;
}

KERNEL(pipelines)
{
    HERE;
    __shared__ float stage[3][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int turns = 7;
    for (int turn = 0, begun = 0; turn < turns; turn++) {
        for (; begun < turns && begun < turn + 3; begun++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[begun % 3][i], &x[(i + begun) & 63], sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        MIX(__float_as_uint(stage[turn % 3][(i * 7) & 255]));
        pipe.consumer_release();
    }
    DONE;
}

KERNEL(pipeline_of_thread)
{
    HERE;
    __shared__ float stage[2][256];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[0][i], &x[i & 63], sizeof(float), pipe);
    pipe.producer_commit();
    for (int turn = 0; turn < 4; turn++) {
        pipe.producer_acquire();
        if (turn < 3)
            cuda::memcpy_async(&stage[(turn + 1) & 1][i], &x[(i + turn) & 63], sizeof(float), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        MIX(__float_as_uint(stage[turn & 1][i]));
        pipe.consumer_release();
    }
    DONE;
}

KERNEL(two_roles)
{
    HERE;
    __shared__ float stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const bool produces = i < 64;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int turn = 0; turn < 6; turn++)
        if (produces) {
            pipe.producer_acquire();
            stage[turn & 1][i] = x[(i * 3 + turn) & 63];
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            MIX(__float_as_uint(stage[turn & 1][(i + turn) & 63]));
            pipe.consumer_release();
        }
    DONE;
}
