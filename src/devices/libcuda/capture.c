/* Captures of streams.
 *
 * A capture begins at one stream and spreads by events: a stream that waits for an event of the capture
 * belongs to it. It ends at the stream where it began, with a graph. */
#include "devices/libcuda/capture.h"
#include "devices/libcuda/graph.h"

#include <stdlib.h>
#include <string.h>

struct capture {
    atomic_uint points; /* that belong to it, and the stream that it began at */
    CUgraph graph;
    CUstream origin;
    unsigned long long number;
    bool is_own; /* the graph was made for it */
    bool has_ended, is_spoiled;
};

static CUresult add_node(struct capture_point *point, CUgraphNode node)
{
    for (size_t i = 0; i < point->count; i++)
        if (point->nodes[i] == node)
            return CUDA_SUCCESS;
    CUgraphNode *grown = realloc(point->nodes, (point->count + 1) * sizeof *grown);
    if (!grown)
        return CUDA_ERROR_OUT_OF_MEMORY;
    grown[point->count++] = node;
    point->nodes = grown;
    return CUDA_SUCCESS;
}

void capture_leave(struct capture_point *point)
{
    if (point->capture && atomic_fetch_sub(&point->capture->points, 1) == 1) {
        if (!point->capture->has_ended && point->capture->is_own)
            (void)cuGraphDestroy(point->capture->graph);
        free(point->capture);
    }
    free(point->nodes);
    *point = (struct capture_point){0};
}

bool capture_is_running(struct capture_point *point)
{
    if (point->capture && point->capture->has_ended)
        capture_leave(point);
    return point->capture != NULL;
}

CUresult capture_spoil(const struct capture_point *point)
{
    const bool was_spoiled = point->capture->is_spoiled;
    point->capture->is_spoiled = true;
    return was_spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult capture_join(struct capture_point *to, const struct capture_point *from)
{
    if (capture_is_running(to) && to->capture != from->capture)
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    if (from->capture->is_spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!to->capture) {
        to->capture = from->capture;
        atomic_fetch_add(&to->capture->points, 1);
    }
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0; i < from->count && error == CUDA_SUCCESS; i++)
        error = add_node(to, from->nodes[i]);
    return error;
}

CUresult capture_add(struct capture_point *point, const struct work *work)
{
    CUgraphNode node = NULL;
    if (point->capture->is_spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUresult error = graph_add(point->capture->graph, point->nodes, point->count, work, &node);
    if (error != CUDA_SUCCESS)
        return error;
    point->count = 0;
    return add_node(point, node);
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

static CUresult begin(CUstream handle, CUgraph graph, int mode)
{
    static atomic_ullong numbers;
    CUstream stream = stream_of(handle);
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && (!stream || mode < 0 || mode > 2))
        error = stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (error == CUDA_SUCCESS && capture_is_running(&stream->point))
        error = CUDA_ERROR_ILLEGAL_STATE;
    if (error != CUDA_SUCCESS)
        return error;
    capture_leave(&stream->point);
    struct capture *capture = calloc(1, sizeof *capture);
    error = !capture ? CUDA_ERROR_OUT_OF_MEMORY : graph ? CUDA_SUCCESS : graph_new(&graph);
    if (error != CUDA_SUCCESS) {
        free(capture);
        return error;
    }
    *capture = (struct capture){.points = 1, .graph = graph, .origin = stream};
    capture->number = atomic_fetch_add(&numbers, 1) + 1;
    stream->point.capture = capture;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    const CUresult error = begin(stream, NULL, mode);
    if (error == CUDA_SUCCESS)
        stream_of(stream)->point.capture->is_own = true;
    return error;
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *nodes,
                                     const void *edges, size_t count, int mode)
{
    (void)edges;
    if (!graph || (count > 0 && !nodes))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = begin(stream, graph, mode);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = add_node(&stream_of(stream)->point, nodes[i]);
    return error;
}

/* What forked from the stream must have been joined again: the last nodes of the graph are the stream's. */
static bool has_joined(const struct capture_point *point)
{
    size_t count = 0;
    CUgraphNode *nodes = NULL;
    bool has_joined = cuGraphGetNodes(point->capture->graph, NULL, &count) == CUDA_SUCCESS;
    nodes = calloc(count + 1, sizeof *nodes);
    has_joined = has_joined && nodes && cuGraphGetNodes(point->capture->graph, nodes, &count) == CUDA_SUCCESS;
    for (size_t i = 0; i < count && has_joined && point->capture->is_own; i++) {
        size_t behind = 0, found = 0;
        (void)cuGraphNodeGetDependentNodes(nodes[i], NULL, &behind);
        for (size_t n = 0; n < point->count; n++)
            found += point->nodes[n] == nodes[i];
        has_joined = behind > 0 || found > 0;
    }
    free(nodes);
    return has_joined;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    CUstream stream = stream_of(handle);
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !graph)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (!stream || !capture_is_running(&stream->point))
        return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->point.capture->origin != stream)
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    struct capture *capture = stream->point.capture;
    error = capture->is_spoiled          ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
            : has_joined(&stream->point) ? CUDA_SUCCESS
                                         : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    *graph = error == CUDA_SUCCESS ? capture->graph : NULL;
    if (error != CUDA_SUCCESS && capture->is_own)
        (void)cuGraphDestroy(capture->graph);
    capture->has_ended = true;
    capture_leave(&stream->point);
    return error;
}

