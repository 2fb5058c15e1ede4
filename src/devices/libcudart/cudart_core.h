/* The runtime API: starting, errors, modules that are part of the program, launches, memory in a line. */
#pragma once

#include "devices/libcudart/cudart_types.h"

/* All functions that return a cudaError_t: X(name, parameters). */
#define CUDART_CORE_FUNCTIONS(X)                                                                             \
    X(cudaGetLastError, void)                                                                                \
    X(cudaPeekAtLastError, void)                                                                             \
    X(cudaRuntimeGetVersion, int *version)                                                                   \
    X(cudaDriverGetVersion, int *version)                                                                    \
    X(cudaGetKernel, cudaKernel_t *kernel, const void *symbol)                                               \
    X(__cudaGetKernel, cudaKernel_t *kernel, const void *symbol)                                             \
    X(cudaGetFuncBySymbol, cudaFunction_t *function, const void *symbol)                                     \
    X(cudaGetSymbolAddress, void **address, const void *symbol)                                              \
    X(cudaGetSymbolSize, size_t *bytes, const void *symbol)                                                  \
    X(__cudaPopCallConfiguration, dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)               \
    X(cudaLaunchKernel, const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,    \
      cudaStream_t stream)                                                                                   \
    X(__cudaLaunchKernel, cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes, \
      cudaStream_t stream)                                                                                   \
    X(cudaLaunchCooperativeKernel, const void *symbol, dim3 grid, dim3 block, void **arguments,              \
      size_t shared_bytes, cudaStream_t stream)                                                              \
    X(cudaLaunchKernelExC, const cudaLaunchConfig_t *config, const void *symbol, void **arguments)           \
    X(cudaMalloc, void **address, size_t bytes)                                                              \
    X(cudaMallocManaged, void **address, size_t bytes, unsigned flags)                                       \
    X(cudaMallocPitch, void **address, size_t *pitch, size_t width, size_t height)                           \
    X(cudaMalloc3D, cudaPitchedPtr *memory, cudaExtent extent)                                               \
    X(cudaFree, void *address)                                                                               \
    X(cudaMallocHost, void **host, size_t bytes)                                                             \
    X(cudaHostAlloc, void **host, size_t bytes, unsigned flags)                                              \
    X(cudaFreeHost, void *host)                                                                              \
    X(cudaHostRegister, void *host, size_t bytes, unsigned flags)                                            \
    X(cudaHostUnregister, void *host)                                                                        \
    X(cudaHostGetDevicePointer, void **address, void *host, unsigned flags)                                  \
    X(cudaHostGetFlags, unsigned *flags, void *host)                                                         \
    X(cudaMemGetInfo, size_t *free_bytes, size_t *bytes)                                                     \
    X(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)                                        \
    X(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)              \
    X(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)              \
    X(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,         \
      cudaStream_t stream)                                                                                   \
    X(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)       \
    X(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset, int kind,  \
      cudaStream_t stream)                                                                                   \
    X(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind)             \
    X(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes, size_t offset, int kind,        \
      cudaStream_t stream)                                                                                   \
    X(cudaMemset, void *address, int value, size_t bytes)                                                    \
    X(cudaMemsetAsync, void *address, int value, size_t bytes, cudaStream_t stream)                          \
    X(cudaMemset2D, void *address, size_t pitch, int value, size_t width, size_t height)                     \
    X(cudaMemset2DAsync, void *address, size_t pitch, int value, size_t width, size_t height,                \
      cudaStream_t stream)                                                                                   \
    X(cudaMemset3D, cudaPitchedPtr memory, int value, cudaExtent extent)                                     \
    X(cudaMemset3DAsync, cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream)
