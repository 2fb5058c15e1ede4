/* The listeners of a launch: who follows it, and what they want together.
 *
 * The public header (hexec/listener.h) says what a listener is. A listener of this project may have a tape
 * besides. What no listener wants is not looked for: the launch's driver is chosen by the union of what is
 * wanted. */
#pragma once

#include "base/diag.h"
#include "base/tape.h"
#include "base/text.h"
#include "hexec/listener.h"

struct block;
struct worker;

/* A listener in a chain of them. */
struct exec_listener {
    hx_listener calls;
    /* May be NULL. Asked by each worker's thread before its first block, when nobody else wants issues: where
     * issues are put, in place of calls. Then an issue begins where the one before it ended, if nothing else
     * came between them. NULL, and for what the tape's forms say TAPE_ASK of, or that took longer than 2^32
     * ticks: `issue` is called, when the tape's `issue` is already the number of the next one. */
    struct tape *(*tape)(void *user, uint32_t worker);
    /* May be NULL. Called when a block is ready to run, by the thread that will run it. The block may be read
     * in every later call with its number, until that of `block_ends`: its gangs, paths and memory. */
    void (*block_begins)(void *user, const struct block *block);
    /* May be NULL. Its threads have exited; not called for a block that is stopped on its way. */
    void (*block_ends)(void *user, const struct block *block);
    /* May be NULL. Called by a worker's thread before each turn of a gang, when no gang is in the middle of
     * one: the worker may be kept (exec/snapshot.h). */
    void (*turn)(void *user, struct worker *worker);
    /* May be NULL. Called by each worker's thread before its first block. True: it has been put to where a
     * snapshot was, and goes on there. */
    bool (*resume)(void *user, struct worker *worker);
    const struct exec_listener *next; /* NULL: the last one */
};

/* All listeners of one launch, in the order in which they are called. */
struct listener_set {
    const hx_listener **items;
    size_t count, begun;
    uint32_t wanted;                       /* hx_event_kind: of all together */
    const struct exec_listener *with_tape; /* the only one that wants issues, if it has a tape */
    const struct exec_listener *chain;
    const hx_listener *with_access_op; /* the only one that wants accesses, if it has access_op */
    bool wants_block_begins;           /* one of the chain does */
    bool wants_block_ends, wants_turns;
};

/* Of a launch's chain, of its options, and of its device. Borrows them. */
struct listener_sources {
    const struct exec_listener *chain;
    const hx_listener *const *asked;
    size_t asked_count;
    const hx_listener *const *of_device;
    size_t device_count;
};
/* HX_NO_MEMORY. */
HX_MUST_CHECK hx_status listener_set_make(const struct listener_sources *sources, struct arena *arena,
                                          hx_diag *diag, struct listener_set *ret_set);
/* Calls `begin` of each; what the first returns that is not HX_OK. */
HX_MUST_CHECK hx_status listener_begin(struct listener_set *set, const hx_launch_begin *event);
/* Calls `end` of those whose `begin` returned HX_OK. */
void listener_end(const struct listener_set *set, const hx_launch_end *event);

void listener_block_begins(const struct listener_set *set, const struct block *block);
void listener_block_ends(const struct listener_set *set, const struct block *block);
void listener_turn(const struct listener_set *set, struct worker *worker);
/* True when one of them has put the worker to where a snapshot was. */
bool listener_resume(const struct listener_set *set, struct worker *worker);

/* Calls of one kind of event, of all that want it. */
void listener_sample(const struct listener_set *set, const hx_sample_event *event);
void listener_block(const struct listener_set *set, const hx_interval_event *event);
void listener_gang(const struct listener_set *set, const hx_interval_event *event);
void listener_issue(const struct listener_set *set, const hx_issue_event *event);
/* `kind`: one of the events whose function is an hx_lanes_function. */
void listener_lanes(const struct listener_set *set, hx_event_kind kind, const hx_lanes_event *event);
void listener_release(const struct listener_set *set, const hx_release_event *event);
/* False when a listener refused; *refusal then says how. */
bool listener_access(const struct listener_set *set, const hx_access_event *event, hx_refusal *refusal);
/* True when one lets it by. */
bool listener_violation(const struct listener_set *set, const hx_violation_event *event);
void listener_atomic(const struct listener_set *set, const hx_atomic_event *event);
void listener_write(const struct listener_set *set, const hx_write_event *event);
void listener_print(const struct listener_set *set, const hx_print_event *event);
void listener_micro_op(const struct listener_set *set, const hx_micro_op_event *event);
void listener_fault(const struct listener_set *set, const hx_fault_event *event);

/* Which events need which driver. */
#define EVENTS_OF_LANES                                                                                      \
    (HX_EVENT_STEP | HX_EVENT_BRANCH | HX_EVENT_CALL | HX_EVENT_RETURN | HX_EVENT_EXIT | HX_EVENT_BARRIER |  \
     HX_EVENT_FENCE | HX_EVENT_WARP_SYNC | HX_EVENT_STACK | HX_EVENT_ACCESS | HX_EVENT_ATOMIC |              \
     HX_EVENT_WRITE | HX_EVENT_MICRO_OP)
/* Which are given only of code that leaves nothing out (hx_launch_options.plain). */
#define EVENTS_OF_PLAIN (HX_EVENT_WRITE | HX_EVENT_MICRO_OP)
/* Which can be had of blocks that share a gang. */
#define EVENTS_OF_LAUNCH                                                                                     \
    (HX_EVENT_LAUNCH | HX_EVENT_COUNTS | HX_EVENT_SAMPLE | HX_EVENT_FAULT | HX_EVENT_BUFFER)
