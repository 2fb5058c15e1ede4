// run --grid 1 --block 32 --arg i32:64:iota --arg i32:64
/* consumer_wait waits for the oldest stage that is not released. Here none is, so that it is the first one in both
 * rounds, and what the second copies is never waited for. */
#include <cuda/pipeline>
__global__ void rounds(const int *x, int *y)
{
    __shared__ int tile[2][32];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[k][t], x + k * 32 + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        y[k * 32 + t] = tile[k][t]; // expect race.unwaited_copy x32 also -3
    }
}
