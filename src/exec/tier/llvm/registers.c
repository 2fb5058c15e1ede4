/* Values in LLVM IR: constants, vectors, masks, and the kernel's rows.
 *
 * A row is an alloca in compiled code, which LLVM turns into registers: a vector of 64 cells, or for
 * predicates 64 bits. Takes operands of micro-ops, leaves their values; takes results, leaves them in rows
 * under the mask in force. */
#include "exec/tier/llvm/emit.h"

#include <stddef.h>

/* ---- Small things -------------------------------------------------------------------------------------- */

LLVMValueRef emit_i32(const struct emitter *emitter, uint32_t value)
{
    return LLVMConstInt(emitter->i32, value, false);
}

LLVMValueRef emit_i64(const struct emitter *emitter, uint64_t value)
{
    return LLVMConstInt(emitter->i64, value, false);
}

LLVMBasicBlockRef emit_new_block(struct emitter *emitter, const char *name)
{
    return LLVMAppendBasicBlockInContext(emitter->context, emitter->function, name);
}

void emit_likely(struct emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef here,
                 LLVMBasicBlockRef there)
{
    LLVMMetadataRef weights[] = {LLVMMDStringInContext2(emitter->context, "branch_weights", 14),
                                 LLVMValueAsMetadata(emit_i32(emitter, 2000)),
                                 LLVMValueAsMetadata(emit_i32(emitter, 1))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(emitter->context, weights, 3);
    LLVMValueRef jump = LLVMBuildCondBr(emitter->builder, condition, here, there);
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(emitter->context, "prof", 4),
                    LLVMMetadataAsValue(emitter->context, node));
}

LLVMValueRef emit_splat(struct emitter *emitter, LLVMValueRef value)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), TIER_LANES);
    LLVMValueRef one = LLVMBuildInsertElement(builder, LLVMGetPoison(type), value, emit_i32(emitter, 0), "");
    return LLVMBuildShuffleVector(builder, one, LLVMGetPoison(type), LLVMConstNull(emitter->v32), "");
}

LLVMValueRef emit_lanes_of(struct emitter *emitter, LLVMValueRef bits)
{
    return LLVMBuildBitCast(emitter->builder, bits, emitter->v1, "");
}

LLVMValueRef emit_bits_of(struct emitter *emitter, LLVMValueRef lanes)
{
    return LLVMBuildBitCast(emitter->builder, lanes, emitter->i64, "");
}

LLVMValueRef emit_at(struct emitter *emitter, LLVMValueRef base, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(emitter->builder, emitter->i8, base, &bytes, 1, "");
}

LLVMValueRef emit_constant_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef at, unsigned align)
{
    LLVMValueRef load = LLVMBuildLoad2(emitter->builder, type, at, "");
    const unsigned kind = LLVMGetMDKindIDInContext(emitter->context, "invariant.load", 14);
    LLVMSetAlignment(load, align);
    LLVMSetMetadata(load, kind,
                    LLVMMetadataAsValue(emitter->context, LLVMMDNodeInContext2(emitter->context, NULL, 0)));
    return load;
}

LLVMValueRef emit_frame_field(struct emitter *emitter, LLVMTypeRef type, size_t offset)
{
    return emit_constant_load(emitter, type, emit_at(emitter, emitter->frame, emit_i64(emitter, offset)), 4);
}

LLVMValueRef emit_common_field(struct emitter *emitter, LLVMTypeRef type, size_t offset)
{
    return emit_constant_load(emitter, type, emit_at(emitter, emitter->frames, emit_i64(emitter, offset)), 8);
}

void emit_frame_store(struct emitter *emitter, LLVMValueRef value, size_t offset)
{
    emit_store(emitter, value, emit_at(emitter, emitter->frame, emit_i64(emitter, offset)));
}

LLVMValueRef emit_call(struct emitter *emitter, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                       unsigned count)
{
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(emitter->module, name);
    if (!function)
        function = LLVMAddFunction(emitter->module, name, type);
    return LLVMBuildCall2(emitter->builder, type, function, arguments, count, "");
}

