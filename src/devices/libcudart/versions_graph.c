/* Functions of graphs and captures that versions of the API have in different forms.
 *
 * CUDA 12 has those with data of edges beside those without, under names of their own; CUDA 13 has them
 * alone, under the first ones' names. */
#include "devices/libcudart/forward.h"
#include "devices/libcudart/graph.h"
#include "devices/libcudart/stream.h"

#if CUDART_VERSION >= 13000
#define WITH_EDGES(name)           name
#define WITH_EDGES_OF_THREAD(name) name##_ptsz
#define CAPTURE_INFO               cudaStreamGetCaptureInfo
#define CAPTURE_INFO_OF_THREAD     cudaStreamGetCaptureInfo_ptsz
#else
#define WITH_EDGES(name)           name##_v2
#define WITH_EDGES_OF_THREAD(name) name##_v2_ptsz
#define CAPTURE_INFO               cudaStreamGetCaptureInfo_v3
#define CAPTURE_INFO_OF_THREAD     cudaStreamGetCaptureInfo_v3_ptsz
#define OLDER_FUNCTIONS(X)                                                                                   \
    X(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)       \
    X(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count)              \
    X(cudaGraphNodeGetDependentNodes, cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count)            \
    X(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,   \
      size_t count)                                                                                          \
    X(cudaGraphRemoveDependencies, cudaGraph_t graph, const cudaGraphNode_t *from,                           \
      const cudaGraphNode_t *to, size_t count)                                                               \
    X(cudaGraphAddNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count, \
      cudaGraphNodeParams *params)                                                                           \
    X(cudaStreamGetCaptureInfo, cudaStream_t stream, int *status, uint64_t *number)                          \
    X(cudaStreamGetCaptureInfo_ptsz, cudaStream_t stream, int *status, uint64_t *number)                     \
    X(cudaStreamGetCaptureInfo_v2, cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,   \
      const cudaGraphNode_t **nodes, size_t *count)                                                          \
    X(cudaStreamGetCaptureInfo_v2_ptsz, cudaStream_t stream, int *status, uint64_t *number,                  \
      cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count)                                      \
    X(cudaStreamUpdateCaptureDependencies, cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,        \
      unsigned flags)                                                                                        \
    X(cudaStreamUpdateCaptureDependencies_ptsz, cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,   \
      unsigned flags)
OLDER_FUNCTIONS(CUDART_DECLARE)
#endif
#define NEWER_FUNCTIONS(X)                                                                                   \
    X(WITH_EDGES(cudaGraphGetEdges), cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,          \
      CUgraphEdgeData *edges, size_t *count)                                                                 \
    X(WITH_EDGES(cudaGraphNodeGetDependencies), cudaGraphNode_t node, cudaGraphNode_t *list,                 \
      CUgraphEdgeData *edges, size_t *count)                                                                 \
    X(WITH_EDGES(cudaGraphNodeGetDependentNodes), cudaGraphNode_t node, cudaGraphNode_t *list,               \
      CUgraphEdgeData *edges, size_t *count)                                                                 \
    X(WITH_EDGES(cudaGraphAddDependencies), cudaGraph_t graph, const cudaGraphNode_t *from,                  \
      const cudaGraphNode_t *to, const CUgraphEdgeData *edges, size_t count)                                 \
    X(WITH_EDGES(cudaGraphRemoveDependencies), cudaGraph_t graph, const cudaGraphNode_t *from,               \
      const cudaGraphNode_t *to, const CUgraphEdgeData *edges, size_t count)                                 \
    X(WITH_EDGES(cudaGraphAddNode), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,   \
      const CUgraphEdgeData *edges, size_t count, cudaGraphNodeParams *params)                               \
    X(CAPTURE_INFO, cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,                  \
      const cudaGraphNode_t **nodes, const CUgraphEdgeData **edges, size_t *count)                           \
    X(CAPTURE_INFO_OF_THREAD, cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,        \
      const cudaGraphNode_t **nodes, const CUgraphEdgeData **edges, size_t *count)                           \
    X(WITH_EDGES(cudaStreamUpdateCaptureDependencies), cudaStream_t stream, cudaGraphNode_t *nodes,          \
      const CUgraphEdgeData *edges, size_t count, unsigned flags)                                            \
    X(WITH_EDGES_OF_THREAD(cudaStreamUpdateCaptureDependencies), cudaStream_t stream,                        \
      cudaGraphNode_t *nodes, const CUgraphEdgeData *edges, size_t count, unsigned flags)
NEWER_FUNCTIONS(CUDART_DECLARE)

/* ---- Nodes and what they depend on --------------------------------------------------------------------- */

RUNTIME_FORWARD(WITH_EDGES(cudaGraphGetEdges),
                (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, CUgraphEdgeData *edges,
                 size_t *count),
                cuGraphGetEdges_v2(graph, from, to, edges, count))
