/* Launches: a kernel over a grid of blocks of threads, and what came of it. */
#pragma once

#include "hexec/device.h"
#include "hexec/listener.h"
#include "hexec/program.h"
#include "hexec/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel made ready to run: verified and lowered. Constant; any number of launches may use it. */
typedef struct hx_kernel hx_kernel;

/* Verifies and lowers kernel `index` of a program as its parameters are now; warnings and errors go to
 * `diag`. *ret_kernel is given (hx_kernel_free) and borrows the program until then. HX_INVALID, HX_NO_MEMORY.
 */
HX_API HX_MUST_CHECK hx_status hx_kernel_new(const hx_program *program, size_t index,
                                             const hx_allocator *allocator, hx_diag *diag,
                                             hx_kernel **ret_kernel);
HX_API void hx_kernel_free(hx_kernel *kernel);
/* Instructions of the kernel's code. */
HX_API uint32_t hx_kernel_instructions(const hx_kernel *kernel);
/* The micro-ops as `hexec disasm --lowered` prints them. */
HX_API HX_MUST_CHECK hx_status hx_kernel_print(const hx_kernel *kernel, hx_write_function write, void *user);
/* What the compiled tier makes of the kernel, as `hexec disasm --compiled` prints it: for launches with
 * counts in blocks as large as those of the program's first launch of it, else of 256 threads. `write` is
 * called once, when all is made. Errors: HX_INVALID (it cannot be compiled, or there is no LLVM: the
 * diagnostic says so), HX_NO_MEMORY, and what `write` returns. */
typedef enum hx_compiled_text {
    HX_COMPILED_ASSEMBLY, /* machine code, the kernel's lines above what was made of them */
    HX_COMPILED_IR        /* LLVM's representation, optimised */
} hx_compiled_text;
HX_API HX_MUST_CHECK hx_status hx_kernel_print_compiled(const hx_kernel *kernel, hx_compiled_text what,
                                                        hx_write_function write, void *user, hx_diag *diag);

/* What one parameter of a kernel is in one launch. */
typedef struct hx_argument {
    const void *value; /* its bytes as the host has them: a number, a structure, an address of the device.
                          NULL, for a pointer to shared memory: `bytes` of dynamic shared memory */
    size_t bytes;      /* hx_parameter.bytes */
} hx_argument;

typedef struct hx_launch_options {
    size_t size;                   /* sizeof (hx_launch_options) */
    uint32_t grid[3], block[3];    /* 0 counts as 1 */
    uint64_t dynamic_shared_bytes; /* behind the static shared arrays */
    uint32_t workers;          /* at most the device's; 0: all of them. 1 runs blocks one after another (or
                                  those that share a gang), in linear order when there is no seed */
    uint32_t warp_size;        /* 1 to 64, a power of two; 0: 32 */
    uint32_t gang_lanes;       /* lanes that one dispatch serves, 1 to 256, or HX_GANG_OF_WARP; 0: chosen from
                                  the kernel. Blocks of few threads share a gang where these do nothing
                                  together, no listener follows blocks or lanes and there is no seed; with 0 in
                                  large grids only */
    uint64_t timeout_ns;       /* 0: none */
    uint64_t max_instructions; /* thread-instructions; 0: no bound. Checked at backward jumps and calls,
                                  so a run ends a little after it */
    uint64_t seed;             /* not 0: the order of blocks, gangs and paths is drawn from it, and with
                                  HX_TURNS_LONG the width of gangs (unless gang_lanes has it) and where turns
                                  end; the same seed gives the same order */
    int counts;                /* hx_counting: fill in `counts` of the result (costs a few percent) */
    uint32_t launch_id;        /* %gridid */
    /* What kernels print, block by block in their order, within a block thread by thread; called by one
     * thread at a time, of whichever worker. NULL: nothing is printed. `text` is good for the call only. */
    void (*print)(void *user, const char *text, size_t bytes);
    void *print_user;
    /* Who follows the launch (listener.h); borrowed until it ends. Those of its device come behind them. */
    const struct hx_listener *const *listeners;
    size_t listener_count;
    uint32_t turns; /* hx_turns */
    int plain; /* not 0: none of the interpreter's speed machinery (code for gangs whose lanes agree, fused
                  micro-ops, blocks that share gangs, lanes that are moved together). The same results, in
                  several times the time */
    hx_progress *progress; /* where the launch tells what it is doing, for other threads (progress.h);
                              borrowed until it ends. NULL: nowhere */
    /* The parameters of an imported kernel, all of them in order, in place of what its program has for them,
     * so that several threads launch one kernel with values of their own. Copied by the call. NULL: the
     * program's. */
    const hx_argument *arguments;
    size_t argument_count;
    uint32_t tier; /* hx_tier */
    int no_cache;  /* not 0: compiled code is neither taken from the user's cache nor kept there */
    struct hx_schedule *schedule; /* with a seed and one worker: which of its decisions are taken; hexec's own
                                     (explore.h). Borrowed until the launch ends. NULL: all of them */
    /* What variables in constant memory have, one buffer each (hx_program_make_constants), which the launch
     * copies when it begins. NULL: what the program says */
    hx_buffer *const *constants;
    /* How many `buffers` of the call and `constants` have: too few or too many are HX_INVALID. 0: as many as
     * the program has */
    size_t buffer_count, constant_count;
    /* Where samples of compiled code go, by line (samples.h); borrowed until the launch ends. NULL: none are
     * taken */
    struct hx_samples *samples;
    uint64_t command; /* hx_checks_command; 0: behind all that was done, and before all that will be */
} hx_launch_options;

