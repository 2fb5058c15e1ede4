/* A host program in OpenCL as somebody would write it for a GPU: sources, kernels, buffers, events. */
#include "opencl_unit.h"

#include <pthread.h>

#define COUNT 1000

static const char source[] =
    "kernel void saxpy(int n, float a, global const float *x, global float *y)\n"
    "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n"
    "kernel void where(global int *out)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  out[(y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0)] = 100 * y + x; }\n"
    "struct pair { float f; long l; };\n"
    "kernel void sum(global const int *in, global int *out, local int *tmp, constant int *table, struct pair "
    "p)\n"
    "{ int i = get_local_id(0), n = get_local_size(0); tmp[i] = in[get_global_id(0)] * table[i & 1];\n"
    "  for (int k = n / 2; k > 0; k /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (i < k) tmp[i] += tmp[i + k]; "
    "}\n"
    "  if (i == 0) out[get_group_id(0)] = tmp[0] + (int)p.f + (int)p.l; }\n"
    "kernel void say(int n) { printf(\"work-item %d of %d\\n\", (int)get_global_id(0), n); }\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void shaped(global int *x) { x[0] = "
    "get_local_size(0); }\n"
    "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }\n"
    "kernel void stray(global int *x) { x[1 << 26] = 1; }\n";

static void set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    OK(clSetKernelArg(kernel, index, bytes, value));
}

static void run_saxpy(const struct unit *unit, cl_program program)
{
    float x[COUNT], y[COUNT];
    const int n = COUNT;
    const float a = 2;
    const size_t global = COUNT + 24;
    cl_int error;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    cl_mem in = clCreateBuffer(unit->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &error);
    OK(error);
    cl_mem out = clCreateBuffer(unit->context, CL_MEM_USE_HOST_PTR, sizeof y, y, &error);
    OK(error);
    cl_kernel kernel = unit_kernel(program, "saxpy");
    set(kernel, 0, sizeof n, &n);
    set(kernel, 1, sizeof a, &a);
    set(kernel, 2, sizeof in, &in);
    set(kernel, 3, sizeof out, &out);
    cl_event event;
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    const float *seen =
        clEnqueueMapBuffer(unit->queue, out, CL_TRUE, CL_MAP_READ, 4, sizeof y - 4, 1, &event, NULL, &error);
    OK(error);
    CHECK(seen == y + 1);
    for (int i = 1; i < COUNT; i++)
        CHECK(y[i] == 2 * (float)i + 1);
    cl_ulong times[4];
    for (cl_uint i = 0; i < 4; i++)
        OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *times, &times[i], NULL));
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
    OK(clEnqueueUnmapMemObject(unit->queue, out, (void *)seen, 0, NULL, NULL));
    OK(clFinish(unit->queue));
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
}

