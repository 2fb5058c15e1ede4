/* Variables of programs, which all launches share, and the features of OpenCL C 3.0: what the device lists is
 * what the compiler has macros of. */
#include "opencl_unit.h"

static const char source[] =
    "global uint counter = 100;\n"
    "static global uint places[4] = {1, 2, 3, 4};\n"
    "global uint *global pointer = &places[1];\n"
    "static uint more(uint *where, uint by) { return atomic_fetch_add((atomic_uint *)where, by); }\n"
    "kernel void count(global ulong *out)\n"
    "{ static global uint own; local uint sum; if (get_local_id(0) == 0) sum = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  more(&counter, 1); more(&own, 1); more(&sum, 2); more(pointer, 10); barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (sum == 2 * get_local_size(0)) more(&places[3], 1);\n"
    "  if (get_global_id(0) == get_global_offset(0)) out[4] = own > 0; }\n"
    "global float3 wide = (float3)(1, 2, 3);\n"
    "static global char3 narrow;\n"
    "kernel void keep(global ulong *out, int which)\n" /* a value in a structure that clang cuts up */
    "{ struct pair { char c; uint n; };\n"
    "  if (which) { static global struct pair kept = {'a', 7}; out[0] = kept.n++; }\n"
    "  else { static struct pair kept = {'b', 20}; out[0] = kept.n++; }\n"
    "  wide.z += 1; narrow += (char3)(2, 3, 4); out[1] = wide.z; out[2] = narrow.x + narrow.y + narrow.z; }\n"
    "kernel void spaces(global ulong *out, local uint *given)\n"
    "{ local uint in_local; uint own = 3; in_local = 2;\n"
    "  uint *a = &in_local, *b = &own, *c = &counter, *d = given;\n"
    "  out[0] = (to_local(a) != NULL) + 2 * (to_private(b) != NULL) + 4 * (to_global(c) != NULL) +\n"
    "      8 * (to_local(d) != NULL) + 16 * (to_local(b) == NULL) + 32 * (to_private(c) == NULL);\n"
    "  out[1] = *a; out[2] = *b; }\n"
    "kernel void tell(global ulong *out)\n"
    "{ out[0] = counter; out[1] = places[1]; out[2] = *pointer; out[3] = places[3]; }\n";

/* Launches of all kinds: without an offset, with one, and with a group that is smaller. */
static void check_launches(const struct unit *unit)
{
    static const size_t offset = 3, ranges[] = {8, 8, 10}, four = 4, one = 1;
    cl_ulong seen[8] = {0};
    size_t bytes = 0;
    cl_program program = unit_build(unit, source, "-cl-std=CL3.0");
    cl_kernel count = unit_kernel(program, "count"), tell = unit_kernel(program, "tell");
    cl_mem out = unit_buffer(unit, sizeof seen);
    OK(clSetKernelArg(count, 0, sizeof out, &out));
    OK(clSetKernelArg(tell, 0, sizeof out, &out));
    for (size_t i = 0; i < 3; i++)
        OK(clEnqueueNDRangeKernel(unit->queue, count, 1, i == 1 ? &offset : NULL, &ranges[i], &four, 0, NULL,
                                  NULL));
    OK(clEnqueueNDRangeKernel(unit->queue, tell, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    CHECK(seen[0] == 126);
    CHECK(seen[1] == 262);
    CHECK(seen[2] == 262);
    CHECK(seen[3] == 4 + 26);
    CHECK(seen[4] == 1);
    OK(clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes,
                             &bytes, NULL));
    CHECK(bytes == 4 + 16 + 8 + 4 + 16 + 4 + 4 + 4); /* of the structures' other members nothing is left */
    OK(clReleaseKernel(count));
    OK(clReleaseKernel(tell));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(out));
}

