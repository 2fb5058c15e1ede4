/* LLVM IR of a kernel.
 *
 * Takes the graph of a kernel, leaves the function (tier_code). Rows and the lanes at each block are
 * allocas, which LLVM turns into registers. A row of src/semantics is a call of its function in rows.c over
 * allocas, which is inlined. A predicate is 64 bits.
 *
 * The function begins with one piece of code for each block that may be entered: it loads the rows that live
 * lanes need. Behind each block the next one is found by asking, from the lowest on, which of those that may
 * have lanes has some. */
#include "exec/tier/llvm/lines.h"

#include <stddef.h>

/* ---- Lanes --------------------------------------------------------------------------------------------- */

LLVMValueRef emit_is_nonzero(struct emitter *emitter, LLVMValueRef value)
{
    return LLVMBuildICmp(emitter->builder, LLVMIntNE, value, emit_i64(emitter, 0), "");
}

LLVMValueRef emit_lanes_at(struct emitter *emitter, uint32_t block)
{
    return emit_load(emitter, emitter->i64, emitter->lanes[block]);
}

static LLVMValueRef frame_lanes(struct emitter *emitter, uint32_t block)
{
    LLVMValueRef all = emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, lanes));
    return emit_at(emitter, all, emit_i64(emitter, (uint64_t)block * 8));
}

/* ---- Leaving ------------------------------------------------------------------------------------------- */

/* Blocks that may have lanes when those of `block` have moved on, or before that. */
void emit_places(const struct emitter *emitter, uint32_t block, bool moved, uint64_t *ret_places)
{
    uint32_t next[GRAPH_OPS_MAX];
    memcpy(ret_places, graph_waiting(emitter->graph, block),
           emitter->graph->made->set_words * sizeof *ret_places);
    const uint32_t count = moved ? graph_places_behind(emitter->graph, block, next) : 0;
    for (uint32_t i = 0; i < count; i++)
        set_add(ret_places, next[i]);
}

/* Everything goes back to memory: the rows of `live`, whose forms are those of `state`, and the places; those
 * of lanes that wait there too, but before a step, which has done it. */
void emit_leave(struct emitter *emitter, uint64_t *live, const struct row_form *state, const uint64_t *places,
                enum tier_exit why)
{
    const struct graph *graph = emitter->graph;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(places, b))
            continue;
        for (uint32_t w = 0; w < graph->row_words && why != TIER_STEP; w++)
            live[w] |= graph->live[(size_t)b * graph->row_words + w];
        emit_store(emitter, emit_lanes_at(emitter, b), frame_lanes(emitter, b));
    }
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(live, row)) {
            const bool is_shared = !graph_is_awaited(graph, emitter->block, row);
            LLVMValueRef canonical = why == TIER_STEP ? NULL : emit_nan_lanes(emitter, row, NULL, places);
            emit_spill_row(emitter, row, is_shared ? state[row] : (struct row_form){.kind = FORM_VARIES},
                           canonical);
        }
    emit_frame_store(emitter, emit_load(emitter, emitter->i32, emitter->fuel),
                     offsetof(struct tier_frame, fuel));
    for (uint32_t level = 0; level < graph->made->levels; level++)
        emit_frame_store(emitter, emit_load(emitter, emitter->i32, emitter->returns_to[level]),
                         offsetof(struct tier_frame, returns_to) + level * sizeof(uint32_t));
    LLVMValueRef gang = LLVMBuildMul(emitter->builder, emitter->gang, emit_i32(emitter, TIER_GANG), "");
    LLVMBuildRet(emitter->builder, LLVMBuildOr(emitter->builder, gang, emit_i32(emitter, why), ""));
}

/* ---- Micro-ops ----------------------------------------------------------------------------------------- */

