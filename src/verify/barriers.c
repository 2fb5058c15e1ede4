/* Barriers that not every thread of a block may reach.
 *
 * Takes the flow graph, leaves warnings. Two things spread until nothing changes: registers that may differ
 * between the threads of a block (they come from a thread's index or a clock, or are computed, loaded or
 * chosen by such a register, or are what an atomic found), and blocks that only some threads may be in (those
 * between a branch that threads disagree on and the place where its ways meet again: its immediate
 * post-dominator). What is written in such a block differs afterwards. A subroutine that is called in such a
 * block is such a place itself. A guarded exit splits nothing: barriers do not wait for threads that have
 * exited. */
#include "verify/checks.h"

#include <string.h>

/* Steps after which the analysis stops looking: it is advice, and code can be made to take quadratic time.
 * Kernels that people write need a few thousand. */
#define STEPS_MAX 4000000u

struct spread {
    const struct flow *flow;
    const struct kernel *kernel;
    struct arena arena;
    struct flow_set *differs; /* for each node, at its beginning */
    uint32_t *cause;          /* for each block the instruction that splits the threads; FLOW_NONE */
    uint32_t *meets;          /* for each block its immediate post-dominator; block_count: the end */
    uint32_t *order;          /* numbers of a walk from the end backward, the end's the highest; 0: unseen */
    uint32_t *sequence;       /* blocks by falling order */
    uint32_t *stack, *edge, *seen;
    bool *split; /* blocks whose last instruction has been found to split */
    uint64_t steps;
};

static void spread_done(struct spread *spread)
{
    arena_done(&spread->arena);
}

static hx_status make_arrays(struct spread *spread)
{
    uint32_t **const arrays[] = {&spread->cause, &spread->meets, &spread->order, &spread->sequence,
                                 &spread->stack, &spread->edge,  &spread->seen};
    const size_t count = (size_t)spread->flow->node_count + 1;
    for (size_t i = 0; i < HX_COUNT_OF(arrays); i++) {
        *arrays[i] = ARENA_ARRAY(&spread->arena, uint32_t, count);
        if (!*arrays[i])
            return HX_NO_MEMORY;
    }
    memset(spread->cause, 0xff, count * sizeof *spread->cause);
    memset(spread->meets, 0xff, count * sizeof *spread->meets);
    spread->split = ARENA_ARRAY(&spread->arena, bool, count);
    spread->differs = ARENA_ARRAY(&spread->arena, struct flow_set, count);
    return spread->split && spread->differs ? HX_OK : HX_NO_MEMORY;
}

/* ---- Where ways meet ----------------------------------------------------------------------------------- */

/* Edges within a subroutine; a call is a step over it. */
static bool is_own(const struct flow_edge *edge)
{
    return edge->kind == EDGE_NEXT || edge->kind == EDGE_TAKEN || edge->kind == EDGE_BYPASS;
}

static bool has_leave_edge(const struct flow *flow, const struct flow_node *node)
{
    for (uint32_t i = node->out; i < node->out + node->out_count; i++)
        if (flow->edges[i].kind == EDGE_LEAVE)
            return true;
    return false;
}

/* Does a thread end its subroutine or itself at the block's end? Guarded exits do not count, see above. */
static bool is_leaving(const struct spread *spread, uint32_t block)
{
    const struct flow_node *node = &spread->flow->nodes[block];
    const struct instruction *last = &spread->kernel->code[node->end - 1];
    const int semantic = verify_flow_semantic(last);
    if (semantic == SEM_return)
        return last->guard < 0 || has_leave_edge(spread->flow, node);
    return node->falls_off || (semantic == SEM_exit && last->guard < 0);
}

/* Numbers the blocks from which `leaving` and those before it can be left, in post-order of the walk
 * backward. */
static uint32_t walk_back(struct spread *spread, uint32_t leaving, uint32_t number)
{
    const struct flow *flow = spread->flow;
    uint32_t depth = 0;
    spread->stack[depth++] = leaving;
    spread->seen[leaving] = 1;
    spread->edge[leaving] = flow->nodes[leaving].in;
    while (depth > 0) {
        const uint32_t block = spread->stack[depth - 1];
        const struct flow_node *node = &flow->nodes[block];
        if (spread->edge[block] == node->in + node->in_count) {
            spread->order[block] = ++number;
            spread->sequence[flow->block_count - number] = block;
            depth--;
            continue;
        }
        const struct flow_edge *edge = flow->edges_in[spread->edge[block]++];
        if (!is_own(edge) || spread->seen[edge->from])
            continue;
        spread->seen[edge->from] = 1;
        spread->edge[edge->from] = flow->nodes[edge->from].in;
        spread->stack[depth++] = edge->from;
    }
    return number;
}

