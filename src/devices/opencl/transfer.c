/* Commands that move bytes of buffers: reads, writes, copies, fills.
 *
 * Each becomes rows of bytes from one place to another (struct copy_command): a read or write is one row. */
#include "devices/opencl/transfer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A row of a copy, in the buffers that it is in; memories[0] is the only one, or the one that is read. */
static void tell_row(cl_event command, const char *to, const char *from, size_t bytes)
{
    const cl_mem first = command->memories[0], second = command->memories[1];
    if (second)
        memory_changed(second, HX_BUFFER_COPIED, (size_t)(to - second->data), bytes, first,
                       (size_t)(from - first->data));
    else if (command->as.copy.direction[0] == 'H')
        memory_changed(first, HX_BUFFER_COPIED_IN, (size_t)(to - first->data), bytes, NULL, 0);
    else
        memory_changed(first, HX_BUFFER_COPIED_OUT, (size_t)(from - first->data), bytes, NULL, 0);
}

cl_int transfer_run(cl_event command)
{
    const struct copy_command *copy = &command->as.copy;
    const uint64_t start = now_ns();
    for (size_t z = 0; z < copy->region[2]; z++)
        for (size_t y = 0; y < copy->region[1]; y++) {
            char *to = copy->to + z * copy->to_pitch[1] + y * copy->to_pitch[0];
            const char *from = copy->from + z * copy->from_pitch[1] + y * copy->from_pitch[0];
            memmove(to, from, copy->region[0]);
            tell_row(command, to, from, copy->region[0]);
        }
    hx_session_transferred(device_session(), copy->direction,
                           copy->region[0] * copy->region[1] * copy->region[2], now_ns() - start);
    return CL_COMPLETE;
}

cl_int transfer_check_use(cl_command_queue queue, const struct use *use)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(use->memory, OBJECT_MEMORY) ||
        (use->kind != USE_ANY && (use->kind == USE_IMAGE) != (use->memory->image != NULL)))
        return CL_INVALID_MEM_OBJECT;
    if (use->memory->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (use->offset > use->memory->bytes || use->bytes > use->memory->bytes - use->offset)
        return CL_INVALID_VALUE;
    return use->memory->flags & use->forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int transfer_new(const struct enqueue *enqueue, const struct use *a, const struct use *b, cl_int error,
                    cl_event *ret_command)
{
    const cl_int of_a = transfer_check_use(enqueue->queue, a),
                 of_b = b ? transfer_check_use(enqueue->queue, b) : CL_SUCCESS;
    if (of_a != CL_SUCCESS || of_b != CL_SUCCESS)
        return of_a != CL_SUCCESS ? of_a : of_b;
    if (error != CL_SUCCESS)
        return error;
    error = command_new(enqueue, ret_command);
    if (error != CL_SUCCESS)
        return error;
    (*ret_command)->memories[0] = object_keep(a->memory);
    (*ret_command)->memories[1] = b ? object_keep(b->memory) : NULL;
    return CL_SUCCESS;
}

static const char *direction_of(cl_command_type type)
{
    switch (type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
        return "D2H";
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
        return "H2D";
    default:
        return "D2D";
    }
}

cl_int transfer_give(const struct enqueue *enqueue, cl_event command, const struct copy_command *copy)
{
    command->run = transfer_run;
    command->as.copy = *copy;
    command->as.copy.direction = direction_of(enqueue->type);
    return command_give(enqueue, command);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                       size_t offset, size_t bytes, void *to, cl_uint count,
                                       const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(READ_BUFFER, is_blocking);
    const struct use use = {memory, offset, bytes, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                            USE_BUFFER};
    cl_event command = NULL;
    const cl_int error = transfer_new(&enqueue, &use, NULL, to ? CL_SUCCESS : CL_INVALID_VALUE, &command);
    if (error != CL_SUCCESS)
        return error;
    return transfer_give(
        &enqueue, command,
        &(const struct copy_command){.to = to, .from = memory->data + offset, .region = {bytes, 1, 1}});
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                        size_t offset, size_t bytes, const void *from, cl_uint count,
                                        const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(WRITE_BUFFER, is_blocking);
    const struct use use = {memory, offset, bytes, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, USE_BUFFER};
    cl_event command = NULL;
    const cl_int error = transfer_new(&enqueue, &use, NULL, from ? CL_SUCCESS : CL_INVALID_VALUE, &command);
    if (error != CL_SUCCESS)
        return error;
    return transfer_give(
        &enqueue, command,
        &(const struct copy_command){.to = memory->data + offset, .from = from, .region = {bytes, 1, 1}});
}

static bool overlaps(cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, size_t bytes)
{
    const char *first = a->data + a_offset, *second = b->data + b_offset;
    return a->buffer == b->buffer && first < second + bytes && second < first + bytes;
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t bytes, cl_uint count, const cl_event *list,
                                       cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(COPY_BUFFER, false);
    const struct use source = {from, from_offset, bytes, 0, USE_BUFFER},
                     target = {to, to_offset, bytes, 0, USE_BUFFER};
    cl_event command = NULL;
    const cl_int error = transfer_new(&enqueue, &source, &target, CL_SUCCESS, &command);
    if (error != CL_SUCCESS)
        return error;
    if (overlaps(from, from_offset, to, to_offset, bytes)) {
        command_discard(command);
        return CL_MEM_COPY_OVERLAP;
    }
    return transfer_give(&enqueue, command,
                         &(const struct copy_command){.to = to->data + to_offset,
                                                      .from = from->data + from_offset,
                                                      .region = {bytes, 1, 1}});
}

/* ---- Rectangles ---------------------------------------------------------------------------------------- */

/* One side of a copy of a rectangle. */
struct side {
    size_t pitch[2]; /* bytes from row to row, and from slice to slice */
    size_t first;    /* byte */
    size_t bytes;    /* from the first one on to behind the last one */
};

/* a * b + more; false: it is more than a size can be. */
static bool extend(size_t a, size_t b, size_t more, size_t *ret_sum)
{
    size_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, more, ret_sum);
}

