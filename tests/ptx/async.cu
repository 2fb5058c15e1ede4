// nvcc -ptx -O3 -arch=sm_90 async.cu -o async-O3-sm_90.ptx
// Copies to shared memory beside the computation, barriers in shared memory, and a product of matrices that uses them.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <utility>

// Each thread copies 16, 8 and 4 bytes; of the last ones the bytes behind `kept` are zeros.
extern "C" __global__ void copies(const int *x, int kept, int *y)
{
    __shared__ alignas(16) int tile[7 * 64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &x[4 * t], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[4 * 64 + 2 * t], &x[4 * 64 + 2 * t], 8, 4);
    __pipeline_memcpy_async(&tile[6 * 64 + t], &x[6 * 64 + t], 4, (4 - kept) & 3);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = t; i < 7 * 64; i += blockDim.x)
        y[i] = tile[i];
}

// Threads pass a value to their neighbour, phase by phase.
extern "C" __global__ void ring(int steps, int *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[2][64];
    const int t = threadIdx.x, n = blockDim.x;
    if (t == 0)
        init(&barrier, n);
    values[0][t] = t * t;
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        values[(i + 1) & 1][(t + 1) % n] = values[i & 1][t] + 1;
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
    }
    y[t] = values[steps & 1][t];
}

// The first warp makes what the second one takes; the first does not wait for it.
extern "C" __global__ void hand_over(int *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    __shared__ int slot[32];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    for (int i = 0; i < 5; i++)
        if (t < 32) {
            empty.arrive_and_wait();
            slot[t] = t * 10 + i;
            (void)full.arrive();
        } else {
            (void)empty.arrive();
            full.arrive_and_wait();
            y[i * 32 + t - 32] = slot[t - 32] * 3;
        }
}

__device__ static void copy_tile(half *tile, const half *from, int stride)
{
    for (int i = threadIdx.x; i < 64 * 2; i += blockDim.x) {
        half *to = &tile[i / 2 * 16 + i % 2 * 8];
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                     "l"(from + i / 2 * stride + i % 2 * 8));
    }
    asm volatile("cp.async.commit_group;");
}

// c = a b^T: a and b of 64 rows and `depth` columns, in steps of 16 columns of which the next is copied beside.
extern "C" __global__ void multiply(const half *a, const half *b, float *c, int depth)
{
    __shared__ alignas(16) half tiles[2][2][64 * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sums[8][4] = {};
    copy_tile(tiles[0][0], a, depth);
    copy_tile(tiles[0][1], b, depth);
    for (int k = 0; k < depth; k += 16) {
        const int now = k / 16 & 1;
        if (k + 16 < depth) {
            copy_tile(tiles[!now][0], a + k + 16, depth);
            copy_tile(tiles[!now][1], b + k + 16, depth);
            asm volatile("cp.async.wait_group 2;");
        } else {
            asm volatile("cp.async.wait_all;");
        }
        __syncthreads();
        unsigned fa[4], fb[2];
        const half *row = &tiles[now][0][(warp * 16 + lane % 16) * 16 + lane / 16 * 8];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"((unsigned)__cvta_generic_to_shared(row)));
        for (int n = 0; n < 8; n++) {
            const half *column = &tiles[now][1][(n * 8 + lane % 8) * 16 + lane / 8 % 2 * 8];
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fb[0]), "=r"(fb[1])
                         : "r"((unsigned)__cvta_generic_to_shared(column)));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sums[n][0]), "+f"(sums[n][1]), "+f"(sums[n][2]), "+f"(sums[n][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        }
        __syncthreads();
    }
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 4; i++)
            c[(warp * 16 + lane / 4 + i / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + i % 2] = sums[n][i];
}
