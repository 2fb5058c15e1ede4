/* Memory of the device, and memory of the host that stays where it is.
 *
 * An allocation is a buffer of hexec's. A list of all of them, in order of addresses, tells which one an
 * address is in. Memory that cuMemHostAlloc gives is a buffer, too, whose bytes the host has a pointer to. */
#include "devices/libcuda/memory.h"

#include "devices/cuda/machine.h"
#include "devices/libcuda/graph_memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory_item *list; /* guarded, as all below, by lock */
static size_t count, room, used_bytes;
static uint64_t given; /* how many buffers were in the list, ever */
/* Memory of the host that cuMemHostAlloc gave, or cuMemHostRegister was given. */
struct pinned {
    struct pinned *next;
    char *host;
    size_t bytes;
    unsigned flags;
    hx_buffer *buffer; /* NULL: it was registered */
};
static struct pinned *pinned; /* guarded by lock */

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

CUresult memory_add(hx_buffer *buffer)
{
    CUresult error = CUDA_SUCCESS;
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
        list[at] = (struct memory_item){
            .buffer = buffer, .number = ++given, .preferred = NO_DEVICE, .last_prefetch = NO_DEVICE};
        count++;
        used_bytes += hx_buffer_bytes(buffer);
    }
    pthread_mutex_unlock(&lock);
    return error;
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

/* Takes the buffer that begins at the address from the list; NULL: there is none. */
static hx_buffer *take(CUdeviceptr address)
{
    hx_buffer *taken = NULL;
    pthread_mutex_lock(&lock);
    const size_t at = count_below(address);
    if (at > 0 && hx_buffer_address(list[at - 1].buffer) == address) {
        taken = list[at - 1].buffer;
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

static CUresult allocate(CUdeviceptr *address, size_t bytes)
{
    static atomic_ullong made;
    char name[32];
    hx_buffer *buffer = NULL;
    CUresult error = driver_check();
    snprintf(name, sizeof name, "allocation %llu", (unsigned long long)atomic_fetch_add(&made, 1) + 1);
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

/* Memory that host and device reach at one address there is on a unified device alone. What the host writes
 * to it nobody sees: it counts as written. */
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    (void)flags;
    const CUresult error = device_is_unified() ? allocate(address, bytes) : CUDA_ERROR_NOT_SUPPORTED;
    if (error == CUDA_SUCCESS) {
        memory_lock(*address, bytes)->is_managed = true;
        memory_unlock();
    }
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
    hx_buffer *buffer = take(address);
    hx_buffer_free(machine_device(), buffer);
    if (buffer)
        graph_memory_is_back(address);
    return buffer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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

/* ---- Memory of the host -------------------------------------------------------------------------------- */

/* With the lock: the memory that the address is in; NULL: it is in none. */
static struct pinned *pinned_of(const void *host)
{
    for (struct pinned *at = pinned; at; at = at->next)
        if ((const char *)host >= at->host && (const char *)host < at->host + at->bytes)
            return at;
    return NULL;
}

bool memory_is_pinned(const void *host)
{
    pthread_mutex_lock(&lock);
    const bool is_pinned = pinned_of(host) != NULL;
    pthread_mutex_unlock(&lock);
    return is_pinned;
}

bool memory_has_host_memory(void)
{
    bool has_some = false;
    pthread_mutex_lock(&lock);
    for (const struct pinned *at = pinned; at && !has_some; at = at->next)
        has_some = at->buffer != NULL;
    pthread_mutex_unlock(&lock);
    return has_some;
}

static CUresult pin(char *host, size_t bytes, unsigned flags, hx_buffer *buffer)
{
    struct pinned *made = malloc(sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    const bool is_known = pinned_of(host) != NULL;
    if (!is_known) {
        *made = (struct pinned){pinned, host, bytes, flags, buffer};
        pinned = made;
    }
    pthread_mutex_unlock(&lock);
    if (is_known)
        free(made);
    return is_known ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_SUCCESS;
}

/* Takes the memory that begins there from the list; *ret_buffer is what it is. */
static bool unpin(const void *host, bool was_allocated, hx_buffer **ret_buffer)
{
    struct pinned *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct pinned **at = &pinned; *at && !found; at = &(*at)->next)
        if ((*at)->host == host && ((*at)->buffer != NULL) == was_allocated) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    *ret_buffer = found ? found->buffer : NULL;
    free(found);
    return found != NULL;
}

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    enum { KNOWN_FLAGS = 7 }; /* portable, mapped, write-combined */
    CUdeviceptr address = 0;
    if (!host || flags > KNOWN_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuMemAlloc_v2(&address, bytes);
    if (error != CUDA_SUCCESS)
        return error;
    char *place = memory_place(address, bytes);
    pthread_mutex_lock(&lock);
    hx_buffer *buffer = list[count_below(address) - 1].buffer;
    pthread_mutex_unlock(&lock);
    error = pin(place, bytes, flags, buffer);
    if (error == CUDA_SUCCESS)
        *host = place;
    else
        (void)memory_free(address);
    return error;
}

CUresult cuMemAllocHost_v2(void **host, size_t bytes)
{
    return cuMemHostAlloc(host, bytes, 0);
}

CUresult cuMemFreeHost(void *host)
{
    hx_buffer *buffer = NULL;
    queue_wait_for_all();
    if (!host || !unpin(host, true, &buffer))
        return CUDA_ERROR_INVALID_VALUE;
    return memory_free(hx_buffer_address(buffer));
}

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !host || bytes == 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    return pin(host, bytes, flags, NULL);
}

CUresult cuMemHostUnregister(void *host)
{
    hx_buffer *buffer = NULL;
    queue_wait_for_all();
    return unpin(host, false, &buffer) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

/* The device has addresses of its own: it reaches memory of the host that was allocated for it, and all
 * memory when it is unified. */
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
    if (!address || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const struct pinned *at = pinned_of(host);
    CUresult error = at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (at && at->buffer)
        *address = hx_buffer_address(at->buffer) + (uint64_t)((char *)host - at->host);
    else if (at && device_is_unified())
        *address = (uintptr_t)host;
    else if (at)
        error = CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    pthread_mutex_lock(&lock);
    const struct pinned *at = flags ? pinned_of(host) : NULL;
    if (at)
        *flags = at->flags;
    pthread_mutex_unlock(&lock);
    return at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