RUNTIME_FORWARD(WITH_EDGES(cudaGraphNodeGetDependencies),
                (cudaGraphNode_t node, cudaGraphNode_t *list, CUgraphEdgeData *edges, size_t *count),
                cuGraphNodeGetDependencies_v2(node, list, edges, count))
RUNTIME_FORWARD(WITH_EDGES(cudaGraphNodeGetDependentNodes),
                (cudaGraphNode_t node, cudaGraphNode_t *list, CUgraphEdgeData *edges, size_t *count),
                cuGraphNodeGetDependentNodes_v2(node, list, edges, count))
RUNTIME_FORWARD(WITH_EDGES(cudaGraphAddDependencies),
                (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                 const CUgraphEdgeData *edges, size_t count),
                cuGraphAddDependencies_v2(graph, from, to, edges, count))
RUNTIME_FORWARD(WITH_EDGES(cudaGraphRemoveDependencies),
                (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                 const CUgraphEdgeData *edges, size_t count),
                cuGraphRemoveDependencies_v2(graph, from, to, edges, count))

cudaError_t WITH_EDGES(cudaGraphAddNode)(cudaGraphNode_t *node, cudaGraph_t graph,
                                         const cudaGraphNode_t *list, const CUgraphEdgeData *edges,
                                         size_t count, cudaGraphNodeParams *params)
{
    enum { ALLOCATION = 10 };
    CUgraphNodeParams made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = graph_node_to_driver(params, &made);
    if (!error)
        error = cuGraphAddNode_v2(node, graph, list, edges, count, &made);
    if (!error && params->type == ALLOCATION)
        params->as.alloc.dptr = made.as.alloc.dptr;
    return runtime_end(error);
}

#if CUDART_VERSION < 13000
RUNTIME_FORWARD(cudaGraphGetEdges,
                (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count),
                cuGraphGetEdges(graph, from, to, count))
RUNTIME_FORWARD(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count),
                cuGraphNodeGetDependencies(node, list, count))
RUNTIME_FORWARD(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count),
                cuGraphNodeGetDependentNodes(node, list, count))
RUNTIME_FORWARD(cudaGraphAddDependencies,
                (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
                cuGraphAddDependencies(graph, from, to, count))
RUNTIME_FORWARD(cudaGraphRemoveDependencies,
                (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
                cuGraphRemoveDependencies(graph, from, to, count))

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,
                             size_t count, cudaGraphNodeParams *params)
{
    return cudaGraphAddNode_v2(node, graph, list, NULL, count, params);
}
#endif

/* ---- Captures ------------------------------------------------------------------------------------------ */

RUNTIME_FORWARD(CAPTURE_INFO,
                (cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,
                 const cudaGraphNode_t **nodes, const CUgraphEdgeData **edges, size_t *count),
                cuStreamGetCaptureInfo_v3(stream, status, number, graph, nodes, (const void **)edges, count))
RUNTIME_FORWARD(WITH_EDGES(cudaStreamUpdateCaptureDependencies),
                (cudaStream_t stream, cudaGraphNode_t *nodes, const CUgraphEdgeData *edges, size_t count,
                 unsigned flags),
                cuStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags))

cudaError_t CAPTURE_INFO_OF_THREAD(cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,
                                   const cudaGraphNode_t **nodes, const CUgraphEdgeData **edges,
                                   size_t *count)
{
    return CAPTURE_INFO(stream_of_thread(stream), status, number, graph, nodes, edges, count);
}
cudaError_t WITH_EDGES_OF_THREAD(cudaStreamUpdateCaptureDependencies)(cudaStream_t stream,
                                                                      cudaGraphNode_t *nodes,
                                                                      const CUgraphEdgeData *edges,
                                                                      size_t count, unsigned flags)
{
    return WITH_EDGES(cudaStreamUpdateCaptureDependencies)(stream_of_thread(stream), nodes, edges, count,
                                                           flags);
}

#if CUDART_VERSION < 13000
RUNTIME_FORWARD(cudaStreamGetCaptureInfo, (cudaStream_t stream, int *status, uint64_t *number),
                cuStreamGetCaptureInfo(stream, status, number))
RUNTIME_FORWARD(cudaStreamGetCaptureInfo_v2,
                (cudaStream_t stream, int *status, uint64_t *number, cudaGraph_t *graph,
                 const cudaGraphNode_t **nodes, size_t *count),
                cuStreamGetCaptureInfo_v2(stream, status, number, graph, nodes, count))
RUNTIME_FORWARD(cudaStreamUpdateCaptureDependencies,
                (cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned flags),
                cuStreamUpdateCaptureDependencies(stream, nodes, count, flags))

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, int *status, uint64_t *number)
{
    return cudaStreamGetCaptureInfo(stream_of_thread(stream), status, number);
}
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, int *status, uint64_t *number,
                                             cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count)
{
    return cudaStreamGetCaptureInfo_v2(stream_of_thread(stream), status, number, graph, nodes, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                     size_t count, unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream_of_thread(stream), nodes, count, flags);
}
#endif
