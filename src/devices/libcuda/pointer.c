/* What addresses are, and what programs say of the memory there.
 *
 * Managed memory does not move: advice and prefetches are kept for the calls that want them, where they
 * are of a whole allocation. */
#include "devices/libcuda/graph_memory.h"
#include "devices/libcuda/memory.h"

#include "devices/calls/calls.h"

#include <string.h>

/* CUpointer_attribute, those that are known. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_SYNC_MEMOPS = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_IS_LEGACY_IPC_CAPABLE = 10,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    POINTER_ALLOWED_HANDLE_TYPES = 14,
    POINTER_IS_RDMA_CAPABLE = 15,
    POINTER_ACCESS_FLAGS = 16,
    POINTER_MAPPING_SIZE = 18,
    POINTER_MAPPING_START = 19,
    POINTER_MEMORY_BLOCK_ID = 20
};

/* A copy of what the list says of the buffer that the address is in. */
static bool find(CUdeviceptr address, struct memory_item *ret_item)
{
    const struct memory_item *item = memory_lock(address, 1);
    if (item)
        *ret_item = *item;
    memory_unlock();
    return item != NULL;
}

static CUresult tell_device(CUdevice *device, CUdeviceptr address)
{
    struct memory_item item = {0};
    if (!find(address, &item))
        return cuCtxGetDevice(device);
    *device = item.device;
    return CUDA_SUCCESS;
}

static bool is_shared(CUdeviceptr address)
{
    struct memory_item item = {0};
    return find(address, &item) && item.is_shared;
}

/* Those that are numbers of a buffer. */
static CUresult tell_number(void *value, int attribute, CUdeviceptr address)
{
    struct memory_item item = {0};
    const bool is_device = find(address, &item);
    uint64_t flags = 0;
    CUdevice device = 0;
    switch (attribute) {
    case POINTER_SYNC_MEMOPS:
        *(unsigned *)value = item.is_synchronous;
        return is_device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case POINTER_BUFFER_ID:
    case POINTER_MEMORY_BLOCK_ID:
        memcpy(value, &item.number, sizeof item.number);
        return is_device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case POINTER_IS_MANAGED:
        *(unsigned *)value = item.is_managed;
        return CUDA_SUCCESS;
    case POINTER_IS_LEGACY_IPC_CAPABLE:
    case POINTER_IS_RDMA_CAPABLE:
        *(unsigned *)value = 0; /* no other process and no other device reaches it */
        return CUDA_SUCCESS;
    case POINTER_ALLOWED_HANDLE_TYPES:
        memcpy(value, &flags, sizeof flags);
        return CUDA_SUCCESS;
    case POINTER_ACCESS_FLAGS:
        if (cuCtxGetDevice(&device) != CUDA_SUCCESS ||
            cuMemGetAccess(&flags, &(const CUmemLocation){1, device}, address) != CUDA_SUCCESS)
            flags = 3; /* read and write: of a mapping alone there is more to say */
        *(unsigned *)value = (unsigned)flags;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

static CUresult tell(void *value, int attribute, CUdeviceptr address)
{
    CUdeviceptr base = address;
    size_t bytes = 0;
    const bool is_device = cuMemGetAddressRange_v2(&base, &bytes, address) == CUDA_SUCCESS ||
                           graph_memory_range(address, &base, &bytes);
    const bool is_pinned = memory_is_pinned((const void *)(uintptr_t)address);
    if (!is_device && !is_pinned)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case POINTER_CONTEXT:
        return cuCtxGetCurrent(value);
    case POINTER_MEMORY_TYPE:
        *(unsigned *)value = is_pinned ? 1 : 2;
        return CUDA_SUCCESS;
    case POINTER_DEVICE_POINTER:
        if (is_pinned)
            return cuMemHostGetDevicePointer_v2(value, (void *)(uintptr_t)address, 0);
        *(CUdeviceptr *)value = address;
        return CUDA_SUCCESS;
    case POINTER_HOST_POINTER:
        *(void **)value =
            is_pinned || device_is_unified() || is_shared(address) ? memory_place(address, 0) : NULL;
        return *(void **)value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case POINTER_DEVICE_ORDINAL:
        return tell_device(value, address);
    case POINTER_RANGE_START:
    case POINTER_MAPPING_START:
        *(CUdeviceptr *)value = base;
        return CUDA_SUCCESS;
    case POINTER_RANGE_SIZE:
    case POINTER_MAPPING_SIZE:
        *(size_t *)value = bytes;
        return CUDA_SUCCESS;
    case POINTER_MAPPED:
        *(int *)value = 1;
        return CUDA_SUCCESS;
    default:
        return tell_number(value, attribute, address);
    }
}

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !value)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    return tell(value, attribute, address);
}

