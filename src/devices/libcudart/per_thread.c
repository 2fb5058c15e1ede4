/* The functions of programs whose default stream is one of each thread (nvcc --default-stream per-thread).
 * Such a program calls functions under other names: those of work in streams end in _ptsz, and take NULL for
 * the stream of the calling thread; those that do their work at once end in _ptds, and do it in that stream.
 */
#include "devices/libcudart/stream.h"

#define OWN_STREAM        stream_of_thread(NULL)
#define OF_THREAD(stream) stream_of_thread(stream)

/* X(name, parameters, the call that does it in the thread's stream) */
#define NOW_FUNCTIONS(X)                                                                                     \
    X(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind),                                      \
      cudaMemcpyAsync(to, from, bytes, kind, OWN_STREAM))                                                    \
    X(cudaMemcpy2D,                                                                                          \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,          \
       int kind),                                                                                            \
      cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, OWN_STREAM))                    \
    X(cudaMemcpy2DToArray,                                                                                   \
      (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,      \
       int kind),                                                                                            \
      cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, OWN_STREAM))                      \
    X(cudaMemcpy2DFromArray,                                                                                 \
      (void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width, size_t height, int kind), \
      cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, OWN_STREAM))                    \
    X(cudaMemcpyToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind),     \
      cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, OWN_STREAM))                                       \
    X(cudaMemcpyFromArray, (void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind),         \
      cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, OWN_STREAM))                                     \
    X(cudaMemcpy3D, (const cudaMemcpy3DParms *copy), cudaMemcpy3DAsync(copy, OWN_STREAM))                    \
    X(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms *copy), cudaMemcpy3DPeerAsync(copy, OWN_STREAM))        \
    X(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),     \
      cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, OWN_STREAM))                                \
    X(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, int kind),           \
      cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, OWN_STREAM))                                \
    X(cudaMemset, (void *address, int value, size_t bytes),                                                  \
      cudaMemsetAsync(address, value, bytes, OWN_STREAM))                                                    \
    X(cudaMemset2D, (void *address, size_t pitch, int value, size_t width, size_t height),                   \
      cudaMemset2DAsync(address, pitch, value, width, height, OWN_STREAM))                                   \
    X(cudaMemset3D, (cudaPitchedPtr memory, int value, cudaExtent extent),                                   \
      cudaMemset3DAsync(memory, value, extent, OWN_STREAM))
/* These have no form for streams: they wait for the thread's. */
#define ARRAY_FUNCTIONS(X)                                                                                   \
    X(cudaMemcpy2DArrayToArray,                                                                              \
      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x, size_t from_y,             \
       size_t width, size_t height, int kind),                                                               \
      (to, to_x, to_y, from, from_x, from_y, width, height, kind))                                           \
    X(cudaMemcpyArrayToArray,                                                                                \
      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x, size_t from_y,             \
       size_t bytes, int kind),                                                                              \
      (to, to_x, to_y, from, from_x, from_y, bytes, kind))
