/* Sub-groups: what the device and kernels tell of them, and what kernels do with them. */
#include "opencl_unit.h"

#include <CL/cl_ext.h>

static const char source[] =
    "#if !defined(cl_khr_subgroups) || !defined(__opencl_c_subgroups) || !defined(cl_khr_subgroup_shuffle)\n"
    "#error macros\n#endif\n"
    "kernel void shape(global uint *out)\n"
    "{ const size_t at = get_global_id(0) * 8;\n"
    "  out[at] = get_sub_group_size(); out[at + 1] = get_max_sub_group_size(); out[at + 2] = "
    "get_num_sub_groups();\n"
    "  out[at + 3] = get_sub_group_id(); out[at + 4] = get_sub_group_local_id();\n"
    "  out[at + 5] = sub_group_reduce_add((uint)get_local_id(0)); out[at + 6] = sub_group_broadcast(out[at + "
    "4], 3);\n"
    "  out[at + 7] = sub_group_scan_exclusive_add(1u) + 100 * sub_group_any(get_local_id(0) == 40); }\n"
    /* a sub-group that waits for another one of its group */
    "kernel void relay(global uint *out)\n"
    "{ local atomic_uint turn; if (get_local_id(0) == 0) atomic_init(&turn, 0); "
    "barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  const uint mine = get_num_sub_groups() - 1 - get_sub_group_id();\n"
    "  if (get_sub_group_local_id() == 0) {\n"
    "    while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != mine) ;\n"
    "    out[mine] = get_sub_group_id();\n"
    "    atomic_store_explicit(&turn, mine + 1, memory_order_release, memory_scope_work_group); } }\n"
    "#pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable\n"
    "#ifndef cl_intel_required_subgroup_size\n#error extension\n#endif\n"
    "kernel __attribute__((intel_reqd_sub_group_size(32))) void required(global uint *out) { out[0] = 1; }\n"
    "kernel __attribute__((reqd_work_group_size(64, 2, 1))) void fixed(global uint *out) { out[0] = 1; }\n";

static size_t tell(cl_kernel kernel, const struct unit *unit, cl_kernel_sub_group_info name,
                   const size_t *shape, size_t dimensions)
{
    size_t value = 12345, bytes = 0;
    OK(clGetKernelSubGroupInfo(kernel, unit->device, name, dimensions * sizeof *shape, shape, sizeof value,
                               &value, &bytes));
    CHECK(bytes == sizeof value);
    return value;
}

static void check_device(const struct unit *unit)
{
    char extensions[2048];
    cl_uint most = 0;
    cl_bool goes_on = CL_FALSE;
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_subgroups"));
    cl_name_version versions[64];
    size_t bytes = 0, blanks = 0;
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &bytes));
    for (const char *at = extensions; *at; at++)
        blanks += *at == ' ';
    CHECK(bytes == (blanks + 1) * sizeof *versions);
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
    CHECK(most == 32);
    size_t sizes[4] = {0};
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
    CHECK(bytes == sizeof *sizes && sizes[0] == 32 && strstr(extensions, "cl_intel_required_subgroup_size"));
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof goes_on,
                       &goes_on, NULL));
    CHECK(goes_on == CL_TRUE);
}

/* The extension's function, which is the loader's own and calls the driver's. */
static void check_extension(const struct unit *unit, cl_program program)
{
    static const size_t box[] = {8, 8, 3};
    /* newer headers warn of the extension's own type */
    cl_int (*const query)(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t,
                          void *, size_t *) =
        (cl_int(*)(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t, void *,
                   size_t *))clGetExtensionFunctionAddressForPlatform(unit->platform,
                                                                      "clGetKernelSubGroupInfoKHR");
    CHECK(query);
    cl_kernel kernel = unit_kernel(program, "shape");
    size_t value = 0;
    OK(query(kernel, unit->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof box, box, sizeof value,
             &value, NULL));
    CHECK(value == 6);
    OK(clReleaseKernel(kernel));
}

