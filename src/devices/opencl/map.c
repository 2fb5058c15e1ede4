/* Ranges of buffers and images that are mapped.
 *
 * The application gets the address of the bytes, or with CL_MEM_USE_HOST_PTR its own, to which rows are
 * copied, and from which they are copied when they are unmapped. */
#include "devices/opencl/image.h"
#include "devices/opencl/transfer.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint mapped; /* ranges of all memory */

bool memory_is_mapped(void)
{
    return atomic_load(&mapped) > 0;
}

static cl_int run_map(cl_event command)
{
    const struct range_command *range = &command->as.range;
    memory_to_host(command->memories[0], &range->rows);
    if (range->is_read)
        memory_rows_changed(command->memories[0], HX_BUFFER_COPIED_OUT, &range->rows);
    return CL_COMPLETE;
}

static cl_int run_unmap(cl_event command)
{
    const struct range_command *range = &command->as.range;
    memory_from_host(command->memories[0], &range->rows);
    memory_rows_changed(command->memories[0], HX_BUFFER_COPIED_IN, &range->rows);
    return CL_COMPLETE;
}

static bool flags_are_good(cl_map_flags flags)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    return !(flags & ~known) &&
           !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)));
}

static cl_mem_flags forbidden_by(cl_map_flags flags)
{
    return CL_MEM_HOST_NO_ACCESS | (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
           (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) ? CL_MEM_HOST_READ_ONLY : 0);
}

/* Maps these rows; NULL when it fails. `error` is what was found before. */
static void *map(const struct enqueue *enqueue, const struct use *use, cl_map_flags flags,
                 const struct rows *rows, cl_int error, cl_int *ret_error)
{
    const cl_mem memory = use->memory;
    cl_event command = NULL;
    char *host = NULL;
    error = transfer_new(enqueue, use, NULL, flags_are_good(flags) ? error : CL_INVALID_VALUE, &command);
    struct mapped_range *range = error == CL_SUCCESS ? malloc(sizeof *range) : NULL;
    if (error == CL_SUCCESS && !range) {
        command_discard(command);
        error = CL_OUT_OF_HOST_MEMORY;
    }
    if (error == CL_SUCCESS) {
        host = (memory->host_pointer ? memory->host_pointer : memory->data) + rows->offset;
        pthread_mutex_lock(&memory->lock);
        *range = (struct mapped_range){memory->mapped, host, *rows, flags};
        memory->mapped = range;
        memory->map_count++;
        atomic_fetch_add(&mapped, 1);
        pthread_mutex_unlock(&memory->lock);
        command->run = flags & CL_MAP_WRITE_INVALIDATE_REGION ? NULL : run_map;
        command->as.range = (struct range_command){*rows, flags == CL_MAP_READ};
        error = command_give(enqueue, command);
    }
    if (ret_error)
        *ret_error = error;
    return error == CL_SUCCESS ? host : NULL;
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                     const cl_event *list, cl_event *ret_event, cl_int *ret_error)
{
    const struct enqueue enqueue = ENQUEUE(MAP_BUFFER, is_blocking);
    const struct use use = {memory, offset, bytes, forbidden_by(flags), USE_BUFFER};
    const struct rows rows = {offset, {bytes, 1, 1}, {0, 0}};
    return map(&enqueue, &use, flags, &rows, bytes == 0 ? CL_INVALID_VALUE : CL_SUCCESS, ret_error);
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                    cl_map_flags flags, const size_t *origin, const size_t *region,
                                    size_t *ret_row_pitch, size_t *ret_slice_pitch, cl_uint count,
                                    const cl_event *list, cl_event *ret_event, cl_int *ret_error)
{
    const struct enqueue enqueue = ENQUEUE(MAP_IMAGE, is_blocking);
    const struct use use = {memory, 0, 0, forbidden_by(flags), USE_IMAGE};
    const struct image *image = object_is(memory, OBJECT_MEMORY) ? memory->image : NULL;
    struct rows rows = {0};
    cl_int error = image_rows(memory, origin, region, &rows);
    if (!ret_row_pitch || (image && image->slice_pitch && !ret_slice_pitch))
        error = CL_INVALID_VALUE;
    void *host = map(&enqueue, &use, flags, &rows, error, ret_error);
    if (host)
        *ret_row_pitch = image->row_pitch;
    if (host && ret_slice_pitch)
        *ret_slice_pitch = image->slice_pitch;
    return host;
}

/* Takes the range that the application was given there from the list. */
static bool take_range(cl_mem memory, const void *host, struct mapped_range *ret_range)
{
    bool is_found = false;
    pthread_mutex_lock(&memory->lock);
    for (struct mapped_range **at = &memory->mapped; *at && !is_found; at = &(*at)->next)
        if ((*at)->host == host) {
            struct mapped_range *range = *at;
            *at = range->next;
            *ret_range = *range;
            memory->map_count--;
            atomic_fetch_sub(&mapped, 1);
            is_found = true;
            free(range);
            break;
        }
    pthread_mutex_unlock(&memory->lock);
    return is_found;
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *host, cl_uint count,
                                           const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(UNMAP_MEM_OBJECT, false);
    const struct use use = {memory, 0, 0, 0, USE_ANY};
    struct mapped_range range = {0};
    cl_event command = NULL;
    const cl_int error = transfer_new(&enqueue, &use, NULL, CL_SUCCESS, &command);
    if (error != CL_SUCCESS)
        return error;
    if (!take_range(memory, host, &range)) {
        command_discard(command);
        return CL_INVALID_VALUE;
    }
    command->run = range.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) ? run_unmap : NULL;
    command->as.range = (struct range_command){range.rows, false};
    return command_give(&enqueue, command);
}
