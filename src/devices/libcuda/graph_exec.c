/* What graphs are made into to be launched.
 *
 * A graph that is made ready (cuGraphInstantiate) is a list of work in an order that keeps all dependencies.
 * Its launch gives the list to the queue as it is then, so that a later change does not reach it. */
#include "devices/libcuda/graph.h"
#include "devices/libcuda/graph_memory.h"

#include <stdlib.h>

enum { FREE_ON_LAUNCH = 1, KNOWN_FLAGS = 15 }; /* the others say how a GPU runs it */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !executable || !graph || flags > KNOWN_FLAGS)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUgraphExec made = calloc(1, sizeof *made);
    CUresult opened = made ? graph_flatten(graph, &made->work, &made->nodes) : CUDA_ERROR_OUT_OF_MEMORY;
    if (opened == CUDA_SUCCESS) {
        opened = objects_copy(graph->objects, &made->objects);
        if (opened == CUDA_SUCCESS)
            opened = graph_memory_open(&made->work);
        made->flags = flags;
        made->has_memory = graph_has_memory(graph);
        if (opened != CUDA_SUCCESS) {
            objects_release(&made->objects);
            work_done(&made->work);
            free(made->nodes);
        }
    }
    if (opened == CUDA_SUCCESS)
        *executable = made;
    else
        free(made);
    return opened;
}

CUresult cuGraphInstantiate_v2(CUgraphExec *executable, CUgraph graph, CUgraphNode *error_node, char *log,
                               size_t log_room)
{
    if (error_node)
        *error_node = NULL;
    if (log && log_room > 0)
        log[0] = '\0';
    return cuGraphInstantiateWithFlags(executable, graph, 0);
}

/* An upload that it wants is not needed. */
CUresult cuGraphInstantiateWithParams(CUgraphExec *executable, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    enum { MADE, FAILED, BAD_STRUCTURE };
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = cuGraphInstantiateWithFlags(executable, graph, params->flags);
    const bool is_structure = error == CUDA_ERROR_INVALID_VALUE && executable && graph;
    params->hErrNode_out = NULL;
    params->result_out = error == CUDA_SUCCESS ? MADE : is_structure ? BAD_STRUCTURE : FAILED;
    return error;
}

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    if (!executable)
        return CUDA_ERROR_INVALID_VALUE;
    if (executable->objects)
        queue_wait_for_all(); /* launches use them */
    objects_release(&executable->objects);
    free(executable->is_off);
    graph_memory_close(&executable->work);
    work_done(&executable->work);
    free(executable->nodes);
    free(executable);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec executable, uint64_t *flags)
{
    if (!executable || !flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = executable->flags;
    return CUDA_SUCCESS;
}

/* Without the items that are switched off. */
static CUresult give_rest(CUgraphExec executable, CUstream stream)
{
    struct work rest = {.kind = WORK_LIST};
    rest.as.list.items = calloc(executable->work.as.list.count + 1, sizeof rest);
    if (!rest.as.list.items)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < executable->work.as.list.count; i++)
        if (!executable->is_off[i])
            rest.as.list.items[rest.as.list.count++] = executable->work.as.list.items[i];
    const CUresult error = stream_give(stream, &rest); /* which makes copies */
    free(rest.as.list.items);
    return error;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    if (!executable)
        return CUDA_ERROR_INVALID_VALUE;
    if (executable->has_memory) {
        CUresult error = stream_check_uncaptured(stream);
        if (error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) /* it would be a part of another graph */
            error = CUDA_ERROR_NOT_SUPPORTED;
        if (error == CUDA_SUCCESS)
            error = graph_memory_launch(&executable->work, executable->flags & FREE_ON_LAUNCH, stream);
        if (error != CUDA_SUCCESS)
            return error;
    }
    return executable->is_off ? give_rest(executable, stream) : stream_give(stream, &executable->work);
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    (void)stream;
    return executable ? driver_check() : CUDA_ERROR_INVALID_VALUE;
}

struct work *graph_item_of(CUgraphExec executable, CUgraphNode node)
{
    for (size_t i = 0; executable && i < executable->work.as.list.count; i++)
        if (executable->nodes[i] == node)
            return &executable->work.as.list.items[i];
    return NULL;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_launch_of(params, &work), &work, graph_item_of(executable, node));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
    CUDA_KERNEL_NODE_PARAMS first;
    return cuGraphExecKernelNodeSetParams(executable, node, graph_first_of(params, &first));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                        CUcontext context)
{
    struct work work;
    (void)context;
    return graph_replace(copy_of(params, &work), &work, graph_item_of(executable, node));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    struct work work;
    (void)context;
    return graph_replace(graph_fill_of(params, &work), &work, graph_item_of(executable, node));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_host_of(params, &work), &work, graph_item_of(executable, node));
}