static cl_int read_side(const size_t *origin, const size_t *region, size_t row, size_t slice,
                        struct side *ret_side)
{
    size_t plane, first, bytes, end;
    if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0)
        return CL_INVALID_VALUE;
    if (row == 0)
        row = region[0];
    if (row < region[0] || !extend(region[1], row, 0, &plane))
        return CL_INVALID_VALUE;
    if (slice == 0)
        slice = plane;
    if (slice < plane || slice % row != 0)
        return CL_INVALID_VALUE;
    if (!extend(origin[1], row, origin[0], &first) || !extend(origin[2], slice, first, &first) ||
        !extend(region[1] - 1, row, region[0], &bytes) || !extend(region[2] - 1, slice, bytes, &bytes) ||
        !extend(1, first, bytes, &end))
        return CL_INVALID_VALUE;
    *ret_side = (struct side){{row, slice}, first, bytes};
    return CL_SUCCESS;
}

/* Have two rectangles of the same region and pitches a byte in common? `apart`: from the first byte of one to
 * that of the other. Rows in other slices and rows overlap only if they are the nearest to that distance. */
static bool rows_meet(const struct side *side, const size_t *region, int64_t apart)
{
    const int64_t row = (int64_t)side->pitch[0], slice = (int64_t)side->pitch[1];
    for (int64_t z = apart / slice - 1; z <= apart / slice + 1; z++) {
        const int64_t left = apart - z * slice;
        for (int64_t y = left / row - 1; y <= left / row + 1; y++) {
            const int64_t bytes = left - y * row;
            if (llabs(z) < (int64_t)region[2] && llabs(y) < (int64_t)region[1] &&
                llabs(bytes) < (int64_t)region[0])
                return true;
        }
    }
    return false;
}

/* Rectangles of two parts of a buffer may have other pitches: then what lies between their rows counts. */
static bool rectangles_overlap(cl_mem from, const struct side *a, cl_mem to, const struct side *b,
                               const size_t *region)
{
    const char *first = from->data + a->first, *second = to->data + b->first;
    if (from->buffer != to->buffer || first >= second + b->bytes || second >= first + a->bytes)
        return false;
    return a->pitch[0] != b->pitch[0] || a->pitch[1] != b->pitch[1] || rows_meet(a, region, second - first);
}

