/* Local memory that arguments have, for the checkers: one runs into the next. What the driver says of a
 * kernel's local memory has no gaps. */
#include "opencl_unit.h"

static const char text[] = "kernel void sums(global int *out, local int *few, local int *more, int count)\n"
                           "{ local int own[32]; local int other[32];\n"
                           "  int i = get_local_id(0);\n"
                           "  own[i] = other[i] = more[i] = i;\n"
                           "  if (i < count) few[i] = i;\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  out[i] = few[i % 16] + more[31 - i] + own[31 - i] + other[31 - i]; }\n";

int main(void)
{
    struct unit unit = unit_new(0);
    const size_t items = 32;
    const cl_int counts[] = {16, 20};
    cl_int found[32];
    cl_ulong bytes;
    cl_mem out = unit_buffer(&unit, sizeof found);
    cl_program program = unit_build(&unit, text, "");
    cl_kernel kernel = unit_kernel(program, "sums");
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clSetKernelArg(kernel, 1, 64, NULL));
    OK(clSetKernelArg(kernel, 2, 128, NULL));
    OK(clGetKernelWorkGroupInfo(kernel, unit.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    CHECK(bytes == 64 + 3 * 128);
    for (size_t i = 0; i < 2; i++) {
        OK(clSetKernelArg(kernel, 3, sizeof counts[i], &counts[i]));
        OK(clEnqueueNDRangeKernel(unit.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(unit.queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        for (int k = 0; k < 32; k++)
            CHECK(found[k] == k % 16 + 3 * (31 - k));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(out));
    unit_done(&unit);
    return 0;
}
