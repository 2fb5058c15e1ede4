/* Images and samplers: what is written, filled, copied and mapped is there, and kernels read and write it. */
#include "opencl_unit.h"

#include <math.h>
#include <stdbool.h>

static struct unit unit;

static cl_mem image_new(cl_mem_flags flags, cl_image_format format, const cl_image_desc *desc, void *host)
{
    cl_int error;
    cl_mem image = clCreateImage(unit.context, flags, &format, desc, host, &error);
    OK(error);
    return image;
}

static void launch(cl_kernel kernel, size_t width, size_t height, size_t depth)
{
    const size_t range[] = {width, height, depth};
    OK(clEnqueueNDRangeKernel(unit.queue, kernel, 3, NULL, range, NULL, 0, NULL, NULL));
    OK(clFinish(unit.queue));
}

static void set(cl_kernel kernel, cl_uint index, const void *object)
{
    OK(clSetKernelArg(kernel, index, sizeof(void *), object));
}

/* ---- Transfers ----------------------------------------------------------------------------------------- */

struct kind {
    cl_mem_object_type type;
    size_t size[3]; /* layers are the last one */
};
static const struct kind kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, {7, 1, 1}},       {CL_MEM_OBJECT_IMAGE2D, {7, 5, 1}},
    {CL_MEM_OBJECT_IMAGE3D, {7, 5, 3}},       {CL_MEM_OBJECT_IMAGE1D_ARRAY, {7, 4, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, {7, 5, 3}},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)
static const cl_image_format numbers = {CL_R, CL_UNSIGNED_INT32};

static cl_image_desc desc_of(const struct kind *kind)
{
    return (cl_image_desc){.image_type = kind->type,
                           .image_width = kind->size[0],
                           .image_height = kind->size[1],
                           .image_depth = kind->size[2],
                           .image_array_size =
                               kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? kind->size[1] : kind->size[2]};
}

