/* Memory objects: buffers, parts of them, and what images (image.c) have in common with them.
 *
 * A buffer is one of hexec's. With CL_MEM_USE_HOST_PTR the application's memory has a copy of it, which is
 * brought up to date when a range is mapped and unmapped (OpenCL 3.0, 5.2.1: an implementation may cache it):
 * so each buffer has an end that hexec checks. */
#include "devices/opencl/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCESS_FLAGS   (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define POINTER_FLAGS  (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define HOST_FLAGS     (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define PART_ALIGNMENT 128 /* CL_DEVICE_MEM_BASE_ADDR_ALIGN in bytes */
#define LARGEST_LOAD   16  /* bytes of PTX's widest load */

static bool is_one_at_most(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

bool memory_flags_are_good(cl_mem_flags flags)
{
    const cl_mem_flags known = ACCESS_FLAGS | POINTER_FLAGS | HOST_FLAGS;
    return !(flags & ~known) && is_one_at_most(flags & ACCESS_FLAGS) && is_one_at_most(flags & HOST_FLAGS) &&
           !((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

cl_mem memory_new(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_mem memory = object_new(OBJECT_MEMORY, sizeof *memory);
    if (!memory)
        return NULL;
    memory->context = object_keep(context);
    memory->flags = flags & ACCESS_FLAGS ? flags : flags | CL_MEM_READ_WRITE;
    memory->bytes = bytes;
    atomic_init(&memory->holds, 1);
    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

static cl_int check_new(cl_context context, cl_mem_flags flags, size_t bytes, const void *host)
{
    cl_ulong most = 0;
    const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!memory_flags_are_good(flags))
        return CL_INVALID_VALUE;
    (void)clGetDeviceInfo(device_list_all()->items[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most,
                          NULL);
    if (bytes == 0 || bytes > most)
        return CL_INVALID_BUFFER_SIZE;
    if (wants_host != (host != NULL))
        return CL_INVALID_HOST_PTR;
    struct svm *begin = flags & CL_MEM_USE_HOST_PTR ? svm_hold(context, host, 0) : NULL;
    struct svm *whole = begin ? svm_hold(context, host, bytes) : NULL;
    const cl_int error = begin && !whole ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
    svm_leave(whole);
    svm_leave(begin);
    return error;
}

/* Over shared memory: the buffer is the memory itself. */
static void fill_in_shared(cl_mem memory, void *host)
{
    memory->buffer = memory->svm->buffer;
    memory->data = memory->host_pointer = host;
    memory->origin = (size_t)((char *)host - memory->svm->data);
}

/* A kernel may read what it may only write: many do, and GPUs let them. The checker `memory` reports it. */
static hx_buffer_access access_of(cl_mem_flags flags)
{
    const bool is_checked = hx_session_has_checks(device_session()) & HX_CHECK_MEMORY;
    if (flags & CL_MEM_READ_ONLY)
        return HX_ACCESS_READ;
    return is_checked && (flags & CL_MEM_WRITE_ONLY) ? HX_ACCESS_WRITE : HX_ACCESS_READWRITE;
}

/* clang loads the whole vector for an element of it, `a[i].x`, and the last vector may be there in part only:
 * other devices have bytes behind each buffer. Checkers want its end where the program put it. */
static size_t padded_size(size_t bytes)
{
    const size_t rest = bytes % LARGEST_LOAD;
    return hx_session_has_checks(device_session()) || rest == 0 || bytes > SIZE_MAX - LARGEST_LOAD
               ? bytes
               : bytes + (LARGEST_LOAD - rest);
}

cl_int memory_fill(cl_mem memory, const char *kind, void *host)
{
    static atomic_ullong buffers, images;
    atomic_ullong *made = memory->image ? &images : &buffers;
    char name[32];
    memory->svm = memory->flags & CL_MEM_USE_HOST_PTR ? svm_hold(memory->context, host, memory->bytes) : NULL;
    if (memory->svm) {
        fill_in_shared(memory, host);
        return CL_SUCCESS;
    }
    snprintf(name, sizeof name, "%s %llu", kind, (unsigned long long)atomic_fetch_add(made, 1) + 1);
    if (hx_buffer_new(device_get(), name, padded_size(memory->bytes), access_of(memory->flags), NULL,
                      &memory->buffer) != HX_OK)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memory->data = hx_buffer_data(memory->buffer);
    memory->host_pointer = memory->flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    if (host)
        memcpy(memory->data, host, memory->bytes);
    else
        memory_changed(memory, HX_BUFFER_UNWRITTEN, 0, memory->bytes, NULL, 0);
    return CL_SUCCESS;
}

void memory_changed(cl_mem memory, hx_buffer_change change, size_t offset, size_t bytes, cl_mem from,
                    size_t from_offset)
{
    hx_session *session = device_session();
    const hx_buffer_event event = {.change = change,
                                   .buffer = memory->buffer,
                                   .from = from ? from->buffer : NULL,
                                   .offset = memory->origin + offset,
                                   .bytes = bytes,
                                   .from_offset = from ? from->origin + from_offset : 0,
                                   .command = command_doing()};
    if (hx_session_has_checks(session))
        hx_session_changed(session, device_get(), &event);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                  cl_int *ret_error)
{
    cl_int error = check_new(context, flags, bytes, host);
    cl_mem memory = error == CL_SUCCESS ? memory_new(context, flags, bytes) : NULL;
    if (error == CL_SUCCESS)
        error = memory ? memory_fill(memory, "buffer", host) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS && memory) {
        memory_drop(memory);
        memory = NULL;
    }
    if (ret_error)
        *ret_error = error;
    return memory;
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                cl_mem_flags flags, size_t bytes, void *host,
                                                cl_int *ret_error)
{
    if (object_is(context, OBJECT_CONTEXT) && properties && properties[0] != 0) {
        if (ret_error)
            *ret_error = CL_INVALID_PROPERTY;
        return NULL;
    }
    cl_mem memory = clCreateBuffer(context, flags, bytes, host, ret_error);
    if (memory)
        memory->property_count = properties ? 1 : 0;
    return memory;
}

cl_mem_flags memory_flags_of_part(cl_mem_flags flags, cl_mem_flags of_parent)
{
    if (!(flags & ACCESS_FLAGS))
        flags |= of_parent & ACCESS_FLAGS;
    if (!(flags & HOST_FLAGS))
        flags |= of_parent & HOST_FLAGS;
    return flags | (of_parent & POINTER_FLAGS);
}

bool memory_part_flags_are_good(cl_mem parent, cl_mem_flags flags)
{
    const cl_mem_flags asked = flags & ACCESS_FLAGS, had = parent->flags;
    if (flags & POINTER_FLAGS)
        return false;
    return !(((had & CL_MEM_WRITE_ONLY) && (asked & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
             ((had & CL_MEM_READ_ONLY) && (asked & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
             ((had & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY)) ||
             ((had & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY)) ||
             ((had & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))));
}

static cl_int check_part(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const cl_buffer_region *region)
{
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || !memory_flags_are_good(flags) ||
        !memory_part_flags_are_good(parent, flags))
        return CL_INVALID_VALUE;
    if (region->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    if (region->origin > parent->bytes || region->size > parent->bytes - region->origin)
        return CL_INVALID_VALUE;
    return region->origin % PART_ALIGNMENT == 0 ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

void memory_be_part(cl_mem memory, cl_mem parent, size_t origin)
{
    memory->parent = object_keep(parent);
    memory->origin = parent->origin + origin;
    memory->buffer = parent->buffer;
    memory->data = parent->data + origin;
    memory->host_pointer = parent->host_pointer ? parent->host_pointer + origin : NULL;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void *info, cl_int *ret_error)
{
    const cl_buffer_region *region = info;
    const bool is_whole = memory_is_buffer(parent) && !parent->parent;
    cl_int error = is_whole ? check_part(parent, flags, type, region) : CL_INVALID_MEM_OBJECT;
    cl_mem memory = NULL;
    if (error == CL_SUCCESS) {
        memory = memory_new(parent->context, memory_flags_of_part(flags, parent->flags), region->size);
        error = memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (memory)
        memory_be_part(memory, parent, region->origin);
    if (ret_error)
        *ret_error = error;
    return memory;
}

void memory_drop(cl_mem memory)
{
    if (!object_drop(memory))
        return;
    while (memory->destructors) {
        struct callback *callback = memory->destructors;
        memory->destructors = callback->next;
        ((void(CL_CALLBACK *)(cl_mem, void *))callback->function)(memory, callback->user);
        free(callback);
    }
    memory_leave(memory);
}

cl_mem memory_hold(cl_mem memory)
{
    atomic_fetch_add(&memory->holds, 1);
    return memory;
}

void memory_leave(cl_mem memory)
{
    if (atomic_fetch_sub(&memory->holds, 1) > 1)
        return;
    while (memory->mapped) {
        struct mapped_range *range = memory->mapped;
        memory->mapped = range->next;
        free(range);
    }
    image_done(memory->image);
    if (memory->parent)
        memory_drop(memory->parent);
    else if (memory->svm)
        svm_leave(memory->svm);
    else
        hx_buffer_free(device_get(), memory->buffer);
    context_drop(memory->context);
    pthread_mutex_destroy(&memory->lock);
    memory->object.kind = 0;
    free(memory);
}

static void copy_rows(char *to, const char *from, const struct rows *rows)
{
    for (size_t z = 0; z < rows->region[2]; z++)
        for (size_t y = 0; y < rows->region[1]; y++) {
            const size_t at = rows->offset + z * rows->pitch[1] + y * rows->pitch[0];
            memcpy(to + at, from + at, rows->region[0]);
        }
}

void memory_to_host(cl_mem memory, const struct rows *rows)
{
    if (memory->host_pointer && memory->host_pointer != memory->data)
        copy_rows(memory->host_pointer, memory->data, rows);
}

void memory_from_host(cl_mem memory, const struct rows *rows)
{
    if (memory->host_pointer && memory->host_pointer != memory->data)
        copy_rows(memory->data, memory->host_pointer, rows);
}

void memory_rows_changed(cl_mem memory, hx_buffer_change change, const struct rows *rows)
{
    if (!hx_session_has_checks(device_session()))
        return;
    for (size_t z = 0; z < rows->region[2]; z++)
        for (size_t y = 0; y < rows->region[1]; y++)
            memory_changed(memory, change, rows->offset + z * rows->pitch[1] + y * rows->pitch[0],
                           rows->region[0], NULL, 0);
}

bool memory_is_buffer(const void *object)
{
    return object_is(object, OBJECT_MEMORY) && !((const struct _cl_mem *)object)->image;
}

cl_int CL_API_CALL clRetainMemObject(cl_mem memory)
{
    if (!object_is(memory, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    object_keep(memory);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem memory)
{
    if (!object_is(memory, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    memory_drop(memory);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory,
                                                    void(CL_CALLBACK *function)(cl_mem, void *), void *user)
{
    if (!object_is(memory, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    if (!function)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&memory->lock);
    const cl_int error = callback_add(&memory->destructors, (void *)function, user, 0);
    pthread_mutex_unlock(&memory->lock);
    return error;
}

static cl_uint map_count(cl_mem memory)
{
    pthread_mutex_lock(&memory->lock);
    const cl_uint count = memory->map_count;
    pthread_mutex_unlock(&memory->lock);
    return count;
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t room, void *value,
                                      size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    const cl_mem_properties end = 0;
    if (!object_is(memory, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE:
        return ANSWER(&answer, cl_mem_object_type,
                      memory->image ? memory->image->type : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return ANSWER(&answer, cl_mem_flags, memory->flags);
    case CL_MEM_SIZE:
        return ANSWER(&answer, size_t, memory->bytes);
    case CL_MEM_HOST_PTR:
        return ANSWER(&answer, void *, memory->host_pointer);
    case CL_MEM_MAP_COUNT:
        return ANSWER(&answer, cl_uint, map_count(memory));
    case CL_MEM_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&memory->object.references));
    case CL_MEM_CONTEXT:
        return ANSWER(&answer, cl_context, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return ANSWER(&answer, cl_mem, memory->parent);
    case CL_MEM_OFFSET:
        return ANSWER(&answer, size_t, memory->parent ? memory->origin - memory->parent->origin : 0);
    case CL_MEM_USES_SVM_POINTER:
        return ANSWER(&answer, cl_bool, memory->svm || (memory->parent && memory->parent->svm));
    case CL_MEM_PROPERTIES:
        return answer_bytes(&answer, &end, memory->property_count * sizeof end);
    default:
        return CL_INVALID_VALUE;
    }
}