LLVMValueRef emit_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef from)
{
    return LLVMBuildLoad2(emitter->builder, type, from, "");
}

void emit_store(struct emitter *emitter, LLVMValueRef value, LLVMValueRef to)
{
    LLVMBuildStore(emitter->builder, value, to);
}

void emit_make_types(struct emitter *emitter)
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

/* ---- Rows ---------------------------------------------------------------------------------------------- */

LLVMTypeRef emit_row_type(const struct emitter *emitter, enum row_kind kind)
{
    return kind == ROW_8 ? emitter->v64 : kind == ROW_4 ? emitter->v32 : emitter->i64;
}

static LLVMValueRef row_place(struct emitter *emitter, uint32_t row)
{
    return emit_at(emitter, emitter->row_memory, emit_i64(emitter, emitter->graph->row_at[row]));
}

/* Predicates are bytes there. */
LLVMValueRef emit_row_in_memory(struct emitter *emitter, uint32_t row)
{
    const enum row_kind kind = graph_row_kind(emitter->graph, row);
    LLVMTypeRef type = kind == ROW_PREDICATE ? emitter->v8 : emit_row_type(emitter, kind);
    LLVMValueRef value = emit_load(emitter, type, row_place(emitter, row));
    LLVMSetAlignment(value, 64);
    if (kind == ROW_PREDICATE)
        value = emit_bits_of(
            emitter, LLVMBuildICmp(emitter->builder, LLVMIntNE, value, LLVMConstNull(emitter->v8), ""));
    return value;
}

void emit_load_row(struct emitter *emitter, uint32_t row)
{
    emit_store(emitter, emit_row_in_memory(emitter, row), emitter->rows[row]);
}

void emit_spill_row(struct emitter *emitter, uint32_t row, struct row_form form, LLVMValueRef canonical)
{
    const enum row_kind kind = graph_row_kind(emitter->graph, row);
    LLVMValueRef value = form_is_known(form)
                             ? emit_row_vector(emitter, row, form)
                             : emit_load(emitter, emit_row_type(emitter, kind), emitter->rows[row]);
    if (canonical && !form_is_known(form))
        value = LLVMIsConstant(canonical) ? emit_canonical(emitter, value)
                                          : emit_canonical_in(emitter, value, canonical);
    if (kind == ROW_PREDICATE)
        value = LLVMBuildZExt(emitter->builder, emit_lanes_of(emitter, value), emitter->v8, "");
    LLVMSetAlignment(LLVMBuildStore(emitter->builder, value, row_place(emitter, row)), 64);
}

/* Is it the same in each launch? */
static bool is_constant(const struct lowered_kernel *lowered, const struct uniform *uniform,
                        uint64_t *ret_value)
{
    const struct array_list *list = uniform->space == SPACE_SHARED  ? &lowered->kernel->shared
                                    : uniform->space == SPACE_LOCAL ? &lowered->kernel->local
                                                                    : NULL;
    const bool is_array = uniform->kind == UNIFORM_ARRAY && list;
    *ret_value = uniform->bits + (is_array ? list->items[uniform->symbol].offset : 0);
    return is_array || uniform->kind == UNIFORM_IMMEDIATE;
}

LLVMValueRef emit_uniform(struct emitter *emitter, struct row row, struct op_row bound)
{
    const struct lowered_kernel *lowered = emitter->graph->bound->lowered;
    LLVMTypeRef type = row.kind == ROW_UNIFORM_8 ? emitter->i64 : emitter->i32;
    uint64_t value;
    if (is_constant(lowered, &lowered->uniforms[row.index], &value))
        return LLVMConstInt(type, value, false);
    return emit_constant_load(emitter, type,
                              emit_at(emitter, emitter->uniform_memory, emit_i64(emitter, bound.at)), 64);
}

