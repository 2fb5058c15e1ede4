/* Pools of memory, and allocations in the order of a stream. */
#include "devices/libcudart/forward.h"

/* As of cudaMalloc, no bytes are no memory, and no error. */
static cudaError_t allocate(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    CUdeviceptr made = 0;
    CUresult error = address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS && bytes > 0)
        error = pool ? cuMemAllocFromPoolAsync(&made, bytes, pool, stream)
                     : cuMemAllocAsync(&made, bytes, stream);
    if (error == CUDA_SUCCESS)
        *address = (void *)(uintptr_t)made;
    return (cudaError_t)error;
}

RUNTIME_FORWARD(cudaMallocAsync, (void **address, size_t bytes, cudaStream_t stream),
                allocate(address, bytes, NULL, stream))
RUNTIME_FORWARD(cudaMallocFromPoolAsync,
                (void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                pool ? allocate(address, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE)
RUNTIME_FORWARD(cudaFreeAsync, (void *address, cudaStream_t stream),
                cuMemFreeAsync(DEVICE_ADDRESS(address), stream))

/* ---- The pools of devices ------------------------------------------------------------------------------ */

RUNTIME_FORWARD(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device),
                cuDeviceGetDefaultMemPool(pool, device))
RUNTIME_FORWARD(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), cuDeviceGetMemPool(pool, device))
RUNTIME_FORWARD(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), cuDeviceSetMemPool(device, pool))

RUNTIME_FORWARD(cudaMemGetDefaultMemPool, (cudaMemPool_t * pool, cudaMemLocation *location, int type),
                cuMemGetDefaultMemPool(pool, location, type))
RUNTIME_FORWARD(cudaMemGetMemPool, (cudaMemPool_t * pool, cudaMemLocation *location, int type),
                cuMemGetMemPool(pool, location, type))
RUNTIME_FORWARD(cudaMemSetMemPool, (cudaMemLocation * location, int type, cudaMemPool_t pool),
                cuMemSetMemPool(location, type, pool))

/* ---- Pools --------------------------------------------------------------------------------------------- */

/* What a pool is to be, and who may use it, is laid out as for the driver. */
RUNTIME_FORWARD(cudaMemPoolCreate, (cudaMemPool_t * pool, const void *properties),
                cuMemPoolCreate(pool, properties))
RUNTIME_FORWARD(cudaMemPoolDestroy, (cudaMemPool_t pool), cuMemPoolDestroy(pool))
RUNTIME_FORWARD(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes), cuMemPoolTrimTo(pool, bytes))
RUNTIME_FORWARD(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value),
                cuMemPoolSetAttribute(pool, attribute, value))
RUNTIME_FORWARD(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value),
                cuMemPoolGetAttribute(pool, attribute, value))
RUNTIME_FORWARD(cudaMemPoolSetAccess, (cudaMemPool_t pool, const void *list, size_t count),
                cuMemPoolSetAccess(pool, list, count))
RUNTIME_FORWARD(cudaMemPoolGetAccess, (int *flags, cudaMemPool_t pool, cudaMemLocation *location),
                cuMemPoolGetAccess(flags, pool, location))