static size_t bytes_of(int attribute)
{
    switch (attribute) {
    case POINTER_CONTEXT:
    case POINTER_DEVICE_POINTER:
    case POINTER_HOST_POINTER:
    case POINTER_BUFFER_ID:
    case POINTER_RANGE_START:
    case POINTER_RANGE_SIZE:
    case POINTER_ALLOWED_HANDLE_TYPES:
    case POINTER_MAPPING_SIZE:
    case POINTER_MAPPING_START:
    case POINTER_MEMORY_BLOCK_ID:
        return 8;
    default:
        return 4;
    }
}

/* What is not known of the address is 0. */
CUresult cuPointerGetAttributes(unsigned number, int *attributes, void **values, CUdeviceptr address)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !attributes || !values)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < number; i++)
        if (values[i] && tell(values[i], attributes[i], address) != CUDA_SUCCESS)
            memset(values[i], 0, bytes_of(attributes[i]));
    return CUDA_SUCCESS;
}

/* Copies that are no asynchronous ones wait all the same. */
CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !value || attribute != POINTER_SYNC_MEMOPS)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    struct memory_item *item = memory_lock(address, 1);
    if (item)
        item->is_synchronous = *(const unsigned *)value != 0;
    memory_unlock();
    return item ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Advice -------------------------------------------------------------------------------------------- */

enum { /* CUmem_advise */
       SET_READ_MOSTLY = 1,
       UNSET_READ_MOSTLY,
       SET_PREFERRED,
       UNSET_PREFERRED,
       SET_ACCESSED_BY,
       UNSET_ACCESSED_BY
};
enum {
    LOCATION_NONE,
    LOCATION_DEVICE,
    LOCATION_HOST,
    LOCATION_HOST_NUMA_CURRENT = 4
}; /* CUmemLocationType */

/* The host, or a device that is there. */
static CUresult check_place(CUdevice device)
{
    CUdevice known;
    return device == HOST_DEVICE ? CUDA_SUCCESS : cuDeviceGet(&known, device);
}

static CUresult place_of(CUmemLocation location, CUdevice *ret_device)
{
    if (location.type < LOCATION_DEVICE || location.type > LOCATION_HOST_NUMA_CURRENT)
        return CUDA_ERROR_INVALID_VALUE;
    *ret_device = location.type == LOCATION_DEVICE ? location.id : HOST_DEVICE;
    return CUDA_SUCCESS;
}

/* Of a whole allocation that is managed; else NULL. Between memory_lock and memory_unlock. */
static struct memory_item *managed(struct memory_item *item, CUdeviceptr address, size_t bytes)
{
    return item && item->is_managed && address == hx_buffer_address(item->buffer) &&
                   bytes == hx_buffer_bytes(item->buffer)
               ? item
               : NULL;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
    (void)stream;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && !memory_place(address, bytes))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = check_place(device);
    if (error != CUDA_SUCCESS)
        return error;
    struct memory_item *item = managed(memory_lock(address, bytes), address, bytes);
    if (item)
        item->last_prefetch = device;
    memory_unlock();
    return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream)
{
    CUdevice device = 0;
    const CUresult error = flags == 0 ? place_of(location, &device) : CUDA_ERROR_INVALID_VALUE;
    return error == CUDA_SUCCESS ? cuMemPrefetchAsync(address, bytes, device, stream) : error;
}

