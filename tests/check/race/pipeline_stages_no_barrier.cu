// run --grid 1 --block 32 --arg f32:32:iota --arg f32:32
/* A thread that has waited for its own copies has not waited for those of others. */
#include <cuda/pipeline>
__global__ void stages(const float *x, float *y)
{
    __shared__ float s[32];
    auto pipe = cuda::make_pipeline();
    const int l = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[l], &x[l], sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    y[l] = s[31 - l]; // expect race.read_write x* also -3 # expect race.unwaited_copy x* also -3
    pipe.consumer_release();
}
