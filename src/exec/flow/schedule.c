/* Schedules. Takes decisions that a seed drew, leaves which of them are made, and a record of those. */
#include "exec/flow/schedule.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

void schedule_restart(struct hx_schedule *schedule)
{
    schedule->taken.count = 0;
    schedule->offered = 0;
    schedule->awaits_next = false;
}

void schedule_done(struct hx_schedule *schedule)
{
    LIST_DONE(schedule->allocator, &schedule->taken);
}

int schedule_compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool is_listed(const struct hx_schedule *schedule, uint64_t key)
{
    return schedule->listed_count > 0 &&
           bsearch(&key, schedule->listed, schedule->listed_count, sizeof key, schedule_compare_keys);
}

/* Below 2^32, so that tokens stay short: keys of one run that are the same by chance are taken together. */
static uint64_t key_of(const struct launch *launch, const struct schedule_offer *offer)
{
    const uint64_t gang = random_seed(offer->kind + 1, offer->block, offer->number);
    return random_seed(gang, launch->options.launch_id, offer->turn) >> 32;
}

static bool is_wanted(const struct hx_schedule *schedule, hx_decision_kind kind, uint64_t key)
{
    switch (schedule->rule) {
    case SCHEDULE_LISTED:
        return is_listed(schedule, key);
    case SCHEDULE_SOME:
        return kind == HX_DECISION_BLOCKS || kind == HX_DECISION_WIDTH ||
               random_seed(schedule->seed, kind, key) % schedule->one_in == 0;
    default:
        return true;
    }
}

/* The threads of a set of a gang's lanes: the first and the last of them. Returns how many there are. */
static uint32_t note_threads(const struct gang_state *state, const uint64_t *lanes, uint32_t *ret_threads)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < state->gang.chunks * LANES_PER_CHUNK; lane++) {
        if (!(lanes[lane / LANES_PER_CHUNK] >> lane % LANES_PER_CHUNK & 1))
            continue;
        if (count++ == 0)
            ret_threads[0] = gang_thread(state, lane);
        ret_threads[1] = gang_thread(state, lane);
    }
    return count;
}

static void record(struct hx_schedule *schedule, const struct launch *launch,
                   const struct schedule_offer *offer, uint64_t key)
{
    hx_decision decision = {.kind = offer->kind,
                            .key = key,
                            .launch = launch->options.launch_id,
                            .block = offer->block,
                            .kernel = launch->bound ? launch->bound->lowered->kernel->index : 0,
                            .instruction = offer->instruction};
    if (offer->lanes)
        decision.thread_count = note_threads(offer->state, offer->lanes, decision.threads);
    if (schedule->taken.count >= SCHEDULE_DECISIONS_MAX)
        return;
    if (!LIST_PUSH(schedule->allocator, &schedule->taken, decision))
        schedule->lacks_memory = true;
    schedule->awaits_next = true;
}

bool schedule_takes(const struct launch *launch, const struct schedule_offer *offer)
{
    struct hx_schedule *schedule = launch->options.schedule;
    if (!schedule)
        return true;
    const uint64_t key = key_of(launch, offer);
    schedule->offered++;
    if (!is_wanted(schedule, offer->kind, key))
        return false;
    record(schedule, launch, offer, key);
    return true;
}

void schedule_turn(const struct gang_state *state, const uint64_t *lanes, uint32_t instruction)
{
    struct hx_schedule *schedule = gang_launch(state)->options.schedule;
    if (!schedule || !schedule->awaits_next)
        return;
    hx_decision next = {.has_next = 1, .next_block = state->block->number, .next_instruction = instruction};
    next.next_thread_count = note_threads(state, lanes, next.next_threads);
    for (size_t i = schedule->taken.count; i > 0 && !schedule->taken.items[i - 1].has_next; i--) {
        hx_decision *decision = &schedule->taken.items[i - 1];
        if (decision->kind == HX_DECISION_CUT && decision->block == next.next_block &&
            decision->threads[0] == next.next_threads[0] && decision->threads[1] == next.next_threads[1])
            return; /* they go on themselves: who goes on instead is not known yet */
        decision->has_next = 1;
        decision->next_block = next.next_block;
        decision->next_instruction = instruction;
        decision->next_thread_count = next.next_thread_count;
        memcpy(decision->next_threads, next.next_threads, sizeof decision->next_threads);
    }
    schedule->awaits_next = false;
}
