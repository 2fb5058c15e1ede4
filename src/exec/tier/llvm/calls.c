/* Calls that compiled code makes itself, and functions that the interpreter calls.
 *
 * Takes blocks of micro-ops, finds functions each of which is called equally deep by all calls that are
 * compiled; what would be called less or more deeply is called by the interpreter. Lanes go on in the deepest
 * function before any other, as the interpreter has it: so all lanes that are equally deep in functions come
 * from one call, and one number for each level says where they return to.
 *
 * A function is *open* when the interpreter calls it, or does something in it. Compiled code is then entered
 * in the function, at any depth, with the deepest lanes alone. The others are *aside*: compiled code does not
 * see them, and leaves the rows alone that they need. Returns from a function that was entered so are the
 * interpreter's. */
#include "exec/tier/llvm/emit.h"

/* Adds the blocks that lanes at `first` may reach without the calls on their way. */
static bool find_reached(const struct graph *graph, uint32_t first, uint64_t *reached)
{
    const uint32_t count = graph->made->block_count;
    uint32_t *next = ARENA_ARRAY(graph->arena, uint32_t, count);
    if (!next)
        return false;
    set_add(reached, first);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < count; b++) {
            const uint32_t places = set_has(reached, b) ? graph_places_within(graph, b, next) : 0;
            for (uint32_t i = 0; i < places; i++) {
                changed |= !set_has(reached, next[i]);
                set_add(reached, next[i]);
            }
        }
    }
    return true;
}

/* How many functions the last micro-op of the block may call, from its target on; 0: it is no call, or one of
 * more than compiled code tries. */
static uint32_t called_count(const struct graph *graph, uint32_t block)
{
    const struct micro_op *last = &graph->ops[graph_block(graph, block)->end - 1];
    const bool is_short = last->immediate > 0 && last->immediate <= GRAPH_ENTRIES_MAX;
    return last->semantic == SEM_call                     ? 1
           : last->semantic == SEM_call_table && is_short ? (uint32_t)last->immediate
                                                          : 0;
}

static uint64_t *function_of(const struct graph *graph, uint32_t block)
{
    return graph->functions + (size_t)block * graph->made->set_words;
}

/* Can the call at the end of `block` be compiled, and what it calls? All blocks of a function have one level,
 * that of their calls and one more: then one number for each level says where lanes return to. */
static bool is_simple(const struct graph *graph, uint32_t block, const uint8_t *levels,
                      const bool *is_reached)
{
    const struct tier_block *range = graph_block(graph, block);
    const uint64_t *function = function_of(graph, block);
    if (range->end >= graph->op_count || graph->made->guard_at[range->end - 1] != TIER_NONE ||
        levels[block] >= TIER_LEVELS)
        return false;
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (set_has(function, b) && ((is_reached[b] && levels[b] != levels[block] + 1) ||
                                     graph->made->guard_at[graph_block(graph, b)->end - 1] != TIER_NONE))
            return false;
    return true;
}

/* Calls that are compiled, and returns of what they call, are no longer steps. */
static void take_calls(struct graph *graph, const uint8_t *levels, const bool *is_reached,
                       const bool *is_taken)
{
    struct tier_block *blocks = (struct tier_block *)graph->made->blocks;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!is_reached[b])
            continue;
        blocks[b].level = levels[b];
        if (is_taken[b])
            graph->kinds[blocks[b].end - 1] =
                graph->ops[blocks[b].end - 1].semantic == SEM_call ? OP_CALL : OP_CALL_TABLE;
        else if (levels[b] && graph->ops[blocks[b].end - 1].semantic == SEM_return)
            graph->kinds[blocks[b].end - 1] = OP_RETURN;
        if (levels[b] > graph->made->levels)
            graph->made->levels = levels[b];
    }
}

/* What is called at blocks of `level` by calls that can be compiled; *ret_more: there are some. False without
 * memory. */
static bool go_deeper(struct graph *graph, uint8_t level, uint8_t *levels, bool *is_reached, bool *is_taken,
                      bool *ret_more)
{
    const struct tier_kernel *made = graph->made;
    *ret_more = false;
    for (uint32_t b = 0; b < made->block_count; b++) {
        const struct micro_op *call = &graph->ops[graph_block(graph, b)->end - 1];
        const uint32_t called = called_count(graph, b);
        if (!is_reached[b] || levels[b] != level || called == 0)
            continue;
        for (uint32_t i = 0; i < called; i++)
            if (!find_reached(graph, made->block_at[call->target + i], function_of(graph, b)))
                return false;
        if (!is_simple(graph, b, levels, is_reached))
            continue;
        is_taken[b] = *ret_more = true;
        for (uint32_t f = 0; f < made->block_count; f++)
            if (set_has(function_of(graph, b), f)) {
                levels[f] = (uint8_t)(level + 1);
                is_reached[f] = true;
            }
    }
    return true;
}

/* ---- Open functions ------------------------------------------------------------------------------------ */

/* Does the interpreter do something in the function, and the lanes go on? */
static bool has_steps(const struct graph *graph, const uint64_t *function)
{
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        for (uint32_t i = graph_block(graph, b)->op; set_has(function, b) && i < graph_block(graph, b)->end;
             i++)
            if ((graph->kinds[i] == OP_STEP || graph->kinds[i] == OP_BARRIER) &&
                graph->ops[i].semantic != SEM_trap && graph->ops[i].semantic != MICRO_END)
                return true;
    return false;
}