static struct copy_command rows_of(char *to, const struct side *to_side, const char *from,
                                   const struct side *from_side, const size_t *region)
{
    return (struct copy_command){.to = to + to_side->first,
                                 .from = from + from_side->first,
                                 .region = {region[0], region[1], region[2]},
                                 .to_pitch = {to_side->pitch[0], to_side->pitch[1]},
                                 .from_pitch = {from_side->pitch[0], from_side->pitch[1]}};
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                           const size_t *origin, const size_t *host_origin,
                                           const size_t *region, size_t row, size_t slice, size_t host_row,
                                           size_t host_slice, void *to, cl_uint count, const cl_event *list,
                                           cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(READ_BUFFER_RECT, is_blocking);
    struct side side = {0}, host = {0};
    cl_int error = read_side(origin, region, row, slice, &side);
    if (error == CL_SUCCESS)
        error = to ? read_side(host_origin, region, host_row, host_slice, &host) : CL_INVALID_VALUE;
    const struct use use = {memory, side.first, side.bytes, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                            USE_BUFFER};
    cl_event command = NULL;
    error = transfer_new(&enqueue, &use, NULL, error, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = rows_of(to, &host, memory->data, &side, region);
    return transfer_give(&enqueue, command, &copy);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                            const size_t *origin, const size_t *host_origin,
                                            const size_t *region, size_t row, size_t slice, size_t host_row,
                                            size_t host_slice, const void *from, cl_uint count,
                                            const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(WRITE_BUFFER_RECT, is_blocking);
    struct side side = {0}, host = {0};
    cl_int error = read_side(origin, region, row, slice, &side);
    if (error == CL_SUCCESS)
        error = from ? read_side(host_origin, region, host_row, host_slice, &host) : CL_INVALID_VALUE;
    const struct use use = {memory, side.first, side.bytes, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                            USE_BUFFER};
    cl_event command = NULL;
    error = transfer_new(&enqueue, &use, NULL, error, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = rows_of(memory->data, &side, from, &host, region);
    return transfer_give(&enqueue, command, &copy);
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                           const size_t *from_origin, const size_t *to_origin,
                                           const size_t *region, size_t from_row, size_t from_slice,
                                           size_t to_row, size_t to_slice, cl_uint count,
                                           const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(COPY_BUFFER_RECT, false);
    struct side a = {0}, b = {0};
    cl_int error = read_side(from_origin, region, from_row, from_slice, &a);
    if (error == CL_SUCCESS)
        error = read_side(to_origin, region, to_row, to_slice, &b);
    if (error == CL_SUCCESS && from == to && (a.pitch[0] != b.pitch[0] || a.pitch[1] != b.pitch[1]))
        error = CL_INVALID_VALUE;
    const struct use source = {from, a.first, a.bytes, 0, USE_BUFFER},
                     target = {to, b.first, b.bytes, 0, USE_BUFFER};
    cl_event command = NULL;
    error = transfer_new(&enqueue, &source, &target, error, &command);
    if (error != CL_SUCCESS)
        return error;
    if (rectangles_overlap(from, &a, to, &b, region)) {
        command_discard(command);
        return CL_MEM_COPY_OVERLAP;
    }
    const struct copy_command copy = rows_of(to->data, &b, from->data, &a, region);
    return transfer_give(&enqueue, command, &copy);
}

/* ---- Fills --------------------------------------------------------------------------------------------- */

#define FILL_STEP ((size_t)16 * 1024) /* a multiple of all patterns */

static cl_int run_fill(cl_event command)
{
    const struct fill_command *fill = &command->as.fill;
    size_t filled = fill->bytes < fill->pattern_bytes ? fill->bytes : fill->pattern_bytes;
    memcpy(fill->to, fill->pattern, filled);
    while (filled < fill->bytes) { /* what is there, behind itself: twice as much, while caches hold it */
        const size_t left = fill->bytes - filled, most = filled < FILL_STEP ? filled : FILL_STEP;
        const size_t more = most < left ? most : left;
        memcpy(fill->to + filled, fill->to, more);
        filled += more;
    }
    const cl_mem memory = command->memories[0];
    memory_changed(memory, HX_BUFFER_FILLED, (size_t)(fill->to - memory->data), fill->bytes, NULL, 0);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                       size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                                       const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(FILL_BUFFER, false);
    const struct use use = {memory, offset, bytes, 0, USE_BUFFER};
    const bool is_good = pattern && pattern_bytes > 0 && pattern_bytes <= 128 &&
                         (pattern_bytes & (pattern_bytes - 1)) == 0 && offset % pattern_bytes == 0 &&
                         bytes % pattern_bytes == 0;
    cl_event command = NULL;
    const cl_int error =
        transfer_new(&enqueue, &use, NULL, is_good ? CL_SUCCESS : CL_INVALID_VALUE, &command);
    if (error != CL_SUCCESS)
        return error;
    command->run = run_fill;
    command->as.fill = (struct fill_command){memory->data + offset, bytes, pattern_bytes, {0}};
    memcpy(command->as.fill.pattern, pattern, pattern_bytes);
    return command_give(&enqueue, command);
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memory_count,
                                              const cl_mem *memories, cl_mem_migration_flags flags,
                                              cl_uint count, const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(MIGRATE_MEM_OBJECTS, false);
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_event command = NULL;
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (memory_count == 0 || !memories || (flags & ~known))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count; i++) {
        const struct use use = {memories[i], 0, 0, 0, USE_ANY};
        const cl_int error = transfer_check_use(queue, &use);
        if (error != CL_SUCCESS)
            return error;
    }
    const cl_int error =
        command_new(&enqueue, &command); /* there is one device, and its memory is where it is */
    return error == CL_SUCCESS ? command_give(&enqueue, command) : error;
}
