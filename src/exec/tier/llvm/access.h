/* An access whose elements lie anywhere: what access.c and atomic.c use from each other. */
#pragma once

#include "exec/tier/llvm/emit.h"

struct element_access {
    const struct micro_op *op;
    uint32_t at;
    bool is_store;
    unsigned bytes;              /* of an element */
    LLVMTypeRef element, vector; /* in memory */
    LLVMValueRef mask, lanes;    /* 64 bits; the same as a vector */
    LLVMValueRef low, size;      /* of the window */
    LLVMValueRef host;           /* what distances are counted from */
    LLVMValueRef distances;      /* of each lane, in units of 1 << scale_log2: i32, or i64 and bytes */
    unsigned scale_log2;
    LLVMValueRef value;      /* of a store: elements */
    bool is_helped;          /* the handler does what does not fit the window, and code goes on behind it */
    LLVMBasicBlockRef other; /* where that is; NULL: nothing has been checked yet */
};

/* Indices of a base that are inside of the window: those from `first` on, `span` more, i32, if `good`. The
 * base is aligned, if the index keeps it so. `begin` is the base's distance in the window. */
struct index_range {
    LLVMValueRef first, span, good;
};
struct index_range emit_index_range(struct emitter *emitter, const struct micro_op *op, LLVMValueRef size,
                                    LLVMValueRef begin, LLVMValueRef base);
/* The host address of the element with that distance. */
LLVMValueRef emit_element_place(struct emitter *emitter, const struct element_access *access,
                                LLVMValueRef distance);
/* Atomics of active lanes, of which there are some, on elements that have been checked (atomic.c). */
void emit_atomic(struct emitter *emitter, const struct element_access *access);
