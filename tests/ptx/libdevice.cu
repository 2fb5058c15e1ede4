// clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -ffp-contract=off -O1 -S libdevice.cu -o libdevice-clang-O1.ptx
#include <__clang_cuda_builtin_vars.h>
#define FUNCTION __attribute__((device))
#define NV(name) __nv_##name
#define DECLARE(result, name, ...) extern "C" __attribute__((device)) result __nv_##name(__VA_ARGS__);
DECLARE(int, float_as_int, float)
DECLARE(float, int2float_rn, int)
DECLARE(float, fabsf, float)
DECLARE(float, fmaf, float, float, float)
DECLARE(float, sqrtf, float)
DECLARE(float, floorf, float)
DECLARE(float, ceilf, float)
DECLARE(float, truncf, float)
DECLARE(float, rintf, float)
DECLARE(float, fminf, float, float)
DECLARE(float, fmaxf, float, float)
DECLARE(float, copysignf, float, float)
DECLARE(float, fmodf, float, float)
DECLARE(int, isnanf, float)
DECLARE(long long, double_as_longlong, double)
DECLARE(double, fma, double, double, double)
DECLARE(double, sqrt, double)
DECLARE(double, fabs, double)
DECLARE(long long, double2ll_rn, double)
DECLARE(int, double2int_rz, double)
DECLARE(int, double2int_ru, double)
DECLARE(int, double2int_rd, double)
DECLARE(double, hiloint2double, int, int)
DECLARE(int, popc, int)
DECLARE(int, clz, int)
DECLARE(int, brev, int)
DECLARE(int, mulhi, int, int)
DECLARE(int, abs, int)
DECLARE(int, min, int, int)
DECLARE(int, max, int, int)
DECLARE(int, popcll, long long)
DECLARE(unsigned, umulhi, unsigned, unsigned)
DECLARE(int, float2int_rd, float)
#include "libdevice.h"
#define KERNEL(name)                                                                                         \
    extern "C" __attribute__((global)) void kernel_##name(const int *x, int *y)                              \
    {                                                                                                        \
        name(blockIdx.x * blockDim.x + threadIdx.x, x, y);                                                   \
    }
EACH_LIBRARY(KERNEL)
