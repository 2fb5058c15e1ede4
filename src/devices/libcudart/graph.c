/* Graphs: the driver's, as are nodes whose parameters are the same in both APIs. */
#include "devices/libcudart/graph.h"

#include "devices/libcudart/forward.h"

CUcontext graph_context(void)
{
    CUcontext context = NULL;
    return cuCtxGetCurrent(&context) == CUDA_SUCCESS ? context : NULL;
}

RUNTIME_FORWARD(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), cuGraphCreate(graph, flags))
RUNTIME_FORWARD(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy(graph))
RUNTIME_FORWARD(cudaGraphDestroyNode, (cudaGraphNode_t node), cuGraphDestroyNode(node))
RUNTIME_FORWARD(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph), cuGraphClone(clone, graph))
RUNTIME_FORWARD(cudaGraphNodeFindInClone,
                (cudaGraphNode_t * node, cudaGraphNode_t original, cudaGraph_t clone),
                cuGraphNodeFindInClone(node, original, clone))
RUNTIME_FORWARD(cudaGraphNodeGetType, (cudaGraphNode_t node, int *type), cuGraphNodeGetType(node, type))
RUNTIME_FORWARD(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *list, size_t *count),
                cuGraphGetNodes(graph, list, count))
RUNTIME_FORWARD(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *list, size_t *count),
                cuGraphGetRootNodes(graph, list, count))
RUNTIME_FORWARD(cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned flags),
                cuGraphDebugDotPrint(graph, path, flags))
RUNTIME_FORWARD(cudaUserObjectCreate,
                (cudaUserObject_t * object, void *data, cudaHostFn_t destroy, unsigned count, unsigned flags),
                cuUserObjectCreate(object, data, destroy, count, flags))
RUNTIME_FORWARD(cudaUserObjectRetain, (cudaUserObject_t object, unsigned count),
                cuUserObjectRetain(object, count))
RUNTIME_FORWARD(cudaUserObjectRelease, (cudaUserObject_t object, unsigned count),
                cuUserObjectRelease(object, count))
RUNTIME_FORWARD(cudaGraphRetainUserObject,
                (cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags),
                cuGraphRetainUserObject(graph, object, count, flags))
RUNTIME_FORWARD(cudaGraphReleaseUserObject, (cudaGraph_t graph, cudaUserObject_t object, unsigned count),
                cuGraphReleaseUserObject(graph, object, count))

/* ---- Memory that graphs allocate ----------------------------------------------------------------------- */

RUNTIME_FORWARD(cudaDeviceGetGraphMemAttribute, (int device, int attribute, void *value),
                cuDeviceGetGraphMemAttribute(device, attribute, value))
RUNTIME_FORWARD(cudaDeviceSetGraphMemAttribute, (int device, int attribute, void *value),
                cuDeviceSetGraphMemAttribute(device, attribute, value))
RUNTIME_FORWARD(cudaDeviceGraphMemTrim, (int device), cuDeviceGraphMemTrim(device))

/* ---- Nodes --------------------------------------------------------------------------------------------- */

RUNTIME_FORWARD(cudaGraphAddEmptyNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count),
                cuGraphAddEmptyNode(node, graph, list, count))
RUNTIME_FORWARD(cudaGraphAddHostNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 const CUDA_HOST_NODE_PARAMS *params),
                cuGraphAddHostNode(node, graph, list, count, params))
RUNTIME_FORWARD(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, CUDA_HOST_NODE_PARAMS *params),
                cuGraphHostNodeGetParams(node, params))
RUNTIME_FORWARD(cudaGraphHostNodeSetParams, (cudaGraphNode_t node, const CUDA_HOST_NODE_PARAMS *params),
                cuGraphHostNodeSetParams(node, params))
RUNTIME_FORWARD(cudaGraphAddMemsetNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 const CUDA_MEMSET_NODE_PARAMS *params),
                cuGraphAddMemsetNode(node, graph, list, count, params, graph_context()))
RUNTIME_FORWARD(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, CUDA_MEMSET_NODE_PARAMS *params),
                cuGraphMemsetNodeGetParams(node, params))
RUNTIME_FORWARD(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const CUDA_MEMSET_NODE_PARAMS *params),
                cuGraphMemsetNodeSetParams(node, params))
RUNTIME_FORWARD(cudaGraphAddChildGraphNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 cudaGraph_t child),
                cuGraphAddChildGraphNode(node, graph, list, count, child))
RUNTIME_FORWARD(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *graph),
                cuGraphChildGraphNodeGetGraph(node, graph))
RUNTIME_FORWARD(cudaGraphAddEventRecordNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 cudaEvent_t event),
                cuGraphAddEventRecordNode(node, graph, list, count, event))
