/* hx_profile_run: a context's program in passes.
 *
 * Takes a context with a program, leaves a profile. Plain runs come first, so that what a kernel prints comes
 * out once and a program that cannot run says so at once; then the timed passes, as many as give small
 * programs enough samples, and last the counted one, whose figures are exact however long it takes. */
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
#include <string.h>

#define RUNS_DEFAULT 7
/* Of these, so many at least; the others only while all of them took less than this. */
#define RUNS_LEAST      2
#define RUNS_LONGEST_NS UINT64_C(2000000000)
/* Timed passes go on until there are so many of them, and so many samples for each instruction that ran; but
 * no longer than this. */
#define TIMED_PASSES_LEAST 3
#define SAMPLES_ENOUGH     200
#define TIMED_LONGEST_NS   UINT64_C(300000000)
#define TIMED_PASSES_MAX   10000

struct profiling {
    hx_context *context;
    hx_run_options options;
    hx_profile *profile;
    hx_diag *diag;
    struct profile_step step;
    uint32_t runs, timed_runs; /* timed_runs 0: as many as it takes */
    uint64_t start_ns;
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
    const struct context_watch watch = {profiling, launching, launched};
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

static bool wants_time(const struct profiling *profiling, uint64_t passes, uint64_t start_ns)
{
    if (profiling->no_times || passes == 0)
        return !profiling->no_times;
    if (profiling->timed_runs)
        return passes < profiling->timed_runs;
    uint64_t sampled, instructions;
    profile_sampled(profiling->profile, &sampled, &instructions);
    const bool is_enough = passes >= TIMED_PASSES_LEAST && sampled >= instructions * SAMPLES_ENOUGH;
    return passes < TIMED_PASSES_MAX && !is_enough && machine_now_ns() - start_ns < TIMED_LONGEST_NS;
}

/* Is another plain run worth its while? */
static bool wants_plain(const struct profiling *profiling, uint32_t passes)
{
    const bool is_long = profiling->timed_runs == 0 && passes >= RUNS_LEAST &&
                         machine_now_ns() - profiling->start_ns > RUNS_LONGEST_NS;
    return passes < profiling->runs && !is_long;
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
    for (uint32_t passes = 1; status == first && wants_plain(profiling, passes); passes++)
        status = run_pass(profiling, PASS_PLAIN, NULL, &result);
    const uint64_t start = machine_now_ns();
    for (uint64_t passes = 0; status == first && wants_time(profiling, passes, start); passes++)
        status = run_pass(profiling, PASS_TIMED, NULL, &result);
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
    hx_profile_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    struct profiling profiling = {.context = context,
                                  .diag = diag,
                                  .options.size = sizeof profiling.options,
                                  .runs = asked.runs ? asked.runs : RUNS_DEFAULT,
                                  .timed_runs = asked.runs,
                                  .wanted = asked.launch,
                                  .start_ns = machine_now_ns(),
                                  .no_times = asked.no_times != 0};
    if (asked.run)
        profiling.options = *asked.run;
    profiling.options.launch.counts = 0;
    const hx_allocator *allocator = context_allocator(context);
    hx_status status = profile_new(hx_context_program(context), &profiling.options, profiling.runs,
                                   asked.device, allocator, diag, &profiling.profile);
    if (status != HX_OK)
        return status;
    profiling.profile->costs = asked.costs;
    if (asked.peaks)
        profiling.profile->peaks = *asked.peaks;
    status = run_all(&profiling);
    profile_step_done(&profiling.step, allocator);
    if (status != HX_OK && !has_stopped(status)) {
        hx_profile_free(profiling.profile);
        return status;
    }
    *ret_profile = profiling.profile;
    return status;
}
