/* Cuts: an order that a GPU could take, and that finds races.
 *
 * Takes a launch's seed, leaves the width of its gangs, the places where turns end, and paths that part where
 * no branch parts them. Gangs that hold the whole block do each instruction for all threads before the next
 * one, which is what a barrier is there for: without the barrier the results are the same. A GPU promises no
 * such thing. It may run the warps of a block in any order and stop each behind any instruction; since Volta
 * so it may the threads of a warp ("Independent Thread Scheduling" in the CUDA C++ Programming Guide). So a
 * gang here is at most half of the block, a turn ends behind a drawn number of instructions, and now and then
 * some lanes of a path stay behind the others. All of it is drawn from the seed, the launch, the block, the
 * gang and its turn: it does not depend on workers or on time.
 *
 * Only plain code (lower_kernel_plain) may be cut anywhere. */
#include "exec/flow/cuts.h"

#include "base/random.h"
#include "exec/flow/flow.h"
#include "exec/flow/paths.h"
#include "exec/flow/schedule.h"
#include "lower/micro_op.h"

/* Parts of the seed; those below are of random_order and paths.c. */
enum { PART_WIDTH = 100, PART_TURN, PART_LANES };

/* So that a block of 1,024 threads needs no more gangs than it has warps. */
#define GANGS_MOST 32
/* One turn in so many is not cut; paths part in one of so many. */
#define WHOLE_EVERY 4
#define PART_EVERY  2
/* A gang with more paths does not part them: each costs as much as the whole gang. */
#define PATHS_MOST 4
/* A turn has at most so many instructions, drawn so that short and long ones are as frequent. */
#define STEPS_LOG2 6
/* In orders that are explored turns have up to 2^0 to 2^4 accesses to memory instead, drawn for each launch:
 * what matters to others happens there. */
#define ACCESSES_LOG2 5

static uint64_t draw_launch(const struct launch *launch, unsigned part)
{
    return random_seed(launch->options.seed, part, launch->options.launch_id);
}

static uint64_t draw_turn(const struct gang_state *state, unsigned part)
{
    const uint64_t gang = random_seed(gang_launch(state)->cut_seed, state->block->number, state->number);
    return random_seed(gang, part, state->turn);
}

/* ---- Widths -------------------------------------------------------------------------------------------- */

static bool reads_active_lanes(const struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (instruction_semantic(&kernel->code[i]) == SEM_active_mask)
            return true;
    return false;
}

/* Whole warps mostly: lanes of one warp part by cuts_part, too. A block of one warp has narrower gangs,
 * unless its lanes exchange values. */
static uint32_t draw_width(const struct launch *launch, bool has_warp_ops)
{
    const uint64_t drawn = draw_launch(launch, PART_WIDTH);
    const uint32_t threads = (uint32_t)launch->threads_per_block, warp = launch->options.warp_size;
    const uint32_t half = (threads + 1) / 2, least = (threads + GANGS_MOST - 1) / GANGS_MOST;
    const bool any_width = !has_warp_ops && (threads <= warp || drawn % 2 == 0);
    const uint32_t unit = any_width ? 1 : warp;
    const uint32_t units = half > GANG_LANES_MAX ? GANG_LANES_MAX / unit : (half + unit - 1) / unit;
    const uint32_t width = unit * (uint32_t)(1 + (drawn >> 8) % units);
    return width < least ? (least + unit - 1) / unit * unit : width;
}

void cuts_choose(struct launch *launch, const struct lowered_kernel *lowered)
{
    hx_launch_options *options = &launch->options;
    launch->cuts = options->seed != 0 && options->turns == HX_TURNS_LONG;
    if (!launch->cuts)
        return;
    launch->cut_seed = draw_launch(launch, PART_TURN);
    launch->cut_lanes = reads_active_lanes(lowered->kernel) ? options->warp_size : 1;
    const struct schedule_offer offer = {.kind = HX_DECISION_WIDTH};
    if (options->gang_lanes == 0 && schedule_takes(launch, &offer))
        options->gang_lanes = draw_width(launch, lowered->has_warp_ops);
}

