/* Starting, the calling thread's device, and its last error. */
#include "devices/libcudart/runtime.h"

#include <pthread.h>

enum { DEVICES_MOST = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext contexts[DEVICES_MOST]; /* the primary ones that are held; guarded by lock */
static _Thread_local struct {
    CUdevice device;
    cudaError_t error;
    CUcontext made_current; /* by this library; another one is the program's */
} own;

cudaError_t runtime_context(CUdevice device, CUcontext *ret_context)
{
    int count = 0;
    cudaError_t error = cuDeviceGetCount(&count);
    if (error)
        return error;
    if (device < 0 || device >= count || device >= DEVICES_MOST)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    if (!contexts[device])
        error = cuDevicePrimaryCtxRetain(&contexts[device], device);
    *ret_context = contexts[device];
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t runtime_begin(void)
{
    CUcontext current = NULL, primary = NULL;
    cudaError_t error = cuInit(0);
    if (!error)
        error = cuCtxGetCurrent(&current);
    if (error || (current && current != own.made_current))
        return error;
    error = runtime_context(own.device, &primary);
    if (!error && current != primary)
        error = cuCtxSetCurrent(primary);
    if (!error)
        own.made_current = primary;
    return error;
}

cudaError_t runtime_end(cudaError_t error)
{
    if (error && error != CUDA_ERROR_NOT_READY)
        own.error = error;
    return error;
}

CUdevice runtime_device(void)
{
    CUcontext current = NULL;
    CUdevice device = own.device;
    if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current && current != own.made_current)
        (void)cuCtxGetDevice(&device);
    return device;
}

cudaError_t runtime_set_device(CUdevice device)
{
    CUcontext primary = NULL;
    cudaError_t error = cuInit(0);
    if (!error)
        error = runtime_context(device, &primary);
    if (!error)
        error = cuCtxSetCurrent(primary);
    if (error)
        return error;
    own.device = device;
    own.made_current = primary;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = own.error;
    own.error = CUDA_SUCCESS;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return own.error;
}
