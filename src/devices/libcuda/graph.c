/* Graphs: work with what it depends on. */
#include "devices/libcuda/graph.h"
#include "devices/libcuda/graph_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Nodes --------------------------------------------------------------------------------------------- */

CUresult graph_new(CUgraph *ret_graph)
{
    *ret_graph = calloc(1, sizeof **ret_graph);
    return *ret_graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool graph_has_node(CUgraph graph, CUgraphNode node)
{
    return node && node->graph == graph;
}

static bool needs(CUgraphNode node, CUgraphNode other)
{
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] == other)
            return true;
    return false;
}

static CUresult add_need(CUgraphNode node, CUgraphNode other)
{
    CUgraphNode *grown = realloc(node->needs, (node->need_count + 1) * sizeof *grown);
    if (!grown)
        return CUDA_ERROR_OUT_OF_MEMORY;
    grown[node->need_count++] = other;
    node->needs = grown;
    return CUDA_SUCCESS;
}

static void free_node(CUgraphNode node)
{
    work_done(&node->work);
    if (node->child)
        (void)cuGraphDestroy(node->child);
    attributes_free(node);
    free(node->arguments);
    free(node->needs);
    free(node);
}

bool graph_has_memory(CUgraph graph)
{
    for (CUgraphNode node = graph->first; node; node = node->next)
        if (node->work.kind == WORK_ALLOC || node->work.kind == WORK_FREE)
            return true;
    return false;
}

/* A node frees what a node allocates, and no two of a graph free the same. */
static bool may_free(CUgraph graph, CUdeviceptr address)
{
    for (CUgraphNode node = graph->first; node; node = node->next)
        if (node->work.kind == WORK_FREE && node->work.as.value.address == address)
            return false;
    return graph_memory_begins_at(address);
}

CUresult graph_add(CUgraph graph, const CUgraphNode *list, size_t count, const struct work *work,
                   CUgraphNode *ret_node)
{
    if (!graph || !ret_node || (count > 0 && !list))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!graph_has_node(graph, list[i]))
            return CUDA_ERROR_INVALID_VALUE;
    if (work->kind == WORK_FREE && !may_free(graph, work->as.value.address))
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode node = calloc(1, sizeof *node);
    CUresult error = node ? work_copy(work, &node->work) : CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = needs(node, list[i]) ? CUDA_ERROR_INVALID_VALUE : add_need(node, list[i]);
    if (error != CUDA_SUCCESS) {
        if (node)
            free_node(node);
        return error;
    }
    CUgraphNode *at = &graph->first;
    while (*at)
        at = &(*at)->next;
    node->graph = graph;
    if (work->kind == WORK_ALLOC)
        graph_memory_be_of(work->as.memory, graph);
    *at = *ret_node = node;
    graph->count++;
    return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !graph || flags != 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    return graph_new(graph);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    if (!graph)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUgraphNode node = graph->first; node;) {
        CUgraphNode next = node->next;
        free_node(node);
        node = next;
    }
    objects_release(&graph->objects);
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    if (!node)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(node->graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUgraphNode *at = &node->graph->first;
    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    node->graph->count--;
    for (CUgraphNode other = node->graph->first; other; other = other->next)
        for (size_t i = 0; i < other->need_count; i++)
            if (other->needs[i] == node)
                other->needs[i--] = other->needs[--other->need_count];
    free_node(node);
    return CUDA_SUCCESS;
}

/* ---- Work of nodes ------------------------------------------------------------------------------------- */

/* A program that knows the sizes later than the kernel sets 0 (and cuGraphExecKernelNodeSetParams): that is
 * wrong only when it is launched. */
static bool has_all_sizes(const struct launch_work *launch)
{
    return launch->grid[0] && launch->grid[1] && launch->grid[2] && launch->block[0] && launch->block[1] &&
           launch->block[2];
}

CUresult graph_launch_of(const CUDA_KERNEL_NODE_PARAMS *params, struct work *work)
{
    if (!params || !params->func)
        return CUDA_ERROR_INVALID_VALUE;
    *work = (struct work){.kind = WORK_LAUNCH,
                          .as.launch = {.grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
                                        .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
                                        .shared_bytes = params->sharedMemBytes}};
    CUresult error = launch_pack(params->func, params->kernelParams, params->extra, &work->as.launch);
    if (error == CUDA_SUCCESS && has_all_sizes(&work->as.launch))
        error = work_check(work);
    if (error != CUDA_SUCCESS)
        work_done(work);
    return error;
}

const CUDA_KERNEL_NODE_PARAMS *graph_first_of(const CUDA_KERNEL_NODE_PARAMS_v2 *params,
                                              CUDA_KERNEL_NODE_PARAMS *room)
{
    if (!params)
        return NULL;
    *room = params->first;
    if (!room->func)
        room->func = params->kern;
    return room;
}

