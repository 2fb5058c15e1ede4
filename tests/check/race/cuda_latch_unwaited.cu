// A latch that is counted down and not waited for.
// run --grid 2 --block 1 --arg i32:2 --arg i32:2
#include <cuda/latch>
__device__ cuda::latch<cuda::thread_scope_device> all{2};
// expect-kinds race.read_write
__global__ void wrong(int *part, int *out)
{
    part[blockIdx.x] = blockIdx.x;
    all.count_down();
    out[blockIdx.x] = part[1 - blockIdx.x];
}
