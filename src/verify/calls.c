/* How deep calls nest.
 *
 * Takes the graph, leaves the number of return addresses that can be live at once. The edges of interest are
 * those within subroutines, at no cost, and those into them, which cost one level each. A cycle with a call
 * in it is recursion; without one, the depth is the longest way. Both come from one pass that finds the
 * strongly connected parts of the graph (Tarjan, "Depth-first search and linear graph algorithms", 1972; with
 * a stack of its own, for code may be long), because it finishes them in the order in which the longest way
 * can be added up. */
#include "verify/flow.h"

struct search {
    const struct flow *flow;
    struct arena arena;
    uint32_t *order; /* 1 + when a node was first seen; 0: not yet */
    uint32_t *low, *part, *edge, *trail, *pending;
    uint32_t *depth; /* for a part: calls that nest from it on */
    uint32_t seen, parts, trail_count, pending_count;
    bool recursive;
};

static void search_done(struct search *search)
{
    arena_done(&search->arena);
}

/* Edges that a thread walks, calls counting as one step to the place behind them and one into them. */
static bool is_step(const struct flow_edge *edge)
{
    return edge->kind != EDGE_LEAVE && edge->kind != EDGE_RETURN;
}

static void finish_part(struct search *search, uint32_t root)
{
    const struct flow *flow = search->flow;
    const uint32_t part = search->parts++, first = search->pending_count;
    uint32_t node;
    do {
        node = search->pending[--search->pending_count];
        search->part[node] = part;
    } while (node != root);
    uint32_t depth = 0;
    for (uint32_t i = search->pending_count; i < first; i++) {
        node = search->pending[i]; /* still there: nothing was pushed since */
        for (uint32_t e = flow->nodes[node].out; e < flow->nodes[node].out + flow->nodes[node].out_count;
             e++) {
            const struct flow_edge *edge = &flow->edges[e];
            if (!is_step(edge))
                continue;
            const bool inside = search->part[edge->to] == part;
            const uint32_t more = edge->kind == EDGE_CALL;
            if (inside && more)
                search->recursive = true;
            const uint32_t below = inside ? 0 : search->depth[search->part[edge->to]];
            if (below + more > depth)
                depth = below + more;
        }
    }
    search->depth[part] = depth;
}

static void visit(struct search *search, uint32_t node)
{
    search->order[node] = search->low[node] = ++search->seen;
    search->edge[node] = search->flow->nodes[node].out;
    search->trail[search->trail_count++] = node;
    search->pending[search->pending_count++] = node;
}

static void search_from(struct search *search, uint32_t start)
{
    const struct flow *flow = search->flow;
    visit(search, start);
    while (search->trail_count > 0) {
        const uint32_t node = search->trail[search->trail_count - 1];
        if (search->edge[node] < flow->nodes[node].out + flow->nodes[node].out_count) {
            const struct flow_edge *edge = &flow->edges[search->edge[node]++];
            if (!is_step(edge))
                continue;
            if (search->order[edge->to] == 0)
                visit(search, edge->to);
            else if (search->part[edge->to] == FLOW_NONE && search->order[edge->to] < search->low[node])
                search->low[node] = search->order[edge->to];
            continue;
        }
        search->trail_count--;
        if (search->low[node] == search->order[node])
            finish_part(search, node);
        if (search->trail_count > 0) {
            const uint32_t above = search->trail[search->trail_count - 1];
            if (search->low[node] < search->low[above])
                search->low[above] = search->low[node];
        }
    }
}

/* An instruction that begins the longest chain. */
static uint32_t first_call(const struct search *search)
{
    const struct flow *flow = search->flow;
    const uint32_t left = search->depth[search->part[0]];
    for (uint32_t n = 0; n < flow->block_count && left > 0; n++) {
        const struct flow_node *node = &flow->nodes[n];
        for (uint32_t e = node->out; e < node->out + node->out_count; e++)
            if (node->reachable && flow->edges[e].kind == EDGE_CALL &&
                search->depth[search->part[flow->edges[e].to]] == left - 1)
                return node->end - 1;
    }
    return FLOW_NONE;
}

hx_status verify_flow_depth(const struct flow *flow, const hx_allocator *allocator, hx_diag *diag,
                            uint32_t *ret_depth, bool *ret_recursive, uint32_t *ret_call)
{
    HX_AUTO(search_done) struct search search = {.flow = flow};
    arena_init(&search.arena, allocator);
    uint32_t **const arrays[] = {&search.order, &search.low,     &search.part, &search.edge,
                                 &search.trail, &search.pending, &search.depth};
    for (size_t i = 0; i < HX_COUNT_OF(arrays); i++) {
        *arrays[i] = ARENA_ARRAY(&search.arena, uint32_t, flow->node_count);
        if (!*arrays[i])
            return diag_no_memory(diag);
    }
    for (uint32_t n = 0; n < flow->node_count; n++)
        search.part[n] = FLOW_NONE;
    if (flow->node_count > 0)
        search_from(&search, 0);
    *ret_recursive = search.recursive;
    *ret_depth = flow->node_count > 0 ? search.depth[search.part[0]] : 0;
    *ret_call = flow->node_count > 0 ? first_call(&search) : FLOW_NONE;
    return HX_OK;
}
