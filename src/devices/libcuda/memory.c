/* Memory of the device: allocations, copies, fills.
 *
 * An allocation is a buffer of hexec's. A list of all of them, in order of addresses, tells which one an
 * address is in. Copies are done at once: a function that may be asynchronous may also be done when it
 * returns. */
#include "devices/libcuda/cuda_driver.h"

#include "devices/cuda/machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hx_buffer **list; /* guarded, as all below, by lock */
static size_t count, room, used_bytes;

/* ---- The list ------------------------------------------------------------------------------------------ */

/* With the lock: how many buffers begin at or below the address. */
static size_t count_below(CUdeviceptr address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (hx_buffer_address(list[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

CUresult memory_add(hx_buffer *buffer)
{
    CUresult error = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (count == room) {
        hx_buffer **grown = realloc(list, (2 * room + 64) * sizeof *list);
        if (grown) {
            list = grown;
            room = 2 * room + 64;
        } else {
            error = CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    if (error == CUDA_SUCCESS) {
        const size_t at = count_below(hx_buffer_address(buffer));
        memmove(&list[at + 1], &list[at], (count - at) * sizeof *list);
        list[at] = buffer;
        count++;
        used_bytes += hx_buffer_bytes(buffer);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* Takes the buffer that begins at the address from the list; NULL: there is none. */
static hx_buffer *take(CUdeviceptr address)
{
    hx_buffer *taken = NULL;
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    if (at > 0 && hx_buffer_address(list[at - 1]) == address) {
        taken = list[at - 1];
        memmove(&list[at - 1], &list[at], (count - at) * sizeof *list);
        count--;
        used_bytes -= hx_buffer_bytes(taken);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

void memory_forget(const hx_buffer *buffer)
{
    (void)take(hx_buffer_address(buffer));
}

/* The host's place of bytes of the device; NULL when they are not in one buffer. */
static char *place_of(CUdeviceptr address, size_t bytes)
{
    char *place = NULL;
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    if (at > 0) {
        hx_buffer *buffer = list[at - 1];
        const uint64_t offset = address - hx_buffer_address(buffer), size = hx_buffer_bytes(buffer);
        if (offset <= size && bytes <= size - offset)
            place = (char *)hx_buffer_data(buffer) + offset;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

/* ---- Allocations --------------------------------------------------------------------------------------- */

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    hx_buffer *buffer = NULL;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && (!address || bytes == 0))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS &&
        hx_buffer_new(machine_device(), NULL, bytes, HX_ACCESS_READWRITE, NULL, &buffer) != HX_OK)
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        error = memory_add(buffer);
    if (error == CUDA_SUCCESS)
        *address = hx_buffer_address(buffer);
    else
        hx_buffer_free(machine_device(), buffer);
    return error;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    (void)stream;
    return cuMemAlloc_v2(address, bytes);
}

/* Memory that host and device reach at one address there is on a unified device alone. */
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    (void)flags;
    const char *unified = getenv("HEXEC_UNIFIED");
    return unified && strcmp(unified, "1") == 0 ? cuMemAlloc_v2(address, bytes) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || address == 0)
        return error;
    hx_buffer *buffer = take(address);
    hx_buffer_free(machine_device(), buffer);
    return buffer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    (void)stream;
    return cuMemFree_v2(address);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !free_bytes || !total)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    (void)cuDeviceTotalMem_v2(total, 0);
    pthread_mutex_lock(&lock);
    *free_bytes = used_bytes < *total ? *total - used_bytes : 0;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    const hx_buffer *buffer = at > 0 ? list[at - 1] : NULL;
    if (!buffer || address - hx_buffer_address(buffer) >= hx_buffer_bytes(buffer))
        error = CUDA_ERROR_NOT_FOUND;
    if (error == CUDA_SUCCESS && base)
        *base = hx_buffer_address(buffer);
    if (error == CUDA_SUCCESS && bytes)
        *bytes = hx_buffer_bytes(buffer);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    (void)flags;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !host || bytes == 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    void *made = calloc(1, bytes);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *host = made;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **host, size_t bytes)
{
    return cuMemHostAlloc(host, bytes, 0);
}

CUresult cuMemFreeHost(void *host)
{
    if (!host)
        return CUDA_ERROR_INVALID_VALUE;
    free(host);
    return CUDA_SUCCESS;
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static CUresult copy(void *to, const void *from, size_t bytes, const char *direction)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || bytes == 0)
        return error;
    if (!to || !from)
        return CUDA_ERROR_INVALID_VALUE;
    const uint64_t start = now_ns();
    memmove(to, from, bytes);
    hx_session_transferred(machine_session(), direction, bytes, now_ns() - start);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy(place_of(to, bytes), from, bytes, "H2D");
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    return copy(to, place_of(from, bytes), bytes, "D2H");
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy(place_of(to, bytes), place_of(from, bytes), bytes, "D2D");
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, bytes);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, bytes);
}

/* `elements` of `size` bytes. */
static CUresult fill(CUdeviceptr to, const void *element, size_t size, size_t elements)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || elements == 0)
        return error;
    char *place = elements <= SIZE_MAX / size ? place_of(to, elements * size) : NULL;
    if (!place || to % size != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < elements; i++)
        memcpy(place + i * size, element, size);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t elements)
{
    return fill(to, &value, sizeof value, elements);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t elements)
{
    return fill(to, &value, sizeof value, elements);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t elements)
{
    return fill(to, &value, sizeof value, elements);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t elements, CUstream stream)
{
    (void)stream;
    return fill(to, &value, sizeof value, elements);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t elements, CUstream stream)
{
    (void)stream;
    return fill(to, &value, sizeof value, elements);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t elements, CUstream stream)
{
    (void)stream;
    return fill(to, &value, sizeof value, elements);
}
