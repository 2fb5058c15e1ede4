/* Making LLVM IR of a kernel: what the files of it use from each other. */
#pragma once

#include "exec/tier/llvm/graph.h"

#include <llvm-c/Core.h>

/* Types and values that are used throughout. A vector has TIER_LANES elements. */
struct lines;
struct emitter {
    const struct graph *graph;
    const char *symbol;       /* of the function */
    struct lines *lines;      /* NULL: no lines are wanted */
    bool counts, has_scatter; /* scatter: the machine has stores to many places */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder, allocas; /* allocas: at the end of the function's first block */
    LLVMValueRef function, frame;
    LLVMTypeRef i1, i8, i16, i32, i64, pointer, v1, v8, v16, v32, v64, vpointer;
    LLVMValueRef numbers;                   /* 0, 1, 2, ... of i32 */
    LLVMValueRef *rows;                     /* of each row an alloca: a vector, or for predicates 64 bits */
    LLVMValueRef *lanes;                    /* of each block an alloca: those that stand there */
    LLVMValueRef fuel, step_lanes, step_op; /* allocas */
    LLVMValueRef row_memory;                /* frame->rows */
    LLVMBasicBlockRef *bodies, *steps;
    LLVMBasicBlockRef done;
    uint32_t block;             /* that is made now */
    LLVMValueRef active, guard; /* its lanes; those whose guard is true, or NULL */
    uint32_t first_access;      /* micro-op of the instruction's first access */
    bool failed;
};

/* The mask in force. */
static inline LLVMValueRef emit_mask(const struct emitter *emitter)
{
    return emitter->guard ? emitter->guard : emitter->active;
}
LLVMValueRef emit_i32(const struct emitter *emitter, uint32_t value);
LLVMValueRef emit_i64(const struct emitter *emitter, uint64_t value);
LLVMBasicBlockRef emit_new_block(struct emitter *emitter, const char *name);
/* One value in all lanes. */
LLVMValueRef emit_splat(struct emitter *emitter, LLVMValueRef value);
/* 64 bits as a vector of i1, and back. */
LLVMValueRef emit_lanes_of(struct emitter *emitter, LLVMValueRef bits);
LLVMValueRef emit_bits_of(struct emitter *emitter, LLVMValueRef lanes);
LLVMValueRef emit_at(struct emitter *emitter, LLVMValueRef base, LLVMValueRef bytes);
/* A load of what does not change while compiled code runs. */
LLVMValueRef emit_constant_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef at, unsigned align);
LLVMValueRef emit_frame_field(struct emitter *emitter, LLVMTypeRef type, size_t offset);
LLVMValueRef emit_load(struct emitter *emitter, LLVMTypeRef type, LLVMValueRef from);
void emit_store(struct emitter *emitter, LLVMValueRef value, LLVMValueRef to);
/* What a row of this kind is in registers, and moving it between them and memory. */
LLVMTypeRef emit_row_type(const struct emitter *emitter, enum row_kind kind);
void emit_load_row(struct emitter *emitter, uint32_t row);
void emit_spill_row(struct emitter *emitter, uint32_t row);
/* The value of an operand: a vector; of a uniform one, one element. `bound` is the operand of struct op. */
LLVMValueRef emit_operand(struct emitter *emitter, struct row row, struct op_row bound);
LLVMValueRef emit_uniform(struct emitter *emitter, struct row row, struct op_row bound);
/* row := value under the mask in force, or in all lanes where nobody needs the others. */
void emit_write(struct emitter *emitter, struct row row, LLVMValueRef value);
/* Goes on where `condition` is true; where it is false the interpreter does the instruction of `op`. */
void emit_check(struct emitter *emitter, LLVMValueRef condition, uint32_t op);
LLVMValueRef emit_call(struct emitter *emitter, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                       unsigned count);
/* A load or store. */
void emit_access(struct emitter *emitter, uint32_t op);
/* The function `symbol` in emitter->module. False when the IR cannot be made. */
bool emit_kernel(struct emitter *emitter);
