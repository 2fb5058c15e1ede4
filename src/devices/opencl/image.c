/* Images: how they are made, and what they are.
 *
 * An image has a buffer of its own, with the pitches of the application's memory if it was given some, or it
 * is made over a buffer of the application's. */
#include "devices/opencl/image.h"

#include <stdlib.h>
#include <string.h>

/* What kernels read, as docs/ptx.md describes it. */
struct descriptor {
    uint64_t data;
    uint32_t width, height, depth, layers;
    uint32_t row_bytes, pixel_bytes;
    uint64_t slice_bytes;
    uint32_t type, order, channels, sampler;
    uint64_t unused;
    float border[4];
};

unsigned image_layers_at(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 2 : 0;
}

unsigned image_sizes_of(cl_mem_object_type type)
{
    if (type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return 3;
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 2 : 1;
}

static bool is_over_buffer(const cl_image_desc *desc)
{
    return desc->mem_object != NULL;
}

/* ---- Sizes and pitches --------------------------------------------------------------------------------- */

static cl_int read_sizes(const cl_image_desc *desc, struct image *image)
{
    const cl_mem_object_type type = desc->image_type;
    const bool is_3d = type == CL_MEM_OBJECT_IMAGE3D;
    const size_t most = is_3d                                  ? IMAGE_DEEP_MOST
                        : type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? IMAGE_BUFFER_MOST
                                                               : IMAGE_FLAT_MOST;
    const unsigned layers_at = image_layers_at(type), count = image_sizes_of(type);
    const size_t given[] = {desc->image_width, desc->image_height, desc->image_depth};
    for (unsigned i = 0; i < 3; i++) {
        const bool is_layers = layers_at && i == layers_at;
        image->size[i] = i >= count ? 1 : is_layers ? desc->image_array_size : given[i];
        if (image->size[i] == 0)
            return CL_INVALID_IMAGE_DESCRIPTOR;
        if (image->size[i] > (is_layers ? IMAGE_LAYERS_MOST : most))
            return CL_INVALID_IMAGE_SIZE;
    }
    return CL_SUCCESS;
}

/* Pitches that the application may choose for its memory: `host`, or a buffer. Those of a size that the image
 * does not have count for nothing. */
static cl_int read_pitches(const cl_image_desc *desc, const void *host, struct image *image)
{
    const unsigned count = image_sizes_of(image->type), layers_at = image_layers_at(image->type);
    const size_t pixel = image_pixel_bytes(&image->format), least = image->size[0] * pixel;
    const size_t row = desc->image_row_pitch, slice = desc->image_slice_pitch;
    const size_t rows = layers_at == 1 ? 1 : image->size[1];
    if (!host && !is_over_buffer(desc) && (row || slice))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (row && (row < least || row % pixel != 0 || row > UINT32_MAX))
        return is_over_buffer(desc) ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR;
    image->row_pitch = row ? row : least;
    const bool has_slices = count == 3 || layers_at == 1;
    if (has_slices && slice && (slice / rows < image->row_pitch || slice % image->row_pitch != 0))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    image->slice_pitch = !has_slices ? 0 : slice ? slice : image->row_pitch * rows;
    image->step[0] = pixel;
    image->step[1] = layers_at == 1 ? image->slice_pitch : image->row_pitch;
    image->step[2] = image->slice_pitch;
    return CL_SUCCESS;
}

static cl_int bytes_of(const struct image *image, size_t *ret_bytes)
{
    const unsigned count = image_sizes_of(image->type);
    const size_t slices = count == 1 ? 1 : image->size[count - 1];
    const size_t pitch = count == 1 ? image->row_pitch : image->step[count - 1];
    cl_ulong most = 0;
    (void)clGetDeviceInfo(device_list_all()->items[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most,
                          NULL);
    return __builtin_mul_overflow(pitch, slices, ret_bytes) || *ret_bytes > most ? CL_INVALID_IMAGE_SIZE
                                                                                 : CL_SUCCESS;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static cl_int check_parent(cl_context context, cl_mem_flags flags, const cl_image_desc *desc,
                           const void *host)
{
    const cl_mem parent = desc->mem_object;
    const bool needs_one = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const bool may_have_one = needs_one || desc->image_type == CL_MEM_OBJECT_IMAGE2D;
    if (!parent)
        return needs_one ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
    if (!may_have_one || !memory_is_buffer(parent))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (parent->context != context)
        return CL_INVALID_CONTEXT;
    if (host)
        return CL_INVALID_HOST_PTR;
    return memory_part_flags_are_good(parent, flags) ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int check_new(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                        const cl_image_desc *desc, const void *host)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!memory_flags_are_good(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
        return CL_INVALID_VALUE;
    const cl_int error = image_format_check(format);
    if (error == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        return error;
    if (!desc || desc->image_type < CL_MEM_OBJECT_IMAGE2D ||
        desc->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER || desc->num_mip_levels || desc->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (error != CL_SUCCESS)
        return error;
    const cl_int of_parent = check_parent(context, flags, desc, host);
    const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (of_parent != CL_SUCCESS || is_over_buffer(desc))
        return of_parent;
    return wants_host == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* The colour beyond the ends: opaque where a pixel has no alpha (OpenCL C 3.0, 6.15.15.1). */
static float border_alpha(cl_channel_order order)
{
    return order == CL_R || order == CL_RG ? 1.0f : 0.0f;
}

static cl_int make_descriptor(cl_mem memory)
{
    struct image *image = memory->image;
    const unsigned layers_at = image_layers_at(image->type);
    const struct descriptor made = {
        .data = hx_buffer_address(memory->buffer) + memory->origin,
        .width = (uint32_t)image->size[0],
        .height = layers_at == 1 ? 1 : (uint32_t)image->size[1],
        .depth = layers_at == 2 ? 1 : (uint32_t)image->size[2],
        .layers = layers_at ? (uint32_t)image->size[layers_at] : 0,
        .row_bytes = (uint32_t)image->row_pitch,
        .pixel_bytes = (uint32_t)image->step[0],
        .slice_bytes = image->slice_pitch,
        .type = image->format.image_channel_data_type,
        .order = image->format.image_channel_order,
        .channels = image_channels(&image->format),
        .border = {0, 0, 0, border_alpha(image->format.image_channel_order)},
    };
    if (hx_buffer_new(device_get(), "descriptor of an image", sizeof made, HX_ACCESS_READ, NULL,
                      &image->descriptor) != HX_OK)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memcpy(hx_buffer_data(image->descriptor), &made, sizeof made);
    return CL_SUCCESS;
}

static cl_int place_over(cl_mem memory, cl_mem parent)
{
    if (memory->bytes > parent->bytes)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    memory_be_part(memory, parent, 0);
    return CL_SUCCESS;
}

static cl_mem make(cl_context context, cl_mem_flags flags, const struct image *wanted, cl_mem parent,
                   void *host, cl_int *ret_error)
{
    size_t bytes = 0;
    *ret_error = bytes_of(wanted, &bytes);
    if (*ret_error != CL_SUCCESS)
        return NULL;
    cl_mem memory = memory_new(context, parent ? memory_flags_of_part(flags, parent->flags) : flags, bytes);
    if (memory)
        memory->image = malloc(sizeof *memory->image);
    *ret_error = memory && memory->image ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (*ret_error == CL_SUCCESS) {
        *memory->image = *wanted;
        *ret_error = parent ? place_over(memory, parent) : memory_fill(memory, "image", host);
    }
    if (*ret_error == CL_SUCCESS)
        *ret_error = make_descriptor(memory);
    if (*ret_error == CL_SUCCESS)
        return memory;
    if (memory)
        memory_drop(memory);
    return NULL;
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                 const cl_image_desc *desc, void *host, cl_int *ret_error)
{
    struct image image = {0};
    cl_mem memory = NULL;
    cl_int error = check_new(context, flags, format, desc, host);
    if (error == CL_SUCCESS) {
        image.type = desc->image_type;
        image.format = *format;
        error = read_sizes(desc, &image);
    }
    if (error == CL_SUCCESS)
        error = read_pitches(desc, host, &image);
    if (error == CL_SUCCESS)
        memory = make(context, flags, &image, desc->mem_object, host, &error);
    if (ret_error)
        *ret_error = error;
    return memory;
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *desc, void *host, cl_int *ret_error)
{
    if (object_is(context, OBJECT_CONTEXT) && properties && properties[0] != 0) {
        if (ret_error)
            *ret_error = CL_INVALID_PROPERTY;
        return NULL;
    }
    cl_mem memory = clCreateImage(context, flags, format, desc, host, ret_error);
    if (memory)
        memory->property_count = properties ? 1 : 0;
    return memory;
}

/* The functions of OpenCL 1.1 have one error for sizes and pitches. */
static cl_mem make_as_before(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                             const cl_image_desc *desc, void *host, cl_int *ret_error)
{
    cl_int error = CL_SUCCESS;
    cl_mem memory = clCreateImage(context, flags, format, desc, host, &error);
    if (ret_error)
        *ret_error = error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error;
    return memory;
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                   size_t width, size_t height, size_t row_pitch, void *host,
                                   cl_int *ret_error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};
    return make_as_before(context, flags, format, &desc, host, ret_error);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                   size_t width, size_t height, size_t depth, size_t row_pitch,
                                   size_t slice_pitch, void *host, cl_int *ret_error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth > 1 ? depth : 0, /* 1 is too few there */
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    return make_as_before(context, flags, format, &desc, host, ret_error);
}

uint64_t image_address(cl_mem memory)
{
    return hx_buffer_address(memory->image->descriptor);
}

void image_done(struct image *image)
{
    if (image)
        hx_buffer_free(device_get(), image->descriptor);
    free(image);
}

/* ---- What an image is ---------------------------------------------------------------------------------- */

cl_int CL_API_CALL clGetImageInfo(cl_mem memory, cl_image_info name, size_t room, void *value,
                                  size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(memory, OBJECT_MEMORY) || !memory->image)
        return CL_INVALID_MEM_OBJECT;
    const struct image *image = memory->image;
    const unsigned count = image_sizes_of(image->type), layers_at = image_layers_at(image->type);
    switch (name) {
    case CL_IMAGE_FORMAT:
        return ANSWER(&answer, cl_image_format, image->format.image_channel_order,
                      image->format.image_channel_data_type);
    case CL_IMAGE_ELEMENT_SIZE:
        return ANSWER(&answer, size_t, image->step[0]);
    case CL_IMAGE_ROW_PITCH:
        return ANSWER(&answer, size_t, image->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return ANSWER(&answer, size_t, image->slice_pitch);
    case CL_IMAGE_WIDTH:
        return ANSWER(&answer, size_t, image->size[0]);
    case CL_IMAGE_HEIGHT:
        return ANSWER(&answer, size_t, count > 1 && layers_at != 1 ? image->size[1] : 0);
    case CL_IMAGE_DEPTH:
        return ANSWER(&answer, size_t, image->type == CL_MEM_OBJECT_IMAGE3D ? image->size[2] : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return ANSWER(&answer, size_t, layers_at ? image->size[layers_at] : 0);
    case CL_IMAGE_BUFFER:
        return ANSWER(&answer, cl_mem, memory->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return ANSWER(&answer, cl_uint, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
