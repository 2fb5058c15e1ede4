/* Results that a GPU may give otherwise, on their way to what they decide.
 *
 * A second shadow, beside that of init.h: which values were made from the result of an instruction that PTX
 * fixes only within an error, or leaves open. Such a value is called inexact here. A row has the set of its
 * lanes that are, and one mark for each chunk as long as all of these lanes have the same; so most results
 * take a few words each. There is nothing of it in kernels without such an instruction. */
#pragma once

#include "check/checks.h"
#include "exec/gang.h"
#include "exec/watch.h"

struct init;
struct init_block;
struct init_buffer;
struct init_op;
struct init_step;

/* What is inexact of a cell, and since when: number of the source in the low half, bytes above it. */
typedef uint32_t fidelity_mark;
#define FIDELITY_ALL_BYTES    (UINT32_C(255) << 16)
#define FIDELITY_BYTES(mark)  ((uint8_t)((mark) >> 16))
#define FIDELITY_ORIGIN(mark) ((uint16_t)(mark))

/* An instruction whose result is inexact. */
struct fidelity_source {
    const struct check_code *code;
    uint32_t instruction;
    hx_fidelity result;
    const char *form, *error, *why;
};

struct fidelity_gang {
    uint64_t (*lanes)[GANG_CHUNKS_MAX];          /* of each row: those that are inexact */
    fidelity_mark (*marks)[GANG_CHUNKS_MAX];     /* of all of them; 0: lane_marks has them */
    fidelity_mark (*lane_marks)[GANG_LANES_MAX]; /* NULL until one is needed */
    bool *has;                                   /* some lane of the row is */
    bool has_any;                                /* some row was, since the block began */
    uint64_t collective[GANG_CHUNKS_MAX];        /* lanes at the reduction that is being made */
};

struct fidelity_block {
    const hx_allocator *allocator;
    struct fidelity_gang *gangs;
    uint16_t *shared;  /* of each byte: number of the source, 0: it is exact; NULL: all are */
    uint16_t **locals; /* the same of each thread */
    bool has_shared, has_local;
    fidelity_mark so_far; /* of the reduction or scan */
    uint32_t gang_count, rows, local_count;
};

/* A decision of one worker's threads. */
struct fidelity_note {
    uint32_t instruction, next; /* next: 1 + the next one of this instruction */
    uint16_t origin;
    uint8_t role; /* enum check_role */
    uint64_t count, block;
    uint32_t thread; /* the first one, in the block */
};
struct fidelity_worker {
    LIST(struct fidelity_note) notes;
    uint32_t *first; /* of each instruction: 1 + its first note */
};

struct fidelity {
    bool is_on; /* in this launch */
    LIST(struct fidelity_source) sources;
    uint16_t *origins; /* of each instruction: number of its source, 0: none */
    uint32_t code_count;
    struct fidelity_worker *workers;
    _Atomic bool has_global; /* bytes of some buffer are inexact */
};

/* A launch begins, behind init_code_make; it ends. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status fidelity_begin(struct init *init, uint32_t workers);
void fidelity_end(struct init *init);
void fidelity_done(struct init *init);
/* A block begins; its memory is freed. */
void fidelity_begin_block(struct init_block *block);
void fidelity_free_block(const hx_allocator *allocator, struct init_block *block);
/* What of a gang must be followed for this: enum follow. */
uint8_t fidelity_follows(const struct init *init, const struct init_block *block, uint32_t gang);
/* A micro-op is about to be done. True: fidelity_follows has changed. */
bool fidelity_micro_op(struct init *init, struct init_block *block, const struct init_op *op,
                       const hx_micro_op_event *event);

/* ---- fidelity_memory.c */

/* Is there something inexact in memory that the op may reach? */
bool fidelity_in_memory(const struct init *init, const struct init_block *block, const struct init_op *op,
                        const hx_micro_op_event *event);
void fidelity_load(struct init_step *step);
void fidelity_store(struct init_step *step);
void fidelity_atomic(struct init_step *step);
/* What the host does to a buffer: bytes that it writes are exact, copied ones are what they were. */
void fidelity_host_writes(struct init *init, struct init_buffer *buffer, uint64_t offset, uint64_t bytes);
void fidelity_host_copies(struct init *init, const hx_buffer_event *event, struct init_buffer *to);
void fidelity_free_pages(const hx_allocator *allocator, struct init_buffer *buffer);

/* ---- fidelity_rows.c */

struct fidelity_block *fidelity_block_made(const struct init_step *step); /* NULL without memory */
/* The step's gang, NULL where it has nothing inexact; one that is made if need be, NULL without memory. */
struct fidelity_gang *fidelity_gang_of(const struct init_step *step);
struct fidelity_gang *fidelity_gang_made(const struct init_step *step, struct fidelity_gang *gang);
/* The lanes of the step in which an operand is inexact. */
uint64_t fidelity_lanes(const struct init_step *step, enum semantic_operand letter, uint32_t chunk);
fidelity_mark fidelity_get(const struct init_step *step, enum semantic_operand letter, uint32_t lane);
void fidelity_set(const struct init_step *step, enum semantic_operand letter, uint32_t lane,
                  fidelity_mark mark);
/* `lanes` of the operand are inexact, and its other lanes of step->lanes exact. */
void fidelity_put(const struct init_step *step, enum semantic_operand letter, uint32_t chunk, uint64_t lanes,
                  fidelity_mark mark);
void fidelity_put_exact(const struct init_step *step, enum semantic_operand letter);
/* Marks of a chunk's lanes, made before the first of them is written: a result may be in an operand's row. */
struct fidelity_marks {
    fidelity_mark of[LANES_PER_CHUNK];
};
void fidelity_put_marks(const struct init_step *step, enum semantic_operand letter, uint32_t chunk,
                        const struct fidelity_marks *marks);
/* Of a reduction: row d, in all lanes of gang `number` that take part. */
void fidelity_put_gang(const struct init_step *step, uint32_t number, fidelity_mark mark);

/* ---- fidelity.c */

/* Notes the lanes in which an operand that decides something is inexact. */
void fidelity_decide(const struct init_step *step, enum semantic_operand letter, enum check_role role);
