/* The CUDA driver API as far as this driver has it. Functions have the names under which programs look for
 * them: those with a second version end in _v2. */
#pragma once

#include "devices/libcuda/cuda_texture.h"
#include "devices/libcuda/cuda_types.h"

/* All functions, each of which returns a CUresult: X(name, parameters). */
#define CUDA_CONTROL_FUNCTIONS(X)                                                                            \
    X(cuInit, unsigned flags)                                                                                \
    X(cuDriverGetVersion, int *version)                                                                      \
    X(cuGetErrorName, CUresult error, const char **text)                                                     \
    X(cuGetErrorString, CUresult error, const char **text)                                                   \
    X(cuGetProcAddress, const char *name, void **function, int version, uint64_t flags)                      \
    X(cuGetProcAddress_v2, const char *name, void **function, int version, uint64_t flags, int *status)      \
    X(cuDeviceGet, CUdevice *device, int ordinal)                                                            \
    X(cuDeviceGetCount, int *count)                                                                          \
    X(cuDeviceGetName, char *name, int length, CUdevice device)                                              \
    X(cuDeviceGetUuid, CUuuid *uuid, CUdevice device)                                                        \
    X(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice device)                                                     \
    X(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device)                                                   \
    X(cuDeviceGetAttribute, int *value, int attribute, CUdevice device)                                      \
    X(cuDeviceComputeCapability, int *major, int *minor, CUdevice device)                                    \
    X(cuDeviceGetPCIBusId, char *text, int length, CUdevice device)                                          \
    X(cuDeviceGetByPCIBusId, CUdevice *device, const char *text)                                             \
    X(cuDeviceCanAccessPeer, int *can_access, CUdevice device, CUdevice peer)                                \
    X(cuDeviceGetP2PAttribute, int *value, int attribute, CUdevice from, CUdevice to)                        \
    X(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device)                                         \
    X(cuDevicePrimaryCtxRelease_v2, CUdevice device)                                                         \
    X(cuDevicePrimaryCtxReset_v2, CUdevice device)                                                           \
    X(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags)                                        \
    X(cuDevicePrimaryCtxGetState, CUdevice device, unsigned *flags, int *is_active)                          \
    X(cuCtxCreate_v2, CUcontext *context, unsigned flags, CUdevice device)                                   \
    X(cuCtxCreate_v3, CUcontext *context, void *affinity, int count, unsigned flags, CUdevice device)        \
    X(cuCtxCreate_v4, CUcontext *context, const CUctxCreateParams *params, unsigned flags, CUdevice device)  \
    X(cuCtxDestroy_v2, CUcontext context)                                                                    \
    X(cuCtxPushCurrent_v2, CUcontext context)                                                                \
    X(cuCtxPopCurrent_v2, CUcontext *context)                                                                \
    X(cuCtxSetCurrent, CUcontext context)                                                                    \
    X(cuCtxGetCurrent, CUcontext *context)                                                                   \
    X(cuCtxGetDevice, CUdevice *device)                                                                      \
    X(cuCtxGetFlags, unsigned *flags)                                                                        \
    X(cuCtxSetFlags, unsigned flags)                                                                         \
    X(cuCtxGetId, CUcontext context, unsigned long long *number)                                             \
    X(cuCtxGetApiVersion, CUcontext context, unsigned *version)                                              \
    X(cuCtxGetLimit, size_t *value, int limit)                                                               \
    X(cuCtxSetLimit, int limit, size_t value)                                                                \
    X(cuCtxGetCacheConfig, int *config)                                                                      \
    X(cuCtxSetCacheConfig, int config)                                                                       \
    X(cuCtxGetSharedMemConfig, int *config)                                                                  \
    X(cuCtxSetSharedMemConfig, int config)                                                                   \
    X(cuCtxGetStreamPriorityRange, int *least, int *greatest)                                                \
    X(cuCtxResetPersistingL2Cache, void)                                                                     \
    X(cuCtxEnablePeerAccess, CUcontext context, unsigned flags)                                              \
    X(cuCtxDisablePeerAccess, CUcontext context)                                                             \
    X(cuProfilerStart, void)                                                                                 \
    X(cuProfilerStop, void)                                                                                  \
    X(cuCtxSynchronize, void)
