/* The compiled tier: what a compiler of kernels is given, and what it gives.
 *
 * The compiler is a plugin, libhexec-llvm.so, which exports one name, tier_functions. exec opens it when a
 * launch wants compiled code (open.c), asks it for a kernel once, and runs that for gangs (run.c).
 *
 * Compiled code runs the general code of one gang of up to TIER_LANES lanes. It knows where lanes stand as
 * sets of lanes of *blocks*: runs of micro-ops that are entered at the first one alone. It starts at a block
 * that may be entered, and always goes on in the lowest block that has lanes, as the interpreter does. It
 * keeps rows in registers. It ends when all lanes have exited, or when the interpreter has to go on: then the
 * rows that are still needed are in memory again, and each lane stands at a block or at the micro-op of the
 * step. So anything can be left to the interpreter: an access whose buffer is not the one of the last time, a
 * fault, a barrier, an instruction that is not compiled. */
#pragma once

#include "base/text.h"
#include "exec/bind.h"

#define TIER_VERSION 9
#define TIER_LANES   64
#define TIER_LEVELS  4 /* calls within each other */

/* Why compiled code has ended. */
enum tier_exit {
    /* all lanes have exited, or all that are left, `here`, stand at a barrier for the whole block, micro-op
     * `step_op`: what is known of rows at the block behind it is in `numbers`, and not in the rows */
    TIER_DONE,
    TIER_STEP, /* the interpreter does one instruction: lanes `step_lanes`, from micro-op `step_op` on */
    TIER_FUEL, /* lanes have jumped back often: others get their turn */
    TIER_FAULT /* what was helped with has stopped the launch */
};

struct tier_frame;
/* Does micro-op `op` for `lanes` on the gang's rows in memory, as the interpreter does it. False when that
 * has stopped the launch. */
typedef bool (*tier_help)(struct tier_frame *frame, uint32_t op, uint64_t lanes);

/* What compiled code sees of a gang. */
struct tier_frame {
    char *rows; /* as the interpreter's (op.h), of one chunk */
    const char
        *uniforms; /* those of the block's first gang: first cells of what is the same in all threads */
    const struct memory_window *windows;
    struct memory_window shared, constant, local;
    uint64_t local_stride;
    uint64_t
        *counts; /* if the kernel counts: two for each block, issues and lanes; then those of count slots */
    uint64_t *lanes; /* those that stand at each block, before and after; all 0 but for these */
    uint64_t
        *numbers;  /* tier_kernel.number_slots times group_count: of rows that are known where lanes stand */
    uint64_t here; /* lanes at the block that is entered; with TIER_DONE then those at the barrier */
    uint64_t step_lanes;
    uint32_t step_op;                 /* FIRST of its instruction; or the barrier's */
    uint32_t returns_to[TIER_LEVELS]; /* the block behind the call that lanes in a function of each level come
                                         from */
    int32_t fuel;                     /* backward jumps left */
    tier_help help;                   /* the same for all gangs */
    uint32_t *at;                     /* for code that is sampled: the instruction that runs */
    void *gang;                       /* for `help` */
    uint32_t entered;                 /* of the first gang: the block from which gangs run now */
    uint64_t exists;                  /* the lanes that have threads */
    uint64_t aside; /* those that are less deep in functions than the lanes that run, and not at blocks */
};
/* Runs `count` gangs of one block of threads in turn, those of them that have lanes, from `block` on. Each
 * goes up to its end or to a barrier (TIER_DONE); where it reaches no such place the code ends with that
 * gang. Gives an enum tier_exit, and the gang's number times TIER_GANG; with TIER_DONE another number than 0
 * in its place if a gang waits at a barrier. With `goes_on` these are all gangs of the block: where they all
 * reach one barrier that gives nothing they go on behind it. */
typedef uint32_t (*tier_code)(struct tier_frame *frames, uint32_t count, uint32_t block, bool goes_on);
#define TIER_GANG 16u

