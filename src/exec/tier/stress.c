/* See stress.h. */
#include "exec/tier/stress.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define STRESS_SETTING "HEXEC_TIER_STRESS"
#define FEW_JUMPS      4

uint64_t stress_seed(void)
{
    const char *asked = getenv(STRESS_SETTING);
    return asked ? strtoull(asked, NULL, 10) : 0;
}

static uint64_t draw(struct worker *worker)
{
    return random_seed(worker->launch->tier_stress, worker->number, worker->tier_draws++);
}

bool stress_says(struct worker *worker, uint32_t one_in)
{
    return worker->launch->tier_stress && draw(worker) % one_in == 0;
}

int32_t stress_begin(struct worker *worker, int32_t *fuel)
{
    const struct launch *launch = worker->launch;
    if (!launch->tier_stress)
        return 0;
    if (stress_says(worker, 4))
        memset(worker->windows, 0, launch->bound->window_slots * sizeof *worker->windows);
    const int32_t few = 1 + (int32_t)(draw(worker) % FEW_JUMPS);
    if (*fuel <= few || stress_says(worker, 2))
        return 0;
    const int32_t held = *fuel - few;
    *fuel = few;
    return held;
}
