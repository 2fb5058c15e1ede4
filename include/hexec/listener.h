/* Listeners: how a tool follows what a launch does.
 *
 *     static int on_access(void *user, const hx_access_event *event, hx_refusal *refusal) { ... return 0; }
 *
 *     const hx_listener listener = {
 *         .size = sizeof listener, .events = HX_EVENT_ACCESS, .user = &mine, .access = on_access};
 *     const hx_listener *const list[] = {&listener};
 *     options.listeners = list; // of hx_launch_options; with hx_context_run, of hx_run_options.launch
 *     options.listener_count = 1;
 *
 * Any number of listeners may follow a launch. Each says with `events` what it wants; all that want an event
 * are called, in the order of the list. What nobody wants is not looked for and costs nothing. Spans,
 * profiles, the models of GPUs and USDT probes are listeners like these.
 *
 * Calls come from the threads that run blocks, several at once for different `worker` numbers; calls with one
 * `worker` never overlap, nor do calls of one block. `begin` and `end` are called by the thread that
 * launches, beside no other call of the launch; `buffer` by the thread that makes, frees or copies. What a
 * listener gets is good for the call only. A listener must not launch on the device, make or free its
 * buffers, add and take away listeners, or change the floating-point environment, which is the default one.
 *
 * Sets of lanes are 64-bit words: bit l is the thread `first_thread` + l of the block. A gang of more than 64
 * lanes, and of several chunks of 64 therefore, makes one call for each chunk that has a lane in it. With
 * hx_launch_options.gang_lanes = HX_GANG_OF_WARP each gang is a warp, and a call is what one warp does. */
#pragma once

#include "hexec/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hx_launch_options;
struct hx_launch_result;
struct hx_worker_profile;
struct hx_fault;
struct hx_kernel;
struct hx_buffer;

typedef enum hx_event_kind {
    HX_EVENT_LAUNCH = 1 << 0,     /* begin, end */
    HX_EVENT_COUNTS = 1 << 1,     /* `end` has the issues and lanes of each instruction */
    HX_EVENT_WORKERS = 1 << 2,    /* `end` has where each worker's time went */
    HX_EVENT_SAMPLE = 1 << 3,     /* one issue in 64, drawn at random, with its time */
    HX_EVENT_BLOCK = 1 << 4,      /* a block that ran */
    HX_EVENT_GANG = 1 << 5,       /* a turn of a gang */
    HX_EVENT_ISSUE = 1 << 6,      /* an instruction that was issued, with its time */
    HX_EVENT_STEP = 1 << 7,       /* before an instruction: its lanes */
    HX_EVENT_BRANCH = 1 << 8,     /* before a branch, jump table or loop: its lanes, and those that jump */
    HX_EVENT_CALL = 1 << 9,       /* before a call */
    HX_EVENT_RETURN = 1 << 10,    /* before a return */
    HX_EVENT_EXIT = 1 << 11,      /* before an exit */
    HX_EVENT_BARRIER = 1 << 12,   /* arrive: before lanes arrive at a barrier; release: it lets all go on */
    HX_EVENT_FENCE = 1 << 13,     /* before a memory fence */
    HX_EVENT_WARP_SYNC = 1 << 14, /* lanes of a warp that came together: warpsync, shuffles, votes, ... */
    HX_EVENT_STACK = 1 << 15,     /* before lanes take or give back memory of their stacks */
    HX_EVENT_ACCESS = 1 << 16,    /* before a load, store or atomic: its addresses; may be refused */
    HX_EVENT_ATOMIC = 1 << 17,    /* after an atomic: what was there, and what is there now */
    HX_EVENT_WRITE = 1 << 18,     /* after an instruction: the registers that it wrote */
    HX_EVENT_PRINT = 1 << 19,     /* a thread has printed */
    HX_EVENT_FAULT = 1 << 20,     /* a fault stops the launch */
    HX_EVENT_BUFFER = 1 << 21,    /* a buffer is made, freed or copied: listeners of a device only */
    HX_EVENT_VIOLATION = 1 << 22, /* an access of a thread that would be a fault; may be let by */
    HX_EVENT_IN_ORDER = 1 << 23,  /* no event: the launch has one worker, so that accesses to memory come in
                                     the order in which they are done */
    HX_EVENT_MICRO_OP = 1 << 24,  /* before a part of an instruction: hexec's own listeners only */
    HX_EVENT_STUCK = 1 << 25,     /* no event: a launch whose threads can only go round in loops that nothing
                                     ends stops with a fault; not on devices whose memory is the host's */
    HX_EVENT_NOTE = 1 << 26 /* before a note, by which a compiled kernel says what instructions do not */
} hx_event_kind;

