/* What kernels see that their language's functions do not say by themselves: sizes of dimensions that there
 * are not, alignment of local arguments, numbers that printf narrows; halves; and that
 * arguments are no references. */
#include "opencl_unit.h"

#include <CL/cl_ext.h>

#include <sys/wait.h>
#include <unistd.h>

#define REPORT "opencl_language.report" /* in the build folder */

static const char source[] =
    "kernel void sizes(global uint *out, uint beyond)\n"
    "{ out[0] = get_global_size(beyond); out[1] = get_local_size(beyond); out[2] = get_num_groups(beyond);\n"
    "  out[3] = get_global_id(beyond); out[4] = get_group_id(beyond); out[5] = get_global_size(1);\n"
    "  out[6] = get_global_size(0); out[7] = __OPENCL_VERSION__; }\n"
    "kernel void places(local char *a, local long16 *b, local char *c, local double8 *d, global ulong *out)\n"
    "{ out[0] = (ulong)b; out[1] = (ulong)d; }\n"
    "kernel void low(local char *a, local long16 *b, global uint *out)\n"
    "{ out[0] = (uint)(ulong)b % 128; out[1] = (ushort)(ulong)a; }\n"
    "kernel void nans(global uint *out)\n"
    "{ out[0] = isnan(nan(0u)); out[1] = isnan(nan(0ul)); out[2] = isnan(nan((ulong2)(0, 5))).y & 1; }\n"
    "kernel void halves(float least, global half *out)\n"
    "{ vstore_half_rtp(least, 0, out); vstore_half_rtn(-(double)least, 1, out);\n"
    "  vstorea_half2_rtp((float2)(-least, least), 1, out); vstore_half_rtn(least, 4, out);\n"
    "  vstore_half_rtp(0x1.8p-24f + least, 5, out); vstore_half_rtn(0.f, 6, out); }\n"
    "kernel void inner(global uint *out, uint n, local uint *s)\n"
    "{ local uint sum; if (get_local_id(0) == 0) sum = n; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  s[get_local_id(0)] = sum; out[get_global_id(0)] += s[get_local_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_global_id(0) > 3) return; out[get_global_id(0)] += 10; }\n"
    "kernel void outer(global uint *out, local uint *s)\n"
    "{ out[get_global_id(0)] = 0; inner(out, 3, s); inner(out, get_local_size(0), s); out[get_global_id(0)] "
    "+= 100; }\n"
    "kernel void narrow(int n)\n"
    "{ printf(\"%hhx %hx %hho %hhd %hd %x %d %lx\\n\", n, n, n, n + 256, n, n, n, (long)n); }\n"
    "kernel void vectors(int n)\n"
    "{ const float4 f = (float4)(1, -2, 3, n + 0.5f); const char3 c = (char3)(-1, 2, n);\n"
    "  printf(\"%v4hlf|%5.1v4f|%d|%v3hhd|%v2hx|%v2ld|%#v4hlx|%v8hhu|%v2lf|%v16hld|%s|%v5d\\n\", f, f, n, c,\n"
    "         (ushort2)(5, 65535), (long2)(-7, 8), (uint4)(1, 2, 3, n), (uchar8)(1, 2, 3, 4, 5, 6, 7, 255),\n"
    "         (double2)(0.5, n), (int16)(n), \"end\"); }\n"
    "kernel void one(int n) { printf(\"%v4hlf\\n\", (float4)(n)); }\n"
    "kernel void none(int n) { constant char *text = n ? \"some\" : 0; printf(\"%s|%7s|%d\\n\", text, text, "
    "n); }\n"
    "kernel void rest(global int4 *a) { if (a[0].y < 0) a[1] = a[0]; a[1].x = a[1].x + 1; }\n"
    "kernel void beside(global int *a) { a[0] = a[8] + a[-1] + 5; }\n";

static void set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    OK(clSetKernelArg(kernel, index, bytes, value));
}

static void run(const struct unit *unit, cl_kernel kernel, cl_mem out, size_t global, cl_uint *results)
{
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    if (out)
        OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, 8 * sizeof *results, results, 0, NULL, NULL));
    OK(clFinish(unit->queue));
    OK(clReleaseKernel(kernel));
}

