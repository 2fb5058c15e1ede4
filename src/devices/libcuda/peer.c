/* Devices beside each other, and where they are on a bus that is not there. */
#include "devices/libcuda/context.h"

#include "devices/calls/calls.h"

#include <stdio.h>

/* ---- Peers: devices share one memory ------------------------------------------------------------------- */

CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer)
{
    CUresult error = device_check(can_access, device);
    if (error == CUDA_SUCCESS)
        error = device_check(can_access, peer);
    if (error == CUDA_SUCCESS)
        *can_access = device != peer;
    return error;
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
    enum { RANK = 1, ACCESS = 2, NATIVE_ATOMICS = 3, ARRAYS = 4 };
    int can_access = 0;
    const CUresult error = value ? cuDeviceCanAccessPeer(&can_access, from, to) : CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    if (!can_access || attribute < RANK || attribute > ARRAYS)
        return can_access ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == ACCESS || attribute == NATIVE_ATOMICS;
    return CUDA_SUCCESS;
}

/* They reach each other's memory in any case: programs rely on what a second call returns. */
CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags)
{
    CUcontext own = context_current();
    if (!context || !own || flags != 0)
        return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    if (context->device == own->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const unsigned long long bit = 1ull << context->device;
    return atomic_fetch_or(&own->peers, bit) & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext context)
{
    CUcontext own = context_current();
    if (!context || !own)
        return CUDA_ERROR_INVALID_CONTEXT;
    const unsigned long long bit = 1ull << context->device;
    return atomic_fetch_and(&own->peers, ~bit) & bit ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

/* Addresses on a bus that is not there, of which each device has one. */
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    const CUresult error = device_check(text, device);
    if (error != CUDA_SUCCESS || length < 13)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)length, "0000:00:%02x.0", (unsigned)device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    unsigned domain = 0, bus = 0, number = 0;
    const CUresult error = device_check(device, 0);
    if (error != CUDA_SUCCESS || !text || sscanf(text, "%x:%x:%x", &domain, &bus, &number) != 3)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    return domain || bus || number > DEVICES_MOST ? CUDA_ERROR_INVALID_DEVICE
                                                  : cuDeviceGet(device, (int)number);
}
