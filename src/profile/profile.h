/* A profile from the inside: what the passes add to, and the figures made of it.
 *
 * Counters are 64-bit integers in the views that the public header shows. Formulas work on `struct sums`: the
 * same as doubles, with what else a formula may name, for one thing that has figures (an instruction,
 * a line, a form, a kernel, a launch). */
#pragma once

#include "base/spread.h"
#include "costs/costs.h"
#include "exec/launch.h"
#include "hexec/profile.h"
#include "profile/covered.h"
#include "profile/patterns.h"

/* What formulas name: X(name, "what it is"). All add up over instructions and launches but those of OF_WHOLE.
 * The list is the table of counters in docs/metrics.md. */
/* clang-format off */
#define PROFILE_SUMS(X) \
    X(warps,            "warp issues: a warp at an instruction with at least one lane, its guard not considered") \
    X(dispatches,       "issues of the interpreter: one serves a gang of up to 256 lanes") \
    X(lanes,            "active lanes of all warp issues, the guard considered") \
    X(standing,         "lanes of all warp issues, the guard not considered") \
    X(warps_partial,    "warp issues of which some lanes did it and some did not") \
    X(warps_none,       "warp issues of which no lane did it") \
    X(branch_warps,     "warp issues of branches") \
    X(branch_split,     "of which lanes went different ways") \
    X(global_requests,  "warp issues with an active lane that access global or local memory") \
    X(shared_requests,  "warp issues with an active lane that access shared memory") \
    X(sectors,          "32-byte sectors of global and local memory touched, each once a request") \
    X(sectors_least,    "the fewest sectors that could hold the distinct bytes touched") \
    X(cache_lines,      "128-byte lines of global and local memory touched, each once a request") \
    X(wavefronts,       "passes over the 32 banks of shared memory") \
    X(wavefronts_least, "the fewest passes for so many bytes") \
    X(loaded_bytes,     "bytes that lanes loaded, of all spaces") \
    X(stored_bytes,     "bytes that lanes stored, of all spaces") \
    X(global_bytes,     "bytes that lanes loaded from and stored to global memory") \
    X(flop_count,       "floating-point operations, an fma being two") \
    X(flop16,           "of which f16 and bf16") \
    X(flop32,           "of which f32") \
    X(flop64,           "of which f64") \
    X(l1_sectors,       "modelled: sectors that loads looked for in the L1 caches") \
    X(l1_hits,          "of which were there") \
    X(l2_sectors,       "modelled: sectors that loads and atomics looked for in the L2 cache") \
    X(l2_hits,          "of which were there") \
    X(l2_bytes,         "modelled: bytes to and from the L2 cache") \
    X(dram_read,        "modelled: bytes read from DRAM") \
    X(dram_written,     "modelled: bytes written to DRAM") \
    X(sampled,          "issues of the interpreter that were timed") \
    X(instruction_ns,   "time in instructions, of all workers: sampled times scaled to all issues")
/* Of all launches of a kernel, or of one; and what a smaller thing is part of. */
#define PROFILE_WHOLES(X) \
    X(warp_size,        "lanes of a warp") \
    X(wall_ns,          "wall time of the launches: median of the plain runs") \
    X(duration_ns,      "wall_ns of kernels and launches, instruction_ns of all else") \
    X(kernel_ns,        "instruction_ns of the kernel that it is part of") \
    X(workers_used,     "threads of hexec that ran the launch") \
    X(gang_lanes,       "the most lanes that one issue of the interpreter serves in the launch") \
    X(barrier_share,    "warp time from arriving at a barrier to going on, over warp time in blocks: median of the timed passes") \
    X(worker_balance,   "mean time of a worker in its blocks over that of the busiest: median of the timed passes") \
    X(model_ns,         "modelled: time of the launches on the GPU") \
    X(model_occupancy,  "modelled: warps that an SM holds, over those that it can hold; of the first launch") \
    X(model_achieved,   "modelled: mean warps of SMs that have blocks, over those that they can hold; launches weighted by their modelled time") \
    X(live_registers,   "32-bit registers of a thread that are live at once, at most") \
    X(block_balance,    "mean time of a block over that of the longest: median of the timed passes")
