/* get_work_dim is what the launch says, also where the last dimensions have one work-item; in programs of a
 * source, of objects, and without an offset or with one. */
#include "opencl_unit.h"

static const char source[] =
    "kernel void k(global uint *out)\n"
    "{ for (uint i = 0; i < 3; i++) if (get_local_id(i) + 1 < get_local_size(i)) return;\n"
    "  out[0] = get_work_dim(); out[1] = get_global_id(0); out[2] = get_global_id(1); }\n";

static void check(const struct unit *unit, cl_program program, const size_t *offset)
{
    static const size_t ranges[][3] = {{1, 1, 1}, {1, 2, 1}, {4, 1, 1}, {2, 2, 2}};
    cl_int error;
    cl_uint results[3];
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    OK(error);
    cl_mem out = clCreateBuffer(unit->context, 0, sizeof results, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    for (cl_uint dimensions = 1; dimensions <= 3; dimensions++)
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
            OK(clEnqueueNDRangeKernel(unit->queue, kernel, dimensions, offset, ranges[i], ranges[i], 0, NULL,
                                      NULL));
            OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
            CHECK(results[0] == dimensions);
            CHECK(results[1] == ranges[i][0] - 1 + (offset ? offset[0] : 0));
            CHECK(results[2] == (dimensions > 1 ? ranges[i][1] - 1 + (offset ? offset[1] : 0) : 0));
        }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    static const size_t offset[3] = {5, 6, 7};
    struct unit unit = unit_new(0);
    cl_int error;
    cl_program program = unit_build(&unit, source, NULL);
    check(&unit, program, NULL);
    check(&unit, program, offset);
    OK(clReleaseProgram(program));

    const char *text = source;
    cl_program object = clCreateProgramWithSource(unit.context, 1, &text, NULL, &error);
    OK(error);
    OK(clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    program = clLinkProgram(unit.context, 0, NULL, NULL, 1, &object, NULL, NULL, &error);
    OK(error);
    check(&unit, program, NULL);
    check(&unit, program, offset);
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(object));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