static void check_kernels(const struct unit *unit, cl_program program)
{
    static const size_t line[] = {70}, box[] = {8, 8, 3}, none = 0;
    size_t shape[3] = {0}, count = 3;
    cl_kernel kernel = unit_kernel(program, "shape"), fixed = unit_kernel(program, "fixed");
    CHECK(tell(kernel, unit, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, line, 1) == 32);
    CHECK(tell(kernel, unit, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (const size_t[]){7, 2}, 2) == 14);
    CHECK(tell(kernel, unit, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, line, 1) == 3);
    CHECK(tell(kernel, unit, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, box, 3) == 6);
    CHECK(tell(kernel, unit, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0) == 32);
    CHECK(tell(kernel, unit, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, NULL, 0) == 0);
    CHECK(tell(fixed, unit, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0) == 4);
    OK(clGetKernelSubGroupInfo(kernel, unit->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                               &count, sizeof shape, shape, NULL));
    CHECK(shape[0] == 96 && shape[1] == 1 && shape[2] == 1);
    count = 33; /* more than a group has */
    OK(clGetKernelSubGroupInfo(kernel, unit->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                               &count, sizeof shape, shape, NULL));
    CHECK(shape[0] == 0 && shape[1] == 0 && shape[2] == 0);
    count = 4; /* the one shape that this kernel has */
    OK(clGetKernelSubGroupInfo(fixed, unit->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                               &count, 2 * sizeof *shape, shape, NULL));
    CHECK(shape[0] == 64 && shape[1] == 2);
    RETURNS(CL_INVALID_KERNEL, clGetKernelSubGroupInfo(NULL, unit->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0,
                                                       NULL, sizeof count, &count, NULL));
    RETURNS(CL_INVALID_DEVICE,
            clGetKernelSubGroupInfo(kernel, (cl_device_id)unit->platform, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0,
                                    NULL, sizeof count, &count, NULL));
    const struct {
        cl_kernel_sub_group_info name;
        size_t input_bytes;
        const size_t *input;
        size_t room;
    } wrong[] = {{CL_KERNEL_FUNCTION_NAME, 0, NULL, 8},
                 {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, NULL, 8},
                 {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, NULL, 8},
                 {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 12, line, 8},
                 {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 32, box, 8},
                 {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, &none, 8},
                 {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, line, 4},
                 {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 16, box, 24},
                 {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, line, 32},
                 {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, line, 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        RETURNS(CL_INVALID_VALUE,
                clGetKernelSubGroupInfo(kernel, unit->device, wrong[i].name, wrong[i].input_bytes,
                                        wrong[i].input, wrong[i].room, shape, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(fixed));
}

/* cl_intel_required_subgroup_size: of the one size that there is. */
static void check_required(const struct unit *unit, cl_program program)
{
    static const char other[] = "kernel __attribute__((intel_reqd_sub_group_size(16))) void k(void) {}";
    const char *text = other;
    char attributes[64], log[1000];
    cl_ulong spilled = 1;
    cl_int error = 0;
    cl_kernel kernel = unit_kernel(program, "required"), plain = unit_kernel(program, "shape");
    CHECK(tell(kernel, unit, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == 32);
    CHECK(tell(plain, unit, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, NULL, 0) == 0);
    OK(clGetKernelWorkGroupInfo(kernel, unit->device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof spilled,
                                &spilled, NULL));
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
    CHECK(spilled == 0 && strcmp(attributes, "intel_reqd_sub_group_size(32)") == 0);
    cl_program wrong = clCreateProgramWithSource(unit->context, 1, &text, NULL, &error);
    OK(error);
    for (unsigned i = 0; i < 2; i++) {
        RETURNS(CL_BUILD_PROGRAM_FAILURE,
                clBuildProgram(wrong, 0, NULL, i ? "-cl-std=CLC++" : "-cl-std=CL1.2", NULL, NULL));
        OK(clGetProgramBuildInfo(wrong, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        CHECK(strstr(log, "sub-groups have 32 work-items here"));
    }
    OK(clReleaseProgram(wrong));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(plain));
}

/* A group of 70 has sub-groups of 32, 32 and 6. */
static void check_shape(const struct unit *unit, cl_program program, cl_mem out)
{
    static const size_t global = 70;
    static cl_uint results[70][8];
    cl_kernel kernel = unit_kernel(program, "shape");
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (cl_uint i = 0; i < 70; i++) {
        const cl_uint group = i / 32, size = group == 2 ? 6 : 32, first = 32 * group;
        CHECK(results[i][0] == size && results[i][1] == 32 && results[i][2] == 3);
        CHECK(results[i][3] == group && results[i][4] == i % 32);
        CHECK(results[i][5] == size * first + size * (size - 1) / 2 && results[i][6] == 3);
        CHECK(results[i][7] == i % 32 + (group == 1 ? 100 : 0));
    }
    OK(clReleaseKernel(kernel));
}

static void check_progress(const struct unit *unit, cl_program program, cl_mem out)
{
    static const size_t global = 256;
    cl_uint results[8];
    cl_kernel kernel = unit_kernel(program, "relay");
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (cl_uint i = 0; i < 8; i++)
        CHECK(results[i] == 7 - i);
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    struct unit unit = unit_new(0);
    cl_program program = unit_build(&unit, source, "-cl-std=CL3.0");
    cl_mem out = unit_buffer(&unit, 70 * 8 * sizeof(cl_uint));
    check_device(&unit);
    check_kernels(&unit, program);
    check_extension(&unit, program);
    check_required(&unit, program);
    check_shape(&unit, program, out);
    check_progress(&unit, program, out);
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
