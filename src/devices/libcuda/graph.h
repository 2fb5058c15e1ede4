/* Graphs from the inside. */
#pragma once

#include "devices/libcuda/work.h"

struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    CUgraph graph;
    struct work work;
    CUgraphNode *needs; /* nodes that it depends on */
    size_t need_count;
    CUgraph child; /* of a node that is a graph */
    size_t mark;   /* its place among the nodes, while a list of them is made */
};
struct CUgraph_st {
    CUgraphNode first;
    size_t count;
};
struct CUgraphExec_st {
    struct work work;   /* a list */
    CUgraphNode *nodes; /* which node each item is of; only compared, as it may be gone */
    unsigned long long flags;
    bool has_memory; /* items allocate or free memory */
};

/* Does it have nodes that allocate or free memory? Such a graph stays as it is, and is no part of another. */
bool graph_has_memory(CUgraph graph);
/* Copies of the work of all nodes as one list, in an order that keeps what they need; *ret_nodes, which may
 * be NULL, are the nodes of the items (free). CUDA_ERROR_INVALID_VALUE: there is a circle. */
CUresult graph_flatten(CUgraph graph, struct work *ret_work, CUgraphNode **ret_nodes);
/* What a node of a kernel, of a fill, of a call of the host is to do; owned by the caller (work_done). */
CUresult graph_launch_of(const CUDA_KERNEL_NODE_PARAMS *params, struct work *ret_work);
CUresult graph_fill_of(const CUDA_MEMSET_NODE_PARAMS *params, struct work *ret_work);
CUresult graph_host_of(const CUDA_HOST_NODE_PARAMS *params, struct work *ret_work);
/* Puts work in the place of other work of the same kind, or frees it; `made`: what became of making it. */
CUresult graph_replace(CUresult made, struct work *work, struct work *place);