/* Where something happens. */
typedef struct hx_event_place {
    uint32_t worker;       /* the thread that runs the block: 0 to workers - 1 */
    uint32_t instruction;  /* index in the kernel's code, from 0 */
    uint64_t block;        /* linear number in the grid, x fastest */
    uint32_t first_thread; /* linear number in the block of lane 0 of the event's lane sets */
} hx_event_place;

typedef struct hx_launch_begin {
    const struct hx_kernel *kernel;
    const struct hx_launch_options *options; /* zeros of shape and warp size replaced */
    uint32_t workers;                        /* that the launch may use */
    double ns_per_tick; /* of the `ticks` of all events; 0: no event that is wanted has any */
    struct hx_device *device;
} hx_launch_begin;

typedef struct hx_issue_counts {
    uint64_t issues, lanes; /* as in hx_instruction_profile */
} hx_issue_counts;

typedef struct hx_launch_end {
    const struct hx_launch_result *result;
    const hx_issue_counts *counts; /* of each instruction; NULL: HX_EVENT_COUNTS is not wanted */
    uint32_t instructions;         /* entries of counts */
    uint32_t workers;              /* entries of worker_profile */
    const struct hx_worker_profile *worker_profile; /* NULL: HX_EVENT_WORKERS is not wanted */
} hx_launch_end;

/* A block that ran to its end or was stopped (first_thread 0), or one turn of a gang. */
typedef struct hx_interval_event {
    uint32_t worker, first_thread;
    uint64_t block;
    uint64_t start_ticks, end_ticks;
} hx_interval_event;

/* One issue of one instruction to a gang, complete. */
typedef struct hx_issue_event {
    hx_event_place at; /* first_thread: of the gang */
    uint32_t lanes;    /* that were active, the guard considered */
    uint32_t bytes;    /* that they moved; 0: it accesses no memory */
    uint64_t start_ticks, end_ticks;
} hx_issue_event;

/* An issue that was timed; what timing an empty instruction takes is taken off. */
typedef struct hx_sample_event {
    uint32_t worker, instruction;
    uint64_t ticks;
} hx_sample_event;

#define HX_NO_TARGET          UINT32_MAX
#define HX_BARRIER_COLLECTIVE 16 /* in place of a barrier's number: a reduction or scan over the block */

/* Lanes at an instruction that is about to run. */
typedef struct hx_lanes_event {
    hx_event_place at;
    uint64_t standing; /* lanes that reached the instruction: the mask before */
    uint64_t lanes;    /* of these, those that do it: their guard is true; of a branch, those that jump */
    uint32_t target;  /* of a branch or call: the instruction that `lanes` go to; a jump table makes one event
                         for each. HX_NO_TARGET: none */
    uint32_t targets; /* step: how many places `lanes` go to; more than 1 of jump tables alone */
    uint32_t value;   /* barrier: its number. fence: 1 block, 2 device, 3 system, 4 cluster; 0: it
                          names none. note: its number. warp sync: not 0 where the others of `members`, then
                          without those that have exited, are at other instructions, with the same mask; 1 for
                          the first event of such a meeting, whose members stand there still, 2 for others */
    const uint64_t
        *members;           /* warp sync: lane l is with those of members[l], which its mask names or, without
                               a mask, which are of its warp; they may be beyond `lanes`. Else NULL */
    const uint8_t *sources; /* warp sync of a shuffle: lane l reads lane sources[l] of this set, which may be
                               inactive; l itself: none. Else NULL */
    const uint32_t *noted;  /* note: what lane l says, if the instruction has an operand; barrier: of how many
                               threads, if it has a count. Else NULL */
    const uint32_t *also_noted; /* note: the same of a second operand */
} hx_lanes_event;

/* Lanes that access one space, their guard considered. A generic access makes one event for each space that
 * it reaches. */
