// run --grid 1 --block 32 --arg f32:256:iota --arg f32:32
/* Two stages of a pipeline; the block meets where it reads what others have copied, and before it copies anew. */
#include <cuda/pipeline>
__global__ void stages(const float *x, float *y)
{
    __shared__ float s[2][32];
    auto pipe = cuda::make_pipeline();
    const int l = threadIdx.x;
    float sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][l], &x[l], sizeof(float), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 8; k++) {
        if (k + 1 < 8) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(k + 1) % 2][l], &x[(k + 1) * 32 + l], sizeof(float), pipe);
            pipe.producer_commit();
        }
        if (k + 1 < 8)
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        sum += s[k % 2][31 - l];
        __syncthreads();
        pipe.consumer_release();
    }
    y[l] = sum;
}
