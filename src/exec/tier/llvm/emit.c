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

static LLVMValueRef is_nonzero(struct emitter *emitter, LLVMValueRef value)
{
    return LLVMBuildICmp(emitter->builder, LLVMIntNE, value, emit_i64(emitter, 0), "");
}

static LLVMValueRef lanes_at(struct emitter *emitter, uint32_t block)
{
    return emit_load(emitter, emitter->i64, emitter->lanes[block]);
}

static LLVMValueRef frame_lanes(struct emitter *emitter, uint32_t block)
{
    LLVMValueRef all = emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, lanes));
    return emit_at(emitter, all, emit_i64(emitter, (uint64_t)block * 8));
}

/* ---- Leaving ------------------------------------------------------------------------------------------- */

/* Blocks that may have lanes when those of `block` have moved on, or before that. */
static void places_of(const struct emitter *emitter, uint32_t block, bool moved, uint64_t *ret_places)
{
    uint32_t next[GRAPH_OPS_MAX];
    memcpy(ret_places, graph_waiting(emitter->graph, block),
           emitter->graph->made->set_words * sizeof *ret_places);
    const uint32_t count = moved ? graph_places_behind(emitter->graph, block, next) : 0;
    for (uint32_t i = 0; i < count; i++)
        set_add(ret_places, next[i]);
}

/* Everything goes back to memory: the rows of `live` and those of lanes that wait at `places`, and the
 * places.
 */
static void leave(struct emitter *emitter, uint64_t *live, const uint64_t *places, enum tier_exit why)
{
    const struct graph *graph = emitter->graph;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(places, b))
            continue;
        for (uint32_t w = 0; w < graph->row_words; w++)
            live[w] |= graph->live[(size_t)b * graph->row_words + w];
        emit_store(emitter, lanes_at(emitter, b), frame_lanes(emitter, b));
    }
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(live, row))
            emit_spill_row(emitter, row);
    emit_store(emitter, emit_load(emitter, emitter->i32, emitter->fuel),
               emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, fuel))));
    if (why == TIER_STEP) {
        emit_store(
            emitter, emit_load(emitter, emitter->i64, emitter->step_lanes),
            emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, step_lanes))));
        emit_store(emitter, emit_load(emitter, emitter->i32, emitter->step_op),
                   emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, step_op))));
    }
    LLVMBuildRet(emitter->builder, emit_i32(emitter, why));
}

/* One piece of code for all steps of a block: what any of them needs goes to memory. */
static bool emit_steps(struct emitter *emitter, uint32_t block)
{
    const struct graph *graph = emitter->graph;
    uint64_t *all = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    if (!emitter->steps[block])
        return true;
    if (!all || !live || !places)
        return false;
    const struct tier_block *range = graph_block(graph, block);
    for (uint32_t i = range->op; i < range->end; i++) {
        if (!(graph->ops[i].flags & MICRO_FIRST))
            continue;
        graph_live_at(graph, block, i, live);
        for (uint32_t w = 0; w < graph->row_words; w++)
            all[w] |= live[w];
        if (graph->made->guard_at[i] != TIER_NONE) /* made once more from its predicate */
            set_add(all, graph_row(graph, graph->ops[graph->made->guard_at[i]].c));
    }
    LLVMPositionBuilderAtEnd(emitter->builder, emitter->steps[block]);
    places_of(emitter, block, false, places);
    leave(emitter, all, places, TIER_STEP);
    return true;
}

/* The micro-op where the instruction of `op` begins. */
static uint32_t first_of(const struct graph *graph, uint32_t op)
{
    while (!(graph->ops[op].flags & MICRO_FIRST))
        op--;
    return op;
}

static LLVMBasicBlockRef begin_step(struct emitter *emitter, uint32_t op)
{
    if (!emitter->steps[emitter->block])
        emitter->steps[emitter->block] = emit_new_block(emitter, "steps");
    emit_store(emitter, emitter->active, emitter->step_lanes);
    emit_store(emitter, emit_i32(emitter, first_of(emitter->graph, op)), emitter->step_op);
    return emitter->steps[emitter->block];
}

void emit_check(struct emitter *emitter, LLVMValueRef condition, uint32_t op)
{
    LLVMBasicBlockRef good = emit_new_block(emitter, "good");
    LLVMBuildCondBr(emitter->builder, condition, good, begin_step(emitter, op));
    LLVMPositionBuilderAtEnd(emitter->builder, good);
}

