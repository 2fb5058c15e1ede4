/* Types and numbers of the CUDA runtime API that all of its parts need, from its public documentation (CUDA
 * Runtime API, reference manual). Handles are those of the driver API, as programs may rely on. */
#pragma once

#include "devices/libcuda/cuda_driver.h"

/* Errors have the driver's numbers (CUresult); these the driver does not have: X(name, number, what it
 * means).
 */
#define CUDART_OWN_ERRORS(X)                                                                                 \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                    \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                              \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                   \
    X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                              \
    X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                                   \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                              \
    X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")                \
    X(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for data type")               \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")       \
    X(cudaErrorInvalidSurface, 37, "invalid surface reference")                                              \
    X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")                       \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")
enum {
#define CUDART_ERROR_VALUE(name, number, text) name = number,
    CUDART_OWN_ERRORS(CUDART_ERROR_VALUE)
#undef CUDART_ERROR_VALUE
};
typedef int cudaError_t;

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUarray cudaArray_t;
typedef CUmipmappedArray cudaMipmappedArray_t;
typedef CUgraph cudaGraph_t;
typedef CUgraphNode cudaGraphNode_t;
typedef CUgraphExec cudaGraphExec_t;
typedef CUuserObject cudaUserObject_t;
typedef CUmemoryPool cudaMemPool_t;
typedef CUfunction cudaFunction_t;
typedef CUkernel cudaKernel_t;
typedef CUlibrary cudaLibrary_t;
typedef CUtexObject cudaTextureObject_t;
typedef CUsurfObject cudaSurfaceObject_t;

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct cudaExtent {
    size_t width, height, depth; /* width: in elements of an array, in bytes of other memory */
} cudaExtent;
typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;
typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;
/* enum cudaMemcpyKind */
enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
typedef CUmemLocation cudaMemLocation;
typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
