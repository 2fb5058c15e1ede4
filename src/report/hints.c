/* Hints: what could be changed to make a kernel faster, in plain words.
 *
 * Takes the measures of lines and kernels, leaves sentences with their figures. A rule checks one thing
 * that costs time on a GPU and reports it above a threshold, which stands in its row;
 * docs/profiling.md lists them. `share` says how much of the kernel it is about, so that the largest comes
 * first. */
#include "report/hints.h"

#include "profile/modelled.h"
#include "report/figures.h"

#include <stdlib.h>
#include <string.h>

/* A hint is given from here on: the shares are of what the kernel does of the kind in question. */
#define SHARE_LEAST      0.05
#define COALESCING_POOR  0.6
#define CONFLICT_WAVES   1.25 /* wavefronts for each that would do */
#define DIVERGENCE_SHARE 0.1  /* of a branch's warp issues */
#define DIVERGENCE_POOR  0.9  /* warp execution efficiency */
#define BARRIER_SHARE    0.2
#define SCHEDULING_SHARE 0.3
#define BALANCE_POOR     0.8
#define BUSY_POOR        0.5  /* of the time of all workers that there are */
#define LOOP_SHARE       0.25 /* of the kernel's warp issues */
#define GRID_POOR        0.5  /* achieved of the theoretical occupancy */
/* Shorter launches end before all workers have woken, whatever their blocks are like. */
#define LAUNCH_SHORT_NS 1e6
#define RULE_FIRST      "small-launch" /* reported before all others of the kernel */

/* What the rules of a kernel read. */
struct look {
    hx_profile *profile;
    const struct profile_kernel *kernel;
    uint32_t number;
    bool failed, is_small; /* is_small: its launches are too small for the workers */
};

#define SENTENCE(look, ...) arena_format(&(look)->profile->arena, __VA_ARGS__)

static void tell(struct look *look, const char *rule, uint32_t line, double share, const char *text)
{
    const hx_profile_hint hint = {
        .kernel = look->number, .line = line, .rule = rule, .text = text, .share = share};
    if (!text || !LIST_PUSH(look->profile->arena.allocator, &look->profile->hints, hint))
        look->failed = true;
}

/* Does an access of the line move what goes through shared memory? */
static bool uses_shared(const struct look *look, const hx_profile_sum *line)
{
    for (size_t pc = 0; pc < look->kernel->view.instructions; pc++)
        if (look->kernel->instructions[pc].line == line->line && look->kernel->patterns[pc].through_shared)
            return true;
    return false;
}

static void look_at_sectors(struct look *look, const hx_profile_sum *line, const struct sums *sums)
{
    const double all = look->kernel->whole.sums.sectors, share = all > 0 ? sums->sectors / all : 0;
    if (share < SHARE_LEAST || sums->sectors_least > COALESCING_POOR * sums->sectors)
        return;
    const char *cure =
        uses_shared(look, line)
            ? "its values go through shared memory, so let neighbouring lanes access neighbouring "
              "addresses here, and change the order of lanes there"
            : "let neighbouring lanes access neighbouring addresses, or go through shared memory";
    tell(look, "uncoalesced", line->line, share,
         SENTENCE(look,
                  "line %u: %.3g sectors of 32 bytes a request, %.3g would do (%.0f %% of the kernel's "
                  "sectors): %s",
                  line->line, sums->sectors / sums->global_requests,
                  sums->sectors_least / sums->global_requests, share * 100, cure));
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

/* A branch is issued by every warp, and saves what no lane of a warp would do. */
static void look_at_run(struct look *look, size_t first, size_t end)
{
    const hx_profile_instruction *code = look->kernel->instructions;
    const double all = look->kernel->whole.sums.warps;
    double warps = 0, none = 0;
    for (size_t pc = first; pc < end; pc++) {
        warps += look->kernel->instruction_measures[pc].sums.warps;
        none += look->kernel->instruction_measures[pc].sums.warps_none;
    }
    const double saved = none - look->kernel->instruction_measures[first].sums.warps;
    if (!(saved >= SHARE_LEAST * all) || all == 0)
        return;
    tell(look, "predication", code[first].line, saved / all,
         SENTENCE(
             look,
             "lines %u to %u: in %.0f %% of the warp issues of these %zu guarded instructions no lane does "
             "anything: a branch around them saves %.0f %% of the kernel's warp issues",
             code[first].line, code[end - 1].line, none / warps * 100, end - first, saved / all * 100));
}

static void look_at_guards(struct look *look)
{
    const struct profile_pattern *patterns = look->kernel->patterns;
    const size_t count = look->kernel->view.instructions;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && patterns[first].run && patterns[end].run == patterns[first].run;)
            end++;
        if (end - first > 1)
            look_at_run(look, first, end);
    }
}

