/* Blocks of a kernel's micro-ops, live rows, and where lanes may wait.
 *
 * Takes a bound kernel's general code, leaves the tables of struct graph. Blocks begin where paths may begin:
 * at targets of jumps, and behind instructions that move lanes or that the interpreter does. None begins
 * under a guard that several instructions share.
 *
 * A row is *live* where a lane that stands there may read it before it is written: by lanes, a masked write
 * is a write. Compiled code always goes on in the lowest block that has lanes, so while a block runs lanes
 * wait only behind it, and only at blocks that something before it jumps to. A row that no waiting lane needs
 * is written without regard to the mask. */
#include "exec/tier/llvm/graph.h"

#include <stdio.h>

/* Does a handler do it that only reads and writes rows and memory? */
static bool has_handler(const struct micro_op *op, const struct semantic *semantic)
{
    return semantic &&
           (semantic->shape <= SHAPE_CAS || shape_is_warp(semantic->shape) ||
            semantic->shape == SHAPE_SPECIAL || semantic->shape == SHAPE_CHECK ||
            shape_is_print(semantic->shape) || shape_is_stack(semantic->shape)) &&
           !(op->flags & MICRO_GUARDED);
}

/* A barrier for the whole block, perhaps with a result, with which the instruction ends. */
static bool is_barrier(const struct micro_op *op)
{
    const struct micro_op *behind = op->semantic == MICRO_COLLECTIVE ? op + 2 : op + 1;
    return op->a.kind == ROW_NONE && !(op->flags & MICRO_GUARDED) && (behind->flags & MICRO_FIRST);
}

static enum op_kind kind_of(const struct bound_kernel *bound, const struct micro_op *op)
{
    const struct semantic *semantic = semantic_at(op->semantic);
    if ((op->flags & MICRO_DEFERRED_COMPARE) && semantic && semantic->shape == SHAPE_COMPARE)
        return OP_NOTHING;
    switch (op->semantic) {
    case SEM_nop:
    case SEM_note:
    case MICRO_GUARD_END:
        return OP_NOTHING;
    case MICRO_GUARD_BEGIN:
        return OP_GUARD;
    case SEM_branch:
        return OP_BRANCH;
    case SEM_jump_table: {
        const uint32_t at = (uint32_t)(op - bound->lowered->general.ops);
        return op->target > at && op->immediate <= GRAPH_ENTRIES_MAX ? OP_TABLE : OP_STEP;
    }
    case SEM_exit:
        return OP_EXIT;
    case SEM_loop:
        return op->d.kind == ROW_4 || op->d.kind == ROW_8 ? OP_LOOP : OP_STEP;
    case SEM_barrier_sync:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
    case MICRO_COLLECTIVE:
        return is_barrier(op) ? OP_BARRIER : OP_STEP;
    case SEM_fence:
        return OP_FENCE; /* whether it has a guard or not */
    case MICRO_WARP_WAIT:
        return OP_WAIT;
    default:
        break;
    }
    if (semantic && shape_is_collective(semantic->shape))
        return is_barrier(op - 1) ? OP_COMBINE : OP_STEP;
    if (semantic && (semantic->shape == SHAPE_LOAD || semantic->shape == SHAPE_STORE)) {
        const bool has_stack = semantic->space == SPACE_LOCAL && bound->lowered->uses_stack;
        const bool is_whole = op->access_bytes == type_bytes((enum hx_type)op->type);
        const bool one_base = op->source_type == HX_TYPE_NONE || op->a.kind == ROW_UNIFORM_8;
        return op->affine_part ? OP_STEP : (has_stack && !is_whole) || !one_base ? OP_HELPED : OP_MEMORY;
    }
    if (semantic && shape_is_atomic(semantic->shape)) {
        const bool one_base = op->source_type == HX_TYPE_NONE || op->a.kind == ROW_UNIFORM_8;
        const bool is_whole =
            type_bytes((enum hx_type)op->type) >= 4 && op->semantic != SEM_atomic_arrive_shared;
        return op->affine_part                                            ? OP_STEP
               : one_base && is_whole && semantic->space != SPACE_GENERIC ? OP_ATOMIC
                                                                          : OP_HELPED;
    }
    return row_function_name(op)       ? OP_VALUE
           : warp_function_name(op)    ? OP_WARP
           : has_handler(op, semantic) ? OP_HELPED
                                       : OP_STEP;
}

