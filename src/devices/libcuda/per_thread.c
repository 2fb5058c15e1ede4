/* The functions of programs whose default stream is one of each thread (nvcc --default-stream per-thread).
 *
 * Such a program calls functions under other names: those of work in streams end in _ptsz, and take NULL for
 * the stream of the calling thread; those of copies and fills that are done at once end in _ptds, and are
 * done in that stream. */
#include "devices/libcuda/per_thread.h"

#include "devices/libcuda/capture.h"

#include <string.h>

static CUstream of_thread(CUstream stream)
{
    return stream ? stream : (CUstream)(uintptr_t)STREAM_PER_THREAD;
}
#define OF_THREAD(stream) of_thread(stream)

/* X(name, parameters, arguments) */
#define NOW_FUNCTIONS(X)                                                                                     \
    X(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))                         \
    X(cuMemcpyPeer,                                                                                          \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes),        \
      (to, to_context, from, from_context, bytes))                                                           \
    X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))                  \
    X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))                        \
    X(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))                  \
    X(cuMemcpyDtoA_v2, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),                          \
      (to, offset, from, bytes))                                                                             \
    X(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),                          \
      (to, from, offset, bytes))                                                                             \
    X(cuMemcpyHtoA_v2, (CUarray to, size_t offset, const void *from, size_t bytes),                          \
      (to, offset, from, bytes))                                                                             \
    X(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t offset, size_t bytes), (to, from, offset, bytes))     \
    X(cuMemcpyAtoA_v2, (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),       \
      (to, to_offset, from, from_offset, bytes))                                                             \
    X(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), (copy))                                                    \
    X(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), (copy))                                           \
    X(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy), (copy))                                                    \
    X(cuMemcpy3DPeer, (const CUDA_MEMCPY3D *copy), (copy))                                                   \
    X(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t count), (to, value, count))                \
    X(cuMemsetD16_v2, (CUdeviceptr to, unsigned short value, size_t count), (to, value, count))              \
    X(cuMemsetD32_v2, (CUdeviceptr to, unsigned value, size_t count), (to, value, count))                    \
    X(cuMemsetD2D8_v2, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),     \
      (to, pitch, value, width, height))                                                                     \
    X(cuMemsetD2D16_v2, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),   \
      (to, pitch, value, width, height))                                                                     \
    X(cuMemsetD2D32_v2, (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height),         \
      (to, pitch, value, width, height))
#define MEMORY_FUNCTIONS(X)                                                                                  \
    X(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),                      \
      (to, from, bytes, OF_THREAD(stream)))                                                                  \
    X(cuMemcpyPeerAsync,                                                                                     \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,         \
       CUstream stream),                                                                                     \
      (to, to_context, from, from_context, bytes, OF_THREAD(stream)))                                        \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),               \
      (to, from, bytes, OF_THREAD(stream)))                                                                  \
    X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),                     \
      (to, from, bytes, OF_THREAD(stream)))                                                                  \
    X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),               \
      (to, from, bytes, OF_THREAD(stream)))                                                                  \
    X(cuMemcpyHtoAAsync_v2, (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),    \
      (to, offset, from, bytes, OF_THREAD(stream)))                                                          \
    X(cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),          \
      (to, from, offset, bytes, OF_THREAD(stream)))                                                          \
    X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, OF_THREAD(stream)))           \
    X(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, OF_THREAD(stream)))           \
    X(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, OF_THREAD(stream)))          \
    X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),                 \
      (to, value, count, OF_THREAD(stream)))                                                                 \
    X(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),               \
      (to, value, count, OF_THREAD(stream)))                                                                 \
    X(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream),                     \
      (to, value, count, OF_THREAD(stream)))                                                                 \
    X(cuMemsetD2D8Async,                                                                                     \
      (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream),     \
      (to, pitch, value, width, height, OF_THREAD(stream)))                                                  \
    X(cuMemsetD2D16Async,                                                                                    \
      (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream),    \
      (to, pitch, value, width, height, OF_THREAD(stream)))                                                  \
    X(cuMemsetD2D32Async,                                                                                    \
      (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream),          \
      (to, pitch, value, width, height, OF_THREAD(stream)))                                                  \
    X(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),                               \
      (address, bytes, OF_THREAD(stream)))                                                                   \
    X(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, OF_THREAD(stream)))                  \
    X(cuMemAllocFromPoolAsync, (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),    \
      (address, bytes, pool, OF_THREAD(stream)))                                                             \
    X(cuMemPrefetchAsync, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),             \
      (address, bytes, device, OF_THREAD(stream)))