/* The names of what only counts a loop, each once: "add, setp, bra". */
static const char *name_counting(struct look *look, size_t branch)
{
    const struct profile_kernel *kernel = look->kernel;
    const char *names = NULL;
    for (size_t pc = 0; pc <= branch; pc++) {
        const char *name = kernel->instructions[pc].opcode;
        bool is_new = kernel->patterns[pc].loop == branch + 1;
        for (size_t i = 0; is_new && i < pc; i++)
            is_new =
                kernel->patterns[i].loop != branch + 1 || strcmp(kernel->instructions[i].opcode, name) != 0;
        if (is_new)
            names = names ? SENTENCE(look, "%s, %s", names, name) : name;
    }
    return names;
}

static void look_at_loop(struct look *look, size_t branch)
{
    const struct profile_kernel *kernel = look->kernel;
    double own = 0;
    for (size_t pc = 0; pc <= branch; pc++)
        own += kernel->patterns[pc].loop == branch + 1 ? kernel->instruction_measures[pc].sums.warps : 0;
    const double share = kernel->whole.sums.warps > 0 ? own / kernel->whole.sums.warps : 0;
    const char *names = share >= LOOP_SHARE ? name_counting(look, branch) : NULL;
    if (!(share >= LOOP_SHARE))
        return;
    tell(look, "unrolling", kernel->instructions[branch].line, share,
         names ? SENTENCE(
                     look,
                     "line %u: %.0f %% of the kernel's warp issues only count this loop (%s): do the work of "
                     "four turns in one (unroll it), and it is counted a quarter as often",
                     kernel->instructions[branch].line, share * 100, names)
               : NULL);
}

static void look_at_loops(struct look *look)
{
    for (size_t pc = 0; pc < look->kernel->view.instructions; pc++)
        if (look->kernel->patterns[pc].loop == pc + 1)
            look_at_loop(look, pc);
}

/* What else there is to change matters little while most of the workers' time is waiting for work. */
static void look_at_size(struct look *look)
{
    const struct profile_kernel *kernel = look->kernel;
    const hx_profile_kernel *view = &kernel->view;
    const bool is_short = view->wall_ns < LAUNCH_SHORT_NS * (double)view->launches;
    const double busy = kernel->room_ns > 0 ? kernel->busy_ns / kernel->room_ns : 1;
    char time[FIGURE_BYTES];
    if (kernel->workers_most < 2 || !(busy < BUSY_POOR) ||
        !(is_short || view->workers < kernel->workers_most))
        return;
    look->is_small = true;
    tell(
        look, RULE_FIRST, 0, 1 - busy,
        SENTENCE(
            look,
            "a launch takes %s and keeps %u workers busy for %.0f %% of that time (grid %u,%u,%u, block "
            "%u,%u,%u in the first launch): it is too small for them, which comes before anything else; give "
            "a launch more threads or more to do, make one of several, or use --workers 1",
            figure_time(view->wall_ns / (double)view->launches, time), kernel->workers_most, busy * 100,
            view->grid[0], view->grid[1], view->grid[2], view->block[0], view->block[1], view->block[2]));
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
    const double blocks = (double)grid[0] * grid[1] * grid[2];
    const uint32_t workers = view->workers;
    if (workers < 2 || look->is_small || !(sums->worker_balance < BALANCE_POOR))
        return;
    tell(look, "balance", 0, 1 - sums->worker_balance,
         SENTENCE(
             look,
             "workers are busy for %.0f %% of the time of the busiest one (%.0f blocks of the first launch, "
             "%u workers; a block takes %.0f %% of the longest): more, smaller blocks fill the end of a "
             "launch",
             sums->worker_balance * 100, blocks, workers, sums->block_balance * 100));
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
    const bool is_first = strcmp(one->rule, RULE_FIRST) == 0;
    if (one->kernel != other->kernel)
        return one->kernel < other->kernel ? -1 : 1;
    if (is_first != (strcmp(other->rule, RULE_FIRST) == 0))
        return is_first ? -1 : 1;
    if (one->share != other->share)
        return one->share > other->share ? -1 : 1;
    return one->line < other->line ? -1 : one->line > other->line;
}

bool hints_make(hx_profile *profile)
{
    bool failed = false;
    for (size_t k = 0; k < profile->kernel_count; k++) {
        const struct profile_kernel *kernel = &profile->kernels[k];
        struct look look = {.profile = profile, .kernel = kernel, .number = (uint32_t)k};
        for (size_t i = 0; i < kernel->view.lines; i++) {
            const struct sums *sums = &kernel->line_measures[i].sums;
            look_at_sectors(&look, &kernel->lines[i], sums);
            look_at_banks(&look, &kernel->lines[i], sums);
            look_at_branch(&look, &kernel->lines[i], sums);
        }
        look_at_guards(&look);
        look_at_loops(&look);
        look_at_size(&look);
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
