/* Memory that nodes of graphs allocate, and free.
 *
 * Its addresses are known when the node is made, and stay: they are the host's, of a range that nothing else
 * is in. While it is allocated it is a buffer there; before and behind that no byte can be reached, so that a
 * kernel that uses it is stopped. */
#include "devices/libcuda/graph_memory.h"

#include "devices/cuda/machine.h"
#include "devices/libcuda/graph.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define GAP  ((size_t)128 << 10) /* before and behind: no other buffer is near */

struct graph_memory {
    struct graph_memory *next;
    char *range, *place; /* what is mapped; where the memory begins */
    size_t bytes, range_bytes, page_bytes;
    CUgraph graph; /* whose node allocates it; only compared */
    unsigned users;
    hx_buffer *buffer; /* NULL: it is not there now */
    bool is_due;       /* it is allocated when all that was given is done */
    bool is_open;      /* an executable graph has it */
    bool has_pages;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph_memory *all; /* guarded, as all below, by lock */
static size_t used, used_most, reserved, reserved_most;

static CUdeviceptr begin_of(const struct graph_memory *memory)
{
    return (uintptr_t)memory->place;
}

/* With the lock, as those below. */
static struct graph_memory *find(CUdeviceptr address, size_t bytes)
{
    for (struct graph_memory *at = all; at; at = at->next)
        if (address >= begin_of(at) && address - begin_of(at) <= at->bytes &&
            bytes <= at->bytes - (address - begin_of(at)))
            return at;
    return NULL;
}

static struct graph_memory *find_begin(CUdeviceptr address)
{
    struct graph_memory *at = all;
    while (at && begin_of(at) != address)
        at = at->next;
    return at;
}

static void drop_if_unused(struct graph_memory *memory)
{
    if (memory->users > 0 || memory->buffer)
        return;
    struct graph_memory **at = &all;
    while (*at != memory)
        at = &(*at)->next;
    *at = memory->next;
    reserved -= memory->has_pages ? memory->page_bytes : 0;
    (void)munmap(memory->range, memory->range_bytes);
    free(memory);
}

/* ---- One allocation ------------------------------------------------------------------------------------ */

CUresult graph_memory_new(size_t bytes, struct graph_memory **ret_memory)
{
    size_t total = 0;
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_add_overflow(bytes, 2 * GAP + PAGE, &total))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct graph_memory *made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->range_bytes = total / PAGE * PAGE;
    made->range =
        mmap(NULL, made->range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->range == MAP_FAILED) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->place = made->range + GAP;
    made->bytes = bytes;
    made->page_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    made->users = 1;
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&lock);
    *ret_memory = made;
    return CUDA_SUCCESS;
}

void graph_memory_keep(struct graph_memory *memory)
{
    pthread_mutex_lock(&lock);
    memory->users++;
    pthread_mutex_unlock(&lock);
}

void graph_memory_release(struct graph_memory *memory)
{
    pthread_mutex_lock(&lock);
    memory->users--;
    drop_if_unused(memory);
    pthread_mutex_unlock(&lock);
}

CUdeviceptr graph_memory_address(const struct graph_memory *memory)
{
    return begin_of(memory);
}

size_t graph_memory_bytes(const struct graph_memory *memory)
{
    return memory->bytes;
}

void graph_memory_be_of(struct graph_memory *memory, CUgraph graph)
{
    memory->graph = graph;
}

bool graph_memory_begins_at(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    const bool is_one = find_begin(address) != NULL;
    pthread_mutex_unlock(&lock);
    return is_one;
}

bool graph_memory_has(CUdeviceptr address, size_t bytes)
{
    pthread_mutex_lock(&lock);
    const bool is_one = find(address, bytes) != NULL;
    pthread_mutex_unlock(&lock);
    return is_one;
}

bool graph_memory_range(CUdeviceptr address, CUdeviceptr *ret_begin, size_t *ret_bytes)
{
    pthread_mutex_lock(&lock);
    const struct graph_memory *memory = find(address, 1);
    if (memory) {
        *ret_begin = begin_of(memory);
        *ret_bytes = memory->bytes;
    }
    pthread_mutex_unlock(&lock);
    return memory != NULL;
}

