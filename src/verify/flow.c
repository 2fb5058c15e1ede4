/* Makes the control-flow graph of a kernel.
 *
 * Takes decoded instructions, leaves basic blocks and edges. The idea: first, for each block, the few places
 * it can go to within its subroutine; from these, which blocks can reach a ret, and which of them belong
 * together (a *group*: subroutines that share a way to a ret are one); then one exit node a group, and the
 * edges. All of it takes time and memory in proportion to the code, whatever the code is. */
#include "verify/flow.h"

#include <string.h>

/* What is known of each block while the graph grows; arrays over blocks, FLOW_NONE where there is nothing. */
struct builder {
    const struct kernel *kernel;
    struct flow *flow;
    struct arena scratch;
    uint32_t *next, *jump, *callee;  /* blocks gone to: falling through, jumping, calling */
    uint32_t *jump_head, *jump_link; /* for a block, those that jump to it */
    uint32_t *call_head, *call_link; /* for a block, those that call it */
    uint32_t *group;                 /* union-find */
    uint32_t *exit_of;               /* for a group's root its exit node */
    uint32_t *exit_head, *exit_link; /* for an exit node (less block_count), the calls that it returns to */
    uint32_t *stack;
    uint32_t stack_count;
    bool *is_return, *returns;
    bool *chained; /* instructions of jump tables that have another behind them */
    LIST(struct flow_edge) edges;
    const hx_allocator *allocator;
};

static void builder_done(struct builder *builder)
{
    LIST_DONE(builder->allocator, &builder->edges);
    arena_done(&builder->scratch);
}

int verify_flow_semantic(const struct instruction *instruction)
{
    int semantic =
        instruction->opcode->shape == SHAPE_FLOW ? instruction_semantic(instruction) : SEMANTIC_NONE;
    switch (semantic) {
    case SEM_branch:
    case SEM_jump_table:
    case SEM_call:
    case SEM_call_table:
    case SEM_return:
    case SEM_loop:
    case SEM_exit:
    case SEM_trap:
        return semantic;
    default:
        return SEMANTIC_NONE;
    }
}

bool verify_flow_calls(const struct instruction *instruction)
{
    const int semantic = verify_flow_semantic(instruction);
    return semantic == SEM_call || semantic == SEM_call_table;
}

uint32_t verify_flow_target(const struct kernel *kernel, const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_TARGET)
            return instruction->operands[i].bits < kernel->code_count
                       ? (uint32_t)instruction->operands[i].bits
                       : FLOW_NONE;
    return FLOW_NONE;
}

uint32_t verify_flow_table(const struct instruction *instruction)
{
    const int semantic = verify_flow_semantic(instruction);
    if (semantic != SEM_jump_table && semantic != SEM_call_table)
        return 0;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].kind == FORM_SMALL)
            return (uint32_t)instruction->operands[i].bits;
    return 0;
}

bool verify_flow_guard(const struct flow *flow, const struct flow_edge *edge, int *ret_predicate,
                       bool *ret_value)
{
    const struct flow_node *from = &flow->nodes[edge->from];
    if (from->first == from->end)
        return false;
    const struct instruction *last = &flow->kernel->code[from->end - 1];
    const int semantic = verify_flow_semantic(last);
    /* behind a loop are both those whose guard was false and those that have reached its end */
    if (last->guard < 0 || semantic == SEMANTIC_NONE || (edge->kind == EDGE_NEXT && semantic == SEM_loop))
        return false;
    *ret_predicate = last->guard;
    *ret_value = (edge->kind != EDGE_NEXT) != last->guard_negated;
    return true;
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* A jump table is a run of branches. In the graph the jump leads to the first, and from each there is a way
 * to the next beside the one to its target: no instruction lies between, so what holds at the jump holds at
 * all of them, and a block has two ways out as everywhere else. A call by a table calls the table: a
 * subroutine that does nothing but to go on to another. */
static void mark_table(struct builder *builder, const struct instruction *instruction)
{
    const struct kernel *kernel = builder->kernel;
    const uint32_t entries = verify_flow_table(instruction), first = verify_flow_target(kernel, instruction);
    for (uint32_t i = 0; i + 1 < entries && first != FLOW_NONE && first + i < kernel->code_count; i++)
        builder->chained[first + i] = true;
}

static hx_status make_blocks(struct builder *builder, struct arena *arena)
{
    const struct kernel *kernel = builder->kernel;
    struct flow *flow = builder->flow;
    const uint32_t count = kernel->code_count;
    bool *leads = ARENA_ARRAY(&builder->scratch, bool, count);
    builder->chained = ARENA_ARRAY(&builder->scratch, bool, count);
    flow->node_of = ARENA_ARRAY(arena, uint32_t, count);
    if (!leads || !flow->node_of || !builder->chained)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        leads[i] |= i == 0;
        if (verify_flow_semantic(&kernel->code[i]) == SEMANTIC_NONE)
            continue;
        uint32_t target = verify_flow_target(kernel, &kernel->code[i]);
        if (target != FLOW_NONE)
            leads[target] = true;
        mark_table(builder, &kernel->code[i]);
        if (i + 1 < count)
            leads[i + 1] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        flow->block_count += leads[i];
        flow->node_of[i] = flow->block_count - 1;
    }
    /* an exit node belongs to a block that is called, so there are never more of them than blocks */
    flow->nodes = ARENA_ARRAY(arena, struct flow_node, 2 * (size_t)flow->block_count);
    if (!flow->nodes)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct flow_node *node = &flow->nodes[flow->node_of[i]];
        if (leads[i])
            node->first = i;
        node->end = i + 1;
    }
    flow->node_count = flow->block_count;
    return HX_OK;
}

