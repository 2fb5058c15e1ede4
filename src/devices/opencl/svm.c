/* Shared virtual memory: what clSVMAlloc gives is a buffer whose address is that of its bytes on the host.
 *
 * Host and kernels use the same bytes, so that all of it is fine-grained, and mapping copies nothing; it says
 * what the host reads and writes to the checkers. Every kernel reaches all memory that is there.
 */
#include "devices/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_ALIGNMENT 128                  /* of long16 */
#define GAP_BYTES      ((size_t)128 * 1024) /* more than hexec has between buffers */
#define ACCESS_FLAGS   (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define KNOWN_FLAGS    (ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER) /* there are no atomic functions of it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Of a buffer, and of the addresses behind it that are nobody's: no kernel that leaves it is in another. */
static size_t room_of(size_t bytes)
{
    return bytes + GAP_BYTES;
}

static struct svm *all; /* guarded by lock, as all of `holds` */

/* ---- What there is ------------------------------------------------------------------------------------- */

/* With the lock. Where the bytes begin counts alone when `bytes` is 0. */
static struct svm *find(cl_context context, const void *pointer, size_t bytes)
{
    for (struct svm *svm = all; svm; svm = svm->next) {
        const uintptr_t offset = (uintptr_t)pointer - (uintptr_t)svm->data;
        if ((!context || svm->context == context) && offset < svm->bytes && bytes <= svm->bytes - offset)
            return svm;
    }
    return NULL;
}

bool svm_is_there(void)
{
    pthread_mutex_lock(&lock);
    const bool is_there = all != NULL;
    pthread_mutex_unlock(&lock);
    return is_there;
}

struct svm *svm_hold(cl_context context, const void *pointer, size_t bytes)
{
    pthread_mutex_lock(&lock);
    struct svm *svm = find(context, pointer, bytes);
    if (svm)
        svm->holds++;
    pthread_mutex_unlock(&lock);
    return svm;
}

void svm_leave(struct svm *svm)
{
    if (!svm)
        return;
    pthread_mutex_lock(&lock);
    const bool is_last = --svm->holds == 0;
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    hx_buffer_free(device_get(), svm->buffer); /* waits for a launch that runs */
    (void)munmap(svm->data, room_of(svm->bytes));
    free(svm);
}

/* Takes it from the list: with `pointer`, what begins there, else the first one of the context. */
static struct svm *take(cl_context context, const void *pointer)
{
    struct svm *taken = NULL;
    pthread_mutex_lock(&lock);
    for (struct svm **at = &all; *at && !taken; at = taken ? at : &(*at)->next)
        if ((*at)->context == context && (!pointer || (*at)->data == pointer)) {
            taken = *at;
            *at = taken->next;
        }
    pthread_mutex_unlock(&lock);
    return taken;
}

void svm_free_all(cl_context context)
{
    for (struct svm *svm = take(context, NULL); svm; svm = take(context, NULL))
        svm_leave(svm);
}

static bool has(cl_context context, const void *pointer, size_t bytes)
{
    struct svm *svm = svm_hold(context, pointer, bytes);
    svm_leave(svm);
    return svm != NULL;
}

/* Tells the session what happened to bytes, if they are shared memory; `from` may be NULL. */
static void tell(hx_buffer_change change, const char *pointer, size_t bytes, const char *from)
{
    hx_session *session = device_session();
    struct svm *svm = hx_session_has_checks(session) ? svm_hold(NULL, pointer, bytes) : NULL;
    struct svm *source = svm && from ? svm_hold(NULL, from, bytes) : NULL;
    if (svm) {
        const hx_buffer_event event = {.change = change,
                                       .buffer = svm->buffer,
                                       .from = source ? source->buffer : NULL,
                                       .offset = (size_t)(pointer - svm->data),
                                       .bytes = bytes,
                                       .from_offset = source ? (size_t)(from - source->data) : 0};
        hx_session_changed(session, device_get(), &event);
    }
    svm_leave(source);
    svm_leave(svm);
}

/* ---- Allocating ---------------------------------------------------------------------------------------- */

