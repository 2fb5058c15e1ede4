/* The tables of the binary form, which the files binary*.c share: a function appends an entry, or takes one
 * and checks what can be checked when it is read. */
#pragma once

#include "asm/stream.h"

#define BINARY_VERSION 1u /* of a program without what the next version adds */

/* The least that an entry takes. */
#define PARAM_BYTES 6u
#define ARRAY_BYTES 6u
#define STEP_BYTES  16u
#define LOOP_BYTES  14u

/* Of what stands in tables no more is known than the file it is in. */
struct place visit_nowhere(const struct stream *stream);

void visit_param(struct stream *stream, struct program_param *param);
void visit_buffer(struct stream *stream, struct array *array);
void visit_constant(struct stream *stream, struct array *array);
void visit_shared(struct stream *stream, struct array *array);
void visit_local(struct stream *stream, struct array *array);
/* What an address leads to, which is checked when all arrays are there. */
void visit_target(struct stream *stream, struct address_target *target);
void visit_step(struct stream *stream, struct launch_step *step);
void visit_loop(struct stream *stream, struct run_loop *loop);

/* When all is read: loops lie in each other or apart, outer ones first, and not too deep; addresses lead to
 * what there is, from where they have room. */
void visit_check_loops(struct stream *stream);
void visit_check_addresses(struct stream *stream);
