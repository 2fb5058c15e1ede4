/* Memory that the host and kernels reach at one address: managed, allocated for the host, registered.
 *
 * It is a buffer over a mapping of its own, or over the bytes that the program registers. A kernel that gets
 * another pointer of the host's is stopped, but with HEXEC_UNIFIED=1. */
#include "devices/cuda/machine.h"
#include "devices/libcuda/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* What cuMemHostAlloc gave, and cuMemHostRegister was given. */
struct pinned {
    struct pinned *next;
    char *host;
    size_t bytes;
    unsigned flags;
    bool is_registered;
};
static struct pinned *pinned; /* guarded by lock */

/* A mapping of zeros that is a buffer. Behind it there is room that nobody reaches, for other buffers must
 * lie so far away (hx_buffer_new_shared). What the host writes to it nobody sees: it counts as written. */
static CUresult allocate(CUdeviceptr *address, size_t bytes, bool is_managed)
{
    enum { PAGE = 4096, GAP = (64 << 10) + PAGE };
    char name[MEMORY_NAME_BYTES];
    hx_buffer *buffer = NULL;
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !address || bytes == 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (bytes > SIZE_MAX - GAP - PAGE || !memory_has_room(bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    const size_t held = (bytes + PAGE - 1) / PAGE * PAGE, mapped = held + GAP;
    char *place =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory_name(name);
    error = mprotect(place + held, GAP, PROT_NONE) == 0 &&
                    hx_buffer_new_shared(machine_device(), name, place, bytes, HX_ACCESS_READWRITE, NULL,
                                         &buffer) == HX_OK
                ? memory_add_shared(buffer, mapped, is_managed)
                : CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) {
        *address = hx_buffer_address(buffer);
        return CUDA_SUCCESS;
    }
    hx_buffer_free(machine_device(), buffer);
    (void)munmap(place, mapped);
    return error;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
    return flags == ATTACH_GLOBAL || flags == ATTACH_HOST ? allocate(address, bytes, true)
                                                          : CUDA_ERROR_INVALID_VALUE;
}

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

static CUresult pin(void *host, size_t bytes, unsigned flags, bool is_registered)
{
    struct pinned *made = malloc(sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *made = (struct pinned){pinned, host, bytes, flags, is_registered};
    pinned = made;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* Takes the memory that begins there from the list, and frees it. */
static bool unpin(const void *host, bool is_registered)
{
    struct pinned *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct pinned **at = &pinned; *at && !found; at = &(*at)->next)
        if ((*at)->host == host && (*at)->is_registered == is_registered) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(found);
    return found && memory_free((uintptr_t)host) == CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    enum { KNOWN_FLAGS = 7 }; /* portable, mapped, write-combined */
    CUdeviceptr address = 0;
    if (!host || flags > KNOWN_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = allocate(&address, bytes, false);
    if (error != CUDA_SUCCESS)
        return error;
    error = pin((void *)(uintptr_t)address, bytes, flags, false);
    if (error == CUDA_SUCCESS)
        *host = (void *)(uintptr_t)address;
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
    queue_wait_for_all();
    return host && unpin(host, false) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Registered memory may lie right beside other such memory. */
CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    char name[MEMORY_NAME_BYTES];
    hx_buffer *buffer = NULL;
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !host || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)host)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    memory_name(name);
    if (hx_buffer_new_beside(machine_device(), name, host, bytes, HX_ACCESS_READWRITE, NULL, &buffer) !=
        HX_OK)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    error = memory_add_shared(buffer, 0, false);
    if (error != CUDA_SUCCESS) {
        hx_buffer_free(machine_device(), buffer);
        return error;
    }
    error = pin(host, bytes, flags, true);
    if (error != CUDA_SUCCESS)
        (void)memory_free((uintptr_t)host);
    return error;
}

CUresult cuMemHostUnregister(void *host)
{
    queue_wait_for_all();
    return unpin(host, true) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
    if (!address || flags != 0 || !memory_is_pinned(host))
        return CUDA_ERROR_INVALID_VALUE;
    *address = (uintptr_t)host;
    return CUDA_SUCCESS;
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
