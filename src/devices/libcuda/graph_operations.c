/* Nodes that are lists of memory operations: waits for values, and writes. */
#include "devices/libcuda/graph.h"

#include <stdlib.h>

CUresult graph_operations_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, struct work *ret_work)
{
    if (!params || params->count == 0 || params->count > OPERATIONS_MOST || !params->paramArray ||
        params->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct work work = {.kind = WORK_LIST};
    work.as.list.items = calloc(params->count, sizeof work);
    CUresult error = work.as.list.items ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < params->count && error == CUDA_SUCCESS; i++) {
        error = operation_of(&params->paramArray[i], &work.as.list.items[i]);
        work.as.list.count += error == CUDA_SUCCESS;
    }
    if (error == CUDA_SUCCESS)
        *ret_work = work;
    else
        work_done(&work);
    return error;
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct work work;
    CUresult error = graph_operations_of(params, &work);
    if (error != CUDA_SUCCESS)
        return error;
    error = graph_add(graph, list, count, &work, node);
    if (error == CUDA_SUCCESS)
        (*node)->has_operations = true;
    work_done(&work);
    return error;
}

static CUstreamBatchMemOpParams params_of(const struct work *work)
{
    enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
    const struct value_work *value = &work->as.value;
    if (work->kind == WORK_NOTHING)
        return (CUstreamBatchMemOpParams){.operation = BARRIER};
    const int wait = value->bytes == 4 ? WAIT_32 : WAIT_64, write = value->bytes == 4 ? WRITE_32 : WRITE_64;
    return (CUstreamBatchMemOpParams){.operation = work->kind == WORK_WAIT_VALUE ? wait : write,
                                      .address = value->address,
                                      .value = value->value,
                                      .flags = value->flags};
}

static bool has_operations(CUgraphNode node)
{
    return node && (node->has_operations || node->work.kind == WORK_WAIT_VALUE ||
                    node->work.kind == WORK_WRITE_VALUE);
}

/* The node keeps the list that the program gets. */
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    if (!has_operations(node) || !params)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t count = node->has_operations ? node->work.as.list.count : 1;
    const struct work *items = node->has_operations ? node->work.as.list.items : &node->work;
    CUstreamBatchMemOpParams *list = malloc(count * sizeof *list);
    if (!list)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        list[i] = params_of(&items[i]);
    free(node->arguments);
    node->arguments = (void **)list;
    *params = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.count = (unsigned)count, .paramArray = list};
    return CUDA_SUCCESS;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct work work;
    if (!has_operations(node))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = graph_operations_of(params, &work);
    if (error != CUDA_SUCCESS)
        return error;
    work_done(&node->work);
    node->work = work;
    node->has_operations = true;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct work work, *place = graph_item_of(executable, node);
    if (!place || !has_operations(node))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = graph_operations_of(params, &work);
    if (error != CUDA_SUCCESS)
        return error;
    work_done(place);
    *place = work;
    return CUDA_SUCCESS;
}
