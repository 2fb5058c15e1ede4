/* Notes of where compiled code is, for the thread that samples it (exec/tier/sampling.c).
 *
 * Takes a micro-op, leaves a store of its instruction's number in front of its code. LLVM computes values
 * where it likes, far from such a store; so what an instruction gives also passes through an assembly of no
 * instructions, which stays where it is among the stores, in front of the next store and behind it: it is
 * computed before, and what is made of it after it. */
#include "exec/tier/llvm/emit.h"
#include "exec/tier/llvm/lines.h"

#include <stddef.h>
#include <string.h>

/* A value that fits a register of the kind that `constraints` names. */
static LLVMValueRef pass(struct emitter *emitter, LLVMValueRef value, const char *constraints)
{
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, "", 0, constraints, strlen(constraints), true, false,
                                            LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(emitter->builder, function, nothing, &value, 1, "");
}

/* `count` elements of a vector, from `from` on. */
static LLVMValueRef part_of(struct emitter *emitter, LLVMValueRef vector, uint32_t from, uint32_t count)
{
    LLVMValueRef chosen[TIER_LANES];
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = emit_i32(emitter, from + i);
    return LLVMBuildShuffleVector(emitter->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
                                  LLVMConstVector(chosen, count), "");
}

static uint32_t bits_of_element(LLVMTypeRef vector)
{
    LLVMTypeRef type = LLVMGetElementType(vector);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

LLVMValueRef emit_made_here(struct emitter *emitter, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!emitter->samples)
        return value;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return pass(emitter, value, "=r,0");
    const uint32_t count = (emitter->has_scatter ? 512 : 256) / bits_of_element(type);
    if (count >= TIER_LANES) /* masks, and what fits a register as it is */
        return value;
    LLVMValueRef parts[TIER_LANES];
    for (uint32_t i = 0; i < TIER_LANES / count; i++)
        parts[i] = pass(emitter, part_of(emitter, value, i * count, count), "=v,0");
    for (uint32_t width = count; width < TIER_LANES; width *= 2) { /* two become one, up to all of it */
        LLVMValueRef chosen[TIER_LANES];
        for (uint32_t i = 0; i < 2 * width; i++)
            chosen[i] = emit_i32(emitter, i);
        for (uint32_t i = 0; i < TIER_LANES / (2 * width); i++)
            parts[i] = LLVMBuildShuffleVector(emitter->builder, parts[2 * i], parts[2 * i + 1],
                                              LLVMConstVector(chosen, 2 * width), "");
    }
    return parts[0];
}

void emit_place(struct emitter *emitter, uint32_t at)
{
    const uint32_t instruction = emitter->graph->bound->ops[at].instruction;
    if (emitter->lines)
        lines_at(emitter->lines, emitter, at);
    if (!emitter->samples || !(emitter->graph->ops[at].flags & MICRO_FIRST))
        return;
    LLVMValueRef place = emit_common_field(emitter, emitter->pointer, offsetof(struct tier_frame, at));
    LLVMSetVolatile(LLVMBuildStore(emitter->builder, emit_i32(emitter, instruction), place), true);
    if (emitter->written == TIER_NONE)
        return;
    LLVMValueRef row = emitter->rows[emitter->written];
    LLVMTypeRef type = emit_row_type(emitter, graph_row_kind(emitter->graph, emitter->written));
    emit_store(emitter, emit_made_here(emitter, emit_load(emitter, type, row)), row);
    emitter->written = TIER_NONE;
}