static void check_sizes(const struct unit *unit, cl_program program, cl_mem out)
{
    static const cl_uint beyond[] = {3, 4, 1000};
    cl_uint results[8];
    for (size_t i = 0; i < 3; i++) {
        cl_kernel kernel = unit_kernel(program, "sizes");
        set(kernel, 0, sizeof out, &out);
        set(kernel, 1, sizeof *beyond, &beyond[i]);
        run(unit, kernel, out, 24, results);
        CHECK(results[0] == 1 && results[1] == 1 && results[2] == 1 && results[3] == 0 && results[4] == 0);
        CHECK(results[5] == 1 && results[6] == 24 && results[7] == 300);
    }
}

static void check_places(const struct unit *unit, cl_program program, cl_mem out)
{
    static const size_t bytes[] = {3, 256, 17, 64};
    cl_uint results[8];
    cl_kernel kernel = unit_kernel(program, "places");
    for (cl_uint i = 0; i < 4; i++)
        set(kernel, i, bytes[i], NULL);
    set(kernel, 4, sizeof out, &out);
    run(unit, kernel, out, 1, results);
    CHECK(results[0] % 128 == 0 && results[2] % 64 == 0 && results[2] != results[0]);
    kernel = unit_kernel(program, "low"); /* clang loads a part of each pointer alone */
    for (cl_uint i = 0; i < 2; i++)
        set(kernel, i, bytes[i], NULL);
    set(kernel, 2, sizeof out, &out);
    run(unit, kernel, out, 1, results);
    CHECK(results[0] == 0);
    kernel = unit_kernel(program, "nans");
    set(kernel, 0, sizeof out, &out);
    run(unit, kernel, out, 1, results);
    CHECK(results[0] == 1 && results[1] == 1 && results[2] == 1);
}

/* What is less than half of the smallest half is rounded to it where the direction says so. */
static void check_halves(const struct unit *unit, cl_program program, cl_mem out)
{
    static const cl_ushort wanted[] = {0x0001, 0x8001, 0x8000, 0x0001, 0x0000, 0x0002, 0x0000};
    const cl_float least = 0x1.08p-95f;
    cl_uint results[8];
    cl_kernel kernel = unit_kernel(program, "halves");
    set(kernel, 0, sizeof least, &least);
    set(kernel, 1, sizeof out, &out);
    run(unit, kernel, out, 1, results);
    CHECK(memcmp(results, wanted, sizeof wanted) == 0);
}

/* A kernel that a kernel calls is a function (OpenCL C 3.0, 6.11). */
static void check_calls(const struct unit *unit, cl_program program, cl_mem out)
{
    cl_uint results[8];
    cl_kernel kernel = unit_kernel(program, "outer");
    set(kernel, 0, sizeof out, &out);
    set(kernel, 1, 32, NULL);
    run(unit, kernel, out, 8, results);
    for (cl_uint i = 0; i < 8; i++)
        CHECK(results[i] == 111 + (i <= 3 ? 20 : 0));
}

/* What a kernel that takes a number prints. */
static void check_printed(const struct unit *unit, cl_program program, const char *name, cl_int n,
                          const char *wanted)
{
    char text[400] = "";
    int ends[2];
    cl_kernel kernel = unit_kernel(program, name);
    set(kernel, 0, sizeof n, &n);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    CHECK(kept >= 0 && pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0);
    run(unit, kernel, NULL, 1, NULL);
    CHECK(dup2(kept, STDOUT_FILENO) >= 0 && read(ends[0], text, sizeof text - 1) > 0);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    if (strcmp(text, wanted) != 0)
        fprintf(stderr, "%s", text);
    CHECK(strcmp(text, wanted) == 0);
}

/* Vectors have commas between their elements; text that cannot be converted stays as it is. */
static void check_print(const struct unit *unit, cl_program program)
{
    check_printed(unit, program, "narrow", -32640,
                  "80 8080 200 -128 -32640 ffff8080 -32640 ffffffffffff8080\n");
    check_printed(unit, program, "vectors", 9,
                  "1.000000,-2.000000,3.000000,9.500000|  1.0, -2.0,  3.0,  9.5|9|-1,2,9|5,ffff|-7,8|"
                  "0x1,0x2,0x3,0x9|1,2,3,4,5,6,7,255|0.500000,9.000000|9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9|"
                  "end|%v5d\n");
    check_printed(unit, program, "one", 3, "3.000000,3.000000,3.000000,3.000000\n");
    check_printed(unit, program, "none", 0, "(null)| (null)|0\n");
}

