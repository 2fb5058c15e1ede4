/* Micro-ops for one lane: its numbers are allocas, and functions of rows.c compute one cell.
 *
 * Takes micro-ops that compute or load, leaves code that goes on behind them, or at one->no where an access
 * does not lie in its window. What is the same in all lanes and rounds is computed before them: LLVM does not
 * move it out of the loops, since it stands behind checks there. */
#include "exec/tier/llvm/scalar_loops.h"

#include <stdio.h>

/* Longer steps are not followed: with up to 2^31 rounds they might wrap. */
#define STEP_MOST (INT64_C(1) << 31)

/* The number of an operand. With `is_free` any NaN stands for the canonical one. */
static LLVMValueRef number_of(struct one_lane *one, struct row row, struct op_row bound, bool is_free)
{
    struct emitter *emitter = one->emitter;
    const uint32_t number = graph_row(emitter->graph, row);
    LLVMTypeRef type = emit_number_type(emitter, (enum row_kind)row.kind);
    if (number != TIER_NONE) {
        LLVMValueRef value = emit_load(emitter, type, one->cells[number]);
        return !is_free && emitter->nans[number] == NAN_ANY ? emit_canonical(emitter, value) : value;
    }
    if (row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8)
        return emit_uniform(emitter, row, bound);
    LLVMValueRef cells = emit_at(emitter, emitter->row_memory, emit_i64(emitter, bound.at));
    return emit_constant_load(emitter, type, LLVMBuildGEP2(emitter->builder, type, cells, &one->lane, 1, ""),
                              4);
}

LLVMValueRef one_lane_number(struct one_lane *one, struct row row, struct op_row bound)
{
    return number_of(one, row, bound, false);
}

static LLVMValueRef place_of(struct one_lane *one, struct row row, struct op_row bound, bool is_free)
{
    struct emitter *emitter = one->emitter;
    if (row.kind == ROW_NONE)
        return LLVMConstPointerNull(emitter->pointer);
    LLVMValueRef value = number_of(one, row, bound, is_free);
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(value), "");
    emit_store(emitter, value, place);
    return place;
}

/* What a micro-op of rows.c computes. */
static LLVMValueRef value_of(struct one_lane *one, uint32_t at)
{
    struct emitter *emitter = one->emitter;
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct op *bound = &emitter->graph->bound->ops[at];
    const bool is_free = nans_are_free(emitter->graph, at, emitter->nans);
    const LLVMValueRef places[] = {
        place_of(one, op->a, bound->a, is_free), place_of(one, op->b, bound->b, is_free),
        place_of(one, op->c, bound->c, is_free), place_of(one, op->f, bound->f, is_free)};
    const enum row_kind kind =
        graph_row(emitter->graph, op->d) == TIER_NONE ? ROW_PREDICATE : (enum row_kind)op->d.kind;
    LLVMTypeRef type = emit_number_type(emitter, kind);
    LLVMValueRef d = LLVMBuildAlloca(emitter->allocas, type, "");
    char name[64];
    emit_name_of_one(op, name, sizeof name);
    emit_call_row(emitter, at, name, d, LLVMConstPointerNull(emitter->pointer), places);
    return emit_load(emitter, type, d);
}

/* Goes on where `condition` is true. */
static void check(struct one_lane *one, LLVMValueRef condition)
{
    LLVMBasicBlockRef good = emit_new_block(one->emitter, "good");
    emit_likely(one->emitter, condition, good, one->no);
    LLVMPositionBuilderAtEnd(one->emitter->builder, good);
}

/* The load before `at` that has the same index: it checks for both. */
static struct scalar_load *same_index(struct one_lane *one, uint32_t at)
{
    const struct micro_op *ops = one->emitter->graph->ops;
    for (uint32_t i = at; i-- > one->from;) {
        if (row_is_equal(ops[i].d, ops[at].c))
            return NULL;
        struct scalar_load *const load = &one->loads[i - one->from];
        if (load->last && ops[i].source_type == ops[at].source_type && row_is_equal(ops[i].c, ops[at].c))
            return load;
    }
    return NULL;
}

