/* The compiled tier, as the rest of exec uses it. */
#pragma once

#include "exec/gang.h"
#include "exec/tier/tier.h"

struct hx_kernel;

/* Compiled code of one kernel, kept as long as the kernel is. NULL is fine for tier_free. */
struct tier;
void tier_free(struct tier *tier);

/* Should the launch be tried compiled? If not, or later, launch->why_interpreted says why. After grid_check
 * and choose_driver. */
bool tier_wants(struct launch *launch);
/* Compiles the kernel if that has not been done, for `bound`: gangs of at most TIER_LANES, without converged
 * code, nothing fused. launch->tier is set if it works. */
void tier_choose(struct launch *launch, const struct hx_kernel *kernel, const struct bound_kernel *bound);
/* Why a launch cannot be compiled, of what it wants; NULL: it can. After choose_driver. */
const char *tier_hinders(const struct launch *launch);
/* As tier_choose, and gives the code; NULL: there is none. Any thread; may take long. */
const struct tier_kernel *tier_compile(const struct launch *launch, const struct hx_kernel *kernel,
                                       const struct bound_kernel *bound);
/* Has the kernel been compiled, for whatever launches? Then tier_find says what there is for this one: true,
 * and code or, if there can be none, NULL. Neither waits. */
bool tier_has_code(const struct hx_kernel *kernel);
bool tier_find(const struct launch *launch, const struct hx_kernel *kernel, const struct bound_kernel *bound,
               const struct tier_kernel **ret_code);
/* Gives workers what compiled code counts into. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status tier_init_worker(struct worker *worker, struct arena *arena, hx_diag *diag);
/* What compiled code counted by blocks becomes counts of instructions. */
void tier_add_counts(struct worker *worker);
/* The instructions of the block from the step on have been counted with the block, and will be once more. */
void tier_uncount_step(const struct worker *worker, const struct tier_frame *frame);
/* The block that micro-op `op` is in. */
uint32_t tier_block_of(const struct tier_kernel *kernel, uint32_t op);
/* Runs a block that begins, all gangs from barrier to barrier, as long as each gang gets to its end or to a
 * barrier for the whole block in a few turns. */
enum tier_outcome {
    TIER_FINISHED, /* the block is done */
    TIER_GOES_ON,  /* block_run goes on with its paths */
    TIER_STOPPED   /* a fault, or the launch was stopped */
};
enum tier_outcome tier_run_block(struct block *block);
/* The same for a block that block_start_straight has begun: true when it is done. Else tier_run_block goes on
 * with it. */
bool tier_run_straight(struct block *block);
/* May the launch's blocks run so? */
bool tier_may_run_straight(const struct launch *launch);
/* Does all that is left of the gang stand where compiled code can be entered? */
bool tier_is_whole(const struct gang_state *state);
/* Takes the place of the driver: runs the gang's paths compiled, or the chosen one for an instruction or more
 * interpreted. */
const struct op *tier_drive(struct gang_state *state, const struct op *from, const struct op *limit,
                            bool full);
/* Binds the kernel as compiled code wants it, for blocks of `threads`; 0 for gang_lanes and warp_size is what
 * launches take then. *ret_bound lives in `arena`. Errors as bind_kernel. */
HX_MUST_CHECK hx_status tier_bind(const struct hx_kernel *kernel, uint32_t gang_lanes, uint32_t threads,
                                  int level, uint32_t warp_size, struct arena *arena, hx_diag *diag,
                                  const struct bound_kernel **ret_bound);
/* The shape that code for such blocks is made for: blocks along x alone have the same code whatever their
 * size. */
void tier_shape(const uint32_t *block, uint32_t *ret_block);
/* Appends what compiled code of request->bound is, as LLVM prints it. False: `why` says why not. */
bool tier_list(const struct tier_request *request, enum tier_listing what, struct text *ret_text, char *why);
/* Can this build and machine compile? If not, `why` says so in one line (TIER_WHY_BYTES). */
bool tier_is_there(char *why);
