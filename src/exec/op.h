/* What a handler sees: a bound micro-op, its gang, and the gang's rows. Handlers are made from the rows of
 * src/semantics by handlers/template.h, once for each CPU level; the flow handlers are in flow.c.
 *
 * Rows. A gang's rows lie behind one pointer `rows`, 64-byte aligned. A vector row is `chunks` runs of 64
 * lanes; a uniform row is one run of 64 equal lanes that is read with step 0. Cells are 4 bytes for values of
 * up to 32 bits (narrow ones extended to 32: signed types by sign, others by zero), 8 bytes for 64-bit
 * values, and 1 byte (0 or 1) for predicates. A handler reads a narrow operand by truncating the cell and
 * writes it extended.
 *
 * Lanes. Lanes 0 to gang->lanes - 1 exist. The full handler may write garbage to cells of lanes that do not
 * exist; a masked handler leaves the cells of lanes that are not in the mask as they are. Memory is touched
 * for lanes that exist and are active only, in ascending order of lanes. */
#pragma once

#include "device/window.h"
#include "lower/micro_op.h"

#define LANES_PER_CHUNK 64
#define GANG_LANES_MAX  256
#define GANG_CHUNKS_MAX (GANG_LANES_MAX / LANES_PER_CHUNK)

struct op;
struct gang;
/* Runs one micro-op; returns the next one, or gang->stop to leave the driver loop. */
typedef const struct op *(*op_handler)(const struct op *op, struct gang *gang, char *rows);
/* What a micro-op makes of all 64 lanes of the chunks `chunk` to `end` - 1, written from `to` on. */
typedef void (*op_body)(const struct op *op, char *rows, char *to, size_t to_step, uint32_t chunk,
                        uint32_t end);

struct op_row {
    uint32_t at, step; /* bytes from `rows`; bytes from one chunk to the next, 0 for a uniform row */
};

struct op {
    op_handler run[2]; /* [0]: all lanes that exist; [1]: the lanes of the gang's mask */
    union {
        op_body body;      /* of a comparison for the flow op behind it (MICRO_DEFERRED_COMPARE) */
        op_handler single; /* of the head of a chain: does that op alone, for all lanes */
    };
    op_handler fused; /* of the head of a chain: does all of it, or that op alone */
    struct op_row d, e, a, b, c, f;
    int64_t immediate;    /* as in struct micro_op */
    uint32_t target;      /* flow: index in the bound ops */
    uint32_t instruction; /* index in the kernel's code */
    uint32_t window_slot; /* global memory: index in gang->windows */
    uint8_t flags, rounding, access_bytes, align_log2;
    uint8_t type, source_type, space, scale_log2;
    uint8_t affine_part, links, link_ops; /* as in struct micro_op; no links: nothing is fused */
    uint8_t follows;                      /* enum follow */
    int32_t apart_low, apart_high;        /* of a chain's first loads: how far the other links' lie from it */
};

/* What a micro-op reaches: of gangs where some of it is of no interest, the listener of HX_EVENT_MICRO_OP may
 * do without those micro-ops (gang_state.followed). */
enum follow {
    FOLLOW_ROWS = 1,   /* rows; all micro-ops have this */
    FOLLOW_SHARED = 2, /* shared memory */
    FOLLOW_OTHERS = 4, /* other memory that may be written, or threads of other gangs */
    FOLLOW_OPEN = 8,   /* its instruction's result may be another one on a GPU */
    FOLLOW_ALL = 15
};

/* Of the head of a chain: micro-ops behind it that may be done with it. */
static inline uint32_t op_chained(const struct op *op)
{
    return (uint32_t)op->links * op->link_ops - 1u;
}

/* What a affine_part adds in the lanes of one gang; its row has it for each lane. */
enum lane_layout {
    LAYOUT_ANY_LANES,
    LAYOUT_LANES_IN_RUN,  /* one more from each lane to the next */
    LAYOUT_GROUPS_IN_RUN, /* the same within each group of LAYOUT_GROUP lanes */
    LAYOUT_GROUPS_AT_ONE  /* the same for all lanes of a group */
};
#define LAYOUT_GROUP 16
#define CHUNK_GROUPS (LANES_PER_CHUNK / LAYOUT_GROUP)
struct affine_part {
    int32_t low, high; /* the least and the most */
    uint8_t kind;      /* enum lane_layout; groups only where all of them are whole */
    bool is_repeated;  /* all groups of a chunk begin with the same */
    int32_t groups[GANG_CHUNKS_MAX * CHUNK_GROUPS]; /* in the first lane of each group */
};

/* What comparing an affine part with a uniform value gives, if its bounds decide it for all lanes. */
enum decision { DECIDED_NOT, DECIDED_FALSE, DECIDED_TRUE };

/* The array that a micro-op must stay in, while accesses are checked: see exec/bounds.c. */
struct op_bounds {
    uint64_t low, size;
    uint8_t space;  /* of the array: SPACE_SHARED, SPACE_LOCAL or SPACE_CONSTANT */
    bool is_bound;  /* false: all of its space */
    bool is_any;    /* of shared memory: any region of the launch, which its address chooses (bounds.c) */
    bool is_single; /* of a chain's head: its links have different arrays, so that it cannot do them in one go
                     */
};

/* What an atomic found and what it left, in each lane; bits, zero-extended. */
struct atomic_record {
    uint64_t before[GANG_LANES_MAX], after[GANG_LANES_MAX];
};