#define CUDA_MODULE_FUNCTIONS(X)                                                                             \
    X(cuModuleLoad, CUmodule *module, const char *path)                                                      \
    X(cuModuleLoadData, CUmodule *module, const void *image)                                                 \
    X(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned count, int *options, void **values)  \
    X(cuLinkCreate_v2, unsigned count, int *options, void **values, CUlinkState *state)                      \
    X(cuLinkAddData_v2, CUlinkState state, int type, void *data, size_t bytes, const char *name,             \
      unsigned count, int *options, void **values)                                                           \
    X(cuLinkAddFile_v2, CUlinkState state, int type, const char *path, unsigned count, int *options,         \
      void **values)                                                                                         \
    X(cuLinkComplete, CUlinkState state, void **image, size_t *bytes)                                        \
    X(cuLinkDestroy, CUlinkState state)                                                                      \
    X(cuModuleLoadFatBinary, CUmodule *module, const void *image)                                            \
    X(cuModuleUnload, CUmodule module)                                                                       \
    X(cuModuleGetLoadingMode, int *mode)                                                                     \
    X(cuModuleGetFunction, CUfunction *function, CUmodule module, const char *name)                          \
    X(cuModuleGetFunctionCount, unsigned *count, CUmodule module)                                            \
    X(cuModuleEnumerateFunctions, CUfunction *functions, unsigned count, CUmodule module)                    \
    X(cuModuleGetGlobal_v2, CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)          \
    X(cuLibraryLoadData, CUlibrary *library, const void *image, int *options, void **values, unsigned count, \
      int *library_options, void **library_values, unsigned library_count)                                   \
    X(cuLibraryLoadFromFile, CUlibrary *library, const char *path, int *options, void **values,              \
      unsigned count, int *library_options, void **library_values, unsigned library_count)                   \
    X(cuLibraryUnload, CUlibrary library)                                                                    \
    X(cuLibraryGetModule, CUmodule *module, CUlibrary library)                                               \
    X(cuLibraryGetKernel, CUkernel *kernel, CUlibrary library, const char *name)                             \
    X(cuLibraryGetKernelCount, unsigned *count, CUlibrary library)                                           \
    X(cuLibraryEnumerateKernels, CUkernel *kernels, unsigned count, CUlibrary library)                       \
    X(cuLibraryGetGlobal, CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)          \
    X(cuKernelGetFunction, CUfunction *function, CUkernel kernel)                                            \
    X(cuKernelGetLibrary, CUlibrary *library, CUkernel kernel)                                               \
    X(cuKernelGetName, const char **name, CUkernel kernel)                                                   \
    X(cuKernelGetParamInfo, CUkernel kernel, size_t index, size_t *offset, size_t *bytes)                    \
    X(cuKernelGetAttribute, int *value, int attribute, CUkernel kernel, CUdevice device)                     \
    X(cuKernelSetAttribute, int attribute, int value, CUkernel kernel, CUdevice device)                      \
    X(cuFuncGetAttribute, int *value, int attribute, CUfunction function)                                    \
    X(cuFuncSetAttribute, CUfunction function, int attribute, int value)                                     \
    X(cuFuncSetCacheConfig, CUfunction function, int config)                                                 \
    X(cuFuncSetSharedMemConfig, CUfunction function, int config)                                             \
    X(cuFuncGetModule, CUmodule *module, CUfunction function)                                                \
    X(cuFuncGetName, const char **name, CUfunction function)                                                 \
    X(cuFuncGetParamInfo, CUfunction function, size_t index, size_t *offset, size_t *bytes)                  \
    X(cuFuncLoad, CUfunction function)                                                                       \
    X(cuFuncIsLoaded, int *state, CUfunction function)                                                       \
    X(cuLaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
      void **parameters, void **extra)                                                                       \
    X(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)  \
    X(cuLaunchCooperativeKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,     \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
      void **parameters)                                                                                     \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, CUfunction function, int block,              \
      size_t shared_bytes)                                                                                   \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, CUfunction function, int block,     \
      size_t shared_bytes, unsigned flags)                                                                   \
    X(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, CUfunction function,                          \
      CUoccupancyB2DSize shared_of, size_t shared_bytes, int most)                                           \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, CUfunction function,                 \
      CUoccupancyB2DSize shared_of, size_t shared_bytes, int most, unsigned flags)                           \
    X(cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, CUfunction function, int blocks, int block)
