/* The checker of values that nobody wrote.
 *
 * Beside each row of a gang and each byte of memory there is a *shadow*, which says what of it is undefined:
 * never written, or made from what was never written. Before each micro-op the shadow of its result is made
 * from those of its operands; nothing is reported until a value decides something. A gang whose operands are
 * all defined costs a few tests. */
#pragma once

#include "check/checks.h"
#include "check/init/fidelity.h"
#include "check/init/rules.h"
#include "exec/gang.h"
#include "exec/watch.h"
#include "program/dwarf/places.h"

#include <stdatomic.h>

/* Where an undefined value comes from: a register that an instruction reads, or a byte of memory. */
#define INIT_FROM_REGISTER          (UINT64_C(1) << 62) /* member << 32 | instruction that reads it */
#define INIT_FROM_MEMORY            (UINT64_C(2) << 62) /* space << 56 | log2 of the value's bytes << 52 | address */
#define INIT_ORIGIN_SPACE(origin)   ((int)((origin) >> 56 & 7))
#define INIT_ORIGIN_ADDRESS(origin) ((origin) & ((UINT64_C(1) << 48) - 1))
#define INIT_COMPUTED               (UINT64_C(1) << 61) /* and something was computed of it; else it was only moved */
#define INIT_CUT                    (UINT64_C(1) << 60) /* some bits of a byte were taken away, or put in */

#define INIT_NO_MEMBER UINT16_MAX /* a value that is in no register of the source */
#define INIT_VARIABLE                                                                                        \
    (UINT16_MAX - 1 - OPERAND_LETTERS) /* in a register of PTX; plus the operand's letter                    \
                                        */

/* ---- What is known of the code */

enum init_class {
    INIT_NOTHING, /* no result, no decision */
    /* These read and write rows alone: */
    INIT_RULED,   /* a row with a rule */
    INIT_DEFINED, /* its results are defined whatever it reads */
    INIT_GUARD,   /* row c decides who goes on */
    INIT_FLOW,    /* rows a, b, d decide, and c if it is guarded */
    INIT_WORDS,   /* what it reads is shown to people: rows a, b, c, f decide */
    INIT_SHUFFLE,
    INIT_MEMBERS, /* votes, matches, redux: from all members */
    INIT_MATRIX,
    /* These do more: */
    INIT_LOAD,
    INIT_STORE,
    INIT_ATOMIC,
    INIT_COLLECTIVE, /* reductions and scans over the block */
    INIT_ARGUMENTS,  /* as INIT_WORDS, and a block of arguments in memory */
    INIT_STACK       /* takes memory */
};

struct init_op {
    uint8_t class;   /* enum init_class */
    bool is_cleared; /* both sources are one row, and the result does not depend on it: x ^ x */
    uint8_t type, source_type;
    int16_t semantic;
    uint16_t rows[OPERAND_LETTERS]; /* in the shadow; see init_code.rows */
    uint32_t group, group_count;    /* of a store: the micro-ops of its instruction that store */
};

struct init_code {
    struct init_op *ops;
    uint32_t op_count;
    uint32_t rows; /* shadow rows: those of lowering, one that is always defined, one that nobody reads */
    uint16_t *unwritten; /* rows that may be read before they are written */
    uint32_t unwritten_count;
    const struct kernel *kernel;
};

/* ---- Shadows */

/* States of a byte of memory. */
enum init_state {
    INIT_IS_DEFINED,
    INIT_IS_UNWRITTEN,
    INIT_IS_STORED,  /* an undefined value was stored there */
    INIT_IS_PADDING, /* the same, of which other bytes of the value were defined */
    INIT_IS_COPIED   /* the host copied one of these two there */
};

/* An undefined value in memory: where it came from, and who put it there. */
struct init_cell {
    uint64_t origin, block;
    uint64_t element; /* address of the value that it is part of */
    const struct check_launch *launch;
    uint32_t instruction, thread;
    uint8_t bits; /* undefined ones of the byte */
};

/* The shadow of a run of bytes. */
struct init_area {
    uint8_t *state;                    /* enum init_state of each byte */
    _Atomic(struct init_cell *) cells; /* made when something undefined is stored */
    uint64_t bytes;
    uint64_t left; /* bytes that are not defined; of blocks' areas only */
};

#define INIT_PAGE_BYTES 4096u
/* A buffer's shadow: pages, made when they are needed. */
struct init_buffer {
    uint64_t low, size;
    bool is_unwritten; /* where there is no page */
    char name[64];
    _Atomic(struct init_area *) *pages;
    _Atomic(_Atomic(uint16_t) *)
        *inexact; /* of each page, or NULL: sources of its bytes; made with `pages` */
    uint64_t page_count;
};

