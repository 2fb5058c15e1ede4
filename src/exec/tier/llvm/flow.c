/* Where lanes go at the end of a block.
 *
 * Takes the block's last micro-op, leaves code that gives its lanes to the blocks behind it and goes on in
 * the lowest one that has lanes. A choice that is the same for all lanes is a jump. */
#include "exec/tier/llvm/emit.h"

#include <stddef.h>

/* True when code goes on there in any case. */
static bool go_on_at(struct emitter *emitter, uint32_t block, bool is_sure)
{
    if (is_sure) {
        LLVMBuildBr(emitter->builder, emitter->bodies[block]);
        return true;
    }
    LLVMBasicBlockRef next = emit_new_block(emitter, "next");
    LLVMBuildCondBr(emitter->builder, emit_is_nonzero(emitter, emit_lanes_at(emitter, block)),
                    emitter->bodies[block], next);
    LLVMPositionBuilderAtEnd(emitter->builder, next);
    return false;
}

void emit_go_on(struct emitter *emitter, const uint64_t *places, uint32_t sure)
{
    const struct tier_kernel *made = emitter->graph->made;
    for (uint32_t level = made->levels + 1; level-- > 0;) /* functions first */
        for (uint32_t b = 0; b < made->block_count; b++)
            if (set_has(places, b) && emitter->bodies[b] && made->blocks[b].level == level &&
                go_on_at(emitter, b, b == sure))
                return;
    LLVMBuildBr(emitter->builder, emitter->done);
}

void emit_add_lanes(struct emitter *emitter, uint32_t block, LLVMValueRef lanes)
{
    if (!set_has(graph_waiting(emitter->graph, emitter->block), block)) { /* nobody is there */
        emit_store(emitter, lanes, emitter->lanes[block]);
        return;
    }
    emit_store(emitter, LLVMBuildOr(emitter->builder, emit_lanes_at(emitter, block), lanes, ""),
               emitter->lanes[block]);
}

/* Backward jumps and calls cost fuel. */
static void burn_fuel(struct emitter *emitter, uint32_t target, const uint64_t *places)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef back = emit_new_block(emitter, "back"), out = emit_new_block(emitter, "fuel"),
                      next = emit_new_block(emitter, "forward");
    const bool is_together = emitter->together && target == emitter->together_of &&
                             emitter->block >= target && emitter->block <= emitter->together_last;
    LLVMBuildCondBr(builder, emit_is_nonzero(emitter, emit_lanes_at(emitter, target)), back, next);
    LLVMPositionBuilderAtEnd(builder, back);
    LLVMValueRef left =
        LLVMBuildSub(builder, emit_load(emitter, emitter->i32, emitter->fuel), emit_i32(emitter, 1), "");
    emit_store(emitter, left, emitter->fuel);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSGT, left, emit_i32(emitter, 0), ""),
                    is_together ? emitter->together : emitter->bodies[target], out);
    LLVMPositionBuilderAtEnd(builder, out);
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (live)
        emit_leave(emitter, live, emitter->state, places, TIER_FUEL);
    emitter->failed |= !live;
    LLVMPositionBuilderAtEnd(builder, next);
}

/* Counts row d down where it is above 0: the lanes that go round again. */
static LLVMValueRef count_down(struct emitter *emitter, uint32_t at, LLVMValueRef lanes)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    const bool is_signed = op->d.kind == ROW_8 ? op->type == HX_TYPE_I64 : op->type != HX_TYPE_U32;
    LLVMTypeRef type = emit_row_type(emitter, (enum row_kind)op->d.kind);
    LLVMValueRef cells = emit_operand(emitter, op->d, emitter->graph->bound->ops[at].d);
    LLVMValueRef above =
        LLVMBuildICmp(builder, is_signed ? LLVMIntSGT : LLVMIntUGT, cells, LLVMConstNull(type), "");
    LLVMValueRef left = LLVMBuildAdd(builder, cells, LLVMBuildSExt(builder, above, type, ""), "");
    LLVMValueRef again =
        LLVMBuildAnd(builder, above, LLVMBuildICmp(builder, LLVMIntNE, left, LLVMConstNull(type), ""), "");
    emitter->guard = lanes;
    emit_write(emitter, op->d, left, NAN_EXACT);
    emitter->guard = NULL;
    return LLVMBuildAnd(builder, emit_bits_of(emitter, again), lanes ? lanes : emitter->active, "");
}

