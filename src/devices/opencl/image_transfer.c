/* Commands that move pixels: reads, writes, copies and fills of images.
 *
 * Each is rows of bytes from one place to another, as those of buffers (transfer.c). */
#include "devices/opencl/image.h"
#include "devices/opencl/transfer.h"

#include <stdlib.h>
#include <string.h>

#define READ_FORBIDDEN  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define WRITE_FORBIDDEN (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

static const struct image *image_of(cl_mem memory)
{
    return object_is(memory, OBJECT_MEMORY) ? memory->image : NULL;
}

cl_int image_rows(cl_mem memory, const size_t *origin, const size_t *region, struct rows *ret_rows)
{
    const struct image *image = image_of(memory);
    if (!image)
        return CL_SUCCESS;
    if (!origin || !region)
        return CL_INVALID_VALUE;
    *ret_rows = (struct rows){
        0, {region[0] * image->step[0], region[1], region[2]}, {image->step[1], image->step[2]}};
    for (unsigned i = 0; i < 3; i++) {
        if (region[i] == 0 || region[i] > image->size[i] || origin[i] > image->size[i] - region[i])
            return CL_INVALID_VALUE;
        ret_rows->offset += origin[i] * image->step[i];
    }
    return CL_SUCCESS;
}

/* The pitches of the application's memory, which it may leave out. */
static cl_int host_pitch(cl_mem memory, const struct rows *rows, size_t row, size_t slice, size_t *ret_pitch)
{
    const struct image *image = image_of(memory);
    if (!image)
        return CL_SUCCESS;
    const unsigned count = image_sizes_of(image->type), layers_at = image_layers_at(image->type);
    size_t least;
    if (row == 0)
        row = rows->region[0];
    if (row < rows->region[0] || __builtin_mul_overflow(row, layers_at == 1 ? 1 : rows->region[1], &least))
        return CL_INVALID_VALUE;
    const bool has_slices = count == 3 || layers_at == 1;
    if (has_slices ? slice && slice < least : slice != 0)
        return CL_INVALID_VALUE;
    if (slice == 0)
        slice = least;
    ret_pitch[0] = layers_at == 1 ? slice : row;
    ret_pitch[1] = slice;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                      const size_t *origin, const size_t *region, size_t row, size_t slice,
                                      void *to, cl_uint count, const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(READ_IMAGE, is_blocking);
    const struct use use = {memory, 0, 0, READ_FORBIDDEN, USE_IMAGE};
    struct rows rows = {0};
    size_t pitch[2] = {0};
    cl_event command = NULL;
    cl_int error = image_rows(memory, origin, region, &rows);
    if (error == CL_SUCCESS)
        error = to ? host_pitch(memory, &rows, row, slice, pitch) : CL_INVALID_VALUE;
    error = transfer_new(&enqueue, &use, NULL, error, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = {.to = to,
                                      .from = memory->data + rows.offset,
                                      .region = {rows.region[0], rows.region[1], rows.region[2]},
                                      .to_pitch = {pitch[0], pitch[1]},
                                      .from_pitch = {rows.pitch[0], rows.pitch[1]}};
    return transfer_give(&enqueue, command, &copy);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                       const size_t *origin, const size_t *region, size_t row, size_t slice,
                                       const void *from, cl_uint count, const cl_event *list,
                                       cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(WRITE_IMAGE, is_blocking);
    const struct use use = {memory, 0, 0, WRITE_FORBIDDEN, USE_IMAGE};
    struct rows rows = {0};
    size_t pitch[2] = {0};
    cl_event command = NULL;
    cl_int error = image_rows(memory, origin, region, &rows);
    if (error == CL_SUCCESS)
        error = from ? host_pitch(memory, &rows, row, slice, pitch) : CL_INVALID_VALUE;
    error = transfer_new(&enqueue, &use, NULL, error, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = {.to = memory->data + rows.offset,
                                      .from = from,
                                      .region = {rows.region[0], rows.region[1], rows.region[2]},
                                      .to_pitch = {rows.pitch[0], rows.pitch[1]},
                                      .from_pitch = {pitch[0], pitch[1]}};
    return transfer_give(&enqueue, command, &copy);
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

static bool formats_differ(cl_mem a, cl_mem b)
{
    const struct image *first = image_of(a), *second = image_of(b);
    return first && second &&
           (first->format.image_channel_order != second->format.image_channel_order ||
            first->format.image_channel_data_type != second->format.image_channel_data_type);
}

/* Two regions of one size. */
static bool regions_overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (unsigned i = 0; i < 3; i++)
        if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i])
            return false;
    return true;
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                      const size_t *from_origin, const size_t *to_origin,
                                      const size_t *region, cl_uint count, const cl_event *list,
                                      cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(COPY_IMAGE, false);
    const struct use source = {from, 0, 0, 0, USE_IMAGE}, target = {to, 0, 0, 0, USE_IMAGE};
    struct rows a = {0}, b = {0};
    cl_event command = NULL;
    cl_int error = image_rows(from, from_origin, region, &a);
    if (error == CL_SUCCESS)
        error = image_rows(to, to_origin, region, &b);
    if (error == CL_SUCCESS && formats_differ(from, to))
        error = CL_IMAGE_FORMAT_MISMATCH;
    if (error == CL_SUCCESS && from == to && image_of(from) &&
        regions_overlap(from_origin, to_origin, region))
        error = CL_MEM_COPY_OVERLAP;
    error = transfer_new(&enqueue, &source, &target, error, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = {.to = to->data + b.offset,
                                      .from = from->data + a.offset,
                                      .region = {a.region[0], a.region[1], a.region[2]},
                                      .to_pitch = {b.pitch[0], b.pitch[1]},
                                      .from_pitch = {a.pitch[0], a.pitch[1]}};
    return transfer_give(&enqueue, command, &copy);
}

/* Pixels of an image and the same ones row behind row in a buffer: checked, as a command. */
static cl_int begin_with_buffer(const struct enqueue *enqueue, cl_mem image, cl_mem buffer, size_t offset,
                                const size_t *origin, const size_t *region, struct rows *rows,
                                cl_event *ret_command)
{
    const bool is_from_image = enqueue->type == CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    cl_int error = image_rows(image, origin, region, rows);
    const size_t bytes = error == CL_SUCCESS ? rows->region[0] * rows->region[1] * rows->region[2] : 0;
    const struct use of_image = {image, 0, 0, 0, USE_IMAGE},
                     of_buffer = {buffer, offset, bytes, 0, USE_BUFFER};
    if (image_of(image) && image->parent && image->parent == buffer)
        error = CL_INVALID_MEM_OBJECT;
    return transfer_new(enqueue, is_from_image ? &of_image : &of_buffer,
                        is_from_image ? &of_buffer : &of_image, error, ret_command);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                              const size_t *origin, const size_t *region, size_t offset,
                                              cl_uint count, const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(COPY_IMAGE_TO_BUFFER, false);
    struct rows rows = {0};
    cl_event command = NULL;
    const cl_int error = begin_with_buffer(&enqueue, from, to, offset, origin, region, &rows, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = {.to = to->data + offset,
                                      .from = from->data + rows.offset,
                                      .region = {rows.region[0], rows.region[1], rows.region[2]},
                                      .to_pitch = {rows.region[0], rows.region[0] * rows.region[1]},
                                      .from_pitch = {rows.pitch[0], rows.pitch[1]}};
    return transfer_give(&enqueue, command, &copy);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                                              const size_t *origin, const size_t *region, cl_uint count,
                                              const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(COPY_BUFFER_TO_IMAGE, false);
    struct rows rows = {0};
    cl_event command = NULL;
    const cl_int error = begin_with_buffer(&enqueue, to, from, offset, origin, region, &rows, &command);
    if (error != CL_SUCCESS)
        return error;
    const struct copy_command copy = {.to = to->data + rows.offset,
                                      .from = from->data + offset,
                                      .region = {rows.region[0], rows.region[1], rows.region[2]},
                                      .to_pitch = {rows.pitch[0], rows.pitch[1]},
                                      .from_pitch = {rows.region[0], rows.region[0] * rows.region[1]}};
    return transfer_give(&enqueue, command, &copy);
}

/* ---- Fills --------------------------------------------------------------------------------------------- */

/* `from` is one row, that all others are as. */
static cl_int run_fill(cl_event command)
{
    const struct copy_command *fill = &command->as.copy;
    const cl_mem memory = command->memories[0];
    const struct rows rows = {(size_t)(fill->to - memory->data),
                              {fill->region[0], fill->region[1], fill->region[2]},
                              {fill->to_pitch[0], fill->to_pitch[1]}};
    for (size_t z = 0; z < fill->region[2]; z++)
        for (size_t y = 0; y < fill->region[1]; y++)
            memcpy(fill->to + z * fill->to_pitch[1] + y * fill->to_pitch[0], fill->from, fill->region[0]);
    memory_rows_changed(memory, HX_BUFFER_FILLED, &rows);
    return CL_COMPLETE;
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem memory, const void *color,
                                      const size_t *origin, const size_t *region, cl_uint count,
                                      const cl_event *list, cl_event *ret_event)
{
    const struct enqueue enqueue = ENQUEUE(FILL_IMAGE, false);
    const struct use use = {memory, 0, 0, 0, USE_IMAGE};
    struct rows rows = {0};
    cl_event command = NULL;
    cl_int error = image_rows(memory, origin, region, &rows);
    error = transfer_new(&enqueue, &use, NULL, color ? error : CL_INVALID_VALUE, &command);
    if (error != CL_SUCCESS)
        return error;
    char *row = malloc(rows.region[0]);
    if (!row) {
        command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    unsigned char pixel[16];
    const size_t bytes = image_pixel(&memory->image->format, color, pixel);
    for (size_t at = 0; at < rows.region[0]; at += bytes)
        memcpy(row + at, pixel, bytes);
    command->run = run_fill;
    command->allocated = row;
    command->as.copy = (struct copy_command){.to = memory->data + rows.offset,
                                             .from = row,
                                             .region = {rows.region[0], rows.region[1], rows.region[2]},
                                             .to_pitch = {rows.pitch[0], rows.pitch[1]}};
    return command_give(&enqueue, command);
}
