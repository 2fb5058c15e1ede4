/* A table of errors: for each function of OpenCL the driver produces those that the specification (OpenCL 3.0
 * API) documents and that can be produced here: which function, how, and the code that is due. All rows are
 * tried, and those that differ are listed. NULL for an object is often the loader's to refuse: objects of
 * another kind stand for wrong ones, too. */
#include "opencl_table_unit.h"

/* ---- Platforms, devices, contexts ---------------------------------------------------------------------- */

static void try_devices(void)
{
    cl_device_id found;
    cl_uint count;
    cl_ulong time;
    ROW(clGetPlatformIDs, CL_INVALID_VALUE, "nothing to fill in", 0, NULL, NULL);
    ROW(clGetPlatformIDs, CL_INVALID_VALUE, "room for none", 0, &unit.platform, NULL);
    ROW(clGetPlatformInfo, CL_INVALID_VALUE, "unknown name", unit.platform, 1, 0, NULL, NULL);
    ROW(clGetPlatformInfo, CL_INVALID_VALUE, "little room", unit.platform, CL_PLATFORM_NAME, 1, host, NULL);
    ROW(clGetDeviceIDs, CL_INVALID_DEVICE_TYPE, "no type", unit.platform, 0, 1, &found, NULL);
    ROW(clGetDeviceIDs, CL_INVALID_DEVICE_TYPE, "unknown type", unit.platform, 1 << 20, 1, &found, NULL);
    ROW(clGetDeviceIDs, CL_INVALID_VALUE, "room for none", unit.platform, CL_DEVICE_TYPE_ALL, 0, &found,
        NULL);
    ROW(clGetDeviceIDs, CL_INVALID_VALUE, "nothing to fill in", unit.platform, CL_DEVICE_TYPE_ALL, 1, NULL,
        NULL);
    ROW(clGetDeviceIDs, CL_DEVICE_NOT_FOUND, "none of the type", unit.platform, CL_DEVICE_TYPE_ACCELERATOR, 1,
        &found, &count);
    ROW(clGetDeviceInfo, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE, CL_DEVICE_NAME, 0, NULL, NULL);
    ROW(clGetDeviceInfo, CL_INVALID_VALUE, "unknown name", unit.device, 1, 0, NULL, NULL);
    ROW(clGetDeviceInfo, CL_INVALID_VALUE, "little room", unit.device, CL_DEVICE_NAME, 3, host, NULL);
    ROW(clCreateSubDevices, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE, NULL, 0, NULL, NULL);
    ROW(clCreateSubDevices, CL_INVALID_VALUE, "no properties", unit.device, NULL, 0, NULL, NULL);
    ROW(clRetainDevice, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE);
    ROW(clReleaseDevice, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE);
    ROW(clGetDeviceAndHostTimer, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE, &time, &time);
    ROW(clGetDeviceAndHostTimer, CL_INVALID_VALUE, "NULL", unit.device, NULL, &time);
    ROW(clGetHostTimer, CL_INVALID_DEVICE, "no device", NOT_A_DEVICE, &time);
    ROW(clGetHostTimer, CL_INVALID_VALUE, "NULL", unit.device, NULL);
    ROW(clUnloadPlatformCompiler, CL_INVALID_PLATFORM, "no platform", (cl_platform_id)(void *)unit.context);
}

static void CL_CALLBACK be_called(const char *text, const void *data, size_t bytes, void *user)
{
    (void)text, (void)data, (void)bytes, (void)user;
}

