/* Ranges that the size of groups does not divide: the last groups are smaller, and work-items count as if all
 * were launched together. */
#include "opencl_unit.h"

/* What each work-item sees, at its place in the range; and a sum over its group. */
static const char source[] =
    "kernel void see(global ulong *out, global uint *sums, local uint *room)\n"
    "{ const size_t at = get_global_linear_id() * 16;\n"
    "  for (uint d = 0; d < 2; d++) {\n"
    "    out[at + 8 * d] = get_global_id(d); out[at + 8 * d + 1] = get_group_id(d); out[at + 8 * d + 2] = "
    "get_local_id(d);\n"
    "    out[at + 8 * d + 3] = get_local_size(d); out[at + 8 * d + 4] = get_enqueued_local_size(d);\n"
    "    out[at + 8 * d + 5] = get_num_groups(d); out[at + 8 * d + 6] = get_global_size(d); }\n"
    "  out[at + 7] = get_global_offset(1); out[at + 15] = get_work_dim() + 10 * get_global_size(3);\n"
    "  room[get_local_linear_id()] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint sum = 0; for (uint i = 0; i < get_local_size(0) * get_local_size(1); i++) sum += room[i];\n"
    "  sums[get_global_linear_id()] = sum; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(global ulong *out)\n"
    "{ out[get_group_id(0)] = get_local_size(0); }\n";

struct range {
    cl_uint dimensions;
    size_t offset[2], global[2], local[2];
};

static size_t size_of_group(size_t global, size_t local, size_t group)
{
    return group == global / local ? global % local : local;
}

static void check_item(const struct range *range, const size_t *id, const cl_ulong *seen, cl_uint sum)
{
    size_t items = 1;
    for (int d = 0; d < 2; d++) {
        const size_t global = range->global[d], local = range->local[d], group = id[d] / local;
        const cl_ulong wanted[] = {
            id[d] + range->offset[d],     group, id[d] % local, size_of_group(global, local, group), local,
            (global + local - 1) / local, global};
        CHECK(memcmp(seen + (size_t)8 * (size_t)d, wanted, sizeof wanted) == 0);
        items *= size_of_group(global, local, group);
    }
    CHECK(seen[7] == range->offset[1] && seen[15] == range->dimensions + 10);
    CHECK(sum == items);
}

static void check_range(const struct unit *unit, cl_kernel kernel, const struct range *range)
{
    static cl_ulong seen[100 * 16];
    static cl_uint sums[100];
    cl_mem out = unit_buffer(unit, sizeof seen), all = unit_buffer(unit, sizeof sums);
    memset(seen, 0xff, sizeof seen);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clSetKernelArg(kernel, 1, sizeof all, &all));
    OK(clSetKernelArg(kernel, 2, 4 * range->local[0] * range->local[1], NULL));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, range->dimensions, range->offset, range->global,
                              range->local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, all, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
    for (size_t y = 0; y < range->global[1]; y++)
        for (size_t x = 0; x < range->global[0]; x++) {
            const size_t at = y * range->global[0] + x, id[2] = {x, y};
            check_item(range, id, seen + 16 * at, sums[at]);
        }
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(all));
}

static void check_refused(const struct unit *unit, const char *name, const char *options)
{
    static const size_t ten = 10, four = 4;
    cl_program program = unit_build(unit, "kernel void k(void) {}", options);
    cl_kernel kernel = unit_kernel(program, "k");
    const cl_int error = clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &ten, &four, 0, NULL, NULL);
    if (error != CL_INVALID_WORK_GROUP_SIZE)
        fprintf(stderr, "%s: %d\n", name, error);
    CHECK(error == CL_INVALID_WORK_GROUP_SIZE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    static const struct range ranges[] = {
        {1, {0, 0}, {10, 1}, {4, 1}},  {1, {0, 0}, {3, 1}, {8, 1}},  {1, {5, 0}, {33, 1}, {32, 1}},
        {2, {0, 0}, {10, 7}, {4, 3}},  {2, {3, 2}, {9, 8}, {4, 4}},  {2, {0, 1}, {8, 9}, {4, 4}},
        {2, {0, 0}, {5, 3}, {16, 16}}, {2, {1, 1}, {12, 8}, {4, 4}}, {2, {0, 0}, {12, 8}, {4, 4}}};
    static const size_t ten = 10, four = 4, five = 5;
    cl_ulong sizes[3];
    struct unit unit = unit_new(0);
    cl_bool has = CL_FALSE;
    OK(clGetDeviceInfo(unit.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof has, &has, NULL));
    CHECK(has == CL_TRUE);
    cl_program program = unit_build(&unit, source, "-cl-std=CL3.0");
    cl_kernel kernel = unit_kernel(program, "see"), fixed = unit_kernel(program, "fixed");
    cl_mem out = unit_buffer(&unit, 64);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        check_range(&unit, kernel, &ranges[i]);
    OK(clSetKernelArg(fixed, 0, sizeof out, &out));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit.queue, fixed, 1, NULL, &ten, &five, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(unit.queue, fixed, 1, NULL, &ten, &four, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit.queue, out, CL_TRUE, 0, sizeof sizes, sizes, 0, NULL, NULL));
    CHECK(sizes[0] == 4 && sizes[1] == 4 && sizes[2] == 2);
    check_refused(&unit, "OpenCL C 1.2", "-cl-std=CL1.2");
    check_refused(&unit, "no version", "");
    check_refused(&unit, "uniform", "-cl-std=CL3.0 -cl-uniform-work-group-size");
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(fixed));
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
