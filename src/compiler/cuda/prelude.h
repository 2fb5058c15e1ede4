/* What stands before each program in CUDA C: what nvcc knows without an include. No CUDA toolkit is needed:
 * functions of a thread come from clang's own headers and from those beside this one; what a host program
 * calls is only declared (cuda_host.h), so that files with a main() compile. */
#define __CUDACC__ 1
#ifndef __CUDACC_RTC__
#define __NVCC__ 1
#endif
#define CUDA_VERSION             12000
#define CUDART_VERSION           12000
#define __CUDACC_VER_MAJOR__     12
#define __CUDACC_VER_MINOR__     0
#define __CUDACC_VER_BUILD__     0
#define __host__                 __attribute__((host))
#define __device__               __attribute__((device))
#define __global__               __attribute__((global))
#define __shared__               __attribute__((shared))
#define __constant__             __attribute__((constant)) __attribute__((used)) /* hosts set it */
#define __managed__              __attribute__((device)) __attribute__((used))
#define __launch_bounds__(...)   __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__          __inline__ __attribute__((always_inline))
#define __align__(bytes)         __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __inline_hint__
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define CUDARTAPI
#define __DRIVER_TYPES_H__ /* NVIDIA's samples ask by these what they may use */
#define __CUDA_RUNTIME_H__
#define __HOST_DEFINES_H__
#define CUDART_CB

/* Around the functions of a header: calls have the line, also without optimization. */
#ifdef __OPTIMIZE__
#define __HEXEC_ALWAYS _Pragma("clang attribute push")
#else
#define __HEXEC_ALWAYS _Pragma("clang attribute push(__attribute__((always_inline)), apply_to = function)")
#endif
#define __HEXEC_HEADER_BEGIN                                                                                 \
    _Pragma("clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))") __HEXEC_ALWAYS
#define __HEXEC_HEADER_END _Pragma("clang attribute pop") _Pragma("clang attribute pop")

/* What is below is nobody's to look into, as little as hexec's own headers: who calls memcpy or std::max
 * reads of his call, not of a line of clang's. */
__HEXEC_HEADER_BEGIN
#ifdef __CUDACC_RTC__
#include "cuda_rtc.h"
#else
#include <__clang_cuda_math_forward_declares.h>

#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

/* libstdc++'s own, whose using declarations must come before malloc and the like of a thread; and what host
 * code has of nvcc without an include */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif

#include "vector_types.h"

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "cuda_thread.h"
#include "cuda_video.h"
#include "cuda_warp.h"

#ifndef __CUDACC_RTC__
#include <__clang_cuda_cmath.h>
#endif

#include "cuda_host.h"

/* Later ones know this word themselves. With the macro, libstdc++'s own use of it in <memory> would be wrong.
 */
#if __clang_major__ < 15
#ifndef __CUDACC_RTC__
#include <memory>
#endif
__HEXEC_HEADER_END
#define __noinline__ __attribute__((noinline))
#else
__HEXEC_HEADER_END
#endif
#ifdef __CUDACC_RTC__
#include "cuda_rtc_end.h"
#endif
