/* hx_profile_run: a context's program in passes.
 *
 * Takes a context with a program, leaves a profile. A plain run comes first, so that what a kernel prints
 * comes out once and a program that cannot run says so at once; then timed and plain passes by turns, until
 * times are as certain as wanted or the time for it is over, and last the counted one, whose figures are
 * exact however long it takes. */
#include "hexec/profile.h"

#include "api/context.h"
#include "api/replay.h"
#include "base/machine.h"
#include "exec/kernel.h"
#include "profile/hosted.h"
#include "profile/modelled.h"
#include "profile/predict.h"
#include "report/hints.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Rounds of a plain and a timed pass go on until times are as certain as wanted; for this long at least,
 * so that what the machine does besides is seen, and, unless the program is long, until there are so many of
 * both and so many samples for each instruction that ran. */
#define PRECISION_DEFAULT  0.1
#define BUDGET_DEFAULT_NS  UINT64_C(1000000000)
#define MEASURED_LEAST_NS  UINT64_C(200000000)
#define RUNS_USUAL         7
#define TIMED_USUAL        3
#define PASSES_LEAST       2
#define SAMPLES_ENOUGH     200
#define SAMPLES_LONGEST_NS UINT64_C(300000000)
/* Wall times that are kept, of all the time that is measured; and timed passes that there are at most. */
#define PLAIN_MAX 400
#define TIMED_MAX 10000

struct profiling {
    hx_context *context;
    hx_run_options options;
    hx_profile *profile;
    hx_diag *diag;
    struct profile_step step;
    uint32_t runs;   /* rounds; 0: as many as it takes */
    uint64_t stride; /* each so-many-th round has a plain pass */
    uint64_t start_ns, budget_ns;
    struct spread_looks looks;
    struct machine_use use;  /* of the machine, at the start */
    uint64_t wanted, number; /* the only launch that is reported, 0: all are; launches of this pass so far */
    bool has_inputs, no_times;
};

static hx_status take_inputs(struct profiling *profiling)
{
    hx_profile *profile = profiling->profile;
    if (profiling->has_inputs)
        return HX_OK;
    profiling->has_inputs = true;
    profile->inputs =
        arena_format(&profile->arena, "%08" PRIx32, replay_inputs(profiling->context, &profiling->options));
    return profile->inputs ? HX_OK : diag_no_memory(profiling->diag);
}

static bool is_recorded(const struct profiling *profiling)
{
    return profiling->wanted == 0 || profiling->wanted == profiling->number;
}

static hx_status launching(void *user, hx_device *device, const hx_kernel *kernel, hx_launch_options *options,
                           const struct exec_listener **ret_listeners)
{
    struct profiling *profiling = user;
    /* Reading all buffers warms the caches: not where times are taken. */
    hx_status status = profiling->step.pass == PASS_COUNTED ? take_inputs(profiling) : HX_OK;
    profiling->number++;
    profiling->profile->cpu_level = hx_device_cpu_level(device);
    if (status != HX_OK || !is_recorded(profiling))
        return status;
    status = profile_launch_begin(profiling->profile, kernel_code(kernel), device, options, profiling->diag,
                                  &profiling->step);
    if (status == HX_OK)
        status = predict_take_kernel(profiling->profile, kernel, profiling->step.kernel, profiling->diag);
    if (status == HX_OK && profiling->step.pass == PASS_COUNTED) {
        size_t count;
        hx_buffer *const *buffers = context_buffers(profiling->context, &count);
        status = modelled_launch_begin(profiling->profile, buffers, count, options, profiling->diag,
                                       &profiling->step);
        if (status == HX_OK)
            status = hosted_launch_begin(profiling->profile, buffers, count, options, profiling->diag,
                                         &profiling->step);
    }
    *ret_listeners = profiling->step.listeners;
    return status;
}

static void launched(void *user, const hx_launch_options *options, const hx_launch_result *result)
{
    struct profiling *profiling = user;
    (void)options;
    if (is_recorded(profiling))
        profile_launch_end(profiling->profile, result, &profiling->step);
}