CUresult graph_memory_run(struct graph_memory *memory)
{
    hx_buffer *buffer = NULL;
    if (mprotect(memory->place, memory->page_bytes, PROT_READ | PROT_WRITE) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (hx_buffer_new_shared(machine_device(), "memory of a graph", memory->place, memory->bytes,
                             HX_ACCESS_READWRITE, NULL, &buffer) != HX_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult error = memory_add(buffer);
    if (error != CUDA_SUCCESS) {
        hx_buffer_free(machine_device(), buffer);
        return error;
    }
    pthread_mutex_lock(&lock);
    memory->buffer = buffer;
    used += memory->bytes;
    used_most = used > used_most ? used : used_most;
    reserved += memory->has_pages ? 0 : memory->page_bytes;
    reserved_most = reserved > reserved_most ? reserved : reserved_most;
    memory->has_pages = true;
    pthread_mutex_unlock(&lock);
    memory_changed(HX_BUFFER_UNWRITTEN, begin_of(memory), memory->bytes, 0);
    return CUDA_SUCCESS;
}

void graph_memory_is_back(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    struct graph_memory *memory = find_begin(address);
    if (memory && memory->buffer) {
        memory->buffer = NULL;
        used -= memory->bytes;
        (void)mprotect(memory->place, memory->page_bytes, PROT_NONE);
        drop_if_unused(memory);
    }
    pthread_mutex_unlock(&lock);
}

bool graph_memory_take(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    struct graph_memory *memory = find_begin(address);
    const bool was_due = memory && memory->is_due;
    if (was_due)
        memory->is_due = false;
    pthread_mutex_unlock(&lock);
    return was_due;
}

/* ---- Executable graphs --------------------------------------------------------------------------------- */

static bool is_allocated_before(const struct work *list, size_t end, const struct graph_memory *memory)
{
    for (size_t i = 0; i < end; i++)
        if (list->as.list.items[i].kind == WORK_ALLOC && list->as.list.items[i].as.memory == memory)
            return true;
    return false;
}

CUresult graph_memory_open(const struct work *list)
{
    CUresult error = CUDA_SUCCESS;
    CUgraph graph = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list->as.list.count; i++)
        if (list->as.list.items[i].kind == WORK_ALLOC) {
            graph = list->as.list.items[i].as.memory->graph;
            error = list->as.list.items[i].as.memory->is_open ? CUDA_ERROR_NOT_SUPPORTED : error;
        }
    for (size_t i = 0; i < list->as.list.count && error == CUDA_SUCCESS; i++) {
        const struct work *item = &list->as.list.items[i];
        const struct graph_memory *memory =
            item->kind == WORK_FREE ? find_begin(item->as.value.address) : NULL;
        if (memory && memory->graph == graph && graph && !is_allocated_before(list, i, memory))
            error = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < list->as.list.count && error == CUDA_SUCCESS; i++)
        if (list->as.list.items[i].kind == WORK_ALLOC)
            list->as.list.items[i].as.memory->is_open = true;
    pthread_mutex_unlock(&lock);
    return error;
}

void graph_memory_close(const struct work *list)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list->as.list.count; i++)
        if (list->as.list.items[i].kind == WORK_ALLOC)
            list->as.list.items[i].as.memory->is_open = false;
    pthread_mutex_unlock(&lock);
}

/* With the lock: can the items be done one by one? What is there may be freed before all of them. */
static bool fits(const struct work *list, bool may_free)
{
    for (size_t i = 0; i < list->as.list.count; i++) {
        const struct work *item = &list->as.list.items[i];
        if (item->kind == WORK_ALLOC && item->as.memory->is_due && !may_free)
            return false;
        if (item->kind != WORK_FREE)
            continue;
        const struct graph_memory *memory = find_begin(item->as.value.address);
        if (!memory || (!memory->is_due && !is_allocated_before(list, i, memory)))
            return false;
    }
    return true;
}

