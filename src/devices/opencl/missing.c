/* Functions for what the device does not have: each returns the error that the specification lists for it
 * (OpenCL 3.0 API, appendix "Optional features"), after the errors of the objects that it was given. */
#include "devices/opencl/opencl.h"

/* ---- Pipes, queues on the device, specialization (optional in OpenCL 3.0) ---- */

cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                                cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                                cl_int *errcode_ret)
{
    (void)flags, (void)pipe_packet_size, (void)pipe_max_packets, (void)properties;
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    (void)pipe, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue command_queue)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!device_list_has(&context->devices, device))
        return CL_INVALID_DEVICE;
    (void)command_queue; /* the device has none, so that it cannot have another */
    return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data), void *user_data)
{
    (void)pfn_notify, (void)user_data;
    return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                                      const void *spec_value)
{
    (void)spec_id, (void)spec_size, (void)spec_value;
    return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* ---- The compiler ---- */

/* Nothing of the compiler is kept between builds. */
cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &opencl_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
