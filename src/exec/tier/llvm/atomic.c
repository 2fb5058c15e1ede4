/* Atomics.
 *
 * Takes an atomic whose elements have been checked, leaves a loop over the active lanes, the lowest first, as
 * the interpreter has it. What the element becomes is a function of rows.c. Shared memory belongs to one
 * worker: its elements are loaded and stored; those of global memory are exchanged until nobody has come
 * between. */
#include "exec/tier/llvm/access.h"

/* Cells of the loop's operands and results, by way of memory. */
struct atomic {
    const struct element_access *access;
    LLVMValueRef distances, b, f, d;        /* allocas of vectors; d: NULL, it is not needed */
    LLVMValueRef old, b_cell, f_cell, left; /* allocas of what the row's function takes and gives */
};

static LLVMValueRef in_memory(struct emitter *emitter, LLVMValueRef vector)
{
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(vector), "");
    emit_store(emitter, vector, place);
    return place;
}

static struct atomic begin(struct emitter *emitter, const struct element_access *access)
{
    const struct op *bound = &emitter->graph->bound->ops[access->at];
    const struct micro_op *op = access->op;
    LLVMBuilderRef allocas = emitter->allocas;
    struct atomic atomic = {.access = access,
                            .distances = in_memory(emitter, access->distances),
                            .b = in_memory(emitter, emit_operand(emitter, op->b, bound->b)),
                            .old = LLVMBuildAlloca(allocas, access->element, ""),
                            .b_cell = LLVMBuildAlloca(allocas, access->element, ""),
                            .f_cell = LLVMBuildAlloca(allocas, access->element, ""),
                            .left = LLVMBuildAlloca(allocas, access->element, "")};
    if (op->f.kind != ROW_NONE)
        atomic.f = in_memory(emitter, emit_operand(emitter, op->f, bound->f));
    return atomic;
}

static LLVMValueRef cell(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef vector, LLVMValueRef lane)
{
    return LLVMBuildGEP2(emitter->builder, type, vector, &lane, 1, "");
}

/* What the element becomes. */
static LLVMValueRef left_of(struct emitter *emitter, const struct atomic *atomic, LLVMValueRef old)
{
    LLVMValueRef none = LLVMConstPointerNull(emitter->pointer);
    const LLVMValueRef places[] = {atomic->old, atomic->b_cell, none, atomic->f ? atomic->f_cell : none};
    emit_store(emitter, old, atomic->old);
    emit_call_row(emitter, atomic->access->at, atomic_function_name(atomic->access->op), atomic->left, none,
                  places);
    return emit_load(emitter, atomic->access->element, atomic->left);
}

/* A comparison that finds another value only loads. */
static void leave_if_other(struct emitter *emitter, const struct atomic *atomic, LLVMValueRef old,
                           LLVMBasicBlockRef done)
{
    if (semantic_at(atomic->access->op->semantic)->shape != SHAPE_CAS)
        return;
    LLVMBasicBlockRef equal = emit_new_block(emitter, "equal");
    LLVMValueRef wanted = emit_load(emitter, atomic->access->element, atomic->b_cell);
    LLVMBuildCondBr(emitter->builder, LLVMBuildICmp(emitter->builder, LLVMIntEQ, old, wanted, ""), equal,
                    done);
    LLVMPositionBuilderAtEnd(emitter->builder, equal);
}

/* Replaces the element; gives what it was. */
static LLVMValueRef replace(struct emitter *emitter, const struct atomic *atomic, LLVMValueRef at)
{
    LLVMBuilderRef builder = emitter->builder;
    const unsigned bytes = atomic->access->bytes;
    LLVMValueRef seen = emit_load(emitter, atomic->access->element, at);
    LLVMSetAlignment(seen, bytes);
    if (emitter->graph->bound->ops[atomic->access->at].space == SPACE_SHARED) {
        LLVMSetAlignment(LLVMBuildStore(builder, left_of(emitter, atomic, seen), at), bytes);
        return seen;
    }
    LLVMSetOrdering(seen, LLVMAtomicOrderingAcquire);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), again = emit_new_block(emitter, "exchange"),
                      done = emit_new_block(emitter, "exchanged");
    LLVMBuildBr(builder, again);
    LLVMPositionBuilderAtEnd(builder, again);
    LLVMValueRef old = LLVMBuildPhi(builder, atomic->access->element, "");
    leave_if_other(emitter, atomic, old, done);
    LLVMValueRef left = left_of(emitter, atomic, old);
    LLVMValueRef both =
        LLVMBuildAtomicCmpXchg(builder, at, old, left, LLVMAtomicOrderingSequentiallyConsistent,
                               LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMValueRef now = LLVMBuildExtractValue(builder, both, 0, "");
    LLVMValueRef incoming[] = {seen, now};
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(builder)};
    LLVMBuildCondBr(builder, LLVMBuildExtractValue(builder, both, 1, ""), done, again);
    LLVMAddIncoming(old, incoming, from, 2);
    LLVMPositionBuilderAtEnd(builder, done);
    return old;
}