/* Where the row functions find an operand: a row's own alloca, or one with what else it is. */
static LLVMValueRef operand_place(struct emitter *emitter, struct row row, struct op_row bound, bool is_free)
{
    if (row.kind == ROW_NONE)
        return LLVMConstPointerNull(emitter->pointer);
    const uint32_t number = graph_row(emitter->graph, row);
    if ((row.kind == ROW_4 || row.kind == ROW_8) && !form_is_known(emitter->state[number]) &&
        (is_free || emitter->nans[number] != NAN_ANY))
        return emitter->rows[number];
    LLVMValueRef value = emit_operand(emitter, row, bound);
    if (row.kind == ROW_PREDICATE)
        value = LLVMBuildZExt(emitter->builder, emit_lanes_of(emitter, value), emitter->v8, "");
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(value), "");
    emit_store(emitter, value, place);
    return place;
}

/* What a row function has made, as emit_write takes it. */
LLVMValueRef emit_made_value(struct emitter *emitter, struct row row, LLVMValueRef place)
{
    if (row.kind != ROW_PREDICATE)
        return emit_load(emitter, emit_row_type(emitter, (enum row_kind)row.kind), place);
    return emit_bits_of(emitter,
                        LLVMBuildICmp(emitter->builder, LLVMIntNE, emit_load(emitter, emitter->v8, place),
                                      LLVMConstNull(emitter->v8), ""));
}

LLVMValueRef emit_new_place(struct emitter *emitter, struct row row)
{
    LLVMTypeRef type =
        row.kind == ROW_PREDICATE ? emitter->v8 : emit_row_type(emitter, (enum row_kind)row.kind);
    return LLVMBuildAlloca(emitter->allocas, type, "");
}

void emit_call_row(struct emitter *emitter, uint32_t at, const char *name, LLVMValueRef d, LLVMValueRef e,
                   const LLVMValueRef *places)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef arguments[] = {
        d, places[0], places[1], places[2], places[3], e, emit_i64(emitter, (uint64_t)op->immediate)};
    (void)emit_call(emitter, name, LLVMVoidTypeInContext(emitter->context), arguments,
                    HX_COUNT_OF(arguments));
}

static void call_row(struct emitter *emitter, uint32_t at, LLVMValueRef d, LLVMValueRef e)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct op *bound = &emitter->graph->bound->ops[at];
    const bool is_free = nans_are_free(emitter->graph, at, emitter->nans);
    const LLVMValueRef places[] = {
        operand_place(emitter, op->a, bound->a, is_free), operand_place(emitter, op->b, bound->b, is_free),
        operand_place(emitter, op->c, bound->c, is_free), operand_place(emitter, op->f, bound->f, is_free)};
    emit_call_row(emitter, at, row_function_name(op), d, e, places);
}

static void emit_value(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct row_form form = uniformity_result((struct graph *)emitter->graph, emitter->state, at);
    if (op->e.kind == ROW_NONE && form_is_known(form)) {
        LLVMValueRef numbers[GROUPS_MAX], more[GROUPS_MAX];
        const bool is_extended = emit_check_extension(emitter, at, form, more);
        emit_known_value(emitter, at, form, numbers);
        for (uint32_t g = 0; g < emit_number_count(emitter, form) && is_extended; g++)
            numbers[g] = LLVMBuildAdd(emitter->builder, numbers[g], more[g], "");
        emit_write_known(emitter, at, op->d, form, numbers);
        return;
    }
    LLVMValueRef d = emit_new_place(emitter, op->d);
    LLVMValueRef e =
        op->e.kind == ROW_NONE ? LLVMConstPointerNull(emitter->pointer) : emit_new_place(emitter, op->e);
    call_row(emitter, at, d, e);
    LLVMValueRef value = emit_made_value(emitter, op->d, d);
    LLVMValueRef second = op->e.kind == ROW_NONE ? NULL : emit_made_value(emitter, op->e, e);
    emit_write(emitter, op->d, value, nans_result(emitter->graph, at, emitter->nans));
    if (second)
        emit_write(emitter, op->e, second, NAN_EXACT);
}

