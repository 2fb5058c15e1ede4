/* The macros and functions of NVIDIA's samples that check errors and choose a device. */
#pragma once
__HEXEC_HEADER_BEGIN
#include <cstdio>

template <typename __T> static inline void check(__T result, const char *function, const char *file, int line)
{
    if (result)
        fprintf(stderr, "%s:%d: error %d in %s\n", file, line, (int)result, function);
}
#define checkCudaErrors(call)     check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) check(cudaGetLastError(), message, __FILE__, __LINE__)
static inline int findCudaDevice(int, const char **)
{
    return 0;
}
static inline int gpuGetMaxGflopsDeviceId()
{
    return 0;
}
__HEXEC_HEADER_END
