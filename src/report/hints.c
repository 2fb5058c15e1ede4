/* Hints: what could be changed to make a kernel faster, in plain words.
 *
 * Takes the measures of lines and kernels, leaves sentences with their figures. A rule checks one thing
 * that costs time on a GPU and reports it above a threshold, which stands in its row;
 * docs/profiling.md lists them. `share` says how much of the kernel it is about, so that the largest comes
 * first. */
#include "report/hints.h"

#include "profile/modelled.h"

#include <stdlib.h>

/* A hint is given from here on: the shares are of what the kernel does of the kind in question. */
#define SHARE_LEAST          0.05
#define COALESCING_POOR      0.6
#define CONFLICT_WAVES       1.25 /* wavefronts for each that would do */
#define DIVERGENCE_SHARE     0.1  /* of a branch's warp issues */
#define DIVERGENCE_POOR      0.9  /* warp execution efficiency */
#define PREDICATED_OFF_SHARE 0.5
#define BARRIER_SHARE        0.2
#define SCHEDULING_SHARE     0.3
#define BALANCE_POOR         0.8
#define GRID_POOR            0.5 /* achieved of the theoretical occupancy */
/* Shorter launches end before all workers have woken, whatever their blocks are like. */
#define LAUNCH_SHORT_NS 1e6

/* What the rules of a kernel read. */
struct look {
    hx_profile *profile;
    const struct profile_kernel *kernel;
    uint32_t number;
    bool failed;
};

#define SENTENCE(look, ...) arena_format(&(look)->profile->arena, __VA_ARGS__)

static void tell(struct look *look, const char *rule, uint32_t line, double share, const char *text)
{
    const hx_profile_hint hint = {
        .kernel = look->number, .line = line, .rule = rule, .text = text, .share = share};
    if (!text || !LIST_PUSH(look->profile->arena.allocator, &look->profile->hints, hint))
        look->failed = true;
}

static void look_at_sectors(struct look *look, const hx_profile_sum *line, const struct sums *sums)
{
    const double all = look->kernel->whole.sums.sectors, share = all > 0 ? sums->sectors / all : 0;
    if (share < SHARE_LEAST || sums->sectors_least > COALESCING_POOR * sums->sectors)
        return;
    tell(look, "uncoalesced", line->line, share,
         SENTENCE(look,
                  "line %u: %.3g sectors of 32 bytes a request, %.3g would do (%.0f %% of the kernel's "
                  "sectors): let "
                  "neighbouring lanes access neighbouring addresses, or go through shared memory",
                  line->line, sums->sectors / sums->global_requests,
                  sums->sectors_least / sums->global_requests, share * 100));
}

static void look_at_banks(struct look *look, const hx_profile_sum *line, const struct sums *sums)
{
    const double all = look->kernel->whole.sums.wavefronts, share = all > 0 ? sums->wavefronts / all : 0;
    if (share < SHARE_LEAST || sums->wavefronts < CONFLICT_WAVES * sums->wavefronts_least)
        return;
    tell(look, "bank-conflicts", line->line, share,
         SENTENCE(
             look,
             "line %u: %.3g passes over the banks of shared memory a request, %.3g would do (%.0f %% of the "
             "kernel's passes): lanes meet in a bank; one more element in each row of the array moves them "
             "apart",
             line->line, sums->wavefronts / sums->shared_requests,
             sums->wavefronts_least / sums->shared_requests, share * 100));
}

static void look_at_branch(struct look *look, const hx_profile_sum *line, const struct sums *sums)
{
    const struct sums *all = &look->kernel->whole.sums;
    const double efficiency = all->standing / (all->warps * all->warp_size),
                 split = sums->branch_warps > 0 ? sums->branch_split / sums->branch_warps : 0;
    if (split < DIVERGENCE_SHARE || !(efficiency < DIVERGENCE_POOR))
        return;
    tell(look, "divergence", line->line, sums->branch_split / all->branch_split * (1 - efficiency),
         SENTENCE(look,
                  "line %u: lanes part at %.0f %% of the warp issues of this branch (%.0f of %.0f), and the "
                  "kernel's "
                  "warps run with %.0f %% of their lanes: let the lanes of a warp agree, or choose values in "
                  "place of ways",
                  line->line, split * 100, sums->branch_split, sums->branch_warps, efficiency * 100));
}

static void look_at_guard(struct look *look, const hx_profile_sum *line, const struct sums *sums)
{
    const double off = sums->standing > 0 ? 1 - sums->lanes / sums->standing : 0,
                 share = sums->warps / look->kernel->whole.sums.warps;
    if (off < PREDICATED_OFF_SHARE || share < SHARE_LEAST || sums->branch_warps > 0)
        return;
    tell(look, "predication", line->line, share * off,
         SENTENCE(
             look,
             "line %u: its guard turns off %.0f %% of the lanes that reach it (%.0f %% of the kernel's warp "
             "issues): where whole warps have nothing to do, a branch around it is cheaper",
             line->line, off * 100, share * 100));
}

