/* Data flow to the fixed point: a queue of nodes whose states have changed.
 *
 * Takes a graph and a problem (how a state passes through a node, how states merge), leaves a state for each
 * node. One solver serves widths, initialisation, thread dependence and, backward, liveness. */
#include "verify/flow.h"

#include <string.h>

/* Nodes that wait for their turn, first in first out; each at most once. */
struct queue {
    struct arena arena;
    uint32_t *nodes, first, count, room;
    bool *waits;
};

static void queue_done(struct queue *queue)
{
    arena_done(&queue->arena);
}

static void queue_put(struct queue *queue, uint32_t node)
{
    if (queue->waits[node])
        return;
    queue->waits[node] = true;
    queue->nodes[(queue->first + queue->count++) % queue->room] = node;
}

static uint32_t queue_take(struct queue *queue)
{
    uint32_t node = queue->nodes[queue->first];
    queue->first = (queue->first + 1) % queue->room;
    queue->count--;
    queue->waits[node] = false;
    return node;
}

hx_status verify_flow_solve(const struct flow *flow, const struct flow_problem *problem,
                            const hx_allocator *allocator, hx_diag *diag, void *states)
{
    HX_AUTO(queue_done) struct queue queue = {.room = flow->node_count};
    arena_init(&queue.arena, allocator);
    queue.nodes = ARENA_ARRAY(&queue.arena, uint32_t, flow->node_count);
    queue.waits = ARENA_ARRAY(&queue.arena, bool, flow->node_count);
    bool *seen = ARENA_ARRAY(&queue.arena, bool, flow->node_count);
    char *state = arena_allocate(&queue.arena, 1, problem->bytes);
    if (!queue.nodes || !queue.waits || !seen || !state)
        return diag_no_memory(diag);
    if (problem->backward)
        for (uint32_t n = flow->node_count; n-- > 0;)
            queue_put(&queue, n);
    else if (flow->node_count > 0)
        queue_put(&queue, 0);
    while (queue.count > 0) {
        const uint32_t n = queue_take(&queue);
        const struct flow_node *node = &flow->nodes[n];
        seen[n] = true;
        memcpy(state, (char *)states + n * problem->bytes, problem->bytes);
        problem->pass(problem->user, n, state);
        const uint32_t count = problem->backward ? node->in_count : node->out_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct flow_edge *edge =
                problem->backward ? flow->edges_in[node->in + i] : &flow->edges[node->out + i];
            const uint32_t to = problem->backward ? edge->from : edge->to;
            if (problem->merge(problem->user, edge, state, (char *)states + to * problem->bytes) || !seen[to])
                queue_put(&queue, to);
        }
    }
    return HX_OK;
}