static bool ends_block(const struct graph *graph, uint32_t at)
{
    switch (graph->ops[at].semantic) {
    case SEM_branch:
    case SEM_exit:
    case SEM_loop:
    case SEM_jump_table:
    case SEM_call:
    case SEM_call_table:
    case SEM_return:
    case SEM_trap:
    case MICRO_END:
        return true;
    default:
        return false;
    }
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void mark_targets(const struct graph *graph, const struct micro_op *op, uint64_t *leaders)
{
    const bool is_table = op->semantic == SEM_jump_table || op->semantic == SEM_call_table;
    const bool jumps = op->semantic == SEM_branch || op->semantic == SEM_loop || op->semantic == SEM_call;
    for (int64_t i = 0; is_table && i < op->immediate && op->target + i < graph->op_count; i++)
        set_add(leaders, op->target + (uint32_t)i);
    if (jumps)
        set_add(leaders, op->target);
}

/* Where blocks begin, and what the tables of `made` say of each micro-op. */
static void find_leaders(struct graph *graph, uint64_t *leaders, uint32_t *guard_at, uint32_t *slot_at)
{
    uint32_t guard = TIER_NONE;
    bool ends = true;
    graph->made->count_slots = 0;
    for (uint32_t i = 0; i < graph->op_count; i++) {
        const struct micro_op *op = &graph->ops[i];
        guard_at[i] = guard;
        if ((op->flags & MICRO_FIRST) && guard == TIER_NONE && ends)
            set_add(leaders, i);
        if (op->flags & MICRO_FIRST)
            ends = false;
        if (graph->kinds[i] == OP_GUARD)
            guard = i;
        else if (op->semantic == MICRO_GUARD_END)
            guard = TIER_NONE;
        slot_at[i] =
            (op->flags & MICRO_PRIMARY) && guard != TIER_NONE ? graph->made->count_slots++ : TIER_NONE;
        ends |= ends_block(graph, i) || graph->kinds[i] == OP_STEP || graph->kinds[i] == OP_BARRIER;
        mark_targets(graph, op, leaders);
    }
}

static bool make_blocks(struct graph *graph, const uint64_t *leaders)
{
    struct tier_kernel *made = graph->made;
    for (uint32_t i = 0; i < graph->op_count; i++)
        made->block_count += set_has(leaders, i);
    struct tier_block *blocks = ARENA_ARRAY(graph->arena, struct tier_block, made->block_count);
    uint32_t *block_at = ARENA_ARRAY(graph->arena, uint32_t, graph->op_count);
    if (!blocks || !block_at)
        return false;
    for (uint32_t i = 0, b = 0; i < graph->op_count; i++) {
        block_at[i] = set_has(leaders, i) ? b : TIER_NONE;
        if (set_has(leaders, i))
            blocks[b++].op = i;
        blocks[b - 1].end = i + 1;
    }
    made->blocks = blocks;
    made->block_at = block_at;
    made->set_words = (made->block_count + 63) / 64;
    return true;
}

static void add_successor(const struct graph *graph, uint32_t op, uint32_t most, uint32_t *count,
                          uint32_t *ret_blocks)
{
    const uint32_t block = op < graph->op_count ? graph->made->block_at[op] : TIER_NONE;
    for (uint32_t i = 0; i < *count; i++)
        if (ret_blocks[i] == block)
            return;
    if (block != TIER_NONE && *count < most)
        ret_blocks[(*count)++] = block;
}

/* Of a call or return that is compiled. */
static uint32_t places_called(const struct graph *graph, uint32_t block, uint32_t most, uint32_t *ret_blocks)
{
    const uint32_t end = graph_block(graph, block)->end;
    const struct micro_op *last = &graph->ops[end - 1];
    uint32_t count = 0, returns[GRAPH_OPS_MAX];
    const uint32_t return_count =
        graph->kinds[end - 1] == OP_RETURN ? calls_returns_of(graph, block, returns) : 0;
    for (uint32_t i = 0; i < return_count; i++)
        add_successor(graph, graph_block(graph, returns[i])->op, most, &count, ret_blocks);
    const int64_t targets = graph->kinds[end - 1] == OP_CALL         ? 1
                            : graph->kinds[end - 1] == OP_CALL_TABLE ? last->immediate
                                                                     : 0;
    for (int64_t i = 0; i < targets; i++)
        add_successor(graph, last->target + (uint32_t)i, most, &count, ret_blocks);
    if (last->flags & MICRO_GUARDED)
        add_successor(graph, end, most, &count, ret_blocks);
    return count;
}

static bool is_compiled_call(const struct graph *graph, uint32_t block)
{
    const enum op_kind kind = (enum op_kind)graph->kinds[graph_block(graph, block)->end - 1];
    return op_kind_is_call(kind) || kind == OP_RETURN;
}

/* Behind any call. */
static void add_returns(const struct graph *graph, uint32_t most, uint32_t *count, uint32_t *ret_blocks)
{
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        const uint32_t before = graph_block(graph, b)->op;
        if (before > 0 && (graph->ops[before - 1].semantic == SEM_call ||
                           graph->ops[before - 1].semantic == SEM_call_table))
            add_successor(graph, before, most, count, ret_blocks);
    }
}