/* clang-format on */

struct sums {
#define SUMS_MEMBER(name, text) double name;
    PROFILE_SUMS(SUMS_MEMBER)
    PROFILE_WHOLES(SUMS_MEMBER)
#undef SUMS_MEMBER
};

/* Numbers that were measured in one pass after the other. Of many some are kept, spread evenly over all. */
#define SAMPLES_MAX 31
struct samples {
    size_t count;
    uint64_t seen, stride; /* one of `stride` is kept; 0 is 1 */
    double items[SAMPLES_MAX];
};
void samples_add(struct samples *samples, double value);
/* The median of shares of a whole. NaN of none. */
struct interval samples_share(const struct samples *samples);
/* Of a sum and a sum of squares the variance that the whole is guessed to have; NaN of fewer than two. */
double samples_variance(uint64_t count, double sum, double squares);
/* Of the times in a histogram of HX_TIME_BUCKETS: the quantile of `share`. NaN of an empty one. */
struct interval samples_quantile(const uint32_t *histogram, double share);
/* Where bucket b begins; b + 0.5 is its middle. */
double samples_bucket_ns(double bucket);

/* One thing that has figures. */
struct measure {
    struct sums sums, low, high; /* low and high: with the ends of what was measured */
    double variance;             /* of instruction_ns: by the samples alone */
    double *deviations; /* of instruction_ns from batch to batch: SPREAD_BATCHES; NULL while it is made */
    hx_instruction_profile counts;
    bool is_counted; /* else the program was stopped before anything was counted */
};

/* Sampled times of an instruction in each batch of timed passes, interruptions left out. */
struct batch_times {
    double ns[SPREAD_BATCHES], count[SPREAD_BATCHES];
};

struct profile_kernel {
    hx_profile_kernel view;
    struct measure whole;
    hx_profile_instruction *instructions;
    struct measure *instruction_measures;
    hx_profile_function *functions;
    hx_profile_sum *opcodes, *lines;
    struct measure *opcode_measures, *line_measures;
    const struct profile_source_text *source;  /* that its lines are of; NULL: it is not known */
    const struct kernel *code;                 /* until the profile is finished */
    hx_instruction_profile *timed, *counted;   /* sums of the passes, for each instruction */
    struct batch_times *batches;               /* of `timed`, for each instruction */
    uint32_t histogram[HX_TIME_BUCKETS];       /* of all times sampled in the kernel */
    hx_instruction_profile *timing, *counting; /* of one launch, by its pass; zero between two */
    uint64_t *dispatches;                      /* of each instruction in the first timed pass */
    struct profile_pattern *patterns;          /* of each instruction */
    uint32_t workers_most;                     /* that its launches could have had */
    double busy_ns, room_ns; /* of the workers in the timed passes; what these could have had */
    double run_ns;           /* of the plain run that goes on */
    double *wall_ns;         /* of each plain run */
    struct samples barrier, worker_balance, block_balance;
    struct cost_key *cost_keys; /* of each instruction; NULL without costs */
    hx_cost_prediction predicted;
    double
        host_bytes[HX_HOST_LEVELS]; /* that came from each level of the host's memory; see costs/levels.h */
    const struct gpu *gpu;          /* of the profile */
    struct profile_modelled *modelled; /* NULL: no GPU was modelled */
    struct measure *buffer_measures;   /* view.buffers of them */
};

/* A block that ran, in nanoseconds from the launch's begin. */
struct profile_block {
    uint32_t worker;
    uint64_t block;
    double start_ns, end_ns;
};

