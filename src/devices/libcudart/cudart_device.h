/* The runtime API: devices, kernels, addresses, pools and libraries. */
#pragma once

#include "devices/libcudart/cudart_types.h"

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
        requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
} cudaFuncAttributes;
/* CUDA 13 has reserved bytes behind these, which nothing writes. */
typedef struct cudaPointerAttributes {
    int type, device; /* type: cudaMemoryType */
    void *devicePointer, *hostPointer;
} cudaPointerAttributes;

struct cudaDeviceProp; /* versions_properties.c */

#define CUDART_DEVICE_ONLY_FUNCTIONS(X)                                                                      \
    X(cudaGetDeviceCount, int *count)                                                                        \
    X(cudaGetDevice, int *device)                                                                            \
    X(cudaSetDevice, int device)                                                                             \
    X(cudaChooseDevice, int *device, const void *properties)                                                 \
    X(cudaSetValidDevices, int *list, int length)                                                            \
    X(cudaDeviceGetAttribute, int *value, int attribute, int device)                                         \
    X(cudaDeviceGetPCIBusId, char *text, int length, int device)                                             \
    X(cudaDeviceGetByPCIBusId, int *device, const char *text)                                                \
    X(cudaSetDeviceFlags, unsigned flags)                                                                    \
    X(cudaGetDeviceFlags, unsigned *flags)                                                                   \
    X(cudaInitDevice, int device, unsigned device_flags, unsigned flags)                                     \
    X(cudaDeviceSynchronize, void)                                                                           \
    X(cudaDeviceReset, void)                                                                                 \
    X(cudaProfilerStart, void)                                                                               \
    X(cudaProfilerStop, void)                                                                                \
    X(cudaDeviceGetLimit, size_t *value, int limit)                                                          \
    X(cudaDeviceSetLimit, int limit, size_t value)                                                           \
    X(cudaDeviceGetCacheConfig, int *config)                                                                 \
    X(cudaDeviceSetCacheConfig, int config)                                                                  \
    X(cudaDeviceGetSharedMemConfig, int *config)                                                             \
    X(cudaDeviceSetSharedMemConfig, int config)                                                              \
    X(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)                                           \
    X(cudaCtxResetPersistingL2Cache, void)                                                                   \
    X(cudaDeviceFlushGPUDirectRDMAWrites, int target, int scope)                                             \
    X(cudaDeviceCanAccessPeer, int *can_access, int device, int peer)                                        \
    X(cudaDeviceGetP2PAttribute, int *value, int attribute, int from, int to)                                \
    X(cudaDeviceEnablePeerAccess, int peer, unsigned flags)                                                  \
    X(cudaDeviceDisablePeerAccess, int peer)
#define CUDART_KERNEL_FUNCTIONS(X)                                                                           \
    X(cudaFuncGetAttributes, cudaFuncAttributes *attributes, const void *symbol)                             \
    X(cudaFuncSetAttribute, const void *symbol, int attribute, int value)                                    \
    X(cudaFuncSetCacheConfig, const void *symbol, int config)                                                \
    X(cudaFuncSetSharedMemConfig, const void *symbol, int config)                                            \
    X(cudaFuncGetName, const char **name, const void *symbol)                                                \
    X(cudaFuncGetParamInfo, const void *symbol, size_t index, size_t *offset, size_t *bytes)                 \
    X(cudaKernelSetAttributeForDevice, cudaKernel_t kernel, int attribute, int value, int device)            \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *symbol, int block,             \
      size_t shared_bytes)                                                                                   \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *symbol, int block,    \
      size_t shared_bytes, unsigned flags)                                                                   \
    X(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *symbol, int blocks, int block)   \
    X(cudaOccupancyMaxPotentialClusterSize, int *blocks, const void *symbol,                                 \
      const cudaLaunchConfig_t *config)                                                                      \
    X(cudaOccupancyMaxActiveClusters, int *clusters, const void *symbol, const cudaLaunchConfig_t *config)
#define CUDART_POINTER_FUNCTIONS(X)                                                                          \
    X(cudaPointerGetAttributes, cudaPointerAttributes *attributes, const void *pointer)                      \
    X(cudaMemRangeGetAttribute, void *value, size_t value_bytes, int attribute, const void *pointer,         \
      size_t bytes)                                                                                          \
    X(cudaMemRangeGetAttributes, void **values, size_t *value_bytes, int *attributes, size_t number,         \
      const void *pointer, size_t bytes)                                                                     \
    X(cudaMallocAsync, void **address, size_t bytes, cudaStream_t stream)                                    \
    X(cudaMallocFromPoolAsync, void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)        \
    X(cudaFreeAsync, void *address, cudaStream_t stream)                                                     \
    X(cudaDeviceGetDefaultMemPool, cudaMemPool_t *pool, int device)                                          \
    X(cudaDeviceGetMemPool, cudaMemPool_t *pool, int device)                                                 \
    X(cudaDeviceSetMemPool, int device, cudaMemPool_t pool)                                                  \
    X(cudaMemGetDefaultMemPool, cudaMemPool_t *pool, cudaMemLocation *location, int type)                    \
    X(cudaMemGetMemPool, cudaMemPool_t *pool, cudaMemLocation *location, int type)                           \
    X(cudaMemSetMemPool, cudaMemLocation *location, int type, cudaMemPool_t pool)                            \
    X(cudaMemPoolCreate, cudaMemPool_t *pool, const void *properties)                                        \
    X(cudaMemPoolDestroy, cudaMemPool_t pool)                                                                \
    X(cudaMemPoolTrimTo, cudaMemPool_t pool, size_t bytes)                                                   \
    X(cudaMemPoolSetAttribute, cudaMemPool_t pool, int attribute, void *value)                               \
    X(cudaMemPoolGetAttribute, cudaMemPool_t pool, int attribute, void *value)                               \
    X(cudaMemPoolSetAccess, cudaMemPool_t pool, const void *list, size_t count)                              \
    X(cudaMemPoolGetAccess, int *flags, cudaMemPool_t pool, cudaMemLocation *location)
