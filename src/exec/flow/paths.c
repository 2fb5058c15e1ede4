/* The path table.
 *
 * Takes the sets of lanes and their targets from flow handlers, chooses which path runs next. The rule (see
 * execution.md) is: the deepest call first, then the lowest program counter. So a path that skipped some code
 * waits behind it for the paths that are still in it, and they reconverge there. A path that has used up its
 * backward jumps gives the others a turn: the one that waited longest runs, wherever it is. This lets a lane
 * release a lock on which its neighbours spin. */
#include "exec/flow/paths.h"

#include "base/random.h"
#include "exec/fast/fast.h"
#include "exec/flow/cuts.h"
#include "exec/flow/flow.h"
#include "exec/flow/schedule.h"

#include <string.h>

#define ANY_PATH_EVERY    3 /* rarely enough that paths still meet */
#define LATEST_PATH_EVERY 4

/* Of paths at an instruction of warps, those that need not wait there do not wait for the others. */
static bool same_place(const struct path *a, const struct path *b)
{
    return a->pc == b->pc && a->depth == b->depth && a->state == b->state && a->barrier == b->barrier &&
           a->together == b->together && a->meeting == b->meeting && a->is_known == b->is_known;
}

static void lanes_unite(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < GANG_CHUNKS_MAX; i++)
        to[i] |= from[i];
}

void paths_start(struct gang_state *state)
{
    state->path_count = 1;
    state->running = 0;
    state->turn = 0;
    state->rotate = false;
    state->has_parted = false;
    state->is_cut = false;
    state->is_step = false;
    state->fuel = 0; /* a whole turn: whose block was in this slot before is a matter of time */
    state->paths[0] = (struct path){0};
    converge_start(state);
    compact_start(state);
    memcpy(state->paths[0].lanes, state->exists, sizeof state->exists);
}

void paths_add(struct gang_state *state, const uint64_t *lanes, uint32_t pc, uint32_t depth)
{
    struct path path = {.pc = pc, .depth = (uint16_t)depth, .state = PATH_READY, .turn = state->turn};
    memcpy(path.lanes, lanes, sizeof path.lanes);
    for (uint32_t i = 0; i < state->path_count; i++) {
        if (i != state->running && same_place(&state->paths[i], &path)) {
            lanes_unite(state->paths[i].lanes, lanes);
            return;
        }
    }
    state->paths[state->path_count++] = path;
}

void paths_remove_running(struct gang_state *state)
{
    state->paths[state->running] = state->paths[--state->path_count];
    state->running = UINT32_MAX;
}

static void merge(struct gang_state *state)
{
    for (uint32_t i = 0; i + 1 < state->path_count; i++)
        for (uint32_t j = i + 1; j < state->path_count;) {
            if (same_place(&state->paths[i], &state->paths[j])) {
                lanes_unite(state->paths[i].lanes, state->paths[j].lanes);
                if (state->paths[j].turn > state->paths[i].turn)
                    state->paths[i].turn = state->paths[j].turn;
                state->paths[j] = state->paths[--state->path_count];
            } else {
                j++;
            }
        }
}

static struct path *latest(struct gang_state *state)
{
    struct path *best = &state->paths[0];
    for (uint32_t i = 1; i < state->path_count; i++)
        if (state->paths[i].turn > best->turn)
            best = &state->paths[i];
    return best;
}

/* With a seed, now and then: any path that can run; where turns are cut, often the one that ran last, so that
 * it gets ahead of the others. NULL: the rule decides. */
static struct path *pick_any(struct gang_state *state)
{
    const struct launch *launch = gang_launch(state);
    const uint64_t seed = launch->options.seed;
    if (!seed || state->rotate || state->path_count < 2)
        return NULL;
    const uint64_t drawn =
        random_seed(random_seed(seed, state->block->number, state->number), 0, state->turn);
    struct path *path = drawn % ANY_PATH_EVERY == 0 ? &state->paths[(drawn >> 8) % state->path_count]
                        : launch->cuts && drawn % LATEST_PATH_EVERY ? latest(state)
                                                                    : NULL;
    return path && path->state == PATH_READY ? path : NULL;
}