/* Of the same kind; what allocates and frees stays the same. */
static bool is_like(const struct work *work, const struct work *other)
{
    return work->kind == other->kind && (work->kind != WORK_ALLOC || work->as.memory == other->as.memory) &&
           (work->kind != WORK_FREE || work->as.value.address == other->as.value.address);
}

enum { UPDATED, OTHER_TOPOLOGY = 2, OTHER_KIND, OTHER_PARAMETERS = 5 }; /* CUgraphExecUpdateResult */

/* Which item differs is *ret_at. */
static int compare(const struct work *list, const struct work *other, size_t *ret_at)
{
    if (list->as.list.count != other->as.list.count)
        return OTHER_TOPOLOGY;
    for (*ret_at = 0; *ret_at < list->as.list.count; ++*ret_at) {
        const struct work *item = &list->as.list.items[*ret_at], *is = &other->as.list.items[*ret_at];
        if (!is_like(item, is))
            return item->kind == is->kind ? OTHER_PARAMETERS : OTHER_KIND;
        size_t within = 0;
        if (item->kind == WORK_LIST && compare(item, is, &within) != UPDATED)
            return OTHER_PARAMETERS; /* a graph in it is another */
    }
    return UPDATED;
}

/* The executable takes the values of a graph of the same kinds of nodes in the same order. */
CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    struct work work = {.kind = WORK_NOTHING};
    CUgraphNode *nodes = NULL;
    struct object_use *objects = NULL;
    CUresult error = executable && graph ? graph_flatten(graph, &work, &nodes) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = objects_copy(graph->objects, &objects);
    if (error != CUDA_SUCCESS) {
        free(nodes);
        work_done(&work);
        return error;
    }
    size_t at = 0;
    const int result = compare(&work, &executable->work, &at);
    const bool has_node = result == OTHER_KIND || result == OTHER_PARAMETERS;
    if (info)
        *info = (CUgraphExecUpdateResultInfo){result, has_node ? nodes[at] : NULL, NULL};
    if (result == UPDATED) {
        struct work old = executable->work;
        struct object_use *old_objects = executable->objects;
        executable->work = work;
        executable->objects = objects;
        work = old;
        objects = old_objects;
        if (objects)
            queue_wait_for_all();
    }
    objects_release(&objects);
    free(nodes); /* nodes of the first graph go on to name the items */
    work_done(&work);
    return result == UPDATED ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode *error_node, int *result)
{
    CUgraphExecUpdateResultInfo info = {.result = 1};
    const CUresult error = cuGraphExecUpdate_v2(executable, graph, &info);
    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

/* ---- Single nodes of it -------------------------------------------------------------------------------- */

/* The whole graph in place of a node: it must be of the same kinds of nodes. */
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child)
{
    struct work work = {.kind = WORK_NOTHING};
    struct work *place = graph_item_of(executable, node);
    size_t at = 0;
    if (!place || !node->child || !child)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = graph_has_memory(child) ? CUDA_ERROR_INVALID_VALUE : graph_flatten(child, &work, NULL);
    if (error == CUDA_SUCCESS && compare(&work, place, &at) != UPDATED) {
        work_done(&work);
        error = CUDA_ERROR_INVALID_VALUE;
    }
    return graph_replace(error, &work, place);
}

static size_t place_of(CUgraphExec executable, CUgraphNode node)
{
    const struct work *item = graph_item_of(executable, node);
    const bool may_be_off =
        item && (item->kind == WORK_LAUNCH || item->kind == WORK_COPY || item->kind == WORK_FILL);
    return may_be_off ? (size_t)(item - executable->work.as.list.items) : SIZE_MAX;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned is_enabled)
{
    const size_t at = place_of(executable, node);
    if (at == SIZE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (!executable->is_off)
        executable->is_off = calloc(executable->work.as.list.count, sizeof *executable->is_off);
    if (!executable->is_off)
        return CUDA_ERROR_OUT_OF_MEMORY;
    executable->is_off[at] = !is_enabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned *is_enabled)
{
    const size_t at = place_of(executable, node);
    if (at == SIZE_MAX || !is_enabled)
        return CUDA_ERROR_INVALID_VALUE;
    *is_enabled = !(executable->is_off && executable->is_off[at]);
    return CUDA_SUCCESS;
}
