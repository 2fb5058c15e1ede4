/* Functions that hexec does not have: they are there, so that programs which are linked with them start, and
 * say that they are not supported. */
#include "devices/libcudart/runtime.h"

/* What passes memory to other processes, devices and programs, and tells of the driver. */
#define OF_OTHERS(X)                                                                                         \
    X(cudaDestroyExternalMemory)                                                                             \
    X(cudaDestroyExternalSemaphore)                                                                          \
    X(cudaDeviceGetHostAtomicCapabilities)                                                                   \
    X(cudaDeviceGetP2PAtomicCapabilities)                                                                    \
    X(cudaDeviceRegisterAsyncNotification)                                                                   \
    X(cudaDeviceUnregisterAsyncNotification)                                                                 \
    X(cudaExternalMemoryGetMappedBuffer)                                                                     \
    X(cudaExternalMemoryGetMappedMipmappedArray)                                                             \
    X(cudaGetExportTable)                                                                                    \
    X(cudaGraphAddExternalSemaphoresSignalNode)                                                              \
    X(cudaGraphAddExternalSemaphoresWaitNode)                                                                \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams)                                                    \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)                                                      \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams)                                                        \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams)                                                        \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams)                                                          \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams)                                                          \
    X(cudaImportExternalMemory)                                                                              \
    X(cudaImportExternalSemaphore)                                                                           \
    X(cudaIpcCloseMemHandle)                                                                                 \
    X(cudaIpcGetEventHandle)                                                                                 \
    X(cudaIpcGetMemHandle)                                                                                   \
    X(cudaIpcOpenEventHandle)                                                                                \
    X(cudaIpcOpenMemHandle)                                                                                  \
    X(cudaLogsCurrent)                                                                                       \
    X(cudaLogsDumpToFile)                                                                                    \
    X(cudaLogsDumpToMemory)                                                                                  \
    X(cudaLogsRegisterCallback)                                                                              \
    X(cudaLogsUnregisterCallback)                                                                            \
    X(cudaMemDiscardAndPrefetchBatchAsync)                                                                   \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz)                                                              \
    X(cudaMemDiscardBatchAsync)                                                                              \
    X(cudaMemDiscardBatchAsync_ptsz)                                                                         \
    X(cudaMemPoolExportPointer)                                                                              \
    X(cudaMemPoolExportToShareableHandle)                                                                    \
    X(cudaMemPoolImportFromShareableHandle)                                                                  \
    X(cudaMemPoolImportPointer)                                                                              \
    X(cudaMemPrefetchBatchAsync)                                                                             \
    X(cudaMemPrefetchBatchAsync_ptsz)                                                                        \
    X(cudaSignalExternalSemaphoresAsync)                                                                     \
    X(cudaSignalExternalSemaphoresAsync_ptsz)                                                                \
    X(cudaWaitExternalSemaphoresAsync)                                                                       \
    X(cudaWaitExternalSemaphoresAsync_ptsz)

/* What shares memory with libraries for graphics. */
#define OF_GRAPHICS(X)                                                                                       \
    X(cudaDeviceGetNvSciSyncAttributes)                                                                      \
    X(cudaEGLStreamConsumerAcquireFrame)                                                                     \
    X(cudaEGLStreamConsumerConnect)                                                                          \
    X(cudaEGLStreamConsumerConnectWithFlags)                                                                 \
    X(cudaEGLStreamConsumerDisconnect)                                                                       \
    X(cudaEGLStreamConsumerReleaseFrame)                                                                     \
    X(cudaEGLStreamProducerConnect)                                                                          \
    X(cudaEGLStreamProducerDisconnect)                                                                       \
    X(cudaEGLStreamProducerPresentFrame)                                                                     \
    X(cudaEGLStreamProducerReturnFrame)                                                                      \
    X(cudaEventCreateFromEGLSync)                                                                            \
    X(cudaGLGetDevices)                                                                                      \
    X(cudaGLMapBufferObject)                                                                                 \
    X(cudaGLMapBufferObjectAsync)                                                                            \
    X(cudaGLRegisterBufferObject)                                                                            \
    X(cudaGLSetBufferObjectMapFlags)                                                                         \
    X(cudaGLSetGLDevice)                                                                                     \
    X(cudaGLUnmapBufferObject)                                                                               \
    X(cudaGLUnmapBufferObjectAsync)                                                                          \
    X(cudaGLUnregisterBufferObject)                                                                          \
    X(cudaGraphicsEGLRegisterImage)                                                                          \
    X(cudaGraphicsGLRegisterBuffer)                                                                          \
    X(cudaGraphicsGLRegisterImage)                                                                           \
    X(cudaGraphicsMapResources)                                                                              \
    X(cudaGraphicsResourceGetMappedEglFrame)                                                                 \
    X(cudaGraphicsResourceGetMappedMipmappedArray)                                                           \
    X(cudaGraphicsResourceGetMappedPointer)                                                                  \
    X(cudaGraphicsResourceSetMapFlags)                                                                       \
    X(cudaGraphicsSubResourceGetMappedArray)                                                                 \
    X(cudaGraphicsUnmapResources)                                                                            \
    X(cudaGraphicsUnregisterResource)                                                                        \
    X(cudaGraphicsVDPAURegisterOutputSurface)                                                                \
    X(cudaGraphicsVDPAURegisterVideoSurface)                                                                 \
    X(cudaVDPAUGetDevice)                                                                                    \
    X(cudaVDPAUSetVDPAUDevice)

#define MISSING(name)                                                                                        \
    CUDART_EXPORTED cudaError_t name(void);                                                                  \
    cudaError_t name(void)                                                                                   \
    {                                                                                                        \
        return runtime_end(CUDA_ERROR_NOT_SUPPORTED);                                                        \
    }
OF_OTHERS(MISSING)
OF_GRAPHICS(MISSING)