static uint32_t meet(const struct spread *spread, uint32_t a, uint32_t b)
{
    if (a == FLOW_NONE)
        return b;
    while (a != b) {
        while (spread->order[a] < spread->order[b])
            a = spread->meets[a];
        while (spread->order[b] < spread->order[a])
            b = spread->meets[b];
    }
    return a;
}

/* Immediate post-dominators (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm", 2001). */
static void find_meets(struct spread *spread)
{
    const struct flow *flow = spread->flow;
    const uint32_t end = flow->block_count;
    uint32_t number = 0;
    for (uint32_t b = 0; b < end; b++)
        if (!spread->seen[b] && is_leaving(spread, b))
            number = walk_back(spread, b, number);
    spread->order[end] = number + 1;
    spread->meets[end] = end;
    for (bool changed = true; changed && spread->steps < STEPS_MAX;) {
        changed = false;
        spread->steps += end;
        for (uint32_t i = end - number; i < end; i++) {
            const uint32_t block = spread->sequence[i];
            const struct flow_node *node = &flow->nodes[block];
            uint32_t found = is_leaving(spread, block) ? end : FLOW_NONE;
            for (uint32_t e = node->out; e < node->out + node->out_count; e++)
                if (is_own(&flow->edges[e]) && spread->meets[flow->edges[e].to] != FLOW_NONE)
                    found = meet(spread, found, flow->edges[e].to);
            if (found != spread->meets[block]) {
                spread->meets[block] = found;
                changed = true;
            }
        }
    }
    memset(spread->seen, 0, ((size_t)flow->node_count + 1) * sizeof *spread->seen);
}

bool verify_waits_for_block(const struct instruction *instruction)
{
    switch (instruction_semantic(instruction)) {
    case SEM_barrier_sync:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
        return true;
    default:
        return shape_is_collective(instruction->opcode->shape);
    }
}

/* ---- What differs -------------------------------------------------------------------------------------- */

static bool reads_difference(const struct instruction *instruction, const struct operand_access *accesses,
                             size_t count, const struct flow_set *differs)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++)
            if (flow_set_has(differs, flow_member(&accesses[i], r)))
                return true;
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_SPECIAL &&
            verify_special_varies((enum special_register)instruction->operands[i].symbol))
            return true;
    return false;
}

static void pass_instruction(const struct instruction *instruction, bool some_threads,
                             struct flow_set *differs)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    const enum semantic_shape shape = instruction->opcode->shape;
    const bool own = /* threads' stacks end at different places */
        shape_is_stack(shape) || shape_is_atomic(shape) || shape == SHAPE_MEMBERS || shape == SHAPE_SCAN ||
        shape == SHAPE_SCAN_BEFORE || shape == SHAPE_MATRIX;
    const bool shared = shape == SHAPE_REDUCE || verify_waits_for_block(instruction); /* one result for all */
    const bool different =
        some_threads || own || (!shared && reads_difference(instruction, accesses, count, differs));
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++) {
            if (different)
                flow_set_add(differs, flow_member(&accesses[i], r));
            else if (instruction->guard < 0)
                flow_set_remove(differs, flow_member(&accesses[i], r));
        }
}

static void pass_node(void *user, uint32_t node, void *state)
{
    const struct spread *spread = user;
    for (uint32_t i = spread->flow->nodes[node].first; i < spread->flow->nodes[node].end; i++)
        pass_instruction(&spread->kernel->code[i], spread->cause[node] != FLOW_NONE, state);
}

static bool merge(void *user, const struct flow_edge *edge, const void *from, void *into)
{
    const struct flow *flow = ((const struct spread *)user)->flow;
    const struct flow_set *source = from;
    struct flow_set *target = into;
    bool changed = false;
    for (int w = 0; w < FLOW_SET_WORDS; w++) {
        uint64_t word = source->words[w];
        if (edge->kind == EDGE_RETURN)
            word &= flow->written[edge->from - flow->block_count].words[w];
        else if (edge->kind == EDGE_BYPASS)
            word &= ~flow->written[edge->through - flow->block_count].words[w];
        changed |= (word & ~target->words[w]) != 0;
        target->words[w] |= word;
    }
    return changed;
}