#define CUDA_MEMORY_FUNCTIONS(X)                                                                             \
    X(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)                                                    \
    X(cuMemAlloc_v2, CUdeviceptr *address, size_t bytes)                                                     \
    X(cuMemAllocPitch_v2, CUdeviceptr *address, size_t *pitch, size_t width, size_t height,                  \
      unsigned element)                                                                                      \
    X(cuMemAllocAsync, CUdeviceptr *address, size_t bytes, CUstream stream)                                  \
    X(cuMemAllocFromPoolAsync, CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)       \
    X(cuMemAllocManaged, CUdeviceptr *address, size_t bytes, unsigned flags)                                 \
    X(cuMemFree_v2, CUdeviceptr address)                                                                     \
    X(cuMemFreeAsync, CUdeviceptr address, CUstream stream)                                                  \
    X(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *bytes, CUdeviceptr address)                        \
    X(cuMemAllocHost_v2, void **host, size_t bytes)                                                          \
    X(cuMemHostAlloc, void **host, size_t bytes, unsigned flags)                                             \
    X(cuMemFreeHost, void *host)                                                                             \
    X(cuMemHostRegister_v2, void *host, size_t bytes, unsigned flags)                                        \
    X(cuMemHostUnregister, void *host)                                                                       \
    X(cuMemHostGetDevicePointer_v2, CUdeviceptr *address, void *host, unsigned flags)                        \
    X(cuMemHostGetFlags, unsigned *flags, void *host)                                                        \
    X(cuPointerGetAttribute, void *value, int attribute, CUdeviceptr address)                                \
    X(cuPointerGetAttributes, unsigned count, int *attributes, void **values, CUdeviceptr address)           \
    X(cuPointerSetAttribute, const void *value, int attribute, CUdeviceptr address)                          \
    X(cuMemPrefetchAsync, CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)               \
    X(cuMemPrefetchAsync_v2, CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,      \
      CUstream stream)                                                                                       \
    X(cuMemAdvise, CUdeviceptr address, size_t bytes, int advice, CUdevice device)                           \
    X(cuMemAdvise_v2, CUdeviceptr address, size_t bytes, int advice, CUmemLocation location)                 \
    X(cuMemRangeGetAttribute, void *value, size_t value_bytes, int attribute, CUdeviceptr address,           \
      size_t bytes)                                                                                          \
    X(cuMemRangeGetAttributes, void **values, size_t *value_bytes, int *attributes, size_t number,           \
      CUdeviceptr address, size_t bytes)                                                                     \
    X(cuDeviceGetDefaultMemPool, CUmemoryPool *pool, CUdevice device)                                        \
    X(cuDeviceGetMemPool, CUmemoryPool *pool, CUdevice device)                                               \
    X(cuDeviceSetMemPool, CUdevice device, CUmemoryPool pool)                                                \
    X(cuMemPoolCreate, CUmemoryPool *pool, const void *properties)                                           \
    X(cuMemPoolDestroy, CUmemoryPool pool)                                                                   \
    X(cuMemPoolTrimTo, CUmemoryPool pool, size_t bytes)                                                      \
    X(cuMemPoolSetAttribute, CUmemoryPool pool, int attribute, void *value)                                  \
    X(cuMemPoolGetAttribute, CUmemoryPool pool, int attribute, void *value)                                  \
    X(cuMemPoolSetAccess, CUmemoryPool pool, const void *list, size_t count)