CUresult graph_fill_of(const CUDA_MEMSET_NODE_PARAMS *params, struct work *work)
{
    if (!params || (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    *work = (struct work){.kind = WORK_FILL,
                          .as.fill = {.to = params->dst,
                                      .pitch = params->pitch,
                                      .width = params->width,
                                      .height = params->height,
                                      .element = params->elementSize,
                                      .value = params->value}};
    return work_check(work);
}

CUresult graph_host_of(const CUDA_HOST_NODE_PARAMS *params, struct work *work)
{
    if (!params || !params->fn)
        return CUDA_ERROR_INVALID_VALUE;
    *work = (struct work){.kind = WORK_HOST, .as.host = {.function = params->fn, .user = params->userData}};
    return CUDA_SUCCESS;
}

/* Adds a node of work that is not needed any more then. */
static CUresult add(CUresult made, struct work *work, CUgraphNode *node, CUgraph graph,
                    const CUgraphNode *list, size_t count)
{
    if (made != CUDA_SUCCESS)
        return made;
    const CUresult error = graph_add(graph, list, count, work, node);
    work_done(work);
    return error;
}

/* The same for a node that is there. */
CUresult graph_replace(CUresult made, struct work *work, struct work *place)
{
    if (made == CUDA_SUCCESS && place && place->kind == work->kind) {
        work_done(place);
        *place = *work;
        return CUDA_SUCCESS;
    }
    if (made == CUDA_SUCCESS)
        work_done(work);
    return made == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : made;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct work work;
    return add(graph_launch_of(params, &work), &work, node, graph, list, count);
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
    CUDA_KERNEL_NODE_PARAMS first;
    return cuGraphAddKernelNode(node, graph, list, count, graph_first_of(params, &first));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext context)
{
    struct work work;
    (void)context;
    return add(copy_of(params, &work), &work, node, graph, list, count);
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    struct work work;
    (void)context;
    return add(graph_fill_of(params, &work), &work, node, graph, list, count);
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params)
{
    struct work work;
    return add(graph_host_of(params, &work), &work, node, graph, list, count);
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count)
{
    return graph_add(graph, list, count, &(const struct work){.kind = WORK_NOTHING}, node);
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                   CUevent event)
{
    const struct work work = {.kind = WORK_RECORD, .as.event = event};
    return event ? graph_add(graph, list, count, &work, node) : CUDA_ERROR_INVALID_VALUE;
}
/* The queue keeps the order of the event's record and the graph. */
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                 CUevent event)
{
    const struct work work = {.kind = WORK_WAIT_EVENT, .as.event = event};
    return event ? graph_add(graph, list, count, &work, node) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_launch_of(params, &work), &work, node ? &node->work : NULL);
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
    CUDA_KERNEL_NODE_PARAMS first;
    return cuGraphKernelNodeSetParams(node, graph_first_of(params, &first));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    struct work work;
    return graph_replace(copy_of(params, &work), &work, node ? &node->work : NULL);
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_fill_of(params, &work), &work, node ? &node->work : NULL);
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    struct work work;
    return graph_replace(graph_host_of(params, &work), &work, node ? &node->work : NULL);
}

/* ---- What a graph is ----------------------------------------------------------------------------------- */

/* Lists have two calls: the first, without a list, gives the number of items. Items behind the list's end
 * are NULL. */
static void put_node(CUgraphNode *list, size_t room, size_t *at, CUgraphNode node)
{
    if (list && *at < room)
        list[*at] = node;
    (*at)++;
}