#define WORK_FUNCTIONS(X)                                                                                    \
    X(cudaLaunchKernel,                                                                                      \
      (const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,                     \
       cudaStream_t stream),                                                                                 \
      (symbol, grid, block, arguments, shared_bytes, OF_THREAD(stream)))                                     \
    X(__cudaLaunchKernel,                                                                                    \
      (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,                    \
       cudaStream_t stream),                                                                                 \
      (kernel, grid, block, arguments, shared_bytes, OF_THREAD(stream)))                                     \
    X(cudaLaunchCooperativeKernel,                                                                           \
      (const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,                     \
       cudaStream_t stream),                                                                                 \
      (symbol, grid, block, arguments, shared_bytes, OF_THREAD(stream)))                                     \
    X(cudaLaunchHostFunc, (cudaStream_t stream, void (*function)(void *), void *user),                       \
      (OF_THREAD(stream), function, user))                                                                   \
    X(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, cudaStream_t stream),            \
      (to, from, bytes, kind, OF_THREAD(stream)))                                                            \
    X(cudaMemcpy2DAsync,                                                                                     \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,          \
       int kind, cudaStream_t stream),                                                                       \
      (to, to_pitch, from, from_pitch, width, height, kind, OF_THREAD(stream)))                              \
    X(cudaMemcpy2DToArrayAsync,                                                                              \
      (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,      \
       int kind, cudaStream_t stream),                                                                       \
      (to, x, y, from, pitch, width, height, kind, OF_THREAD(stream)))                                       \
    X(cudaMemcpy2DFromArrayAsync,                                                                            \
      (void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width, size_t height, int kind,  \
       cudaStream_t stream),                                                                                 \
      (to, pitch, from, x, y, width, height, kind, OF_THREAD(stream)))                                       \
    X(cudaMemcpyToArrayAsync,                                                                                \
      (cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind, cudaStream_t stream),   \
      (to, x, y, from, bytes, kind, OF_THREAD(stream)))                                                      \
    X(cudaMemcpyFromArrayAsync,                                                                              \
      (void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind, cudaStream_t stream),         \
      (to, from, x, y, bytes, kind, OF_THREAD(stream)))                                                      \
    X(cudaMemcpy3DAsync, (const cudaMemcpy3DParms *copy, cudaStream_t stream), (copy, OF_THREAD(stream)))    \
    X(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms *copy, cudaStream_t stream),                       \
      (copy, OF_THREAD(stream)))                                                                             \
    X(cudaMemcpyToSymbolAsync,                                                                               \
      (const void *symbol, const void *from, size_t bytes, size_t offset, int kind, cudaStream_t stream),    \
      (symbol, from, bytes, offset, kind, OF_THREAD(stream)))                                                \
    X(cudaMemcpyFromSymbolAsync,                                                                             \
      (void *to, const void *symbol, size_t bytes, size_t offset, int kind, cudaStream_t stream),            \
      (to, symbol, bytes, offset, kind, OF_THREAD(stream)))                                                  \
    X(cudaMemsetAsync, (void *address, int value, size_t bytes, cudaStream_t stream),                        \
      (address, value, bytes, OF_THREAD(stream)))                                                            \
    X(cudaMemset2DAsync,                                                                                     \
      (void *address, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),            \
      (address, pitch, value, width, height, OF_THREAD(stream)))                                             \
    X(cudaMemset3DAsync, (cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream),         \
      (memory, value, extent, OF_THREAD(stream)))                                                            \
    X(cudaMallocAsync, (void **address, size_t bytes, cudaStream_t stream),                                  \
      (address, bytes, OF_THREAD(stream)))                                                                   \
    X(cudaMallocFromPoolAsync, (void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),      \
      (address, bytes, pool, OF_THREAD(stream)))                                                             \
    X(cudaFreeAsync, (void *address, cudaStream_t stream), (address, OF_THREAD(stream)))
