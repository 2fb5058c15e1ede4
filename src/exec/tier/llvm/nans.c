/* NaNs that nobody has seen yet.
 *
 * A NaN that is computed is to be the canonical one, and the machine's instructions make others. To replace
 * it behind each instruction takes as long as the instruction itself two times over, and most results are
 * only computed with again, where one NaN is as good as another. So it is replaced where its bits can be
 * seen: in stores, in instructions on bits, where the interpreter takes over, and where paths meet of which
 * another one brings bits as they are.
 *
 * Takes blocks of micro-ops, leaves for each row of lanes that enter a block one of enum nan_state: forms
 * only move up that list, so going over the code until nothing changes ends. */
#include "exec/tier/llvm/emit.h"

/* ---- What is known ------------------------------------------------------------------------------------- */

static bool is_canonical(uint64_t bits, bool is_wide)
{
    const uint64_t infinity = is_wide ? UINT64_C(0x7ff) << 52 : 0x7f800000u;
    const uint64_t magnitude = bits & (is_wide ? INT64_MAX : INT32_MAX);
    return magnitude <= infinity;
}

static enum nan_state operand_state(const struct graph *graph, const uint8_t *state, struct row row)
{
    const uint32_t number = graph_row(graph, row);
    if (number != TIER_NONE)
        return (enum nan_state)state[number];
    if (row.kind != ROW_UNIFORM_4 && row.kind != ROW_UNIFORM_8)
        return NAN_EXACT;
    const struct uniform *uniform = &graph->bound->lowered->uniforms[row.index];
    return uniform->kind == UNIFORM_IMMEDIATE && is_canonical(uniform->bits, row.kind == ROW_UNIFORM_8)
               ? NAN_CANONICAL
               : NAN_EXACT;
}

enum nan_state nans_result(const struct graph *graph, uint32_t at, const uint8_t *state)
{
    const struct micro_op *op = &graph->ops[at];
    if (graph->kinds[at] != OP_VALUE)
        return NAN_EXACT;
    if (op->semantic != SEM_mov && op->semantic != SEM_sel)
        return row_is_float(op) ? NAN_ANY : NAN_EXACT;
    if (type_bytes((enum hx_type)op->type) < (op->d.kind == ROW_8 ? 8 : 4))
        return NAN_EXACT; /* -48 of 8 bits becomes 32 bits that a NaN may have */
    const enum nan_state a = operand_state(graph, state, op->a),
                         b = op->semantic == SEM_sel ? operand_state(graph, state, op->b) : a;
    return a > b ? a : b;
}

bool nans_are_free(const struct graph *graph, uint32_t at, const uint8_t *state)
{
    const struct micro_op *op = &graph->ops[at];
    return op->semantic == SEM_mov || op->semantic == SEM_sel ? nans_result(graph, at, state) != NAN_EXACT
                                                              : row_takes_floats(op);
}

void nans_step(const struct graph *graph, uint32_t at, uint8_t *state)
{
    const struct micro_op *op = &graph->ops[at];
    const uint32_t d = graph_row(graph, op->d), e = graph_row(graph, op->e);
    const enum op_kind kind = (enum op_kind)graph->kinds[at];
    const bool is_store = kind == OP_MEMORY && semantic_at(op->semantic)->shape == SHAPE_STORE;
    const bool is_guarded = (op->flags & MICRO_GUARDED) != 0 || graph->made->guard_at[at] != TIER_NONE;
    if (!op_kind_is_call(kind) && (op->semantic == SEM_call || op->semantic == SEM_call_table))
        memset(state, NAN_EXACT, graph->row_count);
    if (is_store || kind == OP_NOTHING || kind == OP_GUARD)
        return;
    const enum nan_state made = nans_result(graph, at, state);
    if (e != TIER_NONE)
        state[e] = NAN_EXACT;
    if (d != TIER_NONE && (!is_guarded || made > state[d]))
        state[d] = (uint8_t)made;
}

static bool pass(struct graph *graph, uint8_t *state, uint32_t *next)
{
    bool changed = false;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!graph->is_emitted[b])
            continue;
        memcpy(state, graph_nans(graph, b), graph->row_count);
        for (uint32_t i = graph_block(graph, b)->op; i < graph_block(graph, b)->end; i++)
            nans_step(graph, i, state);
        const uint32_t count = graph_places_behind(graph, b, next);
        for (uint32_t n = 0; n < count; n++) {
            uint8_t *const entry = graph_nans(graph, next[n]);
            for (uint32_t row = 0; row < graph->row_count; row++)
                if (state[row] > entry[row]) {
                    entry[row] = state[row];
                    changed = true;
                }
        }
    }
    return changed;
}