struct init_gang {
    uint64_t (*undefined)[GANG_CHUNKS_MAX]; /* for each row: lanes with an undefined bit */
    uint64_t (*unwritten)[GANG_CHUNKS_MAX]; /* ... of which nothing was ever written */
    uint64_t (*bits)[GANG_LANES_MAX];       /* ... of the others: the bits, ... */
    uint64_t (*origins)[GANG_LANES_MAX];    /* ... and where they come from */
    bool has_undefined;                     /* a row was not all defined since the block began */
    bool was_undefined;                     /* ... when choose_followed was called last */
    uint64_t collective[GANG_CHUNKS_MAX];   /* lanes at the reduction that is being made */
};

#define INIT_JUDGED 8 /* of a thread, the last ones: what decides does so soon again */

/* A block that runs. */
struct init_block {
    const struct block *slot;
    uint64_t number;
    struct init_gang *gangs;
    uint32_t gang_count, rows;
    struct init_area shared;
    struct init_area *locals; /* of each thread */
    uint32_t local_count;
    uint64_t (*judged)[INIT_JUDGED]; /* of each thread: origins of what has decided; NULL: of none */
    uint64_t so_far_origin;          /* of the reduction or scan: 0: defined so far */
    bool has_open_shared;            /* shared.left was not 0 when choose_followed was called last */
    struct fidelity_block *fidelity; /* NULL: nothing is inexact */
};

struct init_worker {
    LIST(struct init_block *) blocks;
    struct init_block *last;
};

struct init {
    struct checker checker; /* first: what the frame holds */
    hx_checks *checks;
    const hx_allocator *allocator;
    struct arena arena; /* of the launch */
    struct arena kept;  /* layouts */
    LIST(struct init_layout) layouts;
    LIST(struct init_source *) sources;
    struct init_answer {
        const struct check_code *code;
        uint64_t origin;
        enum dwarf_byte byte;
    } answers[64];    /* of init_origin_byte, which is asked the same again and again */
    bool has_buffers; /* those that were there before this checker are known */
    struct init_code code;
    const struct check_launch *launch;
    struct shared_regions regions; /* of the launch's shared memory */
    struct init_worker *workers;
    uint32_t worker_count;
    LIST(struct init_buffer *) buffers; /* by address */
    _Atomic bool is_undefined_global;   /* some global byte is not defined */
    _Atomic bool has_failed;            /* no memory: nothing is followed any more */
    struct fidelity fidelity;
};

/* A micro-op on its way through the checker. */
struct init_step {
    struct init *init;
    const struct init_op *op;
    const hx_micro_op_event *event;
    struct init_block *block;
    struct init_gang *gang;
    uint64_t lanes[GANG_CHUNKS_MAX];
    uint32_t chunks;
    struct init_swaps *swaps;        /* of a compare-and-swap: what lanes before have stored */
    struct init_buffer *last_buffer; /* of fidelity_memory.c: that the lane before accesses */
    uint16_t inexact_from; /* of fidelity_micro_op: number of the instruction's source, 0: it is none */
};

/* ---- rows.c */

/* What is undefined of one lane's cell of an operand, and where it comes from. */
struct init_value {
    uint64_t bits;
    uint64_t origin;
};
struct init_value init_get(const struct init_step *step, enum semantic_operand letter, uint32_t lane);
void init_set(struct init_step *step, enum semantic_operand letter, uint32_t lane, struct init_value value);
/* The lanes in which a row is not all defined. */
uint64_t init_undefined(const struct init_step *step, enum semantic_operand letter, uint32_t chunk);
void init_define(struct init_step *step, enum semantic_operand letter);
void init_define_lane(struct init_step *step, enum semantic_operand letter, uint32_t lane);
/* The bits of an operand in a lane; 0 where there is none. */
uint64_t init_cell_value(const struct init_step *step, enum semantic_operand letter, uint32_t lane);
/* The lanes of a chunk in which a predicate is true. */
uint64_t init_true_lanes(const struct init_step *step, enum semantic_operand letter, uint32_t chunk);
uint32_t init_thread(const struct init_step *step, uint32_t lane);
/* Drops the lanes of a guarded micro-op that its guard keeps out. */
void init_keep_guarded(struct init_step *step);
/* A row with a rule. */
void init_step_rule(struct init_step *step);

/* ---- memory.c */

/* Is all memory defined that the op can reach? */
bool init_memory_is_defined(const struct init *init, const struct init_block *block, const struct op *op);
void init_step_load(struct init_step *step);
void init_step_store(struct init_step *step);
void init_step_atomic(struct init_step *step);
void init_step_stack(struct init_step *step);
/* What a print shows of a block of arguments. */
void init_step_arguments(struct init_step *step);
void init_area_done(const hx_allocator *allocator, struct init_area *area);
/* The cells of an area, made if there are none; NULL without memory. */
struct init_cell *init_cells_of(struct init *init, struct init_area *area);

/* ---- warp.c */

/* The lane that a shuffle reads, itself where it reads none; the active lanes that a mask names, as bits of
 * the lane's chunk. */