/* Did the program stop, rather than fail to begin? Then what it did until there is reported. */
static bool has_stopped(hx_status status)
{
    return status == HX_FAULT || status == HX_LIMIT || status == HX_INTERRUPTED;
}

/* One run. What stopped the first was reported then, and stops the others too; spans report the first alone.
 */
static hx_status run_pass(struct profiling *profiling, enum profile_pass pass, hx_diag *diag,
                          hx_run_result *ret_result)
{
    const struct context_watch watch = {.user = profiling, .launching = launching, .launched = launched};
    profiling->step.pass = pass;
    profiling->number = 0;
    const bool is_first = ret_result == &profiling->profile->result;
    hx_trace_mute(!is_first);
    hx_status status = context_run(profiling->context, &profiling->options, &watch, diag, ret_result);
    hx_trace_mute(-!is_first);
    if (status != HX_OK && !has_stopped(status))
        return status;
    const hx_status ended = profile_pass_end(profiling->profile, pass, profiling->diag);
    return ended == HX_OK ? status : ended;
}

/* Are times as certain as wanted? Looking takes some time itself, so it is done every so often. */
static bool is_narrow(struct profiling *profiling, uint64_t rounds)
{
    hx_profile *profile = profiling->profile;
    if (!spread_look_is_due(&profiling->looks, rounds))
        return false;
    profile->others = machine_others_share(&profiling->use);
    profile->reached = profile_spread(profile, profile->others);
    return spread_look(&profiling->looks, rounds, profile->reached, profile->wanted);
}

static bool has_samples(const struct profiling *profiling, uint64_t elapsed_ns)
{
    uint64_t sampled, instructions;
    profile_sampled(profiling->profile, &sampled, &instructions);
    return profiling->no_times || sampled >= instructions * SAMPLES_ENOUGH || elapsed_ns > SAMPLES_LONGEST_NS;
}

/* Is another round worth its while? Else says why not. */
static bool wants_round(struct profiling *profiling, uint64_t rounds)
{
    hx_profile *profile = profiling->profile;
    const uint64_t elapsed = machine_now_ns() - profiling->start_ns;
    if (profiling->runs || rounds >= TIMED_MAX) {
        profile->ended = HX_PROFILE_END_RUNS;
        return rounds < (profiling->runs ? profiling->runs : TIMED_MAX);
    }
    profile->ended = HX_PROFILE_END_TIME;
    const bool is_over = elapsed > profiling->budget_ns, is_far_over = elapsed / 2 > profiling->budget_ns;
    if (rounds < PASSES_LEAST || (rounds < TIMED_USUAL && !is_far_over))
        return true;
    if (is_over && (rounds >= RUNS_USUAL || is_far_over))
        return false;
    if (rounds < RUNS_USUAL || elapsed < MEASURED_LEAST_NS || !has_samples(profiling, elapsed) ||
        !is_narrow(profiling, rounds))
        return true;
    profile->ended = HX_PROFILE_END_NARROW;
    return false;
}

/* Machines change their speed from one tenth of a second to the next: where there is no room for all plain
 * runs, those that stay are from all of the time. */
static bool wants_plain(struct profiling *profiling, uint64_t round)
{
    hx_profile *profile = profiling->profile;
    if (!profiling->runs && profile->run_ns.count >= profile->runs) {
        profile_thin_runs(profile);
        profiling->stride *= 2;
    }
    return round > 0 && round % profiling->stride == 0 && profile->run_ns.count < profile->runs;
}

/* One plain and one timed pass; of the first round the plain one has been. */
static hx_status run_round(struct profiling *profiling, uint64_t round, hx_status expected)
{
    hx_run_result result = {.size = sizeof result};
    hx_status status = expected;
    if (wants_plain(profiling, round))
        status = run_pass(profiling, PASS_PLAIN, NULL, &result);
    if (status == expected && !profiling->no_times)
        status = run_pass(profiling, PASS_TIMED, NULL, &result);
    return status;
}

