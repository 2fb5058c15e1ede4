// nvcc -ptx -fmad=false -O3 -arch=sm_90 calls.cu -o calls-O3-sm_90.ptx; -G -arch=sm_75
// clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -ffp-contract=off -O0 -S calls.cu -o calls-clang-O0.ptx
#ifdef __clang__
#include <__clang_cuda_builtin_vars.h>
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __noinline__ __attribute__((noinline))
#endif
#define FUNCTION __device__
#define APART __noinline__
#include "calls.h"
#define KERNEL(name)                                                                                         \
    extern "C" __global__ void kernel_##name(const int *x, int *y)                                           \
    {                                                                                                        \
        name(blockIdx.x * blockDim.x + threadIdx.x, x, y);                                                   \
    }
EACH_CALL(KERNEL)