uint32_t graph_successors(const struct graph *graph, uint32_t block, uint32_t most, uint32_t *ret_blocks)
{
    const uint32_t end = graph_block(graph, block)->end;
    const struct micro_op *last = &graph->ops[end - 1];
    const bool is_guarded = (last->flags & MICRO_GUARDED) != 0;
    uint32_t count = 0;
    if (is_compiled_call(graph, block)) {
        count = places_called(graph, block, most, ret_blocks);
        if (last->semantic == SEM_return && graph->is_open[block])
            add_returns(graph, most, &count, ret_blocks);
        return count;
    }
    if (!ends_block(graph, end - 1) || is_guarded || last->semantic == SEM_loop ||
        last->semantic == SEM_call || last->semantic == SEM_call_table)
        add_successor(graph, end, most, &count, ret_blocks);
    if (last->semantic == SEM_branch || last->semantic == SEM_loop || last->semantic == SEM_call)
        add_successor(graph, last->target, most, &count, ret_blocks);
    if (last->semantic == SEM_jump_table || last->semantic == SEM_call_table)
        for (int64_t i = 0; i < last->immediate; i++)
            add_successor(graph, last->target + (uint32_t)i, most, &count, ret_blocks);
    if (last->semantic == SEM_return)
        add_returns(graph, most, &count, ret_blocks);
    return count;
}

uint32_t graph_places_within(const struct graph *graph, uint32_t block, uint32_t *ret_blocks)
{
    const uint32_t end = graph_block(graph, block)->end;
    const struct micro_op *last = &graph->ops[end - 1];
    uint32_t count = 0;
    if (last->semantic != SEM_call && last->semantic != SEM_call_table && last->semantic != SEM_return)
        return graph_successors(graph, block, GRAPH_OPS_MAX, ret_blocks);
    if (last->semantic != SEM_return || (last->flags & MICRO_GUARDED))
        add_successor(graph, end, GRAPH_OPS_MAX, &count, ret_blocks);
    return count;
}

uint32_t graph_places_behind(const struct graph *graph, uint32_t block, uint32_t *ret_blocks)
{
    return is_compiled_call(graph, block) ? places_called(graph, block, GRAPH_OPS_MAX, ret_blocks)
                                          : graph_places_within(graph, block, ret_blocks);
}

/* ---- Live rows ----------------------------------------------------------------------------------------- */

static void read_row(const struct graph *graph, struct row row, uint64_t *live)
{
    const uint32_t number = graph_row(graph, row);
    if (number != TIER_NONE)
        set_add(live, number);
}