RUNTIME_FORWARD(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
                cuGraphEventRecordNodeGetEvent(node, event))
RUNTIME_FORWARD(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
                cuGraphEventRecordNodeSetEvent(node, event))
RUNTIME_FORWARD(cudaGraphAddEventWaitNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 cudaEvent_t event),
                cuGraphAddEventWaitNode(node, graph, list, count, event))
RUNTIME_FORWARD(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
                cuGraphEventWaitNodeGetEvent(node, event))
RUNTIME_FORWARD(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
                cuGraphEventWaitNodeSetEvent(node, event))
RUNTIME_FORWARD(cudaGraphAddMemAllocNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 CUDA_MEM_ALLOC_NODE_PARAMS *params),
                cuGraphAddMemAllocNode(node, graph, list, count, params))
RUNTIME_FORWARD(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, CUDA_MEM_ALLOC_NODE_PARAMS *params),
                cuGraphMemAllocNodeGetParams(node, params))
RUNTIME_FORWARD(cudaGraphAddMemFreeNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
                 void *address),
                cuGraphAddMemFreeNode(node, graph, list, count, (uintptr_t)address))
RUNTIME_FORWARD(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *address),
                cuGraphMemFreeNodeGetParams(node, address))
RUNTIME_FORWARD(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t to, cudaGraphNode_t from),
                cuGraphKernelNodeCopyAttributes(to, from))
RUNTIME_FORWARD(cudaGraphKernelNodeGetAttribute, (cudaGraphNode_t node, int attribute, void *value),
                cuGraphKernelNodeGetAttribute(node, attribute, value))
RUNTIME_FORWARD(cudaGraphKernelNodeSetAttribute, (cudaGraphNode_t node, int attribute, const void *value),
                cuGraphKernelNodeSetAttribute(node, attribute, value))

/* ---- Executable graphs --------------------------------------------------------------------------------- */

RUNTIME_FORWARD(cudaGraphInstantiate,
                (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
                cuGraphInstantiateWithFlags(executable, graph, flags))
RUNTIME_FORWARD(cudaGraphInstantiateWithFlags,
                (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
                cuGraphInstantiateWithFlags(executable, graph, flags))
RUNTIME_FORWARD(cudaGraphInstantiateWithParams,
                (cudaGraphExec_t * executable, cudaGraph_t graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params),
                cuGraphInstantiateWithParams(executable, graph, params))
RUNTIME_FORWARD(cudaGraphExecGetFlags, (cudaGraphExec_t executable, unsigned long long *flags),
                cuGraphExecGetFlags(executable, (uint64_t *)(void *)flags))
RUNTIME_FORWARD(cudaGraphExecUpdate,
                (cudaGraphExec_t executable, cudaGraph_t graph, CUgraphExecUpdateResultInfo *result),
                cuGraphExecUpdate_v2(executable, graph, result))
RUNTIME_FORWARD(cudaGraphExecDestroy, (cudaGraphExec_t executable), cuGraphExecDestroy(executable))
RUNTIME_FORWARD(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream),
                cuGraphLaunch(executable, stream))
RUNTIME_FORWARD(cudaGraphUpload, (cudaGraphExec_t executable, cudaStream_t stream),
                cuGraphUpload(executable, stream))
RUNTIME_FORWARD(cudaGraphNodeSetEnabled,
                (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled),
                cuGraphNodeSetEnabled(executable, node, is_enabled))
RUNTIME_FORWARD(cudaGraphNodeGetEnabled,
                (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned *is_enabled),
                cuGraphNodeGetEnabled(executable, node, is_enabled))
RUNTIME_FORWARD(cudaGraphExecHostNodeSetParams,
                (cudaGraphExec_t executable, cudaGraphNode_t node, const CUDA_HOST_NODE_PARAMS *params),
                cuGraphExecHostNodeSetParams(executable, node, params))
RUNTIME_FORWARD(cudaGraphExecMemsetNodeSetParams,
                (cudaGraphExec_t executable, cudaGraphNode_t node, const CUDA_MEMSET_NODE_PARAMS *params),
                cuGraphExecMemsetNodeSetParams(executable, node, params, graph_context()))
RUNTIME_FORWARD(cudaGraphExecChildGraphNodeSetParams,
                (cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child),
                cuGraphExecChildGraphNodeSetParams(executable, node, child))
RUNTIME_FORWARD(cudaGraphExecEventRecordNodeSetEvent,
                (cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event),
                cuGraphExecEventRecordNodeSetEvent(executable, node, event))
RUNTIME_FORWARD(cudaGraphExecEventWaitNodeSetEvent,
                (cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event),
                cuGraphExecEventWaitNodeSetEvent(executable, node, event))
