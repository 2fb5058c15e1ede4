/* Pools of memory, from which streams allocate.
 *
 * An allocation is made when it is wanted, and is freed when the stream reaches it. A pool keeps nothing
 * that was freed: its attributes are those of one that gives all of it back. */
#include "devices/libcuda/graph_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { /* CUmemPool_attribute */
       POOL_FOLLOW_EVENTS = 1,
       POOL_OPPORTUNISTIC,
       POOL_INTERNAL,
       POOL_RELEASE_THRESHOLD,
       POOL_RESERVED,
       POOL_RESERVED_MOST,
       POOL_USED,
       POOL_USED_MOST
};
struct CUmemPoolHandle_st {
    atomic_int may_reuse[3];
    atomic_ullong threshold;
};
static struct CUmemPoolHandle_st default_pool = {.may_reuse = {1, 1, 1}};
static _Atomic(CUmemoryPool) current; /* NULL: the default one */

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS || !pool)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *pool = &default_pool;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    const CUresult error = cuDeviceGetDefaultMemPool(pool, device);
    if (error == CUDA_SUCCESS && atomic_load(&current))
        *pool = atomic_load(&current);
    return error;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    CUmemoryPool known;
    const CUresult error = cuDeviceGetDefaultMemPool(&known, device);
    if (error != CUDA_SUCCESS || !pool)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    atomic_store(&current, pool);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const void *properties)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !pool || !properties)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUmemoryPool made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3; i++)
        atomic_store(&made->may_reuse[i], 1);
    *pool = made;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    if (!pool || pool == &default_pool)
        return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load(&current) == pool)
        atomic_store(&current, NULL);
    free(pool);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    (void)bytes;
    return pool ? driver_check() : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value)
{
    if (!pool || !value)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute >= POOL_FOLLOW_EVENTS && attribute <= POOL_INTERNAL)
        atomic_store(&pool->may_reuse[attribute - 1], *(int *)value);
    else if (attribute == POOL_RELEASE_THRESHOLD)
        atomic_store(&pool->threshold, *(uint64_t *)value);
    else if ((attribute != POOL_RESERVED_MOST && attribute != POOL_USED_MOST) || *(uint64_t *)value != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value)
{
    if (!pool || !value || attribute < POOL_FOLLOW_EVENTS || attribute > POOL_USED_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute <= POOL_INTERNAL)
        *(int *)value = atomic_load(&pool->may_reuse[attribute - 1]);
    else
        *(uint64_t *)value = attribute == POOL_RELEASE_THRESHOLD ? atomic_load(&pool->threshold) : 0;
    return CUDA_SUCCESS;
}

/* All devices reach all memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const void *list, size_t count)
{
    return pool && (list || count == 0) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location)
{
    enum { ON_DEVICE = 1, READ_AND_WRITE = 3 };
    CUdevice device;
    if (!flags || !pool || !location)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = location->type == ON_DEVICE ? cuDeviceGet(&device, location->id) : CUDA_SUCCESS;
    if (error == CUDA_SUCCESS)
        *flags = location->type == ON_DEVICE ? READ_AND_WRITE : 0;
    return error;
}

/* The device of a place where there are pools of memory that stays. */
static CUresult device_of(const CUmemLocation *location, int type, CUdevice *ret_device)
{
    enum { ON_DEVICE = 1, PINNED = 1 };
    if (!location || type != PINNED)
        return location && type == PINNED + 1 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    *ret_device = location->id;
    return location->type == ON_DEVICE ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, int type)
{
    CUdevice device = 0;
    const CUresult error = device_of(location, type, &device);
    return error == CUDA_SUCCESS ? cuDeviceGetDefaultMemPool(pool, device) : error;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, int type)
{
    CUdevice device = 0;
    const CUresult error = device_of(location, type, &device);
    return error == CUDA_SUCCESS ? cuDeviceGetMemPool(pool, device) : error;
}

CUresult cuMemSetMemPool(CUmemLocation *location, int type, CUmemoryPool pool)
{
    CUdevice device = 0;
    const CUresult error = device_of(location, type, &device);
    return error == CUDA_SUCCESS ? cuDeviceSetMemPool(device, pool) : error;
}

/* Captured: a node of the graph. */
static CUresult capture_allocation(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    struct graph_memory *memory = NULL;
    CUresult error = address ? graph_memory_new(bytes, &memory) : CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    const struct work work = {.kind = WORK_ALLOC, .as.memory = memory};
    error = stream_give(stream, &work);
    if (error == CUDA_SUCCESS)
        *address = graph_memory_address(memory);
    graph_memory_release(memory);
    return error;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    const CUresult error = stream_check_uncaptured(stream);
    if (error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        return capture_allocation(address, bytes, stream);
    return error == CUDA_SUCCESS ? cuMemAlloc_v2(address, bytes) : error;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return pool ? cuMemAllocAsync(address, bytes, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    const struct work work = {.kind = WORK_FREE, .as.value = {.address = address}};
    CUdeviceptr base = 0;
    const CUresult error = stream_check_uncaptured(stream);
    if (error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        return stream_give(stream, &work);
    if (error != CUDA_SUCCESS || address == 0)
        return error;
    if (graph_memory_take(address))
        return stream_give(stream, &work);
    if (cuMemGetAddressRange_v2(&base, NULL, address) != CUDA_SUCCESS || base != address ||
        virtual_has(address))
        return CUDA_ERROR_INVALID_VALUE;
    return stream_give(stream, &work);
}