/* The same of a row that is one number. */
static LLVMValueRef count_down_all(struct emitter *emitter, uint32_t at)
{
    LLVMBuilderRef builder = emitter->builder;
    struct graph *graph = (struct graph *)emitter->graph;
    const struct micro_op *op = &graph->ops[at];
    const bool is_signed = op->d.kind == ROW_8 ? op->type == HX_TYPE_I64 : op->type != HX_TYPE_U32;
    LLVMValueRef count = emit_number(emitter, op->d, graph->bound->ops[at].d, FORM_ONE, 0);
    LLVMTypeRef type = LLVMTypeOf(count);
    LLVMValueRef above =
        LLVMBuildICmp(builder, is_signed ? LLVMIntSGT : LLVMIntUGT, count, LLVMConstNull(type), "");
    LLVMValueRef left = LLVMBuildAdd(builder, count, LLVMBuildSExt(builder, above, type, ""), "");
    emit_write_known(emitter, at, op->d, (struct row_form){.kind = FORM_ONE}, &left);
    uniformity_step(graph, emitter->block, at, emitter->state);
    return LLVMBuildAnd(builder, above, LLVMBuildICmp(builder, LLVMIntNE, left, LLVMConstNull(type), ""), "");
}

/* The lanes that jump or exit at the end of the block; NULL: none do. *ret_rest: those that go on; NULL:
 * none. */
static LLVMValueRef part_lanes(struct emitter *emitter, uint32_t at, LLVMValueRef *ret_rest)
{
    const enum op_kind kind = (enum op_kind)emitter->graph->kinds[at];
    const bool is_guarded = (emitter->graph->ops[at].flags & MICRO_GUARDED) != 0;
    LLVMValueRef taken = is_guarded ? emit_guard(emitter, at) : NULL;
    *ret_rest = emitter->active;
    if (kind != OP_BRANCH && kind != OP_EXIT && kind != OP_LOOP && kind != OP_CALL && kind != OP_RETURN)
        return NULL;
    if (kind == OP_LOOP)
        taken = count_down(emitter, at, taken);
    *ret_rest =
        taken ? LLVMBuildAnd(emitter->builder, emitter->active, LLVMBuildNot(emitter->builder, taken, ""), "")
              : NULL;
    return taken ? taken : emitter->active;
}

/* The block's lanes move on: those of `taken` jump, the `rest` goes on behind; NULL: none do. */
static void move_on(struct emitter *emitter, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct graph *graph = emitter->graph;
    const uint32_t block = emitter->block, end = graph_block(graph, block)->end;
    const bool is_exit = graph->kinds[end - 1] == OP_EXIT;
    const uint32_t next = end < graph->op_count ? graph->made->block_at[end] : TIER_NONE;
    uint32_t target = taken && !is_exit ? graph->made->block_at[graph->ops[end - 1].target] : TIER_NONE;
    if (target == next && target != TIER_NONE && rest) { /* all go on behind */
        target = TIER_NONE;
        rest = emitter->active;
    }
    const bool is_call = graph->kinds[end - 1] == OP_CALL;
    const bool is_back = target != TIER_NONE && target <= block && !is_call;
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    if (!places) {
        emitter->failed = true;
        return;
    }
    emit_places(emitter, block, false, places);
    if (target != TIER_NONE) {
        emit_add_lanes(emitter, target, taken);
        set_add(places, target);
    }
    if (rest && next != TIER_NONE) {
        emit_add_lanes(emitter, next, rest);
        set_add(places, next);
    }
    if (is_call)
        emit_store(emitter, emit_i32(emitter, next), emitter->returns_to[graph_block(graph, block)->level]);
    if (is_back || is_call) {
        burn_fuel(emitter, target, places);
        places[target / 64] &= ~(UINT64_C(1) << (target % 64));
    }
    const bool ends_there = target != TIER_NONE && !is_back && !is_call && (!rest || target > next);
    const bool ends_behind = rest && !is_exit && (target == TIER_NONE || is_back || is_call);
    emit_go_on(emitter, places, ends_there ? target : ends_behind ? next : TIER_NONE);
}

/* All lanes choose the same. */
static void move_together(struct emitter *emitter, uint32_t at)
{
    LLVMBasicBlockRef jump = emit_new_block(emitter, "all_jump"), stay = emit_new_block(emitter, "all_go_on");
    const bool is_loop = emitter->graph->kinds[at] == OP_LOOP;
    LLVMBuildCondBr(emitter->builder, is_loop ? count_down_all(emitter, at) : emit_guard_of_all(emitter, at),
                    jump, stay);
    LLVMPositionBuilderAtEnd(emitter->builder, jump);
    move_on(emitter, emitter->active, NULL);
    LLVMPositionBuilderAtEnd(emitter->builder, stay);
    move_on(emitter, NULL, emitter->active);
}