/* Writes numbers, with pitches, and reads a part of them, without. */
static void check_transfers(const struct kind *kind)
{
    const cl_image_desc desc = desc_of(kind);
    const bool has_slices = kind->type != CL_MEM_OBJECT_IMAGE1D && kind->type != CL_MEM_OBJECT_IMAGE2D;
    const bool is_line = kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t zero[3] = {0}, row = 9, slice = is_line ? 11 : row * 6;
    const size_t *size = kind->size, from[] = {2, size[1] > 1, size[2] > 1};
    const size_t part[] = {size[0] - 2, size[1] - from[1], size[2] - from[2]};
    cl_uint host[9 * 6 * 3], found[7 * 5 * 3] = {0}, back[7 * 5 * 3] = {0};
    cl_mem image = image_new(0, numbers, &desc, NULL), buffer = unit_buffer(&unit, sizeof back);
    for (cl_uint i = 0; i < sizeof host / sizeof *host; i++)
        host[i] = 1000 + i;
    OK(clEnqueueWriteImage(unit.queue, image, CL_FALSE, zero, size, row * 4, has_slices ? slice * 4 : 0, host,
                           0, NULL, NULL));
    OK(clEnqueueReadImage(unit.queue, image, CL_TRUE, from, part, 0, 0, found, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(unit.queue, image, buffer, from, part, 4, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit.queue, buffer, CL_TRUE, 4, part[0] * part[1] * part[2] * 4, back, 0, NULL,
                           NULL));
    for (size_t z = 0, i = 0; z < part[2]; z++)
        for (size_t y = 0; y < part[1]; y++)
            for (size_t x = 0; x < part[0]; x++, i++) {
                const size_t at = (x + 2) + (y + from[1]) * (is_line ? slice : row) + (z + from[2]) * slice;
                CHECK(found[i] == 1000 + at && back[i] == 1000 + at);
            }
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

/* From each kind to each: a row of 3 pixels, and as many rows as both have. */
static void check_copies(const struct kind *a, const struct kind *b)
{
    const cl_image_desc desc_a = desc_of(a), desc_b = desc_of(b);
    const size_t zero[3] = {0}, to[] = {4, 0, b->size[2] > 1};
    const size_t region[] = {3, a->size[1] < b->size[1] ? a->size[1] : b->size[1], 1};
    cl_uint host[7 * 5 * 3], found[3 * 5];
    cl_mem from = image_new(0, numbers, &desc_a, NULL), target = image_new(0, numbers, &desc_b, NULL);
    for (cl_uint i = 0; i < sizeof host / sizeof *host; i++)
        host[i] = i;
    OK(clEnqueueWriteImage(unit.queue, from, CL_TRUE, zero, a->size, 0, 0, host, 0, NULL, NULL));
    OK(clEnqueueCopyImage(unit.queue, from, target, zero, to, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(unit.queue, target, CL_TRUE, to, region, 0, 0, found, 0, NULL, NULL));
    for (size_t y = 0; y < region[1]; y++)
        for (size_t x = 0; x < 3; x++)
            CHECK(found[3 * y + x] == 7 * y + x);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(target));
}

/* With the application's memory: a map brings and takes the mapped rows, and no others. */
static void check_maps(void)
{
    cl_uint host[8 * 4], color[4] = {5, 0, 0, 0};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 6, .image_height = 4, .image_row_pitch = 32};
    const size_t zero[3] = {0}, all[] = {6, 4, 1}, origin[] = {1, 1, 0}, region[] = {2, 2, 1},
                 one[] = {1, 1, 1};
    const size_t beside[] = {5, 1, 0};
    size_t pitch = 0, width = 0;
    cl_int error;
    for (cl_uint i = 0; i < 32; i++)
        host[i] = i;
    cl_mem image = image_new(CL_MEM_USE_HOST_PTR, numbers, &desc, host);
    OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    CHECK(pitch == 32 && width == 6);
    OK(clEnqueueFillImage(unit.queue, image, color, zero, all, 0, NULL, NULL));
    cl_uint *mapped = clEnqueueMapImage(unit.queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                        region, &pitch, NULL, 0, NULL, NULL, &error);
    OK(error);
    CHECK(mapped == &host[9] && pitch == 32 && host[9] == 5 && host[18] == 5 && host[8] == 8 &&
          host[12] == 12);
    color[0] = 6; /* of a pixel between the mapped ones */
    OK(clEnqueueFillImage(unit.queue, image, color, beside, one, 0, NULL, NULL));
    mapped[8] = 77;
    OK(clEnqueueUnmapMemObject(unit.queue, image, mapped, 0, NULL, NULL));
    cl_uint found[24];
    OK(clEnqueueReadImage(unit.queue, image, CL_TRUE, zero, all, 0, 0, found, 0, NULL, NULL));
    CHECK(found[6 + 5] == 6 && found[2 * 6 + 1] == 77 && found[2 * 6] == 5 && found[0] == 5);
    OK(clReleaseMemObject(image));
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static const char text[] =
    "#ifndef __IMAGE_SUPPORT__\n"
    "#error no images\n"
    "#endif\n"
    "kernel void sizes(read_only image1d_t a, write_only image2d_t b, read_only image3d_t c, read_only "
    "image1d_array_t d,\n"
    "                  write_only image2d_array_t e, read_only image1d_buffer_t f, global int *out)\n"
    "{ out[0] = get_image_width(a); out[1] = get_image_width(b); out[2] = get_image_height(b);\n"
    "  out[3] = get_image_depth(c); out[4] = (int)get_image_array_size(d); out[5] = "
    "(int)get_image_array_size(e);\n"
    "  out[6] = get_image_width(f); out[7] = get_image_channel_order(a) == CLK_R;\n"
    "  out[8] = get_image_channel_data_type(a) == CLK_UNSIGNED_INT32; out[9] = get_image_dim(c).z; }\n"
    "kernel void write_f(write_only image2d_t out, float4 v) { write_imagef(out, (int2)(get_global_id(0), "
    "0), v); }\n"
    "kernel void write_i(write_only image2d_t out, int4 v) { write_imagei(out, (int2)(get_global_id(0), 0), "
    "v); }\n"
    "kernel void write_ui(write_only image2d_t out, uint4 v) { write_imageui(out, (int2)(get_global_id(0), "
    "0), v); }\n"
    "kernel void beyond(write_only image2d_t out)\n"
    "{ write_imageui(out, (int2)(-1, 0), 9); write_imageui(out, (int2)(4, 0), 9); write_imageui(out, "
    "(int2)(0, 4), 9);\n"
    "  write_imageui(out, (int2)(0x40000000, 0), 9); write_imageui(out, (int2)(0, -1), 9); }\n"
    "kernel void sample(read_only image2d_t in, sampler_t s, global const float2 *at, global float4 *out)\n"
    "{ int i = get_global_id(0); out[i] = read_imagef(in, s, at[i]); }\n"
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void layers(read_only image2d_array_t in, read_only image1d_array_t lines, read_only image3d_t "
    "deep,\n"
    "                   read_only image1d_buffer_t line, global uint *out)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  out[x + 7 * (y + 5 * z)] = read_imageui(in, edge, (int4)(x, y, z, 0)).x + 1000 * read_imageui(deep, "
    "(int4)(x, y, z, 0)).x +\n"
    "      1000000 * read_imageui(lines, edge, (int2)(x, min(y, 3))).x + 100000000 * read_imageui(line, "
    "x).x; }\n"
    "kernel void layers_out(write_only image2d_array_t in, write_only image1d_array_t lines, write_only "
    "image3d_t deep,\n"
    "                       write_only image1d_buffer_t line)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); uint n = x + 7 * (y + 5 * z);\n"
    "  write_imageui(in, (int4)(x, y, z, 0), n); write_imageui(deep, (int4)(x, y, z, 0), 2 * n);\n"
    "  if (z == 0 && y < 4) write_imageui(lines, (int2)(x, y), 10 * y + x);\n"
    "  if (y == 0 && z == 0) write_imageui(line, x, x); }\n";
static const char both[] = "kernel void twice(read_write image2d_t both)\n"
                           "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                           "  write_imageui(both, at, 2 * read_imageui(both, at)); }\n";

/* A fill converts a colour as a kernel does that writes it. */
static void check_formats(cl_program program)
{
    static const float reals[][4] = {
        {0.3f, -0.7f, 1.5f, 0.5f}, {-2, 1, 0.001f, 65520}, {1e-7f, NAN, 6e-5f, 0.1f}};
    static const int whole[][4] = {{-5, 300, 70000, 7}, {-40000, 0, 1, -129}, {127, -128, 32767, 65536}};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 1};
    const size_t zero[3] = {0}, all[] = {3, 1, 1};
    cl_image_format formats[128];
    cl_uint count;
    OK(clGetSupportedImageFormats(unit.context, 0, CL_MEM_OBJECT_IMAGE2D, 128, formats, &count));
    CHECK(count >= 52 && count <= 128);
    cl_kernel kernels[] = {unit_kernel(program, "write_f"), unit_kernel(program, "write_i"),
                           unit_kernel(program, "write_ui")};
    for (cl_uint i = 0; i < 3 * count; i++) {
        const cl_image_format format = formats[i / 3];
        const cl_channel_type type = format.image_channel_data_type;
        const int of = type <= CL_UNORM_INT16 || type >= CL_HALF_FLOAT ? 0 : type <= CL_SIGNED_INT32 ? 1 : 2;
        const void *color = of == 0 ? (const void *)reals[i % 3] : whole[i % 3];
        unsigned char filled[48] = {0}, written[48] = {1};
        size_t bytes;
        cl_mem image = image_new(0, format, &desc, NULL);
        OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes, NULL));
        OK(clEnqueueFillImage(unit.queue, image, color, zero, all, 0, NULL, NULL));
        OK(clEnqueueReadImage(unit.queue, image, CL_TRUE, zero, all, 0, 0, filled, 0, NULL, NULL));
        set(kernels[of], 0, &image);
        OK(clSetKernelArg(kernels[of], 1, 16, color));
        launch(kernels[of], 3, 1, 1);
        OK(clEnqueueReadImage(unit.queue, image, CL_TRUE, zero, all, 0, 0, written, 0, NULL, NULL));
        for (size_t k = 0; k < 3 * bytes; k++)
            if (filled[k] != written[k]) {
                fprintf(stderr, "format %x %x, colour %u: byte %zu is %d filled and %d written\n",
                        format.image_channel_order, type, i % 3, k, filled[k], written[k]);
                exit(1);
            }
        OK(clReleaseMemObject(image));
    }
    for (size_t i = 0; i < 3; i++)
        OK(clReleaseKernel(kernels[i]));
}

