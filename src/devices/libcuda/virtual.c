/* Addresses and memory apart (virtual memory management): a program reserves addresses, makes shares of
 * memory, maps these where it likes, and says who may reach them.
 *
 * All memory is one file without a name, of which a share is a range that is used once: its pages go back to
 * the system when neither a handle nor a mapping has it any more. Reserved addresses are the host's. A
 * mapping that can be reached is a buffer there, one for each, so that mappings side by side are one array
 * for kernels and copies, and two mappings of a share have the same bytes. */
#include "devices/libcuda/work.h"

#include "devices/calls/calls.h"
#include "devices/cuda/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULE ((size_t)2 << 20)
#define GAP     ((size_t)128 << 10) /* before and behind reserved addresses: no other buffer is near */

enum { PINNED = 1, ON_DEVICE = 1 };                      /* CUmemAllocationType, CUmemLocationType */
enum { NO_ACCESS = 0, READ_ACCESS = 1, ALL_ACCESS = 3 }; /* CUmemAccess_flags */

struct share {
    struct share *next;
    CUmemAllocationProp is;
    off_t at; /* in the file */
    size_t bytes;
    unsigned handles, mappings;
    bool was_reached; /* something may be written there */
};
struct reservation {
    struct reservation *next;
    char *range, *place; /* what the system gave; what the program has of it */
    size_t range_bytes, bytes;
};
struct mapping {
    struct mapping *next;
    CUdeviceptr address;
    size_t bytes;
    struct share *share;
    hx_buffer *buffer;                  /* NULL: nobody may reach it */
    unsigned char access[DEVICES_MOST]; /* CUmemAccess_flags of each device */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct share *shares; /* guarded, as all below, by lock */
static struct reservation *reservations;
static struct mapping *mappings; /* in ascending order of addresses */
static int file = -1;
static off_t file_end;

/* Calls need a driver, and no context. */
static CUresult check(void)
{
    const CUresult error = driver_check();
    return error == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : error;
}

static bool is_whole(uint64_t number)
{
    return number > 0 && number % GRANULE == 0;
}

/* Memory of a device that kernels reach: other places, and ways to share it with other processes, are not
 * there. */
static CUresult check_wanted(const CUmemAllocationProp *wanted)
{
    CUdevice device;
    if (!wanted || wanted->type != PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (wanted->location.type != ON_DEVICE || wanted->requestedHandleTypes != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuDeviceGet(&device, wanted->location.id);
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *wanted, int which)
{
    CUresult error = check();
    if (error == CUDA_SUCCESS && (!bytes || which < 0 || which > 1))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = check_wanted(wanted);
    if (error == CUDA_SUCCESS)
        *bytes = GRANULE;
    return error;
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,
                             uint64_t flags)
{
    const CUresult error = check();
    const size_t unit = alignment > GRANULE ? alignment : GRANULE;
    size_t total = 0;
    if (error != CUDA_SUCCESS)
        return error;
    if (!address || !is_whole(bytes) || (alignment & (alignment - 1)) != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *made = calloc(1, sizeof *made);
    if (!made || __builtin_add_overflow(bytes, unit, &total) ||
        __builtin_add_overflow(total, 2 * GAP, &total)) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    void *wish = hint > GAP && hint % unit == 0 ? (void *)(uintptr_t)(hint - GAP) : NULL;
    made->range = mmap(wish, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->range == MAP_FAILED) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->place = made->range + GAP;
    made->place += -(uintptr_t)made->place % unit;
    made->range_bytes = total;
    made->bytes = bytes;
    pthread_mutex_lock(&lock);
    made->next = reservations;
    reservations = made;
    pthread_mutex_unlock(&lock);
    *address = (uintptr_t)made->place;
    return CUDA_SUCCESS;
}

/* With the lock, as those below: the first mapping with an address at or behind this one. */
static struct mapping *mapping_at(CUdeviceptr address)
{
    struct mapping *at = mappings;
    while (at && at->address + at->bytes <= address)
        at = at->next;
    return at;
}

static bool has_mapping(CUdeviceptr address, size_t bytes)
{
    const struct mapping *at = mapping_at(address);
    return at && at->address < address + bytes;
}

static const struct reservation *reservation_of(CUdeviceptr address, size_t bytes)
{
    const struct reservation *at = reservations;
    while (at && (address < (uintptr_t)at->place || address - (uintptr_t)at->place > at->bytes ||
                  bytes > at->bytes - (address - (uintptr_t)at->place)))
        at = at->next;
    return at;
}

/* Whole mappings one behind the other from the first address to the last. */
static bool is_covered(CUdeviceptr address, size_t bytes)
{
    const struct mapping *at = mapping_at(address);
    const CUdeviceptr end = address + bytes;
    while (at && at->address == address && address < end) {
        address += at->bytes;
        at = at->next;
    }
    return address == end;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    const CUresult error = check();
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    struct reservation **at = &reservations, *found = NULL;
    while (*at && (uintptr_t)(*at)->place != address)
        at = &(*at)->next;
    if (*at && (*at)->bytes == bytes && !has_mapping(address, bytes)) {
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return CUDA_ERROR_INVALID_VALUE;
    (void)munmap(found->range, found->range_bytes);
    free(found);
    return CUDA_SUCCESS;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* With the lock, as those below. NULL: there is none, or not any more. */
static struct share *share_of(CUmemGenericAllocationHandle handle)
{
    struct share *at = shares;
    while (at && ((uintptr_t)at != handle || at->handles == 0))
        at = at->next;
    return at;
}

static void drop_if_unused(struct share *share)
{
    if (share->handles > 0 || share->mappings > 0)
        return;
    struct share **at = &shares;
    while (*at != share)
        at = &(*at)->next;
    *at = share->next;
    (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, share->at, (off_t)share->bytes);
    memory_give_back(share->bytes);
    free(share);
}

/* So many more bytes of the file. */
static bool extend(size_t bytes, off_t *ret_at)
{
    off_t end = 0;
    if (file < 0)
        file = memfd_create("hexec memory", MFD_CLOEXEC);
    if (file < 0 || __builtin_add_overflow(file_end, bytes, &end) || ftruncate(file, end) != 0)
        return false;
    *ret_at = file_end;
    file_end = end;
    return true;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *wanted,
                     uint64_t flags)
{
    CUresult error = check();
    if (error == CUDA_SUCCESS && (!handle || !is_whole(bytes) || flags != 0))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = check_wanted(wanted);
    if (error != CUDA_SUCCESS)
        return error;
    struct share *made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->is = *wanted;
    made->bytes = bytes;
    made->handles = 1;
    pthread_mutex_lock(&lock);
    const bool is_there = memory_has_room(bytes) && extend(bytes, &made->at);
    if (is_there) {
        memory_take(bytes);
        made->next = shares;
        shares = made;
    }
    pthread_mutex_unlock(&lock);
    if (!is_there) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = (uintptr_t)made;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult error = check();
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    struct share *share = share_of(handle);
    if (share) {
        share->handles--;
        drop_if_unused(share);
    } else {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *is, CUmemGenericAllocationHandle handle)
{
    const CUresult error = check();
    if (error != CUDA_SUCCESS || !is)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const struct share *share = share_of(handle);
    if (share)
        *is = share->is;
    pthread_mutex_unlock(&lock);
    return share ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Another handle of what is mapped there, to be released like the first, which may be gone. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    const CUdeviceptr wanted = (uintptr_t)address;
    const CUresult error = check();
    if (error != CUDA_SUCCESS || !handle)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    struct mapping *at = mapping_at(wanted);
    const bool is_there = at && at->address <= wanted;
    if (is_there) {
        at->share->handles++;
        *handle = (uintptr_t)at->share;
    }
    pthread_mutex_unlock(&lock);
    return is_there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle, int type,
                                      uint64_t flags)
{
    (void)handle, (void)type;
    const CUresult error = check();
    return error != CUDA_SUCCESS ? error
           : shared && !flags    ? CUDA_ERROR_NOT_SUPPORTED
                                 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared, int type)
{
    (void)shared, (void)type;
    const CUresult error = check();
    return error != CUDA_SUCCESS ? error : handle ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Mappings ------------------------------------------------------------------------------------------ */

bool virtual_has(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    const bool is_there = has_mapping(address, 1);
    pthread_mutex_unlock(&lock);
    return is_there;
}

/* With the lock, as those below. */
static CUresult map(CUdeviceptr address, size_t bytes, struct share *share)
{
    if (!share || bytes > share->bytes || !reservation_of(address, bytes) || has_mapping(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct mapping *made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (mmap((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file, share->at) ==
        MAP_FAILED) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->address = address;
    made->bytes = bytes;
    made->share = share;
    share->mappings++;
    struct mapping **at = &mappings;
    while (*at && (*at)->address < address)
        at = &(*at)->next;
    made->next = *at;
    *at = made;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  uint64_t flags)
{
    CUresult error = check();
    if (error != CUDA_SUCCESS)
        return error;
    if (!is_whole(address) || !is_whole(bytes) || offset != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    error = map(address, bytes, share_of(handle));
    pthread_mutex_unlock(&lock);
    return error;
}

/* Nobody reaches it any more. */
static void close_mapping(struct mapping *mapping)
{
    if (!mapping->buffer)
        return;
    memory_forget(mapping->buffer);
    memory_take(hx_buffer_bytes(mapping->buffer)); /* its share counts */
    hx_buffer_free(machine_device(), mapping->buffer);
    mapping->buffer = NULL;
    (void)mprotect((void *)(uintptr_t)mapping->address, mapping->bytes, PROT_NONE);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    CUresult error = check();
    if (error != CUDA_SUCCESS)
        return error;
    queue_wait_for_all();
    pthread_mutex_lock(&lock);
    const bool is_there = is_whole(address) && is_whole(bytes) && is_covered(address, bytes);
    struct mapping **at = &mappings;
    while (is_there && *at && (*at)->address < address + bytes) {
        struct mapping *mapping = *at;
        if (mapping->address < address) {
            at = &mapping->next;
            continue;
        }
        close_mapping(mapping);
        (void)mmap((void *)(uintptr_t)mapping->address, mapping->bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *at = mapping->next;
        mapping->share->mappings--;
        drop_if_unused(mapping->share);
        free(mapping);
    }
    pthread_mutex_unlock(&lock);
    return is_there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Access -------------------------------------------------------------------------------------------- */

/* Devices share their memory: what one may do with a mapping, kernels may. */
static unsigned access_of(const unsigned char *access)
{
    unsigned all = NO_ACCESS;
    for (size_t i = 0; i < DEVICES_MOST; i++)
        all |= access[i];
    return all;
}

static CUresult open_mapping(struct mapping *mapping, unsigned access)
{
    static unsigned long long made; /* guarded by lock */
    void *place = (void *)(uintptr_t)mapping->address;
    hx_buffer *buffer = NULL;
    char name[32];
    snprintf(name, sizeof name, "mapping %llu", ++made);
    if (mprotect(place, mapping->bytes, PROT_READ | PROT_WRITE) != 0 ||
        hx_buffer_new_beside(machine_device(), name, place, mapping->bytes,
                             access == READ_ACCESS ? HX_ACCESS_READ : HX_ACCESS_READWRITE, NULL,
                             &buffer) != HX_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (memory_add(buffer) != CUDA_SUCCESS) {
        hx_buffer_free(machine_device(), buffer);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory_give_back(mapping->bytes); /* its share counts */
    mapping->buffer = buffer;
    if (!mapping->share->was_reached)
        memory_changed(HX_BUFFER_UNWRITTEN, mapping->address, mapping->bytes, 0);
    mapping->share->was_reached = true;
    return CUDA_SUCCESS;
}

static void change_access(unsigned char *access, const CUmemAccessDesc *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        access[list[i].location.id] = (unsigned char)list[i].flags;
}

static CUresult set_access(struct mapping *mapping, const CUmemAccessDesc *list, size_t count)
{
    unsigned char access[DEVICES_MOST];
    memcpy(access, mapping->access, sizeof access);
    change_access(access, list, count);
    const unsigned old = access_of(mapping->access), wanted = access_of(access);
    CUresult error = CUDA_SUCCESS;
    if (old != wanted)
        close_mapping(mapping);
    if (old != wanted && wanted != NO_ACCESS)
        error = open_mapping(mapping, wanted);
    if (error == CUDA_SUCCESS) {
        memcpy(mapping->access, access, sizeof access);
    } else { /* nobody has any */
        memset(mapping->access, NO_ACCESS, sizeof mapping->access);
        (void)mprotect((void *)(uintptr_t)mapping->address, mapping->bytes, PROT_NONE);
    }
    return error;
}

static CUresult check_list(const CUmemAccessDesc *list, size_t count)
{
    CUdevice device;
    CUresult error = list && count > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        const int flags = list[i].flags;
        if (flags != NO_ACCESS && flags != READ_ACCESS && flags != ALL_ACCESS)
            error = CUDA_ERROR_INVALID_VALUE;
        else if (list[i].location.type != ON_DEVICE)
            error = CUDA_ERROR_NOT_SUPPORTED;
        else
            error = cuDeviceGet(&device, list[i].location.id);
    }
    return error;
}

/* With the lock: is there a mapping of these whose buffer has to go? */
static bool has_open(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count)
{
    for (const struct mapping *at = mapping_at(address); at && at->address < address + bytes; at = at->next) {
        unsigned char access[DEVICES_MOST];
        memcpy(access, at->access, sizeof access);
        change_access(access, list, count);
        if (at->buffer && access_of(access) != access_of(at->access))
            return true;
    }
    return false;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count)
{
    CUresult error = check();
    if (error == CUDA_SUCCESS)
        error = check_list(list, count);
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    const bool has_to_wait = has_open(address, bytes, list, count);
    pthread_mutex_unlock(&lock);
    if (has_to_wait)
        queue_wait_for_all();
    pthread_mutex_lock(&lock);
    if (!is_whole(address) || !is_whole(bytes) || !is_covered(address, bytes))
        error = CUDA_ERROR_INVALID_VALUE;
    for (struct mapping *at = mapping_at(address);
         error == CUDA_SUCCESS && at && at->address < address + bytes; at = at->next)
        error = set_access(at, list, count);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuMemGetAccess(uint64_t *flags, const CUmemLocation *location, CUdeviceptr address)
{
    CUdevice device;
    CUresult error = check();
    if (error == CUDA_SUCCESS && (!flags || !location))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS && location->type != ON_DEVICE)
        error = CUDA_ERROR_NOT_SUPPORTED;
    if (error == CUDA_SUCCESS)
        error = cuDeviceGet(&device, location->id);
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    const struct mapping *at = mapping_at(address);
    if (at && at->address <= address)
        *flags = at->access[location->id];
    else
        error = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&lock);
    return error;
}