LLVMValueRef emit_guard_of_all(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct row_form one = {.kind = FORM_ONE};
    LLVMValueRef bit;
    if (op->flags & MICRO_DEFERRED_COMPARE)
        emit_known_value(emitter, at - 1, one, &bit);
    else
        bit = emit_number(emitter, op->c, emitter->graph->bound->ops[at].c, FORM_ONE, 0);
    return LLVMBuildICmp(emitter->builder, op->flags & MICRO_GUARD_NEGATED ? LLVMIntEQ : LLVMIntNE, bit,
                         LLVMConstNull(LLVMTypeOf(bit)), "");
}

LLVMValueRef emit_guard(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef bits;
    struct row_form form = {.kind = FORM_VARIES};
    if (op->flags & MICRO_DEFERRED_COMPARE)
        form = uniformity_result((struct graph *)emitter->graph, emitter->state, at - 1);
    if (form_is_known(form)) {
        LLVMValueRef numbers[GROUPS_MAX];
        emit_known_value(emitter, at - 1, form, numbers);
        bits = emit_known_vector(emitter, form, ROW_PREDICATE, numbers);
    } else if (op->flags & MICRO_DEFERRED_COMPARE) {
        LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, emitter->v8, "");
        call_row(emitter, at - 1, place, LLVMConstPointerNull(emitter->pointer));
        bits = emit_made_value(emitter, (struct row){ROW_PREDICATE, 0}, place);
    } else {
        bits = emit_operand(emitter, op->c, emitter->graph->bound->ops[at].c);
    }
    if (op->flags & MICRO_GUARD_NEGATED)
        bits = LLVMBuildNot(emitter->builder, bits, "");
    return LLVMBuildAnd(emitter->builder, bits, emitter->active, "");
}

void emit_count(struct emitter *emitter, uint64_t slot, LLVMValueRef more)
{
    LLVMValueRef counts = emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, counts));
    LLVMValueRef at = emit_at(emitter, counts, emit_i64(emitter, slot * 8));
    emit_store(emitter, LLVMBuildAdd(emitter->builder, emit_load(emitter, emitter->i64, at), more, ""), at);
}

static void count_lanes(struct emitter *emitter, uint64_t slot, LLVMValueRef lanes)
{
    if (emitter->counts)
        emit_count(emitter, slot, emit_call(emitter, "llvm.ctpop.i64", emitter->i64, &lanes, 1));
}