#define CUDART_LIBRARY_FUNCTIONS(X)                                                                          \
    X(cudaLibraryLoadData, cudaLibrary_t *library, const void *image, int *options, void **values,           \
      unsigned count, int *library_options, void **library_values, unsigned library_count)                   \
    X(cudaLibraryLoadFromFile, cudaLibrary_t *library, const char *path, int *options, void **values,        \
      unsigned count, int *library_options, void **library_values, unsigned library_count)                   \
    X(cudaLibraryUnload, cudaLibrary_t library)                                                              \
    X(cudaLibraryGetKernel, cudaKernel_t *kernel, cudaLibrary_t library, const char *name)                   \
    X(cudaLibraryGetKernelCount, unsigned *count, cudaLibrary_t library)                                     \
    X(cudaLibraryEnumerateKernels, cudaKernel_t *kernels, unsigned count, cudaLibrary_t library)             \
    X(cudaLibraryGetGlobal, void **address, size_t *bytes, cudaLibrary_t library, const char *name)          \
    X(cudaLibraryGetManaged, void **address, size_t *bytes, cudaLibrary_t library, const char *name)         \
    X(cudaLibraryGetUnifiedFunction, void **function, cudaLibrary_t library, const char *name)               \
    X(cudaGetDriverEntryPoint, const char *name, void **function, unsigned long long flags, int *status)     \
    X(cudaGetDriverEntryPointByVersion, const char *name, void **function, unsigned version,                 \
      unsigned long long flags, int *status)
/* All functions, each of which returns a cudaError_t: X(name, parameters). */
#define CUDART_DEVICE_FUNCTIONS(X)                                                                           \
    CUDART_DEVICE_ONLY_FUNCTIONS(X)                                                                          \
    CUDART_KERNEL_FUNCTIONS(X)                                                                               \
    CUDART_POINTER_FUNCTIONS(X)                                                                              \
    CUDART_LIBRARY_FUNCTIONS(X)

/* Functions whose parameters differ between the versions, which versions_*.c declare and define. */
#if defined CUDART_VERSION && CUDART_VERSION >= 13000
#define CUDART_DEVICE_VERSIONED_FUNCTIONS(X)                                                                 \
    X(cudaGetDeviceProperties, struct cudaDeviceProp *properties, int device)                                \
    X(cudaMemAdvise, const void *pointer, size_t bytes, int advice, cudaMemLocation location)                \
    X(cudaMemPrefetchAsync, const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,     \
      cudaStream_t stream)                                                                                   \
    X(cudaMemPrefetchAsync_ptsz, const void *pointer, size_t bytes, cudaMemLocation location,                \
      unsigned flags, cudaStream_t stream)
#elif defined CUDART_VERSION
#define CUDART_DEVICE_VERSIONED_FUNCTIONS(X)                                                                 \
    X(cudaGetDeviceProperties, struct cudaDeviceProp *properties, int device)                                \
    X(cudaGetDeviceProperties_v2, struct cudaDeviceProp *properties, int device)                             \
    X(cudaMemAdvise, const void *pointer, size_t bytes, int advice, int device)                              \
    X(cudaMemAdvise_v2, const void *pointer, size_t bytes, int advice, cudaMemLocation location)             \
    X(cudaMemPrefetchAsync, const void *pointer, size_t bytes, int device, cudaStream_t stream)              \
    X(cudaMemPrefetchAsync_ptsz, const void *pointer, size_t bytes, int device, cudaStream_t stream)         \
    X(cudaMemPrefetchAsync_v2, const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,  \
      cudaStream_t stream)                                                                                   \
    X(cudaMemPrefetchAsync_v2_ptsz, const void *pointer, size_t bytes, cudaMemLocation location,             \
      unsigned flags, cudaStream_t stream)                                                                   \
    X(cudaThreadSynchronize, void)                                                                           \
    X(cudaThreadExit, void)                                                                                  \
    X(cudaThreadGetLimit, size_t *value, int limit)                                                          \
    X(cudaThreadSetLimit, int limit, size_t value)                                                           \
    X(cudaThreadGetCacheConfig, int *config)                                                                 \
    X(cudaThreadSetCacheConfig, int config)
#endif
