/* Graphs from the inside. */
#pragma once

#include "devices/libcuda/work.h"

struct node_attributes;
struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    CUgraph graph;
    CUgraphNode original; /* of a node of a clone; only compared, as it may be gone */
    struct work work;
    void **arguments;                   /* that a call was given to see; owned */
    struct node_attributes *attributes; /* owned; NULL: none was set */
    CUgraphNode *needs;                 /* nodes that it depends on */
    size_t need_count;
    CUgraph child;       /* of a node that is a graph */
    bool has_operations; /* it is a list of memory operations; captures make nodes of single ones */
    size_t mark;         /* its place among the nodes, while a list of them is made */
};
/* References to an object of the program's, which its last owner destroys. */
struct object_use {
    struct object_use *next;
    CUuserObject object;
    unsigned count;
};
struct CUgraph_st {
    CUgraphNode first;
    size_t count;
    CUgraph original; /* of a clone; only compared */
    struct object_use *objects;
};
struct CUgraphExec_st {
    struct work work;   /* a list */
    CUgraphNode *nodes; /* which node each item is of; only compared, as it may be gone */
    unsigned long long flags;
    bool has_memory; /* items allocate or free memory */
    bool *is_off;    /* of each item; NULL: all are done */
    struct object_use *objects;
};

/* Does it have nodes that allocate or free memory? Such a graph stays as it is, and is no part of another. */
bool graph_has_memory(CUgraph graph);
/* Copies of the work of all nodes as one list, in an order that keeps what they need; *ret_nodes, which may
 * be NULL, are the nodes of the items (free). CUDA_ERROR_INVALID_VALUE: there is a circle. */
CUresult graph_flatten(CUgraph graph, struct work *ret_work, CUgraphNode **ret_nodes);
/* What a node of a kernel, of a fill, of a call of the host is to do; owned by the caller (work_done). */
CUresult graph_launch_of(const CUDA_KERNEL_NODE_PARAMS *params, struct work *ret_work);
/* The same in the first version, in `room`; NULL of NULL. */
const CUDA_KERNEL_NODE_PARAMS *graph_first_of(const CUDA_KERNEL_NODE_PARAMS_v2 *params,
                                              CUDA_KERNEL_NODE_PARAMS *room);
CUresult graph_fill_of(const CUDA_MEMSET_NODE_PARAMS *params, struct work *ret_work);
CUresult graph_host_of(const CUDA_HOST_NODE_PARAMS *params, struct work *ret_work);
/* Is it a node of the graph? */
bool graph_has_node(CUgraph graph, CUgraphNode node);
/* The item of a node in what its graph was made into; NULL: there is none. */
struct work *graph_item_of(CUgraphExec executable, CUgraphNode node);
/* One reference more to each object, of a clone or of what a graph is made into. */
CUresult objects_copy(const struct object_use *from, struct object_use **ret_list);
void objects_release(struct object_use **list);
/* Attributes of kernels: those of `from` also for `to`. */
CUresult attributes_copy(CUgraphNode to, const struct CUgraphNode_st *from);
void attributes_free(CUgraphNode node);
/* A list of memory operations; owned by the caller (work_done). */
CUresult graph_operations_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, struct work *ret_work);
/* Puts work in the place of other work of the same kind, or frees it; `made`: what became of making it. */
CUresult graph_replace(CUresult made, struct work *work, struct work *place);
