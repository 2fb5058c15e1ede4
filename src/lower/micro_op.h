/* What lowering leaves and exec runs: micro-ops over rows. Offsets and numbers, no pointers, so that another
 * back end (compiled code) can read it too.
 *
 * A *row* holds one value for every lane of a gang (structure of arrays). Rows are numbered per width class:
 * 4-byte rows (values of up to 32 bits, narrow ones extended by their type), 8-byte rows, and predicate rows
 * of one byte a lane (0 or 1). *Uniform* values (immediates, parameters, block indices) have rows of their
 * own, filled by exec before a block runs and read with step 0.
 *
 * A load or store has its address in row a (64 bits) and `immediate`. Or row a is uniform and row c holds an
 * index for each lane, of 32 bits and signed as source_type says, which counts 1 << scale_log2 bytes;
 * source_type is HX_TYPE_NONE where there are no indices.
 *
 * There are two codes. The *general* code is right wherever a gang's lanes are. The *converged* code is for a
 * gang whose threads are all at one instruction: there a value that is the same in all lanes has a row of 64
 * equal cells (ROW_SAME_*) and is computed once. A value that is the sum of such a value, its *same part*,
 * and an *affine part* (multiples of tid.x, tid.y, tid.z and the thread's number) may be kept as the same
 * part alone, which is enough for an address or a comparison. Exec goes from one code to the other at
 * instructions that have a list of transfers. A load or store whose row e is an affine part has the same part
 * of its indices in row f, and in row c room for the indices themselves; a comparison has the same part in
 * row a, and compares it with one value.
 *
 * Micro-ops may be *fused*: exec may do all micro-ops of a chain (converged/fuse.c) in one go, and then only
 * the last one's row is written. Chains are, in the converged code, loads and the multiply-adds that read
 * them, where each link is the head of a chain that ends with the same micro-op.
 *
 * An instruction is one or several micro-ops; exactly one is PRIMARY (it carries the meaning and is what is
 * counted), the first is FIRST and the last is LAST. Paths start and reconverge only at FIRST micro-ops. */
#pragma once

#include "isa/isa.h"
#include "program/program.h"
#include "verify/origins.h"

/* Where a micro-op's operand is. */
enum row_kind {
    ROW_NONE,
    ROW_4,         /* vector row of 4-byte lanes */
    ROW_8,         /* vector row of 8-byte lanes */
    ROW_PREDICATE, /* row of byte lanes */
    ROW_SAME_4,    /* as these three, of values that are the same in all lanes: one chunk */
    ROW_SAME_8,
    ROW_SAME_PREDICATE,
    ROW_UNIFORM_4, /* index into lowered_kernel.uniforms */
    ROW_UNIFORM_8,
    ROW_SPECIAL_4, /* index is an enum special_register that differs between lanes: tid, laneid, warpid,
                      lanemask_*; ctaid.x where a gang has several blocks */
    ROW_SPECIAL_8, /* gtid */
    ROW_AFFINE     /* 4-byte lanes: what affine_part `index` adds in each lane */
};
struct row {
    uint8_t kind;
    uint16_t index;
};