static void run_with_offset(const struct unit *unit, cl_program program)
{
    enum { WIDTH = 6, HEIGHT = 4 };
    int out[WIDTH * HEIGHT];
    const size_t global[] = {WIDTH, HEIGHT}, local[] = {3, 2};
    cl_mem memory = unit_buffer(unit, sizeof out);
    cl_kernel kernel = unit_kernel(program, "where");
    set(kernel, 0, sizeof memory, &memory);
    for (size_t x = 0; x < 6; x += 5) {
        const size_t offset[] = {x, 2 * x};
        OK(clEnqueueNDRangeKernel(unit->queue, kernel, 2, offset, global, local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(unit->queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            CHECK(out[i] == 100 * (i / WIDTH + 2 * (int)x) + i % WIDTH + (int)x);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(memory));
}

static void run_with_local(const struct unit *unit, cl_program program)
{
    int in[256], out[4], table[] = {1, 10};
    const struct {
        float f;
        cl_long l;
    } pair = {1000.5f, 20000};
    const size_t global = 256, local = 64;
    cl_int error;
    for (int i = 0; i < 256; i++)
        in[i] = i;
    cl_mem memories[] = {clCreateBuffer(unit->context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error),
                         unit_buffer(unit, sizeof out),
                         clCreateBuffer(unit->context, CL_MEM_COPY_HOST_PTR, sizeof table, table, &error)};
    OK(error);
    cl_kernel kernel = unit_kernel(program, "sum");
    set(kernel, 0, sizeof(cl_mem), &memories[0]);
    set(kernel, 1, sizeof(cl_mem), &memories[1]);
    set(kernel, 2, local * sizeof(int), NULL);
    set(kernel, 3, sizeof(cl_mem), &memories[2]);
    set(kernel, 4, sizeof pair, &pair);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, memories[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int g = 0; g < 4; g++) {
        int sum = 21000;
        for (int i = 64 * g; i < 64 * g + 64; i++)
            sum += i * (i % 2 ? 10 : 1);
        CHECK(out[g] == sum);
    }
    cl_ulong bytes = 0;
    OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    CHECK(bytes == 256);
    OK(clReleaseKernel(kernel));
    for (int i = 0; i < 3; i++)
        OK(clReleaseMemObject(memories[i]));
}

static void run_transfers(const struct unit *unit)
{
    unsigned char bytes[64], seen[64], part[12];
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)i;
    cl_mem a = unit_buffer(unit, 1024), b = unit_buffer(unit, 64);
    const cl_buffer_region region = {256, 64};
    cl_int error;
    cl_mem sub = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    OK(clEnqueueWriteBuffer(unit->queue, sub, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(unit->queue, a, b, 256, 0, 64, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(unit->queue, b, "\1\2", 2, 8, 4, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, b, CL_TRUE, 0, 64, seen, 0, NULL, NULL));
    bytes[8] = bytes[10] = 1;
    bytes[9] = bytes[11] = 2;
    CHECK(memcmp(bytes, seen, 64) == 0);
    /* 3 bytes of 2 rows of 2 slices, in a buffer of 8 bytes a row and 32 a slice, to tightly packed ones */
    const size_t origin[] = {2, 1, 0}, host[] = {0, 0, 0}, shape[] = {3, 2, 2};
    OK(clEnqueueReadBufferRect(unit->queue, b, CL_TRUE, origin, host, shape, 8, 32, 0, 0, part, 0, NULL,
                               NULL));
    for (int i = 0; i < 12; i++)
        CHECK(part[i] == bytes[2 + i % 3 + 8 * (1 + i / 3 % 2) + 32 * (i / 6)]);
    RETURNS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(unit->queue, b, b, 0, 4, 8, 0, NULL, NULL));
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* A range that is no power of two, and the bytes around it. */
static void run_large_fill(const struct unit *unit)
{
    enum { BYTES = 300000, FROM = 24, FILLED = 262144 + 40 };
    static const char pattern[8] = "pattern";
    static char seen[BYTES];
    cl_mem memory = unit_buffer(unit, BYTES);
    OK(clEnqueueFillBuffer(unit->queue, memory, "-", 1, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(unit->queue, memory, pattern, 8, FROM, FILLED, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, memory, CL_TRUE, 0, BYTES, seen, 0, NULL, NULL));
    for (size_t i = 0; i < BYTES; i++)
        CHECK(seen[i] == (i < FROM || i >= FROM + FILLED ? '-' : pattern[i % 8]));
    OK(clReleaseMemObject(memory));
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *user)
{
    (void)event;
    *(cl_int *)user += status == CL_COMPLETE ? 1 : 100;
}

/* Commands of a queue without order run as soon as what they wait for is complete: also before others. */
static void run_out_of_order(const struct unit *unit, cl_program program)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error, calls = 0, value = 5, seen = 0;
    const size_t one = 1;
    cl_command_queue queue = clCreateCommandQueueWithProperties(unit->context, unit->device, list, &error);
    OK(error);
    cl_event gate = clCreateUserEvent(unit->context, &error), held, after;
    OK(error);
    cl_mem x = unit_buffer(unit, 4), y = unit_buffer(unit, 4);
    cl_kernel kernel = unit_kernel(program, "add");
    set(kernel, 0, sizeof x, &x);
    set(kernel, 1, 4, &value);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, &held));
    OK(clSetEventCallback(held, CL_COMPLETE, count_call, &calls));
    OK(clEnqueueWriteBuffer(queue, y, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    value = 70; /* arguments are those of the launch when it was enqueued */
    set(kernel, 1, 4, &value);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &held, &after));
    OK(clGetEventInfo(held, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &seen, NULL));
    CHECK(seen == CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
    CHECK(seen == 75);
    CHECK(calls == 1);
    RETURNS(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(held));
    OK(clReleaseEvent(after));

    gate = clCreateUserEvent(unit->context, &error);
    OK(error);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &held));
    OK(clSetUserEventStatus(gate, -7));
    RETURNS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &held));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(held));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(x));
    OK(clReleaseMemObject(y));
    OK(clReleaseCommandQueue(queue));
}

