/* The runtime API: streams, events and captures. */
#pragma once

#include "devices/libcudart/cudart_types.h"

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, CUresult error, void *user);
typedef void (*cudaHostFn_t)(void *user);

/* All but those that versions of the API have in different forms (versions_graph.c). */
#define CUDART_STREAM_FUNCTIONS(X)                                                                           \
    X(cudaStreamCreate, cudaStream_t *stream)                                                                \
    X(cudaStreamCreateWithFlags, cudaStream_t *stream, unsigned flags)                                       \
    X(cudaStreamCreateWithPriority, cudaStream_t *stream, unsigned flags, int priority)                      \
    X(cudaStreamDestroy, cudaStream_t stream)                                                                \
    X(cudaStreamSynchronize, cudaStream_t stream)                                                            \
    X(cudaStreamQuery, cudaStream_t stream)                                                                  \
    X(cudaStreamGetPriority, cudaStream_t stream, int *priority)                                             \
    X(cudaStreamGetFlags, cudaStream_t stream, unsigned *flags)                                              \
    X(cudaStreamGetId, cudaStream_t stream, unsigned long long *number)                                      \
    X(cudaStreamGetDevice, cudaStream_t stream, int *device)                                                 \
    X(cudaStreamCopyAttributes, cudaStream_t to, cudaStream_t from)                                          \
    X(cudaStreamGetAttribute, cudaStream_t stream, int attribute, void *value)                               \
    X(cudaStreamSetAttribute, cudaStream_t stream, int attribute, const void *value)                         \
    X(cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned flags)                           \
    X(cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned flags) \
    X(cudaStreamAttachMemAsync, cudaStream_t stream, void *address, size_t bytes, unsigned flags)            \
    X(cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function, void *user)                            \
    X(cudaEventCreate, cudaEvent_t *event)                                                                   \
    X(cudaEventCreateWithFlags, cudaEvent_t *event, unsigned flags)                                          \
    X(cudaEventRecord, cudaEvent_t event, cudaStream_t stream)                                               \
    X(cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream, unsigned flags)                      \
    X(cudaEventQuery, cudaEvent_t event)                                                                     \
    X(cudaEventSynchronize, cudaEvent_t event)                                                               \
    X(cudaEventDestroy, cudaEvent_t event)                                                                   \
    X(cudaEventElapsedTime, float *milliseconds, cudaEvent_t start, cudaEvent_t end)                         \
    X(cudaEventElapsedTime_v2, float *milliseconds, cudaEvent_t start, cudaEvent_t end)                      \
    X(cudaStreamBeginCapture, cudaStream_t stream, int mode)                                                 \
    X(cudaStreamBeginCaptureToGraph, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes,   \
      const CUgraphEdgeData *edges, size_t count, int mode)                                                  \
    X(cudaStreamEndCapture, cudaStream_t stream, cudaGraph_t *graph)                                         \
    X(cudaStreamIsCapturing, cudaStream_t stream, int *status)                                               \
    X(cudaThreadExchangeStreamCaptureMode, int *mode)