static CUresult end_list(CUgraphNode *list, size_t at, size_t *count)
{
    for (size_t i = at; list && i < *count; i++)
        list[i] = NULL;
    if (!list || at < *count)
        *count = at;
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *list, size_t *count)
{
    size_t at = 0;
    if (!graph || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUgraphNode node = graph->first; node; node = node->next)
        put_node(list, *count, &at, node);
    return end_list(list, at, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *list, size_t *count)
{
    size_t at = 0;
    if (!graph || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUgraphNode node = graph->first; node; node = node->next)
        if (node->need_count == 0)
            put_node(list, *count, &at, node);
    return end_list(list, at, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    size_t at = 0;
    if (!graph || !count || !from != !to)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUgraphNode node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->need_count; i++) {
            size_t same = at;
            put_node(from, *count, &same, node->needs[i]);
            put_node(to, *count, &at, node);
        }
    (void)(from && end_list(from, at, &(size_t){*count}));
    return end_list(to, at, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *list, size_t *count)
{
    size_t at = 0;
    if (!node || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < node->need_count; i++)
        put_node(list, *count, &at, node->needs[i]);
    return end_list(list, at, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *list, size_t *count)
{
    size_t at = 0;
    if (!node || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (CUgraphNode other = node->graph->first; other; other = other->next)
        if (needs(other, node))
            put_node(list, *count, &at, other);
    return end_list(list, at, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, int *type)
{
    if (!node || !type)
        return CUDA_ERROR_INVALID_VALUE;
    const bool has_operations = node->has_operations || node->work.kind == WORK_WRITE_VALUE;
    *type = has_operations ? WORK_WAIT_VALUE : (int)node->work.kind;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    CUresult error = graph && (count == 0 || (from && to)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = graph_has_node(graph, from[i]) && graph_has_node(graph, to[i]) && from[i] != to[i] &&
                        !needs(to[i], from[i])
                    ? add_need(to[i], from[i])
                    : CUDA_ERROR_INVALID_VALUE;
    return error;
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count)
{
    if (!graph || (count > 0 && (!from || !to)))
        return CUDA_ERROR_INVALID_VALUE;
    if (count > 0 && graph_has_memory(graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < count; i++) {
        if (!graph_has_node(graph, from[i]) || !graph_has_node(graph, to[i]) || !needs(to[i], from[i]))
            return CUDA_ERROR_INVALID_VALUE;
        for (size_t n = 0; n < to[i]->need_count; n++)
            if (to[i]->needs[n] == from[i])
                to[i]->needs[n--] = to[i]->needs[--to[i]->need_count];
    }
    return CUDA_SUCCESS;
}

/* ---- Launching ----------------------------------------------------------------------------------------- */

/* Nodes in an order in which each stands behind what it needs; CUDA_ERROR_INVALID_VALUE: there is a circle.
 */
static CUresult sort(CUgraph graph, CUgraphNode *sorted)
{
    size_t count = 0;
    for (CUgraphNode node = graph->first; node; node = node->next)
        node->mark = SIZE_MAX;
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (CUgraphNode node = graph->first; node; node = node->next) {
            bool is_next = node->mark == SIZE_MAX;
            for (size_t i = 0; i < node->need_count && is_next; i++)
                is_next = node->needs[i]->mark != SIZE_MAX;
            if (!is_next)
                continue;
            node->mark = count;
            sorted[count++] = node;
            has_grown = true;
        }
    }
    return count == graph->count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* All its work as one list, in *work; *ret_nodes, which may be NULL, are the nodes of the items. */
CUresult graph_flatten(CUgraph graph, struct work *work, CUgraphNode **ret_nodes)
{
    CUgraphNode *sorted = calloc(graph->count + 1, sizeof *sorted);
    struct work *items = calloc(graph->count + 1, sizeof *items);
    CUresult error = sorted && items ? sort(graph, sorted) : CUDA_ERROR_OUT_OF_MEMORY;
    *work = (struct work){.kind = WORK_LIST, .as.list = {items, 0}};
    for (size_t i = 0; i < graph->count && error == CUDA_SUCCESS; i++) {
        error = sorted[i]->child ? graph_flatten(sorted[i]->child, &items[i], NULL)
                                 : work_copy(&sorted[i]->work, &items[i]);
        work->as.list.count += error == CUDA_SUCCESS;
    }
    if (error != CUDA_SUCCESS)
        work_done(work);
    if (error == CUDA_SUCCESS && ret_nodes)
        *ret_nodes = sorted;
    else
        free(sorted);
    return error;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    CUgraph made = NULL;
    if (graph && graph_has_memory(graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUgraphNode *sorted = graph ? calloc(graph->count + 1, sizeof *sorted) : NULL;
    CUgraphNode *copies = graph ? calloc(graph->count + 1, sizeof *copies) : NULL;
    CUresult error = !graph || !clone   ? CUDA_ERROR_INVALID_VALUE
                     : sorted && copies ? sort(graph, sorted)
                                        : CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        error = graph_new(&made);
    if (error == CUDA_SUCCESS) {
        made->original = graph;
        error = objects_copy(graph->objects, &made->objects);
    }
    for (size_t i = 0; error == CUDA_SUCCESS && i < graph->count; i++) {
        error = graph_add(made, NULL, 0, &sorted[i]->work, &copies[i]);
        if (error == CUDA_SUCCESS) {
            copies[i]->original = sorted[i];
            copies[i]->has_operations = sorted[i]->has_operations;
            error = attributes_copy(copies[i], sorted[i]);
        }
        if (error == CUDA_SUCCESS && sorted[i]->child)
            error = cuGraphClone(&copies[i]->child, sorted[i]->child);
        for (size_t n = 0; error == CUDA_SUCCESS && n < sorted[i]->need_count; n++)
            error = add_need(copies[i], copies[sorted[i]->needs[n]->mark]);
    }
    if (error == CUDA_SUCCESS)
        *clone = made;
    else if (made)
        (void)cuGraphDestroy(made);
    free(sorted);
    free(copies);
    return error;
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *list, size_t count,
                                  CUgraph child)
{
    CUgraph clone = NULL;
    CUresult error = cuGraphClone(&clone, child);
    if (error == CUDA_SUCCESS)
        error = graph_add(graph, list, count, &(const struct work){.kind = WORK_LIST}, node);
    if (error == CUDA_SUCCESS)
        (*node)->child = clone;
    else if (clone)
        (void)cuGraphDestroy(clone);
    return error;
}