#define CUDA_PLACE_FUNCTIONS(X)                                                                              \
    X(cuCtxGetDevice_v2, CUdevice *device, CUcontext context)                                                \
    X(cuCtxSynchronize_v2, CUcontext context)                                                                \
    X(cuStreamGetCtx_v2, CUstream stream, CUcontext *context, void **part)                                   \
    X(cuDeviceGetExecAffinitySupport, int *is_supported, int type, CUdevice device)                          \
    X(cuKernelSetCacheConfig, CUkernel kernel, int config, CUdevice device)                                  \
    X(cuLibraryGetManaged, CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)         \
    X(cuLibraryGetUnifiedFunction, void **function, CUlibrary library, const char *name)                     \
    X(cuMemPoolGetAccess, int *flags, CUmemoryPool pool, CUmemLocation *location)                            \
    X(cuMemGetDefaultMemPool, CUmemoryPool *pool, CUmemLocation *location, int type)                         \
    X(cuMemGetMemPool, CUmemoryPool *pool, CUmemLocation *location, int type)                                \
    X(cuMemSetMemPool, CUmemLocation *location, int type, CUmemoryPool pool)
#define CUDA_VIRTUAL_FUNCTIONS(X)                                                                            \
    X(cuMemAddressReserve, CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,           \
      uint64_t flags)                                                                                        \
    X(cuMemAddressFree, CUdeviceptr address, size_t bytes)                                                   \
    X(cuMemCreate, CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *wanted,    \
      uint64_t flags)                                                                                        \
    X(cuMemRelease, CUmemGenericAllocationHandle handle)                                                     \
    X(cuMemMap, CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,       \
      uint64_t flags)                                                                                        \
    X(cuMemUnmap, CUdeviceptr address, size_t bytes)                                                         \
    X(cuMemSetAccess, CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count)          \
    X(cuMemGetAccess, uint64_t *flags, const CUmemLocation *location, CUdeviceptr address)                   \
    X(cuMemGetAllocationGranularity, size_t *bytes, const CUmemAllocationProp *wanted, int which)            \
    X(cuMemGetAllocationPropertiesFromHandle, CUmemAllocationProp *is, CUmemGenericAllocationHandle handle)  \
    X(cuMemRetainAllocationHandle, CUmemGenericAllocationHandle *handle, void *address)                      \
    X(cuMemExportToShareableHandle, void *shared, CUmemGenericAllocationHandle handle, int type,             \
      uint64_t flags)                                                                                        \
    X(cuMemImportFromShareableHandle, CUmemGenericAllocationHandle *handle, void *shared, int type)
#define CUDA_COPY_FUNCTIONS(X)                                                                               \
    X(cuMemcpy, CUdeviceptr to, CUdeviceptr from, size_t bytes)                                              \
    X(cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)                        \
    X(cuMemcpyHtoD_v2, CUdeviceptr to, const void *from, size_t bytes)                                       \
    X(cuMemcpyDtoH_v2, void *to, CUdeviceptr from, size_t bytes)                                             \
    X(cuMemcpyDtoD_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes)                                       \
    X(cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void *from, size_t bytes, CUstream stream)                 \
    X(cuMemcpyDtoHAsync_v2, void *to, CUdeviceptr from, size_t bytes, CUstream stream)                       \
    X(cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)                 \
    X(cuMemcpyPeer, CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,          \
      size_t bytes)                                                                                          \
    X(cuMemcpyPeerAsync, CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,     \
      size_t bytes, CUstream stream)                                                                         \
    X(cuMemcpy2D_v2, const CUDA_MEMCPY2D *copy)                                                              \
    X(cuMemcpy2DUnaligned_v2, const CUDA_MEMCPY2D *copy)                                                     \
    X(cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D *copy, CUstream stream)                                        \
    X(cuMemcpy3D_v2, const CUDA_MEMCPY3D *copy)                                                              \
    X(cuMemcpy3DAsync_v2, const CUDA_MEMCPY3D *copy, CUstream stream)                                        \
    X(cuMemcpy3DPeer, const CUDA_MEMCPY3D *copy)                                                             \
    X(cuMemcpy3DPeerAsync, const CUDA_MEMCPY3D *copy, CUstream stream)                                       \
    X(cuMemsetD8_v2, CUdeviceptr to, unsigned char value, size_t count)                                      \
    X(cuMemsetD8Async, CUdeviceptr to, unsigned char value, size_t count, CUstream stream)                   \
    X(cuMemsetD2D8_v2, CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)       \
    X(cuMemsetD2D8Async, CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,     \
      CUstream stream)                                                                                       \
    X(cuMemsetD16_v2, CUdeviceptr to, unsigned short value, size_t count)                                    \
    X(cuMemsetD16Async, CUdeviceptr to, unsigned short value, size_t count, CUstream stream)                 \
    X(cuMemsetD2D16_v2, CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)     \
    X(cuMemsetD2D16Async, CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,   \
      CUstream stream)                                                                                       \
    X(cuMemsetD32_v2, CUdeviceptr to, unsigned value, size_t count)                                          \
    X(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t count, CUstream stream)                       \
    X(cuMemsetD2D32_v2, CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)           \
    X(cuMemsetD2D32Async, CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,         \
      CUstream stream)
