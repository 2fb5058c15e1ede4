/* Several devices, HEXEC_DEVICES of them: what contexts, queues, programs and kernels say of them, and work
 * that goes from one to the next. */
#include "opencl_unit.h"

enum { DEVICES = 3, ITEMS = 64 };

static const char source[] = "kernel void more(global uint *x) { x[get_global_id(0)] += 1; }\n";

static void check_binaries(cl_context context, cl_program program, const cl_device_id *devices)
{
    size_t sizes[DEVICES], bytes;
    unsigned char *binaries[DEVICES];
    cl_int each[DEVICES], error;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &bytes));
    CHECK(bytes == sizeof sizes && sizes[0] > 0 && sizes[0] == sizes[2]);
    for (int i = 0; i < DEVICES; i++)
        CHECK((binaries[i] = malloc(sizes[i])));
    RETURNS(CL_INVALID_VALUE,
            clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries - 1, binaries, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, &bytes));
    CHECK(bytes == sizeof binaries && memcmp(binaries[0], binaries[2], sizes[0]) == 0);
    cl_program again = clCreateProgramWithBinary(context, 2, devices + 1, sizes,
                                                 (const unsigned char **)binaries, each, &error);
    OK(error);
    CHECK(each[0] == CL_SUCCESS && each[1] == CL_SUCCESS);
    OK(clBuildProgram(again, 1, devices + 2, NULL, NULL, NULL));
    RETURNS(CL_INVALID_DEVICE, clBuildProgram(again, 1, devices, NULL, NULL, NULL));
    OK(clReleaseProgram(again));
    binaries[1][0] ^= 1; /* one that is another than the first */
    GIVES(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 2, devices, sizes,
                                                       (const unsigned char **)binaries, each, &given));
    CHECK(each[0] == CL_SUCCESS && each[1] == CL_INVALID_BINARY);
    for (int i = 0; i < DEVICES; i++)
        free(binaries[i]);
}

/* One buffer, to which the queues of all devices of the context add, one behind the other. */
static void check_work(cl_context context, cl_program program, const cl_device_id *devices)
{
    static const size_t items = ITEMS;
    cl_uint seen[ITEMS] = {0};
    cl_int error;
    cl_event last = NULL;
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof seen, seen, &error);
    OK(error);
    cl_kernel kernel = clCreateKernel(program, "more", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    for (int i = 0; i < DEVICES; i++) {
        cl_event before = last;
        cl_device_id known;
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[i], NULL, &error);
        OK(error);
        OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof known, &known, NULL));
        CHECK(known == devices[i]);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, before != NULL,
                                  before ? &before : NULL, &last));
        OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof seen, seen, 1, &last, NULL));
        CHECK(seen[0] == (cl_uint)i + 1 && seen[ITEMS - 1] == (cl_uint)i + 1);
        if (before)
            OK(clReleaseEvent(before));
        OK(clReleaseCommandQueue(queue));
    }
    size_t most;
    OK(clGetKernelWorkGroupInfo(kernel, devices[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    RETURNS(CL_INVALID_DEVICE,
            clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    OK(clReleaseEvent(last));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(memory));
}

/* A context of the last two devices does not know the first. */
static void check_part(const cl_device_id *devices)
{
    const cl_device_id twice[] = {devices[2], devices[1], devices[2]};
    cl_device_id known[DEVICES];
    size_t bytes;
    cl_int error;
    cl_context context = clCreateContext(NULL, 3, twice, NULL, NULL, &error);
    OK(error);
    OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof known, known, &bytes));
    CHECK(bytes == 2 * sizeof *known && known[0] == devices[2] && known[1] == devices[1]);
    GIVES(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, devices[0], NULL, &given));
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OK(error);
    RETURNS(CL_INVALID_DEVICE, clBuildProgram(program, 1, devices, NULL, NULL, NULL));
    cl_build_status status;
    RETURNS(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_STATUS,
                                                     sizeof status, &status, NULL));
    OK(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_BUILD_NONE);
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
}

int main(void)
{
    cl_device_id devices[DEVICES], few[DEVICES] = {0};
    cl_platform_id platform;
    cl_uint count;
    cl_int error;
    char number[2] = {'0' + DEVICES, 0};
    CHECK(setenv("HEXEC_DEVICES", number, 1) == 0);
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, few, &count));
    CHECK(count == DEVICES && few[1] && !few[2]);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, DEVICES, devices, NULL));
    CHECK(devices[0] == few[0] && devices[0] != devices[1] && devices[1] != devices[2]);
    cl_context context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, &error);
    OK(error);
    OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    CHECK(count == DEVICES);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, DEVICES, devices, NULL, NULL, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    CHECK(count == DEVICES);
    check_work(context, program, devices);
    check_binaries(context, program, devices);
    check_part(devices);
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
    puts("all as it should be");
    return 0;
}
