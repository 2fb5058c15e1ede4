/* Micro-ops that are done in one go, against the same instructions one by one: a launch that reports each
 * issue fuses none, and gangs of a single lane have no groups. Random programs, results and counts. */
#pragma once

#include "converge_unit.h"
#include "exec/watch.h"

static uint32_t random_state;

static inline uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Mostly numbers whose sums stay small; NaNs of all kinds, infinities, subnormals, zeros. */
static inline uint32_t draw_float(void)
{
    static const uint32_t special[] = {0x7fc00000, 0x7f800001, 0xffc12345, 0x7fffffff, 0x7f800000,
                                       0xff800000, 0,          0x80000000, 1,          0x807fffff,
                                       0x7f7fffff, 0x00800000, 0xff7fffff};
    const float number = (float)draw(1 << 20) / (1 << 16) - 8;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return draw(200) < 2 ? special[draw(HX_COUNT_OF(special))] : bits;
}

static const uint32_t gangs[] = {0, 80, 16, 48, 64, 128, 200}; /* the first two at all levels */

/* FOLLOWED: plain code, of which a listener wants the first micro-op of each gang, and no more */
enum way { LANE_BY_LANE, ONE_BY_ONE, SAMPLED, FOLLOWED, COUNTED, PLAIN };

static inline void ignore_issue(void *user, const hx_issue_event *event)
{
    (void)user, (void)event;
}
static inline void ignore_sample(void *user, const hx_sample_event *event)
{
    (void)user, (void)event;
}

static inline void follow_no_more(void *user, const hx_micro_op_event *event)
{
    (void)user;
    event->state->block->gangs[event->state->number].followed = 0;
}

static inline hx_status run(struct exec_unit *unit, enum way way, const struct shape *shape, uint32_t gang)
{
    const hx_listener listener = {.size = sizeof listener,
                                  .events = way == ONE_BY_ONE ? HX_EVENT_ISSUE
                                            : way == FOLLOWED ? HX_EVENT_MICRO_OP
                                                              : HX_EVENT_SAMPLE,
                                  .issue = ignore_issue,
                                  .sample = ignore_sample,
                                  .micro_op = follow_no_more};
    const hx_listener *const listeners[] = {&listener};
    unit->options.listeners = listeners;
    unit->options.listener_count = way >= ONE_BY_ONE && way <= FOLLOWED;
    unit->options.counts = way != PLAIN;
    unit->options.gang_lanes = way == LANE_BY_LANE ? 1 : gang;
    unit->options.workers = 1;
    unit->options.block[1] = shape->y;
    unit->options.block[2] = shape->z;
    return exec_unit_launch(unit, 2, shape->x);
}

/* All ways of running `text` in two blocks of `shape`: results and counts. x holds `start` before. */
static inline void check_all_ways(const struct text *text, const struct shape *shape, const uint32_t *start,
                                  uint32_t elements, uint32_t seed)
{
    const size_t bytes = elements * sizeof(uint32_t);
    struct exec_unit unit = exec_unit_new(text->at, elements);
    uint32_t *const want = calloc(elements, sizeof *want);
    memcpy(exec_unit_x(&unit), start, bytes);
    ck_assert_int_eq(run(&unit, LANE_BY_LANE, shape, 1), HX_OK);
    memcpy(want, exec_unit_x(&unit), bytes);
    const hx_counts single = unit.result.counts;
    for (size_t level = 0; level < HX_COUNT_OF(levels); level++) {
        if (!use_level(&unit, levels[level]))
            continue;
        const bool is_best = level + 1 == HX_COUNT_OF(levels);
        for (size_t g = 0; g < (is_best ? HX_COUNT_OF(gangs) : 2); g++) {
            hx_counts counts = {0};
            uint32_t lanes = 0;
            for (int way = LANE_BY_LANE; way <= PLAIN; way++) {
                if (way == LANE_BY_LANE && g > 0)
                    continue;
                memcpy(exec_unit_x(&unit), start, bytes);
                ck_assert_int_eq(run(&unit, (enum way)way, shape, gangs[g]), HX_OK);
                for (uint32_t i = 0; i < elements; i++)
                    if (exec_unit_x(&unit)[i] != want[i]) /* each assertion writes to a file */
                        ck_abort_msg("seed %u, %s, gangs of %u, way %d: x[%u] is %x, not %x\n%.3000s", seed,
                                     levels[level], gangs[g], way, i, exec_unit_x(&unit)[i], want[i],
                                     text->at);
                if (way != PLAIN)
                    check_counts(&unit.result.counts, &single, unit.result.gang_lanes);
                if (way == ONE_BY_ONE) {
                    counts = unit.result.counts;
                    lanes = unit.result.gang_lanes;
                }
                /* gangs of several blocks are only counted */
                if (way > ONE_BY_ONE && way != PLAIN && unit.result.gang_lanes == lanes)
                    ck_assert_msg(memcmp(&counts, &unit.result.counts, sizeof counts) == 0,
                                  "seed %u, %s, gangs of %u: counts\n%.3000s", seed, levels[level], gangs[g],
                                  text->at);
            }
        }
    }
    free(want);
    exec_unit_done(&unit);
}