#define CUDA_STREAM_ATTRIBUTE_FUNCTIONS(X)                                                                   \
    X(cuStreamGetDevice, CUstream stream, CUdevice *device)                                                  \
    X(cuStreamGetAttribute, CUstream stream, int attribute, void *value)                                     \
    X(cuStreamSetAttribute, CUstream stream, int attribute, const void *value)                               \
    X(cuStreamCopyAttributes, CUstream to, CUstream from)                                                    \
    X(cuStreamBatchMemOp_v2, CUstream stream, unsigned count, CUstreamBatchMemOpParams *list,                \
      unsigned flags)                                                                                        \
    X(cuMemcpyBatchAsync, CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                   \
      CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count, size_t *failed,                 \
      CUstream stream)                                                                                       \
    X(cuMemcpyBatchAsync_v2, CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                \
      CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count, CUstream stream)
#define CUDA_STREAM_FUNCTIONS(X)                                                                             \
    X(cuStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority)                            \
    X(cuStreamCreate, CUstream *stream, unsigned flags)                                                      \
    X(cuStreamDestroy_v2, CUstream handle)                                                                   \
    X(cuStreamSynchronize, CUstream handle)                                                                  \
    X(cuStreamQuery, CUstream handle)                                                                        \
    X(cuStreamGetPriority, CUstream handle, int *priority)                                                   \
    X(cuStreamGetFlags, CUstream handle, unsigned *flags)                                                    \
    X(cuStreamGetId, CUstream handle, unsigned long long *number)                                            \
    X(cuStreamGetCtx, CUstream handle, CUcontext *context)                                                   \
    X(cuStreamAttachMemAsync, CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags)            \
    X(cuStreamAddCallback, CUstream handle, void (*function)(CUstream, CUresult, void *), void *user,        \
      unsigned flags)                                                                                        \
    X(cuLaunchHostFunc, CUstream stream, void (*function)(void *), void *user)                               \
    X(cuStreamWaitValue32_v2, CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)          \
    X(cuStreamWaitValue64_v2, CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)          \
    X(cuStreamWriteValue32_v2, CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)         \
    X(cuStreamWriteValue64_v2, CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)         \
    X(cuEventCreate, CUevent *event, unsigned flags)                                                         \
    X(cuEventDestroy_v2, CUevent event)                                                                      \
    X(cuEventRecord, CUevent event, CUstream handle)                                                         \
    X(cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned flags)                                \
    X(cuStreamWaitEvent, CUstream handle, CUevent event, unsigned flags)                                     \
    X(cuEventQuery, CUevent event)                                                                           \
    X(cuEventSynchronize, CUevent event)                                                                     \
    X(cuEventElapsedTime, float *milliseconds, CUevent start, CUevent end)                                   \
    X(cuEventElapsedTime_v2, float *milliseconds, CUevent start, CUevent end)                                \
    X(cuStreamBeginCapture_v2, CUstream stream, int mode)                                                    \
    X(cuStreamBeginCaptureToGraph, CUstream stream, CUgraph graph, const CUgraphNode *nodes,                 \
      const void *edges, size_t count, int mode)                                                             \
    X(cuStreamEndCapture, CUstream handle, CUgraph *graph)                                                   \
    X(cuStreamIsCapturing, CUstream stream, int *status)                                                     \
    X(cuStreamGetCaptureInfo_v2, CUstream stream, int *status, uint64_t *number, CUgraph *graph,             \
      const CUgraphNode **nodes, size_t *count)                                                              \
    X(cuStreamGetCaptureInfo_v3, CUstream stream, int *status, uint64_t *number, CUgraph *graph,             \
      const CUgraphNode **nodes, const void **edges, size_t *count)                                          \
    X(cuStreamGetCaptureInfo, CUstream stream, int *status, uint64_t *number)                                \
    X(cuStreamUpdateCaptureDependencies, CUstream handle, CUgraphNode *nodes, size_t count, unsigned flags)  \
    X(cuStreamUpdateCaptureDependencies_v2, CUstream stream, CUgraphNode *nodes,                             \
      const CUgraphEdgeData *edges, size_t count, unsigned flags)                                            \
    X(cuThreadExchangeStreamCaptureMode, int *mode)