static void try_contexts(void)
{
    const cl_context_properties unknown[] = {1, 2, 0};
    const cl_context_properties platform = (cl_context_properties)unit.platform;
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_PLATFORM, platform, 0};
    const cl_context_properties sync[] = {CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
    cl_device_id not_one = NOT_A_DEVICE;
    OBJECT_ROW(clCreateContext, CL_INVALID_PROPERTY, "unknown", unknown, 1, &unit.device, NULL, NULL);
    OBJECT_ROW(clCreateContext, CL_INVALID_PROPERTY, "twice", twice, 1, &unit.device, NULL, NULL);
    OBJECT_ROW(clCreateContext, CL_INVALID_PROPERTY, "bad value", sync, 1, &unit.device, NULL, NULL);
    OBJECT_ROW(clCreateContext, CL_INVALID_VALUE, "no list", NULL, 1, NULL, NULL, NULL);
    OBJECT_ROW(clCreateContext, CL_INVALID_VALUE, "no devices", NULL, 0, &unit.device, NULL, NULL);
    OBJECT_ROW(clCreateContext, CL_INVALID_VALUE, "user without function", NULL, 1, &unit.device, NULL, host);
    OBJECT_ROW(clCreateContext, CL_INVALID_DEVICE, "no device", NULL, 1, &not_one, be_called, NULL);
    OBJECT_ROW(clCreateContextFromType, CL_INVALID_DEVICE_TYPE, "no type", NULL, 0, NULL, NULL);
    OBJECT_ROW(clCreateContextFromType, CL_DEVICE_NOT_FOUND, "none of the type", NULL, CL_DEVICE_TYPE_CPU,
               NULL, NULL);
    OBJECT_ROW(clCreateContextFromType, CL_INVALID_PROPERTY, "unknown", twice, CL_DEVICE_TYPE_GPU, NULL,
               NULL);
    OBJECT_ROW(clCreateContextFromType, CL_INVALID_VALUE, "user without function", NULL, CL_DEVICE_TYPE_GPU,
               NULL, host);
    ROW(clRetainContext, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT);
    ROW(clReleaseContext, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT);
    ROW(clGetContextInfo, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, CL_CONTEXT_DEVICES, 0, NULL, NULL);
    ROW(clGetContextInfo, CL_INVALID_VALUE, "unknown name", unit.context, 1, 0, NULL, NULL);
    ROW(clGetContextInfo, CL_INVALID_VALUE, "little room", unit.context, CL_CONTEXT_DEVICES, 1, host, NULL);
    ROW(clSetContextDestructorCallback, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, NULL, NULL);
    ROW(clSetContextDestructorCallback, CL_INVALID_VALUE, "no function", unit.context, NULL, NULL);
}