static CUresult free_what_is_there(const struct work *list, CUstream stream)
{
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0; i < list->as.list.count && error == CUDA_SUCCESS; i++) {
        const struct work *item = &list->as.list.items[i];
        const CUdeviceptr address = item->kind == WORK_ALLOC ? begin_of(item->as.memory) : 0;
        const struct work away = {.kind = WORK_FREE, .as.value = {.address = address}};
        if (address && graph_memory_take(address))
            error = stream_give(stream, &away);
    }
    return error;
}

CUresult graph_memory_launch(const struct work *list, bool may_free, CUstream stream)
{
    pthread_mutex_lock(&lock);
    const bool is_good = fits(list, may_free);
    pthread_mutex_unlock(&lock);
    const CUresult error = !is_good   ? CUDA_ERROR_INVALID_VALUE
                           : may_free ? free_what_is_there(list, stream)
                                      : CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list->as.list.count && error == CUDA_SUCCESS; i++) {
        const struct work *item = &list->as.list.items[i];
        if (item->kind == WORK_ALLOC)
            item->as.memory->is_due = true;
        if (item->kind == WORK_FREE)
            find_begin(item->as.value.address)->is_due = false;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    enum { PINNED = 1, ON_DEVICE = 1 };
    CUdevice device;
    struct graph_memory *memory = NULL;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS &&
        (!params || params->poolProps.allocType != PINNED || params->poolProps.handleTypes != 0 ||
         params->poolProps.location.type != ON_DEVICE ||
         cuDeviceGet(&device, params->poolProps.location.id) != CUDA_SUCCESS ||
         (params->accessDescCount > 0 && !params->accessDescs)))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = graph_memory_new(params->bytesize, &memory);
    if (error != CUDA_SUCCESS)
        return error;
    const struct work work = {.kind = WORK_ALLOC, .as.memory = memory};
    error = graph_add(graph, list, count, &work, node);
    if (error == CUDA_SUCCESS)
        params->dptr = begin_of(memory);
    graph_memory_release(memory);
    return error;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    if (!node || !params || node->work.kind != WORK_ALLOC)
        return CUDA_ERROR_INVALID_VALUE;
    *params = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = {.allocType = 1, .location = {1, 0}},
                                           .bytesize = node->work.as.memory->bytes,
                                           .dptr = begin_of(node->work.as.memory)};
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                               CUdeviceptr address)
{
    const struct work work = {.kind = WORK_FREE, .as.value = {.address = address}};
    const CUresult error = driver_check();
    return error == CUDA_SUCCESS ? graph_add(graph, list, count, &work, node) : error;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    if (!node || !address || node->work.kind != WORK_FREE)
        return CUDA_ERROR_INVALID_VALUE;
    *address = node->work.as.value.address;
    return CUDA_SUCCESS;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

enum { GRAPH_USED, GRAPH_USED_MOST, GRAPH_RESERVED, GRAPH_RESERVED_MOST };

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS || !value || attribute < GRAPH_USED || attribute > GRAPH_RESERVED_MOST)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const uint64_t values[] = {used, used_most, reserved, reserved_most};
    pthread_mutex_unlock(&lock);
    memcpy(value, &values[attribute], sizeof *values);
    return CUDA_SUCCESS;
}

/* The greatest values can be set to 0, from which they begin again at those of now. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CUdevice known;
    uint64_t wanted = 0;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS || !value || (attribute != GRAPH_USED_MOST && attribute != GRAPH_RESERVED_MOST))
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    memcpy(&wanted, value, sizeof wanted);
    if (wanted != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (attribute == GRAPH_USED_MOST)
        used_most = used;
    else
        reserved_most = reserved;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* Pages of what is not allocated go back to the system. */
CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    for (struct graph_memory *at = all; at; at = at->next)
        if (!at->buffer && at->has_pages) {
            (void)madvise(at->place, at->page_bytes, MADV_DONTNEED);
            at->has_pages = false;
            reserved -= at->page_bytes;
        }
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}