#define CUDA_GRAPH_FUNCTIONS(X)                                                                              \
    X(cuGraphCreate, CUgraph *graph, unsigned flags)                                                         \
    X(cuGraphDestroy, CUgraph graph)                                                                         \
    X(cuGraphDestroyNode, CUgraphNode node)                                                                  \
    X(cuGraphAddKernelNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,         \
      const CUDA_KERNEL_NODE_PARAMS *params)                                                                 \
    X(cuGraphAddKernelNode_v2, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,      \
      const CUDA_KERNEL_NODE_PARAMS_v2 *params)                                                              \
    X(cuGraphAddMemcpyNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,         \
      const CUDA_MEMCPY3D *params, CUcontext context)                                                        \
    X(cuGraphAddMemsetNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,         \
      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)                                              \
    X(cuGraphAddHostNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,           \
      const CUDA_HOST_NODE_PARAMS *params)                                                                   \
    X(cuGraphAddEmptyNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count)          \
    X(cuGraphAddEventRecordNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,    \
      CUevent event)                                                                                         \
    X(cuGraphAddEventWaitNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,      \
      CUevent event)                                                                                         \
    X(cuGraphAddMemAllocNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,       \
      CUDA_MEM_ALLOC_NODE_PARAMS *params)                                                                    \
    X(cuGraphMemAllocNodeGetParams, CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)                    \
    X(cuGraphAddMemFreeNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,        \
      CUdeviceptr address)                                                                                   \
    X(cuGraphMemFreeNodeGetParams, CUgraphNode node, CUdeviceptr *address)                                   \
    X(cuDeviceGetGraphMemAttribute, CUdevice device, int attribute, void *value)                             \
    X(cuDeviceSetGraphMemAttribute, CUdevice device, int attribute, void *value)                             \
    X(cuDeviceGraphMemTrim, CUdevice device)                                                                 \
    X(cuGraphKernelNodeSetParams, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)                   \
    X(cuGraphKernelNodeSetParams_v2, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *params)             \
    X(cuGraphMemcpyNodeSetParams, CUgraphNode node, const CUDA_MEMCPY3D *params)                             \
    X(cuGraphMemsetNodeSetParams, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)                   \
    X(cuGraphHostNodeSetParams, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)                       \
    X(cuGraphGetNodes, CUgraph graph, CUgraphNode *list, size_t *count)                                      \
    X(cuGraphGetRootNodes, CUgraph graph, CUgraphNode *list, size_t *count)                                  \
    X(cuGraphGetEdges, CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)                     \
    X(cuGraphNodeGetDependencies, CUgraphNode node, CUgraphNode *list, size_t *count)                        \
    X(cuGraphNodeGetDependentNodes, CUgraphNode node, CUgraphNode *list, size_t *count)                      \
    X(cuGraphNodeGetType, CUgraphNode node, int *type)                                                       \
    X(cuGraphAddDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)   \
    X(cuGraphRemoveDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,              \
      size_t count)                                                                                          \
    X(cuGraphClone, CUgraph *clone, CUgraph graph)                                                           \
    X(cuGraphAddChildGraphNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,     \
      CUgraph child)