/* Of a base and an index: indices that are no number below 0 and lie in the window. */
static void begin_indexed(struct one_lane *one, uint32_t at, const struct window *window,
                          struct scalar_load *load)
{
    struct emitter *emitter = one->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef zero = emit_i32(emitter, 0);
    LLVMValueRef base = LLVMBuildAdd(builder, emit_uniform(emitter, op->a, emitter->graph->bound->ops[at].a),
                                     emit_i64(emitter, (uint64_t)op->immediate), "");
    LLVMValueRef begin = LLVMBuildSub(builder, base, window->low, "");
    load->host = emit_at(emitter, window->host, begin);
    if (op->access_bytes == 0)
        return;
    const struct index_range range = emit_index_range(emitter, op, window->size, begin, base);
    LLVMValueRef last = LLVMBuildAdd(builder, range.first, range.span, "");
    check(one,
          LLVMBuildAnd(builder, range.good, LLVMBuildICmp(builder, LLVMIntSLE, range.first, zero, ""), ""));
    check(one, LLVMBuildICmp(builder, LLVMIntSGE, last, zero, ""));
    struct scalar_load *const before = same_index(one, at);
    if (before)
        before->last = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntULT, before->last, last, ""),
                                       before->last, last, "");
    else
        load->last = last;
}

/* Of addresses: a distance from the window's begin is turned right by its alignment, and so a misaligned one
 * is beyond the last one, too. */
static void begin_addressed(struct one_lane *one, uint32_t at, const struct window *window,
                            struct scalar_load *load)
{
    struct emitter *emitter = one->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef bytes = emit_i64(emitter, op->access_bytes);
    load->low = window->low;
    load->host = window->host;
    if (op->access_bytes == 0)
        return;
    LLVMValueRef rest =
        LLVMBuildAnd(builder, window->low, emit_i64(emitter, (UINT64_C(1) << op->align_log2) - 1), "");
    check(one, LLVMBuildICmp(builder, LLVMIntUGE, window->size, bytes, ""));
    check(one, LLVMBuildICmp(builder, LLVMIntEQ, rest, emit_i64(emitter, 0), ""));
    load->last = LLVMBuildLShr(builder, LLVMBuildSub(builder, window->size, bytes, ""),
                               emit_i64(emitter, op->align_log2), "");
}

bool one_lane_begin(struct one_lane *one, uint32_t from, uint32_t end)
{
    struct emitter *emitter = one->emitter;
    one->from = from;
    one->end = end;
    one->loads = ARENA_ARRAY(emitter->graph->arena, struct scalar_load, end - from);
    for (uint32_t at = from; one->loads && at < end; at++) {
        if (emitter->graph->kinds[at] != OP_MEMORY)
            continue;
        const struct window window = emit_window(emitter, at);
        const bool is_indexed = emitter->graph->ops[at].source_type != HX_TYPE_NONE;
        (is_indexed ? begin_indexed : begin_addressed)(one, at, &window, &one->loads[at - from]);
    }
    return one->loads;
}

/* The host address of the element of a base and an index. */
static LLVMValueRef indexed_place(struct one_lane *one, uint32_t at, const struct scalar_load *load)
{
    struct emitter *emitter = one->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef index = number_of(one, op->c, emitter->graph->bound->ops[at].c, false);
    if (load->last && !load->is_checked)
        check(one, LLVMBuildICmp(builder, LLVMIntULE, index, load->last, ""));
    return emit_at(emitter, load->host,
                   LLVMBuildShl(builder, LLVMBuildZExt(builder, index, emitter->i64, ""),
                                emit_i64(emitter, op->scale_log2), ""));
}

static LLVMValueRef distance_of(struct one_lane *one, uint32_t at, const struct scalar_load *load)
{
    struct emitter *emitter = one->emitter;
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMValueRef address =
        LLVMBuildAdd(emitter->builder, number_of(one, op->a, emitter->graph->bound->ops[at].a, false),
                     emit_i64(emitter, (uint64_t)op->immediate), "");
    return LLVMBuildSub(emitter->builder, address, load->low, "");
}

static LLVMValueRef turned_distance(struct one_lane *one, uint32_t at, const struct scalar_load *load)
{
    struct emitter *emitter = one->emitter;
    const unsigned align_log2 = emitter->graph->ops[at].align_log2;
    LLVMValueRef distance = distance_of(one, at, load);
    LLVMValueRef turn[] = {distance, distance, emit_i64(emitter, align_log2)};
    return align_log2 > 0 ? emit_call(emitter, "llvm.fshr.i64", emitter->i64, turn, 3) : distance;
}