typedef struct hx_access_event {
    hx_event_place at;
    uint64_t lanes;
    uint32_t lane_bytes;       /* of one lane, a whole vector for .v2 and .v4 */
    int space;                 /* 1 global, 2 shared, 3 constant, 4 local: generic addresses are resolved */
    int is_load, is_store;     /* both: an atomic */
    const uint64_t *addresses; /* of lane l, for l < 64; offsets in shared, constant and local memory */
    const uint8_t *stored;     /* of a store: lane l's bytes, from l * lane_bytes on; else NULL */
} hx_access_event;

/* What a listener says that refuses an access: it becomes a fault, and the launch ends. */
typedef struct hx_refusal {
    int fault;        /* an hx_fault_kind; when called it is HX_FAULT_REFUSED */
    uint32_t lane;    /* the lane at fault; when called the first one */
    char detail[256]; /* what the message adds; when called empty */
} hx_refusal;

typedef struct hx_atomic_event {
    hx_event_place at;
    uint64_t lanes;
    uint32_t lane_bytes;
    int space; /* as the instruction names it: 1, 2 or 5 (generic) */
    const uint64_t *addresses, *old_values, *new_values; /* of each lane; values as bits, zero-extended */
} hx_atomic_event;

/* A register or predicate that lanes wrote. The launch then runs as with hx_launch_options.plain. */
typedef struct hx_write_event {
    hx_event_place at;
    uint64_t lanes;
    uint32_t number; /* r0 to r255, or p0 to p15 */
    int is_predicate;
    uint32_t bytes;         /* of a value: 1, 4 or 8 */
    const uint64_t *values; /* of lane l, for l < 64 */
} hx_write_event;

typedef struct hx_release_event {
    uint32_t worker;
    uint64_t block;
    uint32_t barrier; /* its number, or HX_BARRIER_COLLECTIVE */
    uint32_t threads; /* that had arrived */
} hx_release_event;

typedef struct hx_print_event {
    hx_event_place at; /* first_thread: the thread that prints */
    const char *text;
    size_t bytes;
} hx_print_event;

typedef struct hx_fault_event {
    uint32_t worker;
    const struct hx_fault *fault;
    int *is_reported; /* a listener that reports the fault sets it to 1: the launch then adds no diagnostic */
    /* NULL, or a listener that sets it to 1 lets the launch go on: a member mask counts as if it named its
     * own lane, a bad count of a barrier as the one of those that wait there, or as none, and a block whose
     * threads wait forever ends. */
    int *is_let_by;
    uint32_t first_thread; /* of a bad count or mask: threads first_thread + l of the block are at fault, */
    uint64_t lanes;        /* for each bit l */
} hx_fault_event;

/* An access of one thread that is wrong, before it is done. If a listener wants these, each access whose
 * address is written with an array of shared, constant or local memory must stay in that array. */
typedef struct hx_violation_event {
    hx_event_place at; /* first_thread: the thread's linear number in the block */
    int fault;         /* hx_fault_kind: out of range, misaligned, read or write denied */
    int space;         /* as in hx_access_event */
    uint32_t bytes;    /* of the access, a whole vector for .v2 and .v4 */
    int is_load, is_store;
    uint64_t address;
    uint64_t base;      /* what the address is made from, before index and offset */
    uint64_t low, size; /* the array that it must stay in, or the space; 0, 0 for global memory */
} hx_violation_event;

typedef enum hx_buffer_change {
    HX_BUFFER_MADE,
    HX_BUFFER_FREED, /* its bytes are still there */
    HX_BUFFER_FILLED,
    HX_BUFFER_COPIED_IN,  /* from host memory */
    HX_BUFFER_COPIED_OUT, /* to host memory */
    HX_BUFFER_COPIED,     /* from `from`, another buffer or the same one */
    HX_BUFFER_UNWRITTEN   /* counts as written by nobody, whatever it holds: `fill: none` */
} hx_buffer_change;

typedef struct hx_buffer_event {
    hx_buffer_change change;
    const struct hx_buffer *buffer, *from; /* from: NULL unless HX_BUFFER_COPIED */
    uint64_t offset, bytes;                /* of the range in `buffer` */
    uint64_t from_offset;
    uint64_t command; /* hx_checks_command; 0: behind all that was done, and before all that will be */
} hx_buffer_event;

/* What it has is internal to hexec. The launch then runs as with hx_launch_options.plain. */
typedef struct hx_micro_op_event hx_micro_op_event;

typedef void (*hx_lanes_function)(void *user, const hx_lanes_event *event);