static void read_operands(const struct graph *graph, const struct micro_op *op, uint64_t *live)
{
    read_row(graph, op->a, live);
    read_row(graph, op->b, live);
    read_row(graph, op->c, live);
    read_row(graph, op->f, live);
}

/* Does the interpreter do the micro-op's instruction? It may leave lanes out without a guard on each
 * micro-op.
 */
static bool is_of_step(const struct graph *graph, uint32_t at)
{
    bool steps = false;
    while (!(graph->ops[at].flags & MICRO_FIRST) && at > 0)
        at--;
    do
        steps |= graph->kinds[at] == OP_STEP;
    while (++at < graph->op_count && !(graph->ops[at].flags & MICRO_FIRST));
    return steps;
}

/* From behind micro-op `at` to in front of it. A row that is written under a guard keeps what lanes without
 * it have, unless it is live only up to the guard's end: then nobody but the guard's own lanes reads it. */
static void step_back(const struct graph *graph, uint32_t at, uint64_t *live)
{
    const struct micro_op *op = &graph->ops[at];
    const struct row written[] = {op->d, op->e};
    const bool is_masked = (op->flags & MICRO_MASKED) != 0;
    const bool keeps = (op->flags & MICRO_GUARDED) != 0 || is_of_step(graph, at);
    if (op->semantic == MICRO_GUARD_END)
        memcpy(graph->behind_guard, live, graph->row_words * sizeof *live);
    for (size_t i = 0; i < HX_COUNT_OF(written); i++) {
        const uint32_t row = graph_row(graph, written[i]);
        if (row == TIER_NONE)
            continue;
        if (keeps || op->semantic == SEM_loop || (is_masked && set_has(graph->behind_guard, row)))
            set_add(live, row);
        else
            live[row / 64] &= ~(UINT64_C(1) << (row % 64));
    }
    read_operands(graph, op, live);
    if ((op->flags & MICRO_DEFERRED_COMPARE) && at > 0)
        read_operands(graph, op - 1, live);
}

void graph_live_at(const struct graph *graph, uint32_t block, uint32_t op, uint64_t *ret_live)
{
    uint32_t next[GRAPH_OPS_MAX];
    const uint32_t count = graph_successors(graph, block, GRAPH_OPS_MAX, next);
    memset(ret_live, 0, graph->row_words * sizeof *ret_live);
    memset(graph->behind_guard, 0xff,
           graph->row_words * sizeof *ret_live); /* a guard may end in another block */
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t w = 0; w < graph->row_words; w++)
            ret_live[w] |= graph->live[(size_t)next[i] * graph->row_words + w];
    for (uint32_t i = graph_block(graph, block)->end; i > op; i--)
        step_back(graph, i - 1, ret_live);
}

static bool find_live(struct graph *graph)
{
    const uint32_t words = graph->row_words, count = graph->made->block_count;
    graph->live = ARENA_ARRAY(graph->arena, uint64_t, (size_t)count * words);
    uint64_t *now = ARENA_ARRAY(graph->arena, uint64_t, words);
    graph->behind_guard = ARENA_ARRAY(graph->arena, uint64_t, words);
    if (!graph->live || !now || !graph->behind_guard)
        return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = count; b-- > 0;) {
            uint64_t *const live = graph->live + (size_t)b * words;
            graph_live_at(graph, b, graph_block(graph, b)->op, now);
            changed |= memcmp(live, now, words * sizeof *now) != 0;
            memcpy(live, now, words * sizeof *now);
        }
    }
    return true;
}

bool graph_is_awaited(const struct graph *graph, uint32_t block, uint32_t row)
{
    if (graph->is_open[block] && set_has(graph->kept, row))
        return true;
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (set_has(graph_waiting(graph, block), b) &&
            set_has(graph->live + (size_t)b * graph->row_words, row))
            return true;
    return false;
}

/* ---- Where lanes wait ---------------------------------------------------------------------------------- */

bool graph_ends_with_choice(const struct graph *graph, uint32_t block)
{
    const uint32_t last = graph_block(graph, block)->end - 1;
    const enum op_kind kind = (enum op_kind)graph->kinds[last];
    return kind == OP_LOOP || op_kind_is_table(kind) ||
           (kind == OP_BRANCH && (graph->ops[last].flags & MICRO_GUARDED));
}