/* ---- From block to block ------------------------------------------------------------------------------- */

/* To the lowest block of `places` that has lanes; `sure`, or TIER_NONE, is known to have some if those before
 * it have none. */
static void go_on(struct emitter *emitter, const uint64_t *places, uint32_t sure)
{
    for (uint32_t b = 0; b < emitter->graph->made->block_count; b++) {
        if (!set_has(places, b) || !emitter->bodies[b])
            continue;
        if (b == sure) {
            LLVMBuildBr(emitter->builder, emitter->bodies[b]);
            return;
        }
        LLVMBasicBlockRef next = emit_new_block(emitter, "next");
        LLVMBuildCondBr(emitter->builder, is_nonzero(emitter, lanes_at(emitter, b)), emitter->bodies[b],
                        next);
        LLVMPositionBuilderAtEnd(emitter->builder, next);
    }
    LLVMBuildBr(emitter->builder, emitter->done);
}

static void add_lanes(struct emitter *emitter, uint32_t block, LLVMValueRef lanes)
{
    emit_store(emitter, LLVMBuildOr(emitter->builder, lanes_at(emitter, block), lanes, ""),
               emitter->lanes[block]);
}

/* Backward jumps cost fuel. */
static void burn_fuel(struct emitter *emitter, uint32_t target, const uint64_t *places)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef back = emit_new_block(emitter, "back"), out = emit_new_block(emitter, "fuel"),
                      next = emit_new_block(emitter, "forward");
    LLVMBuildCondBr(builder, is_nonzero(emitter, lanes_at(emitter, target)), back, next);
    LLVMPositionBuilderAtEnd(builder, back);
    LLVMValueRef left =
        LLVMBuildSub(builder, emit_load(emitter, emitter->i32, emitter->fuel), emit_i32(emitter, 1), "");
    emit_store(emitter, left, emitter->fuel);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSGT, left, emit_i32(emitter, 0), ""),
                    emitter->bodies[target], out);
    LLVMPositionBuilderAtEnd(builder, out);
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (live)
        leave(emitter, live, places, TIER_FUEL);
    emitter->failed |= !live;
    LLVMPositionBuilderAtEnd(builder, next);
}

/* The lanes whose guard is true, of a flow micro-op. */
static LLVMValueRef guard_of(struct emitter *emitter, uint32_t at);

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
    emit_write(emitter, op->d, left);
    emitter->guard = NULL;
    return LLVMBuildAnd(builder, emit_bits_of(emitter, again), lanes ? lanes : emitter->active, "");
}

/* The lanes that jump or exit at the end of the block; NULL: none do. *ret_rest: those that go on; NULL:
 * none. */
static LLVMValueRef part_lanes(struct emitter *emitter, uint32_t at, LLVMValueRef *ret_rest)
{
    const enum op_kind kind = (enum op_kind)emitter->graph->kinds[at];
    const bool is_guarded = (emitter->graph->ops[at].flags & MICRO_GUARDED) != 0;
    LLVMValueRef taken = is_guarded ? guard_of(emitter, at) : NULL;
    *ret_rest = emitter->active;
    if (kind != OP_BRANCH && kind != OP_EXIT && kind != OP_LOOP)
        return NULL;
    if (kind == OP_LOOP)
        taken = count_down(emitter, at, taken);
    *ret_rest =
        taken ? LLVMBuildAnd(emitter->builder, emitter->active, LLVMBuildNot(emitter->builder, taken, ""), "")
              : NULL;
    return taken ? taken : emitter->active;
}

static void emit_end(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    const uint32_t block = emitter->block, end = graph_block(graph, block)->end;
    const bool is_exit = graph->kinds[end - 1] == OP_EXIT;
    const bool is_jump = graph->kinds[end - 1] == OP_BRANCH || graph->kinds[end - 1] == OP_LOOP;
    const uint32_t next = end < graph->op_count ? graph->made->block_at[end] : TIER_NONE;
    const uint32_t target = is_jump ? graph->made->block_at[graph->ops[end - 1].target] : TIER_NONE;
    uint64_t *places = ARENA_ARRAY(graph->arena, uint64_t, graph->made->set_words);
    LLVMValueRef rest, taken = part_lanes(emitter, end - 1, &rest);
    if (!places) {
        emitter->failed = true;
        return;
    }
    places_of(emitter, block, true, places);
    if (is_jump)
        add_lanes(emitter, target, taken);
    if (rest)
        add_lanes(emitter, next, rest);
    if (is_jump && target <= block) {
        burn_fuel(emitter, target, places);
        places[target / 64] &= ~(UINT64_C(1) << (target % 64));
    }
    const bool ends_there = is_jump && target > block && (!rest || target > next);
    const bool ends_behind = !is_exit && (!is_jump || target <= block);
    go_on(emitter, places, ends_there ? target : ends_behind ? next : TIER_NONE);
}

