/* Calls that name a context or a place, which later versions have in place of those of the current one, and
 * what contexts and libraries have none of. */
#include "devices/libcuda/context.h"

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    if (!context)
        return cuCtxGetDevice(device);
    return cuDeviceGet(device, context->device);
}

/* All contexts have one queue. */
CUresult cuCtxSynchronize_v2(CUcontext context)
{
    (void)context;
    return cuCtxSynchronize();
}

/* No stream is of a part of a device. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **part)
{
    const CUresult error = cuStreamGetCtx(stream, context);
    if (error == CUDA_SUCCESS && part)
        *part = NULL;
    return error;
}

CUresult cuDeviceGetExecAffinitySupport(int *is_supported, int type, CUdevice device)
{
    const CUresult error = device_check(is_supported, device);
    if (error != CUDA_SUCCESS || type != 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *is_supported = 0;
    return CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device)
{
    const CUresult error = device_check(&device, device);
    return error == CUDA_SUCCESS ? cuFuncSetCacheConfig(kernel, config) : error;
}

CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
    return !function || !name ? CUDA_ERROR_INVALID_VALUE
           : !library         ? CUDA_ERROR_INVALID_HANDLE
                              : CUDA_ERROR_NOT_FOUND;
}
