/* The order of a program's launches: its steps with their repeats, in loops that end when a buffer's element
 * is 0 or their passes are done. */
#pragma once

#include "program/limits.h"
#include "program/program.h"

/* Elements of a buffer as they are now, when the launches before are done. */
typedef const void *(*sequence_contents)(void *user, size_t buffer);

struct sequence_loop {
    uint32_t loop; /* index in loops */
    uint32_t pass, passes;
    uint64_t saved; /* the counter's value before the loop */
};

struct sequence {
    const hx_program *program;
    const hx_allocator *allocator;
    sequence_contents contents;
    void *user;
    /* The parameters' bits and then the buffers' addresses, as exec_gather gives them: with the counters of
     * the loops that run, and as the launch takes them that sequence_next gave. */
    uint64_t *values, *taken;
    size_t at;        /* the next step */
    uint32_t left;    /* how often it is still to be launched; 0: it is not begun */
    size_t next_loop; /* the first that begins at `at` or behind */
    unsigned depth;
    struct sequence_loop loops[LIMIT_LOOP_DEPTH]; /* that run, the outer one first */
};

enum sequence_event { SEQUENCE_LAUNCH, SEQUENCE_PASS, SEQUENCE_END };

/* `addresses`: of the program's buffers, copied. All else is borrowed. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status sequence_init(struct sequence *sequence, const hx_program *program,
                                      const uint64_t *addresses, sequence_contents contents, void *user,
                                      const hx_allocator *allocator, hx_diag *diag);
void sequence_done(struct sequence *sequence);
/* From the first step again. */
void sequence_restart(struct sequence *sequence);
/* What comes next: a launch, whose step is *ret_step; the end of a pass of a loop, which a loop without
 * launches has, too; or the end. Warns of a loop whose passes are done before its condition holds.
 * HX_INVALID when an expression has no value. */
HX_MUST_CHECK hx_status sequence_next(struct sequence *sequence, hx_diag *diag,
                                      enum sequence_event *ret_event, const struct launch_step **ret_step);
/* Sets `taken` for a step, outside the order. */
HX_MUST_CHECK hx_status sequence_take(struct sequence *sequence, const struct launch_step *step,
                                      hx_diag *diag);
/* What any values of the parameters leave wrong in loops and settings. HX_INVALID. */
HX_MUST_CHECK hx_status sequence_check(const hx_program *program, hx_diag *diag);
/* Is a parameter's name as the value of another one an expression? Among integers of one type it is; else its
 * bits are the value. */
bool setting_is_expression(enum hx_type from, enum hx_type to);