static hx_status make_arrays(struct builder *builder)
{
    uint32_t **const arrays[] = {&builder->next,      &builder->jump,      &builder->callee,
                                 &builder->jump_head, &builder->jump_link, &builder->call_head,
                                 &builder->call_link, &builder->group,     &builder->exit_of,
                                 &builder->exit_head, &builder->exit_link};
    const uint32_t count = builder->flow->block_count;
    for (size_t i = 0; i < HX_COUNT_OF(arrays); i++) {
        *arrays[i] = ARENA_ARRAY(&builder->scratch, uint32_t, count);
        if (!*arrays[i])
            return HX_NO_MEMORY;
        memset(*arrays[i], 0xff, count * sizeof **arrays[i]);
    }
    for (uint32_t b = 0; b < count; b++)
        builder->group[b] = b;
    builder->stack = ARENA_ARRAY(&builder->scratch, uint32_t, 2 * (size_t)count);
    builder->is_return = ARENA_ARRAY(&builder->scratch, bool, count);
    builder->returns = ARENA_ARRAY(&builder->scratch, bool, count);
    return builder->stack && builder->is_return && builder->returns ? HX_OK : HX_NO_MEMORY;
}

/* The block behind this one; FLOW_NONE behind the last. */
static uint32_t behind(const struct builder *builder, uint32_t block)
{
    return block + 1 < builder->flow->block_count ? block + 1 : FLOW_NONE;
}

static void find_ways(struct builder *builder, uint32_t block)
{
    struct flow_node *node = &builder->flow->nodes[block];
    const struct instruction *last = &builder->kernel->code[node->end - 1];
    const int semantic = verify_flow_semantic(last);
    const uint32_t target = verify_flow_target(builder->kernel, last);
    const bool jumps = semantic == SEM_branch || semantic == SEM_loop || semantic == SEM_jump_table;
    const bool is_chained = semantic == SEM_branch && builder->chained[node->end - 1];
    if (semantic == SEMANTIC_NONE || semantic == SEM_loop || last->guard >= 0 || is_chained) {
        builder->next[block] = behind(builder, block);
        node->falls_off = builder->next[block] == FLOW_NONE;
    }
    if ((jumps || verify_flow_calls(last)) && target == FLOW_NONE)
        node->falls_off = true;
    else if (jumps) {
        uint32_t to = builder->flow->node_of[target];
        builder->jump[block] = to;
        builder->jump_link[block] = builder->jump_head[to];
        builder->jump_head[to] = block;
    } else if (verify_flow_calls(last)) {
        uint32_t to = builder->flow->node_of[target];
        builder->callee[block] = to;
        builder->call_link[block] = builder->call_head[to];
        builder->call_head[to] = block;
    }
    builder->is_return[block] = semantic == SEM_return;
}

/* ---- Which blocks reach a ret, in which group ---------------------------------------------------------- */

static void mark_returning(struct builder *builder, uint32_t block)
{
    if (!builder->returns[block]) {
        builder->returns[block] = true;
        builder->stack[builder->stack_count++] = block;
    }
}

static void find_returning(struct builder *builder)
{
    for (uint32_t b = 0; b < builder->flow->block_count; b++)
        if (builder->is_return[b])
            mark_returning(builder, b);
    while (builder->stack_count > 0) {
        uint32_t block = builder->stack[--builder->stack_count];
        if (block > 0) {
            uint32_t before = block - 1, callee = builder->callee[before];
            if (builder->next[before] == block || (callee != FLOW_NONE && builder->returns[callee]))
                mark_returning(builder, before);
        }
        for (uint32_t b = builder->jump_head[block]; b != FLOW_NONE; b = builder->jump_link[b])
            mark_returning(builder, b);
        for (uint32_t b = builder->call_head[block]; b != FLOW_NONE; b = builder->call_link[b])
            if (behind(builder, b) != FLOW_NONE && builder->returns[b + 1])
                mark_returning(builder, b);
    }
}

