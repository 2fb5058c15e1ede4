/* Calls that compiled code makes itself.
 *
 * Takes blocks of micro-ops, finds functions each of which is called equally deep by all calls that are
 * compiled; what would be called less or more deeply is called by the interpreter. Lanes go on in the deepest
 * function before any other, as the interpreter has it: so all lanes that are equally deep in functions come
 * from one call, and one number for each level says where they return to. */
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
            const uint32_t places = set_has(reached, b) ? graph_places_behind(graph, b, next) : 0;
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

bool calls_find(struct graph *graph)
{
    const struct tier_kernel *made = graph->made;
    uint64_t *own = ARENA_ARRAY(graph->arena, uint64_t, made->set_words);
    uint8_t *levels = ARENA_ARRAY(graph->arena, uint8_t, made->block_count);
    bool *is_reached = ARENA_ARRAY(graph->arena, bool, made->block_count);
    bool *is_taken = ARENA_ARRAY(graph->arena, bool, made->block_count);
    graph->functions = ARENA_ARRAY(graph->arena, uint64_t, (size_t)made->block_count * made->set_words);
    bool more = !graph->bound->lowered->uses_stack;
    if (!own || !levels || !is_reached || !is_taken || !graph->functions || !find_reached(graph, 0, own))
        return false;
    for (uint32_t b = 0; b < made->block_count; b++)
        is_reached[b] = set_has(own, b);
    for (uint8_t level = 0; more; level++)
        if (!go_deeper(graph, level, levels, is_reached, is_taken, &more))
            return false;
    take_calls(graph, levels, is_reached, is_taken);
    return true;
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
