/* Calls that compiled code makes itself.
 *
 * Takes blocks of micro-ops, finds the functions that are called from the kernel's own code, call nothing,
 * and share no block with that code; if all calls are of such functions, they are compiled. Lanes go on in
 * the lowest block of a function before any other, as the interpreter has it: so all lanes that are in a
 * function come from one call, and one number says where they return to. */
#include "exec/tier/llvm/emit.h"

static bool has_call(const struct graph *graph, uint32_t block)
{
    const int semantic = graph->ops[graph_block(graph, block)->end - 1].semantic;
    return semantic == SEM_call || semantic == SEM_call_table;
}

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

static uint64_t *function_of(const struct graph *graph, uint32_t block)
{
    return graph->functions + (size_t)block * graph->made->set_words;
}

/* Can the call at the end of `block` be compiled? `own` are the blocks of the kernel's own code. */
static bool is_simple(const struct graph *graph, uint32_t block, const uint64_t *own)
{
    const struct tier_block *range = graph_block(graph, block);
    const uint64_t *function = function_of(graph, block);
    if (graph->ops[range->end - 1].semantic != SEM_call || range->end >= graph->op_count ||
        graph->made->guard_at[range->end - 1] != TIER_NONE)
        return false;
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (set_has(function, b) && (set_has(own, b) || has_call(graph, b) ||
                                     graph->made->guard_at[graph_block(graph, b)->end - 1] != TIER_NONE))
            return false;
    return true;
}

/* Those calls, and the returns of what they call, are no longer steps. */
static void take_calls(struct graph *graph, const uint64_t *own)
{
    struct tier_block *blocks = (struct tier_block *)graph->made->blocks;
    for (uint32_t call = 0; call < graph->made->block_count; call++) {
        if (!set_has(own, call) || !has_call(graph, call))
            continue;
        graph->kinds[blocks[call].end - 1] = OP_CALL;
        graph->made->has_calls = true;
        for (uint32_t b = 0; b < graph->made->block_count; b++) {
            if (!set_has(function_of(graph, call), b))
                continue;
            blocks[b].is_called = true;
            if (graph->ops[blocks[b].end - 1].semantic == SEM_return)
                graph->kinds[blocks[b].end - 1] = OP_RETURN;
        }
    }
}

bool calls_find(struct graph *graph)
{
    const struct tier_kernel *made = graph->made;
    uint64_t *own = ARENA_ARRAY(graph->arena, uint64_t, made->set_words);
    graph->functions = ARENA_ARRAY(graph->arena, uint64_t, (size_t)made->block_count * made->set_words);
    bool are_simple = !graph->bound->lowered->uses_stack;
    if (!own || !graph->functions || !find_reached(graph, 0, own))
        return false;
    for (uint32_t b = 0; b < made->block_count && are_simple; b++) {
        if (!set_has(own, b) || !has_call(graph, b))
            continue;
        const struct micro_op *call = &graph->ops[graph_block(graph, b)->end - 1];
        if (call->semantic == SEM_call &&
            !find_reached(graph, made->block_at[call->target], function_of(graph, b)))
            return false;
        are_simple = is_simple(graph, b, own);
    }
    if (are_simple)
        take_calls(graph, own);
    return true;
}

uint32_t calls_returns_of(const struct graph *graph, uint32_t block, uint32_t *ret_blocks)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        const uint32_t end = graph_block(graph, b)->end;
        if (graph->kinds[end - 1] == OP_CALL && set_has(function_of(graph, b), block))
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
    LLVMValueRef to = emit_load(emitter, emitter->i32, emitter->returns_to);
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