/* Runs a kernel by one work-item on a buffer of numbers, which it changes. */
static void change(const struct unit *unit, cl_program program, const char *name, cl_int *values,
                   size_t count)
{
    const size_t one = 1, bytes = count * sizeof *values;
    cl_int error;
    cl_mem memory = clCreateBuffer(unit->context, CL_MEM_COPY_HOST_PTR, bytes, values, &error);
    OK(error);
    cl_kernel kernel = unit_kernel(program, name);
    set(kernel, 0, sizeof memory, &memory);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, memory, CL_TRUE, 0, bytes, values, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(memory));
}

/* The last vector is in the buffer in part, and of it only that is used: clang loads the whole one. */
static void check_rest(const struct unit *unit, cl_program program)
{
    cl_int values[5] = {1, 2, 3, 4, 5};
    change(unit, program, "rest", values, 5);
    CHECK(values[0] == 1 && values[3] == 4 && values[4] == 6);
}

/* What is loaded from beside a buffer is 0, and no fault. */
static void check_beside(const struct unit *unit, cl_program program)
{
    cl_int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    change(unit, program, "beside", values, 8);
    CHECK(values[0] == 5 && values[7] == 8);
}

/* A text in UTF-8 may begin with a mark, also one that is compiled again for launches with an offset. */
static void check_mark(const struct unit *unit)
{
    const size_t offset = 3, one = 1;
    cl_int error, value = 0;
    cl_program program =
        unit_build(unit, "\xEF\xBB\xBFkernel void k(global int *out) { *out = get_global_id(0); }\n", NULL);
    cl_mem memory = clCreateBuffer(unit->context, 0, sizeof value, NULL, &error);
    OK(error);
    cl_kernel kernel = unit_kernel(program, "k");
    set(kernel, 0, sizeof memory, &memory);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, &offset, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, memory, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    CHECK(value == 3);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(memory));
    OK(clReleaseProgram(program));
}

/* NULL is no variable of local memory, whether the compiler knows a pointer or it is loaded, and in casts
 * between address spaces it stays NULL. */