#define CUDA_GRAPH_NODE_FUNCTIONS(X)                                                                         \
    X(cuGraphAddNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,               \
      CUgraphNodeParams *params)                                                                             \
    X(cuGraphAddNode_v2, CUgraphNode *node, CUgraph graph, const CUgraphNode *list,                          \
      const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)                                 \
    X(cuGraphAddBatchMemOpNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,     \
      const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)                                                           \
    X(cuGraphBatchMemOpNodeGetParams, CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params)               \
    X(cuGraphBatchMemOpNodeSetParams, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)         \
    X(cuGraphExecBatchMemOpNodeSetParams, CUgraphExec executable, CUgraphNode node,                          \
      const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)                                                           \
    X(cuGraphNodeSetParams, CUgraphNode node, CUgraphNodeParams *params)                                     \
    X(cuGraphKernelNodeGetParams, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)                         \
    X(cuGraphKernelNodeGetParams_v2, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *params)                   \
    X(cuGraphMemcpyNodeGetParams, CUgraphNode node, CUDA_MEMCPY3D *params)                                   \
    X(cuGraphMemsetNodeGetParams, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)                         \
    X(cuGraphHostNodeGetParams, CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)                             \
    X(cuGraphChildGraphNodeGetGraph, CUgraphNode node, CUgraph *graph)                                       \
    X(cuGraphEventRecordNodeGetEvent, CUgraphNode node, CUevent *event)                                      \
    X(cuGraphEventRecordNodeSetEvent, CUgraphNode node, CUevent event)                                       \
    X(cuGraphEventWaitNodeGetEvent, CUgraphNode node, CUevent *event)                                        \
    X(cuGraphEventWaitNodeSetEvent, CUgraphNode node, CUevent event)                                         \
    X(cuGraphKernelNodeGetAttribute, CUgraphNode node, int attribute, void *value)                           \
    X(cuGraphKernelNodeSetAttribute, CUgraphNode node, int attribute, const void *value)                     \
    X(cuGraphKernelNodeCopyAttributes, CUgraphNode to, CUgraphNode from)                                     \
    X(cuGraphNodeFindInClone, CUgraphNode *node, CUgraphNode original, CUgraph clone)                        \
    X(cuGraphGetEdges_v2, CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,         \
      size_t *count)                                                                                         \
    X(cuGraphNodeGetDependencies_v2, CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *edges,            \
      size_t *count)                                                                                         \
    X(cuGraphNodeGetDependentNodes_v2, CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *edges,          \
      size_t *count)                                                                                         \
    X(cuGraphAddDependencies_v2, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,              \
      const CUgraphEdgeData *edges, size_t count)                                                            \
    X(cuGraphRemoveDependencies_v2, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,           \
      const CUgraphEdgeData *edges, size_t count)                                                            \
    X(cuGraphDebugDotPrint, CUgraph graph, const char *path, unsigned flags)                                 \
    X(cuUserObjectCreate, CUuserObject *object, void *data, void (*destroy)(void *data), unsigned count,     \
      unsigned flags)                                                                                        \
    X(cuUserObjectRetain, CUuserObject object, unsigned count)                                               \
    X(cuUserObjectRelease, CUuserObject object, unsigned count)                                              \
    X(cuGraphRetainUserObject, CUgraph graph, CUuserObject object, unsigned count, unsigned flags)           \
    X(cuGraphReleaseUserObject, CUgraph graph, CUuserObject object, unsigned count)