/* ---- Micro-ops ----------------------------------------------------------------------------------------- */

/* Where the row functions find an operand: a row's own alloca, or one with what else it is. */
static LLVMValueRef operand_place(struct emitter *emitter, struct row row, struct op_row bound)
{
    if (row.kind == ROW_NONE)
        return LLVMConstPointerNull(emitter->pointer);
    if (row.kind == ROW_4 || row.kind == ROW_8)
        return emitter->rows[graph_row(emitter->graph, row)];
    LLVMValueRef value = emit_operand(emitter, row, bound);
    if (row.kind == ROW_PREDICATE)
        value = LLVMBuildZExt(emitter->builder, emit_lanes_of(emitter, value), emitter->v8, "");
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(value), "");
    emit_store(emitter, value, place);
    return place;
}

/* What a row function has made, as emit_write takes it. */
static LLVMValueRef made_value(struct emitter *emitter, struct row row, LLVMValueRef place)
{
    if (row.kind != ROW_PREDICATE)
        return emit_load(emitter, emit_row_type(emitter, (enum row_kind)row.kind), place);
    return emit_bits_of(emitter,
                        LLVMBuildICmp(emitter->builder, LLVMIntNE, emit_load(emitter, emitter->v8, place),
                                      LLVMConstNull(emitter->v8), ""));
}

static LLVMValueRef new_place(struct emitter *emitter, struct row row)
{
    LLVMTypeRef type =
        row.kind == ROW_PREDICATE ? emitter->v8 : emit_row_type(emitter, (enum row_kind)row.kind);
    return LLVMBuildAlloca(emitter->allocas, type, "");
}

/* Calls the function of the row of micro-op `at`; the result is at *ret_d, a second one at *ret_e. */
static void call_row(struct emitter *emitter, uint32_t at, LLVMValueRef d, LLVMValueRef e)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct op *bound = &emitter->graph->bound->ops[at];
    LLVMValueRef arguments[] = {d,
                                operand_place(emitter, op->a, bound->a),
                                operand_place(emitter, op->b, bound->b),
                                operand_place(emitter, op->c, bound->c),
                                operand_place(emitter, op->f, bound->f),
                                e,
                                emit_i64(emitter, (uint64_t)op->immediate)};
    (void)emit_call(emitter, row_function_name(op), LLVMVoidTypeInContext(emitter->context), arguments,
                    HX_COUNT_OF(arguments));
}

static void emit_value(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef d = new_place(emitter, op->d);
    LLVMValueRef e =
        op->e.kind == ROW_NONE ? LLVMConstPointerNull(emitter->pointer) : new_place(emitter, op->e);
    call_row(emitter, at, d, e);
    LLVMValueRef value = made_value(emitter, op->d, d);
    LLVMValueRef second = op->e.kind == ROW_NONE ? NULL : made_value(emitter, op->e, e);
    emit_write(emitter, op->d, value);
    if (second)
        emit_write(emitter, op->e, second);
}

static LLVMValueRef guard_of(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef bits;
    if (op->flags & MICRO_DEFERRED_COMPARE) {
        LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, emitter->v8, "");
        call_row(emitter, at - 1, place, LLVMConstPointerNull(emitter->pointer));
        bits = made_value(emitter, (struct row){ROW_PREDICATE, 0}, place);
    } else {
        bits = emit_operand(emitter, op->c, emitter->graph->bound->ops[at].c);
    }
    if (op->flags & MICRO_GUARD_NEGATED)
        bits = LLVMBuildNot(emitter->builder, bits, "");
    return LLVMBuildAnd(emitter->builder, bits, emitter->active, "");
}

static void add_to(struct emitter *emitter, uint64_t slot, LLVMValueRef more)
{
    LLVMValueRef counts = emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, counts));
    LLVMValueRef at = emit_at(emitter, counts, emit_i64(emitter, slot * 8));
    emit_store(emitter, LLVMBuildAdd(emitter->builder, emit_load(emitter, emitter->i64, at), more, ""), at);
}

