/* Loops without an exit.
 *
 * Takes the flow graph, leaves warnings. Two walks go backward. One begins where a thread ends (an exit, a
 * trap, behind the last instruction) and enters callers, because a thread that ends in a subroutine ends. The
 * other begins at each ret and stays in the subroutine, because a ret does not end its caller's loop. What
 * runs and is reached by neither never ends. Of loops within each other the outermost is reported: the inner
 * ones may be right. */
#include "verify/checks.h"

struct walk {
    const struct flow *flow;
    struct arena arena;
    bool *ends;    /* for each node: may a thread that is there end? */
    bool *returns; /* ... or reach the end of this subroutine? */
    uint32_t *stack, depth;
    uint32_t *last; /* for each block: 1 + the last block that never ends and jumps back to it; 0: none */
};

static void walk_done(struct walk *walk)
{
    arena_done(&walk->arena);
}

static void mark(struct walk *walk, bool *marks, uint32_t node)
{
    if (marks[node])
        return;
    marks[node] = true;
    walk->stack[walk->depth++] = node;
}

static void walk_back(struct walk *walk, bool *marks, bool enters_callers)
{
    const struct flow *flow = walk->flow;
    while (walk->depth > 0) {
        const struct flow_node *node = &flow->nodes[walk->stack[--walk->depth]];
        for (uint32_t i = node->in; i < node->in + node->in_count; i++) {
            const struct flow_edge *edge = flow->edges_in[i];
            if (edge->kind == EDGE_NEXT || edge->kind == EDGE_TAKEN || edge->kind == EDGE_BYPASS ||
                (edge->kind == EDGE_CALL && enters_callers))
                mark(walk, marks, edge->from);
        }
    }
}

static void find_ends(struct walk *walk)
{
    const struct flow *flow = walk->flow;
    for (uint32_t n = 0; n < flow->block_count; n++) {
        const int semantic = verify_flow_semantic(&flow->kernel->code[flow->nodes[n].end - 1]);
        if (semantic == SEM_exit || semantic == SEM_trap || flow->nodes[n].falls_off)
            mark(walk, walk->ends, n);
    }
    walk_back(walk, walk->ends, true);
    for (uint32_t n = 0; n < flow->block_count; n++)
        if (verify_flow_semantic(&flow->kernel->code[flow->nodes[n].end - 1]) == SEM_return)
            mark(walk, walk->returns, n);
    walk_back(walk, walk->returns, false);
}

static void find_jumps_back(struct walk *walk)
{
    for (uint32_t e = 0; e < walk->flow->edge_count; e++) {
        const struct flow_edge *edge = &walk->flow->edges[e];
        const bool is_inside = !walk->ends[edge->from] && !walk->returns[edge->from];
        if (edge->kind == EDGE_TAKEN && edge->to <= edge->from && is_inside &&
            walk->last[edge->to] <= edge->from)
            walk->last[edge->to] = edge->from + 1;
    }
}

static hx_status report(const struct flow *flow, uint32_t first, uint32_t last, hx_diag *diag)
{
    const struct code_line *lines = flow->kernel->lines;
    const uint32_t jump = flow->nodes[last].end - 1, begin = flow->nodes[first].first;
    const char *hint = "give it a way out: a guarded exit, or a guarded branch to what is behind it";
    const char *message = "this loop has no exit: no thread that enters it ever ends";
    if (lines[jump].place.line == lines[begin].place.line)
        return diag_report(diag, DIAG_VERIFY_ENDLESS, lines[jump].place, hint, "%s", message);
    return diag_report_noted(diag, DIAG_VERIFY_ENDLESS, lines[jump].place, hint, lines[begin].place,
                             "the loop begins here", "%s", message);
}

hx_status verify_loops(struct verified_kernel *verified, hx_diag *diag)
{
    const struct flow *flow = &verified->flow;
    HX_AUTO(walk_done) struct walk walk = {.flow = flow};
    arena_init(&walk.arena, verified->arena.allocator);
    if (flow->node_count == 0)
        return HX_OK;
    walk.ends = ARENA_ARRAY(&walk.arena, bool, flow->node_count);
    walk.returns = ARENA_ARRAY(&walk.arena, bool, flow->node_count);
    walk.stack = ARENA_ARRAY(&walk.arena, uint32_t, flow->node_count);
    walk.last = ARENA_ARRAY(&walk.arena, uint32_t, flow->node_count);
    if (!walk.ends || !walk.returns || !walk.stack || !walk.last)
        return diag_no_memory(diag);
    find_ends(&walk);
    find_jumps_back(&walk);
    hx_status status = HX_OK;
    uint32_t covered = 0;
    for (uint32_t n = 0; n < flow->block_count && status != HX_NO_MEMORY; n++) {
        if (!flow->nodes[n].reachable || walk.ends[n] || walk.returns[n] || walk.last[n] <= covered)
            continue;
        covered = walk.last[n];
        status = verify_graver(status, report(flow, n, covered - 1, diag));
    }
    return status;
}