LLVMValueRef emit_waiting_lanes(struct emitter *emitter)
{
    LLVMValueRef lanes = emitter->graph->is_open[emitter->block]
                             ? emit_frame_field(emitter, emitter->i64, offsetof(struct tier_frame, aside))
                             : NULL;
    for (uint32_t b = 0; b < emitter->graph->made->block_count; b++) {
        if (!set_has(graph_waiting(emitter->graph, emitter->block), b))
            continue;
        LLVMValueRef there = emit_lanes_at(emitter, b);
        lanes = lanes ? LLVMBuildOr(emitter->builder, lanes, there, "") : there;
    }
    return lanes;
}

/* The gang waits at barrier `at`, in front of block `behind`. */
static void wait_in_stage(struct emitter *emitter, uint32_t at, uint32_t behind)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef here = emit_i32(emitter, behind), mixed = emit_i32(emitter, STAGE_MIXED);
    LLVMValueRef stage = emit_load(emitter, emitter->i32, emitter->stage);
    LLVMValueRef is_first = LLVMBuildICmp(builder, LLVMIntEQ, stage, emit_i32(emitter, STAGE_NONE), "");
    LLVMValueRef is_same = LLVMBuildICmp(builder, LLVMIntEQ, stage, here, "");
    LLVMValueRef is_one = LLVMBuildOr(builder, is_first, is_same, "");
    const bool gives = op->semantic == MICRO_COLLECTIVE || op->d.kind != ROW_NONE;
    emit_store(emitter, gives ? mixed : LLVMBuildSelect(builder, is_one, here, mixed, ""), emitter->stage);
}

void emit_barrier(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    const uint32_t behind = emitter->block + 1;
    if (graph->kinds[at] != OP_BARRIER || at + 1 >= graph->op_count || graph->is_open[emitter->block] ||
        !graph_block(graph, behind)->is_entry)
        return;
    LLVMValueRef waiting = emit_waiting_lanes(emitter);
    LLVMBasicBlockRef whole = emit_new_block(emitter, "barrier"), part = emit_new_block(emitter, "parted");
    if (waiting)
        LLVMBuildCondBr(emitter->builder, emit_is_nonzero(emitter, waiting), part, whole);
    else
        LLVMBuildBr(emitter->builder, whole);
    LLVMPositionBuilderAtEnd(emitter->builder, whole);
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(graph->live + (size_t)behind * graph->row_words, row) &&
            !form_is_known(graph_forms(graph, behind)[row]))
            emit_spill_row(emitter, row, emitter->state[row],
                           emitter->nans[row] == NAN_ANY ? emit_i64(emitter, UINT64_MAX) : NULL);
    emit_give_operand(emitter, graph->ops[graph->ops[at].semantic == MICRO_COLLECTIVE ? at + 1 : at].a);
    emit_give_operand(emitter, graph->ops[at].b);
    emit_save_numbers(emitter, behind);
    emit_frame_store(emitter, emitter->active, offsetof(struct tier_frame, here));
    emit_frame_store(emitter, emit_i32(emitter, at), offsetof(struct tier_frame, step_op));
    emit_frame_store(emitter, emit_load(emitter, emitter->i32, emitter->fuel),
                     offsetof(struct tier_frame, fuel));
    wait_in_stage(emitter, at, behind);
    LLVMBuildBr(emitter->builder, emitter->next);
    LLVMPositionBuilderAtEnd(emitter->builder, part);
}

/* Lanes of the block have moved on; `sure` as for emit_go_on. */
static void go_on_from(struct emitter *emitter, uint32_t sure)
{
    uint64_t *places = ARENA_ARRAY(emitter->graph->arena, uint64_t, emitter->graph->made->set_words);
    if (!places) {
        emitter->failed = true;
        return;
    }
    emit_places(emitter, emitter->block, sure == TIER_NONE, places);
    if (sure != TIER_NONE)
        set_add(places, sure);
    emit_go_on(emitter, places, sure);
}

/* Lanes have been given to what they call: they return to behind the block. Code goes on where there is fuel.
 */
static void begin_called(struct emitter *emitter, LLVMValueRef lanes)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef called = emit_new_block(emitter, "called"), out = emit_new_block(emitter, "fuel");
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    if (!live || !places) {
        emitter->failed = true;
        return;
    }
    emit_places(emitter, emitter->block, true, places);
    emit_store(emitter, emit_i32(emitter, emitter->block + 1),
               emitter->returns_to[graph_block(graph, emitter->block)->level]);
    LLVMValueRef any = LLVMBuildZExt(builder, emit_is_nonzero(emitter, lanes), emitter->i32, "");
    LLVMValueRef left = LLVMBuildSub(builder, emit_load(emitter, emitter->i32, emitter->fuel), any, "");
    emit_store(emitter, left, emitter->fuel);
    emit_likely(emitter, LLVMBuildICmp(builder, LLVMIntSGT, left, emit_i32(emitter, 0), ""), called, out);
    LLVMPositionBuilderAtEnd(builder, out);
    emit_leave(emitter, live, emitter->state, places, TIER_FUEL);
    LLVMPositionBuilderAtEnd(builder, called);
}