/* Another program of the same source has variables of its own. */
static void check_apart(const struct unit *unit)
{
    static const size_t one = 1;
    cl_ulong seen = 0;
    cl_program program = unit_build(unit, source, "-cl-std=CL3.0");
    cl_kernel tell = unit_kernel(program, "tell");
    cl_mem out = unit_buffer(unit, 64);
    OK(clSetKernelArg(tell, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(unit->queue, tell, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
    CHECK(seen == 100);
    OK(clReleaseKernel(tell));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(out));
}

static void run_one(const struct unit *unit, cl_kernel kernel, cl_mem out, cl_ulong *seen)
{
    static const size_t one = 1;
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, 3 * sizeof *seen, seen, 0, NULL, NULL));
}

/* Variables of functions with values that change, vectors of three, and pointers of all spaces. */
static void check_kinds(const struct unit *unit)
{
    cl_ulong seen[3];
    cl_program program = unit_build(unit, source, "-cl-std=CL3.0 -cl-no-subgroup-ifp");
    cl_kernel keep = unit_kernel(program, "keep"), spaces = unit_kernel(program, "spaces");
    cl_mem out = unit_buffer(unit, 64);
    OK(clSetKernelArg(keep, 0, sizeof out, &out));
    for (cl_int i = 0; i < 4; i++) {
        const cl_int which = i % 2;
        OK(clSetKernelArg(keep, 1, sizeof which, &which));
        run_one(unit, keep, out, seen);
        CHECK(seen[0] == (cl_ulong)((which ? 7 : 20) + i / 2));
        CHECK(seen[1] == (cl_ulong)(4 + i));
        CHECK(seen[2] == (cl_ulong)(9 * (i + 1)));
    }
    OK(clSetKernelArg(spaces, 0, sizeof out, &out));
    OK(clSetKernelArg(spaces, 1, 64, NULL));
    run_one(unit, spaces, out, seen);
    CHECK(seen[0] == 63);
    CHECK(seen[1] == 2);
    CHECK(seen[2] == 3);
    OK(clReleaseKernel(keep));
    OK(clReleaseKernel(spaces));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(out));
}

static cl_ulong ask(const struct unit *unit, cl_device_info name, size_t bytes)
{
    cl_ulong value = 0;
    OK(clGetDeviceInfo(unit->device, name, bytes, &value, NULL));
    return value;
}

static void check_features(const struct unit *unit)
{
    static const char *const wanted[] = {"__opencl_c_generic_address_space",
                                         "__opencl_c_program_scope_global_variables",
                                         "__opencl_c_atomic_order_acq_rel",
                                         "__opencl_c_atomic_order_seq_cst",
                                         "__opencl_c_atomic_scope_device",
                                         "__opencl_c_atomic_scope_all_devices",
                                         "__opencl_c_subgroups",
                                         "__opencl_c_images",
                                         "__opencl_c_3d_image_writes",
                                         "__opencl_c_read_write_images",
                                         "__opencl_c_fp64"};
    cl_name_version features[64];
    char text[8192] = "";
    size_t bytes = 0, found = 0;
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &bytes));
    for (size_t i = 0; i < bytes / sizeof *features; i++) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "#ifndef %s\n#error %s\n#endif\n", features[i].name,
                 features[i].name);
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
            found += strcmp(features[i].name, wanted[w]) == 0;
    }
    CHECK(found == sizeof wanted / sizeof *wanted);
    OK(clReleaseProgram(unit_build(unit, text, "-cl-std=CL3.0")));
    CHECK(ask(unit, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof(cl_bool)) == CL_TRUE);
    CHECK(ask(unit, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t)) >= 65536);
    const cl_ulong atomics = CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    CHECK((ask(unit, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof(cl_ulong)) & atomics) == atomics);
    CHECK((ask(unit, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, sizeof(cl_ulong)) & atomics) == atomics);
}

int main(void)
{
    struct unit unit = unit_new(0);
    check_launches(&unit);
    check_apart(&unit);
    check_kinds(&unit);
    check_features(&unit);
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
