// run --grid 1 --block 32 --arg f32:32:iota --arg f32:32
#include <cuda/pipeline>
__global__ void stages(const float *x, float *y)
{
    __shared__ float s[32];
    auto pipe = cuda::make_pipeline();
    const int l = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[l], &x[l], sizeof(float), pipe);
    pipe.producer_commit();
    y[l] = s[l]; // expect race.unwaited_copy x* also -2
    pipe.consumer_wait();
    pipe.consumer_release();
}