/* All lanes go to the entry that one number names. */
static void jump_together(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    const struct micro_op *op = &graph->ops[at];
    const uint32_t count = (uint32_t)op->immediate;
    LLVMValueRef index = emit_number(emitter, op->a, graph->bound->ops[at].a, FORM_ONE, 0);
    LLVMValueRef limit = emit_i32(emitter, count);
    emit_check(emitter, LLVMBuildICmp(emitter->builder, LLVMIntULT, index, limit, ""), at);
    LLVMBasicBlockRef nowhere = emit_new_block(emitter, "nowhere");
    LLVMValueRef choice = LLVMBuildSwitch(emitter->builder, index, nowhere, count);
    LLVMPositionBuilderAtEnd(emitter->builder, nowhere);
    LLVMBuildUnreachable(emitter->builder);
    for (uint32_t i = 0; i < count; i++) {
        LLVMBasicBlockRef all = emit_new_block(emitter, "all_jump");
        LLVMAddCase(choice, emit_i32(emitter, i), all);
        LLVMPositionBuilderAtEnd(emitter->builder, all);
        emit_add_lanes(emitter, graph->made->block_at[op->target + i], emitter->active);
        if (graph->kinds[at] == OP_CALL_TABLE)
            begin_called(emitter, emitter->active);
        go_on_from(emitter, graph->made->block_at[op->target + i]);
    }
}

/* Each lane goes to the entry that its number names; those whose guard is false go on behind. */
static void jump_apart(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &graph->ops[at];
    const bool is_guarded = (op->flags & MICRO_GUARDED) != 0;
    LLVMValueRef lanes = is_guarded ? emit_guard(emitter, at) : emitter->active;
    LLVMValueRef index = emit_operand(emitter, op->a, graph->bound->ops[at].a);
    LLVMValueRef limit = emit_splat(emitter, emit_i32(emitter, (uint32_t)op->immediate));
    LLVMValueRef wrong = emit_bits_of(emitter, LLVMBuildICmp(builder, LLVMIntUGE, index, limit, ""));
    wrong = LLVMBuildAnd(builder, wrong, lanes, "");
    emit_check(emitter, LLVMBuildICmp(builder, LLVMIntEQ, wrong, emit_i64(emitter, 0), ""), at);
    LLVMValueRef rest = LLVMBuildAnd(builder, emitter->active, LLVMBuildNot(builder, lanes, ""), "");
    bool is_behind = false; /* the table: lanes of one entry and the rest meet there */
    for (uint32_t i = 0; i < (uint32_t)op->immediate; i++) {
        const uint32_t target = graph->made->block_at[op->target + i];
        LLVMValueRef entry = emit_splat(emitter, emit_i32(emitter, i));
        LLVMValueRef there = emit_bits_of(emitter, LLVMBuildICmp(builder, LLVMIntEQ, index, entry, ""));
        there = LLVMBuildAnd(builder, there, lanes, "");
        is_behind |= target == emitter->block + 1;
        emit_add_lanes(emitter, target,
                       target == emitter->block + 1 ? LLVMBuildOr(builder, there, rest, "") : there);
    }
    if (is_guarded && !is_behind)
        emit_add_lanes(emitter, emitter->block + 1, rest);
    if (graph->kinds[at] == OP_CALL_TABLE)
        begin_called(emitter, lanes);
    go_on_from(emitter, TIER_NONE);
}

void emit_end(struct emitter *emitter)
{
    struct graph *graph = (struct graph *)emitter->graph;
    const uint32_t last = graph_block(graph, emitter->block)->end - 1;
    emit_nans_at_end(emitter);
    const bool is_table = op_kind_is_table((enum op_kind)graph->kinds[last]);
    if (graph_ends_with_choice(graph, emitter->block) && !graph->parts[emitter->block]) {
        (is_table ? jump_together : move_together)(emitter, last);
        return;
    }
    if (is_table) {
        jump_apart(emitter, last);
        return;
    }
    LLVMValueRef rest, taken = part_lanes(emitter, last, &rest);
    uniformity_step(graph, emitter->block, last, emitter->state);
    if (graph->kinds[last] == OP_RETURN) {
        emit_return(emitter, taken, rest);
        return;
    }
    move_on(emitter, taken, rest);
}
