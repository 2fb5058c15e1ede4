/* A program and its buffers in plain memory, as the tests of this directory and the benchmark need them. */
#pragma once

#include "program/sequence.h"
#include "reference.h"

/* Buffers of a program: `fresh` is what they hold before a run, `data` what the reference works on. */
struct host_buffer {
    void *fresh, *data;
    uint64_t bytes;
};
struct host_program {
    hx_program *program;
    struct host_buffer *buffers;
    struct reference_buffer *views; /* the same for the reference, at addresses far apart */
};

/* Fills the buffers of a loaded program. False when there is no memory or a fill fails (reported in `diag`).
 */
bool host_program_init(struct host_program *host, hx_program *program, hx_diag *diag);
/* Leaves the program itself alone; half-built ones are fine. */
void host_program_done(struct host_program *host);
/* Puts the fresh contents back. */
void host_program_reset(struct host_program *host);
/* The program's launches in order, over the buffers' data; sequence_done it. False when there is no memory.
 */
bool host_program_sequence(struct host_program *host, struct sequence *ret_sequence);
/* A launch of one step of the program's sequence. */
struct reference_launch host_program_launch(const struct host_program *host, const struct launch_step *step);
