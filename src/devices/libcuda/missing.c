/* What the device does not have: memory and events of other processes and programs, pictures, parts of a
 * device, clusters and their memory, conditions in graphs.
 *
 * Programs that are linked with the driver name such functions though they seldom call them, and would not
 * start without. cuGetProcAddress does not find them, so that a program that looks for one knows. */
#include "devices/libcuda/work.h"

#define OF_OTHERS(X)                                                                                         \
    X(cuCheckpointProcessCheckpoint)                                                                         \
    X(cuCheckpointProcessGetRestoreThreadId)                                                                 \
    X(cuCheckpointProcessGetState)                                                                           \
    X(cuCheckpointProcessLock)                                                                               \
    X(cuCheckpointProcessRestore)                                                                            \
    X(cuCheckpointProcessUnlock)                                                                             \
    X(cuCoredumpGetAttribute)                                                                                \
    X(cuCoredumpGetAttributeGlobal)                                                                          \
    X(cuCoredumpSetAttribute)                                                                                \
    X(cuCoredumpSetAttributeGlobal)                                                                          \
    X(cuDestroyExternalMemory)                                                                               \
    X(cuDestroyExternalSemaphore)                                                                            \
    X(cuDeviceGetNvSciSyncAttributes)                                                                        \
    X(cuExternalMemoryGetMappedBuffer)                                                                       \
    X(cuExternalMemoryGetMappedMipmappedArray)                                                               \
    X(cuFlushGPUDirectRDMAWrites)                                                                            \
    X(cuGLGetDevices_v2)                                                                                     \
    X(cuGraphAddExternalSemaphoresSignalNode)                                                                \
    X(cuGraphAddExternalSemaphoresWaitNode)                                                                  \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams)                                                      \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams)                                                        \
    X(cuGraphExternalSemaphoresSignalNodeGetParams)                                                          \
    X(cuGraphExternalSemaphoresSignalNodeSetParams)                                                          \
    X(cuGraphExternalSemaphoresWaitNodeGetParams)                                                            \
    X(cuGraphExternalSemaphoresWaitNodeSetParams)                                                            \
    X(cuGraphicsGLRegisterBuffer)                                                                            \
    X(cuGraphicsGLRegisterImage)                                                                             \
    X(cuGraphicsMapResources)                                                                                \
    X(cuGraphicsResourceGetMappedMipmappedArray)                                                             \
    X(cuGraphicsResourceGetMappedPointer)                                                                    \
    X(cuGraphicsResourceGetMappedPointer_v2)                                                                 \
    X(cuGraphicsResourceSetMapFlags)                                                                         \
    X(cuGraphicsResourceSetMapFlags_v2)                                                                      \
    X(cuGraphicsSubResourceGetMappedArray)                                                                   \
    X(cuGraphicsUnmapResources)                                                                              \
    X(cuGraphicsUnregisterResource)                                                                          \
    X(cuImportExternalMemory)                                                                                \
    X(cuImportExternalSemaphore)                                                                             \
    X(cuIpcCloseMemHandle)                                                                                   \
    X(cuIpcGetEventHandle)                                                                                   \
    X(cuIpcGetMemHandle)                                                                                     \
    X(cuIpcOpenEventHandle)                                                                                  \
    X(cuIpcOpenMemHandle)                                                                                    \
    X(cuIpcOpenMemHandle_v2)                                                                                 \
    X(cuMemGetHandleForAddressRange)                                                                         \
    X(cuMemPoolExportPointer)                                                                                \
    X(cuMemPoolExportToShareableHandle)                                                                      \
    X(cuMemPoolImportFromShareableHandle)                                                                    \
    X(cuMemPoolImportPointer)                                                                                \
    X(cuSignalExternalSemaphoresAsync)                                                                       \
    X(cuWaitExternalSemaphoresAsync)
#define OF_DEVICES(X)                                                                                        \
    X(cuArrayGetPlane)                                                                                       \
    X(cuArrayGetSparseProperties)                                                                            \
    X(cuCtxFromGreenCtx)                                                                                     \
    X(cuCtxGetDevResource)                                                                                   \
    X(cuCtxGetExecAffinity)                                                                                  \
    X(cuCtxRecordEvent)                                                                                      \
    X(cuCtxWaitEvent)                                                                                        \
    X(cuDevResourceGenerateDesc)                                                                             \
    X(cuDevSmResourceSplitByCount)                                                                           \
    X(cuDeviceGetDevResource)                                                                                \
    X(cuDeviceGetLuid)                                                                                       \
    X(cuDeviceRegisterAsyncNotification)                                                                     \
    X(cuDeviceUnregisterAsyncNotification)                                                                   \
    X(cuGraphConditionalHandleCreate)                                                                        \
    X(cuGreenCtxCreate)                                                                                      \
    X(cuGreenCtxDestroy)                                                                                     \
    X(cuGreenCtxGetDevResource)                                                                              \
    X(cuGreenCtxGetId)                                                                                       \
    X(cuGreenCtxRecordEvent)                                                                                 \
    X(cuGreenCtxStreamCreate)                                                                                \
    X(cuGreenCtxWaitEvent)                                                                                   \
    X(cuLaunchCooperativeKernelMultiDevice)                                                                  \
    X(cuMemBatchDecompressAsync)                                                                             \
    X(cuMemMapArrayAsync)                                                                                    \
    X(cuMipmappedArrayGetMemoryRequirements)                                                                 \
    X(cuMipmappedArrayGetSparseProperties)                                                                   \
    X(cuMulticastAddDevice)                                                                                  \
    X(cuMulticastBindAddr)                                                                                   \
    X(cuMulticastBindMem)                                                                                    \
    X(cuMulticastCreate)                                                                                     \
    X(cuMulticastGetGranularity)                                                                             \
    X(cuMulticastUnbind)                                                                                     \
    X(cuOccupancyMaxActiveClusters)                                                                          \
    X(cuOccupancyMaxPotentialClusterSize)                                                                    \
    X(cuStreamGetGreenCtx)                                                                                   \
    X(cuTensorMapEncodeIm2col)                                                                               \
    X(cuTensorMapEncodeIm2colWide)                                                                           \
    X(cuTensorMapEncodeTiled)                                                                                \
    X(cuTensorMapReplaceAddress)                                                                             \
    X(cuTexRefGetMipmapFilterMode)                                                                           \
    X(cuTexRefGetMipmapLevelBias)                                                                            \
    X(cuTexRefGetMipmapLevelClamp)                                                                           \
    X(cuTexRefGetMipmappedArray)                                                                             \
    X(cuTexRefSetMipmapFilterMode)                                                                           \
    X(cuTexRefSetMipmapLevelBias)                                                                            \
    X(cuTexRefSetMipmapLevelClamp)                                                                           \
    X(cuTexRefSetMipmappedArray)

#define MISSING(name)                                                                                        \
    __attribute__((visibility("default"))) CUresult name(void);                                              \
    CUresult name(void)                                                                                      \
    {                                                                                                        \
        return CUDA_ERROR_NOT_SUPPORTED;                                                                     \
    }
OF_OTHERS(MISSING)
OF_DEVICES(MISSING)