struct profile_launch {
    hx_profile_launch view;
    struct measure whole;
    double *wall_ns; /* of each plain run */
    size_t wall_count;
    struct samples barrier, worker_balance, block_balance;
    hx_worker_profile *workers; /* view.workers of them, sums of the timed passes, in the end means; NULL */
    uint32_t worker_count;
    uint64_t timed;               /* passes in these sums */
    double dispatches;            /* in the first timed pass */
    struct profile_block *blocks; /* the first that each worker ran, in the first timed pass */
    size_t block_count;
    bool is_modelled;
    double model_ns, occupancy, achieved;
};

struct profile_source_text {
    const char *name; /* of several programs different ones */
    const char **lines;
    size_t line_count;
};

struct hx_profile {
    struct arena arena;
    const char *program, *file, *isa, *inputs;
    struct covered covered;
    uint32_t isa_crc;
    LIST(const struct profile_source_text *) sources; /* one, or of several programs those of their kernels */
    struct profile_kernel *kernels;
    size_t kernel_count;
    /* Of the program's kernels 1 + the place in `kernels`; 0: never launched. NULL: of several programs. */
    uint32_t *kernel_of;
    struct profile_programs *programs; /* of several programs: how their kernels are found (programs.c) */
    LIST(struct profile_launch) launches;
    uint64_t launches_left_out;
    uint32_t runs;                  /* plain runs that there will be at most */
    LIST(double) run_ns;            /* launches of each plain run, one after the other */
    size_t blocks_listed;           /* of all launches */
    hx_worker_profile pass_workers; /* of all workers in the timed pass that goes on */
    struct spread_batches batches;  /* of the timed passes, by their time in instructions */
    size_t batch;                   /* that the timed pass which goes on belongs to */
    struct spread_choice choice;    /* in the end: the batches that times are made of */
    double others;                  /* share of the machine that others used during the passes */
    LIST(double) loop_ns;           /* of machine_loop_ns after each plain run */
    double loop_median_ns,
        slowed;             /* in the end: their median, and how far it is above the fastest, over it */
    double disturbed;       /* in the end: how much longer others and slower cores may have made times */
    double *scratch;        /* room for the times of all plain runs */
    double wanted, reached; /* half the intervals of times over them, at most */
    hx_profile_end ended;
    LIST(hx_worker_profile) timed_workers; /* of each timed pass */
    LIST(hx_profile_hint) hints;
    struct interval wall; /* of run_ns */
    double time_scale;    /* from sampled times to those of the running program; see sums.c */
    hx_worker_profile
        workers; /* in the end: of all workers in a timed pass, mean of those that times are made of */
    uint64_t timed_passes, counted_passes, step; /* step: launches of the pass that goes on */
    double pass_ns;                              /* of the plain run that goes on */
    hx_run_options options;
    hx_run_result result;
    hx_status status; /* how the passes ended */
    const char *cpu_level, *cpu, *compiler, *build_type;
    int cores;
    struct gpu *gpu;           /* NULL: none is modelled */
    struct model *model;       /* NULL: likewise, or none can be */
    const char **buffer_names; /* buffer_count, and two more: other global memory, local memory */
    uint64_t *buffer_bytes;
    size_t buffer_count;
    bool timer_is_tsc;
    const hx_costs *costs; /* until the profile is finished */
    bool has_prediction;
    hx_cost_prediction predicted; /* of all kernels */
    hx_host_peaks peaks;          /* size 0: none were given */
    struct levels *levels;        /* the host's caches in the counted pass; NULL: without peaks */
};

/* Where the workers' wall time went in one timed run: parts that add up to profile->workers.wall_ns. Returns
 * how many there are: none when no worker's time was taken. */
#define PROFILE_PARTS 5
struct profile_part {
    const char *name, *help;
    double ns;
};
size_t profile_parts(const hx_profile *profile, struct profile_part ret_parts[PROFILE_PARTS]);
/* Of the launches of one plain run: the median and its interval; NaN when there was none. */
struct interval profile_wall(const hx_profile *profile);