/* Functions that jump into others may have several: then returns are not what they seem. */
static bool has_one_level(const struct graph *graph, const uint64_t *function)
{
    uint32_t first = TIER_NONE;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(function, b))
            continue;
        first = first == TIER_NONE ? b : first;
        if (graph_block(graph, b)->level != graph_block(graph, first)->level)
            return false;
    }
    return true;
}

/* The function that `target` begins, and what `call` means for it. */
static bool open_function(struct graph *graph, uint32_t call, uint32_t target, bool *is_reached,
                          bool *changed)
{
    uint64_t *function = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    const bool is_taken = op_kind_is_call((enum op_kind)graph->kinds[graph_block(graph, call)->end - 1]);
    if (!function || !find_reached(graph, target, function))
        return false;
    if ((is_taken && !graph->is_open[call] && !has_steps(graph, function)) || !has_one_level(graph, function))
        return true;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(function, b))
            continue;
        *changed |= !graph->is_open[b];
        graph->is_open[b] = is_reached[b] = true;
    }
    graph->is_begin[target] |= !is_taken;
    return true;
}

/* Rows that lanes which are aside may need. */
static void find_kept(struct graph *graph)
{
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        for (uint32_t i = graph_block(graph, b)->op; graph->is_open[b] && i < graph_block(graph, b)->end;
             i++) {
            const struct row written[] = {graph->ops[i].d, graph->ops[i].e};
            for (size_t k = 0; k < HX_COUNT_OF(written); k++)
                if (graph_row(graph, written[k]) != TIER_NONE)
                    set_add(graph->kept, graph_row(graph, written[k]));
        }
}

static bool find_open(struct graph *graph, bool *is_reached)
{
    const uint32_t count = graph->made->block_count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < count; b++) {
            const struct micro_op *call = &graph->ops[graph_block(graph, b)->end - 1];
            const uint32_t called = is_reached[b] ? called_count(graph, b) : 0;
            for (uint32_t i = 0; i < called; i++)
                if (!open_function(graph, b, graph->made->block_at[call->target + i], is_reached, &changed))
                    return false;
        }
    }
    find_kept(graph);
    return true;
}

bool calls_find(struct graph *graph)
{
    const struct tier_kernel *made = graph->made;
    uint64_t *own = ARENA_ARRAY(graph->arena, uint64_t, made->set_words);
    uint8_t *levels = ARENA_ARRAY(graph->arena, uint8_t, made->block_count);
    bool *is_reached = ARENA_ARRAY(graph->arena, bool, made->block_count);
    bool *is_taken = ARENA_ARRAY(graph->arena, bool, made->block_count);
    graph->functions = ARENA_ARRAY(graph->arena, uint64_t, (size_t)made->block_count * made->set_words);
    graph->is_open = ARENA_ARRAY(graph->arena, bool, made->block_count);
    graph->is_begin = ARENA_ARRAY(graph->arena, bool, made->block_count);
    graph->kept = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    bool more = !graph->bound->lowered->uses_stack;
    if (!own || !levels || !is_reached || !is_taken || !graph->functions || !graph->is_open ||
        !graph->is_begin || !graph->kept || !find_reached(graph, 0, own))
        return false;
    for (uint32_t b = 0; b < made->block_count; b++)
        is_reached[b] = set_has(own, b);
    for (uint8_t level = 0; more; level++)
        if (!go_deeper(graph, level, levels, is_reached, is_taken, &more))
            return false;
    take_calls(graph, levels, is_reached, is_taken);
    return find_open(graph, is_reached);
}

uint32_t calls_returns_of(const struct graph *graph, uint32_t block, uint32_t *ret_blocks)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        const uint32_t end = graph_block(graph, b)->end;
        if (op_kind_is_call((enum op_kind)graph->kinds[end - 1]) && set_has(function_of(graph, b), block))
            ret_blocks[count++] = graph->made->block_at[end];
    }
    return count;
}

/* Lanes of an open function go on in compiled code if that has called it. */
static void check_return(struct emitter *emitter, LLVMValueRef to)
{
    const uint32_t last = graph_block(emitter->graph, emitter->block)->end - 1;
    if (emitter->graph->is_open[emitter->block])
        emit_check(emitter, LLVMBuildICmp(emitter->builder, LLVMIntNE, to, emit_i32(emitter, TIER_NONE), ""),
                   last);
}

void emit_return(struct emitter *emitter, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct graph *graph = emitter->graph;
    const uint32_t end = graph_block(graph, emitter->block)->end;
    uint32_t *blocks = ARENA_ARRAY(graph->arena, uint32_t, graph->made->block_count);
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    if (!blocks || !places) {
        emitter->failed = true;
        return;
    }
    emit_places(emitter, emitter->block, false, places);
    const uint32_t count = calls_returns_of(graph, emitter->block, blocks);
    const uint32_t level = graph_block(graph, emitter->block)->level;
    LLVMValueRef to = emit_load(emitter, emitter->i32, emitter->returns_to[level - 1]);
    check_return(emitter, to);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef is_there =
            LLVMBuildICmp(emitter->builder, LLVMIntEQ, to, emit_i32(emitter, blocks[i]), "");
        emit_add_lanes(emitter, blocks[i],
                       count == 1
                           ? taken
                           : LLVMBuildSelect(emitter->builder, is_there, taken, emit_i64(emitter, 0), ""));
        set_add(places, blocks[i]);
    }
    if (rest) {
        emit_add_lanes(emitter, graph->made->block_at[end], rest);
        set_add(places, graph->made->block_at[end]);
    }
    emit_go_on(emitter, places, TIER_NONE);
}
