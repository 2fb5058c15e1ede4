/* The functions of devices by the names that they had for threads, which CUDA 13 has no more. */
#include "devices/libcudart/runtime.h"

CUDART_DEVICE_VERSIONED_FUNCTIONS(CUDART_DECLARE)

#if CUDART_VERSION < 13000
cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}
cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}
cudaError_t cudaThreadGetLimit(size_t *value, int limit)
{
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetLimit(int limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetCacheConfig(int *config)
{
    return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(int config)
{
    return cudaDeviceSetCacheConfig(config);
}
#endif
