/* Semantics: the closed list of things that a lane can do. One row of one .def file is one meaning; `isa`
 * reads the list to check the YAML against it, `exec` to make handlers of it, `hexec isa` to print it.
 *
 * A row says: its shape (which operands there are and how they relate in width), its name, the set of types
 * it is written over, and an expression that is total: it has a value and no undefined behaviour on any bits.
 *
 * Variants. Where a modifier changes the meaning, the variant is a row of its own, named after the base row
 * and the modifier: the ISA's `semantics: setp` with `setp.lt` means row setp_lt, `semantics: fmin` with
 * `min.nan` row fmin_nan, `cvt.rni` row cvt_rni. The base row itself may be missing (there is no row `setp`).
 * Directed rounding (rm, rp, rz) is row <name>_directed with the mode in the micro-op. Modifiers that are not
 * variants: sat and ftz (lower emits a following or preceding micro-op), approx and cache hints (accepted, no
 * effect), vector (lower splits), combine (lower adds a predicate micro-op), scope. */
#pragma once

#include "base/text.h"
#include "hexec/isa.h"

/* X(SHAPE, operands in words). An operand has a role and a width:
 *   d e    written          a b c f   read         p  a predicate byte
 *   T the instruction's type, S its source type, W the type of twice T's width, Q 64-bit, P predicate, L u32,
 *   F f32, M f64 where T is, else u32
 */
#define SEMANTIC_SHAPES(X)                                                                                   \
    X(UNARY, "d:T a:T")                                                                                      \
    X(BINARY, "d:T a:T b:T")                                                                                 \
    X(TERNARY, "d:T a:T b:T c:T")                                                                            \
    X(QUATERNARY, "d:T a:T b:T c:L f:L") /* bfi: field, base, position, length */                            \
    X(SHIFT, "d:T a:T b:L")              /* the amount is 32 bits whatever T is */                           \
    X(FUNNEL, "d:T a:T b:T c:L")                                                                             \
    X(FIELD, "d:T a:T b:L c:L") /* bfe: position and length */                                               \
    X(COUNT, "d:L a:T")         /* popc, clz, bfind: the result is 32 bits */                                \
    X(COMPARE, "d:P a:T b:T")                                                                                \
    X(TEST, "d:P a:T")                                                                                       \
    X(SELECT, "d:T a:T b:T c:P")                                                                             \
    X(CHOOSE, "d:T a:T b:T c:S")    /* slct: a or b, by the sign of c, which has the row's other type */     \
    X(CARRY, "d:T e:P a:T b:T c:P") /* addc, subc */                                                         \
    X(MAD_CARRY, "d:T e:P a:T b:T c:T f:P") /* madc */                                                       \
    X(WIDE, "d:W a:T b:T")                                                                                   \
    X(WIDE_ADD, "d:W a:T b:T c:W")                                                                           \
    X(PAIR, "d:W a:T b:T") /* two halves become one */                                                       \
    X(HALF, "d:T a:W")     /* a half of a wide one */                                                        \
    X(CONVERT, "d:T a:S")                                                                                    \
    X(POLICY, "d:T a:F") /* a number, whatever part of the accesses a says */                                \
    X(POLICY_RANGE, "d:T a:Q c:L f:L")                                                                       \
    X(ADDRESS, "d:Q a:Q b:T") /* base + index * scale; the scale is the micro-op's immediate */              \
    X(LOAD, "d:T a:Q")        /* of the element at address a + offset */                                     \
    X(STORE, "a:Q b:T")                                                                                      \
    X(ATOMIC, "d:T a:Q b:T")  /* of the element at address a + offset: d gets what it was */                 \
    X(CAS, "d:T a:Q b:T f:T") /* compared with b, replaced by f */                                           \
    /* between the lanes of a warp, and between the threads of a block; the last operand is the mask of      \
     * members */                                                                                            \
    X(SHUFFLE, "d:T e:P a:T b:L c:L f:L")                                                                    \
    X(VOTE, "d:P a:P b:L")                                                                                   \
    X(BALLOT, "d:T a:P b:L")                                                                                 \
    X(MEMBERS, "d:T")                                                                                        \
    X(MATRIX, "d:T a:M b:M c:T") /* mma: registers of matrices; a lane of a row is one step of it */         \
    X(MATCH, "d:L a:T b:L")                                                                                  \
    X(MATCH_ALL, "d:L e:P a:T b:L")                                                                          \
    X(REDUX, "d:T a:T b:L")                                                                                  \
    X(REDUCE, "d:T a:T")                                                                                     \
    X(SCAN, "d:T a:T")                                                                                       \
    X(SCAN_BEFORE, "d:T a:T")                                                                                \
    X(SPECIAL, "d:T")            /* clocks: a value that changes while the kernel runs */                    \
    X(PRINT, "a:Q b:T c:T f:T")  /* the format's address, then numbers */                                    \
    X(PRINT_BLOCK, "a:Q b:Q")    /* the format's address, that of a block of arguments */                    \
    X(CHECK, "a:P b:Q c:Q")      /* assert: a condition, a message's address, that of values for it */       \
    X(STACK_TAKE, "d:T a:T b:L") /* bytes and alignment; d: an address in local memory */                    \
    X(STACK_SAVE, "d:T")                                                                                     \
    X(STACK_RESTORE, "a:T")                                                                                  \
    X(FLOW, "") /* branch, call, return, loop, exit, barrier, fence: exec's drivers */