#define STREAM_ATTRIBUTE_FUNCTIONS(X)                                                                        \
    X(cuMemPrefetchAsync_v2,                                                                                 \
      (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream),          \
      (address, bytes, location, flags, OF_THREAD(stream)))                                                  \
    X(cuMemcpyBatchAsync,                                                                                    \
      (CUdeviceptr * to, CUdeviceptr * from, size_t * bytes, size_t count, CUmemcpyAttributes * attributes,  \
       size_t * first, size_t attribute_count, size_t * failed, CUstream stream),                            \
      (to, from, bytes, count, attributes, first, attribute_count, failed, OF_THREAD(stream)))               \
    X(cuMemcpyBatchAsync_v2,                                                                                 \
      (CUdeviceptr * to, CUdeviceptr * from, size_t * bytes, size_t count, CUmemcpyAttributes * attributes,  \
       size_t * first, size_t attribute_count, CUstream stream),                                             \
      (to, from, bytes, count, attributes, first, attribute_count, OF_THREAD(stream)))                       \
    X(cuStreamUpdateCaptureDependencies,                                                                     \
      (CUstream handle, CUgraphNode * nodes, size_t count, unsigned flags),                                  \
      (OF_THREAD(handle), nodes, count, flags))                                                              \
    X(cuStreamUpdateCaptureDependencies_v2,                                                                  \
      (CUstream stream, CUgraphNode * nodes, const CUgraphEdgeData *edges, size_t count, unsigned flags),    \
      (OF_THREAD(stream), nodes, edges, count, flags))                                                       \
    X(cuStreamGetCtx_v2, (CUstream stream, CUcontext * context, void **part),                                \
      (OF_THREAD(stream), context, part))                                                                    \
    X(cuStreamGetDevice, (CUstream stream, CUdevice * device), (OF_THREAD(stream), device))                  \
    X(cuStreamGetAttribute, (CUstream stream, int attribute, void *value),                                   \
      (OF_THREAD(stream), attribute, value))                                                                 \
    X(cuStreamSetAttribute, (CUstream stream, int attribute, const void *value),                             \
      (OF_THREAD(stream), attribute, value))                                                                 \
    X(cuStreamCopyAttributes, (CUstream to, CUstream from), (OF_THREAD(to), OF_THREAD(from)))                \
    X(cuStreamBatchMemOp_v2,                                                                                 \
      (CUstream stream, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),                     \
      (OF_THREAD(stream), count, list, flags))
