/* Nodes of graphs: what each is to do, by one call for all kinds, and what programs get to know of it. */
#include "devices/libcuda/array.h"
#include "devices/libcuda/function.h"
#include "devices/libcuda/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- What a node is to do ------------------------------------------------------------------------------ */

/* Pointers to the values of its arguments, which the node keeps. */
static CUresult point_to_arguments(CUgraphNode node)
{
    const struct launch_work *launch = &node->work.as.launch;
    const size_t count = launch->function->info.parameter_count;
    void **list = realloc(node->arguments, (count + 1) * sizeof *list);
    if (!list)
        return CUDA_ERROR_OUT_OF_MEMORY;
    node->arguments = list;
    for (size_t i = 0; i < count; i++)
        list[i] = launch->values + launch->function->parameters[i].offset;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    if (!node || !params || node->work.kind != WORK_LAUNCH)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = point_to_arguments(node);
    if (error != CUDA_SUCCESS)
        return error;
    const struct launch_work *launch = &node->work.as.launch;
    *params = (CUDA_KERNEL_NODE_PARAMS){.func = launch->function,
                                        .gridDimX = launch->grid[0],
                                        .gridDimY = launch->grid[1],
                                        .gridDimZ = launch->grid[2],
                                        .blockDimX = launch->block[0],
                                        .blockDimY = launch->block[1],
                                        .blockDimZ = launch->block[2],
                                        .sharedMemBytes = launch->shared_bytes,
                                        .kernelParams = node->arguments};
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
    CUDA_KERNEL_NODE_PARAMS first;
    const CUresult error = params ? cuGraphKernelNodeGetParams(node, &first) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *params = (CUDA_KERNEL_NODE_PARAMS_v2){.first = first};
    return error;
}

enum { HOST = 1, DEVICE = 2, ARRAY = 3 }; /* CUmemorytype */

/* One end of a copy. */
struct corner {
    size_t x, y, z, pitch, height;
    int type;
};

static struct corner corner_of(const struct work_end *end, size_t rows)
{
    struct corner corner = {.pitch = end->pitch, .height = end->pitch ? end->slice / end->pitch : rows};
    corner.type = end->array ? ARRAY : end->is_device ? DEVICE : HOST;
    if (!end->array)
        return corner;
    const size_t from = end->address - end->array->address;
    corner.z = end->array->slice_bytes ? from / end->array->slice_bytes : 0;
    const size_t within = from - corner.z * end->array->slice_bytes;
    corner.y = within / end->array->row_bytes;
    corner.x = within % end->array->row_bytes;
    corner.pitch = corner.height = 0;
    return corner;
}