static void check_null(const struct unit *unit)
{
    static const char text[] =
        "int same(local int *a, local int *b) { return a == b; }\n"
        "int is_null(local int *a) { return a == NULL; }\n"
        "int of_generic(int *a) { return a == NULL; }\n"
        "kernel void nulls(global int *out, local int *given, global long *kept) {\n"
        "    local int array[4], other[4];\n"
        "    local int *p = NULL, *q = (local int *)kept[0];\n"
        "    int *g = (int *)kept[1], *h = q, *i = array;\n"
        "    array[0] = kept[2];\n"
        "    out[0] = (p == &array[0]) + 2 * (q == &array[0]) + 4 * same(q, array) + 8 * same(p, other) +\n"
        "        16 * is_null(array) + 32 * is_null(given) + 64 * (given == q) + 128 * (other == q) +\n"
        "        256 * !array + 512 * !given + 1024 * of_generic(array) + 2048 * of_generic(given) +\n"
        "        4096 * ((local int *)g == array) + 8192 * (i == NULL) + 16384 * (i == h);\n"
        "    out[1] = is_null(q) + 2 * is_null(p) + 4 * (q == NULL) + 8 * !q + 16 * of_generic(q) +\n"
        "        32 * is_null((local int *)g) + 64 * (h == NULL) + 128 * (h == g) + 256 * of_generic(h) + "
        "array[0];\n"
        "    out[2] = (int)(i - (int *)array) + (int)((local int *)i - array) + (array[1] = 5) + i[1];\n"
        "}\n";
    const size_t one = 1;
    cl_int error, values[3] = {-1, -1, -1};
    cl_long zeros[3] = {0};
    cl_program program = unit_build(unit, text, "-cl-std=CL2.0");
    cl_mem out = clCreateBuffer(unit->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    OK(error);
    cl_mem kept = clCreateBuffer(unit->context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &error);
    OK(error);
    cl_kernel kernel = unit_kernel(program, "nulls");
    set(kernel, 0, sizeof out, &out);
    set(kernel, 1, 16, NULL);
    set(kernel, 2, sizeof kept, &kept);
    cl_ulong bytes = 0;
    OK(clGetKernelWorkGroupInfo(kernel, unit->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    CHECK(bytes == 48); /* what stands at 0 is not the program's */
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    CHECK(values[0] == 0 && values[1] == 511 && values[2] == 10);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(kept));
    OK(clReleaseProgram(program));
}

static void CL_CALLBACK count(cl_mem memory, void *user)
{
    (void)memory;
    ++*(int *)user;
}

/* A kernel that has a buffer as an argument does not keep it (clSetKernelArg). */
static void check_references(const struct unit *unit, cl_program program)
{
    int calls = 0;
    cl_int error;
    cl_uint references = 0;
    const size_t global = 1;
    const cl_uint beyond = 3;
    cl_mem memory = clCreateBuffer(unit->context, 0, 64, NULL, &error);
    OK(error);
    OK(clSetMemObjectDestructorCallback(memory, count, &calls));
    cl_kernel kernel = unit_kernel(program, "sizes");
    set(kernel, 0, sizeof memory, &memory);
    set(kernel, 1, sizeof beyond, &beyond);
    OK(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
    CHECK(references == 1);
    OK(clReleaseMemObject(memory));
    CHECK(calls == 1);
    CHECK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) ==
          CL_INVALID_KERNEL_ARGS);
    OK(clReleaseKernel(kernel));
    CHECK(calls == 1);
}

/* cl_khr_fp16: what the device says of it, and values of that type as arguments. */
static void check_half_type(const struct unit *unit)
{
    static const char text[] = "#ifndef cl_khr_fp16\n#error no halves\n#endif\n"
                               "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                               "kernel void add(half a, half2 b, global half *out)\n"
                               "{ out[0] = a + b.y; out[1] = fma(b.x, b.y, a); out[2] = sqrt(b.x); }\n";
    static const cl_half a = 0x3c00, b[2] = {0x4400, 0xc000}; /* 1, 4, -2 */
    const size_t one = 1;
    char extensions[2048];
    cl_device_fp_config config = 0;
    cl_uint width = 0;
    cl_half results[3] = {0};
    cl_int error;
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_fp16"));
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config, NULL));
    CHECK((config & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN)) == (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN));
    OK(clGetDeviceInfo(unit->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, sizeof width, &width, NULL));
    CHECK(width == 1);
    cl_program program = unit_build(unit, text, "-cl-std=CL1.2");
    cl_mem out = clCreateBuffer(unit->context, 0, sizeof results, NULL, &error);
    OK(error);
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    OK(error);
    set(kernel, 0, sizeof a, &a);
    set(kernel, 1, sizeof b, b);
    set(kernel, 2, sizeof out, &out);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    CHECK(results[0] == 0xbc00 && results[1] == 0xc700 && results[2] == 0x4000); /* -1, -7, 2 */
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
}

/* The report is that of the process that ran the kernels, when it ends. */
static void check_child(void)
{
    int status = 1;
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(access(REPORT, F_OK) != 0);
}

int main(void)
{
    CHECK(setenv("HEXEC_APP_REPORT", "text", 1) == 0 && setenv("HEXEC_APP_OUTPUT", REPORT, 1) == 0);
    (void)unlink(REPORT);
    struct unit unit = unit_new(0);
    cl_int error;
    cl_program program = unit_build(&unit, source, "-cl-std=CL1.2");
    cl_mem out = clCreateBuffer(unit.context, 0, 64, NULL, &error);
    OK(error);
    check_sizes(&unit, program, out);
    check_places(&unit, program, out);
    check_halves(&unit, program, out);
    check_calls(&unit, program, out);
    check_print(&unit, program);
    check_rest(&unit, program);
    check_beside(&unit, program);
    check_mark(&unit);
    check_null(&unit);
    check_references(&unit, program);
    check_half_type(&unit);
    check_child();
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
