/* A side of the benchmark: a program that runs one kernel again and again, as standard input says,
 * so that tools/bench/run can make all sides take turns.
 *
 *     SIDE list   prints the names of the kernels
 *     SIDE KERNEL SIZE [OPTION...]      then, a line each:
 *     run         puts the buffers' contents back, runs the kernel, answers with its time
 *     keep DIR    writes the buffers that the kernel wrote to DIR
 *     check DIR   compares them with what another side kept there
 *     end         answers with the process's peak memory, and ends
 *
 * The answer to each, and to the start, is one line: a JSON object, with "error" when something went wrong.
 */
#pragma once

#include "workloads.h"

#include <stdio.h>

struct side {
    const char *name;
    struct workload workload;
    void *self; /* handed to the functions below */
    /* Memory of a buffer, for the host to read (`is_write` false) or fill; `release` ends it, may be NULL. */
    void *(*map)(void *self, size_t buffer, bool is_write);
    void (*release)(void *self, size_t buffer, void *data);
    /* Runs the kernel to its end. False when it failed; then `error` says why. */
    bool (*run)(void *self);
    /* Write more members of the answers to the start and to the end, each with a comma before it; may be
     * NULL. */
    void (*describe)(void *self, FILE *out);
    void (*sum_up)(void *self, FILE *out);
    char error[512];
};

/* Plans what the first two arguments say. False, with an answer on standard output, when there is nothing to
 * run. */
bool side_plan(struct side *side, int argc, char **argv);
/* The value of `--NAME VALUE` behind them; `otherwise` when it is not there. */
const char *side_option(int argc, char **argv, const char *name, const char *otherwise);
/* Answers lines until the end of standard input. The exit code of the process. */
int side_serve(struct side *side);
/* Answers that the side cannot work. The exit code of the process. */
int side_fail(const char *why);
/* Now, on a clock that goes on; the process's CPU time. Nanoseconds. */
uint64_t side_now_ns(void);
uint64_t side_cpu_ns(void);
