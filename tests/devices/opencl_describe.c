/* What clGetKernelArgInfo and clGetKernelInfo tell of a source, and sizes of groups that a kernel requires.
 */
#include "opencl_unit.h"

static const char text[] =
    "typedef struct { int a; float b; } pair;\n"
    "__attribute__((reqd_work_group_size(8,4,1), vec_type_hint(uint4)))\n"
    "kernel void full(global const float *restrict in, local int *b, constant uint4 *c, unsigned int n,\n"
    "                 pair p, volatile global pair *q, global int *out)\n"
    "{ out[get_global_id(0)] = (int)get_local_size(0) * 10 + (int)get_local_size(1); }\n"
    "kernel void __attribute__((work_group_size_hint(16,1,1))) plain(global int *out) { *out = 1; }\n";

struct want {
    const char *type, *name;
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier qualifiers;
};
static const struct want wants[] = {
    {"float*", "in", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
    {"int*", "b", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
    {"uint4*", "c", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
    {"uint", "n", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"pair", "p", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"pair*", "q", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
    {"int*", "out", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0}};

static void check_arguments(cl_kernel kernel)
{
    char name[64];
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifiers;
    for (cl_uint i = 0; i < sizeof wants / sizeof *wants; i++) {
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
        CHECK(strcmp(name, wants[i].type) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
        CHECK(strcmp(name, wants[i].name) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
        CHECK(space == wants[i].space && access == CL_KERNEL_ARG_ACCESS_NONE);
        CHECK(qualifiers == wants[i].qualifiers);
    }
    RETURNS(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 7, CL_KERNEL_ARG_NAME, 64, name, NULL));
    RETURNS(CL_INVALID_VALUE, clGetKernelArgInfo(kernel, 0, 0, 64, name, NULL));
    RETURNS(CL_INVALID_VALUE, clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 1, name, NULL));
}

static void check_attributes(const struct unit *unit, cl_program program)
{
    char attributes[128];
    size_t sizes[3];
    cl_kernel full = unit_kernel(program, "full"), plain = unit_kernel(program, "plain");
    OK(clGetKernelInfo(full, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
    CHECK(strcmp(attributes, "reqd_work_group_size(8,4,1) vec_type_hint(uint4)") == 0);
    OK(clGetKernelInfo(plain, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
    CHECK(strcmp(attributes, "work_group_size_hint(16,1,1)") == 0);
    OK(clGetKernelWorkGroupInfo(full, unit->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
                                NULL));
    CHECK(sizes[0] == 8 && sizes[1] == 4 && sizes[2] == 1);
    OK(clGetKernelWorkGroupInfo(plain, unit->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
                                NULL));
    CHECK(sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0);
    OK(clReleaseKernel(full));
    OK(clReleaseKernel(plain));
}

static void check_launches(const struct unit *unit, cl_kernel kernel)
{
    const size_t global[] = {16, 8, 1}, right[] = {8, 4, 1}, wrong[] = {4, 8, 1}, odd[] = {12, 8, 1};
    const char pair[8] = {0};
    const cl_uint n = 0;
    cl_int results[16];
    cl_mem memory = unit_buffer(unit, 64);
    for (cl_uint i = 0; i < 7; i++)
        OK(i == 1   ? clSetKernelArg(kernel, i, 64, NULL)
           : i == 3 ? clSetKernelArg(kernel, i, sizeof n, &n)
           : i == 4 ? clSetKernelArg(kernel, i, sizeof pair, pair)
                    : clSetKernelArg(kernel, i, sizeof memory, &memory));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, global, right, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, kernel, 2, NULL, odd, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 2, NULL, global, right, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, memory, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (size_t i = 0; i < 16; i++)
        CHECK(results[i] == 84);
    OK(clReleaseMemObject(memory));
}

static void check(const struct unit *unit, cl_program program)
{
    cl_kernel kernel = unit_kernel(program, "full");
    check_arguments(kernel);
    check_attributes(unit, program);
    check_launches(unit, kernel);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    struct unit unit = unit_new(0);
    const char *source = text, *other = "kernel void other(global float *a, int plain) { *a = plain; }";
    cl_int error;
    check(&unit, unit_build(&unit, text, ""));
    cl_program parts[] = {clCreateProgramWithSource(unit.context, 1, &other, NULL, NULL),
                          clCreateProgramWithSource(unit.context, 1, &source, NULL, NULL)};
    for (size_t i = 0; i < 2; i++)
        OK(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(unit.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    OK(error);
    check(&unit, linked);
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
    unit_done(&unit);
    printf("all as it should be\n");
    return 0;
}