/* ---- Where only some threads are ----------------------------------------------------------------------- */

/* A walk forward over blocks that have not been seen in it, none of them `stop`. */
struct walk {
    uint32_t stop, stamp; /* the stamp is new for each walk */
    uint32_t depth;       /* of spread->stack */
};

static void push_block(struct spread *spread, struct walk *walk, uint32_t block)
{
    if (block == walk->stop || spread->seen[block] == walk->stamp)
        return;
    spread->seen[block] = walk->stamp;
    spread->stack[walk->depth++] = block;
}

/* Marks the blocks that the walk reaches; true when one of them was not marked before. */
static bool mark_walk(struct spread *spread, struct walk *walk, uint32_t cause)
{
    const struct flow *flow = spread->flow;
    bool changed = false;
    while (walk->depth > 0) {
        const uint32_t block = spread->stack[--walk->depth];
        const struct flow_node *node = &flow->nodes[block];
        spread->steps++;
        if (spread->cause[block] == FLOW_NONE) {
            spread->cause[block] = cause;
            changed = true;
        }
        for (uint32_t e = node->out; e < node->out + node->out_count; e++)
            if (is_own(&flow->edges[e]))
                push_block(spread, walk, flow->edges[e].to);
    }
    return changed;
}

/* The jump through the table that this branch stands in; FLOW_NONE for any other instruction. */
static uint32_t find_table_jump(const struct spread *spread, uint32_t instruction)
{
    for (uint32_t i = 0; i < spread->kernel->code_count; i++) {
        const struct instruction *jump = &spread->kernel->code[i];
        const uint32_t entries = verify_flow_table(jump);
        if (entries && instruction - verify_flow_target(spread->kernel, jump) < entries)
            return i;
    }
    return FLOW_NONE;
}

static bool is_splitting(const struct spread *spread, uint32_t block)
{
    const struct flow_node *node = &spread->flow->nodes[block];
    const struct instruction *last = &spread->kernel->code[node->end - 1];
    const int semantic = verify_flow_semantic(last);
    if (semantic == SEM_branch && last->guard < 0) { /* splits only as part of a table */
        const uint32_t jump = node->out_count > 1 ? find_table_jump(spread, node->end - 1) : FLOW_NONE;
        return jump != FLOW_NONE && is_splitting(spread, spread->flow->node_of[jump]);
    }
    if (semantic == SEMANTIC_NONE || semantic == SEM_exit || semantic == SEM_trap)
        return false;
    if (semantic == SEM_return && !has_leave_edge(spread->flow, node))
        return false;
    struct flow_set differs = spread->differs[block];
    for (uint32_t i = node->first; i + 1 < node->end; i++)
        pass_instruction(&spread->kernel->code[i], spread->cause[block] != FLOW_NONE, &differs);
    struct operand_access accesses[ACCESS_COUNT_MAX];
    return reads_difference(last, accesses, instruction_accesses(last, accesses), &differs);
}

static bool spread_block(struct spread *spread, uint32_t block)
{
    const struct flow *flow = spread->flow;
    const struct flow_node *node = &flow->nodes[block];
    const uint32_t last = node->end - 1;
    const bool is_call = verify_flow_calls(&spread->kernel->code[last]);
    const bool splits = is_splitting(spread, block);
    if (!splits && !(is_call && spread->cause[block] != FLOW_NONE))
        return false;
    spread->split[block] = true;
    struct walk walk = {.stop = is_call ? FLOW_NONE : spread->meets[block], .stamp = 1 + block};
    for (uint32_t e = node->out; e < node->out + node->out_count; e++)
        if (is_call ? flow->edges[e].kind == EDGE_CALL : is_own(&flow->edges[e]))
            push_block(spread, &walk, flow->edges[e].to);
    const uint32_t jump = splits ? find_table_jump(spread, last) : FLOW_NONE;
    return mark_walk(spread, &walk, jump != FLOW_NONE ? jump : splits ? last : spread->cause[block]);
}

