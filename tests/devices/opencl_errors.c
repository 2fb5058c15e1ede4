/* The errors that the specification lists (OpenCL 3.0 API), call by call. */
#include "opencl_unit.h"

static const char source[] =
    "kernel void add(global int *x, int n, local int *t) { t[0] = n; x[get_global_id(0)] += t[0]; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void shaped(global int *x) { x[0] = 1; }\n";

static void check_platform(const struct unit *unit)
{
    cl_uint count = 0;
    cl_device_id device;
    char text[4];
    RETURNS(CL_INVALID_VALUE, clGetPlatformInfo(unit->platform, CL_PLATFORM_NAME, 2, text, NULL));
    RETURNS(CL_INVALID_VALUE, clGetPlatformInfo(unit->platform, 1, 0, NULL, NULL));
    RETURNS(CL_DEVICE_NOT_FOUND,
            clGetDeviceIDs(unit->platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, &count));
    RETURNS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(unit->platform, 0, 1, &device, NULL));
    RETURNS(CL_INVALID_VALUE, clGetDeviceIDs(unit->platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
    RETURNS(CL_INVALID_VALUE, clGetDeviceInfo(unit->device, 1, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clCreateSubDevices(unit->device, NULL, 0, NULL, NULL));
}

static void check_context(const struct unit *unit)
{
    const cl_context_properties unknown[] = {1, 2, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)unit->platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)unit->platform, 0};
    GIVES(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &given));
    GIVES(CL_INVALID_VALUE, clCreateContext(NULL, 0, &unit->device, NULL, NULL, &given));
    GIVES(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &unit->device, NULL, NULL, &given));
    GIVES(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &unit->device, NULL, NULL, &given));
    GIVES(CL_DEVICE_NOT_FOUND, clCreateContextFromType(twice, CL_DEVICE_TYPE_CPU, NULL, NULL, &given));
    GIVES(CL_INVALID_VALUE, clCreateCommandQueue(unit->context, unit->device, 1 << 10, &given));
    GIVES(CL_INVALID_QUEUE_PROPERTIES,
          clCreateCommandQueue(unit->context, unit->device, CL_QUEUE_ON_DEVICE, &given));
}

static void check_memory(const struct unit *unit, cl_mem x)
{
    char host[8];
    cl_context context = unit->context;
    const cl_buffer_region odd = {4, 8}, empty = {0, 0}, beyond = {128, 4096};
    GIVES(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &given));
    GIVES(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, (size_t)1 << 60, NULL, &given));
    GIVES(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL, &given));
    GIVES(CL_INVALID_VALUE,
          clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 8, host, &given));
    GIVES(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8, NULL, &given));
    GIVES(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 8, host, &given));
    GIVES(CL_MISALIGNED_SUB_BUFFER_OFFSET,
          clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &given));
    GIVES(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &given));
    GIVES(CL_INVALID_VALUE, clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &given));
    GIVES(CL_INVALID_MEM_OBJECT,
          clCreateSubBuffer((cl_mem)context, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &given));
    RETURNS(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)context));
    GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, NULL, NULL, &given));
    GIVES(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, 0, 0, &given));
}

static void check_transfers(const struct unit *unit, cl_mem x)
{
    char host[64];
    cl_int error;
    cl_command_queue queue = unit->queue;
    const size_t zero[] = {0, 0, 0}, shape[] = {4, 4, 1}, flat[] = {4, 0, 1};
    cl_event not_one = (cl_event)unit->context;
    RETURNS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, x, CL_TRUE, 0, 5000, host, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, x, CL_TRUE, 0, 8, NULL, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, x, CL_TRUE, SIZE_MAX, 8, host, 0, NULL, NULL));
    RETURNS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, x, CL_TRUE, 0, 8, host, 1, NULL, NULL));
    RETURNS(CL_INVALID_EVENT_WAIT_LIST,
            clEnqueueReadBuffer(queue, x, CL_TRUE, 0, 8, host, 1, &not_one, NULL));
    RETURNS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, x, host, 3, 0, 9, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, x, host, 4, 2, 8, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE,
            clEnqueueReadBufferRect(queue, x, CL_TRUE, zero, zero, flat, 0, 0, 0, 0, host, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE,
            clEnqueueReadBufferRect(queue, x, CL_TRUE, zero, zero, shape, 3, 0, 0, 0, host, 0, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, x, host, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE,
          clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_READ, 1020, 8, 0, NULL, NULL, &given));
    cl_mem closed = clCreateBuffer(unit->context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &error);
    OK(error);
    RETURNS(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, closed, CL_TRUE, 0, 8, host, 0, NULL, NULL));
    GIVES(CL_INVALID_OPERATION,
          clEnqueueMapBuffer(queue, closed, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &given));
    OK(clReleaseMemObject(closed));
}

