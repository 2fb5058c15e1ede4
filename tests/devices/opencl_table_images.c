/* The errors that functions of images and samplers return: one row for each error that the specification
 * lists and that a program can get. */
#include "opencl_table_unit.h"

#define NOT_A_SAMPLER ((cl_sampler)(void *)unit.context)

static cl_mem flat, deep, layers, line, floats, image_of_other, images_read, images_write, no_host_image,
    read_only_host_image, write_only_host_image;
static cl_sampler sampler;
static cl_kernel pixels;
static const cl_image_format bytes4 = {CL_RGBA, CL_UNSIGNED_INT8}, float4 = {CL_RGBA, CL_FLOAT};
static const size_t four3[] = {4, 4, 1};

static cl_mem image_new(const struct unit *of, cl_mem_flags flags, const cl_image_format *format,
                        cl_mem_object_type type, size_t depth)
{
    cl_int error;
    const cl_image_desc desc = {.image_type = type,
                                .image_width = 4,
                                .image_height = 4,
                                .image_depth = depth,
                                .image_array_size = depth};
    cl_mem image = clCreateImage(of->context, flags, format, &desc, NULL, &error);
    OK(error);
    return image;
}

static void set_up_images(void)
{
    static const char text[] =
        "kernel void pixels(read_only image2d_t in, write_only image2d_t out, sampler_t s, global uint *x)\n"
        "{ write_imageui(out, (int2)(0, 0), read_imageui(in, s, (int2)(x[0], 0))); }\n";
    cl_int error;
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = x};
    flat = image_new(&unit, 0, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    deep = image_new(&unit, 0, &bytes4, CL_MEM_OBJECT_IMAGE3D, 4);
    layers = image_new(&unit, 0, &bytes4, CL_MEM_OBJECT_IMAGE2D_ARRAY, 4);
    floats = image_new(&unit, 0, &float4, CL_MEM_OBJECT_IMAGE2D, 0);
    image_of_other = image_new(&other, 0, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    images_read = image_new(&unit, CL_MEM_READ_ONLY, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    images_write = image_new(&unit, CL_MEM_WRITE_ONLY, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    no_host_image = image_new(&unit, CL_MEM_HOST_NO_ACCESS, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    read_only_host_image = image_new(&unit, CL_MEM_HOST_READ_ONLY, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    write_only_host_image = image_new(&unit, CL_MEM_HOST_WRITE_ONLY, &bytes4, CL_MEM_OBJECT_IMAGE2D, 0);
    line = clCreateImage(unit.context, 0, &bytes4, &desc, NULL, &error);
    OK(error);
    sampler = clCreateSampler(unit.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    OK(error);
    cl_program of_pixels = unit_build(&unit, text, NULL);
    pixels = unit_kernel(of_pixels, "pixels");
    OK(clReleaseProgram(of_pixels));
}

#define MAKES(want, how, ...) OBJECT_ROW(clCreateImage, want, how, __VA_ARGS__)
static void try_making(void)
{
    static const cl_image_format unknown = {CL_RGBA, 1}, packed = {CL_RGB, CL_UNORM_SHORT_565},
                                 wrong_pair = {CL_BGRA, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    MAKES(CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 0, &bytes4, &desc, NULL);
    MAKES(CL_INVALID_VALUE, "flags", unit.context, 1 << 30, &bytes4, &desc, NULL);
    MAKES(CL_INVALID_VALUE, "read and write only", unit.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
          &bytes4, &desc, NULL);
    MAKES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format", unit.context, 0, NULL, &desc, NULL);
    MAKES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "unknown type", unit.context, 0, &unknown, &desc, NULL);
    MAKES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "BGRA of floats", unit.context, 0, &wrong_pair, &desc, NULL);
    MAKES(CL_IMAGE_FORMAT_NOT_SUPPORTED, "565", unit.context, 0, &packed, &desc, NULL);
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "no description", unit.context, 0, &bytes4, NULL, NULL);
    MAKES(CL_INVALID_HOST_PTR, "memory without a flag", unit.context, 0, &bytes4, &desc, host);
    MAKES(CL_INVALID_HOST_PTR, "a flag without memory", unit.context, CL_MEM_USE_HOST_PTR, &bytes4, &desc,
          NULL);
    desc.image_row_pitch = 16;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "a pitch without memory", unit.context, 0, &bytes4, &desc, NULL);
    desc.image_row_pitch = 8;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "a small pitch", unit.context, CL_MEM_COPY_HOST_PTR, &bytes4, &desc,
          host);
    desc.image_row_pitch = 18;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "an odd pitch", unit.context, CL_MEM_COPY_HOST_PTR, &bytes4, &desc,
          host);
    desc.image_row_pitch = 0;
    desc.num_mip_levels = 1;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "mip levels", unit.context, 0, &bytes4, &desc, NULL);
    desc.num_mip_levels = 0;
    desc.image_width = 0;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "no width", unit.context, 0, &bytes4, &desc, NULL);
    desc.image_width = 1 << 20;
    MAKES(CL_INVALID_IMAGE_SIZE, "a large width", unit.context, 0, &bytes4, &desc, NULL);
    desc.image_width = 4;
    desc.image_type = CL_MEM_OBJECT_BUFFER;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "no type of an image", unit.context, 0, &bytes4, &desc, NULL);
    const cl_mem_properties property[] = {CL_MEM_TYPE, 1, 0};
    OBJECT_ROW(clCreateImageWithProperties, CL_INVALID_PROPERTY, "a property", unit.context, property, 0,
               &bytes4, &desc, NULL);
    OBJECT_ROW(clCreateImage2D, CL_INVALID_IMAGE_SIZE, "no height", unit.context, 0, &bytes4, 4, 0, 0, NULL);
    OBJECT_ROW(clCreateImage2D, CL_INVALID_IMAGE_SIZE, "a small pitch", unit.context, CL_MEM_COPY_HOST_PTR,
               &bytes4, 4, 4, 8, host);
    OBJECT_ROW(clCreateImage3D, CL_INVALID_IMAGE_SIZE, "one slice", unit.context, 0, &bytes4, 4, 4, 1, 0, 0,
               NULL);
}