static uint32_t find_group(struct builder *builder, uint32_t block)
{
    while (builder->group[block] != block)
        block = builder->group[block] = builder->group[builder->group[block]];
    return block;
}

static void join_groups(struct builder *builder, uint32_t a, uint32_t b)
{
    if (b == FLOW_NONE || !builder->returns[a] || !builder->returns[b])
        return;
    a = find_group(builder, a);
    b = find_group(builder, b);
    builder->group[a > b ? a : b] = a > b ? b : a;
}

/* The exit node of a block's group; FLOW_NONE for a block that is in no subroutine that returns. */
static uint32_t exit_node(struct builder *builder, uint32_t block)
{
    return builder->returns[block] ? builder->exit_of[find_group(builder, block)] : FLOW_NONE;
}

static void make_exit_nodes(struct builder *builder)
{
    struct flow *flow = builder->flow;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        uint32_t callee = builder->callee[b];
        join_groups(builder, b, builder->next[b]);
        join_groups(builder, b, builder->jump[b]);
        if (callee != FLOW_NONE && builder->returns[callee])
            join_groups(builder, b, behind(builder, b));
    }
    for (uint32_t b = 0; b < flow->block_count; b++) {
        if (builder->call_head[b] == FLOW_NONE || !builder->returns[b])
            continue;
        uint32_t *exit = &builder->exit_of[find_group(builder, b)];
        if (*exit == FLOW_NONE) {
            *exit = flow->node_count++;
            flow->nodes[*exit].first = flow->nodes[*exit].end = builder->kernel->code_count;
        }
    }
    for (uint32_t b = 0; b < flow->block_count; b++) {
        uint32_t exit = builder->callee[b] == FLOW_NONE ? FLOW_NONE : exit_node(builder, builder->callee[b]);
        if (exit == FLOW_NONE)
            continue;
        builder->exit_link[b] = builder->exit_head[exit - flow->block_count];
        builder->exit_head[exit - flow->block_count] = b;
    }
}

/* ---- Reachability -------------------------------------------------------------------------------------- */

static void reach(struct builder *builder, uint32_t node)
{
    if (node != FLOW_NONE && !builder->flow->nodes[node].reachable) {
        builder->flow->nodes[node].reachable = true;
        builder->stack[builder->stack_count++] = node;
    }
}

static void reach_behind(struct builder *builder, uint32_t call)
{
    if (behind(builder, call) == FLOW_NONE)
        builder->flow->nodes[call].falls_off = true;
    reach(builder, behind(builder, call));
}

static void find_reachable(struct builder *builder)
{
    struct flow *flow = builder->flow;
    reach(builder, 0);
    while (builder->stack_count > 0) {
        uint32_t node = builder->stack[--builder->stack_count];
        if (node >= flow->block_count) {
            for (uint32_t b = builder->exit_head[node - flow->block_count]; b != FLOW_NONE;
                 b = builder->exit_link[b])
                if (flow->nodes[b].reachable)
                    reach_behind(builder, b);
            continue;
        }
        reach(builder, builder->next[node]);
        reach(builder, builder->jump[node]);
        reach(builder, builder->callee[node]);
        if (builder->is_return[node])
            reach(builder, exit_node(builder, node));
        uint32_t exit =
            builder->callee[node] == FLOW_NONE ? FLOW_NONE : exit_node(builder, builder->callee[node]);
        if (exit != FLOW_NONE && flow->nodes[exit].reachable)
            reach_behind(builder, node);
    }
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

static bool add_edge(struct builder *builder, uint32_t from, uint32_t to, enum flow_edge_kind kind,
                     uint32_t through)
{
    if (to == FLOW_NONE)
        return true;
    return LIST_PUSH(builder->allocator, &builder->edges,
                     (struct flow_edge){.from = from, .to = to, .through = through, .kind = (uint8_t)kind});
}

static bool find_edges(struct builder *builder, uint32_t block)
{
    const struct flow *flow = builder->flow;
    uint32_t callee = builder->callee[block];
    bool fine = add_edge(builder, block, builder->next[block], EDGE_NEXT, FLOW_NONE) &&
                add_edge(builder, block, builder->jump[block], EDGE_TAKEN, FLOW_NONE) &&
                add_edge(builder, block, callee, EDGE_CALL, FLOW_NONE);
    if (fine && builder->is_return[block])
        fine = add_edge(builder, block, exit_node(builder, block), EDGE_LEAVE, FLOW_NONE);
    if (!fine || callee == FLOW_NONE || !flow->nodes[block].reachable)
        return fine;
    uint32_t exit = exit_node(builder, callee);
    if (exit == FLOW_NONE || !flow->nodes[exit].reachable)
        return true;
    return add_edge(builder, exit, behind(builder, block), EDGE_RETURN, FLOW_NONE) &&
           add_edge(builder, block, behind(builder, block), EDGE_BYPASS, exit);
}

/* Sorts the edges by where they come from, and lists them by where they go to. */
static hx_status sort_edges(struct builder *builder, struct arena *arena)
{
    struct flow *flow = builder->flow;
    const size_t count = flow->edge_count = (uint32_t)builder->edges.count;
    flow->edges = ARENA_ARRAY(arena, struct flow_edge, count);
    flow->edges_in = ARENA_ARRAY(arena, const struct flow_edge *, count);
    if (!flow->edges || !flow->edges_in)
        return HX_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        flow->nodes[builder->edges.items[i].from].out_count++;
        flow->nodes[builder->edges.items[i].to].in_count++;
    }
    uint32_t out = 0, in = 0;
    for (uint32_t n = 0; n < flow->node_count; n++) {
        struct flow_node *node = &flow->nodes[n];
        node->out = out;
        node->in = in;
        out += node->out_count;
        in += node->in_count;
        node->out_count = node->in_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct flow_node *from = &flow->nodes[builder->edges.items[i].from];
        flow->edges[from->out + from->out_count++] = builder->edges.items[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct flow_node *to = &flow->nodes[flow->edges[i].to];
        flow->edges_in[to->in + to->in_count++] = &flow->edges[i];
    }
    return HX_OK;
}

/* ---- What subroutines write ---------------------------------------------------------------------------- */

static void add_written(struct flow_set *set, const struct instruction *instruction)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    size_t count = instruction_accesses(instruction, accesses);
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++)
            flow_set_add(set, flow_member(&accesses[i], r));
}