static hx_status spread_all(struct spread *spread, hx_diag *diag)
{
    const struct flow *flow = spread->flow;
    const struct flow_problem problem = {
        .bytes = sizeof(struct flow_set), .user = spread, .pass = pass_node, .merge = merge};
    for (bool changed = true; changed && spread->steps < STEPS_MAX;) {
        hx_status status = verify_flow_solve(flow, &problem, spread->arena.allocator, diag, spread->differs);
        if (status != HX_OK)
            return status;
        changed = false;
        spread->steps += flow->node_count;
        for (uint32_t b = 0; b < flow->block_count && spread->steps < STEPS_MAX; b++)
            if (flow->nodes[b].reachable && !spread->split[b])
                changed |= spread_block(spread, b);
    }
    return HX_OK;
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

/* A barrier that says how many threads it waits for is meant for some of them. */
static bool has_count(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->opcode->forms[i].kind == FORM_SOURCE &&
            instruction->operands[i].kind != OPERAND_ABSENT)
            return true;
    return false;
}

static hx_status check_barrier(const struct spread *spread, uint32_t at, uint32_t cause,
                               const struct flow_set *differs, hx_diag *diag)
{
    const struct code_line *lines = spread->kernel->lines;
    const struct instruction *instruction = &spread->kernel->code[at];
    const char *hint = "move it to where all threads of the block pass";
    if (instruction->guard >= 0 && flow_set_has(differs, REGISTER_COUNT + (uint32_t)instruction->guard))
        return diag_report(diag, DIAG_VERIFY_DIVERGENT_BARRIER, lines[at].place, hint,
                           "barrier under p%d, which may differ between threads", instruction->guard);
    if (cause == FLOW_NONE)
        return HX_OK;
    return diag_report_noted(diag, DIAG_VERIFY_DIVERGENT_BARRIER, lines[at].place, hint, lines[cause].place,
                             "threads may go different ways here",
                             "not every thread may reach this barrier: it depends on line %d",
                             lines[cause].place.line);
}

static bool is_checked(const struct instruction *instruction)
{
    return verify_waits_for_block(instruction) &&
           (shape_is_collective(instruction->opcode->shape) || !has_count(instruction));
}

/* Of those that compilers make of one barrier of the source, in unrolled loops, one is reported. */
static bool is_copy(const struct kernel *kernel, uint32_t at, const bool *reported)
{
    const struct place *const place = &kernel->lines[at].place;
    for (uint32_t i = 0; i < at; i++) {
        const struct place *const other = &kernel->lines[i].place;
        if (reported[i] && place->line > 0 && other->source == place->source && other->line == place->line &&
            other->column == place->column)
            return true;
    }
    return false;
}

static hx_status check(struct spread *spread, hx_diag *diag)
{
    bool *const reported = ARENA_ARRAY(&spread->arena, bool, spread->kernel->code_count);
    if (!reported)
        return diag_no_memory(diag);
    hx_status status = HX_OK;
    for (uint32_t b = 0; b < spread->flow->block_count && status != HX_NO_MEMORY; b++) {
        const struct flow_node *node = &spread->flow->nodes[b];
        struct flow_set differs = spread->differs[b];
        for (uint32_t i = node->first; node->reachable && i < node->end; i++) {
            const struct instruction *instruction = &spread->kernel->code[i];
            if (is_checked(instruction) && !is_copy(spread->kernel, i, reported)) {
                const size_t before = hx_diag_count(diag);
                status = verify_graver(status, check_barrier(spread, i, spread->cause[b], &differs, diag));
                reported[i] = hx_diag_count(diag) > before;
            }
            pass_instruction(instruction, spread->cause[b] != FLOW_NONE, &differs);
        }
    }
    return status;
}

hx_status verify_barriers(struct verified_kernel *verified, hx_diag *diag)
{
    if (!verified->has_barriers)
        return HX_OK;
    HX_AUTO(spread_done) struct spread spread = {.flow = &verified->flow, .kernel = verified->kernel};
    arena_init(&spread.arena, verified->arena.allocator);
    if (make_arrays(&spread) != HX_OK)
        return diag_no_memory(diag);
    find_meets(&spread);
    hx_status status = spread_all(&spread, diag);
    return status == HX_OK ? check(&spread, diag) : status;
}