enum semantic_shape {
#define SHAPE_VALUE(name, operands) SHAPE_##name,
    SEMANTIC_SHAPES(SHAPE_VALUE)
#undef SHAPE_VALUE
        SHAPE_KINDS
};

/* Shapes whose operand a is an address. */
static inline bool shape_is_atomic(enum semantic_shape shape)
{
    return shape == SHAPE_ATOMIC || shape == SHAPE_CAS;
}
static inline bool shape_is_memory(enum semantic_shape shape)
{
    return shape == SHAPE_LOAD || shape == SHAPE_STORE || shape_is_atomic(shape);
}

/* Between the lanes of a warp: they come together first, but for MEMBERS. */
static inline bool shape_gathers_warp(enum semantic_shape shape)
{
    return shape >= SHAPE_SHUFFLE && shape <= SHAPE_REDUX && shape != SHAPE_MEMBERS;
}
static inline bool shape_is_warp(enum semantic_shape shape)
{
    return shape >= SHAPE_SHUFFLE && shape <= SHAPE_REDUX;
}
static inline bool shape_is_print(enum semantic_shape shape)
{
    return shape == SHAPE_PRINT || shape == SHAPE_PRINT_BLOCK;
}
/* A thread's stack, behind its arrays in local memory. */
static inline bool shape_is_stack(enum semantic_shape shape)
{
    return shape >= SHAPE_STACK_TAKE && shape <= SHAPE_STACK_RESTORE;
}
/* Over all threads of a block. */
static inline bool shape_is_collective(enum semantic_shape shape)
{
    return shape >= SHAPE_REDUCE && shape <= SHAPE_SCAN_BEFORE;
}

/* Spaces of memory rows. */
/* clang-format off */
#define HX_SPACES(X)        \
    X(NONE, "none")         \
    X(GLOBAL, "global")     \
    X(SHARED, "shared")     \
    X(CONSTANT, "constant") \
    X(LOCAL, "local")       \
    X(GENERIC, "generic")
/* clang-format on */
enum hx_space {
#define SPACE_VALUE(name, text) SPACE_##name,
    HX_SPACES(SPACE_VALUE)
#undef SPACE_VALUE
        SPACE_COUNT
};

/* Generic addresses: those of global memory are themselves; the other spaces lie in windows beyond all of it,
 * as PTX's do (PTX ISA, Generic Addressing). */
#define SHARED_WINDOW   UINT64_C(0x0000a00000000000)
#define LOCAL_WINDOW    UINT64_C(0x0000b00000000000)
#define CONSTANT_WINDOW UINT64_C(0x0000c00000000000)
#define WINDOW_BYTES    UINT64_C(0x0000010000000000)
/* The same in 32 bits, for kernels whose addresses have no more (PTX's .address_size 32): those of buffers
 * are NARROW_BASE less, so that NULL is none, and the windows are at the end, in the order above. */
#define NARROW_BASE         UINT64_C(0xff000000)
#define NARROW_WINDOWS      UINT64_C(0xd0000000)
#define NARROW_WINDOW_BYTES UINT64_C(0x10000000)

/* The cache policy of an ordinary access: what createpolicy gives, since there are no caches. The number is
 * the one that CUTLASS has for it (cute/arch/copy_sm90_desc.hpp, CacheHintSm90::EVICT_NORMAL). */
#define POLICY_EVICT_NORMAL UINT64_C(0x1000000000000000)

/* A row, read as data. `types` is a bit set of 1 << HX_TYPE_...; for CONVERT also `source_types`. */
struct semantic {
    const char *name;
    enum semantic_shape shape;
    enum hx_space space;
    uint32_t types, source_types;
    const char *expression; /* as it stands in the row: "a + b" */
};

/* SEM_add, SEM_setp_lt, ...: made from all.def. */
enum semantic_id {
#include "semantics/ids.h"
    SEMANTIC_COUNT
};
#define SEMANTIC_NONE (-1)

const struct semantic *semantic_at(int id); /* NULL outside the list */
int semantic_find(struct slice name);       /* SEMANTIC_NONE when there is none */
/* The variant of `base` for a modifier's text: row "base_modifier"; SEMANTIC_NONE when there is none. */
int semantic_find_variant(struct slice base, struct slice modifier);
/* True when some row is called name or name_something: the YAML may name it. */
bool semantic_is_family(struct slice name);

/* The operand letters of a shape. */
enum semantic_operand { OPERAND_D, OPERAND_E, OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_F, OPERAND_LETTERS };
/* What type the operand has in a row of this shape over `type` and `source_type`; HX_TYPE_NONE: not there. */
enum hx_type semantic_operand_type(enum semantic_shape shape, enum semantic_operand operand,
                                   enum hx_type type, enum hx_type source_type);