/* What a launch counts. */
typedef enum hx_counting {
    HX_COUNT_NOTHING,
    HX_COUNT_ALL,
    HX_COUNT_THREADS /* what threads do: instructions, operations, bytes. The number of issues, which depends
                        on how many threads share one, is 0, and so HX_TIER_AUTO may compile the kernel */
} hx_counting;

/* What runs a kernel. Results, faults and messages are the same; compiled code serves gangs of at most 64
 * lanes, so the number of issues is that of an interpreted launch with gang_lanes 64. */
typedef enum hx_tier {
    HX_TIER_AUTO, /* the interpreter until a kernel has run for about as long as compiling it takes; then the
                     rest of the launch, and later ones, run compiled. With a number for gang_lanes, with
                     HX_COUNT_ALL, and on one worker where atomics tell the order of threads, the interpreter
                     alone */
    HX_TIER_INTERPRETER,
    HX_TIER_COMPILED /* machine code, made by LLVM (libhexec-llvm.so). The interpreter runs launches that need
                        it: with a seed, a bound of instructions, listeners of more than the launch and its
                        counts, and where there is no LLVM. hx_launch_result says why */
} hx_tier;

/* In place of hx_launch_options.gang_lanes: each gang is one warp. */
#define HX_GANG_OF_WARP UINT32_MAX

/* How the gangs of a block take turns. */
typedef enum hx_turns {
    HX_TURNS_LONG,   /* a gang runs until its lanes wait, or have jumped back often; with a seed, also behind
                        instructions that it draws, where some lanes may stay behind the others: orders that a
                        GPU could take, which find missing barriers. Such a launch is `plain` */
    HX_TURNS_ACCESS, /* it also gives way to the next one after each access that is not to shared memory, but
                        for those under the mask of a short arm of a branch: a GPU runs other warps while one
                        waits for memory */
    HX_TURNS_WHOLE   /* until its lanes wait, or have jumped back often, with a seed too */
} hx_turns;

/* Times are counted in buckets of a quarter of an octave: bucket b counts those of at least 2^(b/4) and less
 * than 2^((b + 1)/4) nanoseconds, the first also what is less, the last also what is more. */
#define HX_TIME_BUCKETS 96

/* What one instruction of a kernel did, exactly, and what it took, measured on some of its issues; a
 * collector (collector.h) adds it up. A *warp issue* is one warp with at least one lane that stands at the
 * instruction, its guard not considered: what a GPU would issue. Of a warp's lanes those at the deepest call
 * and then the lowest place in the code go first, and those at one place go together. Only when lanes have
 * jumped back or called 2048 to 4096 times in a block while others of their warp wait (a pause counts as 64
 * times) does the one that waited longest go on first, as it must where lanes spin until a neighbour has done
 * something. */
