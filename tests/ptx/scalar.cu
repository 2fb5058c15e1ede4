// nvcc -ptx -fmad=false -O3 -arch=sm_90 scalar.cu -o scalar-O3-sm_90.ptx; -G -arch=sm_75; -O0 -Xcicc -O0 -arch=sm_120
#define FUNCTION __device__
#define APART __noinline__
#include "scalar.h"
#define KERNEL(name)                                                                                         \
    extern "C" __global__ void kernel_##name(const int *x, int *y)                                           \
    {                                                                                                        \
        name(blockIdx.x * blockDim.x + threadIdx.x, x, y);                                                   \
    }
EACH_KERNEL(KERNEL)