static void try_queues(void)
{
    const cl_queue_properties unknown[] = {1, 0, 0}, sized[] = {CL_QUEUE_SIZE, 4, 0};
    const cl_queue_properties bad[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    OBJECT_ROW(clCreateCommandQueue, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, unit.device, 0);
    OBJECT_ROW(clCreateCommandQueue, CL_INVALID_DEVICE, "no device", unit.context, NOT_A_DEVICE, 0);
    OBJECT_ROW(clCreateCommandQueue, CL_INVALID_VALUE, "unknown bit", unit.context, unit.device, 1 << 20);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT,
               unit.device, NULL);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_DEVICE, "no device", unit.context, NOT_A_DEVICE,
               NULL);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, "unknown", unit.context, unit.device,
               unknown);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, "unknown bit", unit.context, unit.device,
               bad);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, "on the device", unit.context,
               unit.device, on_device);
    OBJECT_ROW(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, "a size", unit.context,
               unit.device, sized);
    ROW(clSetDefaultDeviceCommandQueue, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, unit.device,
        unit.queue);
    ROW(clSetDefaultDeviceCommandQueue, CL_INVALID_DEVICE, "no device", unit.context, NOT_A_DEVICE,
        unit.queue);
    ROW(clSetDefaultDeviceCommandQueue, CL_INVALID_OPERATION, "there is none", unit.context, unit.device,
        unit.queue);
    ROW(clSetDefaultDeviceCommandQueue, CL_INVALID_OPERATION, "there is none, and no queue", unit.context,
        unit.device, NULL);
    ROW(clRetainCommandQueue, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE);
    ROW(clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE);
    ROW(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, CL_QUEUE_CONTEXT, 0, NULL,
        NULL);
    ROW(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, "size of a queue of the host", unit.queue,
        CL_QUEUE_SIZE, sizeof(cl_uint), host, NULL);
    ROW(clGetCommandQueueInfo, CL_INVALID_VALUE, "unknown name", unit.queue, 1, 0, NULL, NULL);
    ROW(clGetCommandQueueInfo, CL_INVALID_VALUE, "little room", unit.queue, CL_QUEUE_CONTEXT, 1, host, NULL);
    ROW(clFlush, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE);
    ROW(clFinish, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE);
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static void try_buffers(void)
{
    const cl_mem_properties unknown[] = {1, 2, 0};
    const cl_buffer_region good = {0, 8}, empty = {0, 0}, beyond = {128, 4096}, odd = {4, 8};
    const cl_mem_flags both = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    const cl_mem_flags hosts = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const cl_mem_flags accesses = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
    const cl_buffer_create_type region = CL_BUFFER_CREATE_TYPE_REGION;
    OBJECT_ROW(clCreateBuffer, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 0, 8, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_VALUE, "flags", unit.context, both, 8, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_VALUE, "host flags", unit.context, hosts, 8, host);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_VALUE, "access of the host", unit.context, accesses, 8, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_VALUE, "unknown flag", unit.context, 1 << 30, 8, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_BUFFER_SIZE, "0 bytes", unit.context, 0, 0, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_BUFFER_SIZE, "too many bytes", unit.context, 0, SIZE_MAX, NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_HOST_PTR, "no pointer", unit.context, CL_MEM_COPY_HOST_PTR, 8,
               NULL);
    OBJECT_ROW(clCreateBuffer, CL_INVALID_HOST_PTR, "pointer without flag", unit.context, 0, 8, host);
    OBJECT_ROW(clCreateBufferWithProperties, CL_INVALID_PROPERTY, "unknown", unit.context, unknown, 0, 8,
               NULL);
    OBJECT_ROW(clCreateBufferWithProperties, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, NULL, 0, 8,
               NULL);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, "no buffer", NOT_A_MEMORY, 0, region, &good);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, "of a part", part, 0, region, &good);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_VALUE, "type", x, 0, 0, &good);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_VALUE, "no region", x, 0, region, NULL);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_VALUE, "beyond the end", x, 0, region, &beyond);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_VALUE, "host flags", x, CL_MEM_USE_HOST_PTR, region, &good);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_VALUE, "more access than it has", no_host, CL_MEM_HOST_READ_ONLY,
               region, &good);
    OBJECT_ROW(clCreateSubBuffer, CL_INVALID_BUFFER_SIZE, "0 bytes", x, 0, region, &empty);
    OBJECT_ROW(clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET, "offset", x, 0, region, &odd);
    ROW(clRetainMemObject, CL_INVALID_MEM_OBJECT, "no buffer", NOT_A_MEMORY);
    ROW(clReleaseMemObject, CL_INVALID_MEM_OBJECT, "no buffer", NOT_A_MEMORY);
    ROW(clSetMemObjectDestructorCallback, CL_INVALID_MEM_OBJECT, "no buffer", NOT_A_MEMORY, NULL, NULL);
    ROW(clSetMemObjectDestructorCallback, CL_INVALID_VALUE, "no function", x, NULL, NULL);
    ROW(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, "no buffer", NOT_A_MEMORY, CL_MEM_SIZE, 0, NULL, NULL);
    ROW(clGetMemObjectInfo, CL_INVALID_VALUE, "unknown name", x, 1, 0, NULL, NULL);
    ROW(clGetMemObjectInfo, CL_INVALID_VALUE, "little room", x, CL_MEM_SIZE, 1, host, NULL);
}

/* The device has none of these (CL_DEVICE_PIPE_SUPPORT and its like are false). */
static void try_optional(void)
{
    OBJECT_ROW(clCreatePipe, CL_INVALID_OPERATION, "no pipes", unit.context, 0, 4, 4, NULL);
    ROW(clGetPipeInfo, CL_INVALID_MEM_OBJECT, "a buffer", x, CL_PIPE_PACKET_SIZE, 0, NULL, NULL);
    OBJECT_ROW(clCreateProgramWithIL, CL_INVALID_OPERATION, "no IL", unit.context, host, 8);
    OBJECT_ROW(clCreateProgramWithIL, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, host, 8);
    OBJECT_ROW(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, "unknown name", unit.context, 1,
               &unit.device, "f");
    ROW(clSetProgramSpecializationConstant, CL_INVALID_OPERATION, "no IL", program, 0, 4, host);
    ROW(clSetProgramSpecializationConstant, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, 0, 4, host);
}