/* The handlers' part of a gang; exec's part follows behind it (exec/gang.h). */
struct gang {
    uint32_t lanes;            /* that exist: 1 to 256 */
    uint32_t chunks;           /* of 64 lanes, rounded up; or fewer, where behind them no lane is active */
    const uint64_t *mask_bits; /* the active lanes, a word a chunk; bits of lanes that do not exist are 0 */
    const uint8_t *mask_bytes; /* the same, 0 or 1 a lane, chunks * 64 of them; if masks->takes_bytes */
    bool is_whole; /* the mask has all lanes that exist: a masked handler may do what the full one does */
    enum decision decided; /* of the comparison that was made last of those with affine_parts */
    const struct op *stop;
    struct memory_window shared, constant; /* of the op that runs: all, or the array that it must stay in */
    struct memory_window whole_shared, whole_constant;
    const struct op_bounds *bounds; /* of each op from `ops` on; NULL: none has any */
    const struct op *ops;
    struct memory_window local; /* of the gang's first thread; each next one's is local_stride bytes on */
    uint64_t local_stride;
    struct memory_window *windows; /* global memory, one for each memory op of the kernel */
    uint32_t warp_lanes;           /* lanes of a warp, a power of two up to 64; gangs begin with one when they
                                      have rows of warp.def */
    const struct mask_functions *masks;
    struct affine_part *affine_parts; /* affine_part p is affine_parts[p - 1] */
    struct atomic_record *atomics;    /* NULL: nobody watches */
    uint64_t so_far;                  /* reductions and scans: the cell of the threads before */
    bool has_so_far;
};

/* The window of a space := the array there that the op must stay in, if there is one. */
static inline void gang_narrow(const struct gang *gang, const struct op *op, int space,
                               struct memory_window *window)
{
    const struct op_bounds *const bounds = gang->bounds ? &gang->bounds[op - gang->ops] : NULL;
    if (!bounds || !bounds->is_bound || bounds->space != space)
        return;
    window->low += bounds->low;
    window->host += bounds->low;
    window->size = bounds->size;
}

/* Where the lanes' elements are when they do not all lie in the window at hand. */
struct scattered {
    char *host[LANES_PER_CHUNK]; /* valid for lanes of `lanes` */
};

/* Called by memory handlers when a chunk's addresses do not all pass the quick test (in the op's window, of
 * op->access_bytes or `element_bytes`, whichever is more; aligned). `addresses` holds 64 of them, `active`
 * the lanes that count. Finds each lane's element; refills the op's last hit. False after recording a fault
 * (the first faulting lane): the handler returns gang->stop. */
bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered);

/* A clock's value for SPECIAL rows: clock, clock64 (cycles of the time-stamp counter or nanoseconds),
 * globaltimer (nanoseconds of the wall clock). */
uint64_t special_clock(const struct gang *gang, int semantic);

/* What a load or store knows of its address. */
enum access_form {
    ACCESS_ADDRESSED, /* an address for each lane */
    ACCESS_INDEXED,   /* a base, and an index for each lane */
    ACCESS_AFFINE,    /* a base, an index, and an affine part */
    ACCESS_SAME       /* a load of one element for all lanes, into a row of one value; full only */
};

/* A row with a cell of 1, 4 or 8 bytes for each lane. */
struct lane_row {
    uint32_t at, cell_bytes;
};

/* What a CPU level makes of masks and rows. A predicate row has bytes of 0 and 1, `step` bytes from chunk to
 * chunk. */
struct mask_functions {
    /* Counts 64 cells down that are above zero: 1 to `most`. Those that are above zero still. */
    uint64_t (*count_down)(uint32_t *cells, uint32_t most);
    /* The lanes of `within` whose predicate is true (or, negated, false), and how many they are. */
    uint32_t (*restrict_lanes)(const uint8_t *predicate, uint32_t step, bool negated, uint32_t chunks,
                               const uint64_t *within, uint64_t *ret_lanes);
    bool takes_bytes; /* handlers of this level read gang.mask_bytes; others take bits alone */
    /* A byte for each lane, if takes_bytes; how many are 1. */
    uint32_t (*spread_lanes)(const uint64_t *lanes, uint32_t chunks, uint8_t *ret_bytes);
    /* Lanes change places, in a mask and in `count` rows: those of `front` come first, the others behind
     * them, each in their order; `back`: to where they were before. */
    void (*move_lanes)(uint64_t *lanes, uint32_t chunks, const uint64_t *front, bool back);
    void (*move_rows)(char *rows, const struct lane_row *list, uint32_t count, uint32_t chunks,
                      const uint64_t *front, bool back);
    /* One value for all lanes, into a row of one chunk with cells of 4 or 8 bytes: in vectors as wide as
     * those that handlers load, which otherwise wait until narrower ones have left the store buffer. */
    void (*fill_row)(char *row, uint32_t cell_bytes, uint64_t value);
};

/* Handlers of one CPU level. `find` gives NULL when the row is not written over that type. `source_type`
 * counts for conversions, `form` for loads and stores. */
struct handler_set {
    op_handler (*find)(int semantic, enum hx_type type, enum hx_type source_type, enum access_form form,
                       bool masked);
    const struct mask_functions *masks;
    /* Of a row with one destination; NULL as for `find`, and where there is none. */
    op_body (*find_body)(int semantic, enum hx_type type);
    op_handler multiply_add; /* of heads of chains */
};
/* The set for a level that this build has, or NULL. */
const struct handler_set *handlers_at(int cpu_level);