typedef struct hx_instruction_profile {
    uint64_t issues; /* dispatches, once for each gang: depends on the gangs' width, and on whether blocks
                        share one */
    uint64_t lanes;  /* active lanes of all issues, the guard considered: thread-instructions. Of control flow
                        and barriers all lanes that come there: their guard says where they go */

    /* HX_COLLECT_TIME */
    uint64_t sampled;                      /* issues that were timed */
    double sampled_ns, sampled_ns_squares; /* sums of their times, and of the squares; what timing an empty
                                              instruction takes is taken off */
    uint32_t histogram[HX_TIME_BUCKETS];   /* of these times */

    /* HX_COLLECT_WARPS */
    uint64_t warps;         /* warp issues */
    uint64_t standing;      /* lanes of these, the guard not considered; standing - lanes: predicated off */
    uint64_t warps_partial; /* of which some lanes did it and some did not (guards; of a branch: it diverged;
                               of brx, callx: not all lanes go to one place) */
    uint64_t warps_none;    /* of which no lane did it (of a branch: none jumped) */

    /* HX_COLLECT_MEMORY, of loads, stores and atomics. A request is a warp issue with an active lane. A
     * generic access counts by where it goes, constant memory counts requests alone. Global memory is moved
     * in sectors of 32 bytes; in local memory word w of lane l is beside word w of lane l + 1; shared memory
     * has 32 banks of 4 bytes, one word of each a pass, to any number of lanes; lanes of 8 (16) bytes go in
     * two (four) parts of a warp, each on its own; atomics on one word go one after the other (CUDA C++ Best
     * Practices Guide, Coalesced Access to Global Memory; CUDA C++ Programming Guide, Local Memory, Shared
     * Memory, SIMT Architecture). */
    uint64_t requests;
    uint64_t sectors;       /* global and local memory: 32-byte sectors touched, each once a request */
    uint64_t lines;         /* 128-byte lines touched, likewise */
    uint64_t sectors_least; /* the fewest that could hold the distinct bytes the request touched */
    uint64_t wavefronts;    /* shared memory: passes over the 32 banks of 4 bytes */
    uint64_t
        wavefronts_least; /* the fewest for so many bytes; wavefronts - wavefronts_least: bank conflicts */
} hx_instruction_profile;

/* Where the time of one worker went, from the launch's begin to its end (HX_EVENT_WORKERS, or a collector):
 * the parts add up to wall_ns. Begin and end are measured, and how it divides is estimated: what gangs, and
 * blocks, take is timed, of short ones one in 16, drawn at random. */
typedef struct hx_worker_profile {
    uint64_t blocks;
    double wall_ns;
    double running_ns;         /* in instructions */
    double scheduling_ns;      /* handing out and starting blocks, choosing paths, barriers' bookkeeping */
    double instrumentation_ns; /* counting and reading the clock, estimated from its calibrated costs */
    double idle_ns;            /* before its first block and after its last, while others still ran */
    /* Of the threads of its blocks, not of the worker: warp-nanoseconds from arriving at a barrier to being
     * let go on, and from a block's start to its end. */
    double barrier_warp_ns, resident_warp_ns;
    double off_core_ns; /* its thread did not run: another program, or the system, had the core */
} hx_worker_profile;

/* What a run did, exactly. */
typedef struct hx_counts {
    uint64_t issues;                           /* instructions issued, once for each gang */
    uint64_t thread_instructions;              /* active lanes of all issues */
    uint64_t loaded_bytes[6], stored_bytes[6]; /* by space: none, global, shared, constant, local, generic */
    uint64_t flops;
} hx_counts;

