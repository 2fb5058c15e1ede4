/* Devices: which there are, which one the calling thread uses, and what is set for it.
 *
 * All settings are those of the device's primary context. */
#include "devices/libcudart/array.h"
#include "devices/libcudart/forward.h"

enum { /* flags of cudaSetDeviceFlags */
       WAYS_TO_WAIT = 7,
       MAP_HOST = 8,
       KEEP_LOCAL_MEMORY = 0x10,
       SYNCHRONOUS_COPIES = 0x80,
       KNOWN_FLAGS = WAYS_TO_WAIT | MAP_HOST | KEEP_LOCAL_MEMORY | SYNCHRONOUS_COPIES
};

/* ---- Which devices there are --------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = runtime_begin();
    if (count)
        *count = 0;
    if (!error)
        error = cuDeviceGetCount(count);
    return runtime_end(error);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error = runtime_begin();
    if (!error && !device)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *device = runtime_device();
    return runtime_end(error);
}

RUNTIME_FORWARD(cudaSetDevice, (int device), runtime_set_device(device))

/* All devices are alike: the first one is as good as any. */
cudaError_t cudaChooseDevice(int *device, const void *properties)
{
    cudaError_t error = runtime_begin();
    if (!error && (!device || !properties))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *device = 0;
    return runtime_end(error);
}

/* Every device of the list works, so that the first one is used. */
cudaError_t cudaSetValidDevices(int *list, int length)
{
    int count = 0;
    CUdevice known;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuDeviceGetCount(&count);
    if (!error && (length < 0 || length > count || (length > 0 && !list)))
        error = CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < length && !error; i++)
        error = cuDeviceGet(&known, list[i]);
    if (!error)
        error = runtime_set_device(length > 0 ? list[0] : runtime_device());
    return runtime_end(error);
}

RUNTIME_FORWARD(cudaDeviceGetAttribute, (int *value, int attribute, int device),
                cuDeviceGetAttribute(value, attribute, device))
RUNTIME_FORWARD(cudaDeviceGetPCIBusId, (char *text, int length, int device),
                cuDeviceGetPCIBusId(text, length, device))
RUNTIME_FORWARD(cudaDeviceGetByPCIBusId, (int *device, const char *text), cuDeviceGetByPCIBusId(device, text))

/* ---- Flags --------------------------------------------------------------------------------------------- */

static cudaError_t set_flags(CUdevice device, unsigned flags)
{
    const unsigned way = flags & WAYS_TO_WAIT;
    if ((flags & ~(unsigned)KNOWN_FLAGS) != 0 || (way & (way - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return (cudaError_t)cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

RUNTIME_FORWARD(cudaSetDeviceFlags, (unsigned flags), set_flags(runtime_device(), flags))

/* Memory of the host can always be mapped, unless the program made the context itself without that. */
cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    CUcontext current = NULL, primary = NULL;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuCtxGetFlags(flags);
    if (!error)
        error = cuCtxGetCurrent(&current);
    if (!error)
        error = runtime_context(runtime_device(), &primary);
    if (!error && current == primary)
        *flags |= MAP_HOST;
    return runtime_end(error);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    enum { HAS_DEVICE_FLAGS = 1 };
    CUcontext context;
    CUdevice known;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuDeviceGet(&known, device);
    if (!error && flags > HAS_DEVICE_FLAGS)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && flags == HAS_DEVICE_FLAGS)
        error = set_flags(device, device_flags);
    if (!error)
        error = runtime_context(device, &context);
    return runtime_end(error);
}

/* ---- Waiting, starting anew ---------------------------------------------------------------------------- */

RUNTIME_FORWARD(cudaDeviceSynchronize, (void), cuCtxSynchronize())

/* An error that stopped a kernel ends with this, so that it is no reason to refuse. */
cudaError_t cudaDeviceReset(void)
{
    const cudaError_t begun = runtime_begin();
    const CUresult error = cuDevicePrimaryCtxReset_v2(runtime_device());
    if (error == CUDA_SUCCESS)
        registered_forget();
    return runtime_end(error == CUDA_ERROR_NOT_INITIALIZED ? begun : (cudaError_t)error);
}

RUNTIME_FORWARD(cudaProfilerStart, (void), cuProfilerStart())
RUNTIME_FORWARD(cudaProfilerStop, (void), cuProfilerStop())

/* ---- Settings ------------------------------------------------------------------------------------------ */

RUNTIME_FORWARD(cudaDeviceGetLimit, (size_t * value, int limit), cuCtxGetLimit(value, limit))
RUNTIME_FORWARD(cudaDeviceSetLimit, (int limit, size_t value), cuCtxSetLimit(limit, value))
RUNTIME_FORWARD(cudaDeviceGetCacheConfig, (int *config), cuCtxGetCacheConfig(config))
RUNTIME_FORWARD(cudaDeviceSetCacheConfig, (int config), cuCtxSetCacheConfig(config))
RUNTIME_FORWARD(cudaDeviceGetSharedMemConfig, (int *config), cuCtxGetSharedMemConfig(config))
RUNTIME_FORWARD(cudaDeviceSetSharedMemConfig, (int config), cuCtxSetSharedMemConfig(config))
RUNTIME_FORWARD(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
                cuCtxGetStreamPriorityRange(least, greatest))
RUNTIME_FORWARD(cudaCtxResetPersistingL2Cache, (void), cuCtxResetPersistingL2Cache())

/* No other device writes to this one's memory. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
    (void)target, (void)scope;
    const cudaError_t error = runtime_begin();
    return runtime_end(error ? error : CUDA_ERROR_NOT_SUPPORTED);
}

/* ---- Textures in lines --------------------------------------------------------------------------------- */

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const cudaChannelFormatDesc *format,
                                                 int device)
{
    int is = 0;
    unsigned channels = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = format_to_driver(format, &is, &channels);
    if (!error)
        error = cuDeviceGetTexture1DLinearMaxWidth(width, is, channels, device);
    return runtime_end(error);
}
