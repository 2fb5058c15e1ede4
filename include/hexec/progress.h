/* Progress: what runs and launches are doing, for another thread to read while they go on.
 *
 *     hx_progress *progress;
 *     hx_progress_new(NULL, diag, &progress);
 *     options.launch.progress = progress; // of hx_run_options; of hx_launch_options, options.progress
 *     ... one thread calls hx_context_run, and another one now and then:
 *     hx_progress_state state = {.size = sizeof state};
 *     hx_progress_read(progress, &state);
 *
 * Blocks say that they begin and end, and threads that jump back often say where they are now and then, so it
 * costs a few nanoseconds a block, and nothing where nobody wants it. */
#pragma once

#include "hexec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where runs and launches tell what they do; any number at once. */
typedef struct hx_progress hx_progress;

/* *ret_progress is given (hx_progress_free). HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_progress_new(const hx_allocator *allocator, hx_diag *diag,
                                               hx_progress **ret_progress);
/* When no run or launch that was given it goes on any more. */
HX_API void hx_progress_free(hx_progress *progress);

typedef enum hx_progress_step {
    HX_PROGRESS_IDLE,    /* nothing goes on */
    HX_PROGRESS_BETWEEN, /* a run that does none of the following now */
    HX_PROGRESS_FILL,    /* a buffer is made and filled */
    HX_PROGRESS_PREPARE, /* a kernel is verified and lowered */
    HX_PROGRESS_LAUNCH   /* a launch goes on */
} hx_progress_step;

/* What goes on: of several runs and launches at once, the one that began first. Figures may be of moments
 * that lie a little apart. */
typedef struct hx_progress_state {
    size_t size;           /* sizeof (hx_progress_state) */
    uint32_t step;         /* hx_progress_step */
    uint64_t runs;         /* that have begun, and launches outside of runs; a profile makes many runs */
    uint64_t elapsed_ns;   /* since the run began */
    uint64_t launch;       /* of the run, from 1; 0: none has begun */
    uint64_t launches;     /* that the run has; 0: not known, as it depends on what kernels compute */
    uint64_t threads_done; /* of all launches of the run: those whose block has ended */
    char name[128];        /* of the kernel, or of the buffer that is filled; "" */

    /* HX_PROGRESS_LAUNCH, else 0 */
    uint64_t launch_ns; /* since it began */
    uint64_t blocks, blocks_done, threads_per_block;
    uint64_t thread_instructions; /* until now; 0: not counted (hx_launch_options.counts) */

    /* The lowest block that runs, and a place where some of its threads are or were a moment ago; they tell
     * it when they have jumped back or called a few thousand times. */
    int has_block, has_place;
    uint64_t block;       /* linear, x fastest */
    uint32_t waiting;     /* threads of it that wait at a barrier for the others */
    uint32_t instruction; /* index in the kernel's code */
    int line;             /* of its source, from 1 */
    char file[256];       /* "": not known */
    char text[128];       /* the instruction, as the source has it; cut off if it is longer */
} hx_progress_state;

/* Fills in as much as ret_state->size says. Any thread, at any time. HX_INVALID for NULL. */
HX_API HX_MUST_CHECK hx_status hx_progress_read(hx_progress *progress, hx_progress_state *ret_state);

#ifdef __cplusplus
}
#endif