LLVMValueRef emit_operand(struct emitter *emitter, struct row row, struct op_row bound)
{
    const uint32_t number = graph_row(emitter->graph, row);
    if (number != TIER_NONE && form_is_known(emitter->state[number]))
        return emit_row_vector(emitter, number, emitter->state[number]);
    if (number != TIER_NONE) {
        LLVMValueRef value =
            emit_load(emitter, emit_row_type(emitter, (enum row_kind)row.kind), emitter->rows[number]);
        return emitter->nans[number] == NAN_ANY ? emit_canonical(emitter, value) : value;
    }
    if (row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8)
        return emit_splat(emitter, emit_uniform(emitter, row, bound));
    return emit_constant_load(emitter, row.kind == ROW_SPECIAL_8 ? emitter->v64 : emitter->v32,
                              emit_at(emitter, emitter->row_memory, emit_i64(emitter, bound.at)), 64);
}

LLVMValueRef emit_selected(struct emitter *emitter, LLVMValueRef mask, LLVMValueRef value, LLVMValueRef old)
{
    LLVMBuilderRef builder = emitter->builder;
    if (LLVMTypeOf(value) != emitter->i64)
        return LLVMBuildSelect(builder, emit_lanes_of(emitter, mask), value, old, "");
    return LLVMBuildOr(builder, LLVMBuildAnd(builder, value, mask, ""),
                       LLVMBuildAnd(builder, old, LLVMBuildNot(builder, mask, ""), ""), "");
}

void emit_write(struct emitter *emitter, struct row row, LLVMValueRef value, enum nan_state made)
{
    const uint32_t number = graph_row(emitter->graph, row);
    if (number == TIER_NONE) {
        emitter->failed = true;
        return;
    }
    const enum nan_state before = (enum nan_state)emitter->nans[number];
    if (emitter->guard && made == NAN_ANY && before == NAN_EXACT)
        value = emit_canonical(emitter, value);
    if (emitter->guard || graph_is_awaited(emitter->graph, emitter->block, number)) {
        LLVMValueRef mask = emit_mask(emitter);
        LLVMValueRef old =
            emit_load(emitter, emit_row_type(emitter, (enum row_kind)row.kind), emitter->rows[number]);
        if (emitter->guard && made == NAN_EXACT && before == NAN_ANY)
            old = emit_canonical_in(emitter, old, emitter->active);
        value = emit_selected(emitter, mask, value, old);
    }
    emit_store(emitter, emit_made_here(emitter, value), emitter->rows[number]);
    emitter->written = number;
}

bool emit_make_allocas(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    const uint32_t blocks = graph->made->block_count;
    emitter->rows = ARENA_ARRAY(graph->arena, LLVMValueRef, graph->row_count + 1);
    emitter->lanes = ARENA_ARRAY(graph->arena, LLVMValueRef, blocks);
    emitter->bodies = ARENA_ARRAY(graph->arena, LLVMBasicBlockRef, blocks);
    emitter->number_places = ARENA_ARRAY(graph->arena, LLVMValueRef, (graph->row_count + 1u) * GROUPS_MAX);
    emitter->checks = ARENA_ARRAY(graph->arena, struct known_check, graph->row_count + 1u);
    emitter->fetches = ARENA_ARRAY(graph->arena, struct known_fetch, graph->row_count + 1u);
    emitter->state = ARENA_ARRAY(graph->arena, struct row_form, graph->row_count + 1u);
    emitter->nans = ARENA_ARRAY(graph->arena, uint8_t, graph->row_count + 1u);
    if (!emitter->rows || !emitter->lanes || !emitter->bodies || !emitter->number_places ||
        !emitter->checks || !emitter->fetches || !emitter->state || !emitter->nans || !steps_make(emitter))
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
    for (uint32_t level = 0; level < graph->made->levels; level++) {
        emitter->returns_to[level] = LLVMBuildAlloca(emitter->allocas, emitter->i32, "returns_to");
        emit_store(emitter, emit_i32(emitter, 0), emitter->returns_to[level]);
    }
    return true;
}