static void advise(struct memory_item *item, int advice, CUdevice device)
{
    if (advice == SET_READ_MOSTLY || advice == UNSET_READ_MOSTLY)
        item->is_read_mostly = advice == SET_READ_MOSTLY;
    if (advice == SET_PREFERRED || advice == UNSET_PREFERRED)
        item->preferred = advice == SET_PREFERRED ? device : NO_DEVICE;
    if (advice != SET_ACCESSED_BY && advice != UNSET_ACCESSED_BY)
        return;
    if (device == HOST_DEVICE)
        item->is_accessed_by_host = advice == SET_ACCESSED_BY;
    else if (advice == SET_ACCESSED_BY)
        item->accessed_by |= UINT64_C(1) << device;
    else
        item->accessed_by &= ~(UINT64_C(1) << device);
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device)
{
    const bool has_device = advice == SET_PREFERRED || advice >= SET_ACCESSED_BY;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS &&
        (!memory_place(address, bytes) || advice < SET_READ_MOSTLY || advice > UNSET_ACCESSED_BY))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS && has_device)
        error = check_place(device);
    if (error != CUDA_SUCCESS)
        return error;
    struct memory_item *item = managed(memory_lock(address, bytes), address, bytes);
    if (item)
        advise(item, advice, device);
    memory_unlock();
    return CUDA_SUCCESS;
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice, CUmemLocation location)
{
    const bool has_device = advice == SET_PREFERRED || advice >= SET_ACCESSED_BY;
    CUdevice device = HOST_DEVICE;
    const CUresult error = has_device ? place_of(location, &device) : CUDA_SUCCESS;
    return error == CUDA_SUCCESS ? cuMemAdvise(address, bytes, advice, device) : error;
}

enum { /* CUmem_range_attribute */
       RANGE_READ_MOSTLY = 1,
       RANGE_PREFERRED,
       RANGE_ACCESSED_BY,
       RANGE_LAST_PREFETCH,
       RANGE_PREFERRED_TYPE,
       RANGE_PREFERRED_ID,
       RANGE_LAST_PREFETCH_TYPE,
       RANGE_LAST_PREFETCH_ID
};

static void list_devices(const struct memory_item *item, int *list, size_t room)
{
    size_t at = 0;
    if (item->is_accessed_by_host && at < room)
        list[at++] = HOST_DEVICE;
    for (int device = 0; device < DEVICES_MOST && at < room; device++)
        if (item->accessed_by >> device & 1)
            list[at++] = device;
    while (at < room)
        list[at++] = NO_DEVICE;
}

static int type_of(int device)
{
    return device == NO_DEVICE ? LOCATION_NONE : device == HOST_DEVICE ? LOCATION_HOST : LOCATION_DEVICE;
}

static void tell_range(const struct memory_item *item, int attribute, int *value, size_t bytes)
{
    const bool is_last = attribute == RANGE_LAST_PREFETCH || attribute >= RANGE_LAST_PREFETCH_TYPE;
    const int device = is_last ? item->last_prefetch : item->preferred;
    if (attribute == RANGE_ACCESSED_BY)
        list_devices(item, value, bytes / sizeof *value);
    else if (attribute == RANGE_READ_MOSTLY)
        *value = item->is_read_mostly;
    else if (attribute == RANGE_PREFERRED_TYPE || attribute == RANGE_LAST_PREFETCH_TYPE)
        *value = type_of(device);
    else
        *value = device;
}

CUresult cuMemRangeGetAttribute(void *value, size_t value_bytes, int attribute, CUdeviceptr address,
                                size_t bytes)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS)
        return error;
    if (!value || bytes == 0 || attribute < RANGE_READ_MOSTLY || attribute > RANGE_LAST_PREFETCH_ID ||
        value_bytes == 0 || value_bytes % sizeof(int) != 0 ||
        (attribute != RANGE_ACCESSED_BY && value_bytes != sizeof(int)))
        return CUDA_ERROR_INVALID_VALUE;
    const struct memory_item *item = memory_lock(address, bytes);
    const bool is_managed = item && item->is_managed;
    if (is_managed)
        tell_range(item, attribute, value, value_bytes);
    memory_unlock();
    return is_managed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRangeGetAttributes(void **values, size_t *value_bytes, int *attributes, size_t number,
                                 CUdeviceptr address, size_t bytes)
{
    CUresult error =
        values && value_bytes && attributes && number ? driver_check() : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < number && error == CUDA_SUCCESS; i++)
        error = cuMemRangeGetAttribute(values[i], value_bytes[i], attributes[i], address, bytes);
    return error;
}
