/* Observers: how somebody to the right of exec (profiles, spans, checkers) watches a launch. An observer says
 * with a mask what it wants to see; with none, the launch runs the plain driver and no call is made. Calls
 * come from worker threads, several at once for different `worker` numbers. */
#pragma once

#include "base/tape.h"
#include "hexec/launch.h"
#include "isa/isa.h"
#include "program/program.h"

enum observe {
    OBSERVE_LAUNCH = 1,
    OBSERVE_ISSUE = 2,
    OBSERVE_ACCESS = 4,
    OBSERVE_BLOCK = 8,
    OBSERVE_GANG = 16,
    OBSERVE_WARPS = 32 /* no call: gangs of one warp, so that an issue and a turn are one warp's */
};

/* One issue of one instruction to a gang, complete. */
struct issue {
    uint32_t instruction;            /* index in the kernel's code */
    uint32_t lanes;                  /* that were active, the guard considered */
    uint32_t bytes;                  /* that they moved; 0 for what is no memory access */
    uint32_t first_thread;           /* linear number in the block of the gang's first lane */
    uint64_t block;                  /* linear number in the grid */
    uint64_t start_ticks, end_ticks; /* of machine_ticks */
};

/* What the active lanes of one warp access in one issue, before it is done. Who observes accesses has gangs
 * of one warp, and the warps of a block take turns: one gives way to the next after each access that is not
 * to shared memory, but for those on a short arm of a branch. Blocks of one worker come one after the other.
 */
struct warp_access {
    uint32_t instruction, lane_bytes; /* lane_bytes: of one lane, a whole vector for .v2 .v4 */
    uint64_t block;                   /* linear number in the grid */
    uint32_t first_thread;            /* linear number in the block of the warp's first lane */
    uint8_t space;                    /* where it goes: generic addresses are resolved */
    bool is_store, is_load;           /* both: an atomic */
    uint64_t lanes;                   /* bit l: lane l of the warp is active */
    const uint64_t *addresses; /* of each lane of the warp; offsets in shared, local and constant memory */
};

/* A block that ran, or one turn of a gang, on its worker; complete. */
struct stay {
    uint64_t block;
    uint32_t first_thread; /* of the gang; of a block 0 */
    uint64_t start_ticks, end_ticks;
};

struct observer {
    uint32_t events; /* enum observe */
    void *user;
    /* Before the first block; other than HX_OK ends the launch. */
    hx_status (*begin)(void *user, const hx_program *program, const struct kernel *kernel,
                       const hx_launch_options *options);
    void (*issue)(void *user, uint32_t worker, const struct issue *issue);
    void (*end)(void *user, const hx_launch_result *result);
    void (*access)(void *user, uint32_t worker, const struct warp_access *access);
    void (*block)(void *user, uint32_t worker, const struct stay *stay);
    void (*gang)(void *user, uint32_t worker, const struct stay *stay);
    /* May be NULL. Asked by each worker's thread before its first block: where issues are put instead of
     * being told. Then an issue begins where the one before it ended, if nothing else came in between. NULL,
     * and for what the tape's forms say TAPE_ASK of, or that took longer than 2^32 ticks: `issue` is called,
     * when the tape's `issue` is already the number of the next one. */
    struct tape *(*tape)(void *user, uint32_t worker);
};

/* hx_launch with an observer, which may be NULL. Borrowed for the call. */
HX_MUST_CHECK hx_status exec_launch(hx_device *device, const hx_kernel *kernel,
                                    const hx_launch_options *options, hx_buffer *const *buffers,
                                    const struct observer *observer, hx_diag *diag,
                                    hx_launch_result *ret_result);
/* What a launch gets from the program's parameters as they are now and from its buffers, so that it can run
 * later: how many values that is, and the values. exec_launch_gathered is exec_launch with these. */
size_t exec_gathered_count(const hx_kernel *kernel);
void exec_gather(const hx_kernel *kernel, hx_buffer *const *buffers, uint64_t *ret_values);
HX_MUST_CHECK hx_status exec_launch_gathered(hx_device *device, const hx_kernel *kernel,
                                             const hx_launch_options *options, const uint64_t *values,
                                             const struct observer *observer, hx_diag *diag,
                                             hx_launch_result *ret_result);
/* Bytes that one lane moves in an instruction (a whole vector for .v2 .v4); 0 for what is no access. */
uint32_t exec_access_bytes(const struct instruction *instruction);
/* The kernel's code, for observers and tools. */
const struct kernel *exec_kernel_code(const hx_kernel *kernel);