/* The index that an addressing mode makes of one (OpenCL C 3.0, 8.2, for coordinates that are whole); -1: the
 * border. */
static int place(int index, int size, cl_addressing_mode mode)
{
    if (mode == CL_ADDRESS_REPEAT)
        return ((index % size) + size) % size;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT) {
        index = ((index % (2 * size)) + 2 * size) % (2 * size);
        return index < size ? index : 2 * size - 1 - index;
    }
    if (mode == CL_ADDRESS_CLAMP)
        return index < 0 || index >= size ? -1 : index;
    return index < 0 ? 0 : index >= size ? size - 1 : index;
}

/* An image whose pixel (x, y) is x + 10 y, with one channel: beyond the ends it is 0 and opaque. */
static float pixel_at(int x, int y, cl_addressing_mode mode)
{
    x = place(x, 8, mode);
    y = place(y, 4, mode);
    return x < 0 || y < 0 ? 0.0f : (float)(x + 10 * y);
}

static float expected(float x, float y, cl_addressing_mode mode, cl_filter_mode filter)
{
    if (filter == CL_FILTER_NEAREST)
        return pixel_at((int)floorf(x), (int)floorf(y), mode);
    const int left = (int)floorf(x - 0.5f), low = (int)floorf(y - 0.5f);
    const float a = x - 0.5f - (float)left, b = y - 0.5f - (float)low;
    return (1 - a) * (1 - b) * pixel_at(left, low, mode) + a * (1 - b) * pixel_at(left + 1, low, mode) +
           (1 - a) * b * pixel_at(left, low + 1, mode) + a * b * pixel_at(left + 1, low + 1, mode);
}

