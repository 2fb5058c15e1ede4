/* A gang: up to 256 lanes of one block that are dispatched together, the paths that its lanes have taken, and
 * the block and launch around it.
 *
 * A *path* is a set of lanes that stand at one place: program counter, call depth, mask. A gang starts with
 * one. A branch that lanes disagree on makes two of it; paths that reach the same place merge again. Masks
 * are bit sets here and are spread into bytes (which the masked handlers blend with) only when a path begins
 * to run. */
#pragma once

#include "base/machine.h"
#include "base/text.h"
#include "device/device.h"
#include "exec/bind.h"
#include "exec/listener.h"
#include "exec/progress.h"
#include "exec/stuck.h"
#include "program/regions.h"

#include <pthread.h>

enum path_state {
    PATH_READY,
    PATH_AT_BARRIER,
    PATH_AT_WARP /* waits for lanes of its warps; pc is the micro-op that waits */
};

struct path {
    uint32_t pc;      /* index of a FIRST micro-op */
    uint16_t depth;   /* of calls */
    uint8_t state;    /* enum path_state */
    uint8_t barrier;  /* PATH_AT_BARRIER: its id, or BARRIER_COLLECTIVE; pc is the micro-op behind it */
    bool together;    /* its lanes need not wait at the micro-op of PATH_AT_WARP where they stand */
    bool is_known;    /* of a meeting: listeners know of it, from another path */
    uint16_t meeting; /* its number, if others of their warps are at an instruction like theirs; else 0 */
    uint32_t tried;   /* where warps are watched: its last atomic, */
    uint32_t tries;   /* and how often that has run and changed nothing, with no other in between */
    uint64_t met; /* of a meeting: its members, from the first lane of their warp on; their own mask's row may
                   * have the result already, and some may have exited since */
    uint64_t turn; /* when it last ran, in turns of the gang */
    uint64_t lanes[GANG_CHUNKS_MAX];
};

/* Why a driver loop was left: set by flow handlers before they return gang->stop. */
enum leave {
    LEAVE_NONE,       /* the loop reached its limit: the place where another path waits */
    LEAVE_RESCHEDULE, /* the path table has changed */
    LEAVE_FUEL,       /* many backward jumps: others get their turn */
    LEAVE_PAUSE,      /* DRIVER_WATCHED: other gangs and blocks get theirs, but no path of this one */
    LEAVE_TURN,       /* DRIVER_WATCHED: only the other gangs of the block */
    LEAVE_FAULT
};

/* What a call leaves for the return from it. */
struct frame {
    uint32_t instruction; /* to go on with */
    uint32_t stack_end;
};
/* The frames of one call depth, by gang_origin. Those of `lanes` go on with `instruction`, whatever their own
 * frames say. */
struct frames {
    uint64_t lanes[GANG_CHUNKS_MAX];
    uint32_t instruction;
    struct frame own[GANG_LANES_MAX];
};

/* Where a gang's lanes lie, and what that costs: see exec/fast/compact.c. */
struct compaction {
    bool is_on;    /* gang.chunks may be less than the gang has, and lanes may be moved */
    bool is_eager; /* whether it pays or not */
    bool is_moved; /* lanes of `front` are the first ones, in their order, the others behind them in theirs */
    uint32_t chunks;  /* that the gang has */
    uint32_t *origin; /* a row of the gang's: where each lane was before */
    uint32_t front_lanes;
    uint64_t front[GANG_CHUNKS_MAX]; /* by where lanes were before */
    int64_t price;                   /* of moving, in micro-ops over a chunk, as is: */
    int64_t debt;                    /* what chunks too many have cost since the last time */
    int64_t patience;                /* micro-ops that may be jumped back over until lanes are moved */
    int64_t given;                   /* what patience was when the path's turn began */
    uint32_t too_many;               /* chunks, of the running path */
};

/* Whether the op that runs must stay in one array, and lanes whose access was let by: see exec/bounds.c. */
struct bounding {
    bool is_on; /* the gang's windows are narrowed for the op that runs */
    bool drops; /* `dropped` do not access the vector of `instruction` */
    uint32_t instruction;
    uint64_t dropped[GANG_CHUNKS_MAX];
};

struct gang_state {
    struct gang gang; /* first: handlers see only this part */
    struct block *block;
    char *rows;
    uint32_t number;                  /* in the block */
    uint32_t first_thread;            /* linear number in the block of lane 0; blocks that share the gang
                                         count on */
    uint64_t exists[GANG_CHUNKS_MAX]; /* lanes 0 to gang.lanes - 1 */