static void check_programs(const struct unit *unit)
{
    const char *wrong = "kernel void f(global int *x) { x[0] = nothing; }",
               *unlinked = "int nowhere(int x);\n"
                           "kernel void f(global int *x) { x[0] = nowhere(x[0]); }\nkernel void g() { }";
    cl_int error;
    size_t bytes = 0;
    char log[2048] = "";
    GIVES(CL_INVALID_VALUE, clCreateProgramWithSource(unit->context, 0, NULL, NULL, &given));
    cl_program program = clCreateProgramWithSource(unit->context, 1, &wrong, NULL, &error);
    OK(error);
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "f", &given));
    RETURNS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "--no-such-option", NULL, NULL));
    RETURNS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-fno-such-option", NULL, NULL));
    RETURNS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-cl-std=CL9.9", NULL, NULL));
    RETURNS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, &bytes));
    CHECK(strstr(log, "nothing") && strstr(log, ":1:"));
    RETURNS(CL_INVALID_PROGRAM_EXECUTABLE,
            clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof bytes, &bytes, NULL));
    RETURNS(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
    GIVES(CL_INVALID_OPERATION, clLinkProgram(unit->context, 0, NULL, NULL, 1, &program, NULL, NULL, &given));
    OK(clReleaseProgram(program));
    program = clCreateProgramWithSource(unit->context, 1, &unlinked, NULL, &error);
    OK(error);
    RETURNS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, &bytes));
    CHECK(strstr(log, "nowhere"));
    OK(clReleaseProgram(program));
}

static void check_kernels(const struct unit *unit, cl_program program, cl_mem x)
{
    const int n = 1;
    const size_t eight = 8, three = 3, many = 4096, long_row[] = {8, 8, 8}, large[] = {1, 1, 128};
    GIVES(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "ad", &given));
    GIVES(CL_INVALID_VALUE, clCreateKernel(program, NULL, &given));
    cl_kernel add = unit_kernel(program, "add"), shaped = unit_kernel(program, "shaped");
    RETURNS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    RETURNS(CL_INVALID_ARG_INDEX, clSetKernelArg(add, 3, 4, &n));
    RETURNS(CL_INVALID_ARG_SIZE, clSetKernelArg(add, 1, 8, &n));
    RETURNS(CL_INVALID_ARG_VALUE, clSetKernelArg(add, 1, 4, NULL));
    RETURNS(CL_INVALID_ARG_VALUE, clSetKernelArg(add, 2, 4, &n));
    RETURNS(CL_INVALID_ARG_SIZE, clSetKernelArg(add, 2, 0, NULL));
    RETURNS(CL_INVALID_MEM_OBJECT, clSetKernelArg(add, 0, sizeof add, &add));
    OK(clSetKernelArg(add, 0, sizeof x, &x));
    OK(clSetKernelArg(add, 1, 4, &n));
    RETURNS(CL_INVALID_KERNEL_ARGS,
            clEnqueueNDRangeKernel(unit->queue, add, 1, NULL, &eight, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(add, 2, 4, NULL));
    OK(clSetKernelArg(shaped, 0, sizeof x, &x));
    RETURNS(CL_INVALID_WORK_DIMENSION,
            clEnqueueNDRangeKernel(unit->queue, add, 4, NULL, long_row, NULL, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, add, 1, NULL, &eight, &three, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, shaped, 1, NULL, &many, &three, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(unit->queue, add, 1, NULL, &many, &many, 0, NULL, NULL));
    RETURNS(CL_INVALID_WORK_ITEM_SIZE,
            clEnqueueNDRangeKernel(unit->queue, add, 3, NULL, large, large, 0, NULL, NULL));
    RETURNS(CL_INVALID_KERNEL,
            clEnqueueNDRangeKernel(unit->queue, (cl_kernel)program, 1, NULL, &eight, NULL, 0, NULL, NULL));
    RETURNS(CL_INVALID_COMMAND_QUEUE,
            clEnqueueNDRangeKernel((cl_command_queue)program, add, 1, NULL, &eight, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(unit->queue, add, 1, NULL, NULL, NULL, 0, NULL, NULL)); /* nothing to do */
    OK(clFinish(unit->queue));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(shaped));
    RETURNS(CL_SUCCESS, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
}

static void check_events(const struct unit *unit)
{
    cl_int error;
    cl_ulong time;
    cl_event event = clCreateUserEvent(unit->context, &error);
    OK(error);
    RETURNS(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    RETURNS(CL_INVALID_EVENT, clWaitForEvents(1, (cl_event *)&unit->context));
    RETURNS(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_QUEUED));
    RETURNS(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
    RETURNS(CL_PROFILING_INFO_NOT_AVAILABLE,
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL));
    GIVES(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, &given));
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    OK(clReleaseEvent(event));
}

int main(void)
{
    struct unit unit = unit_new(0);
    cl_mem x = unit_buffer(&unit, 1024);
    cl_program program = unit_build(&unit, source, "-cl-std=CL1.1");
    check_platform(&unit);
    check_context(&unit);
    check_memory(&unit, x);
    check_transfers(&unit, x);
    check_programs(&unit);
    check_kernels(&unit, program, x);
    check_events(&unit);
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(x));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