bool nans_find(struct graph *graph)
{
    const size_t rows = graph->row_count + 1u, blocks = graph->made->block_count;
    graph->nans = ARENA_ARRAY(graph->arena, uint8_t, rows * blocks);
    uint8_t *state = ARENA_ARRAY(graph->arena, uint8_t, rows);
    uint32_t *next = ARENA_ARRAY(graph->arena, uint32_t, blocks);
    if (!graph->nans || !state || !next)
        return false;
    for (uint32_t b = 0; b < graph->made->block_count; b++)
        if (b == 0 || graph->is_begin[b])
            memset(graph_nans(graph, b), NAN_EXACT, graph->row_count);
    while (pass(graph, state, next))
        ;
    return true;
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

LLVMValueRef emit_canonical(struct emitter *emitter, LLVMValueRef value)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMTypeRef type = LLVMTypeOf(value), floats;
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const bool is_wide = LLVMGetIntTypeWidth(is_vector ? LLVMGetElementType(type) : type) == 64;
    floats = is_wide ? LLVMDoubleTypeInContext(emitter->context) : LLVMFloatTypeInContext(emitter->context);
    LLVMValueRef canonical = is_wide ? emit_i64(emitter, INT64_MAX) : emit_i32(emitter, INT32_MAX);
    if (is_vector) {
        floats = LLVMVectorType(floats, TIER_LANES);
        canonical = emit_splat(emitter, canonical);
    }
    LLVMValueRef x = LLVMBuildBitCast(builder, value, floats, "");
    return LLVMBuildSelect(builder, LLVMBuildFCmp(builder, LLVMRealUNO, x, x, ""), canonical, value, "");
}

LLVMValueRef emit_canonical_in(struct emitter *emitter, LLVMValueRef value, LLVMValueRef lanes)
{
    return LLVMBuildSelect(emitter->builder, emit_lanes_of(emitter, lanes), emit_canonical(emitter, value),
                           value, "");
}

LLVMValueRef emit_nan_lanes(struct emitter *emitter, uint32_t row, LLVMValueRef active,
                            const uint64_t *places)
{
    const struct graph *graph = emitter->graph;
    const bool is_any = active && emitter->nans[row] == NAN_ANY;
    bool is_mixed = graph->is_open[emitter->block] || (active && emitter->nans[row] == NAN_EXACT);
    LLVMValueRef lanes = is_any ? active : NULL;
    for (uint32_t b = 0; b < graph->made->block_count; b++) {
        if (!set_has(places, b) || !set_has(graph->live + (size_t)b * graph->row_words, row))
            continue;
        is_mixed |= graph_nans(graph, b)[row] == NAN_EXACT;
        if (graph_nans(graph, b)[row] != NAN_ANY)
            continue;
        LLVMValueRef there = emit_lanes_at(emitter, b);
        lanes = lanes ? LLVMBuildOr(emitter->builder, lanes, there, "") : there;
    }
    return lanes && !is_mixed ? emit_i64(emitter, UINT64_MAX) : lanes;
}

/* Do lanes that stand at one of the blocks need the row's bits? */
static bool is_exact_in(const struct graph *graph, const uint32_t *blocks, uint32_t count, uint32_t row)
{
    for (uint32_t i = 0; i < count; i++)
        if (graph_nans(graph, blocks[i])[row] == NAN_EXACT &&
            set_has(graph->live + (size_t)blocks[i] * graph->row_words, row))
            return true;
    return false;
}

void emit_nans_at_end(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    const uint32_t last = graph_block(graph, emitter->block)->end - 1;
    const bool is_loop = graph->kinds[last] == OP_LOOP;
    uint32_t next[GRAPH_OPS_MAX];
    const uint32_t count = graph_places_behind(graph, emitter->block, next);
    if (!is_loop)
        nans_step(graph, last, emitter->nans);
    for (uint32_t row = 0; row < graph->row_count; row++) {
        const bool is_counter = is_loop && graph_row(graph, graph->ops[last].d) == row;
        if (emitter->nans[row] != NAN_ANY || (!is_counter && !is_exact_in(graph, next, count, row)))
            continue;
        LLVMTypeRef type = emit_row_type(emitter, graph_row_kind(graph, row));
        LLVMValueRef value = emit_load(emitter, type, emitter->rows[row]);
        value = graph_is_awaited(graph, emitter->block, row)
                    ? emit_canonical_in(emitter, value, emitter->active)
                    : emit_canonical(emitter, value);
        emit_store(emitter, value, emitter->rows[row]);
        emitter->nans[row] = NAN_CANONICAL;
    }
    if (is_loop)
        nans_step(graph, last, emitter->nans);
}