    struct path *paths; /* room for as many as there are lanes */
    uint32_t path_count;
    uint32_t running; /* index of the path that runs */
    uint64_t turn;
    enum leave leave;
    bool rotate;               /* the next path is the one that has waited longest, not the lowest */
    bool has_parted;           /* DRIVER_WATCHED: since the loop was last left for want of fuel */
    bool is_cut;               /* launch->cuts: the turn ends where no other path waits */
    int32_t fuel;              /* backward jumps and calls left before the loop is left */
    uint32_t active;           /* lanes of the mask in force */
    uint32_t running_active;   /* lanes of the running path */
    const uint64_t *base_bits; /* the mask behind a guard: of the running path, or of a arm of a branch */
    const uint8_t *base_bytes;
    uint32_t base_active;
    uint64_t guard_bits[GANG_CHUNKS_MAX], arm_bits[GANG_CHUNKS_MAX];
    bool spread_whole; /* path_bytes are those of all lanes */
    uint8_t path_bytes[GANG_LANES_MAX], guard_bytes[GANG_LANES_MAX], arm_bytes[GANG_LANES_MAX];

    uint64_t issue_start; /* of the instruction that runs, in ticks; 0: it is not timed */
    uint32_t issue_lanes;
    bool is_sampled;                      /* its time is for HX_EVENT_SAMPLE */
    uint64_t step_lanes[GANG_CHUNKS_MAX]; /* DRIVER_WATCHED: that do it */
    uint8_t followed; /* HX_EVENT_MICRO_OP: enum follow that its listener wants; all, when a block begins */

    struct compaction compaction;
    struct bounding bounding;

    bool is_step;          /* compiled code has left an instruction of its lowest path to the interpreter */
    uint64_t renewed;      /* block->starts of the block whose places the rows have (block_renew) */
    bool wants_back;       /* compiled code takes the gang back as soon as it can */
    bool is_converged;     /* its one path is in the converged code */
    uint32_t entries_left; /* how often it may still go there in this block */

    struct frames *returns; /* for each depth */
    uint32_t return_depths; /* there is room for */
    uint32_t *stack_ends; /* of each lane (gang_origin), an address in local memory; NULL: no stack is used */
    uint32_t stack_most;  /* the highest of them since the block began */
    uint16_t meetings;    /* the number of the last one: flow/meetings.c */
};

/* Reductions and scans over the block wait at a barrier of their own. */
#define BARRIER_COLLECTIVE BARRIER_COUNT
struct barrier {
    uint32_t arrived, ayes; /* ayes: with a true predicate (bar.red) */
    uint32_t expected;      /* 0: all threads of the block that have not exited */
    uint32_t waiting; /* of a timed block: lanes that wait, and the sum of the ticks at which they came */
    uint64_t waiting_since;
};

/* What a thread printed: a part of the block's text. */
struct printed {
    uint32_t thread;
    size_t at, length;
};
/* What a block printed, until its turn comes. */
struct output {
    uint64_t block;
    struct text text;
};

/* The turns of a block's gangs: where block_run is. */
struct block_round {
    bool is_on;             /* `gang` has the next turn; else a round is about to begin */
    bool yielded, gave_way; /* one of the gangs before has */
    uint32_t gang;          /* its place in the order */
    uint64_t order;         /* a seed; 0: the natural order */
    int turns;              /* rounds in which one has yielded */
};

/* A block that is resident on a worker. */
struct block {
    struct worker *worker;
    uint64_t number; /* linear, x fastest */
    uint64_t starts; /* blocks that have begun in this slot */
    uint32_t ctaid[3];
    uint32_t
        blocks; /* from this one on along x, that share its one gang: mostly 1 (exec/fast/pack_blocks.h) */
    struct arena memory; /* what the block has for as long as it lives */
    struct gang_state *gangs;
    uint32_t gang_count;
    uint32_t live;     /* threads that have not exited */
    bool is_untouched; /* nobody has made its gangs ready for the interpreter (block_start_gangs) */
    bool has_zeroed;   /* its gangs have rows or local memory that each block begins anew */
    uint64_t rounds;   /* how often its gangs were gone through */
    struct block_round round;
    char *shared;
    bool active;          /* a block is running in this slot */
    uint64_t start_ticks; /* of a timed block, or blocks are observed */
    uint32_t weight;      /* blocks that a timed one stands for; 0: it is not timed */
    uint64_t waited;      /* of a timed block: lanes at barriers, sum of ticks */
    struct text printed;
    LIST(struct printed) prints;
    struct barrier barriers[BARRIER_COUNT + 1];
    char apart[APART_BYTES]; /* from a block of another worker */
};

