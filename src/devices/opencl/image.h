/* Images and samplers of the OpenCL driver.
 *
 * An image is a memory object (struct _cl_mem) with a struct image: its pixels are the bytes of a buffer of
 * hexec's, row behind row, and kernels get the address of a descriptor (docs/ptx.md, "Textures"), which is a
 * buffer, too. What kernels do with images is in the device library, src/ptx/library/images.cl.
 *
 * All kinds have three sizes and three steps. Layers are the size behind those of one layer, so that a place
 * in a 1D array is (x, layer), as in the calls of OpenCL. */
#pragma once

#include "devices/opencl/opencl.h"

/* The largest sizes: CL_DEVICE_IMAGE2D_MAX_..., IMAGE3D_MAX_..., IMAGE_MAX_ARRAY_SIZE, and
 * IMAGE_MAX_BUFFER_SIZE in pixels. */
#define IMAGE_FLAT_MOST   16384
#define IMAGE_DEEP_MOST   2048
#define IMAGE_LAYERS_MOST 2048
#define IMAGE_BUFFER_MOST ((size_t)1 << 24)

/* What an image is. */
struct image {
    cl_mem_object_type type;
    cl_image_format format;
    size_t size[3]; /* 1 where there is none */
    size_t step[3]; /* bytes from pixel to pixel, and to the next in the second and third size */
    size_t row_pitch, slice_pitch;
    hx_buffer *descriptor;
};

/* The size that has the layers: 1 of a 1D array, 2 of a 2D array, 0 of others. */
unsigned image_layers_at(cl_mem_object_type type);
/* How many of the three sizes it has: 1 to 3. */
unsigned image_sizes_of(cl_mem_object_type type);

/* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int image_format_check(const cl_image_format *format);
/* Of a format that is supported. */
unsigned image_channels(const cl_image_format *format);
size_t image_pixel_bytes(const cl_image_format *format);
/* Writes a pixel of this colour, converted as write_imagef, write_imagei and write_imageui do: `color` has
 * four floats, ints or unsigned ints. Gives the pixel's bytes, at most 16. */
size_t image_pixel(const cl_image_format *format, const void *color, unsigned char *ret_bytes);

/* The address that kernels get. */
uint64_t image_address(cl_mem memory);
/* Frees it with its memory object. */
void image_done(struct image *image);

struct _cl_sampler {
    struct object object;
    cl_context context;
    cl_bool is_normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties list[8]; /* as given */
    size_t list_count;
};
/* The value that kernels get: bits of sampler_t. */
uint64_t sampler_bits(cl_sampler sampler);
void sampler_drop(cl_sampler sampler);
