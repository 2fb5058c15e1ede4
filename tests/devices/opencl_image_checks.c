/* Mistakes of kernels with images, for the checkers: pixels that work-items read and write without an order,
 * and a pixel that nobody has written. */
#include "opencl_unit.h"

static const char text[] =
    "kernel void neighbours(read_write image2d_t both)\n"
    "{ int x = get_local_id(0);\n"
    "  write_imageui(both, (int2)(x, 0), read_imageui(both, (int2)((x + 1) % 32, 0)) + 1); }\n"
    "kernel void ordered(read_write image2d_t both)\n"
    "{ int x = get_local_id(0);\n"
    "  uint4 v = read_imageui(both, (int2)((x + 1) % 32, 1));\n"
    "  barrier(CLK_IMAGE_MEM_FENCE);\n"
    "  write_imageui(both, (int2)(x, 1), v + 1); }\n"
    "kernel void unwritten(read_only image2d_t in, global uint *out)\n"
    "{ if (read_imageui(in, (int2)(get_local_id(0), 3)).x > 3) out[0] = 1; }\n";

int main(void)
{
    struct unit unit = unit_new(0);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 32, .image_height = 4};
    const size_t zero[3] = {0}, rows[] = {32, 3, 1}, items = 32;
    static const char *const names[] = {"ordered", "neighbours", "unwritten"};
    const cl_uint color[4] = {0};
    cl_int error;
    cl_mem image = clCreateImage(unit.context, 0, &format, &desc, NULL, &error), out = unit_buffer(&unit, 4);
    OK(error);
    OK(clEnqueueFillImage(unit.queue, image, color, zero, rows, 0, NULL, NULL));
    cl_program program = unit_build(&unit, text, "-cl-std=CL3.0");
    for (size_t i = 0; i < 3; i++) {
        cl_kernel kernel = unit_kernel(program, names[i]);
        OK(clSetKernelArg(kernel, 0, sizeof image, &image));
        if (i == 2)
            OK(clSetKernelArg(kernel, 1, sizeof out, &out));
        OK(clEnqueueNDRangeKernel(unit.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        OK(clFinish(unit.queue));
        OK(clReleaseKernel(kernel));
    }
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(out));
    unit_done(&unit);
    return 0;
}