/* The one that the rule decides for, which is `best`; or `any`, if the schedule takes that. */
static struct path *pick_drawn(const struct gang_state *state, struct path *any, struct path *best)
{
    if (any == best)
        return best;
    const struct schedule_offer offer = {.kind = HX_DECISION_PICK,
                                         .block = state->block->number,
                                         .number = state->number,
                                         .turn = state->turn,
                                         .state = state,
                                         .lanes = any->lanes,
                                         .instruction = ops_of(state)[any->pc].instruction};
    return schedule_takes(gang_launch(state), &offer) ? any : best;
}

static struct path *pick(struct gang_state *state)
{
    struct path *any = pick_any(state), *best = NULL;
    if (any && !gang_launch(state)->options.schedule)
        return any;
    for (uint32_t i = 0; i < state->path_count; i++) {
        struct path *path = &state->paths[i];
        if (path->state != PATH_READY)
            continue;
        if (!best || (state->rotate ? path->turn < best->turn : path_runs_before(path, best)))
            best = path;
    }
    state->rotate = false;
    return any ? pick_drawn(state, any, best) : best;
}

/* The instruction behind the path's. */
static uint32_t next_place(const struct gang_state *state, const struct path *path)
{
    const struct op *ops = gang_launch(state)->bound->ops;
    uint32_t at = path->pc + 1;
    while (!(ops[at].flags & MICRO_FIRST))
        at++;
    return at;
}

/* A path must stop where the next one of its depth waits, to meet it there: also behind an instruction of
 * warps at which another one stands that still has to wait. */
static const struct op *find_limit(const struct gang_state *state, const struct path *path)
{
    const struct op *ops = gang_launch(state)->bound->ops;
    uint32_t limit = UINT32_MAX;
    if (state->path_count == 1)
        return state->gang.stop;
    for (uint32_t i = 0; i < state->path_count; i++) {
        const struct path *other = &state->paths[i];
        if (other->state != PATH_READY || other->depth != path->depth || other->pc < path->pc)
            continue;
        const bool is_here = other->pc == path->pc;
        const uint32_t meets = is_here ? next_place(state, path) : other->pc;
        if (!is_here || other->together != path->together) /* else cuts have parted them */
            limit = meets < limit ? meets : limit;
    }
    return limit == UINT32_MAX ? state->gang.stop : ops + limit;
}

/* A block begins: its gang's only path has all threads, and stands at the beginning of the converged code. */
static bool choose_first(struct gang_state *state, const struct op **ret_from, const struct op **ret_limit,
                         bool *ret_full)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    if (state->turn != 0 || !state->is_converged || bound->lowered->has_warp_ops)
        return false;
    state->paths[0].turn = state->turn = 1;
    compact_run(state);
    *ret_from = bound->ops + bound->converged_at;
    *ret_limit = state->gang.stop;
    *ret_full = true;
    return true;
}

bool paths_choose(struct gang_state *state, const struct op **ret_from, const struct op **ret_limit,
                  bool *ret_full)
{
    if (choose_first(state, ret_from, ret_limit, ret_full))
        return true;
    if (state->path_count > 1)
        merge(state);
    if (gang_launch(state)->bound->lowered->has_warp_ops && warps_wake(state))
        merge(state);
    if (state->is_converged)
        converge_part(state);
    struct path *path = pick(state);
    if (!path)
        return false;
    const bool cuts = gang_launch(state)->cuts;
    state->running = (uint32_t)(path - state->paths);
    path->turn = ++state->turn;
    if (cuts)
        cuts_part(state);
    compact_run(state);
    *ret_from = gang_launch(state)->bound->ops + path->pc;
    *ret_limit = find_limit(state, path);
    if (cuts)
        *ret_limit = cuts_limit(state, *ret_from, *ret_limit);
    *ret_full = state->gang.is_whole && !path->meeting;
    if (*ret_full && converge_enter(state))
        *ret_from = gang_launch(state)->bound->ops + path->pc;
    return true;
}

void paths_release(struct gang_state *state, unsigned id)
{
    for (uint32_t i = 0; i < state->path_count; i++) {
        struct path *path = &state->paths[i];
        if (path->state == PATH_AT_BARRIER && path->barrier == id) {
            path->state = PATH_READY;
            path->barrier = 0;
        }
    }
}
