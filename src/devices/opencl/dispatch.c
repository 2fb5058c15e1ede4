/* The table of functions by which the loader calls the driver (cl_khr_icd), and the functions that it finds
 * by name. Functions of extensions that the device does not list are NULL. */
#include "devices/calls/calls.h"
#include "devices/opencl/opencl.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Every function of OpenCL that the driver has: X(name). */
/* clang-format off */
#define FUNCTIONS(X) \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) \
    X(clCreateContextFromType) X(clRetainContext) X(clReleaseContext) X(clGetContextInfo) \
    X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue) X(clGetCommandQueueInfo) \
    X(clSetCommandQueueProperty) X(clCreateBuffer) X(clCreateImage2D) X(clCreateImage3D) X(clRetainMemObject) \
    X(clReleaseMemObject) X(clGetSupportedImageFormats) X(clGetMemObjectInfo) X(clGetImageInfo) \
    X(clCreateSampler) X(clRetainSampler) X(clReleaseSampler) X(clGetSamplerInfo) \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram) \
    X(clBuildProgram) X(clUnloadCompiler) X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clCreateKernel) \
    X(clCreateKernelsInProgram) X(clRetainKernel) X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelInfo) \
    X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clGetEventInfo) X(clRetainEvent) X(clReleaseEvent) \
    X(clGetEventProfilingInfo) X(clFlush) X(clFinish) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) \
    X(clEnqueueCopyBuffer) X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueCopyImage) \
    X(clEnqueueCopyImageToBuffer) X(clEnqueueCopyBufferToImage) X(clEnqueueMapBuffer) X(clEnqueueMapImage) \
    X(clEnqueueUnmapMemObject) X(clEnqueueNDRangeKernel) X(clEnqueueTask) X(clEnqueueNativeKernel) \
    X(clEnqueueMarker) X(clEnqueueWaitForEvents) X(clEnqueueBarrier) X(clGetExtensionFunctionAddress) \
    X(clSetEventCallback) X(clCreateSubBuffer) X(clSetMemObjectDestructorCallback) X(clCreateUserEvent) \
    X(clSetUserEventStatus) X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect) \
    X(clCreateSubDevices) X(clRetainDevice) X(clReleaseDevice) X(clCreateImage) \
    X(clCreateProgramWithBuiltInKernels) X(clCompileProgram) X(clLinkProgram) X(clUnloadPlatformCompiler) \
    X(clGetKernelArgInfo) X(clEnqueueFillBuffer) X(clEnqueueFillImage) X(clEnqueueMigrateMemObjects) \
    X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList) \
    X(clGetExtensionFunctionAddressForPlatform) X(clCreateCommandQueueWithProperties) X(clCreatePipe) \
    X(clGetPipeInfo) X(clSVMAlloc) X(clSVMFree) X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) \
    X(clEnqueueSVMMemFill) X(clEnqueueSVMMap) X(clEnqueueSVMUnmap) X(clCreateSamplerWithProperties) \
    X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo) X(clCloneKernel) X(clCreateProgramWithIL) \
    X(clEnqueueSVMMigrateMem) X(clGetDeviceAndHostTimer) X(clGetHostTimer) X(clGetKernelSubGroupInfo) \
    X(clSetDefaultDeviceCommandQueue) X(clSetProgramReleaseCallback) X(clSetProgramSpecializationConstant) \
    X(clCreateBufferWithProperties) X(clCreateImageWithProperties) X(clSetContextDestructorCallback)
/* clang-format on */

void opencl_watch_calls(hx_session *session)
{
    static struct call calls[] = {
#define CALL_ROW(name) {(void *)name, #name},
        FUNCTIONS(CALL_ROW)
#undef CALL_ROW
    };
    calls_watch(session, calls, sizeof calls / sizeof *calls);
}

const cl_icd_dispatch opencl_dispatch = {
#define DISPATCH_MEMBER(name) .name = name,
    FUNCTIONS(DISPATCH_MEMBER)
#undef DISPATCH_MEMBER
        .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo, /* the loader gives its own function for it */
};

EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms,
                                                   cl_uint *ret_count)
{
    return clGetPlatformIDs(count, platforms, ret_count);
}

EXPORTED void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    if (name && strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    if (name && strcmp(name, "clGetKernelSubGroupInfoKHR") == 0) /* of cl_khr_subgroups */
        return (void *)clGetKernelSubGroupInfo;
    /* ocl-icd looks for the platform's information by name */
    return name && strcmp(name, "clGetPlatformInfo") == 0 ? (void *)clGetPlatformInfo : NULL;
}

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return platform == &opencl_platform ? clGetExtensionFunctionAddress(name) : NULL;
}