/* A member may be NULL, whatever `events` says: its event is then not wanted. */
typedef struct hx_listener {
    size_t size;     /* sizeof (hx_listener) */
    uint32_t events; /* hx_event_kind */
    void *user;      /* first argument of all calls */
    /* Before the first block. Other than HX_OK ends the launch with that status. */
    hx_status (*begin)(void *user, const hx_launch_begin *event);
    /* After the last one, however the launch ended; not if its own `begin` failed. */
    void (*end)(void *user, const hx_launch_end *event);
    void (*sample)(void *user, const hx_sample_event *event);
    void (*block)(void *user, const hx_interval_event *event);
    void (*gang)(void *user, const hx_interval_event *event);
    void (*issue)(void *user, const hx_issue_event *event);
    hx_lanes_function step, branch, call, returned, exited, arrive, fence, warp_sync, stack;
    void (*release)(void *user, const hx_release_event *event);
    /* Not 0 refuses the access. */
    int (*access)(void *user, const hx_access_event *event, hx_refusal *refusal);
    void (*atomic)(void *user, const hx_atomic_event *event);
    void (*write)(void *user, const hx_write_event *event);
    void (*print)(void *user, const hx_print_event *event);
    void (*fault)(void *user, const hx_fault_event *event);
    void (*buffer)(void *user, const hx_buffer_event *event);
    /* Not 0 lets the launch go on without the access: a load gives 0, a store is dropped, an atomic gives 0
     * and changes nothing. 0 of all listeners: it becomes a fault. */
    int (*violation)(void *user, const hx_violation_event *event);
    void (*micro_op)(void *user, const hx_micro_op_event *event);
    /* HX_EVENT_ACCESS of hexec's own listeners: asked first, once for all lanes. Not 0: `access` need not be
     * called for them. */
    int (*access_op)(void *user, const hx_micro_op_event *event);
    hx_lanes_function note;
} hx_listener;

/* Listeners of hexec that are requested by name. Each writes lines of text, such as
 * "saxpy.yaml:12: block 3, threads 0-31: arrive at barrier 0". */
HX_API const char *hx_listener_name(size_t index);    /* from 0; NULL: there are no more */
HX_API const char *hx_listener_summary(size_t index); /* one line: what it writes */
/* Makes one, for launches of one kernel at a time; free it after the last. `write` gets whole lines, from one
 * thread at a time; when it fails, no more lines come, and hx_listener_close returns what it returned.
 * Errors: HX_INVALID (no such name), HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_listener_open(const char *name, hx_write_function write, void *user,
                                                hx_diag *diag, hx_listener **ret_listener);
HX_API hx_status hx_listener_close(hx_listener *listener);

/* What of a run may come out otherwise on a GPU: instructions that were executed and whose result PTX fixes
 * only within an error, or leaves open (hexec/isa.h). Give its listener to launches that are one after the
 * other; it counts in all of them. */
typedef struct hx_fidelity_log hx_fidelity_log;
typedef struct hx_fidelity_use {
    size_t size;        /* sizeof (hx_fidelity_use) */
    const char *kernel; /* borrowed from the log, as all texts */
    const char *form;   /* "ex2.approx.f32" */
    hx_fidelity fidelity;
    const char *error, *why; /* as in hx_fidelity_rule */
    const char *file;        /* of the first of them; NULL: not known */
    uint32_t line;           /* 0: not known */
    uint32_t instructions;   /* that have this form and were executed */
    uint64_t lanes;          /* how often, all threads together */
} hx_fidelity_use;
/* Free it with hx_fidelity_log_free. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_fidelity_log_new(const hx_allocator *allocator, hx_diag *diag,
                                                   hx_fidelity_log **ret_log);
HX_API void hx_fidelity_log_free(hx_fidelity_log *log);
/* Borrowed from the log. It wants HX_EVENT_COUNTS. */
HX_API const hx_listener *hx_fidelity_log_listener(const hx_fidelity_log *log);
/* Entry `index`, kernel by kernel in the order of their code; ret_use->size is set before. When no launch
 * runs. HX_INVALID beyond the end; HX_NO_MEMORY when entries were lost. */
HX_API HX_MUST_CHECK hx_status hx_fidelity_log_at(const hx_fidelity_log *log, size_t index,
                                                  hx_fidelity_use *ret_use);

#ifdef __cplusplus
}
#endif
