/* Replay tokens: what a run with a seed was made of, in one word. */
#pragma once

#include "exec/flow/schedule.h"
#include "hexec/hexec.h"

#define REPLAY_KEYS_MAX 20 /* decisions that a token names */

/* Which decisions a token takes. It borrows itself: it must stay where it is. */
struct replay_order {
    struct hx_schedule schedule;
    uint64_t keys[REPLAY_KEYS_MAX];
    bool has_schedule; /* false: all */
};
/* The seed in a token. HX_INVALID when it is none. */
HX_MUST_CHECK hx_status replay_seed(const char *token, hx_diag *diag, uint64_t *ret_seed,
                                    struct replay_order *order);
/* Adds to a token which decisions a schedule takes. */
void replay_add_decisions(const struct hx_schedule *schedule, char token[HX_REPLAY_TOKEN_BYTES]);
/* Writes the token of a run that is about to begin: its program, instruction set, parameters, shape, and what
 * its buffers hold now. */
void replay_token(hx_context *context, const hx_run_options *options, uint64_t seed,
                  char token[HX_REPLAY_TOKEN_BYTES]);
/* The checksum of what a run's options give it and of what its buffers hold now. */
uint32_t replay_inputs(hx_context *context, const hx_run_options *options);
/* HX_INVALID, with what differs, unless both tokens tell of the same run. */
HX_MUST_CHECK hx_status replay_compare(const hx_program *program, const char *asked, const char *now,
                                       hx_diag *diag);