/* All passes but the first. What there is to say of the program, a fault or a warning, comes in each of them,
 * and was said in the first. */
static hx_status run_others(struct profiling *profiling, hx_status first)
{
    hx_run_result result = {.size = sizeof result};
    hx_status status = first;
    profiling->options.launch.print = NULL;
    profiling->options.launched = NULL;
    if (first != HX_LIMIT) /* looking takes longer, and the program is known to end */
        profiling->options.launch.timeout_ns = 0;
    for (uint64_t round = 0; status == first && wants_round(profiling, round); round++)
        status = run_round(profiling, round, first);
    profiling->profile->others = machine_others_share(&profiling->use);
    profiling->profile->reached = profile_spread(profiling->profile, profiling->profile->others);
    if (status != first)
        profiling->profile->ended = HX_PROFILE_END_STOPPED;
    if (status == first)
        status = run_pass(profiling, PASS_COUNTED, NULL, &result);
    return status;
}

static hx_status run_all(struct profiling *profiling)
{
    hx_profile *profile = profiling->profile;
    profile->result.size = sizeof profile->result;
    hx_status status = run_pass(profiling, PASS_PLAIN, profiling->diag, &profile->result);
    if (status == HX_OK && profiling->wanted > profiling->number)
        return diag_report(profiling->diag, DIAG_PROFILE_LAUNCH, (struct place){0}, NULL,
                           "there is no launch %llu: a run has %llu", (unsigned long long)profiling->wanted,
                           (unsigned long long)profiling->number);
    if (status == HX_OK || status == HX_FAULT || status == HX_LIMIT)
        status = run_others(profiling, status);
    if (status != HX_OK && !has_stopped(status))
        return status;
    profile->status = status;
    diag_step(profiling->diag, "while computing the profile of", profile->program, 0, (struct place){0});
    hx_status finished = profile_finish(profile, profiling->diag);
    if (finished == HX_OK && !hints_make(profile))
        finished = diag_no_memory(profiling->diag);
    if (finished == HX_OK)
        predict_finish(profile, profiling->diag);
    return finished == HX_OK ? status : finished;
}

hx_status hx_profile_run(hx_context *context, const hx_profile_options *options, hx_diag *diag,
                         hx_profile **ret_profile)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, ret_profile);
    hx_profile_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    struct profiling profiling = {.context = context,
                                  .diag = diag,
                                  .options.size = sizeof profiling.options,
                                  .runs = asked.runs,
                                  .stride = 1,
                                  .budget_ns = asked.budget_ns ? asked.budget_ns : BUDGET_DEFAULT_NS,
                                  .wanted = asked.launch,
                                  .start_ns = machine_now_ns(),
                                  .no_times = asked.no_times != 0};
    if (asked.run)
        profiling.options = *asked.run;
    profiling.options.launch.counts = 0;
    const hx_allocator *allocator = context_allocator(context);
    hx_status status = context_check_loaded(context, diag);
    if (status != HX_OK)
        return status;
    machine_use_read(&profiling.use);
    status = profile_new(hx_context_program(context), &profiling.options, asked.runs ? asked.runs : PLAIN_MAX,
                         asked.device, allocator, diag, &profiling.profile);
    if (status != HX_OK)
        return status;
    profiling.profile->costs = asked.costs;
    profiling.profile->wanted =
        asked.precision_percent > 0 ? asked.precision_percent / 100 : PRECISION_DEFAULT;
    profiling.profile->reached = (double)NAN;
    profiling.profile->ended = HX_PROFILE_END_STOPPED;
    if (asked.peaks)
        profiling.profile->peaks = *asked.peaks;
    status = run_all(&profiling);
    profile_step_done(&profiling.step, allocator);
    if (status == HX_NO_MEMORY) /* what has no list to say so */
        (void)diag_no_memory(diag);
    if (status != HX_OK && !has_stopped(status)) {
        hx_profile_free(profiling.profile);
        return status;
    }
    *ret_profile = profiling.profile;
    return status;
}
