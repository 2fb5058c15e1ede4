/* Devices beside each other. */
#include "devices/libcudart/forward.h"

RUNTIME_FORWARD(cudaDeviceCanAccessPeer, (int *can_access, int device, int peer),
                cuDeviceCanAccessPeer(can_access, device, peer))
RUNTIME_FORWARD(cudaDeviceGetP2PAttribute, (int *value, int attribute, int from, int to),
                cuDeviceGetP2PAttribute(value, attribute, from, to))

/* The primary context of another device than the calling thread's. */
static cudaError_t context_of(int peer, CUcontext *ret_context)
{
    return peer == runtime_device() ? CUDA_ERROR_INVALID_DEVICE : runtime_context(peer, ret_context);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    CUcontext context = NULL;
    cudaError_t error = runtime_begin();
    if (!error && flags != 0)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = context_of(peer, &context);
    if (!error)
        error = cuCtxEnablePeerAccess(context, flags);
    return runtime_end(error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    CUcontext context = NULL;
    cudaError_t error = runtime_begin();
    if (!error)
        error = context_of(peer, &context);
    if (!error)
        error = cuCtxDisablePeerAccess(context);
    return runtime_end(error);
}