#define ROW_ABSENT ((struct row){ROW_NONE, 0})
static inline bool row_is_equal(struct row a, struct row b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* What a uniform row is filled with. */
enum uniform_kind {
    UNIFORM_IMMEDIATE, /* bits */
    UNIFORM_PARAMETER, /* symbol: a scalar's value, or a buffer's address; 64 bits of which the row takes its
                          width */
    UNIFORM_ARRAY,     /* bits = offset added to the address of array `symbol` in `space` */
    UNIFORM_SPECIAL    /* symbol: an enum special_register that is the same for all threads of a block, or
                          what it is for the first thread of the gang's first block (gtid, ctaid.x) */
};
struct uniform {
    uint8_t kind, width; /* width: 4 or 8 bytes */
    uint8_t space;
    uint16_t symbol;
    uint64_t bits;
};

/* A thread's place in its gang. */
enum lane_basis {
    LANE_TID_X,
    LANE_TID_Y,
    LANE_TID_Z,
    LANE_THREAD, /* its number in its block; in gangs of several blocks, from the first one's first on */
    LANE_BLOCK   /* gangs of several blocks: 0 for the first one's threads, 1 for the next one's, ... */
};
/* A sum of multiples of a thread's place: modulo 2^32 for values of 32 bits; for those of 64 the sum has 32.
 * No two terms have the same basis and factor; they are sorted by both, and none is 0. */
struct lane_term {
    uint8_t basis;
    uint8_t factor; /* 0: none; else the term is times lowered_kernel.factors[factor - 1] as well */
    uint32_t by;
};
#define LANE_TERMS_MAX 6
struct lane_sum {
    uint8_t count;
    struct lane_term terms[LANE_TERMS_MAX];
};
#define LANE_SUMS_MAX 255u

/* One value on its way from the converged code to the general one: vector[lane] = same + affine_part[lane].
 * On the way back the sum must hold in every lane, or the gang stays where it is. */
struct transfer {
    struct row same, vector;
    uint8_t affine_part; /* 0: none */
    bool back_only;      /* the vector has the value already */
};

enum micro_flags {
    MICRO_FIRST = 1,
    MICRO_LAST = 2,
    MICRO_PRIMARY = 4,
    MICRO_MASKED = 8, /* between guard_begin and guard_end: run the masked handler whatever the path's mask */
    MICRO_GUARDED =
        16, /* flow only: row c is the guard; lanes where it is false go on behind the instruction */
    MICRO_GUARD_NEGATED = 32,
    MICRO_MASK_UNNEEDED = 64, /* no lane on another path needs its value of row d: all lanes may be written */
    MICRO_DEFERRED_COMPARE =
        128 /* of a comparison: it is not made where it stands, but by the flow micro-op behind it,
     which has the flag too and takes it for its guard (rows c and d are not used) */
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
    uint8_t link_ops, links; /* `links` times, from here on, link_ops micro-ops that may be done in one go:
                                converged code: one load or two, and their multiply-add; plain code: two
                                loads by indices, and that; 0: none */
    uint8_t affine_part; /* converged code: of a memory access's indices, of what is compared; 0 for none; row
                        e is that affine_part. Of a flow micro-op: of the comparison right in front of it,
                        which is made for its guard */
    struct row d, e, a, b, c, f;
    int64_t
        immediate; /* address: scale; memory: offset; fence: scope; barrier: id; lop3: table; unpack: lane */
    uint32_t target;      /* flow: index of a micro-op that is FIRST */
    uint32_t instruction; /* index in the kernel's code */
};

#define LINKS_MAX 16u

/* Micro-ops that no instruction names. Numbers follow the semantics'. */
enum micro_internal {
    MICRO_GUARD_BEGIN = SEMANTIC_COUNT, /* mask := path's mask and (c, negated by GUARD_NEGATED) */
    MICRO_GUARD_END,                    /* mask := path's mask */
    MICRO_ARM_BEGIN,  /* converged: a branch; lanes that do not jump go on under a mask, all together to
                          `target` if there are none */
    MICRO_ARM_OTHER,  /* converged, the jump behind the first arm: now the other lanes, if there are any */
    MICRO_ARM_END,    /* converged: all lanes again */
    MICRO_WARP_WAIT,  /* lanes of a warp come together; row a: the mask, if there is one */
    MICRO_COLLECTIVE, /* all threads of the block come together; the micro-op behind is done then */
    MICRO_END         /* behind the last instruction: falling off is a fault */
};

/* Is there one value in the row, or no row at all? */
static inline bool row_has_one_value(struct row row)
{
    return row.kind == ROW_NONE || (row.kind >= ROW_SAME_4 && row.kind <= ROW_SAME_PREDICATE) ||
           row.kind == ROW_UNIFORM_4 || row.kind == ROW_UNIFORM_8;
}
/* Is the load one of one element, for a row of one value? */
static inline bool micro_op_loads_one(const struct micro_op *op)
{
    return op->d.kind >= ROW_SAME_4 && op->d.kind <= ROW_SAME_PREDICATE && row_has_one_value(op->a) &&
           row_has_one_value(op->c);
}

/* A kernel's code in one of its two forms. */
struct micro_code {
    struct micro_op *ops; /* op_count of them; the last one is MICRO_END */
    uint32_t op_count;
    uint32_t *first_op; /* for instruction i its first micro-op; code_count + 1 entries */
};

/* A register or predicate that an instruction writes, and its row in the general code. */
struct lowered_write {
    uint16_t member; /* of a flow_set: predicates behind registers */
    struct row row;
};

struct lowered_kernel {
    struct arena arena;
    const hx_program *program;
    const struct kernel *kernel;
    struct micro_code general;
    struct micro_code
        converged;         /* op_count 0: there is none. Its targets count from its own first micro-op */
    uint32_t *transfer_at; /* for instruction i: 1 + its first transfer; 0: the code cannot change here */
    struct transfer *transfers; /* a list ends with one of kind ROW_NONE */
    uint32_t transfer_count;
    struct lane_sum *affine_parts; /* affine_part p is affine_parts[p - 1] */
    uint32_t affine_count;
    struct uniform *factors; /* the same for all threads of a launch */
    struct uniform *uniforms;
    uint32_t uniform_count;
    uint32_t rows_4, rows_8, rows_predicate; /* vector rows needed */
    uint32_t same_4, same_8, same_predicate; /* rows needed for values that are the same in all lanes */
    struct row
        *zero_rows; /* vector rows to clear before a block runs: registers that may be read unwritten */
    uint32_t zero_row_count;
    struct lowered_write
        *writes; /* plain code: of instruction i from first_write[i] to first_write[i + 1] - 1 */
    uint32_t *first_write, write_count;
    struct array_origin *origins; /* of each access: the array that it should stay in */
    uint32_t specials;            /* bit set of 1 << special_register that appear as ROW_SPECIAL_* */
    bool packs_blocks;  /* made for gangs that have threads of several blocks, next to each other along x */
    bool barriers_used; /* there are barriers, or threads that arrive at one */
    bool blocks_meet;   /* it has what tells other blocks something: atomics, fences, pauses */
    bool prints;
    bool has_warp_ops;   /* gangs must be whole warps */
    bool uses_stack;     /* threads take local memory while they run */
    uint32_t call_depth; /* rows of return addresses needed; CALL_DEPTH_MAX when recursion makes it unknown */
};

/* Lowers a verified kernel. *ret_lowered is given (lower_free) and borrows program and kernel; so is
 * *ret_packed, the same for gangs of several blocks, or NULL when threads of a block do anything together:
 * use shared memory, wait for each other, print in their order. (Generic accesses may find shared memory that
 * a launch adds.) ret_packed may be NULL. HX_NO_MEMORY; HX_LIMIT when a kernel needs more than 65,535 rows.
 */
HX_MUST_CHECK hx_status lower_kernel(const hx_program *program, const struct verified_kernel *verified,
                                     const hx_allocator *allocator, hx_diag *diag,
                                     struct lowered_kernel **ret_lowered, struct lowered_kernel **ret_packed);
/* The general code alone, with a micro-op for all that each instruction says: nothing is known beforehand,
 * left out or deferred, and each result is written under the path's mask. Chains are marked, for launches
 * that do not want each of their micro-ops. */
HX_MUST_CHECK hx_status lower_kernel_plain(const hx_program *program, const struct verified_kernel *verified,
                                           const hx_allocator *allocator, hx_diag *diag,
                                           struct lowered_kernel **ret_lowered);
void lower_free(struct lowered_kernel *lowered);
/* The listing of `hexec disasm --lowered`. `packed` may be NULL. */
hx_status lower_print(const struct lowered_kernel *lowered, const struct lowered_kernel *packed,
                      hx_write_function write, void *user);
