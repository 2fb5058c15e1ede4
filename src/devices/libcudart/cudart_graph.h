/* The runtime API: graphs. Parameters of most nodes are the driver's. */
#pragma once

#include "devices/libcudart/cudart_array.h"
#include "devices/libcudart/cudart_stream.h"

/* What a node of any kind is to do: for those of the other kinds this has what the driver's has. */
typedef struct cudaGraphNodeParams {
    int type, reserved0[3];
    union {
        int64_t reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel; /* its function: the symbol of a kernel */
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms copyParams;
        } memcpy;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    } as;
    int64_t reserved2;
} cudaGraphNodeParams;

/* All but those that versions of the API have in different forms (versions_graph.c). */
#define CUDART_GRAPH_OBJECT_FUNCTIONS(X)                                                                     \
    X(cudaGraphCreate, cudaGraph_t *graph, unsigned flags)                                                   \
    X(cudaGraphDestroy, cudaGraph_t graph)                                                                   \
    X(cudaGraphDestroyNode, cudaGraphNode_t node)                                                            \
    X(cudaGraphClone, cudaGraph_t *clone, cudaGraph_t graph)                                                 \
    X(cudaGraphNodeFindInClone, cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)          \
    X(cudaGraphNodeGetType, cudaGraphNode_t node, int *type)                                                 \
    X(cudaGraphGetNodes, cudaGraph_t graph, cudaGraphNode_t *list, size_t *count)                            \
    X(cudaGraphGetRootNodes, cudaGraph_t graph, cudaGraphNode_t *list, size_t *count)                        \
    X(cudaGraphDebugDotPrint, cudaGraph_t graph, const char *path, unsigned flags)                           \
    X(cudaUserObjectCreate, cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned count,      \
      unsigned flags)                                                                                        \
    X(cudaUserObjectRetain, cudaUserObject_t object, unsigned count)                                         \
    X(cudaUserObjectRelease, cudaUserObject_t object, unsigned count)                                        \
    X(cudaGraphRetainUserObject, cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) \
    X(cudaGraphReleaseUserObject, cudaGraph_t graph, cudaUserObject_t object, unsigned count)                \
    X(cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value)                                \
    X(cudaDeviceSetGraphMemAttribute, int device, int attribute, void *value)                                \
    X(cudaDeviceGraphMemTrim, int device)
#define CUDART_GRAPH_NODE_FUNCTIONS(X)                                                                       \
    X(cudaGraphAddEmptyNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,          \
      size_t count)                                                                                          \
    X(cudaGraphAddHostNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,           \
      size_t count, const CUDA_HOST_NODE_PARAMS *params)                                                     \
    X(cudaGraphHostNodeGetParams, cudaGraphNode_t node, CUDA_HOST_NODE_PARAMS *params)                       \
    X(cudaGraphHostNodeSetParams, cudaGraphNode_t node, const CUDA_HOST_NODE_PARAMS *params)                 \
    X(cudaGraphAddMemsetNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,         \
      size_t count, const CUDA_MEMSET_NODE_PARAMS *params)                                                   \
    X(cudaGraphMemsetNodeGetParams, cudaGraphNode_t node, CUDA_MEMSET_NODE_PARAMS *params)                   \
    X(cudaGraphMemsetNodeSetParams, cudaGraphNode_t node, const CUDA_MEMSET_NODE_PARAMS *params)             \
    X(cudaGraphAddChildGraphNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,     \
      size_t count, cudaGraph_t child)                                                                       \
    X(cudaGraphChildGraphNodeGetGraph, cudaGraphNode_t node, cudaGraph_t *graph)                             \
    X(cudaGraphAddEventRecordNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,    \
      size_t count, cudaEvent_t event)                                                                       \
    X(cudaGraphEventRecordNodeGetEvent, cudaGraphNode_t node, cudaEvent_t *event)                            \
    X(cudaGraphEventRecordNodeSetEvent, cudaGraphNode_t node, cudaEvent_t event)                             \
    X(cudaGraphAddEventWaitNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,      \
      size_t count, cudaEvent_t event)                                                                       \
    X(cudaGraphEventWaitNodeGetEvent, cudaGraphNode_t node, cudaEvent_t *event)                              \
    X(cudaGraphEventWaitNodeSetEvent, cudaGraphNode_t node, cudaEvent_t event)                               \
    X(cudaGraphAddMemAllocNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,       \
      size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params)                                                      \
    X(cudaGraphMemAllocNodeGetParams, cudaGraphNode_t node, CUDA_MEM_ALLOC_NODE_PARAMS *params)              \
    X(cudaGraphAddMemFreeNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,        \
      size_t count, void *address)                                                                           \
    X(cudaGraphMemFreeNodeGetParams, cudaGraphNode_t node, void *address)                                    \
    X(cudaGraphKernelNodeCopyAttributes, cudaGraphNode_t to, cudaGraphNode_t from)                           \
    X(cudaGraphKernelNodeGetAttribute, cudaGraphNode_t node, int attribute, void *value)                     \
    X(cudaGraphKernelNodeSetAttribute, cudaGraphNode_t node, int attribute, const void *value)               \
    X(cudaGraphAddKernelNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,         \
      size_t count, const CUDA_KERNEL_NODE_PARAMS *params)                                                   \
    X(cudaGraphKernelNodeGetParams, cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *params)                   \
    X(cudaGraphKernelNodeSetParams, cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *params)             \
    X(cudaGraphExecKernelNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                    \
      const CUDA_KERNEL_NODE_PARAMS *params)                                                                 \
    X(cudaGraphNodeSetParams, cudaGraphNode_t node, cudaGraphNodeParams *params)                             \
    X(cudaGraphExecNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                          \
      cudaGraphNodeParams *params)                                                                           \
    X(cudaGraphConditionalHandleCreate, unsigned long long *handle, cudaGraph_t graph, unsigned value,       \
      unsigned flags)
