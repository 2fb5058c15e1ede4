/* Graphs: the driver's, as are nodes whose parameters are the same in both APIs. */
#include "devices/libcudart/graph.h"

#include "devices/libcudart/call.h"

CUcontext graph_context(void)
{
    CUcontext context = NULL;
    return cuCtxGetCurrent(&context) == CUDA_SUCCESS ? context : NULL;
}

RUNTIME_CALL(cudaGraphCreate, cuGraphCreate(graph, flags), cudaGraph_t *graph, unsigned flags)
RUNTIME_CALL(cudaGraphDestroy, cuGraphDestroy(graph), cudaGraph_t graph)
RUNTIME_CALL(cudaGraphDestroyNode, cuGraphDestroyNode(node), cudaGraphNode_t node)
RUNTIME_CALL(cudaGraphClone, cuGraphClone(clone, graph), cudaGraph_t *clone, cudaGraph_t graph)
RUNTIME_CALL(cudaGraphNodeFindInClone, cuGraphNodeFindInClone(node, original, clone), cudaGraphNode_t *node,
             cudaGraphNode_t original, cudaGraph_t clone)
RUNTIME_CALL(cudaGraphNodeGetType, cuGraphNodeGetType(node, type), cudaGraphNode_t node, int *type)
RUNTIME_CALL(cudaGraphGetNodes, cuGraphGetNodes(graph, list, count), cudaGraph_t graph, cudaGraphNode_t *list,
             size_t *count)
RUNTIME_CALL(cudaGraphGetRootNodes, cuGraphGetRootNodes(graph, list, count), cudaGraph_t graph,
             cudaGraphNode_t *list, size_t *count)
RUNTIME_CALL(cudaGraphDebugDotPrint, cuGraphDebugDotPrint(graph, path, flags), cudaGraph_t graph,
             const char *path, unsigned flags)
RUNTIME_CALL(cudaUserObjectCreate, cuUserObjectCreate(object, data, destroy, count, flags),
             cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned count, unsigned flags)
RUNTIME_CALL(cudaUserObjectRetain, cuUserObjectRetain(object, count), cudaUserObject_t object, unsigned count)
RUNTIME_CALL(cudaUserObjectRelease, cuUserObjectRelease(object, count), cudaUserObject_t object,
             unsigned count)
RUNTIME_CALL(cudaGraphRetainUserObject, cuGraphRetainUserObject(graph, object, count, flags),
             cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags)
RUNTIME_CALL(cudaGraphReleaseUserObject, cuGraphReleaseUserObject(graph, object, count), cudaGraph_t graph,
             cudaUserObject_t object, unsigned count)

/* ---- Memory that graphs allocate ----------------------------------------------------------------------- */

RUNTIME_CALL(cudaDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute(device, attribute, value),
             int device, int attribute, void *value)
RUNTIME_CALL(cudaDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute(device, attribute, value),
             int device, int attribute, void *value)
RUNTIME_CALL(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim(device), int device)

/* ---- Nodes --------------------------------------------------------------------------------------------- */

RUNTIME_CALL(cudaGraphAddEmptyNode, cuGraphAddEmptyNode(node, graph, list, count), cudaGraphNode_t *node,
             cudaGraph_t graph, const cudaGraphNode_t *list, size_t count)
RUNTIME_CALL(cudaGraphAddHostNode, cuGraphAddHostNode(node, graph, list, count, params),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             const CUDA_HOST_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams(node, params), cudaGraphNode_t node,
             CUDA_HOST_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams(node, params), cudaGraphNode_t node,
             const CUDA_HOST_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphAddMemsetNode, cuGraphAddMemsetNode(node, graph, list, count, params, graph_context()),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             const CUDA_MEMSET_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams(node, params), cudaGraphNode_t node,
             CUDA_MEMSET_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams(node, params), cudaGraphNode_t node,
             const CUDA_MEMSET_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode(node, graph, list, count, child),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             cudaGraph_t child)
RUNTIME_CALL(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph(node, graph),
             cudaGraphNode_t node, cudaGraph_t *graph)
