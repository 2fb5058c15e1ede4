/* Nodes that launch kernels, and nodes of any kind.
 *
 * A node's kernel is given by its symbol in the host's program; the driver has a function. All else of its
 * parameters is the driver's. */
#include "devices/libcudart/array.h"
#include "devices/libcudart/graph.h"

#include <string.h>

static cudaError_t kernel_to_driver(const CUDA_KERNEL_NODE_PARAMS *params,
                                    CUDA_KERNEL_NODE_PARAMS *ret_params)
{
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    *ret_params = *params;
    return registered_function(params->func, &ret_params->func);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,
                                   size_t count, const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUDA_KERNEL_NODE_PARAMS made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = kernel_to_driver(params, &made);
    if (!error)
        error = cuGraphAddKernelNode(node, graph, list, count, &made);
    return runtime_end(error);
}
/* The kernel is given as the program named it. One that it never named, as the driver's modules have, is its
 * handle, which all that take symbols take as well. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *params)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuGraphKernelNodeGetParams(node, params);
    if (error)
        return runtime_end(error);
    const void *symbol = registered_symbol(params->func);
    if (symbol)
        params->func = (CUfunction)(uintptr_t)symbol;
    else
        registered_give(params->func);
    return runtime_end(CUDA_SUCCESS);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUDA_KERNEL_NODE_PARAMS made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = kernel_to_driver(params, &made);
    if (!error)
        error = cuGraphKernelNodeSetParams(node, &made);
    return runtime_end(error);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUDA_KERNEL_NODE_PARAMS made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = kernel_to_driver(params, &made);
    if (!error)
        error = cuGraphExecKernelNodeSetParams(executable, node, &made);
    return runtime_end(error);
}

/* ---- Nodes of any kind --------------------------------------------------------------------------------- */

_Static_assert(sizeof(cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "the driver's are as large");

cudaError_t graph_node_to_driver(const cudaGraphNodeParams *params, CUgraphNodeParams *ret_params)
{
    enum { KERNEL, COPY };
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    memset(ret_params, 0, sizeof *ret_params);
    if (params->type == KERNEL) {
        ret_params->type = KERNEL;
        return kernel_to_driver(&params->as.kernel, &ret_params->as.kernel.first);
    }
    if (params->type == COPY) {
        ret_params->type = COPY;
        ret_params->as.memcpy.copyCtx = graph_context();
        return box_of(&params->as.memcpy.copyParams, &ret_params->as.memcpy.copyParams);
    }
    memcpy(ret_params, params, sizeof *ret_params);
    return 0;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    CUgraphNodeParams made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = graph_node_to_driver(params, &made);
    if (!error)
        error = cuGraphNodeSetParams(node, &made);
    return runtime_end(error);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams *params)
{
    CUgraphNodeParams made;
    cudaError_t error = runtime_begin();
    if (!error)
        error = graph_node_to_driver(params, &made);
    if (!error)
        error = cuGraphExecNodeSetParams(executable, node, &made);
    return runtime_end(error);
}

/* The driver has no nodes with conditions. */
cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *handle, cudaGraph_t graph, unsigned value,
                                             unsigned flags)
{
    (void)handle, (void)graph, (void)value, (void)flags;
    return runtime_end(CUDA_ERROR_NOT_SUPPORTED);
}