static void try_making_over_buffers(void)
{
    cl_image_desc desc = {.image_width = 4, .image_height = 4};
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "no buffer", unit.context, 0, &bytes4, &desc, NULL);
    desc.mem_object = flat;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "over an image", unit.context, 0, &bytes4, &desc, NULL);
    desc.mem_object = of_other;
    MAKES(CL_INVALID_CONTEXT, "another's buffer", unit.context, 0, &bytes4, &desc, NULL);
    desc.mem_object = x;
    desc.image_width = 257;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "more than the buffer", unit.context, 0, &bytes4, &desc, NULL);
    MAKES(CL_INVALID_VALUE, "flags of memory", unit.context, CL_MEM_ALLOC_HOST_PTR, &bytes4, &desc, NULL);
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 4;
    desc.image_row_pitch = 18;
    MAKES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an odd pitch in a buffer", unit.context, 0, &bytes4, &desc,
          NULL);
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, "3D over a buffer", unit.context, 0, &bytes4, &desc, NULL);
}
#undef MAKES

static void try_asking(void)
{
    cl_image_format format;
    cl_uint count;
    ROW(clGetSupportedImageFormats, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 0, CL_MEM_OBJECT_IMAGE2D,
        1, &format, &count);
    ROW(clGetSupportedImageFormats, CL_INVALID_VALUE, "flags", unit.context, 1 << 30, CL_MEM_OBJECT_IMAGE2D,
        1, &format, &count);
    ROW(clGetSupportedImageFormats, CL_INVALID_VALUE, "type", unit.context, 0, CL_MEM_OBJECT_BUFFER, 1,
        &format, &count);
    ROW(clGetSupportedImageFormats, CL_INVALID_VALUE, "room for none", unit.context, 0, CL_MEM_OBJECT_IMAGE2D,
        0, &format, &count);
    ROW(clGetImageInfo, CL_INVALID_MEM_OBJECT, "a buffer", x, CL_IMAGE_WIDTH, 0, NULL, NULL);
    ROW(clGetImageInfo, CL_INVALID_MEM_OBJECT, "no image", NOT_A_MEMORY, CL_IMAGE_WIDTH, 0, NULL, NULL);
    ROW(clGetImageInfo, CL_INVALID_VALUE, "unknown name", flat, 1, 0, NULL, NULL);
    ROW(clGetImageInfo, CL_INVALID_VALUE, "little room", flat, CL_IMAGE_WIDTH, 1, host, NULL);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, "of an image", flat, 0, CL_BUFFER_CREATE_TYPE_REGION,
               zero3);
}