/* The same of an address. */
static LLVMValueRef addressed_place(struct one_lane *one, uint32_t at, const struct scalar_load *load)
{
    if (load->last && !load->is_checked)
        check(one, LLVMBuildICmp(one->emitter->builder, LLVMIntULE, turned_distance(one, at, load),
                                 load->last, ""));
    return emit_at(one->emitter, load->host, distance_of(one, at, load));
}

/* Of a load whose index or address goes up by `step`, before it does: distances from the first one to the
 * last one do not wrap. */
static void check_all_rounds(struct one_lane *one, uint32_t at, uint64_t step, LLVMValueRef rounds)
{
    struct emitter *emitter = one->emitter;
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    struct scalar_load *load = &one->loads[at - one->from];
    const bool is_indexed = op->source_type != HX_TYPE_NONE;
    LLVMValueRef first = is_indexed ? number_of(one, op->c, emitter->graph->bound->ops[at].c, false)
                                    : turned_distance(one, at, load);
    LLVMValueRef last = LLVMBuildZExt(builder, load->last, emitter->i64, "");
    first = LLVMBuildZExt(builder, first, emitter->i64, "");
    LLVMValueRef way =
        LLVMBuildSub(builder, LLVMBuildZExt(builder, rounds, emitter->i64, ""), emit_i64(emitter, 1), "");
    way = LLVMBuildMul(builder, way, emit_i64(emitter, is_indexed ? step : step >> op->align_log2), "");
    check(one, LLVMBuildICmp(builder, LLVMIntULE, first, last, ""));
    check(one, LLVMBuildICmp(builder, LLVMIntULE, way, LLVMBuildSub(builder, last, first, ""), ""));
    load->is_checked = true;
}

void one_lane_check_rounds(struct one_lane *one, LLVMValueRef rounds)
{
    const struct graph *graph = one->emitter->graph;
    for (uint32_t at = one->from; at < one->end; at++) {
        const struct micro_op *op = &graph->ops[at];
        const uint64_t rest = op->source_type == HX_TYPE_NONE ? (UINT64_C(1) << op->align_log2) - 1 : 0;
        int64_t step;
        if (graph->kinds[at] != OP_MEMORY || !one->loads[at - one->from].last)
            continue;
        const uint32_t add = scalar_loop_step_of(graph, one->from, one->end, scalar_load_address(op), &step);
        if (add != TIER_NONE && at < add && step > 0 && step <= STEP_MOST && ((uint64_t)step & rest) == 0)
            check_all_rounds(one, at, (uint64_t)step, rounds);
    }
}

static LLVMValueRef loaded_value(struct one_lane *one, uint32_t at)
{
    struct emitter *emitter = one->emitter;
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct scalar_load *load = &one->loads[at - one->from];
    const enum hx_type type = (enum hx_type)op->type;
    LLVMValueRef place =
        op->source_type != HX_TYPE_NONE ? indexed_place(one, at, load) : addressed_place(one, at, load);
    LLVMTypeRef element = LLVMIntTypeInContext(emitter->context, 8 * type_bytes(type));
    LLVMValueRef value = emit_load(emitter, element, place);
    LLVMSetAlignment(value, 1);
    if (type_bytes(type) < 4)
        value = type_is_signed(type) ? LLVMBuildSExt(emitter->builder, value, emitter->i32, "")
                                     : LLVMBuildZExt(emitter->builder, value, emitter->i32, "");
    return value;
}

void one_lane_op(struct one_lane *one, uint32_t at)
{
    const struct graph *graph = one->emitter->graph;
    if (graph->kinds[at] == OP_NOTHING)
        return;
    LLVMValueRef value = graph->kinds[at] == OP_MEMORY ? loaded_value(one, at) : value_of(one, at);
    emit_store(one->emitter, value, one->cells[graph_row(graph, graph->ops[at].d)]);
}

LLVMValueRef one_lane_guard(struct one_lane *one, uint32_t at)
{
    struct emitter *emitter = one->emitter;
    const struct micro_op *op = &emitter->graph->ops[at];
    const bool is_deferred = (op->flags & MICRO_DEFERRED_COMPARE) != 0;
    LLVMValueRef bit =
        is_deferred ? value_of(one, at - 1) : number_of(one, op->c, emitter->graph->bound->ops[at].c, false);
    return LLVMBuildICmp(emitter->builder, op->flags & MICRO_GUARD_NEGATED ? LLVMIntEQ : LLVMIntNE, bit,
                         LLVMConstNull(LLVMTypeOf(bit)), "");
}
