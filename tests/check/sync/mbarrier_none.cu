// A barrier of CUDA C++ that nobody initializes: all arrive at it.
// run --grid 1 --block 32 --arg i32:32
#include <cuda/barrier>
__global__ void k(int *out) // expect-kinds sync.no_mbarrier
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    (void)bar.arrive();
    out[threadIdx.x] = 1;
}