/* Is a decision about a gang's lanes made as it was drawn? */
static bool takes(const struct gang_state *state, hx_decision_kind kind, const uint64_t *lanes,
                  const struct op *at)
{
    const struct schedule_offer offer = {.kind = kind,
                                         .block = state->block->number,
                                         .number = state->number,
                                         .turn = state->turn,
                                         .state = state,
                                         .lanes = lanes,
                                         .instruction = at->instruction};
    return schedule_takes(gang_launch(state), &offer);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static uint64_t spread_unit(const struct launch *launch, uint64_t bits)
{
    const uint32_t unit = launch->cut_lanes;
    const uint64_t one = unit == LANES_PER_CHUNK ? UINT64_MAX : (UINT64_C(1) << unit) - 1;
    uint64_t lanes = 0;
    for (uint32_t at = 0; at < LANES_PER_CHUNK; at += unit)
        lanes |= bits >> at & 1 ? one << at : 0;
    return lanes;
}

/* Lanes that part from the others: those below one of them, or any. */
static uint64_t draw_lanes(const struct gang_state *state, uint64_t drawn, uint32_t chunk)
{
    const struct launch *launch = gang_launch(state);
    const uint32_t unit = launch->cut_lanes, first = chunk * LANES_PER_CHUNK;
    const uint32_t units = (state->gang.lanes + unit - 1) / unit;
    if (drawn & 1)
        return spread_unit(launch, random_seed(drawn, PART_LANES, chunk));
    const uint32_t end = unit * (uint32_t)((drawn >> 1) % units);
    return end <= first                     ? 0
           : end - first >= LANES_PER_CHUNK ? UINT64_MAX
                                            : (UINT64_C(1) << (end - first)) - 1;
}

void cuts_part(struct gang_state *state)
{
    struct path *path = &state->paths[state->running];
    const uint64_t drawn = draw_turn(state, PART_LANES);
    /* lanes that have waited for each other do what they waited for together */
    if (drawn % PART_EVERY != 0 || path->together || state->path_count >= PATHS_MOST)
        return;
    struct path stays = *path, goes = *path;
    uint64_t some_stay = 0, some_go = 0;
    const uint64_t others = drawn >> 8 & 1 ? UINT64_MAX : 0;
    for (uint32_t chunk = 0; chunk < state->gang.chunks; chunk++) {
        const uint64_t lanes = others ^ draw_lanes(state, drawn >> 9, chunk);
        some_go |= goes.lanes[chunk] &= lanes;
        some_stay |= stays.lanes[chunk] &= ~lanes;
    }
    if (!some_stay || !some_go || !takes(state, HX_DECISION_PART, stays.lanes, ops_of(state) + path->pc))
        return;
    *path = goes;
    state->paths[state->path_count++] = stays;
}

/* ---- Turns --------------------------------------------------------------------------------------------- */

static uint64_t draw_steps(uint64_t drawn)
{
    return 1 + (drawn >> 16) % (UINT64_C(2) << (drawn >> 8) % STEPS_LOG2);
}

static const struct op *after_steps(const struct op *from, const struct op *limit, uint64_t steps)
{
    while (from < limit && steps > 0)
        steps -= ++from < limit && (from->flags & MICRO_FIRST);
    return from;
}

/* Before the next access to memory, when so many are done. */
static const struct op *after_accesses(const struct gang_state *state, const struct op *from,
                                       const struct op *limit, uint64_t accesses)
{
    const struct instruction *code = gang_launch(state)->bound->lowered->kernel->code;
    while (from < limit && accesses > 0)
        accesses -= ++from < limit && (from->flags & MICRO_FIRST) &&
                    shape_is_memory(code[from->instruction].opcode->shape);
    return from;
}

const struct op *cuts_limit(struct gang_state *state, const struct op *from, const struct op *limit)
{
    const uint64_t drawn = draw_turn(state, PART_TURN);
    state->is_cut = drawn % WHOLE_EVERY != 0;
    if (!state->is_cut) {
        schedule_turn(state, running_path(state)->lanes, from->instruction);
        return limit;
    }
    const struct launch *launch = gang_launch(state);
    const uint64_t most = UINT64_C(1) << launch->cut_seed % ACCESSES_LOG2;
    const struct op *end = launch->options.schedule
                               ? after_accesses(state, from, limit, 1 + (drawn >> 16) % most)
                               : after_steps(from, limit, draw_steps(drawn));
    const uint64_t *lanes = running_path(state)->lanes;
    schedule_turn(state, lanes, from->instruction);
    state->is_cut = end == limit || takes(state, HX_DECISION_CUT, lanes, end);
    return state->is_cut ? end : limit;
}

bool cuts_give_way(struct gang_state *state)
{
    const uint64_t stays_every = gang_launch(state)->options.schedule ? 4 : 2;
    return state->is_cut && draw_turn(state, PART_WIDTH) % stays_every != 1;
}