uint32_t graph_block_of(const struct graph *graph, uint32_t op)
{
    uint32_t low = 0, high = graph->made->block_count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (graph_block(graph, middle)->op <= op)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Lanes of `block` move on to `next`: for each block that may be the lowest then, the others may wait. */
static bool move_to(const struct graph *graph, uint32_t block, const uint32_t *next, uint32_t count,
                    uint64_t *waiting, uint64_t *places)
{
    const uint32_t words = graph->made->set_words;
    bool *const reached = graph->is_emitted;
    bool changed = false;
    memcpy(places, waiting + (size_t)block * words, words * sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        set_add(places, next[i]);
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(places, b))
            continue;
        changed |= !reached[b];
        reached[b] = true;
        for (uint32_t other = 0; other < graph->made->block_count; other++)
            if (graph_goes_first(graph, b, other) && set_has(places, other) &&
                !set_has(waiting + (size_t)b * words, other)) {
                set_add(waiting + (size_t)b * words, other);
                changed = true;
            }
    }
    return changed;
}

static bool return_to(const struct graph *graph, uint32_t block, uint64_t *waiting, uint64_t *places)
{
    uint32_t returns[GRAPH_OPS_MAX];
    const uint32_t end = graph_block(graph, block)->end;
    const uint32_t count = calls_returns_of(graph, block, returns);
    const bool some_stay = (graph->ops[end - 1].flags & MICRO_GUARDED) != 0;
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next[] = {returns[i], some_stay ? graph->made->block_at[end] : 0};
        changed |= move_to(graph, block, next, 1 + some_stay, waiting, places);
    }
    return changed;
}

/* Lanes of `block` move on, all to one place if its end parts none. */
static bool move_on(const struct graph *graph, uint32_t block, uint64_t *waiting, uint64_t *places)
{
    uint32_t next[GRAPH_OPS_MAX];
    const uint32_t count = graph_places_behind(graph, block, next);
    bool changed = false;
    if (graph->kinds[graph_block(graph, block)->end - 1] == OP_RETURN) /* to one of the places, whichever */
        return return_to(graph, block, waiting, places);
    if (graph->parts[block] || !graph_ends_with_choice(graph, block))
        return move_to(graph, block, next, count, waiting, places);
    for (uint32_t i = 0; i < count; i++)
        changed |= move_to(graph, block, &next[i], 1, waiting, places);
    return changed;
}

bool graph_find_waiting(struct graph *graph)
{
    struct tier_kernel *made = graph->made;
    uint64_t *waiting = ARENA_ARRAY(graph->arena, uint64_t, (size_t)made->block_count * made->set_words);
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, made->set_words);
    graph->is_emitted = ARENA_ARRAY(graph->arena, bool, made->block_count);
    if (!waiting || !places || !graph->is_emitted)
        return false;
    made->waiting = waiting;
    for (uint32_t b = 0; b < made->block_count; b++)
        graph->is_emitted[b] = b == 0 || graph->is_begin[b];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < made->block_count; b++)
            if (graph->is_emitted[b])
                changed |= move_on(graph, b, waiting, places);
    }
    return true;
}

/* Compiled code is entered at the start, at heads of loops, and behind what the interpreter does; in
 * functions if they are open. */
static void find_entries(struct graph *graph, struct tier_block *blocks)
{
    uint32_t next[GRAPH_OPS_MAX];
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        blocks[b].is_entry = b == 0 || graph->is_begin[b];
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        bool has_step = false;
        for (uint32_t i = blocks[b].op; i < blocks[b].end; i++)
            has_step |= graph->kinds[i] == OP_STEP || graph->kinds[i] == OP_BARRIER ||
                        graph->kinds[i] == OP_RETURN; /* the interpreter may be in the function */
        const uint32_t count = graph_places_behind(graph, b, next);
        for (uint32_t i = 0; i < count; i++)
            blocks[next[i]].is_entry |= has_step || next[i] <= b;
    }
    for (uint32_t b = 0; b < graph->made->block_count; b++) /* a step at once is no use */
        blocks[b].is_entry &= graph->is_emitted[b] && graph->kinds[blocks[b].op] != OP_STEP &&
                              (blocks[b].level == 0 || graph->is_open[b]);
}

