/* Functions that nvcc and clang have a program call before its main begins, by which they name its modules,
 * kernels and variables. Programs hold handles and pass them on; they never look into one. */
#pragma once

#include "devices/libcudart/runtime.h"

#define CUDART_REGISTERS(X)                                                                                  \
    X(void **, __cudaRegisterFatBinary, void *wrapper)                                                       \
    X(void, __cudaRegisterFatBinaryEnd, void **handle)                                                       \
    X(void, __cudaUnregisterFatBinary, void **handle)                                                        \
    X(void, __cudaRegisterFunction, void **handle, const char *host, char *device, const char *name,         \
      int limit, void *thread, void *block, void *block_size, void *grid_size, int *warp_size)               \
    X(void, __cudaRegisterVar, void **handle, char *host, char *device, const char *name, int is_extern,     \
      size_t bytes, int is_constant, int is_global)                                                          \
    X(void, __cudaRegisterManagedVar, void **handle, void **managed, char *device, const char *name,         \
      int is_extern, size_t bytes, int is_constant, int is_global)                                           \
    X(char, __cudaInitModule, void **handle)                                                                 \
    X(unsigned, __cudaPushCallConfiguration, dim3 grid, dim3 block, size_t shared_bytes, void *stream)
#define CUDART_DECLARE_REGISTER(type, name, ...) CUDART_EXPORTED type name(__VA_ARGS__);
CUDART_REGISTERS(CUDART_DECLARE_REGISTER)