static void try_svm(void)
{
    const cl_bool yes = CL_TRUE;
    void *p = clSVMAlloc(unit.context, CL_MEM_READ_WRITE, 256, 0), *pointers[] = {p};
    const void *to_move[] = {host};
    CHECK(p && !clSVMAlloc(NOT_A_CONTEXT, 0, 256, 0) && !clSVMAlloc(unit.context, 0, 0, 0));
    CHECK(!clSVMAlloc(unit.context, 0, 256, 3) && !clSVMAlloc(unit.context, 0, 256, 256));
    CHECK(!clSVMAlloc(unit.context, CL_MEM_SVM_ATOMICS, 256, 0) && !clSVMAlloc(unit.context, 3, 256, 0));
    OBJECT_ROW(clCreateBuffer, CL_INVALID_BUFFER_SIZE, "more than is shared", unit.context,
               CL_MEM_USE_HOST_PTR, 512, p);
    ROW(clEnqueueSVMFree, CL_INVALID_VALUE, "no pointers", unit.queue, 1, NULL, NULL, NULL, 0, NULL, NULL);
    ROW(clEnqueueSVMFree, CL_INVALID_VALUE, "none of some", unit.queue, 0, pointers, NULL, NULL, 0, NULL,
        NULL);
    ROW(clEnqueueSVMFree, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, 1, pointers, NULL, NULL, 0, NULL,
        NULL);
    ROW(clEnqueueSVMMemcpy, CL_INVALID_VALUE, "to nowhere", unit.queue, CL_TRUE, NULL, p, 8, 0, NULL, NULL);
    ROW(clEnqueueSVMMemcpy, CL_INVALID_VALUE, "from nowhere", unit.queue, CL_TRUE, p, NULL, 8, 0, NULL, NULL);
    ROW(clEnqueueSVMMemcpy, CL_MEM_COPY_OVERLAP, "overlap", unit.queue, CL_TRUE, host, host + 4, 8, 0, NULL,
        NULL);
    ROW(clEnqueueSVMMemFill, CL_INVALID_VALUE, "nowhere", unit.queue, NULL, host, 4, 8, 0, NULL, NULL);
    ROW(clEnqueueSVMMemFill, CL_INVALID_VALUE, "a pattern of 3", unit.queue, p, host, 3, 9, 0, NULL, NULL);
    ROW(clEnqueueSVMMemFill, CL_INVALID_VALUE, "half a pattern", unit.queue, p, host, 4, 6, 0, NULL, NULL);
    ROW(clEnqueueSVMMap, CL_INVALID_VALUE, "no bytes", unit.queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL);
    ROW(clEnqueueSVMMap, CL_INVALID_VALUE, "too many", unit.queue, CL_TRUE, CL_MAP_READ, p, 257, 0, NULL,
        NULL);
    ROW(clEnqueueSVMMap, CL_INVALID_VALUE, "unknown flags", unit.queue, CL_TRUE, 1 << 30, p, 8, 0, NULL,
        NULL);
    ROW(clEnqueueSVMUnmap, CL_INVALID_VALUE, "not shared", unit.queue, host, 0, NULL, NULL);
    ROW(clEnqueueSVMUnmap, CL_INVALID_COMMAND_QUEUE, "no queue", NOT_A_QUEUE, p, 0, NULL, NULL);
    ROW(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, "not shared", unit.queue, 1, to_move, NULL, 0, 0, NULL,
        NULL);
    ROW(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, "none", unit.queue, 0, to_move, NULL, 0, 0, NULL, NULL);
    ROW(clSetKernelArgSVMPointer, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, 0, p);
    ROW(clSetKernelArgSVMPointer, CL_INVALID_ARG_INDEX, "no such argument", kernel, 1000, p);
    ROW(clSetKernelArgSVMPointer, CL_INVALID_ARG_VALUE, "not shared", kernel, 0, host);
    ROW(clSetKernelExecInfo, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8,
        pointers);
    ROW(clSetKernelExecInfo, CL_INVALID_VALUE, "unknown name", kernel, 1, 8, pointers);
    ROW(clSetKernelExecInfo, CL_INVALID_VALUE, "half a pointer", kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 4,
        pointers);
    ROW(clSetKernelExecInfo, CL_INVALID_OPERATION, "the system's memory", kernel,
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes);
    clSVMFree(unit.context, p);
}

