/* What lowering leaves and exec runs: micro-ops over rows. Offsets and numbers, no pointers, so that another
 * back end (compiled code) can read it too.
 *
 * A *row* holds one value for every lane of a gang (structure of arrays). Rows are numbered per width class:
 * 4-byte rows (values of up to 32 bits, narrow ones extended as execution.md says), 8-byte rows, and
 * predicate rows of one byte a lane (0 or 1). *Uniform* values (immediates, parameters, block indices) have
 * rows of their own, filled by exec before a block runs and read with step 0.
 *
 * A load or store has its address in row a (64 bits) and `immediate`. Or row a is uniform and row c holds an
 * index for each lane, of 32 bits and signed as source_type says, which counts 1 << scale_log2 bytes;
 * source_type is HX_TYPE_NONE where there are no indices.
 *
 * An instruction is one or several micro-ops; exactly one is PRIMARY (it carries the meaning and is what is
 * counted), the first is FIRST and the last is LAST. Paths start and meet only at FIRST micro-ops. */
#pragma once

#include "isa/isa.h"
#include "program/program.h"
#include "verify/verify.h"

/* Where a micro-op's operand is. */
enum row_kind {
    ROW_NONE,
    ROW_4,         /* vector row of 4-byte lanes */
    ROW_8,         /* vector row of 8-byte lanes */
    ROW_PREDICATE, /* row of byte lanes */
    ROW_UNIFORM_4, /* index into lowered_kernel.uniforms */
    ROW_UNIFORM_8,
    ROW_SPECIAL_4, /* index is an enum special_register that differs between lanes: tid, laneid, warpid,
                      lanemask_* */
    ROW_SPECIAL_8  /* gtid */
};
struct row {
    uint8_t kind;
    uint16_t index;
};

/* What a uniform row is filled with. */
enum uniform_kind {
    UNIFORM_IMMEDIATE, /* bits */
    UNIFORM_PARAMETER, /* symbol: a scalar's value, or a buffer's address; 64 bits of which the row takes its
                          width */
    UNIFORM_ARRAY,     /* bits = offset added to the address of array `symbol` in `space` */
    UNIFORM_SPECIAL    /* symbol: an enum special_register that is the same for all threads of a block */
};
struct uniform {
    uint8_t kind, width; /* width: 4 or 8 bytes */
    uint8_t space;
    uint16_t symbol;
    uint64_t bits;
};

enum micro_flags {
    MICRO_FIRST = 1,
    MICRO_LAST = 2,
    MICRO_PRIMARY = 4,
    MICRO_MASKED = 8, /* between guard_begin and guard_end: run the masked handler whatever the path's mask */
    MICRO_GUARDED =
        16, /* flow only: row c is the guard; lanes where it is false go on behind the instruction */
    MICRO_GUARD_NEGATED = 32
};

struct micro_op {
    int16_t semantic;          /* a row of src/semantics, or one of enum micro_internal */
    uint8_t type, source_type; /* enum hx_type, as the semantic's shape reads them */
    uint8_t flags;             /* enum micro_flags */
    uint8_t align_log2;        /* memory: the address must be a multiple of 1 << align_log2 */
    uint8_t access_bytes; /* memory: bytes checked from the address on (a whole vector for its first element,
                             0 = checked by the first element) */
    uint8_t scale_log2;   /* memory with indices */
    uint8_t rounding;     /* enum rounding, for *_directed rows */
    struct row d, e, a, b, c, f;
    int64_t
        immediate; /* address: scale; memory: offset; fence: scope; barrier: id; lop3: table; unpack: lane */
    uint32_t target;      /* flow: index of a micro-op that is FIRST */
    uint32_t instruction; /* index in the kernel's code */
};

/* Micro-ops that no instruction names. Numbers follow the semantics'. */
enum micro_internal {
    MICRO_GUARD_BEGIN = SEMANTIC_COUNT, /* mask := path's mask and (c, negated by GUARD_NEGATED) */
    MICRO_GUARD_END,                    /* mask := path's mask */
    MICRO_WARP_WAIT,                    /* lanes of a warp come together; row a: the mask, if there is one */
    MICRO_COLLECTIVE, /* all threads of the block come together; the micro-op behind is done then */
    MICRO_END         /* behind the last instruction: falling off is a fault */
};

struct lowered_kernel {
    struct arena arena;
    const hx_program *program;
    const struct kernel *kernel;
    struct micro_op *ops; /* op_count of them; the last one is MICRO_END */
    uint32_t op_count;
    uint32_t *first_op; /* for instruction i its first micro-op; code_count + 1 entries */
    struct uniform *uniforms;
    uint32_t uniform_count;
    uint32_t rows_4, rows_8, rows_predicate; /* vector rows needed */
    struct row
        *zero_rows; /* vector rows to clear before a block runs: registers that may be read unwritten */
    uint32_t zero_row_count;
    uint32_t specials;     /* bit set of 1 << special_register that appear as ROW_SPECIAL_* */
    uint8_t barriers_used; /* not 0: the kernel has barriers, so all gangs of a block must keep their state */
    bool prints;
    bool has_warp_ops;   /* gangs must be whole warps */
    uint32_t call_depth; /* rows of return addresses needed; CALL_DEPTH_MAX when recursion makes it unknown */
};

/* Lowers a verified kernel. *ret_lowered is given (lower_free) and borrows program and
 * kernel. HX_NO_MEMORY; HX_LIMIT when a kernel needs more than 65,535 rows. */
HX_MUST_CHECK hx_status lower_kernel(const hx_program *program, const struct verified_kernel *verified,
                                     const hx_allocator *allocator, hx_diag *diag,
                                     struct lowered_kernel **ret_lowered);
void lower_free(struct lowered_kernel *lowered);
/* The listing of `hexec disasm --lowered`. */
hx_status lower_print(const struct lowered_kernel *lowered, hx_write_function write, void *user);