static bool join_sets(struct flow_set *into, const struct flow_set *from)
{
    uint64_t added = 0;
    for (int w = 0; w < FLOW_SET_WORDS; w++) {
        added |= from->words[w] & ~into->words[w];
        into->words[w] |= from->words[w];
    }
    return added != 0;
}

/* A subroutine writes what its own instructions write and what those that it calls write. */
static hx_status find_written(struct builder *builder, struct arena *arena)
{
    struct flow *flow = builder->flow;
    const uint32_t exits = flow->node_count - flow->block_count;
    bool *waits = ARENA_ARRAY(&builder->scratch, bool, exits);
    flow->written = ARENA_ARRAY(arena, struct flow_set, exits);
    if (!waits || !flow->written)
        return HX_NO_MEMORY;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        uint32_t exit = exit_node(builder, b);
        for (uint32_t i = flow->nodes[b].first; exit != FLOW_NONE && i < flow->nodes[b].end; i++)
            add_written(&flow->written[exit - flow->block_count], &builder->kernel->code[i]);
    }
    for (uint32_t e = 0; e < exits; e++) {
        builder->stack[builder->stack_count++] = e;
        waits[e] = true;
    }
    while (builder->stack_count > 0) {
        uint32_t called = builder->stack[--builder->stack_count];
        waits[called] = false;
        for (uint32_t b = builder->exit_head[called]; b != FLOW_NONE; b = builder->exit_link[b]) {
            uint32_t caller = exit_node(builder, b) - flow->block_count;
            if (exit_node(builder, b) == FLOW_NONE ||
                !join_sets(&flow->written[caller], &flow->written[called]) || waits[caller])
                continue;
            waits[caller] = true;
            builder->stack[builder->stack_count++] = caller;
        }
    }
    return HX_OK;
}

static hx_status make(struct builder *builder, struct arena *arena)
{
    if (make_blocks(builder, arena) != HX_OK || make_arrays(builder) != HX_OK)
        return HX_NO_MEMORY;
    for (uint32_t b = 0; b < builder->flow->block_count; b++)
        find_ways(builder, b);
    find_returning(builder);
    make_exit_nodes(builder);
    find_reachable(builder);
    for (uint32_t b = 0; b < builder->flow->block_count; b++)
        if (!find_edges(builder, b))
            return HX_NO_MEMORY;
    hx_status status = sort_edges(builder, arena);
    return status == HX_OK ? find_written(builder, arena) : status;
}

hx_status verify_flow_make(const struct kernel *kernel, struct arena *arena, hx_diag *diag,
                           struct flow *ret_flow)
{
    struct flow flow = {.kernel = kernel};
    HX_AUTO(builder_done)
    struct builder builder = {.kernel = kernel, .flow = &flow, .allocator = arena->allocator};
    arena_init(&builder.scratch, arena->allocator);
    if (kernel->code_count > 0 && make(&builder, arena) != HX_OK)
        return diag_no_memory(diag);
    *ret_flow = flow;
    return HX_OK;
}