/* ---- Programs and kernels ------------------------------------------------------------------------------ */

static cl_program program_of(const char *text)
{
    cl_int error;
    cl_program made = clCreateProgramWithSource(unit.context, 1, &text, NULL, &error);
    OK(error);
    return made;
}

static void CL_CALLBACK hear_built(cl_program built, void *user)
{
    (void)built, (void)user;
}

static void try_sources(void)
{
    const char *nothing = NULL, *text = source;
    const unsigned char *bytes = (const unsigned char *)"no binary at all", *none = NULL;
    const size_t length = 16, empty = 0;
    cl_device_id not_one = NOT_A_DEVICE;
    cl_int status, error;
    OBJECT_ROW(clCreateProgramWithSource, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 1, &text, NULL);
    OBJECT_ROW(clCreateProgramWithSource, CL_INVALID_VALUE, "none", unit.context, 0, &text, NULL);
    OBJECT_ROW(clCreateProgramWithSource, CL_INVALID_VALUE, "no list", unit.context, 1, NULL, NULL);
    OBJECT_ROW(clCreateProgramWithSource, CL_INVALID_VALUE, "NULL in the list", unit.context, 1, &nothing,
               NULL);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 1, &unit.device,
               &length, &bytes, &status);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_VALUE, "no devices", unit.context, 0, NULL, &length,
               &bytes, &status);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_DEVICE, "no device", unit.context, 1, &not_one, &length,
               &bytes, &status);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_VALUE, "no lengths", unit.context, 1, &unit.device, NULL,
               &bytes, &status);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_VALUE, "0 bytes", unit.context, 1, &unit.device, &empty,
               &bytes, &status);
    OBJECT_ROW(clCreateProgramWithBinary, CL_INVALID_VALUE, "NULL", unit.context, 1, &unit.device, &length,
               &none, &status);
    cl_program binary =
        clCreateProgramWithBinary(unit.context, 1, &unit.device, &length, &bytes, &status, &error);
    OK(error);
    ROW(clBuildProgram, CL_INVALID_BINARY, "no binary", binary, 0, NULL, NULL, NULL, NULL);
    OK(clReleaseProgram(binary));
    ROW(clRetainProgram, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM);
    ROW(clReleaseProgram, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM);
    ROW(clSetProgramReleaseCallback, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, hear_built, NULL);
}