#define CUDART_GRAPH_COPY_FUNCTIONS(X)                                                                       \
    X(cudaGraphAddMemcpyNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,         \
      size_t count, const cudaMemcpy3DParms *params)                                                         \
    X(cudaGraphMemcpyNodeGetParams, cudaGraphNode_t node, cudaMemcpy3DParms *params)                         \
    X(cudaGraphMemcpyNodeSetParams, cudaGraphNode_t node, const cudaMemcpy3DParms *params)                   \
    X(cudaGraphExecMemcpyNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                    \
      const cudaMemcpy3DParms *params)                                                                       \
    X(cudaGraphAddMemcpyNode1D, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list,       \
      size_t count, void *to, const void *from, size_t bytes, int kind)                                      \
    X(cudaGraphMemcpyNodeSetParams1D, cudaGraphNode_t node, void *to, const void *from, size_t bytes,        \
      int kind)                                                                                              \
    X(cudaGraphExecMemcpyNodeSetParams1D, cudaGraphExec_t executable, cudaGraphNode_t node, void *to,        \
      const void *from, size_t bytes, int kind)                                                              \
    X(cudaGraphAddMemcpyNodeToSymbol, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, \
      size_t count, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)             \
    X(cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphNode_t node, const void *symbol, const void *from,      \
      size_t bytes, size_t offset, int kind)                                                                 \
    X(cudaGraphExecMemcpyNodeSetParamsToSymbol, cudaGraphExec_t executable, cudaGraphNode_t node,            \
      const void *symbol, const void *from, size_t bytes, size_t offset, int kind)                           \
    X(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphNode_t *node, cudaGraph_t graph,                            \
      const cudaGraphNode_t *list, size_t count, void *to, const void *symbol, size_t bytes, size_t offset,  \
      int kind)                                                                                              \
    X(cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphNode_t node, void *to, const void *symbol,            \
      size_t bytes, size_t offset, int kind)                                                                 \
    X(cudaGraphExecMemcpyNodeSetParamsFromSymbol, cudaGraphExec_t executable, cudaGraphNode_t node,          \
      void *to, const void *symbol, size_t bytes, size_t offset, int kind)
#define CUDART_GRAPH_EXEC_FUNCTIONS(X)                                                                       \
    X(cudaGraphInstantiate, cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)        \
    X(cudaGraphInstantiateWithFlags, cudaGraphExec_t *executable, cudaGraph_t graph,                         \
      unsigned long long flags)                                                                              \
    X(cudaGraphInstantiateWithParams, cudaGraphExec_t *executable, cudaGraph_t graph,                        \
      CUDA_GRAPH_INSTANTIATE_PARAMS *params)                                                                 \
    X(cudaGraphExecGetFlags, cudaGraphExec_t executable, unsigned long long *flags)                          \
    X(cudaGraphExecUpdate, cudaGraphExec_t executable, cudaGraph_t graph,                                    \
      CUgraphExecUpdateResultInfo *result)                                                                   \
    X(cudaGraphExecDestroy, cudaGraphExec_t executable)                                                      \
    X(cudaGraphLaunch, cudaGraphExec_t executable, cudaStream_t stream)                                      \
    X(cudaGraphUpload, cudaGraphExec_t executable, cudaStream_t stream)                                      \
    X(cudaGraphNodeSetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled)        \
    X(cudaGraphNodeGetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned *is_enabled)       \
    X(cudaGraphExecHostNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                      \
      const CUDA_HOST_NODE_PARAMS *params)                                                                   \
    X(cudaGraphExecMemsetNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                    \
      const CUDA_MEMSET_NODE_PARAMS *params)                                                                 \
    X(cudaGraphExecChildGraphNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,                \
      cudaGraph_t child)                                                                                     \
    X(cudaGraphExecEventRecordNodeSetEvent, cudaGraphExec_t executable, cudaGraphNode_t node,                \
      cudaEvent_t event)                                                                                     \
    X(cudaGraphExecEventWaitNodeSetEvent, cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
#define CUDART_GRAPH_FUNCTIONS(X)                                                                            \
    CUDART_GRAPH_OBJECT_FUNCTIONS(X)                                                                         \
    CUDART_GRAPH_NODE_FUNCTIONS(X)                                                                           \
    CUDART_GRAPH_COPY_FUNCTIONS(X)                                                                           \
    CUDART_GRAPH_EXEC_FUNCTIONS(X)
