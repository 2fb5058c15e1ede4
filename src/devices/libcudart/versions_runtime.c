/* What of the runtime's start differs between its versions. */
#include "devices/libcudart/runtime.h"

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return runtime_end(CUDA_ERROR_INVALID_VALUE);
    *version = CUDART_VERSION;
    return CUDA_SUCCESS;
}

/* Programs compare the two: the driver is never older than the runtime that is its own. */
cudaError_t cudaDriverGetVersion(int *version)
{
    const cudaError_t error = cuDriverGetVersion(version);
    if (!error && *version < CUDART_VERSION)
        *version = CUDART_VERSION;
    return runtime_end(error);
}
