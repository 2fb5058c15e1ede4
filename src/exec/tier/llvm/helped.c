/* Where lanes of a warp come together, and what handlers of the interpreter do.
 *
 * Takes a micro-op for which there is no code of its own, leaves a call of its handler: operands go to the
 * rows in memory, results come from there, and everything else stays in registers. */
#include "exec/tier/llvm/emit.h"

#include <stddef.h>

static LLVMValueRef in_memory(struct emitter *emitter, LLVMValueRef vector)
{
    LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, LLVMTypeOf(vector), "");
    emit_store(emitter, vector, place);
    return place;
}

/* Lanes go on if all are here that their masks name, or all of the warp where there is no mask: those that
 * wait at other places are missing, and those whose guard is false. */
void emit_wait(struct emitter *emitter, uint32_t at)
{
    LLVMBuilderRef builder = emitter->builder;
    const struct micro_op *op = &emitter->graph->ops[at];
    const bool has_mask = op->a.kind != ROW_NONE;
    LLVMValueRef missing = emit_waiting_lanes(emitter), lanes = emitter->active;
    if (!missing && !has_mask)
        return;
    missing = missing ? missing : emit_i64(emitter, 0);
    if (has_mask && (op->flags & MICRO_GUARDED)) {
        lanes = emit_guard(emitter, at);
        LLVMValueRef others = LLVMBuildAnd(builder, emitter->active, LLVMBuildNot(builder, lanes, ""), "");
        missing = LLVMBuildOr(builder, missing, others, "");
    }
    LLVMValueRef masks = has_mask ? emit_operand(emitter, op->a, emitter->graph->bound->ops[at].a)
                                  : LLVMConstAllOnes(emitter->v32);
    LLVMValueRef arguments[] = {in_memory(emitter, masks), lanes, missing,
                                emit_i32(emitter, emitter->warp_lanes)};
    LLVMValueRef wrong = emit_call(emitter, "warp_misses", emitter->i32, arguments, HX_COUNT_OF(arguments));
    emit_check(emitter, LLVMBuildICmp(builder, LLVMIntEQ, wrong, emit_i32(emitter, 0), ""), at);
}

static LLVMValueRef operand_in_memory(struct emitter *emitter, struct row row, struct op_row bound)
{
    if (row.kind == ROW_NONE)
        return LLVMConstPointerNull(emitter->pointer);
    LLVMValueRef value = emit_operand(emitter, row, bound);
    if (row.kind == ROW_PREDICATE)
        value = LLVMBuildZExt(emitter->builder, emit_lanes_of(emitter, value), emitter->v8, "");
    return in_memory(emitter, value);
}

void emit_warp(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    const struct op *bound = &emitter->graph->bound->ops[at];
    const bool has_second = op->e.kind != ROW_NONE;
    LLVMValueRef d = emit_new_place(emitter, op->d);
    LLVMValueRef e =
        LLVMBuildAlloca(emitter->allocas, emitter->v8, ""); /* written whether it is wanted or not */
    LLVMValueRef arguments[] = {d,
                                operand_in_memory(emitter, op->a, bound->a),
                                operand_in_memory(emitter, op->b, bound->b),
                                operand_in_memory(emitter, op->c, bound->c),
                                operand_in_memory(emitter, op->f, bound->f),
                                e,
                                emit_mask(emitter),
                                emit_i32(emitter, emitter->warp_lanes)};
    (void)emit_call(emitter, warp_function_name(op), LLVMVoidTypeInContext(emitter->context), arguments,
                    HX_COUNT_OF(arguments));
    LLVMValueRef value = emit_made_value(emitter, op->d, d);
    LLVMValueRef second = has_second ? emit_made_value(emitter, op->e, e) : NULL;
    emit_write(emitter, op->d, value, NAN_EXACT);
    if (second)
        emit_write(emitter, op->e, second, NAN_EXACT);
}

/* ---- Handlers ------------------------------------------------------------------------------------------ */

void emit_give_operand(struct emitter *emitter, struct row row)
{
    const uint32_t number = graph_row(emitter->graph, row);
    if (number == TIER_NONE)
        return;
    const bool is_kept = emitter->graph->is_open[emitter->block] && set_has(emitter->graph->kept, number);
    LLVMValueRef lanes = is_kept ? emitter->active : emit_i64(emitter, UINT64_MAX);
    emit_spill_row(emitter, number, is_kept ? (struct row_form){.kind = FORM_VARIES} : emitter->state[number],
                   emitter->nans[number] == NAN_ANY ? lanes : NULL);
}

static void take_result(struct emitter *emitter, struct row row)
{
    const uint32_t number = graph_row(emitter->graph, row);
    if (number != TIER_NONE)
        emit_write(emitter, row, emit_row_in_memory(emitter, number), NAN_EXACT);
}

/* Where it has stopped the launch nothing is needed any more. */
static void leave_stopped(struct emitter *emitter, LLVMValueRef goes_on)
{
    LLVMBasicBlockRef behind = emit_new_block(emitter, "helped"),
                      stopped = emit_new_block(emitter, "stopped");
    emit_likely(emitter, goes_on, behind, stopped);
    LLVMPositionBuilderAtEnd(emitter->builder, stopped);
    LLVMValueRef gang = LLVMBuildMul(emitter->builder, emitter->gang, emit_i32(emitter, TIER_GANG), "");
    LLVMBuildRet(emitter->builder, LLVMBuildOr(emitter->builder, gang, emit_i32(emitter, TIER_FAULT), ""));
    LLVMPositionBuilderAtEnd(emitter->builder, behind);
}

void emit_help(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    LLVMTypeRef types[] = {emitter->pointer, emitter->i32, emitter->i64};
    LLVMTypeRef type = LLVMFunctionType(emitter->i1, types, HX_COUNT_OF(types), false);
    LLVMValueRef help = emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, help));
    LLVMValueRef arguments[] = {emitter->frame, emit_i32(emitter, at), emit_mask(emitter)};
    emit_give_operand(emitter, op->a);
    emit_give_operand(emitter, op->b);
    emit_give_operand(emitter, op->c);
    emit_give_operand(emitter, op->f);
    LLVMValueRef goes_on =
        LLVMBuildCall2(emitter->builder, type, help, arguments, HX_COUNT_OF(arguments), "");
    LLVMAddCallSiteAttribute(
        goes_on, LLVMAttributeReturnIndex,
        LLVMCreateEnumAttribute(emitter->context, LLVMGetEnumAttributeKindForName("zeroext", 7), 0));
    if (!shape_is_warp(semantic_at(op->semantic)->shape))
        leave_stopped(emitter, goes_on);
}

void emit_helped(struct emitter *emitter, uint32_t at)
{
    const struct micro_op *op = &emitter->graph->ops[at];
    emit_help(emitter, at);
    take_result(emitter, op->d);
    take_result(emitter, op->e);
}