static void look_at_barriers(struct look *look)
{
    const struct sums *sums = &look->kernel->whole.sums;
    if (!(sums->barrier_share >= BARRIER_SHARE))
        return;
    tell(look, "barriers", 0, sums->barrier_share,
         SENTENCE(look,
                  "warps wait at barriers for %.0f %% of their time in blocks: give the warps of a block "
                  "equal work "
                  "between two barriers, or make blocks smaller",
                  sums->barrier_share * 100));
}

static void look_at_balance(struct look *look)
{
    const struct sums *sums = &look->kernel->whole.sums;
    const hx_profile_kernel *view = &look->kernel->view;
    const uint32_t *grid = view->grid;
    const bool is_short = view->wall_ns < LAUNCH_SHORT_NS * (double)view->launches;
    const double blocks = (double)grid[0] * grid[1] * grid[2];
    const uint32_t workers = look->profile->result.workers;
    if (workers < 2 || !(sums->worker_balance < BALANCE_POOR))
        return;
    tell(look, "balance", 0, 1 - sums->worker_balance,
         SENTENCE(
             look,
             "workers are busy for %.0f %% of the time of the busiest one (%.0f blocks of the first launch, "
             "%u workers; a block takes %.0f %% of the longest): %s",
             sums->worker_balance * 100, blocks, workers, sums->block_balance * 100,
             is_short ? "launches this short end before all workers have begun; give them more to do, or use "
                        "--workers 1"
                      : "more, smaller blocks fill the end of a launch"));
}

static void look_at_block(struct look *look)
{
    const hx_profile_kernel *view = &look->kernel->view;
    const uint32_t threads = view->block[0] * view->block[1] * view->block[2],
                   lanes = threads % view->warp_size;
    if (lanes == 0)
        return;
    const uint32_t warps = threads / view->warp_size + 1;
    tell(look, "block-size", 0, 1 - (double)threads / (warps * view->warp_size),
         SENTENCE(look,
                  "blocks of %u threads leave %u of the %u lanes of their last warp empty: a multiple of %u "
                  "fills them",
                  threads, view->warp_size - lanes, view->warp_size, view->warp_size));
}

/* Too few blocks for the modelled GPU: what the theoretical occupancy does not show. */
static void look_at_grid(struct look *look)
{
    const struct profile_modelled *modelled = look->kernel->modelled;
    const struct sums *sums = &look->kernel->whole.sums;
    if (!modelled || !(sums->model_achieved < GRID_POOR * sums->model_occupancy))
        return;
    const struct occupancy *occupancy = &modelled->first.occupancy;
    const struct gpu *gpu = look->profile->gpu;
    const unsigned long long blocks = modelled->first.blocks, sms = gpu->sms;
    tell(look, "grid-size", 0, 1 - sums->model_achieved / sums->model_occupancy,
         SENTENCE(
             look,
             "%llu block%s for the %llu multiprocessors of %s, each of which holds %llu at once: %llu have "
             "none, and occupancy is %.0f %% where %.0f %% are possible: more, smaller blocks, or more work "
             "in "
             "a launch (%llu blocks fill it)",
             blocks, blocks == 1 ? "" : "s", sms, gpu->key, (unsigned long long)occupancy->blocks,
             (unsigned long long)(sms - occupancy->busy_sms), sums->model_achieved * 100,
             sums->model_occupancy * 100, (unsigned long long)occupancy->blocks * sms));
}

/* Of the program, reported with its first kernel. */
static void look_at_scheduling(struct look *look)
{
    const hx_worker_profile *all = &look->profile->workers;
    const double busy = all->running_ns + all->scheduling_ns;
    if (look->number != 0 || !(all->scheduling_ns >= SCHEDULING_SHARE * busy) || busy == 0)
        return;
    tell(look, "scheduling", 0, all->scheduling_ns / busy,
         SENTENCE(look,
                  "starting blocks, choosing paths and barriers take %.0f %% of the workers' busy time: "
                  "larger blocks, "
                  "or more work for each thread, give instructions a larger part",
                  all->scheduling_ns / busy * 100));
}

static int by_share(const void *a, const void *b)
{
    const hx_profile_hint *one = a, *other = b;
    if (one->kernel != other->kernel)
        return one->kernel < other->kernel ? -1 : 1;
    if (one->share != other->share)
        return one->share > other->share ? -1 : 1;
    return one->line < other->line ? -1 : one->line > other->line;
}

bool hints_make(hx_profile *profile)
{
    bool failed = false;
    for (size_t k = 0; k < profile->kernel_count; k++) {
        const struct profile_kernel *kernel = &profile->kernels[k];
        struct look look = {profile, kernel, (uint32_t)k, false};
        for (size_t i = 0; i < kernel->view.lines; i++) {
            const struct sums *sums = &kernel->line_measures[i].sums;
            look_at_sectors(&look, &kernel->lines[i], sums);
            look_at_banks(&look, &kernel->lines[i], sums);
            look_at_branch(&look, &kernel->lines[i], sums);
            look_at_guard(&look, &kernel->lines[i], sums);
        }
        look_at_barriers(&look);
        look_at_balance(&look);
        look_at_block(&look);
        look_at_grid(&look);
        look_at_scheduling(&look);
        failed |= look.failed;
    }
    if (profile->hints.count > 0)
        qsort(profile->hints.items, profile->hints.count, sizeof *profile->hints.items, by_share);
    return !failed;
}