uint32_t init_lane_read(const struct init_step *step, uint32_t at);
uint64_t init_members(const struct init_step *step, uint32_t lane, enum semantic_operand mask);

void init_step_shuffle(struct init_step *step);
void init_step_members(struct init_step *step);
void init_step_matrix(struct init_step *step);
void init_step_collective(struct init_step *step);

/* ---- decide.c */

/* Reports a value of a lane that decides something; `subject` tells values of one instruction apart. */
void init_report(struct init_step *step, enum check_kind kind, uint32_t lane, uint64_t subject,
                 uint16_t member, uint64_t origin);
/* Reports the lanes in which an operand that decides something is not all defined; from then on it is, and so
 * are copies of it in the thread's variables. */
void init_decide(struct init_step *step, enum semantic_operand letter, enum check_kind kind);
/* Has a value with this origin decided something in the lane's thread? */
bool init_is_judged(const struct init_step *step, uint32_t lane, uint64_t origin);
/* The thread takes local memory from an address on: what lay there before is no origin any more. */
void init_forget_judged(struct init_step *step, uint32_t lane, uint64_t from);
/* Reports a byte of a buffer that the host reads. */
void init_report_read(struct init *init, const struct init_buffer *buffer, uint64_t offset, uint32_t bytes,
                      const struct init_cell *cell);

/* ---- buffers.c */

/* The buffer that an address lies in; NULL: there is none. */
struct init_buffer *init_find_buffer(const struct init *init, uint64_t address);
void init_buffer_event(struct init *init, const hx_buffer_event *event);
/* The page of global memory that holds an address, made if there is none; NULL: all of it is defined, unless
 * `makes`, or nobody knows it. */
struct init_area *init_global_page(struct init *init, uint64_t address, bool makes, uint64_t *ret_offset);
/* False: no memory. */
bool init_add_buffer(struct init *init, uint64_t low, uint64_t size, const char *name);
/* What the host reads of a buffer, when it reads it. */
void init_host_reads(struct init *init, struct init_buffer *buffer, uint64_t offset, uint64_t bytes);
/* malloc has given memory to lanes (check/notes.h): nobody has written it. */
void init_heap_note(struct init *init, const hx_lanes_event *event);
void init_buffers_done(struct init *init);

/* ---- layout.c: arrays and buffers by name, when the kernel is no longer there */

struct init_array {
    const char *name;
    int space;
    uint64_t low, size;  /* size 0: to the end of its space; of a buffer both are 0 */
    uint32_t element;    /* bytes */
    int line;            /* of its declaration; 0: not known */
    struct slice symbol; /* in the PTX; empty: not known */
};
struct init_layout {
    const struct check_code *code;
    const struct init_source *source; /* NULL: nothing is known of variables */
    struct init_array *arrays;
    uint32_t count;
};
/* Copies those of the kernel that is launched. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status init_keep_layout(struct init *init, const hx_program *program,
                                         const struct kernel *kernel);
/* The array that an offset in a space lies in, and the program's buffer with a name; NULL: there is none. */
const struct init_array *init_find_array(const struct init *init, const struct check_code *code, int space,
                                         uint64_t offset);
const struct init_array *init_find_buffer_array(const struct init *init, const struct check_code *code,
                                                const char *name);

/* What is known of a kernel's variables; NULL: nothing. */
const struct init_source *init_source_of(const struct init *init, const struct check_code *code);

/* ---- source.c: variables of the source */

struct init_source {
    struct program_debug debug;
    struct dwarf dwarf;
};
/* A copy of what the program says of its variables; NULL: it says nothing. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status init_keep_source(struct init *init, const hx_program *program,
                                         const struct init_source **ret_source);
/* The name in the PTX of an array of the kernel; empty: it is not known. False: no memory. */
bool init_keep_symbol(struct init *init, const struct kernel *kernel, int space, size_t index,
                      struct slice *ret_symbol);
void init_sources_done(struct init *init);
struct init_variable {
    const struct dwarf *dwarf;
    uint32_t entry;
    uint64_t offset; /* of a byte in it */
};
/* The variable that a byte of local or shared memory belongs to. False: none is known. */
bool init_find_variable(const struct init *init, const struct check_code *code, int space, uint64_t address,
                        struct init_variable *ret_variable);
/* What the byte of memory is that an undefined value comes from. */
enum dwarf_byte init_origin_byte(struct init *init, const struct check_code *code, uint64_t origin);
/* "point.x", "padding of point". */
void init_print_variable(struct text *text, const struct init_variable *variable);

/* ---- code.c */

/* The register or predicate that an operand of the micro-op is in the source, of a flow_set; or
 * INIT_NO_MEMBER, INIT_VARIABLE. */
uint16_t init_member(const struct init_step *step, enum semantic_operand letter);
/* What the micro-ops of a kernel do to shadows. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status init_code_make(const struct lowered_kernel *lowered, struct arena *arena,
                                       struct init_code *ret_code);
