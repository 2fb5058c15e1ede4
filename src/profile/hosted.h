/* Where a kernel's bytes come from on this machine, for its rooflines: the host's caches, in the counted
 * pass. */
#pragma once

#include "profile/build.h"
#include "profile/profile.h"

/* Before a launch of the counted pass, behind modelled_launch_begin; nothing without peaks. The launch then
 * has one worker. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status hosted_launch_begin(hx_profile *profile, hx_buffer *const *buffers, size_t count,
                                            hx_launch_options *options, hx_diag *diag,
                                            struct profile_step *step);
/* After it: adds the bytes to the kernel. */
void hosted_launch_end(hx_profile *profile, const struct profile_step *step);

/* The level whose bandwidth allows the fewest operations a second, of those that gave any bytes. */
struct hosted_roof {
    hx_host_level level; /* HX_HOST_LEVELS: no level gave any byte */
    double flops;        /* a second; infinite then */
};
struct hosted_roof hosted_roof(const hx_profile *profile, const struct profile_kernel *kernel);
/* Operations a second that the bandwidth of a level allows; infinite where no byte came from it. */
double hosted_level_roof(const hx_profile *profile, const struct profile_kernel *kernel, hx_host_level level);
