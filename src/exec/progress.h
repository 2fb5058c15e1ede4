/* Progress from the inside: runs and launches tell what they do, and hx_progress_read reads it. Where nobody
 * asked, hx_launch_options.progress is NULL and nothing of this is called. */
#pragma once

#include "hexec/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct block;
struct gang_state;
struct launch;

/* A run of a program, or a launch outside of one; lives where it is known of, until its end is. */
struct progress_run {
    hx_progress *progress; /* NULL: nobody asked, and the functions below do nothing */
    struct progress_run *next;
    pthread_t thread; /* that makes its launches */
    hx_progress_step step;
    const char *name;
    uint64_t start_ns;
    uint64_t launch, launches, threads_done; /* as in hx_progress_state; done: of launches before this one */
    const struct launch *running;            /* or NULL */
};

/* What a worker tells; only it writes. */
struct worker_progress {
    _Atomic uint64_t blocks_done;
    _Atomic uint64_t block; /* the lowest that runs, and 1; 0: none does */
    _Atomic uint64_t instructions;
    _Atomic uint32_t at; /* index of an instruction of that block; UINT32_MAX: not known */
    _Atomic uint32_t waiting;
};

/* `launches` as in hx_progress_state. */
void progress_run_begin(struct progress_run *run, hx_progress *progress, uint64_t launches);
/* `name` must live until the next step, or the run's end. */
void progress_run_step(struct progress_run *run, hx_progress_step step, const char *name);
void progress_run_end(struct progress_run *run);

/* A launch of the run that goes on in this thread, or one outside. The grid is set up, and its workers do not
 * run yet, or no more. */
void progress_launch_begin(struct launch *launch);
void progress_launch_end(struct launch *launch);

/* Of the calling worker. */
void progress_block_begin(const struct block *block);
void progress_block_end(const struct block *block);
/* Threads have jumped back often. */
void progress_turn(const struct gang_state *state);
