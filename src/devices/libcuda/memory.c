/* Memory of the device.
 *
 * An allocation is a buffer of hexec's. A list of all of them, in order of addresses, tells which one an
 * address is in. Memory that the host reaches, too (host_memory.c), is in the list. */
#include "devices/libcuda/memory.h"

#include "devices/cuda/machine.h"
#include "devices/libcuda/graph_memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory_item *list; /* guarded, as all below, by lock */
static size_t count, room, used_bytes, shared_count;
static uint64_t given; /* how many buffers were in the list, ever */

/* ---- The list ------------------------------------------------------------------------------------------ */

/* With the lock: how many buffers begin at or below the address. */
static size_t count_below(CUdeviceptr address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (hx_buffer_address(list[middle].buffer) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static CUresult add(const struct memory_item *item)
{
    const hx_buffer *buffer = item->buffer;
    CUresult error = CUDA_SUCCESS;
    CUdevice device = 0;
    (void)cuCtxGetDevice(&device);
    pthread_mutex_lock(&lock);
    if (count == room) {
        struct memory_item *grown = realloc(list, (2 * room + 64) * sizeof *list);
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
        list[at] = *item;
        list[at].number = ++given;
        list[at].device = device;
        list[at].preferred = list[at].last_prefetch = NO_DEVICE;
        count++;
        shared_count += item->is_shared;
        used_bytes += hx_buffer_bytes(buffer);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult memory_add(hx_buffer *buffer)
{
    return add(&(const struct memory_item){.buffer = buffer});
}

CUresult memory_add_shared(hx_buffer *buffer, size_t mapped_bytes, bool is_managed)
{
    return add(&(const struct memory_item){
        .buffer = buffer, .mapped_bytes = mapped_bytes, .is_shared = true, .is_managed = is_managed});
}

bool memory_has_host_memory(void)
{
    pthread_mutex_lock(&lock);
    const bool has_some = shared_count > 0;
    pthread_mutex_unlock(&lock);
    return has_some;
}

struct memory_item *memory_lock(CUdeviceptr address, size_t bytes)
{
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    const uint64_t offset = at > 0 ? address - hx_buffer_address(list[at - 1].buffer) : 0;
    return at > 0 && offset < hx_buffer_bytes(list[at - 1].buffer) &&
                   bytes <= hx_buffer_bytes(list[at - 1].buffer) - offset
               ? &list[at - 1]
               : NULL;
}

void memory_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* Takes the buffer that begins at the address from the list; buffer NULL: there is none. */
static struct memory_item take(CUdeviceptr address)
{
    struct memory_item taken = {0};
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    if (at > 0 && hx_buffer_address(list[at - 1].buffer) == address) {
        taken = list[at - 1];
        memmove(&list[at - 1], &list[at], (count - at) * sizeof *list);
        count--;
        shared_count -= taken.is_shared;
        used_bytes -= hx_buffer_bytes(taken.buffer);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

void memory_forget(const hx_buffer *buffer)
{
    (void)take(hx_buffer_address(buffer));
}

/* The buffer that the bytes are in, and from where on; NULL: they are not in one. */
static hx_buffer *buffer_of(CUdeviceptr address, size_t bytes, uint64_t *ret_offset)
{
    hx_buffer *found = NULL;
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    if (at > 0) {
        hx_buffer *buffer = list[at - 1].buffer;
        const uint64_t offset = address - hx_buffer_address(buffer), size = hx_buffer_bytes(buffer);
        if (offset <= size && bytes <= size - offset) {
            found = buffer;
            *ret_offset = offset;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

char *memory_place(CUdeviceptr address, size_t bytes)
{
    char *place = NULL;
    pthread_mutex_lock(&lock);
    size_t at = count_below(address);
    if (at > 0 && address - hx_buffer_address(list[at - 1].buffer) <= hx_buffer_bytes(list[at - 1].buffer))
        place =
            (char *)hx_buffer_data(list[at - 1].buffer) + (address - hx_buffer_address(list[at - 1].buffer));
    while (place && bytes > 0) {
        const size_t left =
            hx_buffer_bytes(list[at - 1].buffer) - (address - hx_buffer_address(list[at - 1].buffer));
        const size_t within = bytes < left ? bytes : left;
        address += within;
        bytes -= within;
        if (bytes > 0 &&
            (at == count || hx_buffer_address(list[at].buffer) != address ||
             hx_buffer_bytes(list[at].buffer) == 0 ||
             (char *)hx_buffer_data(list[at - 1].buffer) + hx_buffer_bytes(list[at - 1].buffer) !=
                 (char *)hx_buffer_data(list[at].buffer)))
            place = NULL;
        at += bytes > 0;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

/* How many of the bytes are in one buffer, *ret_buffer; all of them when they begin in none. */
static size_t piece_of(CUdeviceptr address, size_t bytes, hx_buffer **ret_buffer, uint64_t *ret_offset)
{
    *ret_buffer = buffer_of(address, bytes ? 1 : 0, ret_offset);
    const uint64_t left = *ret_buffer ? hx_buffer_bytes(*ret_buffer) - *ret_offset : bytes;
    return left < bytes ? (size_t)left : bytes;
}

void memory_changed(hx_buffer_change change, CUdeviceptr address, size_t bytes, CUdeviceptr from)
{
    if (!hx_session_has_checks(machine_session()))
        return;
    for (bool has_more = true; has_more;) {
        hx_buffer_event event = {.change = change, .command = machine_doing()};
        hx_buffer *target = NULL, *source = NULL;
        size_t piece = piece_of(address, bytes, &target, &event.offset);
        if (from)
            piece = piece_of(from, piece, &source, &event.from_offset);
        event.buffer = target;
        event.from = source;
        event.bytes = piece;
        if (event.buffer && (event.from || change != HX_BUFFER_COPIED))
            hx_session_changed(machine_session(), machine_device(), &event);
        address += piece;
        from += from ? piece : 0;
        bytes -= piece;
        has_more = bytes > 0;
    }
}

bool memory_has_room(size_t bytes)
{
    size_t total = 0;
    (void)cuDeviceTotalMem_v2(&total, 0);
    pthread_mutex_lock(&lock);
    const bool has_room = used_bytes <= total && bytes <= total - used_bytes;
    pthread_mutex_unlock(&lock);
    return has_room;
}

void memory_take(size_t bytes)
{
    pthread_mutex_lock(&lock);
    used_bytes += bytes;
    pthread_mutex_unlock(&lock);
}

void memory_give_back(size_t bytes)
{
    pthread_mutex_lock(&lock);
    used_bytes -= bytes;
    pthread_mutex_unlock(&lock);
}

/* ---- Allocations --------------------------------------------------------------------------------------- */

void memory_name(char name[MEMORY_NAME_BYTES])
{
    static atomic_ullong made;
    snprintf(name, MEMORY_NAME_BYTES, "allocation %llu", (unsigned long long)atomic_fetch_add(&made, 1) + 1);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes)
{
    char name[MEMORY_NAME_BYTES];
    hx_buffer *buffer = NULL;
    CUresult error = driver_check();
    memory_name(name);
    if (error == CUDA_SUCCESS && (!address || bytes == 0))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS &&
        hx_buffer_new(machine_device(), name, bytes, HX_ACCESS_READWRITE, NULL, &buffer) != HX_OK)
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        error = memory_add(buffer);
    if (error == CUDA_SUCCESS)
        *address = hx_buffer_address(buffer);
    else
        hx_buffer_free(machine_device(), buffer);
    return error;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    const CUresult error = allocate(address, bytes);
    if (error == CUDA_SUCCESS)
        memory_changed(HX_BUFFER_UNWRITTEN, *address, bytes, 0);
    return error;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                            unsigned element)
{
    enum { ROW = 512 };
    size_t bytes = 0;
    if (!pitch || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16) ||
        width > SIZE_MAX - ROW || __builtin_mul_overflow((width + ROW - 1) / ROW * ROW, height, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = cuMemAlloc_v2(address, bytes);
    if (error == CUDA_SUCCESS)
        *pitch = (width + ROW - 1) / ROW * ROW;
    return error;
}

CUresult memory_free(CUdeviceptr address)
{
    const struct memory_item item = take(address);
    void *data = item.mapped_bytes ? hx_buffer_data(item.buffer) : NULL;
    hx_buffer_free(machine_device(), item.buffer);
    if (data)
        (void)munmap(data, item.mapped_bytes);
    if (item.buffer)
        graph_memory_is_back(address);
    return item.buffer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    queue_wait_for_all();
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || address == 0)
        return error;
    if (virtual_has(address))
        return CUDA_ERROR_INVALID_VALUE;
    (void)graph_memory_take(address);
    return memory_free(address);
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
    const hx_buffer *buffer = at > 0 ? list[at - 1].buffer : NULL;
    if (!buffer || address - hx_buffer_address(buffer) >= hx_buffer_bytes(buffer))
        error = CUDA_ERROR_NOT_FOUND;
    if (error == CUDA_SUCCESS && base)
        *base = hx_buffer_address(buffer);
    if (error == CUDA_SUCCESS && bytes)
        *bytes = hx_buffer_bytes(buffer);
    pthread_mutex_unlock(&lock);
    return error;
}