#define PLACES 256
static void check_sampler(cl_kernel kernel, cl_mem image, bool is_normalized, cl_addressing_mode mode,
                          cl_filter_mode filter)
{
    float places[2 * PLACES], found[4 * PLACES];
    cl_int error;
    cl_sampler sampler = clCreateSampler(unit.context, is_normalized, mode, filter, &error);
    OK(error);
    for (int i = 0; i < PLACES; i++) { /* three times the image, at 1/512: sums are exact */
        places[2 * i] = (float)(i * 1187 % 12288) / 512.0f - 8.0f;
        places[2 * i + 1] = (float)(i * 743 % 6144) / 512.0f - 4.0f;
        if (is_normalized) {
            places[2 * i] /= 8;
            places[2 * i + 1] /= 4;
        }
    }
    cl_mem at = clCreateBuffer(unit.context, CL_MEM_COPY_HOST_PTR, sizeof places, places, &error);
    OK(error);
    cl_mem out = unit_buffer(&unit, sizeof found);
    set(kernel, 0, &image);
    set(kernel, 1, &sampler);
    set(kernel, 2, &at);
    set(kernel, 3, &out);
    OK(clReleaseSampler(sampler)); /* the kernel has its value */
    launch(kernel, PLACES, 1, 1);
    OK(clEnqueueReadBuffer(unit.queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < PLACES; i++) {
        const float x = places[2 * i] * (is_normalized ? 8 : 1),
                    y = places[2 * i + 1] * (is_normalized ? 4 : 1);
        const float want = expected(x, y, mode, filter);
        if (found[4 * i] != want || found[4 * i + 1] != 0 || found[4 * i + 3] != 1) {
            fprintf(stderr, "sampler %d %x %x at %g, %g: %g, not %g; alpha %g\n", is_normalized, mode, filter,
                    x, y, found[4 * i], want, found[4 * i + 3]);
            exit(1);
        }
    }
    OK(clReleaseMemObject(at));
    OK(clReleaseMemObject(out));
}

static void check_samplers(cl_program program)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    float pixels[32];
    for (int i = 0; i < 32; i++)
        pixels[i] = (float)(i % 8 + 10 * (i / 8));
    cl_mem image =
        image_new(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, (cl_image_format){CL_R, CL_FLOAT}, &desc, pixels);
    cl_kernel kernel = unit_kernel(program, "sample");
    for (cl_addressing_mode mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
        for (cl_filter_mode filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++) {
            check_sampler(kernel, image, true, mode, filter);
            if (mode <= CL_ADDRESS_CLAMP)
                check_sampler(kernel, image, false, mode, filter);
        }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(image));
}