struct tier_block {
    uint32_t op, end; /* micro-ops of the general code, the end exclusive */
    bool is_entry;
    uint8_t level; /* 0: the kernel's own code, or of a function that only the interpreter calls; else of a
                      function that compiled code calls so deep, the level before which lanes go on at
                      tier_frame.returns_to[level - 1] */
};

#define TIER_NONE UINT32_MAX

/* A row of which compiled code has no cell for each lane, where lanes stand at a block: it has one number for
 * each of `groups` groups of lanes, 1 or group_count, and each lane's value is that and what the addend
 * adds. */
struct tier_known {
    uint32_t row_at, cell_bytes; /* where the interpreter has it; bytes of a cell, 1 for predicates */
    uint32_t slot, groups;
    const int64_t *addend; /* TIER_LANES of them */
};

/* A compiled kernel. Constant; any number of threads may run it. */
struct tier_kernel {
    tier_code run;
    uint32_t levels; /* of functions; lanes may stand in them when it ends */
    uint32_t block_count, set_words;
    const struct tier_block *blocks;
    const uint64_t *waiting;  /* of each block set_words words: blocks where lanes may wait while it runs */
    const uint32_t *block_at; /* of each micro-op: the block that begins with it, or TIER_NONE */
    const uint32_t *guard_at; /* the guard_begin whose mask is in force where it begins, or TIER_NONE */
    const uint32_t *slot_at;  /* the count slot of lanes, if it is guarded and counted; or TIER_NONE */
    uint32_t count_slots;
    const struct tier_known *known; /* of block b those from known_from[b] to known_from[b + 1] - 1 */
    const uint32_t *known_from;
    const char *interpreted; /* mnemonics of instructions that are always left to the interpreter */
    uint32_t number_slots, group_count; /* groups are of TIER_LANES / group_count lanes */
};

/* Where machine code is kept from run to run, by a key of any bytes. Any thread. */
struct tier_store {
    bool (*get)(struct slice key, struct text *ret_code);
    void (*put)(struct slice key, struct slice code, const hx_allocator *allocator);
};

struct tier_request {
    const struct bound_kernel *bound; /* of one chunk; only its layout is used after the call */
    const hx_allocator *allocator;
    const struct tier_store *store; /* NULL: there is none */
    bool counts;
    bool samples;                  /* it notes where it is */
    bool for_tools;                /* debuggers get lines, and perf a map of functions in /tmp/perf-PID.map */
    uint32_t block[3], warp_lanes; /* the shape of a block that the code is for */
    int cpu_level;                 /* enum cpu_level */
};

enum tier_listing {
    TIER_LISTING_IR,      /* LLVM's representation after optimisation */
    TIER_LISTING_ASSEMBLY /* the machine's, with `.loc` directives for the kernel's lines */
};

struct tier_engine;
struct tier_functions {
    uint32_t version; /* TIER_VERSION */
    /* *ret_engine is given (close). NULL when there is no memory, or the machine cannot. `why` has room for
     * TIER_WHY_BYTES. */
    struct tier_engine *(*open)(const hx_allocator *allocator, char *why);
    void (*close)(struct tier_engine *engine);
    /* NULL, and one line in `why`, when the kernel cannot be compiled. Given (discard). Any thread. */
    struct tier_kernel *(*compile)(struct tier_engine *engine, const struct tier_request *request, char *why);
    void (*discard)(struct tier_engine *engine, struct tier_kernel *kernel);
    /* Appends what `compile` would make. False, and a line in `why`, when the kernel cannot be compiled. */
    bool (*list)(struct tier_engine *engine, const struct tier_request *request, enum tier_listing what,
                 struct text *ret_text, char *why);
};
#define TIER_WHY_BYTES   256
#define TIER_SYMBOL      hexec_tier_functions
#define TIER_SYMBOL_TEXT "hexec_tier_functions"