/* Why a kernel was stopped. */
/* clang-format off */
#define HX_FAULT_LIST(X)                                                       \
    X(NONE, "no fault")                                                        \
    X(OUT_OF_RANGE, "access outside every buffer")                             \
    X(MISALIGNED, "misaligned access")                                         \
    X(READ_DENIED, "read of a write-only buffer")                              \
    X(WRITE_DENIED, "write to a read-only buffer")                             \
    X(CALL_DEPTH, "calls nested too deep")                                     \
    X(BARRIER_DEADLOCK, "threads wait at barriers that can never be complete") \
    X(BARRIER_COUNT, "barrier with a bad thread count")                        \
    X(JUMP_TABLE, "jump beyond the end of a table")                            \
    X(MEMBER_MASK, "member mask that does not name its own lane")              \
    X(ASSERT, "assertion failed")                                              \
    X(TRAP, "trap instruction")                                                \
    X(FELL_OFF_END, "execution ran past the last instruction")                 \
    X(NO_MEMORY, "no memory for the kernel's state")                           \
    X(STACK, "stack overflow or misuse")                                       \
    X(REFUSED, "access refused by a listener")                                 \
    X(NO_PROGRESS, "threads go round in loops that nothing can end")
/* clang-format on */
typedef enum hx_fault_kind {
#define HX_FAULT_VALUE(name, text) HX_FAULT_##name,
    HX_FAULT_LIST(HX_FAULT_VALUE)
#undef HX_FAULT_VALUE
} hx_fault_kind;

typedef struct hx_fault {
    hx_fault_kind kind;
    uint32_t instruction; /* index in the kernel's code */
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t bytes; /* of the access */
    int is_store;
    int space;        /* 1 global, 2 shared, 3 constant, 4 local */
    char nearest[64]; /* name of the buffer or array that the address is made from, else of the nearest one;
                         "" for none */
    uint64_t nearest_low, nearest_bytes;
    char detail[512]; /* operands' values; who waits where */
    int is_based;     /* not 0: the address is made from one in `nearest` */
} hx_fault;

typedef struct hx_launch_result {
    size_t size;
    uint64_t duration_ns;
    uint64_t blocks, threads; /* of the grid */
    uint64_t blocks_done;     /* that ran to their end */
    uint32_t workers, gang_lanes;
    hx_counts counts;
    hx_fault fault;
    uint32_t tier;             /* hx_tier: what it ran on, HX_TIER_INTERPRETER or HX_TIER_COMPILED */
    char why_interpreted[256]; /* one line, where HX_TIER_COMPILED was wanted in vain; of a kernel that ran
                                  compiled, the instructions that it leaves to the interpreter, or "" */
    uint64_t stray_loads;      /* of threads, that gave 0 (hx_device_allow_strays) */
} hx_launch_result;

/* Makes the buffers of a program on a device and fills them as the program says; of a module in PTX they are
 * its variables. `ret_buffers` has room for hx_program_buffer_count. The buffers belong to the device. On
 * failure none are left. HX_INVALID, HX_IO, HX_LIMIT, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_program_make_buffers(const hx_program *program, hx_device *device,
                                                       hx_diag *diag, hx_buffer **ret_buffers);
/* Likewise of the program's variables in constant memory, for launches whose host changes them:
 * `ret_constants` has room for hx_program_constant_count. `buffers`, which addresses among their values lead
 * to, are those of the program; NULL when it has none. HX_INVALID also for a buffer of another device. */
HX_API HX_MUST_CHECK hx_status hx_program_make_constants(const hx_program *program, hx_device *device,
                                                         hx_buffer *const *buffers, hx_diag *diag,
                                                         hx_buffer **ret_constants);

/* Runs a kernel to its end. `buffers` are the program's buffers in its order; NULL when it has none.
 * *ret_result is filled in whatever happens (partial counts, the fault). HX_FAULT (reported in `diag` with
 * file, line, text, block, thread, address, nearest buffer), HX_LIMIT, HX_INTERRUPTED, HX_INVALID for a bad
 * shape, for a buffer of another device and for other numbers of buffers than the program has
 * (hx_launch_options.buffer_count), HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_launch(hx_device *device, const hx_kernel *kernel,
                                         const hx_launch_options *options, hx_buffer *const *buffers,
                                         hx_diag *diag, hx_launch_result *ret_result);
HX_API const char *hx_fault_text(hx_fault_kind kind);
/* Its name, "OUT_OF_RANGE", as `expect` has it in any case; "" beyond the last. Static. */
HX_API const char *hx_fault_name(hx_fault_kind kind);

#ifdef __cplusplus
}
#endif
