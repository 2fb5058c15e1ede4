// run --grid 1 --block 64 --arg f32:256:iota --arg f32:64
/* A pipeline of the block: one warp copies, the other one uses it. */
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void roles(const float *x, float *y)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][32];
    auto block = cg::this_thread_block();
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    const int l = threadIdx.x % 32;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        if (threadIdx.x < 32) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % 2][l], &x[32 * k + l], sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[k % 2][31 - l];
            pipe.consumer_release();
        }
    if (threadIdx.x >= 32)
        y[l] = sum;
}