enum stop { STOP_NO, STOP_FAULT, STOP_TIMEOUT, STOP_INSTRUCTIONS, STOP_INTERRUPTED, STOP_NO_MEMORY };

/* A launch has the first of these, from the last on, that its listeners need. */
enum driver {
    DRIVER_PLAIN,
    DRIVER_COUNTED,
    DRIVER_SAMPLED,
    DRIVER_EVENTS,
    DRIVER_TAPED,
    DRIVER_BOUNDED,
    DRIVER_FOLLOWED,
    DRIVER_WATCHED
};
/* Runs from `op` until `limit` or gang->stop is reached; returns where it stopped. `full`: all lanes are
 * active. */
typedef const struct op *(*driver_function)(struct gang_state *state, const struct op *op,
                                            const struct op *limit, bool full);

/* Which of many things are timed: see exec/times.h. */
struct draw {
    uint32_t to_go; /* things to go to the next one that is drawn; 0: none is drawn now, all are timed */
    uint32_t timed; /* so far */
    bool was_long;  /* the last one that was timed */
};

/* What many things took, from those that were timed, in ticks. */
struct estimate {
    uint64_t usual_ticks, usual; /* of those, and of the ones that they stand for */
    uint64_t rare_ticks;         /* of very long ones, each for itself; `others` they should have stood for */
    uint64_t others;
};

/* Where a worker's time goes; see exec/times.h. */
struct worker_times {
    uint64_t begin, end;           /* of its work */
    uint64_t ran_ns;               /* of its work: what the thread ran on a core, as the system counts it */
    struct estimate turns, gaps;   /* in drivers, and between them */
    struct estimate calls;         /* of listeners at instructions */
    struct estimate blocks, waits; /* of blocks; of their lanes at barriers, for all of them together */
    uint64_t reads;                /* of the clock */
    struct draw draw_turn, draw_block;
    uint64_t gap_start; /* the end of a turn that was timed, which stands for gap_weight of them; 0: none */
    uint32_t gap_weight;
    uint32_t to_time; /* issues to go to the next one of which calls of listeners are timed */
};

struct launch {
    hx_device *device;
    const hx_program *program;
    const struct bound_kernel *bound;
    struct listener_set listeners;
    uint32_t wanted; /* hx_event_kind: what they want together */
    enum driver driver;
    driver_function drive;
    uint32_t *op_events;            /* DRIVER_WATCHED: the events of each micro-op that are wanted */
    struct op_bounds *bounds;       /* HX_EVENT_VIOLATION: of each micro-op; NULL: it is not wanted */
    struct shared_regions regions;  /* the same: of shared memory, where gaps are between */
    const struct tier_kernel *tier; /* compiled code; NULL: it is interpreted */
    uint64_t tier_stress;           /* exec/tier/stress.h; 0: none */
    struct tier_change *change;     /* it may go on compiled (exec/tier/change.h); NULL: it does not */
    char why_interpreted[256];
    bool is_plain;                     /* none of exec/fast, nor of the converged code */
    bool cuts;                         /* turns end, and paths part, where the seed says: exec/flow/cuts.h */
    uint64_t cut_seed;                 /* of this launch */
    bool draws_blocks;                 /* their order is that of the seed */
    bool has_parts;                    /* each worker takes its part of the items first (worker.next_item) */
    uint32_t cut_lanes;                /* so many stay together */
    bool keeps_times;                  /* of workers: HX_EVENT_WORKERS is wanted */
    const struct machine_timer *timer; /* NULL unless something is timed */
    hx_launch_options options;         /* with its zeros replaced */
    const uint64_t *parameters;        /* scalars' bits, then buffers' addresses */
    struct memory_window constants;
    uint64_t block_count, threads_per_block, shared_bytes;
    uint32_t packed_blocks, items_x; /* blocks that share a slot, at most; slots along x */
    uint64_t item_count;             /* what workers are handed */
    uint32_t workers;
    uint32_t handout; /* slots that a worker is given at once */
    int32_t fuel;     /* a path's turn */
    uint64_t start_ns, deadline_ns;
    uint64_t start_ticks;   /* keeps_times */
    double issue_cost;      /* keeps_times: what the driver adds to an issue, in ticks */
    uint64_t empty_ticks;   /* HX_EVENT_SAMPLE: what timing nothing takes */
    uint32_t *access_bytes; /* for each instruction */

