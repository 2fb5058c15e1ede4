/* Names of errors, and what they mean. */
#include "devices/libcudart/cudart.h"

#include <stddef.h>

CUDART_EXPORTED const char *cudaGetErrorName(cudaError_t error);
CUDART_EXPORTED const char *cudaGetErrorString(cudaError_t error);

/* The runtime's names of the driver's errors: X(name, number). */
#define DRIVER_ERRORS(X)                                                                                     \
    X(cudaSuccess, CUDA_SUCCESS)                                                                             \
    X(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE)                                                       \
    X(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY)                                                   \
    X(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED)                                              \
    X(cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED)                                                    \
    X(cudaErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY)                                                         \
    X(cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE)                                                               \
    X(cudaErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE)                                                     \
    X(cudaErrorInvalidKernelImage, CUDA_ERROR_INVALID_IMAGE)                                                 \
    X(cudaErrorDeviceUninitialized, CUDA_ERROR_INVALID_CONTEXT)                                              \
    X(cudaErrorNoKernelImageForDevice, CUDA_ERROR_NO_BINARY_FOR_GPU)                                         \
    X(cudaErrorUnsupportedLimit, CUDA_ERROR_UNSUPPORTED_LIMIT)                                               \
    X(cudaErrorDeviceAlreadyInUse, CUDA_ERROR_CONTEXT_ALREADY_IN_USE)                                        \
    X(cudaErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)                                    \
    X(cudaErrorInvalidPtx, CUDA_ERROR_INVALID_PTX)                                                           \
    X(cudaErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)                                    \
    X(cudaErrorInvalidSource, CUDA_ERROR_INVALID_SOURCE)                                                     \
    X(cudaErrorFileNotFound, CUDA_ERROR_FILE_NOT_FOUND)                                                      \
    X(cudaErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM)                                                 \
    X(cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE)                                             \
    X(cudaErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE)                                                       \
    X(cudaErrorSymbolNotFound, CUDA_ERROR_NOT_FOUND)                                                         \
    X(cudaErrorNotReady, CUDA_ERROR_NOT_READY)                                                               \
    X(cudaErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS)                                                   \
    X(cudaErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)                                     \
    X(cudaErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT)                                                     \
    X(cudaErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)                             \
    X(cudaErrorPeerAccessNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)                                     \
    X(cudaErrorSetOnActiveProcess, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)                                        \
    X(cudaErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED)                                          \
    X(cudaErrorAssert, CUDA_ERROR_ASSERT)                                                                    \
    X(cudaErrorHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)                       \
    X(cudaErrorHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)                               \
    X(cudaErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)                                           \
    X(cudaErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS)                                             \
    X(cudaErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE)                                        \
    X(cudaErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED)                                                      \
    X(cudaErrorCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)                           \
    X(cudaErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED)                                                       \
    X(cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED)                                                       \
    X(cudaErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)                              \
    X(cudaErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)                              \
    X(cudaErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE)                                          \
    X(cudaErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)                                  \
    X(cudaErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED)                                    \
    X(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)                                  \
    X(cudaErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)                                    \
    X(cudaErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT)                                                     \
    X(cudaErrorGraphExecUpdateFailure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)                                 \
    X(cudaErrorUnknown, CUDA_ERROR_UNKNOWN)

static const struct {
    cudaError_t error;
    const char *name, *text; /* NULL: it is the driver's */
} errors[] = {
#define DRIVER_ROW(name, number) {number, #name, NULL},
    DRIVER_ERRORS(DRIVER_ROW)
#undef DRIVER_ROW
#define OWN_ROW(name, number, text) {number, #name, text},
        CUDART_OWN_ERRORS(OWN_ROW)
#undef OWN_ROW
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const char *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            text = errors[i].text;
    return text || cuGetErrorString((CUresult)error, &text) == CUDA_SUCCESS ? text
                                                                            : "unrecognized error code";
}