struct caller {
    const struct unit *unit;
    cl_program program;
    int number;
};

/* A kernel, a queue and a buffer of its own; the program and the context are all threads'. */
static void *call(void *user)
{
    const struct caller *caller = user;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(caller->unit->context, caller->unit->device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OK(error);
    cl_mem x = unit_buffer(caller->unit, 256 * sizeof(int));
    cl_kernel kernel = unit_kernel(caller->program, "add");
    const size_t global = 256;
    int zero = 0, seen[256];
    cl_event before, now;
    OK(clEnqueueFillBuffer(queue, x, &zero, 4, 0, sizeof seen, 0, NULL, &before));
    for (int i = 0; i < 20; i++) {
        const int value = caller->number * i;
        set(kernel, 0, sizeof x, &x);
        set(kernel, 1, 4, &value);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &before, &now));
        OK(clReleaseEvent(before));
        before = now;
    }
    OK(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof seen, seen, 1, &before, NULL));
    for (int i = 0; i < 256; i++)
        CHECK(seen[i] == caller->number * 190);
    OK(clReleaseEvent(before));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(x));
    OK(clReleaseCommandQueue(queue));
    return NULL;
}

static void run_threads(const struct unit *unit, cl_program program)
{
    pthread_t threads[8];
    struct caller callers[8];
    for (int i = 0; i < 8; i++) {
        callers[i] = (struct caller){unit, program, i + 1};
        CHECK(pthread_create(&threads[i], NULL, call, &callers[i]) == 0);
    }
    for (int i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* A launch that fails says so by its event; the next one is as good as any. */
static void run_fault(const struct unit *unit, cl_program program)
{
    const size_t one = 1;
    cl_mem x = unit_buffer(unit, 4);
    cl_kernel kernel = unit_kernel(program, "stray");
    cl_event event;
    cl_int status = 0;
    set(kernel, 0, sizeof x, &x);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    RETURNS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_OUT_OF_RESOURCES);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(x));
}

static void run_print(const struct unit *unit, cl_program program)
{
    const size_t global = 2;
    const int n = 2;
    cl_kernel kernel = unit_kernel(program, "say");
    set(kernel, 0, sizeof n, &n);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFinish(unit->queue));
    OK(clReleaseKernel(kernel));
}

/* A program that was built tells a binary, from which it is built again. */
static void run_binary(const struct unit *unit, cl_program program)
{
    size_t bytes = 0, count = 0;
    cl_int status, error;
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    CHECK(count == 7);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    CHECK(bytes > 0 && binary);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program again = clCreateProgramWithBinary(unit->context, 1, &unit->device, &bytes,
                                                 (const unsigned char **)&binary, &status, &error);
    OK(error);
    OK(status);
    OK(clBuildProgram(again, 1, &unit->device, NULL, NULL, NULL));
    run_with_local(unit, again);
    OK(clReleaseProgram(again));
    free(binary);
}

/* A program of functions alone, and one of nothing, are built. */
static void check_no_kernels(const struct unit *unit)
{
    static const char *const sources[] = {"int f(int x) { return x + 1; }", "", "constant int c = 1;"};
    for (size_t i = 0; i < 3; i++) {
        char names[8] = "x";
        size_t number = 9;
        cl_uint count = 9;
        cl_int given = 0;
        cl_program program = unit_build(unit, sources[i], "");
        OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL));
        OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
        OK(clCreateKernelsInProgram(program, 0, NULL, &count));
        CHECK(number == 0 && count == 0 && names[0] == '\0');
        CHECK(!clCreateKernel(program, "f", &given) && given == CL_INVALID_KERNEL_NAME);
        OK(clReleaseProgram(program));
    }
}

int main(void)
{
    struct unit unit = unit_new(CL_QUEUE_PROFILING_ENABLE);
    check_no_kernels(&unit);
    cl_program program = unit_build(&unit, source, "-cl-std=CL1.2 -DUNUSED=1");
    run_saxpy(&unit, program);
    run_with_offset(&unit, program);
    run_with_local(&unit, program);
    run_transfers(&unit);
    run_large_fill(&unit);
    run_out_of_order(&unit, program);
    run_threads(&unit, program);
    run_print(&unit, program);
    run_binary(&unit, program);
    run_fault(&unit, program);
    run_saxpy(&unit, program);
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