static void count_lanes(struct emitter *emitter, uint64_t slot, LLVMValueRef lanes)
{
    if (emitter->counts)
        add_to(emitter, slot, emit_call(emitter, "llvm.ctpop.i64", emitter->i64, &lanes, 1));
}

/* False when the interpreter has to do it, and what is behind it in the block. */
static bool emit_op(struct emitter *emitter, uint32_t at)
{
    const struct graph *graph = emitter->graph;
    const struct tier_kernel *made = graph->made;
    switch ((enum op_kind)graph->kinds[at]) {
    case OP_GUARD:
        emitter->guard = guard_of(emitter, at);
        break;
    case OP_NOTHING:
        if (graph->ops[at].semantic == MICRO_GUARD_END)
            emitter->guard = NULL;
        break;
    case OP_VALUE:
        emit_value(emitter, at);
        break;
    case OP_MEMORY:
        emit_access(emitter, at);
        break;
    case OP_FENCE:
        LLVMBuildFence(emitter->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        break;
    case OP_BRANCH:
    case OP_EXIT:
    case OP_LOOP:
        break;
    case OP_BARRIER:
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

static void emit_body(struct emitter *emitter, uint32_t block)
{
    const struct graph *graph = emitter->graph;
    const struct tier_block *range = graph_block(graph, block);
    LLVMPositionBuilderAtEnd(emitter->builder, emitter->bodies[block]);
    emitter->block = block;
    emitter->guard = NULL;
    emitter->active = lanes_at(emitter, block);
    emit_store(emitter, emit_i64(emitter, 0), emitter->lanes[block]);
    if (emitter->counts) {
        add_to(emitter, 2ull * block, emit_i64(emitter, 1));
        count_lanes(emitter, 2ull * block + 1, emitter->active);
    }
    for (uint32_t i = range->op; i < range->end; i++) {
        if (emitter->lines)
            lines_at(emitter->lines, emitter, i);
        const bool steps = (graph->ops[i].flags & MICRO_FIRST) && instruction_steps(graph, i, range->end);
        if (steps || !emit_op(emitter, i)) {
            LLVMBuildBr(emitter->builder, begin_step(emitter, i));
            return;
        }
    }
    emit_end(emitter);
}

/* ---- The function -------------------------------------------------------------------------------------- */

static void make_types(struct emitter *emitter)
{
    LLVMContextRef context = emitter->context;
    emitter->i1 = LLVMInt1TypeInContext(context);
    emitter->i8 = LLVMInt8TypeInContext(context);
    emitter->i16 = LLVMInt16TypeInContext(context);
    emitter->i32 = LLVMInt32TypeInContext(context);
    emitter->i64 = LLVMInt64TypeInContext(context);
    emitter->pointer = LLVMPointerTypeInContext(context, 0);
    emitter->v1 = LLVMVectorType(emitter->i1, TIER_LANES);
    emitter->v8 = LLVMVectorType(emitter->i8, TIER_LANES);
    emitter->v16 = LLVMVectorType(emitter->i16, TIER_LANES);
    emitter->v32 = LLVMVectorType(emitter->i32, TIER_LANES);
    emitter->v64 = LLVMVectorType(emitter->i64, TIER_LANES);
    emitter->vpointer = LLVMVectorType(emitter->pointer, TIER_LANES);
    LLVMValueRef numbers[TIER_LANES];
    for (uint32_t l = 0; l < TIER_LANES; l++)
        numbers[l] = emit_i32(emitter, l);
    emitter->numbers = LLVMConstVector(numbers, TIER_LANES);
}

static bool make_allocas(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    const uint32_t blocks = graph->made->block_count;
    emitter->rows = ARENA_ARRAY(graph->arena, LLVMValueRef, graph->row_count + 1);
    emitter->lanes = ARENA_ARRAY(graph->arena, LLVMValueRef, blocks);
    emitter->bodies = ARENA_ARRAY(graph->arena, LLVMBasicBlockRef, blocks);
    emitter->steps = ARENA_ARRAY(graph->arena, LLVMBasicBlockRef, blocks);
    if (!emitter->rows || !emitter->lanes || !emitter->bodies || !emitter->steps)
        return false;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        LLVMTypeRef type = emit_row_type(emitter, graph_row_kind(graph, row));
        emitter->rows[row] = LLVMBuildAlloca(emitter->allocas, type, "row");
        LLVMBuildStore(emitter->builder, LLVMConstNull(type), emitter->rows[row]);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        emitter->lanes[b] = LLVMBuildAlloca(emitter->allocas, emitter->i64, "lanes");
        LLVMBuildStore(emitter->builder, emit_i64(emitter, 0), emitter->lanes[b]);
        if (graph->is_emitted[b])
            emitter->bodies[b] = emit_new_block(emitter, "block");
    }
    emitter->fuel = LLVMBuildAlloca(emitter->allocas, emitter->i32, "fuel");
    emitter->step_lanes = LLVMBuildAlloca(emitter->allocas, emitter->i64, "step_lanes");
    emitter->step_op = LLVMBuildAlloca(emitter->allocas, emitter->i32, "step_op");
    return true;
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
    for (uint32_t b = block; b < graph->made->block_count; b++) {
        if (b != block && !set_has(graph_waiting(graph, block), b))
            continue;
        for (uint32_t w = 0; w < graph->row_words; w++)
            live[w] |= graph->live[(size_t)b * graph->row_words + w];
        emit_store(emitter, emit_load(emitter, emitter->i64, frame_lanes(emitter, b)), emitter->lanes[b]);
        emit_store(emitter, emit_i64(emitter, 0), frame_lanes(emitter, b));
    }
    for (uint32_t row = 0; row < graph->row_count; row++)
        if (set_has(live, row))
            emit_load_row(emitter, row);
    LLVMBuildBr(emitter->builder, emitter->bodies[block]);
    return true;
}

static bool emit_function(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef allocas = emit_new_block(emitter, "allocas"), begin = emit_new_block(emitter, "begin");
    LLVMPositionBuilderAtEnd(emitter->allocas, allocas);
    LLVMPositionBuilderAtEnd(builder, begin);
    emitter->row_memory = emit_frame_field(emitter, emitter->pointer, offsetof(struct tier_frame, rows));
    emitter->done = emit_new_block(emitter, "done");
    bool good = make_allocas(emitter);
    if (!good)
        return false;
    LLVMValueRef fuel_place =
        emit_at(emitter, emitter->frame, emit_i64(emitter, offsetof(struct tier_frame, fuel)));
    emit_store(emitter, emit_load(emitter, emitter->i32, fuel_place), emitter->fuel);
    LLVMValueRef choice = LLVMBuildSwitch(builder, LLVMGetParam(emitter->function, 1), emitter->done, 8);
    for (uint32_t b = 0; good && b < graph->made->block_count; b++)
        if (graph_block(graph, b)->is_entry)
            good = emit_entry(emitter, b, choice);
    for (uint32_t b = 0; good && b < graph->made->block_count; b++)
        if (graph->is_emitted[b])
            emit_body(emitter, b);
    for (uint32_t b = 0; good && b < graph->made->block_count; b++)
        good = emit_steps(emitter, b);
    LLVMPositionBuilderAtEnd(builder, emitter->done);
    emit_store(emitter, emit_load(emitter, emitter->i32, emitter->fuel), fuel_place);
    LLVMBuildRet(builder, emit_i32(emitter, TIER_DONE));
    LLVMBuildBr(emitter->allocas, begin);
    return good && !emitter->failed;
}

bool emit_kernel(struct emitter *emitter)
{
    make_types(emitter);
    LLVMTypeRef parameters[] = {emitter->pointer, emitter->i32};
    emitter->function = LLVMAddFunction(emitter->module, emitter->symbol,
                                        LLVMFunctionType(emitter->i32, parameters, 2, false));
    emitter->frame = LLVMGetParam(emitter->function, 0);
    const unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddAttributeAtIndex(emitter->function, 1, LLVMCreateEnumAttribute(emitter->context, noalias, 0));
    emitter->builder = LLVMCreateBuilderInContext(emitter->context);
    emitter->allocas = LLVMCreateBuilderInContext(emitter->context);
    if (emitter->lines)
        lines_begin(emitter->lines, emitter, emitter->symbol);
    const bool good = emit_function(emitter);
    if (emitter->lines)
        lines_end(emitter->lines);
    LLVMDisposeBuilder(emitter->builder);
    LLVMDisposeBuilder(emitter->allocas);
    return good;
}