static void try_samplers(void)
{
    static const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                                  CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0},
                                       unknown[] = {1, 1, 0},
                                       bad_value[] = {CL_SAMPLER_ADDRESSING_MODE, 1, 0};
    OBJECT_ROW(clCreateSampler, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 0, CL_ADDRESS_NONE,
               CL_FILTER_LINEAR);
    OBJECT_ROW(clCreateSampler, CL_INVALID_VALUE, "addressing", unit.context, 0, 0, CL_FILTER_LINEAR);
    OBJECT_ROW(clCreateSampler, CL_INVALID_VALUE, "filter", unit.context, 0, CL_ADDRESS_NONE, 0);
    OBJECT_ROW(clCreateSampler, CL_INVALID_VALUE, "normalized", unit.context, 2, CL_ADDRESS_NONE,
               CL_FILTER_LINEAR);
    OBJECT_ROW(clCreateSamplerWithProperties, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, NULL);
    OBJECT_ROW(clCreateSamplerWithProperties, CL_INVALID_VALUE, "a name twice", unit.context, twice);
    OBJECT_ROW(clCreateSamplerWithProperties, CL_INVALID_VALUE, "a name", unit.context, unknown);
    OBJECT_ROW(clCreateSamplerWithProperties, CL_INVALID_VALUE, "a value", unit.context, bad_value);
    ROW(clRetainSampler, CL_INVALID_SAMPLER, "no sampler", NOT_A_SAMPLER);
    ROW(clReleaseSampler, CL_INVALID_SAMPLER, "no sampler", NOT_A_SAMPLER);
    ROW(clGetSamplerInfo, CL_INVALID_SAMPLER, "no sampler", NOT_A_SAMPLER, CL_SAMPLER_CONTEXT, 0, NULL, NULL);
    ROW(clGetSamplerInfo, CL_INVALID_VALUE, "unknown name", sampler, 1, 0, NULL, NULL);
    ROW(clGetSamplerInfo, CL_INVALID_VALUE, "little room", sampler, CL_SAMPLER_CONTEXT, 1, host, NULL);
}

static void try_arguments(void)
{
    cl_mem none = NULL;
    ROW(clSetKernelArg, CL_INVALID_MEM_OBJECT, "no image", pixels, 0, sizeof flat, NULL);
    ROW(clSetKernelArg, CL_INVALID_ARG_SIZE, "a size", pixels, 0, 4, &flat);
    ROW(clSetKernelArg, CL_INVALID_MEM_OBJECT, "NULL", pixels, 0, sizeof none, &none);
    ROW(clSetKernelArg, CL_INVALID_MEM_OBJECT, "a buffer", pixels, 0, sizeof x, &x);
    ROW(clSetKernelArg, CL_INVALID_ARG_VALUE, "another kind", pixels, 0, sizeof deep, &deep);
    ROW(clSetKernelArg, CL_INVALID_ARG_VALUE, "only written", pixels, 0, sizeof images_write, &images_write);
    ROW(clSetKernelArg, CL_INVALID_ARG_VALUE, "only read", pixels, 1, sizeof images_read, &images_read);
    ROW(clSetKernelArg, CL_SUCCESS, "only written, and so it is", pixels, 1, sizeof images_write,
        &images_write);
    ROW(clSetKernelArg, CL_INVALID_SAMPLER, "no sampler", pixels, 2, sizeof sampler, NULL);
    ROW(clSetKernelArg, CL_INVALID_ARG_SIZE, "a size", pixels, 2, 4, &sampler);
    ROW(clSetKernelArg, CL_INVALID_SAMPLER, "an image", pixels, 2, sizeof flat, &flat);
    ROW(clSetKernelArg, CL_INVALID_MEM_OBJECT, "an image for a buffer", pixels, 3, sizeof flat, &flat);
    ROW(clSetKernelArgSVMPointer, CL_INVALID_ARG_VALUE, "an image", pixels, 0, NULL);
    ROW(clEnqueueNDRangeKernel, CL_INVALID_KERNEL_ARGS, "not all are set", unit.queue, pixels, 1, NULL, one3,
        NULL, 0, NULL, NULL);
}

