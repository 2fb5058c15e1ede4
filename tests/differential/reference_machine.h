/* The reference interpreter's machine: prepared instructions, threads, a block. */
#pragma once

#include "reference.h"
#include "reference_values.h"

enum place_kind { PLACE_NOTHING, PLACE_REGISTER, PLACE_PREDICATE, PLACE_NUMBER, PLACE_SPECIAL };
struct value_place {
    enum place_kind kind;
    uint8_t reg;
    bool negated;
    uint64_t bits; /* PLACE_NUMBER: the value, as a register would hold it; PLACE_SPECIAL: which */
};

struct step {
    const struct instruction *instruction;
    enum meaning meaning;
    struct value_place source[4], result[4];
    unsigned sources, results;
    uint8_t result_form[4]; /* which operand each is */
    /* memory: base + index * scale + offset, `count` elements of `bytes` */
    struct value_place base;
    enum address_index index_kind;
    uint8_t index, scale;
    int64_t offset;
    unsigned count, bytes;
    uint32_t target; /* branch, call, loop */
    uint32_t small;  /* the small number: a barrier, or how long a table is */
};

/* THREAD_AT_WARP: for lanes of its warp, at the instruction before `at`. */
enum thread_state { THREAD_READY, THREAD_WAITS, THREAD_AT_WARP, THREAD_DONE };
#define BARRIER_OF_BLOCK BARRIER_COUNT /* where the threads of a reduction or scan wait */
struct thread {
    uint64_t registers[REGISTER_COUNT];
    bool predicates[PREDICATE_COUNT];
    uint32_t at, depth;
    uint32_t returns[CALL_DEPTH_MAX];
    uint64_t local_end;                    /* of what it has of local memory */
    uint64_t caller_local[CALL_DEPTH_MAX]; /* what that was before each call */
    enum thread_state state;
    uint32_t barrier, barrier_count; /* where it waits; 0: for every thread */
    bool takes_part;                 /* at the warp: its guard is true */
    const struct step *waits_for;    /* the barrier, reduction or scan itself */
    uint32_t x, y, z;
};

/* What a thread did, one event for each instruction that it reached, for reference_counts.c. */
enum event_kind {
    EVENT_PLAIN,
    EVENT_BARRIER, /* the thread waits behind it, for the block */
    EVENT_NAMED,   /* it waits at it, for the lanes that its mask names */
    EVENT_MEETING  /* it waits at it, for any other */
};
struct event {
    uint64_t address; /* of an access, in `space` */
    uint32_t at, depth;
    uint32_t group, group_lanes; /* EVENT_NAMED: the lanes that went on together */
    uint32_t gone;               /* lanes of the warp that had to end first */
    uint8_t kind, space;
    bool takes_part;
};
struct trace {
    struct event *events;
    size_t count, room;
};

struct machine {
    const struct reference_launch *launch;
    struct step *steps;
    uint32_t step_count;
    struct thread *threads;
    uint32_t thread_count;
    char *shared, *constants, *local;
    uint64_t shared_bytes, constant_bytes, local_bytes;
    uint32_t arrived[BARRIER_COUNT], arrived_count[BARRIER_COUNT]; /* by bar.arrive; what that wanted */
    uint64_t block, block_x, block_y, block_z;
    struct reference_result result;
    struct trace *traces; /* of the block's threads; NULL when nothing is counted */
    uint32_t groups;
};

/* What a register or other place of a thread holds; gives it a value of that type. */
uint64_t reference_read(const struct machine *machine, const struct thread *thread,
                        const struct value_place *place);
void reference_write(struct thread *thread, const struct value_place *place, uint64_t bits, hx_type type);

/* ---- reference_steps.c */

void reference_prepare(const struct reference_launch *launch, const struct instruction *instruction,
                       struct step *step);
/* What a register holds of a value: one narrower than 32 bits is extended to 32, by its sign or with zeros;
 * the rest is zero. */
uint64_t reference_extended(uint64_t bits, hx_type type);

/* ---- reference_stack.c */

/* Takes from, saves or restores a thread's stack. */
enum reference_end reference_stack(const struct machine *machine, struct thread *thread,
                                   const struct step *step);
/* Of each thread; 0 when the kernel uses none. */
uint64_t reference_stack_bytes(const struct kernel *kernel);

enum hx_space reference_space(enum hx_space space, uint64_t *address);

/* ---- reference_counts.c: nothing is done when nothing is counted */

bool reference_traces_init(struct machine *machine);
void reference_traces_done(struct machine *machine);
/* A thread has reached a step. REFERENCE_DONE or REFERENCE_NO_MEMORY. */
enum reference_end reference_note(struct machine *machine, const struct thread *thread, uint32_t at);
/* Where it accesses memory; which lanes of a warp did the step together, when others had ended. */
void reference_note_access(const struct machine *machine, const struct thread *thread, enum hx_space space,
                           uint64_t address);
void reference_note_group(struct machine *machine, const struct thread *lanes, uint32_t together,
                          uint32_t gone);
/* Adds up what the warps of a block did, and forgets it. */
void reference_count_block(struct machine *machine);

/* ---- reference_matrix.c */

/* The product of the matrices in the registers of those lanes of a warp that are `present`. */
void reference_matrix(const struct machine *machine, struct thread *lanes, uint32_t present,
                      const struct step *step);

/* ---- reference_warps.c */

/* Do all lanes that come wait for each other, whatever their guards say? */
bool reference_meets(const struct step *step);
/* Lets lanes of warps go on that need not wait any longer, with their results; true when there were any. */
bool reference_warps(struct machine *machine);
/* Gives the threads that wait for the whole block their common result. */
void reference_collective(struct machine *machine);
/* The result of bar.red for the threads at that barrier. */
void reference_votes(struct machine *machine, uint32_t barrier);
