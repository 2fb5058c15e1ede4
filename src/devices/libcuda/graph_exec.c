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
        opened = graph_memory_open(&made->work);
        made->flags = flags;
        made->has_memory = graph_has_memory(graph);
        if (opened != CUDA_SUCCESS) {
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

CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    if (!executable)
        return CUDA_ERROR_INVALID_VALUE;
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
    return stream_give(stream, &executable->work);
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    (void)stream;
    return executable ? driver_check() : CUDA_ERROR_INVALID_VALUE;
}

/* The work of a node in what its graph was made into; NULL: there is none. */
static struct work *item_of(CUgraphExec executable, CUgraphNode node)
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
    return graph_replace(graph_launch_of(params, &work), &work, item_of(executable, node));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params)
{
    return cuGraphExecKernelNodeSetParams(executable, node, params);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                        CUcontext context)
{
    struct work work;
    (void)context;
    return graph_replace(copy_of(params, &work), &work, item_of(executable, node));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    struct work work;
    (void)context;
    return graph_replace(graph_fill_of(params, &work), &work, item_of(executable, node));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_host_of(params, &work), &work, item_of(executable, node));
}

/* Of the same kind; what allocates and frees stays the same. */
static bool is_like(const struct work *work, const struct work *other)
{
    return work->kind == other->kind && (work->kind != WORK_ALLOC || work->as.memory == other->as.memory) &&
           (work->kind != WORK_FREE || work->as.value.address == other->as.value.address);
}

/* The executable takes the values of a graph of the same kinds of nodes in the same order. */
CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    struct work work = {.kind = WORK_NOTHING};
    CUgraphNode *nodes = NULL;
    CUresult error = executable && graph ? graph_flatten(graph, &work, &nodes) : CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    const size_t count = executable->work.as.list.count;
    bool is_same = work.as.list.count == count;
    for (size_t i = 0; i < count && is_same; i++)
        is_same = is_like(&work.as.list.items[i], &executable->work.as.list.items[i]);
    if (info)
        *info = (CUgraphExecUpdateResultInfo){is_same ? 0 : 2, NULL, NULL}; /* 2: other topology */
    if (is_same) {
        struct work old = executable->work;
        executable->work = work;
        work = old;
    }
    free(nodes); /* nodes of the first graph go on to name the items */
    work_done(&work);
    return is_same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