/* False when the interpreter has to do it, and what is behind it in the block. */
static bool emit_op(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    const struct tier_kernel *made = graph->made;
    switch ((enum op_kind)graph->kinds[at]) {
    case OP_GUARD:
        emitter->guard = emit_guard(emitter, at);
        break;
    case OP_NOTHING:
        if (graph->ops[at].semantic == MICRO_GUARD_END)
            emitter->guard = NULL;
        break;
    case OP_VALUE:
        emit_value(emitter, at);
        break;
    case OP_MEMORY:
    case OP_ATOMIC:
        emit_access(emitter, at);
        break;
    case OP_WAIT:
        emit_wait(emitter, at);
        break;
    case OP_WARP:
        emit_warp(emitter, at);
        break;
    case OP_HELPED:
        emit_helped(emitter, at);
        break;
    case OP_FENCE:
        LLVMBuildFence(emitter->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        break;
    case OP_BRANCH:
    case OP_TABLE:
    case OP_EXIT:
    case OP_LOOP:
    case OP_CALL:
    case OP_CALL_TABLE:
    case OP_RETURN:
        break;
    case OP_BARRIER:
    case OP_COMBINE:
    case OP_STEP:
        return false;
    }
    if (made->slot_at[at] != TIER_NONE)
        count_lanes(emitter, 2ull * made->block_count + made->slot_at[at], emit_mask(emitter));
    return true;
}

static bool instruction_steps(const struct graph *graph, uint32_t first, uint32_t end)
{
    bool steps = false;
    uint32_t i = first;
    do
        steps |= graph->kinds[i] == OP_STEP || graph->kinds[i] == OP_BARRIER;
    while (++i < end && !(graph->ops[i].flags & MICRO_FIRST));
    return steps;
}

/* What is known of a row's addresses ends where it is written. */
static void forget_checks(struct emitter *emitter, uint32_t at)
{
    const struct row written[] = {emitter->graph->ops[at].d, emitter->graph->ops[at].e};
    for (size_t i = 0; i < HX_COUNT_OF(written); i++) {
        const uint32_t row = graph_row(emitter->graph, written[i]);
        if (row == TIER_NONE)
            continue;
        emitter->checks[row].good = NULL;
        emitter->fetches[row].exists = false;
    }
}

static void emit_body(struct emitter *emitter, uint32_t block)
{
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, block);
    LLVMPositionBuilderAtEnd(emitter->builder, emit_scalar_loop(emitter, block));
    emitter->block = block;
    emitter->written = TIER_NONE;
    emitter->guard = NULL;
    emitter->active = emit_lanes_at(emitter, block);
    memcpy(emitter->state, graph_forms(graph, block), graph->row_count * sizeof *emitter->state);
    memcpy(emitter->nans, graph_nans(graph, block), graph->row_count);
    emit_store(emitter, emit_i64(emitter, 0), emitter->lanes[block]);
    if (emitter->counts) {
        emit_count(emitter, 2ull * block, emit_i64(emitter, 1));
        count_lanes(emitter, 2ull * block + 1, emitter->active);
    }
    for (uint32_t i = range->op; i < range->end; i++) {
        steps_begin(emitter, i);
        emit_place(emitter, i);
        const bool steps = (graph->ops[i].flags & MICRO_FIRST) && instruction_steps(graph, i, range->end);
        if (steps || !emit_op(emitter, i)) {
            emit_barrier(emitter, i);
            LLVMBuildBr(emitter->builder, steps_at(emitter, i));
            steps_end(emitter);
            return;
        }
        forget_checks(emitter, i);
        if (i + 1 < range->end) {
            uniformity_step((struct graph *)graph, block, i, emitter->state);
            nans_step(graph, i, emitter->nans);
        }
    }
    emit_end(emitter);
    steps_end(emitter);
}

/* ---- The function -------------------------------------------------------------------------------------- */

/* The row's vector where the function is entered at a block: behind a barrier only numbers of known rows are
 * in memory. Lanes that wait at other places may have other values; then they are there. */
static void begin_row(struct emitter *emitter, uint32_t block, uint32_t row)
{
    const struct graph *graph = emitter->graph;
    const struct row_form form = graph_forms(graph, block)[row];
    const bool is_known = form_is_known(form) && set_has(graph->live + (size_t)block * graph->row_words, row);
    const bool is_awaited = graph_is_awaited(graph, block, row);
    if (!is_known || is_awaited)
        emit_load_row(emitter, row);
    if (!is_known)
        return;
    LLVMValueRef vector = emit_row_vector(emitter, row, form);
    if (is_awaited) {
        LLVMTypeRef type = emit_row_type(emitter, graph_row_kind(graph, row));
        LLVMValueRef there = emit_load(emitter, type, emitter->rows[row]);
        vector = emit_selected(emitter, emit_lanes_at(emitter, block), vector, there);
    }
    emit_store(emitter, vector, emitter->rows[row]);
}

