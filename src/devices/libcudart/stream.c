/* Streams and captures of them: the driver's. */
#include "devices/libcudart/stream.h"

#include "devices/libcudart/call.h"

cudaStream_t stream_of_thread(cudaStream_t stream)
{
    enum { STREAM_PER_THREAD = 2 };
    return stream ? stream : (cudaStream_t)(uintptr_t)STREAM_PER_THREAD;
}

RUNTIME_CALL(cudaStreamCreate, cuStreamCreate(stream, 0), cudaStream_t *stream)
RUNTIME_CALL(cudaStreamCreateWithFlags, cuStreamCreate(stream, flags), cudaStream_t *stream, unsigned flags)
RUNTIME_CALL(cudaStreamCreateWithPriority, cuStreamCreateWithPriority(stream, flags, priority),
             cudaStream_t *stream, unsigned flags, int priority)
RUNTIME_CALL(cudaStreamDestroy, cuStreamDestroy_v2(stream), cudaStream_t stream)
RUNTIME_CALL(cudaStreamSynchronize, cuStreamSynchronize(stream), cudaStream_t stream)
RUNTIME_CALL(cudaStreamQuery, cuStreamQuery(stream), cudaStream_t stream)
RUNTIME_CALL(cudaStreamGetPriority, cuStreamGetPriority(stream, priority), cudaStream_t stream, int *priority)
RUNTIME_CALL(cudaStreamGetFlags, cuStreamGetFlags(stream, flags), cudaStream_t stream, unsigned *flags)
RUNTIME_CALL(cudaStreamGetId, cuStreamGetId(stream, number), cudaStream_t stream, unsigned long long *number)
RUNTIME_CALL(cudaStreamGetDevice, cuStreamGetDevice(stream, device), cudaStream_t stream, int *device)
RUNTIME_CALL(cudaStreamCopyAttributes, cuStreamCopyAttributes(to, from), cudaStream_t to, cudaStream_t from)
RUNTIME_CALL(cudaStreamGetAttribute, cuStreamGetAttribute(stream, attribute, value), cudaStream_t stream,
             int attribute, void *value)
RUNTIME_CALL(cudaStreamSetAttribute, cuStreamSetAttribute(stream, attribute, value), cudaStream_t stream,
             int attribute, const void *value)
RUNTIME_CALL(cudaStreamWaitEvent, cuStreamWaitEvent(stream, event, flags), cudaStream_t stream,
             cudaEvent_t event, unsigned flags)
RUNTIME_CALL(cudaStreamAddCallback, cuStreamAddCallback(stream, callback, user, flags), cudaStream_t stream,
             cudaStreamCallback_t callback, void *user, unsigned flags)
RUNTIME_CALL(cudaStreamAttachMemAsync, cuStreamAttachMemAsync(stream, (uintptr_t)address, bytes, flags),
             cudaStream_t stream, void *address, size_t bytes, unsigned flags)
RUNTIME_CALL(cudaLaunchHostFunc, cuLaunchHostFunc(stream, function, user), cudaStream_t stream,
             cudaHostFn_t function, void *user)

/* ---- Captures ------------------------------------------------------------------------------------------ */

RUNTIME_CALL(cudaStreamBeginCapture, cuStreamBeginCapture_v2(stream, mode), cudaStream_t stream, int mode)
RUNTIME_CALL(cudaStreamBeginCaptureToGraph,
             cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode), cudaStream_t stream,
             cudaGraph_t graph, const cudaGraphNode_t *nodes, const CUgraphEdgeData *edges, size_t count,
             int mode)
RUNTIME_CALL(cudaStreamEndCapture, cuStreamEndCapture(stream, graph), cudaStream_t stream, cudaGraph_t *graph)
RUNTIME_CALL(cudaStreamIsCapturing, cuStreamIsCapturing(stream, status), cudaStream_t stream, int *status)
RUNTIME_CALL(cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode(mode), int *mode)
