/* The host's caches as a part of a profile.
 *
 * Takes the accesses of the counted pass, leaves bytes by level for each kernel. The caches begin with what
 * filling the buffers left in them, as in the runs that are timed, and keep what a launch leaves for the
 * next. */
#include "profile/hosted.h"

#include "costs/levels.h"

#include <math.h>

hx_status hosted_launch_begin(hx_profile *profile, hx_buffer *const *buffers, size_t count,
                              hx_launch_options *options, hx_diag *diag, struct profile_step *step)
{
    if (!profile->peaks.size)
        return HX_OK;
    if (!profile->levels) {
        if (levels_new(&profile->peaks, profile->arena.allocator, &profile->levels) != HX_OK)
            return diag_no_memory(diag);
        for (size_t i = 0; i < count; i++)
            levels_fill(profile->levels, hx_buffer_address(buffers[i]), hx_buffer_bytes(buffers[i]));
    }
    options->workers = 1;
    step->hosting = levels_listener(profile->levels);
    struct exec_listener *last = step->collecting.next ? &step->modelling : &step->collecting;
    last->next = &step->hosting;
    return HX_OK;
}

void hosted_launch_end(hx_profile *profile, const struct profile_step *step)
{
    double bytes[HX_HOST_LEVELS];
    if (!profile->levels)
        return;
    levels_take(profile->levels, bytes);
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        step->kernel->host_bytes[level] += bytes[level];
}

double hosted_level_roof(const hx_profile *profile, const struct profile_kernel *kernel, hx_host_level level)
{
    const hx_host_rate *rate = &profile->peaks.memory[level].rates[HX_HOST_READ];
    const double bytes_a_second = profile->result.workers <= 1 ? rate->one : rate->all;
    const double bytes = kernel->host_bytes[level];
    return bytes > 0 && bytes_a_second > 0 ? kernel->whole.sums.flop_count / bytes * bytes_a_second
                                           : INFINITY;
}

struct hosted_roof hosted_roof(const hx_profile *profile, const struct profile_kernel *kernel)
{
    struct hosted_roof roof = {HX_HOST_LEVELS, INFINITY};
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        const double flops = hosted_level_roof(profile, kernel, (hx_host_level)level);
        if (flops < roof.flops)
            roof = (struct hosted_roof){(hx_host_level)level, flops};
    }
    return roof;
}