RUNTIME_CALL(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode(node, graph, list, count, event),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             cudaEvent_t event)
RUNTIME_CALL(cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent(node, event),
             cudaGraphNode_t node, cudaEvent_t *event)
RUNTIME_CALL(cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent(node, event),
             cudaGraphNode_t node, cudaEvent_t event)
RUNTIME_CALL(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode(node, graph, list, count, event),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             cudaEvent_t event)
RUNTIME_CALL(cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent(node, event), cudaGraphNode_t node,
             cudaEvent_t *event)
RUNTIME_CALL(cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent(node, event), cudaGraphNode_t node,
             cudaEvent_t event)
RUNTIME_CALL(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode(node, graph, list, count, params),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             CUDA_MEM_ALLOC_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams(node, params), cudaGraphNode_t node,
             CUDA_MEM_ALLOC_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode(node, graph, list, count, (uintptr_t)address),
             cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
             void *address)
RUNTIME_CALL(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams(node, address), cudaGraphNode_t node,
             void *address)
RUNTIME_CALL(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes(to, from), cudaGraphNode_t to,
             cudaGraphNode_t from)
RUNTIME_CALL(cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute(node, attribute, value),
             cudaGraphNode_t node, int attribute, void *value)
RUNTIME_CALL(cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute(node, attribute, value),
             cudaGraphNode_t node, int attribute, const void *value)

/* ---- Executable graphs --------------------------------------------------------------------------------- */

RUNTIME_CALL(cudaGraphInstantiate, cuGraphInstantiateWithFlags(executable, graph, flags),
             cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
RUNTIME_CALL(cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags(executable, graph, flags),
             cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
RUNTIME_CALL(cudaGraphInstantiateWithParams, cuGraphInstantiateWithParams(executable, graph, params),
             cudaGraphExec_t *executable, cudaGraph_t graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
RUNTIME_CALL(cudaGraphExecGetFlags, cuGraphExecGetFlags(executable, (uint64_t *)(void *)flags),
             cudaGraphExec_t executable, unsigned long long *flags)
RUNTIME_CALL(cudaGraphExecUpdate, cuGraphExecUpdate_v2(executable, graph, result), cudaGraphExec_t executable,
             cudaGraph_t graph, CUgraphExecUpdateResultInfo *result)
RUNTIME_CALL(cudaGraphExecDestroy, cuGraphExecDestroy(executable), cudaGraphExec_t executable)
RUNTIME_CALL(cudaGraphLaunch, cuGraphLaunch(executable, stream), cudaGraphExec_t executable,
             cudaStream_t stream)
RUNTIME_CALL(cudaGraphUpload, cuGraphUpload(executable, stream), cudaGraphExec_t executable,
             cudaStream_t stream)
RUNTIME_CALL(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled(executable, node, is_enabled),
             cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled)
RUNTIME_CALL(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled(executable, node, is_enabled),
             cudaGraphExec_t executable, cudaGraphNode_t node, unsigned *is_enabled)
RUNTIME_CALL(cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams(executable, node, params),
             cudaGraphExec_t executable, cudaGraphNode_t node, const CUDA_HOST_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphExecMemsetNodeSetParams,
             cuGraphExecMemsetNodeSetParams(executable, node, params, graph_context()),
             cudaGraphExec_t executable, cudaGraphNode_t node, const CUDA_MEMSET_NODE_PARAMS *params)
RUNTIME_CALL(cudaGraphExecChildGraphNodeSetParams,
             cuGraphExecChildGraphNodeSetParams(executable, node, child), cudaGraphExec_t executable,
             cudaGraphNode_t node, cudaGraph_t child)
RUNTIME_CALL(cudaGraphExecEventRecordNodeSetEvent,
             cuGraphExecEventRecordNodeSetEvent(executable, node, event), cudaGraphExec_t executable,
             cudaGraphNode_t node, cudaEvent_t event)
RUNTIME_CALL(cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent(executable, node, event),
             cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
