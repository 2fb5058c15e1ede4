/* Exploring orders: a program runs in many orders that a GPU could take, and what it leaves is compared.
 *
 *     hx_explore_options wanted = {.size = sizeof wanted, .schedules = 500};
 *     hx_exploration *exploration;
 *     hx_status status = hx_explore(context, &wanted, diag, &exploration);
 *     // HX_MISMATCH: the results hang on the order; diag says where, and hx_exploration_token runs it again
 *     hx_exploration_free(exploration);
 *
 * Runs are those of the interpreter with one worker: threads see each other's stores in the order in which
 * they were made (sequential consistency). What weaker memory allows besides is not shown. */
#pragma once

#include "hexec/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hx_decision_kind {
    HX_DECISION_BLOCKS, /* blocks start in an order that was drawn */
    HX_DECISION_WIDTH,  /* gangs have a width that was drawn */
    HX_DECISION_GANGS,  /* the gangs of a block take turns in an order that was drawn */
    HX_DECISION_YIELD,  /* the block waits while other blocks go on */
    HX_DECISION_PICK,   /* these threads of a gang go on first */
    HX_DECISION_CUT,    /* these threads stop before an instruction */
    HX_DECISION_PART    /* these threads stay behind others of their gang */
} hx_decision_kind;

/* One decision in which an order differs from the natural one: blocks one after another, the gangs of a block
 * in turn, each until its threads wait. */
typedef struct hx_decision {
    hx_decision_kind kind;
    uint64_t key;
    uint32_t launch, kernel;    /* launch: from 0; kernel: index in the program */
    uint64_t block;             /* linear number */
    uint32_t threads[2];        /* the first and the last of them, linear numbers in the block */
    uint32_t thread_count;      /* there may be others between these; 0: it is about none */
    uint32_t instruction;       /* index in the kernel's code */
    int has_next;               /* not 0: who goes on then is known: */
    uint64_t next_block;        /* ... where, */
    uint32_t next_threads[2];   /* ... which threads, */
    uint32_t next_thread_count; /* ... how many, */
    uint32_t next_instruction;  /* ... and from which instruction on */
} hx_decision;

typedef struct hx_explore_options {
    size_t size;               /* sizeof (hx_explore_options) */
    const hx_run_options *run; /* how each run is done; its seed is the first one that is drawn from, its
                                  checks follow the last run alone. NULL: as the program says */
    uint64_t schedules;        /* orders to try, besides the natural one; 0: 100 */
} hx_explore_options;

/* What the runs left. Constant. */
typedef struct hx_exploration hx_exploration;

/* Runs the context's program in the natural order and in `schedules` others, and compares the buffers. The
 * first order whose result differs is reduced to the fewest decisions that make a difference, and is the last
 * run, whose buffers stay. A program with `outcomes` may have any results, but none that is forbidden, and
 * each that is required. A result that differs in bits and meets the program's `expect` is no difference.
 * *ret_exploration is given (hx_exploration_free) for HX_OK and HX_MISMATCH: results hang on the order, or an
 * outcome is forbidden or missing; `diag` says which. Errors: what hx_context_run returns in the natural
 * order, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_explore(hx_context *context, const hx_explore_options *options,
                                          hx_diag *diag, hx_exploration **ret_exploration);
HX_API void hx_exploration_free(hx_exploration *exploration);
/* What hx_run_options.replay takes to do the reduced order again; "" when no order differs. */
HX_API const char *hx_exploration_token(const hx_exploration *exploration);
/* Orders that were tried, the natural one among them; *ret_results: how many results they had. */
HX_API uint64_t hx_exploration_runs(const hx_exploration *exploration, uint64_t *ret_results);
/* The decisions of the reduced order; NULL beyond the last. */
HX_API const hx_decision *hx_exploration_decision(const hx_exploration *exploration, size_t index);
/* How many orders gave an outcome of the program; its name is NULL beyond the last. */
typedef struct hx_outcome_count {
    const char *name;
    const char *is; /* "forbidden", "required" or "counted" */
    uint64_t runs;
} hx_outcome_count;
HX_API hx_outcome_count hx_exploration_outcome(const hx_exploration *exploration, size_t index);
/* The result of the last run. */
HX_API const hx_run_result *hx_exploration_result(const hx_exploration *exploration);
/* Writes it as a few lines of text, or as a JSON object. HX_NO_MEMORY, or what `write` returned. */
HX_API HX_MUST_CHECK hx_status hx_exploration_print(const hx_exploration *exploration, int json,
                                                    hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