    struct worker *worker_states; /* workers of them */
    _Alignas(APART_BYTES) _Atomic uint64_t next_item;
    _Atomic uint64_t instructions;
    _Atomic uint64_t stray_loads;                /* exec/strays.h */
    _Atomic uint32_t stray_at;                   /* the first one's instruction, from 1; 0: there was none */
    _Alignas(APART_BYTES) _Atomic uint32_t stop; /* enum stop */
    _Atomic uint64_t changes, stuck_at;          /* see exec/stuck.h; changes: from 1 on */
    pthread_mutex_t fault_lock;                  /* of what follows */
    hx_fault fault;
    bool fault_is_reported;                      /* by a listener */
    LIST(struct output) outputs;                 /* of blocks that are done, by number */
    uint64_t next_output;                        /* the block whose turn it is */
    struct progress_run *progress, own_progress; /* where it is reported; own: outside of a run */
};

/* The turns of a worker's resident blocks. */
struct worker_round {
    size_t slot; /* that has the next turn */
    bool any;    /* a block has yielded */
    bool has_changed;
};

struct worker {
    struct launch *launch;
    uint32_t number;
    struct memory_window *windows;
    uint64_t let_by[LANES_PER_CHUNK]; /* where the lanes' accesses go that were let by */
    hx_issue_counts *counts;          /* of each instruction */
    hx_issue_counts *chains;          /* of what was done with a chain's head, at the head's instruction */
    struct worker_times times;
    uint64_t instructions, instructions_reported; /* counted so far; already added to launch->instructions */
    LIST(struct block *) slots; /* resident blocks; the first is made when the worker begins */
    struct worker_round round;  /* of them */
    struct worker_progress progress;
    struct stuck_worker stuck;
    uint32_t to_sample;              /* issues to go to the next one that is timed */
    uint64_t drawn;                  /* state of the draw */
    uint64_t next_turn, end_turn;    /* of the grid's order: slots that were handed to this worker */
    _Atomic uint64_t next_item;      /* launch->has_parts: of its part, which others help with at the end */
    struct tier_frame *tier_frames;  /* launch->tier; of each gang of the block that runs */
    const struct block *tier_filled; /* whose gangs they have been filled from; NULL: nobody knows */
    uint64_t *tier_numbers;          /* tier_frame.numbers of each gang */
    uint32_t tier_left;  /* what tier_code gave for a block that goes on another way (tier_run_straight), or
                            TIER_NONE */
    uint64_t *tier_seen; /* of each of their slots: groups whose numbers have been found */
    uint64_t tier_draws; /* of exec/tier/stress.h */
    uint32_t tier_at;    /* the instruction of compiled code that runs, where that is sampled */
    struct tape *tape;   /* DRIVER_TAPED; NULL: there is none */
    char apart[APART_BYTES]; /* from the next worker's */
};

static inline struct gang_state *gang_state_of(struct gang *gang)
{
    return (struct gang_state *)gang;
}
static inline struct launch *gang_launch(const struct gang_state *state)
{
    return state->block->worker->launch;
}
/* The lane in which a lane's thread began: its place in the gang, and in all that is kept for each thread
 * outside of rows. */
static inline uint32_t gang_origin(const struct gang_state *state, uint32_t lane)
{
    return state->compaction.origin[lane];
}
/* The number in the block of a lane's thread; blocks that share the gang count on. */
static inline uint32_t gang_thread(const struct gang_state *state, uint32_t lane)
{
    return state->first_thread + gang_origin(state, lane);
}
/* The index along x, y or z (axis 0 to 2) of a thread, given by its linear number in the block. */
static inline uint32_t gang_thread_index(const struct launch *launch, int axis, uint32_t thread)
{
    const uint32_t *block = launch->options.block;
    return axis == 0   ? thread % block[0]
           : axis == 1 ? thread / block[0] % block[1]
                       : thread / block[0] / block[1];
}
/* The local memory that a lane has now: its arrays, and its stack as far as that goes. */
static inline struct memory_window gang_local(const struct gang_state *state, uint32_t lane)
{
    struct memory_window window = state->gang.local;
    window.host += gang_origin(state, lane) * state->gang.local_stride;
    if (state->stack_ends)
        window.size = state->stack_ends[gang_origin(state, lane)];
    return window;
}