/* The code at which the function begins when it is entered at a block. */
static bool emit_entry(struct emitter *emitter, uint32_t block, LLVMValueRef choice)
{
    const struct graph *graph = emitter->graph;
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (!live)
        return false;
    LLVMBasicBlockRef entry = emit_new_block(emitter, "entry");
    LLVMAddCase(choice, emit_i32(emitter, block), entry);
    LLVMPositionBuilderAtEnd(emitter->builder, entry);
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (b != block && !set_has(graph_waiting(graph, block), b))
            continue;
        for (uint32_t w = 0; w < graph->row_words; w++)
            live[w] |= graph->live[(size_t)b * graph->row_words + w];
        if (b == block) {
            emit_store(emitter, emitter->here, emitter->lanes[b]);
        } else {
            emit_store(emitter, emit_load(emitter, emitter->i64, frame_lanes(emitter, b)), emitter->lanes[b]);
            emit_store(emitter, emit_i64(emitter, 0), frame_lanes(emitter, b));
        }
        emit_load_numbers(emitter, b);
    }
    for (uint32_t w = 0; graph->is_open[block] && w < graph->row_words; w++)
        live[w] |= graph->kept[w];
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(live, row))
            begin_row(emitter, block, row);
    if (graph_block(graph, block)->level > 0)
        emit_store(emitter, emit_i32(emitter, TIER_NONE),
                   emitter->returns_to[graph_block(graph, block)->level - 1]);
    LLVMBuildBr(emitter->builder, emitter->bodies[block]);
    return true;
}

/* All gangs have run: where they wait at one barrier they go on from the block behind it, which this gives,
 * at `each`. *ret_from is where that comes from. */
static LLVMValueRef end_stage(struct emitter *emitter, LLVMBasicBlockRef each, LLVMBasicBlockRef *ret_from)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef again = emit_new_block(emitter, "next_stage"), end = emit_new_block(emitter, "end");
    LLVMValueRef stage = emit_load(emitter, emitter->i32, emitter->stage);
    LLVMValueRef is_one = LLVMBuildICmp(builder, LLVMIntULT, stage, emit_i32(emitter, STAGE_MIXED), "");
    is_one = LLVMBuildAnd(builder, is_one, LLVMGetParam(emitter->function, 3), "");
    LLVMBuildCondBr(builder, is_one, again, end);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMValueRef any = LLVMBuildICmp(builder, LLVMIntNE, stage, emit_i32(emitter, STAGE_NONE), "");
    LLVMBuildRet(builder, LLVMBuildSelect(builder, any, emit_i32(emitter, TIER_GANG | TIER_DONE),
                                          emit_i32(emitter, TIER_DONE), ""));
    LLVMPositionBuilderAtEnd(builder, again);
    emit_store(emitter, emit_i32(emitter, STAGE_NONE), emitter->stage);
    emit_store(emitter, stage,
               emit_at(emitter, emitter->frames, emit_i64(emitter, offsetof(struct tier_frame, entered))));
    LLVMBuildBr(builder, each);
    *ret_from = again;
    return stage;
}

/* A loop over the gangs; code goes on in it where a gang with lanes begins. */
static void begin_gangs(struct emitter *emitter, LLVMBasicBlockRef before)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef each = emit_new_block(emitter, "gang"), begin = emit_new_block(emitter, "begin"),
                      all = emit_new_block(emitter, "all_gangs"), again;
    emitter->done = emit_new_block(emitter, "done");
    emitter->next = emit_new_block(emitter, "next_gang");
    LLVMPositionBuilderAtEnd(builder, before);
    emitter->uniform_memory =
        emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, uniforms));
    LLVMPositionBuilderAtEnd(builder, each);
    emitter->gang = LLVMBuildPhi(builder, emitter->i32, "");
    emitter->entered = LLVMBuildPhi(builder, emitter->i32, "");
    LLVMValueRef at = LLVMBuildZExt(builder, emitter->gang, emitter->i64, "");
    at = LLVMBuildMul(builder, at, emit_i64(emitter, sizeof(struct tier_frame)), "");
    emitter->frame = emit_at(emitter, emitter->frames, at);
    LLVMValueRef place =
        emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, here)));
    emitter->here = emit_load(emitter, emitter->i64, place);
    LLVMBuildCondBr(builder, emit_is_nonzero(emitter, emitter->here), begin, emitter->next);

    LLVMPositionBuilderAtEnd(builder, emitter->next);
    LLVMValueRef more = LLVMBuildAdd(builder, emitter->gang, emit_i32(emitter, 1), "");
    LLVMValueRef is_more = LLVMBuildICmp(builder, LLVMIntULT, more, LLVMGetParam(emitter->function, 1), "");
    LLVMBuildCondBr(builder, is_more, each, all);
    LLVMPositionBuilderAtEnd(builder, all);
    LLVMValueRef stage = end_stage(emitter, each, &again);

    LLVMValueRef numbers[] = {emit_i32(emitter, 0), more, emit_i32(emitter, 0)};
    LLVMValueRef blocks[] = {LLVMGetParam(emitter->function, 2), emitter->entered, stage};
    LLVMBasicBlockRef from[] = {before, emitter->next, again};
    LLVMAddIncoming(emitter->gang, numbers, from, HX_COUNT_OF(from));
    LLVMAddIncoming(emitter->entered, blocks, from, HX_COUNT_OF(from));
    LLVMPositionBuilderAtEnd(emitter->allocas, before);
    LLVMPositionBuilderAtEnd(builder, begin);
    emitter->row_memory = emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, rows));
}