#define STREAM_FUNCTIONS(X)                                                                                  \
    X(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, OF_THREAD(stream)))                 \
    X(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),                    \
      (event, OF_THREAD(stream), flags))                                                                     \
    X(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, OF_THREAD(stream)))             \
    X(cudaGraphUpload, (cudaGraphExec_t graph, cudaStream_t stream), (graph, OF_THREAD(stream)))             \
    X(cudaStreamAddCallback,                                                                                 \
      (cudaStream_t stream, cudaStreamCallback_t function, void *user, unsigned flags),                      \
      (OF_THREAD(stream), function, user, flags))                                                            \
    X(cudaStreamAttachMemAsync, (cudaStream_t stream, void *address, size_t bytes, unsigned flags),          \
      (OF_THREAD(stream), address, bytes, flags))                                                            \
    X(cudaStreamBeginCapture, (cudaStream_t stream, int mode), (OF_THREAD(stream), mode))                    \
    X(cudaStreamBeginCaptureToGraph,                                                                         \
      (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes, const CUgraphEdgeData *edges,   \
       size_t count, int mode),                                                                              \
      (OF_THREAD(stream), graph, nodes, edges, count, mode))                                                 \
    X(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t * graph), (OF_THREAD(stream), graph))          \
    X(cudaStreamIsCapturing, (cudaStream_t stream, int *status), (OF_THREAD(stream), status))                \
    X(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (OF_THREAD(to), OF_THREAD(from)))      \
    X(cudaStreamGetAttribute, (cudaStream_t stream, int attribute, void *value),                             \
      (OF_THREAD(stream), attribute, value))                                                                 \
    X(cudaStreamSetAttribute, (cudaStream_t stream, int attribute, const void *value),                       \
      (OF_THREAD(stream), attribute, value))                                                                 \
    X(cudaStreamGetDevice, (cudaStream_t stream, int *device), (OF_THREAD(stream), device))                  \
    X(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (OF_THREAD(stream), flags))                \
    X(cudaStreamGetId, (cudaStream_t stream, unsigned long long *number), (OF_THREAD(stream), number))       \
    X(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (OF_THREAD(stream), priority))            \
    X(cudaStreamQuery, (cudaStream_t stream), (OF_THREAD(stream)))                                           \
    X(cudaStreamSynchronize, (cudaStream_t stream), (OF_THREAD(stream)))                                     \
    X(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),                         \
      (OF_THREAD(stream), event, flags))

#define NOW(name, parameters, call)                                                                          \
    CUDART_EXPORTED cudaError_t name##_ptds parameters;                                                      \
    cudaError_t name##_ptds parameters                                                                       \
    {                                                                                                        \
        const cudaError_t error = call;                                                                      \
        return error ? error : cudaStreamSynchronize(OWN_STREAM);                                            \
    }
#define LATER(name, parameters, arguments)                                                                   \
    CUDART_EXPORTED cudaError_t name##_ptsz parameters;                                                      \
    cudaError_t name##_ptsz parameters                                                                       \
    {                                                                                                        \
        return name arguments;                                                                               \
    }
#define BEHIND(name, parameters, arguments)                                                                  \
    CUDART_EXPORTED cudaError_t name##_ptds parameters;                                                      \
    cudaError_t name##_ptds parameters                                                                       \
    {                                                                                                        \
        const cudaError_t error = cudaStreamSynchronize(OWN_STREAM);                                         \
        return error ? error : name arguments;                                                               \
    }
NOW_FUNCTIONS(NOW)
ARRAY_FUNCTIONS(BEHIND)
WORK_FUNCTIONS(LATER)
STREAM_FUNCTIONS(LATER)

CUDART_EXPORTED cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *symbol,
                                                     void **arguments);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *symbol, void **arguments)
{
    if (!config)
        return cudaLaunchKernelExC(config, symbol, arguments);
    cudaLaunchConfig_t own = *config;
    own.stream = OF_THREAD(own.stream);
    return cudaLaunchKernelExC(&own, symbol, arguments);
}

/* A program wants the driver's functions for its own kind of default stream: flags 0 are that kind. */
enum { DRIVER_PER_THREAD = 2 };
#define DRIVER_FLAGS(flags) ((flags) ? (flags) : DRIVER_PER_THREAD)
#define ENTRY_FUNCTIONS(X)                                                                                   \
    X(cudaGetDriverEntryPoint, (const char *name, void **function, unsigned long long flags, int *status),   \
      (name, function, DRIVER_FLAGS(flags), status))                                                         \
    X(cudaGetDriverEntryPointByVersion,                                                                      \
      (const char *name, void **function, unsigned version, unsigned long long flags, int *status),          \
      (name, function, version, DRIVER_FLAGS(flags), status))                                                \
    X(cudaGraphInstantiateWithParams,                                                                        \
      (cudaGraphExec_t * executable, cudaGraph_t graph, CUDA_GRAPH_INSTANTIATE_PARAMS * params),             \
      (executable, graph, params))
ENTRY_FUNCTIONS(LATER)
