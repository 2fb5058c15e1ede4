/* Streams and captures of them: the driver's. */
#include "devices/libcudart/stream.h"

#include "devices/libcudart/forward.h"

cudaStream_t stream_of_thread(cudaStream_t stream)
{
    enum { STREAM_PER_THREAD = 2 };
    return stream ? stream : (cudaStream_t)(uintptr_t)STREAM_PER_THREAD;
}

RUNTIME_FORWARD(cudaStreamCreate, (cudaStream_t * stream), cuStreamCreate(stream, 0))
RUNTIME_FORWARD(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
                cuStreamCreate(stream, flags))
RUNTIME_FORWARD(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
                cuStreamCreateWithPriority(stream, flags, priority))
RUNTIME_FORWARD(cudaStreamDestroy, (cudaStream_t stream), cuStreamDestroy_v2(stream))
RUNTIME_FORWARD(cudaStreamSynchronize, (cudaStream_t stream), cuStreamSynchronize(stream))
RUNTIME_FORWARD(cudaStreamQuery, (cudaStream_t stream), cuStreamQuery(stream))
RUNTIME_FORWARD(cudaStreamGetPriority, (cudaStream_t stream, int *priority),
                cuStreamGetPriority(stream, priority))
RUNTIME_FORWARD(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), cuStreamGetFlags(stream, flags))
RUNTIME_FORWARD(cudaStreamGetId, (cudaStream_t stream, unsigned long long *number),
                cuStreamGetId(stream, number))
RUNTIME_FORWARD(cudaStreamGetDevice, (cudaStream_t stream, int *device), cuStreamGetDevice(stream, device))
RUNTIME_FORWARD(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
                cuStreamCopyAttributes(to, from))
RUNTIME_FORWARD(cudaStreamGetAttribute, (cudaStream_t stream, int attribute, void *value),
                cuStreamGetAttribute(stream, attribute, value))
RUNTIME_FORWARD(cudaStreamSetAttribute, (cudaStream_t stream, int attribute, const void *value),
                cuStreamSetAttribute(stream, attribute, value))
RUNTIME_FORWARD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                cuStreamWaitEvent(stream, event, flags))
RUNTIME_FORWARD(cudaStreamAddCallback,
                (cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned flags),
                cuStreamAddCallback(stream, callback, user, flags))
RUNTIME_FORWARD(cudaStreamAttachMemAsync, (cudaStream_t stream, void *address, size_t bytes, unsigned flags),
                cuStreamAttachMemAsync(stream, (uintptr_t)address, bytes, flags))
RUNTIME_FORWARD(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *user),
                cuLaunchHostFunc(stream, function, user))

/* ---- Captures ------------------------------------------------------------------------------------------ */

RUNTIME_FORWARD(cudaStreamBeginCapture, (cudaStream_t stream, int mode),
                cuStreamBeginCapture_v2(stream, mode))
RUNTIME_FORWARD(cudaStreamBeginCaptureToGraph,
                (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                 const CUgraphEdgeData *edges, size_t count, int mode),
                cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode))
RUNTIME_FORWARD(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph),
                cuStreamEndCapture(stream, graph))
RUNTIME_FORWARD(cudaStreamIsCapturing, (cudaStream_t stream, int *status),
                cuStreamIsCapturing(stream, status))
RUNTIME_FORWARD(cudaThreadExchangeStreamCaptureMode, (int *mode), cuThreadExchangeStreamCaptureMode(mode))
