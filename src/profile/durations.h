/* Times of instructions: what timed passes sampled of them, batch by batch, and what follows for one run. */
#pragma once

#include "profile/build.h"
#include "profile/profile.h"

/* Before the first launch of a timed pass: which batch it belongs to. */
void durations_begin_pass(hx_profile *profile);
/* After a launch of a timed pass: takes kernel->timing, and zeroes it. */
void durations_take_launch(const hx_profile *profile, struct profile_kernel *kernel);

/* When all passes are done: the times of all kernels' instructions, in kernel->instruction_measures, which
 * are made; sets profile->choice and profile->time_scale. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status durations_finish(hx_profile *profile, hx_diag *diag);
/* Of a measure whose time and deviations are sums over instructions. */
struct interval durations_interval(const hx_profile *profile, const struct measure *measure);
/* Its share of the time of `whole`, of which it is a part. */
struct interval durations_share(const hx_profile *profile, const struct measure *part,
                                const struct measure *whole);