/* A copy is given from its first byte on; of an array, by the place in it. */
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    if (!node || !params || node->work.kind != WORK_COPY)
        return CUDA_ERROR_INVALID_VALUE;
    const struct copy_work *copy = &node->work.as.copy;
    const struct corner to = corner_of(&copy->to, copy->height), from = corner_of(&copy->from, copy->height);
    *params = (CUDA_MEMCPY3D){.srcXInBytes = from.x,
                              .srcY = from.y,
                              .srcZ = from.z,
                              .srcMemoryType = from.type,
                              .srcHost = from.type == HOST ? (void *)(uintptr_t)copy->from.address : NULL,
                              .srcDevice = from.type == DEVICE ? copy->from.address : 0,
                              .srcArray = copy->from.array,
                              .srcPitch = from.pitch,
                              .srcHeight = from.height,
                              .dstXInBytes = to.x,
                              .dstY = to.y,
                              .dstZ = to.z,
                              .dstMemoryType = to.type,
                              .dstHost = to.type == HOST ? (void *)(uintptr_t)copy->to.address : NULL,
                              .dstDevice = to.type == DEVICE ? copy->to.address : 0,
                              .dstArray = copy->to.array,
                              .dstPitch = to.pitch,
                              .dstHeight = to.height,
                              .WidthInBytes = copy->width,
                              .Height = copy->height,
                              .Depth = copy->depth};
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    if (!node || !params || node->work.kind != WORK_FILL)
        return CUDA_ERROR_INVALID_VALUE;
    const struct fill_work *fill = &node->work.as.fill;
    *params = (CUDA_MEMSET_NODE_PARAMS){fill->to,      fill->pitch, fill->value,
                                        fill->element, fill->width, fill->height};
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    if (!node || !params || node->work.kind != WORK_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    *params = (CUDA_HOST_NODE_PARAMS){node->work.as.host.function, node->work.as.host.user};
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    if (!node || !graph || !node->child)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = node->child;
    return CUDA_SUCCESS;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static CUresult get_event(CUgraphNode node, enum work_kind kind, CUevent *event)
{
    if (!node || !event || node->work.kind != kind)
        return CUDA_ERROR_INVALID_VALUE;
    *event = node->work.as.event;
    return CUDA_SUCCESS;
}

static CUresult set_event(struct work *place, enum work_kind kind, CUevent event)
{
    const struct work work = {.kind = kind, .as.event = event};
    if (!event || !place || place->kind != kind)
        return CUDA_ERROR_INVALID_VALUE;
    struct work copy;
    return graph_replace(work_copy(&work, &copy), &copy, place);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return get_event(node, WORK_RECORD, event);
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return get_event(node, WORK_WAIT_EVENT, event);
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    return set_event(node ? &node->work : NULL, WORK_RECORD, event);
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    return set_event(node ? &node->work : NULL, WORK_WAIT_EVENT, event);
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event)
{
    return set_event(graph_item_of(executable, node), WORK_RECORD, event);
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event)
{
    return set_event(graph_item_of(executable, node), WORK_WAIT_EVENT, event);
}

/* ---- Nodes of any kind --------------------------------------------------------------------------------- */

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                        CUgraphNodeParams *params)
{
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    switch (params->type) {
    case WORK_LAUNCH:
        return cuGraphAddKernelNode_v2(node, graph, list, count, &params->as.kernel);
    case WORK_COPY:
        return cuGraphAddMemcpyNode(node, graph, list, count, &params->as.memcpy.copyParams,
                                    params->as.memcpy.copyCtx);
    case WORK_FILL:
        return cuGraphAddMemsetNode(node, graph, list, count, &params->as.memset, NULL);
    case WORK_HOST:
        return cuGraphAddHostNode(node, graph, list, count, &params->as.host);
    case WORK_LIST:
        return params->as.graph.ownership
                   ? CUDA_ERROR_NOT_SUPPORTED
                   : cuGraphAddChildGraphNode(node, graph, list, count, params->as.graph.graph);
    case WORK_NOTHING:
        return cuGraphAddEmptyNode(node, graph, list, count);
    case WORK_WAIT_EVENT:
        return cuGraphAddEventWaitNode(node, graph, list, count, params->as.event);
    case WORK_RECORD:
        return cuGraphAddEventRecordNode(node, graph, list, count, params->as.event);
    case WORK_ALLOC:
        return cuGraphAddMemAllocNode(node, graph, list, count, &params->as.alloc);
    case WORK_FREE:
        return cuGraphAddMemFreeNode(node, graph, list, count, params->as.dptr);
    case WORK_WAIT_VALUE:
        return cuGraphAddBatchMemOpNode(node, graph, list, count, &params->as.memOp);
    default: /* semaphores of others, conditions */
        return params->type < WORK_LAUNCH || params->type > WORK_WRITE_VALUE ? CUDA_ERROR_INVALID_VALUE
                                                                             : CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* The work of such parameters, as far as a node that is there can get it. */
static CUresult work_of(const CUgraphNodeParams *params, struct work *ret_work)
{
    CUDA_KERNEL_NODE_PARAMS first;
    switch (params->type) {
    case WORK_LAUNCH:
        return graph_launch_of(graph_first_of(&params->as.kernel, &first), ret_work);
    case WORK_COPY:
        return copy_of(&params->as.memcpy.copyParams, ret_work);
    case WORK_FILL:
        return graph_fill_of(&params->as.memset, ret_work);
    case WORK_HOST:
        return graph_host_of(&params->as.host, ret_work);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_params(struct work *place, const CUgraphNodeParams *params)
{
    struct work work;
    if (!place || !params)
        return CUDA_ERROR_INVALID_VALUE;
    if (params->type == WORK_RECORD || params->type == WORK_WAIT_EVENT)
        return set_event(place, (enum work_kind)params->type, params->as.event);
    return graph_replace(work_of(params, &work), &work, place);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    if (params && params->type == WORK_WAIT_VALUE)
        return cuGraphBatchMemOpNodeSetParams(node, &params->as.memOp);
    return set_params(node ? &node->work : NULL, params);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraphNodeParams *params)
{
    if (params && params->type == WORK_LIST)
        return cuGraphExecChildGraphNodeSetParams(executable, node, params->as.graph.graph);
    if (params && params->type == WORK_WAIT_VALUE)
        return cuGraphExecBatchMemOpNodeSetParams(executable, node, &params->as.memOp);
    return set_params(graph_item_of(executable, node), params);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    if (!node || !original || !clone || !clone->original)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode at = clone->first;
    while (at && at->original != original)
        at = at->next;
    if (at)
        *node = at;
    return at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Dependencies with data ---------------------------------------------------------------------------- */

/* A dependency on a part of a kernel is one on all of it here, which is stricter. */
static CUresult check_edges(const CUgraphEdgeData *edges, size_t count)
{
    enum { LAUNCH_ORDER_PORT = 2, PROGRAMMATIC = 1 };
    static const unsigned char nothing[sizeof edges->reserved];
    for (size_t i = 0; edges && i < count; i++)
        if (edges[i].from_port > LAUNCH_ORDER_PORT || edges[i].to_port != 0 || edges[i].type > PROGRAMMATIC ||
            memcmp(edges[i].reserved, nothing, sizeof nothing) != 0)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult clear(CUresult error, CUgraphEdgeData *edges, const size_t *count)
{
    if (error == CUDA_SUCCESS && edges)
        memset(edges, 0, *count * sizeof *edges);
    return error;
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *list,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)
{
    const CUresult error = check_edges(edges, count);
    return error == CUDA_SUCCESS ? cuGraphAddNode(node, graph, list, count, params) : error;
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    const CUresult error = check_edges(edges, count);
    return error == CUDA_SUCCESS ? cuGraphAddDependencies(graph, from, to, count) : error;
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count)
{
    const CUresult error = check_edges(edges, count);
    return error == CUDA_SUCCESS ? cuGraphRemoveDependencies(graph, from, to, count) : error;
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                            size_t *count)
{
    return clear(cuGraphGetEdges(graph, from, to, count), from ? edges : NULL, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *edges,
                                       size_t *count)
{
    return clear(cuGraphNodeGetDependencies(node, list, count), list ? edges : NULL, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *edges,
                                         size_t *count)
{
    return clear(cuGraphNodeGetDependentNodes(node, list, count), list ? edges : NULL, count);
}