/* Kernels write all kinds, and read what they wrote. */
static void check_kinds(cl_program program)
{
    cl_mem images[4], buffer = unit_buffer(&unit, 7 * 4), out = unit_buffer(&unit, 7 * 5 * 3 * 4);
    const cl_image_desc of_buffer = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 7, .mem_object = buffer};
    const unsigned which[] = {4, 3, 2};
    cl_kernel write = unit_kernel(program, "layers_out"), read = unit_kernel(program, "layers");
    for (cl_uint i = 0; i < 4; i++) {
        const cl_image_desc desc = i < 3 ? desc_of(&kinds[which[i]]) : of_buffer;
        images[i] = image_new(0, numbers, &desc, NULL);
        set(write, i, &images[i]);
        set(read, i, &images[i]);
    }
    set(read, 4, &out);
    launch(write, 7, 5, 3);
    launch(read, 7, 5, 3);
    cl_uint found[7 * 5 * 3], line[7];
    OK(clEnqueueReadBuffer(unit.queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit.queue, buffer, CL_TRUE, 0, sizeof line, line, 0, NULL, NULL));
    for (cl_uint i = 0; i < 7 * 5 * 3; i++) {
        const cl_uint x = i % 7, y = i / 7 % 5;
        CHECK(found[i] == i + 1000 * 2 * i + 1000000 * (10 * (y < 3 ? y : 3) + x) + 100000000 * x);
    }
    for (cl_uint i = 0; i < 7; i++)
        CHECK(line[i] == i);
    for (cl_uint i = 0; i < 4; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseKernel(write));
    OK(clReleaseKernel(read));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(out));
}

/* What kernels learn of images, and the host of their arguments. */
static void check_sizes(cl_program program)
{
    static const int want[] = {7, 7, 5, 3, 4, 3, 6, 1, 1, 3};
    cl_kernel kernel = unit_kernel(program, "sizes");
    cl_mem images[6], buffer = unit_buffer(&unit, 24), out = unit_buffer(&unit, sizeof want);
    const cl_image_desc of_buffer = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 6, .mem_object = buffer};
    for (cl_uint i = 0; i < 6; i++) {
        const cl_image_desc desc = i < 5 ? desc_of(&kinds[i]) : of_buffer;
        images[i] = image_new(0, numbers, &desc, NULL);
        set(kernel, i, &images[i]);
    }
    set(kernel, 6, &out);
    launch(kernel, 1, 1, 1);
    int found[10];
    OK(clEnqueueReadBuffer(unit.queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (size_t i = 0; i < 10; i++)
        CHECK(found[i] == want[i]);
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_address_qualifier space;
    char name[64];
    OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    CHECK(access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && space == CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK(strcmp(name, "image2d_t") == 0);
    cl_mem of;
    cl_mem_object_type type;
    OK(clGetImageInfo(images[5], CL_IMAGE_BUFFER, sizeof of, &of, NULL));
    OK(clGetMemObjectInfo(images[4], CL_MEM_TYPE, sizeof type, &type, NULL));
    CHECK(of == buffer && type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    for (cl_uint i = 0; i < 6; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(out));
}

/* Writes beyond the ends do nothing; an image over a buffer has its bytes, at the pitch that it was given. */
static void check_over_buffer(cl_program program)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_image_desc of_buffer = desc;
    cl_uint host[32], found[32];
    cl_int error;
    for (cl_uint i = 0; i < 32; i++)
        host[i] = i;
    cl_mem buffer = clCreateBuffer(unit.context, CL_MEM_COPY_HOST_PTR, sizeof host, host, &error);
    OK(error);
    of_buffer.mem_object = buffer;
    of_buffer.image_row_pitch = 32;
    cl_mem image = image_new(0, numbers, &of_buffer, NULL);
    cl_kernel beyond = unit_kernel(program, "beyond");
    cl_program of_both = unit_build(&unit, both, "-cl-std=CL3.0");
    cl_kernel twice = unit_kernel(of_both, "twice");
    set(beyond, 0, &image);
    set(twice, 0, &image);
    launch(beyond, 1, 1, 1);
    launch(twice, 4, 4, 1);
    OK(clEnqueueReadBuffer(unit.queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (cl_uint i = 0; i < 32; i++)
        CHECK(found[i] == (i % 8 < 4 ? 2 * i : i));
    OK(clReleaseMemObject(buffer)); /* the image keeps it */
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(beyond));
    OK(clReleaseKernel(twice));
    OK(clReleaseProgram(of_both));
}

int main(void)
{
    unit = unit_new(0);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        check_transfers(&kinds[i]);
        for (size_t k = 0; k < KIND_COUNT; k++)
            check_copies(&kinds[i], &kinds[k]);
    }
    check_maps();
    cl_program program = unit_build(&unit, text, NULL);
    check_formats(program);
    check_samplers(program);
    check_kinds(program);
    check_sizes(program);
    check_over_buffer(program);
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