static struct svm *make(cl_context context, cl_svm_mem_flags flags, size_t bytes)
{
    static atomic_ullong made;
    char name[32];
    const hx_buffer_access access = flags & CL_MEM_READ_ONLY ? HX_ACCESS_READ : HX_ACCESS_READWRITE;
    struct svm *svm = calloc(1, sizeof *svm);
    char *data = svm ? mmap(NULL, room_of(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : MAP_FAILED;
    snprintf(name, sizeof name, "shared memory %llu", (unsigned long long)atomic_fetch_add(&made, 1) + 1);
    if (data == MAP_FAILED ||
        hx_buffer_new_shared(device_get(), name, data, bytes, access, NULL, &svm->buffer) != HX_OK) {
        if (data != MAP_FAILED)
            (void)munmap(data, room_of(bytes));
        free(svm);
        return NULL;
    }
    svm->context = context;
    svm->data = data;
    svm->bytes = bytes;
    svm->holds = 1;
    return svm;
}

void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    const cl_svm_mem_flags asked = flags & ACCESS_FLAGS;
    cl_ulong most = 0;
    if (!object_is(context, OBJECT_CONTEXT) || (flags & ~(cl_svm_mem_flags)KNOWN_FLAGS) ||
        (asked & (asked - 1)) || alignment > MOST_ALIGNMENT || (alignment & (alignment - 1)))
        return NULL;
    (void)clGetDeviceInfo(device_list_all()->items[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most,
                          NULL);
    struct svm *svm = bytes > 0 && bytes <= most ? make(context, flags, bytes) : NULL;
    if (!svm)
        return NULL;
    char *data = svm->data;
    pthread_mutex_lock(&lock);
    svm->next = all;
    all = svm;
    pthread_mutex_unlock(&lock);
    if (!(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)) /* else the host writes whenever it likes */
        tell(HX_BUFFER_UNWRITTEN, data, bytes, NULL);
    return data;
}

void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (pointer && object_is(context, OBJECT_CONTEXT))
        svm_leave(take(context, pointer));
}

/* ---- Commands ------------------------------------------------------------------------------------------ */

/* What all these functions get besides their own: queue, count, list, ret_event. */
#define ENQUEUE(kind, waits)                                                                                 \
    {                                                                                                        \
        .queue = queue, .type = CL_COMMAND_SVM_##kind, .wait_count = count, .wait_list = list,               \
        .ret_event = ret_event, .is_blocking = waits                                                         \
    }

/* `error` is what was found before. */
static cl_int give(const struct enqueue *enqueue, cl_int error, cl_int (*run)(cl_event),
                   const struct svm_command *what, void *allocated)
{
    cl_event command = NULL;
    if (!object_is(enqueue->queue, OBJECT_QUEUE))
        error = CL_INVALID_COMMAND_QUEUE;
    if (error == CL_SUCCESS)
        error = command_new(enqueue, &command);
    if (error != CL_SUCCESS) {
        free(allocated);
        return error;
    }
    command->run = run;
    command->as.svm = *what;
    command->allocated = allocated;
    return command_give(enqueue, command);
}

static cl_int run_free(cl_event command)
{
    const struct svm_command *what = &command->as.svm;
    if (what->release)
        what->release(command->queue, what->count, what->pointers, what->user);
    for (cl_uint i = 0; i < what->count && !what->release; i++)
        clSVMFree(command->context, what->pointers[i]);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
                                    void(CL_CALLBACK *release)(cl_command_queue, cl_uint, void *[], void *),
                                    void *user, cl_uint count, const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(FREE, false);
    cl_int error = (pointer_count == 0) == (pointers == NULL) ? CL_SUCCESS : CL_INVALID_VALUE;
    void **copy = error == CL_SUCCESS ? calloc((size_t)pointer_count + 1, sizeof *copy) : NULL;
    if (error == CL_SUCCESS && !copy)
        error = CL_OUT_OF_HOST_MEMORY;
    if (copy && pointer_count > 0)
        memcpy(copy, pointers, pointer_count * sizeof *copy);
    const struct svm_command what = {
        .pointers = copy, .count = pointer_count, .release = release, .user = user};
    return give(&enqueue, error, run_free, &what, copy);
}

static cl_int run_copy(cl_event command)
{
    const struct svm_command *what = &command->as.svm;
    const bool is_to = has(NULL, what->to, what->bytes), is_from = has(NULL, what->from, what->bytes);
    memcpy(what->to, what->from, what->bytes);
    if (is_from && !is_to)
        tell(HX_BUFFER_COPIED_OUT, what->from, what->bytes, NULL);
    if (is_to)
        tell(is_from ? HX_BUFFER_COPIED : HX_BUFFER_COPIED_IN, what->to, what->bytes,
             is_from ? what->from : NULL);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool is_blocking, void *to, const void *from,
                                      size_t bytes, cl_uint count, const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(MEMCPY, is_blocking);
    const uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    const bool overlaps = a < b ? b - a < bytes : a - b < bytes;
    const struct svm_command what = {.to = to, .from = from, .bytes = bytes};
    return give(&enqueue,
                !to || !from ? CL_INVALID_VALUE
                : overlaps   ? CL_MEM_COPY_OVERLAP
                             : CL_SUCCESS,
                run_copy, &what, NULL);
}

static cl_int run_fill(cl_event command)
{
    const struct svm_command *what = &command->as.svm;
    for (size_t i = 0; i < what->bytes; i += what->pattern_bytes)
        memcpy(what->to + i, what->from, what->pattern_bytes);
    tell(HX_BUFFER_COPIED_IN, what->to, what->bytes, NULL);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
                                       size_t pattern_bytes, size_t bytes, cl_uint count,
                                       const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(MEMFILL, false);
    const bool is_good = to && pattern && pattern_bytes > 0 && pattern_bytes <= 128 &&
                         (pattern_bytes & (pattern_bytes - 1)) == 0 && (uintptr_t)to % pattern_bytes == 0 &&
                         bytes % pattern_bytes == 0;
    char *copy = is_good ? malloc(pattern_bytes) : NULL;
    if (copy)
        memcpy(copy, pattern, pattern_bytes);
    const struct svm_command what = {.to = to, .from = copy, .bytes = bytes, .pattern_bytes = pattern_bytes};
    return give(&enqueue,
                !is_good ? CL_INVALID_VALUE
                : copy   ? CL_SUCCESS
                         : CL_OUT_OF_HOST_MEMORY,
                run_fill, &what, copy);
}

static cl_int run_map(cl_event command)
{
    const struct svm_command *what = &command->as.svm;
    if (what->flags & CL_MAP_READ)
        tell(HX_BUFFER_COPIED_OUT, what->to, what->bytes, NULL);
    if (what->flags &
        (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) /* no kernel runs before it is unmapped */
        tell(HX_BUFFER_COPIED_IN, what->to, what->bytes, NULL);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool is_blocking, cl_map_flags flags,
                                   void *pointer, size_t bytes, cl_uint count, const cl_event *list,
                                   cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(MAP, is_blocking);
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const bool is_good =
        pointer && bytes > 0 && !(flags & ~known) &&
        !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))) &&
        object_is(queue, OBJECT_QUEUE) && has(queue->context, pointer, bytes);
    const struct svm_command what = {.to = pointer, .bytes = bytes, .flags = flags};
    return give(&enqueue, is_good ? CL_SUCCESS : CL_INVALID_VALUE, run_map, &what, NULL);
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count,
                                     const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(UNMAP, false);
    const bool is_good = pointer && object_is(queue, OBJECT_QUEUE) && has(queue->context, pointer, 0);
    const struct svm_command what = {.to = pointer};
    return give(&enqueue, is_good ? CL_SUCCESS : CL_INVALID_VALUE, NULL, &what, NULL);
}

/* There is one device, and its memory is where it is. */
cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
                                          const void **pointers, const size_t *sizes,
                                          cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
                                          cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(MIGRATE_MEM, false);
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    bool is_good = object_is(queue, OBJECT_QUEUE) && pointer_count > 0 && pointers && !(flags & ~known);
    for (cl_uint i = 0; is_good && i < pointer_count; i++)
        is_good = pointers[i] && has(queue->context, pointers[i], sizes ? sizes[i] : 0);
    const struct svm_command what = {0};
    return give(&enqueue, is_good ? CL_SUCCESS : CL_INVALID_VALUE, NULL, &what, NULL);
}