static void try_builds(void)
{
    cl_device_id not_one = NOT_A_DEVICE;
    cl_program bad = program_of("kernel void f(global int *x) { x[0] = nothing; }"), empty = program_of("");
    ROW(clBuildProgram, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, 0, NULL, NULL, NULL, NULL);
    ROW(clBuildProgram, CL_INVALID_VALUE, "no list", bad, 1, NULL, NULL, NULL, NULL);
    ROW(clBuildProgram, CL_INVALID_VALUE, "a list of none", bad, 0, &unit.device, NULL, NULL, NULL);
    ROW(clBuildProgram, CL_INVALID_VALUE, "user without function", bad, 0, NULL, NULL, NULL, host);
    ROW(clBuildProgram, CL_INVALID_DEVICE, "no device", bad, 1, &not_one, NULL, NULL, NULL);
    ROW(clBuildProgram, CL_INVALID_BUILD_OPTIONS, "options", bad, 0, NULL, "--none-such", NULL, NULL);
    ROW(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, "source", bad, 0, NULL, NULL, NULL, NULL);
    ROW(clBuildProgram, CL_INVALID_OPERATION, "has kernels", program, 0, NULL, NULL, NULL, NULL);
    ROW(clCompileProgram, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, 0, NULL, NULL, 0, NULL, NULL, NULL,
        NULL);
    ROW(clCompileProgram, CL_INVALID_VALUE, "no list", bad, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    ROW(clCompileProgram, CL_INVALID_VALUE, "no headers", bad, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL);
    ROW(clCompileProgram, CL_INVALID_VALUE, "headers of none", bad, 0, NULL, NULL, 0, &empty, NULL, NULL,
        NULL);
    ROW(clCompileProgram, CL_INVALID_VALUE, "user without function", bad, 0, NULL, NULL, 0, NULL, NULL, NULL,
        host);
    ROW(clCompileProgram, CL_INVALID_DEVICE, "no device", bad, 1, &not_one, NULL, 0, NULL, NULL, NULL, NULL);
    ROW(clCompileProgram, CL_INVALID_COMPILER_OPTIONS, "options", bad, 0, NULL, "--none-such", 0, NULL, NULL,
        NULL, NULL);
    ROW(clCompileProgram, CL_COMPILE_PROGRAM_FAILURE, "source", bad, 0, NULL, NULL, 0, NULL, NULL, NULL,
        NULL);
    ROW(clCompileProgram, CL_INVALID_OPERATION, "has kernels", program, 0, NULL, NULL, 0, NULL, NULL, NULL,
        NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_CONTEXT, "no context", NOT_A_CONTEXT, 0, NULL, NULL, 1, &empty, NULL,
               NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_VALUE, "no list", unit.context, 1, NULL, NULL, 1, &empty, NULL,
               NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_VALUE, "none", unit.context, 0, NULL, NULL, 0, NULL, NULL, NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_VALUE, "user without function", unit.context, 0, NULL, NULL, 1,
               &empty, NULL, host);
    OBJECT_ROW(clLinkProgram, CL_INVALID_DEVICE, "no device", unit.context, 1, &not_one, NULL, 1, &empty,
               NULL, NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_PROGRAM, "of another context", other.context, 0, NULL, NULL, 1,
               &empty, NULL, NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_OPERATION, "not compiled", unit.context, 0, NULL, NULL, 1, &empty,
               NULL, NULL);
    OBJECT_ROW(clLinkProgram, CL_INVALID_LINKER_OPTIONS, "options", unit.context, 0, NULL, "--none-such", 1,
               &empty, NULL, NULL);
    OK(clReleaseProgram(bad));
    OK(clReleaseProgram(empty));
}

static void try_program_info(void)
{
    ROW(clGetProgramInfo, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, CL_PROGRAM_CONTEXT, 0, NULL, NULL);
    ROW(clGetProgramInfo, CL_INVALID_VALUE, "unknown name", program, 1, 0, NULL, NULL);
    ROW(clGetProgramInfo, CL_INVALID_VALUE, "little room", program, CL_PROGRAM_CONTEXT, 1, host, NULL);
    ROW(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, "not built", unbuilt, CL_PROGRAM_NUM_KERNELS, 0,
        NULL, NULL);
    ROW(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, "not built, names", unbuilt, CL_PROGRAM_KERNEL_NAMES,
        0, NULL, NULL);
    ROW(clGetProgramBuildInfo, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, unit.device,
        CL_PROGRAM_BUILD_LOG, 0, NULL, NULL);
    ROW(clGetProgramBuildInfo, CL_INVALID_DEVICE, "no device", program, NOT_A_DEVICE, CL_PROGRAM_BUILD_LOG, 0,
        NULL, NULL);
    ROW(clGetProgramBuildInfo, CL_INVALID_VALUE, "unknown name", program, unit.device, 1, 0, NULL, NULL);
    ROW(clGetProgramBuildInfo, CL_INVALID_VALUE, "little room", program, unit.device, CL_PROGRAM_BUILD_STATUS,
        1, host, NULL);
}

static void try_kernels(void)
{
    cl_kernel room[1];
    const int n = 1;
    OBJECT_ROW(clCreateKernel, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, "add");
    OBJECT_ROW(clCreateKernel, CL_INVALID_PROGRAM_EXECUTABLE, "not built", unbuilt, "add");
    OBJECT_ROW(clCreateKernel, CL_INVALID_KERNEL_NAME, "no such name", program, "ad");
    OBJECT_ROW(clCreateKernel, CL_INVALID_VALUE, "NULL", program, NULL);
    ROW(clCreateKernelsInProgram, CL_INVALID_PROGRAM, "no program", NOT_A_PROGRAM, 0, NULL, NULL);
    ROW(clCreateKernelsInProgram, CL_INVALID_PROGRAM_EXECUTABLE, "not built", unbuilt, 0, NULL, NULL);
    ROW(clCreateKernelsInProgram, CL_INVALID_VALUE, "little room", program, 1, room, NULL);
    ROW(clRetainKernel, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL);
    ROW(clReleaseKernel, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL);
    OBJECT_ROW(clCloneKernel, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL);
    ROW(clSetKernelArg, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, 0, sizeof x, &x);
    ROW(clSetKernelArg, CL_INVALID_ARG_INDEX, "index", kernel, 3, 4, &n);
    ROW(clSetKernelArg, CL_INVALID_ARG_VALUE, "no value", kernel, 1, 4, NULL);
    ROW(clSetKernelArg, CL_INVALID_ARG_VALUE, "a value for local memory", kernel, 2, 4, &n);
    ROW(clSetKernelArg, CL_INVALID_ARG_SIZE, "local memory of 0", kernel, 2, 0, NULL);
    ROW(clSetKernelArg, CL_INVALID_ARG_SIZE, "too many bytes", kernel, 1, 8, &n);
    ROW(clSetKernelArg, CL_INVALID_ARG_SIZE, "few bytes for a buffer", kernel, 0, 4, &x);
    ROW(clSetKernelArg, CL_INVALID_MEM_OBJECT, "no buffer", kernel, 0, sizeof kernel, &kernel);
    ROW(clGetKernelInfo, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, CL_KERNEL_NUM_ARGS, 0, NULL, NULL);
    ROW(clGetKernelInfo, CL_INVALID_VALUE, "unknown name", kernel, 1, 0, NULL, NULL);
    ROW(clGetKernelInfo, CL_INVALID_VALUE, "little room", kernel, CL_KERNEL_NUM_ARGS, 1, host, NULL);
    ROW(clGetKernelArgInfo, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, 0, CL_KERNEL_ARG_NAME, 0, NULL,
        NULL);
    ROW(clGetKernelArgInfo, CL_INVALID_ARG_INDEX, "index", kernel, 3, CL_KERNEL_ARG_NAME, 0, NULL, NULL);
    ROW(clGetKernelArgInfo, CL_INVALID_VALUE, "unknown name", kernel, 0, 1, 0, NULL, NULL);
    ROW(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, unit.device,
        CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL);
    ROW(clGetKernelWorkGroupInfo, CL_INVALID_DEVICE, "no device", kernel, NOT_A_DEVICE,
        CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL);
    ROW(clGetKernelWorkGroupInfo, CL_INVALID_VALUE, "unknown name", kernel, unit.device, 1, 0, NULL, NULL);
    ROW(clGetKernelWorkGroupInfo, CL_INVALID_VALUE, "of built-in kernels", kernel, unit.device,
        CL_KERNEL_GLOBAL_WORK_SIZE, sizeof host, host, NULL);
    ROW(clGetKernelSubGroupInfo, CL_INVALID_KERNEL, "no kernel", NOT_A_KERNEL, unit.device,
        CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL);
    ROW(clGetKernelSubGroupInfo, CL_INVALID_DEVICE, "no device", kernel, NOT_A_DEVICE,
        CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL);
    ROW(clGetKernelSubGroupInfo, CL_INVALID_VALUE, "no shape", kernel, unit.device,
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, NULL, 8, host, NULL);
}

int main(void)
{
    set_up();
    try_devices();
    try_contexts();
    try_queues();
    try_buffers();
    try_optional();
    try_svm();
    try_sources();
    try_builds();
    try_program_info();
    try_kernels();
    return finish();
}