#define END 0, NULL, NULL
static void try_reads(void)
{
    static const size_t row_beyond[] = {0, 4, 0}, slice[] = {0, 0, 1}, none[] = {4, 0, 1};
#define READS(want, how, ...) ROW(clEnqueueReadImage, want, how, __VA_ARGS__, END)
    READS(CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, 1, zero3, four3, 0, 0, host);
    READS(CL_INVALID_CONTEXT, "another's", unit.queue, image_of_other, 1, zero3, four3, 0, 0, host);
    READS(CL_INVALID_MEM_OBJECT, "a buffer", unit.queue, x, 1, zero3, four3, 0, 0, host);
    READS(CL_INVALID_VALUE, "no memory", unit.queue, flat, 1, zero3, four3, 0, 0, NULL);
    READS(CL_INVALID_VALUE, "no origin", unit.queue, flat, 1, NULL, four3, 0, 0, host);
    READS(CL_INVALID_VALUE, "no region", unit.queue, flat, 1, zero3, NULL, 0, 0, host);
    READS(CL_INVALID_VALUE, "beyond", unit.queue, flat, 1, row_beyond, four3, 0, 0, host);
    READS(CL_INVALID_VALUE, "a slice of 2D", unit.queue, flat, 1, slice, four3, 0, 0, host);
    READS(CL_INVALID_VALUE, "nothing", unit.queue, flat, 1, zero3, none, 0, 0, host);
    READS(CL_INVALID_VALUE, "row pitch", unit.queue, flat, 1, zero3, four3, 8, 0, host);
    READS(CL_INVALID_VALUE, "slice pitch of 2D", unit.queue, flat, 1, zero3, four3, 0, 64, host);
    READS(CL_INVALID_VALUE, "slice pitch", unit.queue, deep, 1, zero3, four3, 0, 32, host);
    READS(CL_INVALID_OPERATION, "no access", unit.queue, no_host_image, 1, zero3, four3, 0, 0, host);
    READS(CL_INVALID_OPERATION, "write only", unit.queue, write_only_host_image, 1, zero3, four3, 0, 0, host);
    ROW(clEnqueueReadImage, CL_INVALID_EVENT_WAIT_LIST, "a list of none", unit.queue, flat, 1, zero3, four3,
        0, 0, host, 1, NULL, NULL);
#undef READS
    ROW(clEnqueueWriteImage, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, 1, zero3, four3, 0, 0,
        host, END);
    ROW(clEnqueueWriteImage, CL_INVALID_MEM_OBJECT, "a buffer", unit.queue, x, 1, zero3, four3, 0, 0, host,
        END);
    ROW(clEnqueueWriteImage, CL_INVALID_VALUE, "no memory", unit.queue, flat, 1, zero3, four3, 0, 0, NULL,
        END);
    ROW(clEnqueueWriteImage, CL_INVALID_VALUE, "beyond", unit.queue, flat, 1, one3, four3, 0, 0, host, END);
    ROW(clEnqueueWriteImage, CL_INVALID_OPERATION, "no access", unit.queue, no_host_image, 1, zero3, four3, 0,
        0, host, END);
    ROW(clEnqueueWriteImage, CL_INVALID_OPERATION, "read only", unit.queue, read_only_host_image, 1, zero3,
        four3, 0, 0, host, END);
    ROW(clEnqueueReadBuffer, CL_INVALID_MEM_OBJECT, "an image", unit.queue, flat, 1, 0, 4, host, END);
    ROW(clEnqueueFillBuffer, CL_INVALID_MEM_OBJECT, "an image", unit.queue, flat, host, 4, 0, 4, END);
}

