/* Exploring orders, from the inside: explore.c runs, explore_print.c tells. */
#pragma once

#include "api/context.h"
#include "exec/flow/schedule.h"
#include "hexec/explore.h"
#include "program/program.h"

struct hx_exploration {
    const hx_allocator *allocator;
    struct arena arena;
    uint64_t runs, at_fault;
    LIST(uint64_t) results; /* hashes of those that are different */
    hx_decision *decisions;
    const char **lines; /* of each decision, in words */
    size_t decision_count;
    hx_outcome_count *outcomes;
    size_t outcome_count;
    hx_run_result result;
    char token[HX_REPLAY_TOKEN_BYTES];
};

/* While it goes on. */
struct exploring {
    hx_context *context;
    const hx_explore_options *options;
    hx_diag *diag, *said; /* said: of the run that goes on */
    hx_exploration *exploration;
    struct hx_schedule schedule;
    uint64_t first_seed, seed;
    hx_status status;    /* of the last run */
    uint8_t *natural;    /* all buffers, as the natural order leaves them */
    size_t fault;        /* what is reduced: see find_fault; 0: nothing was at fault */
    LIST(uint64_t) keys; /* of the order at fault */
    uint64_t *sorted, *rest;
};

/* "block 0: threads 0 to 31 stop before line 12; then block 1, threads 0 to 31, from line 9 on". */
void explore_print_decision(const hx_program *program, const hx_decision *decision, char *text, size_t bytes);
/* Keeps the words of all decisions. */
void explore_describe(const hx_program *program, hx_exploration *exploration);
