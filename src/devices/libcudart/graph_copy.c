/* Nodes that copy: boxes, rows, and rows of variables, which are given by symbols of the host's program. */
#include "devices/libcudart/array.h"
#include "devices/libcudart/graph.h"

/* ---- To a graph, a node, or a node of an executable graph ---------------------------------------------- */

/* Which of them gets the copy. */
struct taker {
    cudaGraphNode_t *ret_node;
    cudaGraph_t graph;
    const cudaGraphNode_t *list;
    size_t count;
    cudaGraphExec_t executable;
    cudaGraphNode_t node;
};

static cudaError_t give(const struct taker *taker, const CUDA_MEMCPY3D *copy)
{
    if (taker->executable)
        return cuGraphExecMemcpyNodeSetParams(taker->executable, taker->node, copy, graph_context());
    if (taker->graph)
        return cuGraphAddMemcpyNode(taker->ret_node, taker->graph, taker->list, taker->count, copy,
                                    graph_context());
    return cuGraphMemcpyNodeSetParams(taker->node, copy);
}

static cudaError_t give_box(const struct taker *taker, const cudaMemcpy3DParms *params)
{
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_begin();
    if (!error)
        error = box_of(params, &copy);
    if (!error)
        error = give(taker, &copy);
    return runtime_end(error);
}

static cudaError_t give_row(const struct taker *taker, void *to, const void *from, size_t bytes, int kind)
{
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_begin();
    if (!error && (!to || !from))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = row_of(to, from, bytes, kind, &copy);
    if (!error)
        error = give(taker, &copy);
    return runtime_end(error);
}

static cudaError_t give_to_symbol(const struct taker *taker, const void *symbol, const void *from,
                                  size_t bytes, size_t offset, int kind)
{
    void *to;
    cudaError_t error = runtime_find_bytes(symbol, bytes, offset, &to);
    if (!error && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost))
        error = cudaErrorInvalidMemcpyDirection;
    return error ? runtime_end(error) : give_row(taker, to, from, bytes, kind);
}

static cudaError_t give_from_symbol(const struct taker *taker, void *to, const void *symbol, size_t bytes,
                                    size_t offset, int kind)
{
    void *from;
    cudaError_t error = runtime_find_bytes(symbol, bytes, offset, &from);
    if (!error && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice))
        error = cudaErrorInvalidMemcpyDirection;
    return error ? runtime_end(error) : give_row(taker, to, from, bytes, kind);
}

/* No graph is an error, and not a node. */
static cudaError_t check(bool is_there)
{
    return is_there ? CUDA_SUCCESS : runtime_end(CUDA_ERROR_INVALID_VALUE);
}
#define NEW_NODE           (&(const struct taker){.ret_node = node, .graph = graph, .list = list, .count = count})
#define OLD_NODE           (&(const struct taker){.node = node})
#define NODE_OF_EXECUTABLE (&(const struct taker){.executable = executable, .node = node})

/* ---- Boxes --------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,
                                   size_t count, const cudaMemcpy3DParms *params)
{
    const cudaError_t error = check(graph);
    return error ? error : give_box(NEW_NODE, params);
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *params)
{
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_begin();
    if (!error)
        error = params ? (cudaError_t)cuGraphMemcpyNodeGetParams(node, &copy) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = box_from_driver(&copy, params);
    return runtime_end(error);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *params)
{
    return give_box(OLD_NODE, params);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *params)
{
    const cudaError_t error = check(executable);
    return error ? error : give_box(NODE_OF_EXECUTABLE, params);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,
                                     size_t count, void *to, const void *from, size_t bytes, int kind)
{
    const cudaError_t error = check(graph);
    return error ? error : give_row(NEW_NODE, to, from, bytes, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           int kind)
{
    return give_row(OLD_NODE, to, from, bytes, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, int kind)
{
    const cudaError_t error = check(executable);
    return error ? error : give_row(NODE_OF_EXECUTABLE, to, from, bytes, kind);
}

/* ---- To variables -------------------------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *list, size_t count, const void *symbol,
                                           const void *from, size_t bytes, size_t offset, int kind)
{
    const cudaError_t error = check(graph);
    return error ? error : give_to_symbol(NEW_NODE, symbol, from, bytes, offset, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, int kind)
{
    return give_to_symbol(OLD_NODE, symbol, from, bytes, offset, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const void *symbol, const void *from, size_t bytes,
                                                     size_t offset, int kind)
{
    const cudaError_t error = check(executable);
    return error ? error : give_to_symbol(NODE_OF_EXECUTABLE, symbol, from, bytes, offset, kind);
}

/* ---- From variables ------------------------------------------------------------------------------------ */

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *list, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset, int kind)
{
    const cudaError_t error = check(graph);
    return error ? error : give_from_symbol(NEW_NODE, to, symbol, bytes, offset, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                                   size_t bytes, size_t offset, int kind)
{
    return give_from_symbol(OLD_NODE, to, symbol, bytes, offset, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void *to, const void *symbol, size_t bytes,
                                                       size_t offset, int kind)
{
    const cudaError_t error = check(executable);
    return error ? error : give_from_symbol(NODE_OF_EXECUTABLE, to, symbol, bytes, offset, kind);
}