static void try_copies(void)
{
#define COPIES(want, how, ...) ROW(clEnqueueCopyImage, want, how, __VA_ARGS__, END)
    COPIES(CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, layers, zero3, zero3, four3);
    COPIES(CL_INVALID_CONTEXT, "another's", unit.queue, flat, image_of_other, zero3, zero3, four3);
    COPIES(CL_INVALID_MEM_OBJECT, "a buffer", unit.queue, flat, x, zero3, zero3, four3);
    COPIES(CL_IMAGE_FORMAT_MISMATCH, "formats", unit.queue, flat, floats, zero3, zero3, four3);
    COPIES(CL_INVALID_VALUE, "beyond", unit.queue, flat, layers, one3, zero3, four3);
    COPIES(CL_INVALID_VALUE, "no region", unit.queue, flat, layers, zero3, zero3, NULL);
    COPIES(CL_MEM_COPY_OVERLAP, "itself", unit.queue, flat, flat, zero3, zero3, four3);
#undef COPIES
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, x, zero3, four3,
        0, END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, "another's", unit.queue, flat, of_other, zero3, four3,
        0, END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, "two buffers", unit.queue, y, x, zero3, four3, 0,
        END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, "two images", unit.queue, flat, deep, zero3, four3,
        0, END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, "its own buffer", unit.queue, line, x, zero3, one3,
        0, END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, "beyond", unit.queue, flat, x, zero3, four3, 1000, END);
    ROW(clEnqueueCopyImageToBuffer, CL_INVALID_VALUE, "beyond the image", unit.queue, flat, x, one3, four3, 0,
        END);
    ROW(clEnqueueCopyBufferToImage, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, x, flat, 0, zero3,
        four3, END);
    ROW(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, "two buffers", unit.queue, y, x, 0, zero3, four3,
        END);
    ROW(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, "its own buffer", unit.queue, x, line, 0, zero3,
        one3, END);
    ROW(clEnqueueCopyBufferToImage, CL_INVALID_VALUE, "beyond", unit.queue, x, flat, 1000, zero3, four3, END);
    ROW(clEnqueueFillImage, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, host, zero3, four3, END);
    ROW(clEnqueueFillImage, CL_INVALID_CONTEXT, "another's", unit.queue, image_of_other, host, zero3, four3,
        END);
    ROW(clEnqueueFillImage, CL_INVALID_MEM_OBJECT, "a buffer", unit.queue, x, host, zero3, four3, END);
    ROW(clEnqueueFillImage, CL_INVALID_VALUE, "no colour", unit.queue, flat, NULL, zero3, four3, END);
    ROW(clEnqueueFillImage, CL_INVALID_VALUE, "beyond", unit.queue, flat, host, one3, four3, END);
}

static void try_maps(void)
{
    size_t row_pitch = 0, slice = 0;
#define MAPS(want, how, ...) OBJECT_ROW(clEnqueueMapImage, want, how, __VA_ARGS__, END)
    MAPS(CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, flat, 1, CL_MAP_READ, zero3, four3, &row_pitch,
         NULL);
    MAPS(CL_INVALID_CONTEXT, "another's", unit.queue, image_of_other, 1, CL_MAP_READ, zero3, four3,
         &row_pitch, NULL);
    MAPS(CL_INVALID_MEM_OBJECT, "a buffer", unit.queue, x, 1, CL_MAP_READ, zero3, four3, &row_pitch, NULL);
    MAPS(CL_INVALID_VALUE, "flags", unit.queue, flat, 1, 1 << 20, zero3, four3, &row_pitch, NULL);
    MAPS(CL_INVALID_VALUE, "beyond", unit.queue, flat, 1, CL_MAP_READ, one3, four3, &row_pitch, NULL);
    MAPS(CL_INVALID_VALUE, "no row pitch", unit.queue, flat, 1, CL_MAP_READ, zero3, four3, NULL, &slice);
    MAPS(CL_INVALID_VALUE, "no slice pitch", unit.queue, deep, 1, CL_MAP_READ, zero3, four3, &row_pitch,
         NULL);
    MAPS(CL_INVALID_OPERATION, "no access", unit.queue, no_host_image, 1, CL_MAP_READ, zero3, four3,
         &row_pitch, NULL);
    MAPS(CL_INVALID_OPERATION, "write only", unit.queue, write_only_host_image, 1, CL_MAP_READ, zero3, four3,
         &row_pitch, NULL);
    MAPS(CL_INVALID_OPERATION, "read only", unit.queue, read_only_host_image, 1, CL_MAP_WRITE, zero3, four3,
         &row_pitch, NULL);
#undef MAPS
    ROW(clEnqueueUnmapMemObject, CL_INVALID_VALUE, "not mapped", unit.queue, flat, host, END);
    OBJECT_ROW(clEnqueueMapBuffer, CL_INVALID_MEM_OBJECT, "an image", unit.queue, flat, 1, CL_MAP_READ, 0, 4,
               END);
}

int main(void)
{
    set_up();
    set_up_images();
    try_making();
    try_making_over_buffers();
    try_asking();
    try_samplers();
    try_arguments();
    try_reads();
    try_copies();
    try_maps();
    const cl_mem images[] = {flat,
                             deep,
                             layers,
                             line,
                             floats,
                             images_read,
                             images_write,
                             no_host_image,
                             image_of_other,
                             read_only_host_image,
                             write_only_host_image};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(pixels));
    return finish();
}