#define STREAM_FUNCTIONS(X)                                                                                  \
    X(cuStreamGetPriority, (CUstream handle, int *priority), (OF_THREAD(handle), priority))                  \
    X(cuStreamGetId, (CUstream handle, unsigned long long *number), (OF_THREAD(handle), number))             \
    X(cuStreamGetFlags, (CUstream handle, unsigned *flags), (OF_THREAD(handle), flags))                      \
    X(cuStreamGetCtx, (CUstream handle, CUcontext * context), (OF_THREAD(handle), context))                  \
    X(cuStreamWaitEvent, (CUstream handle, CUevent event, unsigned flags),                                   \
      (OF_THREAD(handle), event, flags))                                                                     \
    X(cuStreamAddCallback,                                                                                   \
      (CUstream handle, void (*function)(CUstream, CUresult, void *), void *user, unsigned flags),           \
      (OF_THREAD(handle), function, user, flags))                                                            \
    X(cuStreamAttachMemAsync, (CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags),          \
      (OF_THREAD(handle), address, bytes, flags))                                                            \
    X(cuStreamQuery, (CUstream handle), (OF_THREAD(handle)))                                                 \
    X(cuStreamSynchronize, (CUstream handle), (OF_THREAD(handle)))                                           \
    X(cuStreamBeginCapture_v2, (CUstream stream, int mode), (OF_THREAD(stream), mode))                       \
    X(cuStreamBeginCaptureToGraph,                                                                           \
      (CUstream stream, CUgraph graph, const CUgraphNode *nodes, const void *edges, size_t count, int mode), \
      (OF_THREAD(stream), graph, nodes, edges, count, mode))                                                 \
    X(cuStreamEndCapture, (CUstream handle, CUgraph * graph), (OF_THREAD(handle), graph))                    \
    X(cuStreamIsCapturing, (CUstream stream, int *status), (OF_THREAD(stream), status))                      \
    X(cuStreamGetCaptureInfo, (CUstream stream, int *status, uint64_t *number),                              \
      (OF_THREAD(stream), status, number))                                                                   \
    X(cuStreamGetCaptureInfo_v2,                                                                             \
      (CUstream stream, int *status, uint64_t *number, CUgraph *graph, const CUgraphNode **nodes,            \
       size_t *count),                                                                                       \
      (OF_THREAD(stream), status, number, graph, nodes, count))                                              \
    X(cuStreamGetCaptureInfo_v3,                                                                             \
      (CUstream stream, int *status, uint64_t *number, CUgraph *graph, const CUgraphNode **nodes,            \
       const void **edges, size_t *count),                                                                   \
      (OF_THREAD(stream), status, number, graph, nodes, edges, count))                                       \
    X(cuStreamWaitValue32_v2, (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags),        \
      (OF_THREAD(stream), address, value, flags))                                                            \
    X(cuStreamWaitValue64_v2, (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags),        \
      (OF_THREAD(stream), address, value, flags))                                                            \
    X(cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags),       \
      (OF_THREAD(stream), address, value, flags))                                                            \
    X(cuStreamWriteValue64_v2, (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags),       \
      (OF_THREAD(stream), address, value, flags))                                                            \
    X(cuEventRecord, (CUevent event, CUstream handle), (event, OF_THREAD(handle)))                           \
    X(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),                              \
      (event, OF_THREAD(stream), flags))                                                                     \
    X(cuLaunchKernel,                                                                                        \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,        \
       void **extra),                                                                                        \
      (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, OF_THREAD(stream),         \
       parameters, extra))                                                                                   \
    X(cuLaunchHostFunc, (CUstream stream, void (*function)(void *), void *user),                             \
      (OF_THREAD(stream), function, user))                                                                   \
    X(cuLaunchCooperativeKernel,                                                                             \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters),       \
      (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, OF_THREAD(stream),         \
       parameters))                                                                                          \
    X(cuGraphUpload, (CUgraphExec executable, CUstream stream), (executable, OF_THREAD(stream)))             \
    X(cuGraphLaunch, (CUgraphExec executable, CUstream stream), (executable, OF_THREAD(stream)))

static _Thread_local bool is_asked; /* what is done at once is to be done in the thread's stream */

bool per_thread_is_asked(void)
{
    const bool was_asked = is_asked;
    is_asked = false;
    return was_asked;
}

#define VISIBLE __attribute__((visibility("default")))
#define NOW(name, parameters, arguments)                                                                     \
    VISIBLE CUresult name##_ptds parameters;                                                                 \
    CUresult name##_ptds parameters                                                                          \
    {                                                                                                        \
        is_asked = true;                                                                                     \
        const CUresult error = name arguments;                                                               \
        is_asked = false;                                                                                    \
        return error;                                                                                        \
    }
#define LATER(name, parameters, arguments)                                                                   \
    VISIBLE CUresult name##_ptsz parameters;                                                                 \
    CUresult name##_ptsz parameters                                                                          \
    {                                                                                                        \
        return name arguments;                                                                               \
    }
NOW_FUNCTIONS(NOW)
MEMORY_FUNCTIONS(LATER)
STREAM_FUNCTIONS(LATER)
STREAM_ATTRIBUTE_FUNCTIONS(LATER)

VISIBLE CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                       void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **parameters,
                               void **extra)
{
    if (!config)
        return cuLaunchKernelEx(config, function, parameters, extra);
    CUlaunchConfig own = *config;
    own.hStream = of_thread(own.hStream);
    return cuLaunchKernelEx(&own, function, parameters, extra);
}

/* Each by the name of the one with the stream that all threads share. */
static const struct {
    const char *name;
    void *function;
} functions[] = {
#define NOW_ROW(name, parameters, arguments)   {#name, (void *)name##_ptds},
#define LATER_ROW(name, parameters, arguments) {#name, (void *)name##_ptsz},
    NOW_FUNCTIONS(NOW_ROW) MEMORY_FUNCTIONS(LATER_ROW) STREAM_FUNCTIONS(LATER_ROW)
        STREAM_ATTRIBUTE_FUNCTIONS(LATER_ROW){"cuLaunchKernelEx", (void *)cuLaunchKernelEx_ptsz}};

void *per_thread_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}