#define CUDA_GRAPH_EXEC_FUNCTIONS(X)                                                                         \
    X(cuGraphInstantiateWithFlags, CUgraphExec *executable, CUgraph graph, unsigned long long flags)         \
    X(cuGraphInstantiate_v2, CUgraphExec *executable, CUgraph graph, CUgraphNode *error_node, char *log,     \
      size_t log_room)                                                                                       \
    X(cuGraphExecGetFlags, CUgraphExec executable, uint64_t *flags)                                          \
    X(cuGraphExecDestroy, CUgraphExec executable)                                                            \
    X(cuGraphLaunch, CUgraphExec executable, CUstream stream)                                                \
    X(cuGraphUpload, CUgraphExec executable, CUstream stream)                                                \
    X(cuGraphExecKernelNodeSetParams, CUgraphExec executable, CUgraphNode node,                              \
      const CUDA_KERNEL_NODE_PARAMS *params)                                                                 \
    X(cuGraphExecKernelNodeSetParams_v2, CUgraphExec executable, CUgraphNode node,                           \
      const CUDA_KERNEL_NODE_PARAMS_v2 *params)                                                              \
    X(cuGraphExecMemcpyNodeSetParams, CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *params, \
      CUcontext context)                                                                                     \
    X(cuGraphExecMemsetNodeSetParams, CUgraphExec executable, CUgraphNode node,                              \
      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)                                              \
    X(cuGraphExecHostNodeSetParams, CUgraphExec executable, CUgraphNode node,                                \
      const CUDA_HOST_NODE_PARAMS *params)                                                                   \
    X(cuGraphInstantiateWithParams, CUgraphExec *executable, CUgraph graph,                                  \
      CUDA_GRAPH_INSTANTIATE_PARAMS *params)                                                                 \
    X(cuGraphExecNodeSetParams, CUgraphExec executable, CUgraphNode node, CUgraphNodeParams *params)         \
    X(cuGraphExecChildGraphNodeSetParams, CUgraphExec executable, CUgraphNode node, CUgraph child)           \
    X(cuGraphExecEventRecordNodeSetEvent, CUgraphExec executable, CUgraphNode node, CUevent event)           \
    X(cuGraphExecEventWaitNodeSetEvent, CUgraphExec executable, CUgraphNode node, CUevent event)             \
    X(cuGraphNodeSetEnabled, CUgraphExec executable, CUgraphNode node, unsigned is_enabled)                  \
    X(cuGraphNodeGetEnabled, CUgraphExec executable, CUgraphNode node, unsigned *is_enabled)                 \
    X(cuGraphExecUpdate, CUgraphExec executable, CUgraph graph, CUgraphNode *error_node, int *result)        \
    X(cuGraphExecUpdate_v2, CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
#define CUDA_FUNCTIONS(X)                                                                                    \
    CUDA_CONTROL_FUNCTIONS(X)                                                                                \
    CUDA_MODULE_FUNCTIONS(X)                                                                                 \
    CUDA_MEMORY_FUNCTIONS(X)                                                                                 \
    CUDA_PLACE_FUNCTIONS(X)                                                                                  \
    CUDA_VIRTUAL_FUNCTIONS(X)                                                                                \
    CUDA_COPY_FUNCTIONS(X)                                                                                   \
    CUDA_ARRAY_FUNCTIONS(X)                                                                                  \
    CUDA_TEXTURE_FUNCTIONS(X)                                                                                \
    CUDA_STREAM_FUNCTIONS(X)                                                                                 \
    CUDA_STREAM_ATTRIBUTE_FUNCTIONS(X)                                                                       \
    CUDA_GRAPH_FUNCTIONS(X)                                                                                  \
    CUDA_GRAPH_NODE_FUNCTIONS(X)                                                                             \
    CUDA_GRAPH_EXEC_FUNCTIONS(X)

#define CUDA_DECLARE(name, ...) __attribute__((visibility("default"))) CUresult name(__VA_ARGS__);
CUDA_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

/* ---- Inside the driver --------------------------------------------------------------------------------- */

/* CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT when the thread has no context, or what stopped a
 * kernel: after that all work of the process fails, as on a GPU. */
CUresult driver_check(void);
/* What stopped a kernel; CUDA_SUCCESS: nothing did. */
CUresult driver_stopped(void);
void driver_stop(CUresult error);
/* Memory of the device that others made, such as variables of modules. */
struct hx_buffer;
CUresult memory_add(struct hx_buffer *buffer);
void memory_forget(const struct hx_buffer *buffer);