static void one_lane(struct emitter *emitter, const struct atomic *atomic, LLVMValueRef lane)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct element_access *access = atomic->access;
    LLVMTypeRef distance = LLVMGetElementType(LLVMTypeOf(access->distances));
    LLVMValueRef at = emit_element_place(
        emitter, access, emit_load(emitter, distance, cell(emitter, distance, atomic->distances, lane)));
    emit_store(emitter, emit_load(emitter, access->element, cell(emitter, access->element, atomic->b, lane)),
               atomic->b_cell);
    if (atomic->f)
        emit_store(emitter,
                   emit_load(emitter, access->element, cell(emitter, access->element, atomic->f, lane)),
                   atomic->f_cell);
    LLVMValueRef old = replace(emitter, atomic, at);
    if (atomic->d)
        LLVMBuildStore(builder, old, cell(emitter, access->element, atomic->d, lane));
}

/* Active lanes, of which there are some. */
static void some_lanes(struct emitter *emitter, const struct atomic *atomic, LLVMBasicBlockRef behind)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), loop = emit_new_block(emitter, "each_atomic");
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef left = LLVMBuildPhi(builder, emitter->i64, "");
    LLVMValueRef find[] = {left, LLVMConstInt(emitter->i1, 1, false)};
    one_lane(emitter, atomic, emit_call(emitter, "llvm.cttz.i64", emitter->i64, find, 2));
    LLVMValueRef rest =
        LLVMBuildAnd(builder, left, LLVMBuildSub(builder, left, emit_i64(emitter, 1), ""), "");
    LLVMValueRef incoming[] = {atomic->access->mask, rest};
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(builder)};
    LLVMBuildCondBr(builder, emit_is_nonzero(emitter, rest), loop, behind);
    LLVMAddIncoming(left, incoming, from, 2);
}

/* All lanes, a few in each round. */
#define LANES_A_ROUND 4u
static void all_lanes(struct emitter *emitter, const struct atomic *atomic, LLVMBasicBlockRef behind)
{
    LLVMBuilderRef builder = emitter->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), loop = emit_new_block(emitter, "all_atomic");
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef lane = LLVMBuildPhi(builder, emitter->i64, "");
    for (uint32_t i = 0; i < LANES_A_ROUND; i++)
        one_lane(emitter, atomic, LLVMBuildAdd(builder, lane, emit_i64(emitter, i), ""));
    LLVMValueRef next = LLVMBuildAdd(builder, lane, emit_i64(emitter, LANES_A_ROUND), "");
    LLVMValueRef incoming[] = {emit_i64(emitter, 0), next};
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(builder)};
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, next, emit_i64(emitter, TIER_LANES), ""),
                    loop, behind);
    LLVMAddIncoming(lane, incoming, from, 2);
}

/* Does anybody need what the elements were? */
static bool has_result(struct emitter *emitter, const struct element_access *access)
{
    const struct graph *graph = emitter->graph;
    const uint32_t row = graph_row(graph, access->op->d);
    uint64_t *live = ARENA_ARRAY(graph->arena, uint64_t, graph->row_words);
    if (!live) {
        emitter->failed = true;
        return true;
    }
    if (access->op->d.kind != ROW_NONE && access->at + 1 < graph_block(graph, emitter->block)->end)
        graph_live_at(graph, emitter->block, access->at + 1, live);
    else if (access->op->d.kind != ROW_NONE)
        return true;
    return row != TIER_NONE && set_has(live, row);
}

void emit_atomic(struct emitter *emitter, const struct element_access *access)
{
    LLVMBuilderRef builder = emitter->builder;
    struct atomic atomic = begin(emitter, access);
    if (has_result(emitter, access)) {
        atomic.d = LLVMBuildAlloca(emitter->allocas, access->vector, "");
        emit_store(emitter, LLVMConstNull(access->vector), atomic.d);
    }
    LLVMBasicBlockRef all = emit_new_block(emitter, "atomics"),
                      some = emit_new_block(emitter, "some_atomics"),
                      behind = emit_new_block(emitter, "all_atomics");
    LLVMBuildCondBr(builder,
                    LLVMBuildICmp(builder, LLVMIntEQ, access->mask, emit_i64(emitter, UINT64_MAX), ""), all,
                    some);
    LLVMPositionBuilderAtEnd(builder, all);
    all_lanes(emitter, &atomic, behind);
    LLVMPositionBuilderAtEnd(builder, some);
    some_lanes(emitter, &atomic, behind);
    LLVMPositionBuilderAtEnd(builder, behind);
    if (atomic.d)
        emit_write(emitter, access->op->d, emit_load(emitter, access->vector, atomic.d), NAN_EXACT);
}