static bool emit_function(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef allocas = emit_new_block(emitter, "allocas");
    LLVMPositionBuilderAtEnd(builder, allocas);
    emitter->stage = LLVMBuildAlloca(builder, emitter->i32, "");
    emit_store(emitter, emit_i32(emitter, STAGE_NONE), emitter->stage);
    begin_gangs(emitter, allocas);
    bool good = emit_make_allocas(emitter);
    if (!good)
        return false;
    LLVMValueRef fuel_place =
        emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, fuel)));
    emit_store(emitter, emit_load(emitter, emitter->i32, fuel_place), emitter->fuel);
    LLVMValueRef choice = LLVMBuildSwitch(builder, emitter->entered, emitter->done, 8);
    LLVMPositionBuilderBefore(emitter->begins, choice);
    for (uint32_t b = 0; good && b < graph->made->block_count; b++)
        if (graph_block(graph, b)->is_entry)
            good = emit_entry(emitter, b, choice);
    for (uint32_t b = 0; good && b < graph->made->block_count; b++)
        if (graph->is_emitted[b])
            emit_body(emitter, b);
    LLVMPositionBuilderAtEnd(builder, emitter->done);
    emit_frame_store(emitter, emit_i64(emitter, 0), offsetof(struct tier_frame, here));
    LLVMBuildBr(builder, emitter->next);
    LLVMBuildBr(emitter->allocas, LLVMGetInstructionParent(emitter->gang));
    return good && !emitter->failed;
}

bool emit_kernel(struct emitter *emitter)
{
    emit_make_types(emitter);
    LLVMTypeRef parameters[] = {emitter->pointer, emitter->i32, emitter->i32, emitter->i1};
    emitter->function =
        LLVMAddFunction(emitter->module, emitter->symbol,
                        LLVMFunctionType(emitter->i32, parameters, HX_COUNT_OF(parameters), false));
    emitter->frames = LLVMGetParam(emitter->function, 0);
    const unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddAttributeAtIndex(emitter->function, 1, LLVMCreateEnumAttribute(emitter->context, noalias, 0));
    emitter->builder = LLVMCreateBuilderInContext(emitter->context);
    emitter->allocas = LLVMCreateBuilderInContext(emitter->context);
    emitter->begins = LLVMCreateBuilderInContext(emitter->context);
    if (emitter->lines)
        lines_begin(emitter->lines, emitter, emitter->symbol);
    const bool good = emit_function(emitter);
    if (emitter->lines)
        lines_end(emitter->lines);
    LLVMDisposeBuilder(emitter->builder);
    LLVMDisposeBuilder(emitter->allocas);
    LLVMDisposeBuilder(emitter->begins);
    return good;
}