static bool is_named(const char *list, const char *name)
{
    const size_t bytes = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (at[bytes] == ',' || !at[bytes]))
            return true;
    return false;
}

/* made->interpreted, as far as there is room. */
static bool name_steps(struct graph *graph)
{
    char *list = ARENA_ARRAY(graph->arena, char, TIER_WHY_BYTES);
    size_t length = 0;
    if (!list)
        return false;
    graph->made->interpreted = list;
    for (uint32_t i = 0; i < graph->op_count; i++) {
        if (graph->kinds[i] != OP_STEP || graph->ops[i].semantic == MICRO_END ||
            graph->ops[i].semantic == SEM_trap || !graph->is_emitted[graph_block_of(graph, i)])
            continue;
        const struct kernel *kernel = graph->bound->lowered->kernel;
        const char *name = kernel->code[graph->bound->ops[i].instruction].opcode->mnemonic;
        if (is_named(list, name) || length + strlen(name) + 3 > TIER_WHY_BYTES)
            continue;
        length += (size_t)snprintf(list + length, TIER_WHY_BYTES - length, "%s%s", length ? ", " : "", name);
    }
    return true;
}

static void find_rows(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->op_count; i++) {
        const struct micro_op *op = &graph->ops[i];
        const struct op *bound = &graph->bound->ops[i];
        const struct row rows[] = {op->d, op->e, op->a, op->b, op->c, op->f};
        const struct op_row at[] = {bound->d, bound->e, bound->a, bound->b, bound->c, bound->f};
        for (size_t k = 0; k < HX_COUNT_OF(rows); k++)
            if (graph_row(graph, rows[k]) != TIER_NONE)
                graph->row_at[graph_row(graph, rows[k])] = at[k].at;
    }
}

bool graph_make(struct graph *graph, const struct tier_request *request, char *why)
{
    const struct lowered_kernel *lowered = request->bound->lowered;
    graph->bound = request->bound;
    graph->ops = lowered->general.ops;
    graph->op_count = lowered->general.op_count;
    graph->row_count = lowered->rows_4 + lowered->rows_8 + lowered->rows_predicate;
    graph->row_words = (graph->row_count + 63) / 64 + 1;
    if (graph->op_count > GRAPH_OPS_MAX) {
        snprintf(why, TIER_WHY_BYTES, "it has %u micro-ops, and at most %u are compiled", graph->op_count,
                 GRAPH_OPS_MAX);
        return false;
    }
    graph->kinds = ARENA_ARRAY(graph->arena, uint8_t, graph->op_count);
    graph->row_at = ARENA_ARRAY(graph->arena, uint32_t, graph->row_count + 1);
    uint64_t *leaders = ARENA_ARRAY(graph->arena, uint64_t, graph->op_count / 64 + 1);
    uint32_t *guard_at = ARENA_ARRAY(graph->arena, uint32_t, graph->op_count);
    uint32_t *slot_at = ARENA_ARRAY(graph->arena, uint32_t, graph->op_count);
    if (!graph->kinds || !graph->row_at || !leaders || !guard_at || !slot_at)
        return false;
    for (uint32_t i = 0; i < graph->op_count; i++)
        graph->kinds[i] = (uint8_t)kind_of(graph->bound, &graph->ops[i]);
    find_rows(graph);
    find_leaders(graph, leaders, guard_at, slot_at);
    graph->made->guard_at = guard_at;
    graph->made->slot_at = slot_at;
    if (!make_blocks(graph, leaders) || !calls_find(graph) || !find_live(graph) ||
        !uniformity_find(graph, request->block, request->warp_lanes) || !uniformity_give(graph) ||
        !nans_find(graph) || !name_steps(graph))
        return false;
    find_entries(graph, (struct tier_block *)graph->made->blocks);
    return true;
}
