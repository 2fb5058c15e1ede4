/* Where compiled code leaves an instruction to the interpreter.
 *
 * Takes a check that may fail, leaves code that puts all live rows back to memory. Each such place, a *step*,
 * has code of its own, so that nothing is moved for it where it is not taken. It would be most of a kernel's
 * code, and most of the time that LLVM takes: so micro-ops of a block that stand close together are a group,
 * whose steps have in common what moves the rows that the group does not write. */
#include "exec/tier/llvm/emit.h"

#include <stddef.h>

/* Micro-ops of a group: more of them write more rows, fewer share less. */
#define GROUP_OPS 16u

bool steps_make(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    struct step_group *steps = &emitter->steps;
    steps->forms = ARENA_ARRAY(graph->arena, struct row_form, graph->row_count + 1u);
    steps->nans = ARENA_ARRAY(graph->arena, uint8_t, graph->row_count + 1u);
    steps->steady = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    steps->live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    return steps->forms && steps->nans && steps->steady && steps->live;
}

/* The micro-op where the instruction of `op` begins. */
static uint32_t first_of(const struct graph *graph, uint32_t op)
{
    while (!(graph->ops[op].flags & MICRO_FIRST))
        op--;
    return op;
}

/* ---- Groups -------------------------------------------------------------------------------------------- */

static void forget_row(const struct graph *graph, struct row row, uint64_t *steady)
{
    const uint32_t number = graph_row(graph, row);
    if (number != TIER_NONE)
        steady[number / 64] &= ~(UINT64_C(1) << (number % 64));
}

/* Rows whose values and forms are the same in front of all of the group's micro-ops. What lanes have that
 * wait is in a row's vector. */
static void find_steady(struct emitter *emitter, uint32_t from)
{
    struct graph *graph = (struct graph *)emitter->graph;
    struct step_group *steps = &emitter->steps;
    const size_t bytes = graph->row_count * sizeof *emitter->state;
    memcpy(steps->forms, emitter->state, bytes);
    memcpy(steps->nans, emitter->nans, graph->row_count);
    memset(steps->steady, 0xff, graph->row_words * sizeof *steps->steady);
    for (uint32_t i = from; i + 1 < steps->end; i++) {
        forget_row(graph, graph->ops[i].d, steps->steady);
        forget_row(graph, graph->ops[i].e, steps->steady);
        uniformity_step(graph, emitter->block, i, emitter->state);
        for (uint32_t row = 0; row < graph->row_count; row++)
            if (!form_is_equal(emitter->state[row], steps->forms[row]))
                steps->steady[row / 64] &= ~(UINT64_C(1) << (row % 64));
    }
    memcpy(emitter->state, steps->forms, bytes);
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (graph_is_awaited(graph, emitter->block, row))
            steps->forms[row].kind = FORM_VARIES;
}

/* Rows that lanes need in front of micro-op `at`, or where they wait. */
static void find_needed(struct emitter *emitter, uint32_t at, uint64_t *ret_live)
{
    const struct graph *graph = emitter->graph;
    graph_live_at(graph, emitter->block, at, ret_live);
    if (graph->made->guard_at[at] != TIER_NONE) /* made once more from its predicate */
        set_add(ret_live, graph_row(graph, graph->ops[graph->made->guard_at[at]].c));
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (set_has(graph_waiting(graph, emitter->block), b))
            for (uint32_t w = 0; w < graph->row_words; w++)
                ret_live[w] |= graph->live[(size_t)b * graph->row_words + w];
}

/* A row as it is now, for lanes that are here and those that wait. */
static void spill(struct emitter *emitter, uint32_t row, const struct row_form *forms)
{
    const struct graph *graph = emitter->graph;
    const bool is_awaited = graph_is_awaited(graph, emitter->block, row);
    emit_spill_row(emitter, row, is_awaited ? (struct row_form){.kind = FORM_VARIES} : forms[row],
                   emit_nan_lanes(emitter, row, emitter->active, graph_waiting(graph, emitter->block)));
}

/* What the group's steps have in common. */
static void end_group(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    struct step_group *steps = &emitter->steps;
    if (!steps->shared)
        return;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(emitter->builder);
    uint8_t *const nans = emitter->nans;
    LLVMPositionBuilderAtEnd(emitter->builder, steps->shared);
    emitter->nans = steps->nans;
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(steps->live, row) && set_has(steps->steady, row))
            spill(emitter, row, steps->forms);
    emitter->nans = nans;
    LLVMBuildBr(emitter->builder, steps->leave);
    LLVMPositionBuilderAtEnd(emitter->builder, here);
    steps->shared = NULL;
}

void steps_begin(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, emitter->block);
    struct step_group *steps = &emitter->steps;
    if (at != range->op && at < steps->end)
        return;
    end_group(emitter);
    steps->end = at + GROUP_OPS < range->end ? at + GROUP_OPS : range->end;
    while (steps->end < range->end && !(graph->ops[steps->end].flags & MICRO_FIRST))
        steps->end++;
    memset(steps->live, 0, graph->row_words * sizeof *steps->live);
    find_steady(emitter, at);
}

void steps_end(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    struct step_group *steps = &emitter->steps;
    uint64_t *none = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    end_group(emitter);
    if (!none || !places) {
        emitter->failed = true;
        return;
    }
    if (!steps->leave)
        return;
    LLVMPositionBuilderAtEnd(emitter->builder, steps->leave);
    emit_places(emitter, emitter->block, false, places);
    emit_leave(emitter, none, emitter->state, places, TIER_STEP);
    steps->leave = NULL;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

LLVMBasicBlockRef steps_at(struct emitter *emitter, uint32_t op)
{
    const struct graph *graph = emitter->graph;
    struct step_group *steps = &emitter->steps;
    const uint32_t first = first_of(graph, op);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(emitter->builder), step = emit_new_block(emitter, "step");
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (!live) {
        emitter->failed = true;
        return step;
    }
    steps->leave = steps->leave ? steps->leave : emit_new_block(emitter, "leave");
    steps->shared = steps->shared ? steps->shared : emit_new_block(emitter, "steps");
    LLVMPositionBuilderAtEnd(emitter->builder, step);
    find_needed(emitter, first, live);
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(live, row) && !set_has(steps->steady, row))
            spill(emitter, row, emitter->state);
    for (uint32_t w = 0; w < graph->row_words; w++)
        steps->live[w] |= live[w];
    emit_frame_store(emitter, emitter->active, offsetof(struct tier_frame, step_lanes));
    emit_frame_store(emitter, emit_i32(emitter, first), offsetof(struct tier_frame, step_op));
    LLVMBuildBr(emitter->builder, steps->shared);
    LLVMPositionBuilderAtEnd(emitter->builder, here);
    return step;
}

void emit_check(struct emitter *emitter, LLVMValueRef condition, uint32_t op)
{
    LLVMBasicBlockRef good = emit_new_block(emitter, "good");
    emit_likely(emitter, condition, good, steps_at(emitter, op));
    LLVMPositionBuilderAtEnd(emitter->builder, good);
}