/* A stream of a capture that has ended elsewhere is in none. */
static const struct capture *running(CUstream handle)
{
    CUstream stream = stream_of(handle);
    return stream && capture_is_running(&stream->point) ? stream->point.capture : NULL;
}

/* CUstreamCaptureStatus */
static int status_of(const struct capture *capture)
{
    enum { NONE, ACTIVE, INVALIDATED };
    return !capture ? NONE : capture->is_spoiled ? INVALIDATED : ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    *status = status_of(running(stream));
    return driver_check();
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int *status, uint64_t *number, CUgraph *graph,
                                   const CUgraphNode **nodes, size_t *count)
{
    const struct capture *capture = running(stream);
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    *status = status_of(capture);
    if (capture && capture->is_spoiled)
        return CUDA_SUCCESS;
    if (capture && number)
        *number = capture->number;
    if (capture && graph)
        *graph = capture->graph;
    if (capture && nodes)
        *nodes = stream_of(stream)->point.nodes;
    if (capture && count)
        *count = stream_of(stream)->point.count;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status, uint64_t *number, CUgraph *graph,
                                   const CUgraphNode **nodes, const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    return cuStreamGetCaptureInfo_v2(stream, status, number, graph, nodes, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, int *status, uint64_t *number)
{
    return cuStreamGetCaptureInfo_v2(stream, status, number, NULL, NULL, NULL);
}

/* What the stream gets next depends on these nodes, too, or on these alone. */
CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode *nodes, size_t count, unsigned flags)
{
    enum { ADD, SET };
    CUstream stream = stream_of(handle);
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || flags > SET || (count > 0 && !nodes))
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (!stream || !capture_is_running(&stream->point))
        return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->point.capture->is_spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    for (size_t i = 0; i < count; i++)
        if (!graph_has_node(stream->point.capture->graph, nodes[i]))
            return CUDA_ERROR_INVALID_VALUE;
    /* the list may be the stream's own, which cuStreamGetCaptureInfo gives */
    struct capture_point made = {.count = 0};
    for (size_t i = 0; flags == ADD && i < stream->point.count && error == CUDA_SUCCESS; i++)
        error = add_node(&made, stream->point.nodes[i]);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = add_node(&made, nodes[i]);
    if (error != CUDA_SUCCESS) {
        free(made.nodes);
        return error;
    }
    free(stream->point.nodes);
    stream->point.nodes = made.nodes;
    stream->point.count = made.count;
    return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes,
                                              const CUgraphEdgeData *edges, size_t count, unsigned flags)
{
    (void)edges; /* a dependency on a part of a node is one on all of it */
    return cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

/* Captures forbid nothing to other streams. */
CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int current;
    if (!mode || *mode < 0 || *mode > 2)
        return CUDA_ERROR_INVALID_VALUE;
    const int old = current;
    current = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
