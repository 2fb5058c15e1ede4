/* hexec run, and what hexec profile does before it prints: loads a program, overrides what the options say,
 * runs its launches, keeps and compares buffers. It takes the options and leaves files (--out, exports) and a
 * struct run for run_report.c. The idea behind its form: what can be wrong with an option is found before
 * anything runs, and what a run wrote is kept whatever ended it. */
#include "base/demangle.h"
#include "exports.h"
#include "progress.h"
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text of the kernel goes out as it comes, before the summary. */
static void print_kernel_text(void *user, const char *text, size_t bytes)
{
    struct run *run = user;
    const struct options *options = run->command->options;
    const bool is_document = option_is_on(options, OPTION_JSON) || option_is_on(options, OPTION_CSV);
    if (options->command == COMMAND_PROFILE && is_document) /* it is no part of the profile */
        (void)console_write_error(run->command->console, text, bytes);
    else if (is_document)
        text_append(&run->printed, text, bytes);
    else
        (void)console_write_kernel_text(run->command->console, text, bytes);
}

static hx_status run_program(struct run *run);
static hx_status save_buffers(const struct run *run);

static hx_status write_exports(const struct run *run)
{
    struct text findings HX_AUTO(text_done) = {0};
    hx_status status = HX_OK;
    if (run->checks)
        status = hx_checks_finish(run->checks, run->command->diag);
    if (status == HX_OK && run->checks)
        status = hx_checks_export(run->checks, HX_CHECKS_JSON, text_write, &findings);
    return status == HX_OK ? exports_write(run->command, run->profile, findings.length ? findings.at : NULL)
                           : status;
}

void run_execute(struct run *run)
{
    struct command *command = run->command;
    run->result.size = sizeof run->result;
    run->wants_exports = exports_wanted(command->options);
    run->status = run_prepare(run);
    if (run->status == HX_OK) {
        run->status = run_program(run);
        run->status = command_keep(run->status, save_buffers(run));
        run->status = command_keep(run->status, profile_save(run));
        if (run->profile)
            run->status = command_keep(run->status, write_exports(run));
    }
    if (run->ran && option_is_on(command->options, OPTION_VERIFY)) {
        run->verified = true;
        run->status =
            hx_context_verdict(run->context, run->status, &run->result, command->diag, &run->expectations);
    }
}

void run_done(struct run *run)
{
    hx_profile_free(run->profile);
    hx_context_free(run->context);
    hx_exploration_free(run->exploration);
    hx_fidelity_log_free(run->fidelity);
    hx_samples_free(run->samples);
    hx_checks_close(run->checks);
    hx_suppressions_free(run->suppressions);
    text_done(&run->printed);
}

/* What only a profile tells needs one. */
static hx_status check_profiling(const struct run *run)
{
    static const enum option_id of_runs[] = {OPTION_LISTEN, OPTION_EXPLORE};
    for (size_t i = 0; i < HX_COUNT_OF(of_runs); i++)
        if (run->command->options->values[of_runs[i]].count > 0 &&
            (run->wants_profile || run->wants_coverage || exports_wanted(run->command->options)))
            return diag_report(
                run->command->diag, DIAG_USAGE_CONFLICT, (struct place){0},
                of_runs[i] == OPTION_LISTEN ? "run once with --listen, and once for the profile"
                                            : "explore orders by themselves, and run once for the profile",
                "--%s is for a single run, and a profile makes several", option_table[of_runs[i]].name);
    static const enum option_id of_profiles[] = {OPTION_COSTS, OPTION_ROOFLINE};
    for (size_t i = 0; i < HX_COUNT_OF(of_profiles); i++) {
        const struct option_value *value = option_value(run->command->options, of_profiles[i]);
        if (value && !value->is_variable && !run->wants_profile)
            return diag_report(run->command->diag, DIAG_USAGE_CONFLICT, (struct place){0},
                               "add --profile, or call hexec profile",
                               "--%s needs a profile, and none is made", option_table[of_profiles[i]].name);
    }
    return HX_OK;
}

hx_status cmd_run(struct command *command)
{
    struct run run HX_AUTO(run_done) = {.command = command,
                                        .wants_profile = option_is_on(command->options, OPTION_PROFILE),
                                        .wants_coverage =
                                            option_value(command->options, OPTION_COVERAGE) != NULL};
    hx_status printed = check_profiling(&run);
    if (printed != HX_OK)
        return printed;
    run_execute(&run);
    checks_finish(&run);
    diag_step(command->diag, "while printing the results", NULL, 0, (struct place){0});
    if (option_is_on(command->options, OPTION_JSON))
        printed = run_print_json(&run);
    else if (run.ran)
        printed = run_print_summary(&run);
    if (run.checks && !option_is_on(command->options, OPTION_JSON))
        printed = command_keep(printed, checks_print(&run));
    if (run.profile && run.wants_profile && !option_is_on(command->options, OPTION_JSON)) {
        printed = command_keep(printed, console_print(command->console, "\n"));
        printed = command_keep(printed, profile_print(&run));
    }
    return command_keep(run.status, printed);
}

/* --- before the run ------------------------------------------------------------------------------------- */

static const char *next_buffer_name(void *context, size_t index)
{
    return hx_context_buffer_at(context, index).name;
}

/* --out and --print name buffers of the program. */
static hx_status check_buffer_names(struct run *run, enum option_id id)
{
    const struct option_values *values = &run->command->options->values[id];
    hx_status status = HX_OK;
    for (size_t i = 0; i < values->count; i++) {
        const char *wanted = values->items[i].name, *name = NULL;
        for (size_t k = 0; (name = next_buffer_name(run->context, k)) && strcmp(name, wanted) != 0; k++)
            ;
        if (name)
            continue;
        const char *meant = text_suggest(slice_of(wanted), next_buffer_name, run->context);
        struct text hint HX_AUTO(text_done) = {0};
        if (meant)
            text_print(&hint, "did you mean %s?", meant);
        char title[64];
        status = command_keep(status, diag_report(run->command->diag, DIAG_USAGE_NO_BUFFER, (struct place){0},
                                                  hint.at, "%s: the program has no buffer '%s'",
                                                  option_title(id, &values->items[i], title), wanted));
    }
    return status;
}

/* As --kernel takes it from a shell: what the source calls it, in quotes where that has parameters. */
static void print_name(struct text *text, const char *name)
{
    struct text readable HX_AUTO(text_done) = {0};
    demangle(&readable, name);
    text_print(text, !readable.at || strcmp(readable.at, name) == 0 ? " %s" : " '%s'",
               readable.at ? readable.at : name);
}

/* A shape on the command line is for one kernel: with several, each has its own, and one for all would be a
 * silent way to wrong results. */
static hx_status check_shape(const struct run *run)
{
    static const enum option_id shapes[] = {OPTION_GRID, OPTION_BLOCK, OPTION_DYNAMIC_SHARED};
    const struct options *options = run->command->options;
    const hx_program *program = hx_context_program(run->context);
    size_t kernels = hx_program_kernel_count(program);
    if (kernels <= 1 || option_value(options, OPTION_KERNEL))
        return HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(shapes); i++) {
        const struct option_value *value = option_value(options, shapes[i]);
        if (!value)
            continue;
        char title[64];
        struct text hint HX_AUTO(text_done) = {0};
        text_print(&hint, "add --kernel NAME to run one of them alone:");
        for (size_t k = 0; k < kernels; k++)
            print_name(&hint, hx_program_kernel_name(program, k));
        return diag_report(run->command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, hint.at,
                           "%s: the program has %zu kernels, each with a shape of its own",
                           option_title(shapes[i], value, title), kernels);
    }
    return HX_OK;
}

/* Hands the values of --param or --buffer to the program. What it says about one has no place, as there is no
 * file: the option and its value are put before the message. */
static hx_status set_values(struct run *run, enum option_id id,
                            hx_status (*set)(hx_program *, const char *, const char *, hx_diag *))
{
    const struct option_values *values = &run->command->options->values[id];
    hx_diag *said = NULL;
    hx_status status = hx_diag_new(NULL, &said);
    for (size_t i = 0; said && i < values->count; i++) {
        const struct option_value *value = &values->items[i];
        hx_diag_clear(said);
        status = command_keep(status, set(hx_context_program(run->context), value->name, value->rest, said));
        for (size_t k = 0; k < hx_diag_count(said); k++) {
            const hx_diagnostic *one = hx_diag_at(said, k);
            char title[64];
            (void)diag_report(run->command->diag, (enum diag_code)one->code, (struct place){0}, one->hint,
                              "%s %s: %s", option_title(id, value, title), value->text, one->message);
        }
    }
    hx_diag_free(said);
    return status;
}

/* --arg, in order: the arguments of the kernel that --kernel names, or of the first. */
static hx_status set_arguments(struct run *run)
{
    const struct options *options = run->command->options;
    const struct option_values *values = &options->values[OPTION_ARG];
    hx_status status = HX_OK;
    for (size_t i = 0; i < values->count; i++)
        status = command_keep(status, hx_program_set_argument(hx_context_program(run->context),
                                                              option_text(options, OPTION_KERNEL), i,
                                                              values->items[i].text, run->command->diag));
    return status;
}

hx_status run_prepare(struct run *run)
{
    struct command *command = run->command;
    hx_status status = exports_check(command);
    if (status == HX_OK)
        status = replayed_load(run);
    if (status != HX_OK)
        return status;
    status = command_keep(status, set_values(run, OPTION_PARAM, hx_program_set_param));
    status = command_keep(status, set_arguments(run));
    status = command_keep(status, set_values(run, OPTION_BUFFER, hx_program_set_fill));
    status = command_keep(status, check_buffer_names(run, OPTION_OUT));
    status = command_keep(status, outputs_check(command, hx_context_program(run->context)));
    status = command_keep(status, check_buffer_names(run, OPTION_PRINT));
    status = command_keep(status, check_shape(run));
    return command_keep(status, checks_prepare(run));
}

/* --- the run -------------------------------------------------------------------------------------------- */

/* A signal handler is given nothing but a number; this is how it finds the run. */
static hx_context *volatile interruptible;

static void interrupt(int signal_number)
{
    (void)signal_number;
    hx_context *context = interruptible;
    if (context)
        hx_context_interrupt(context);
}

/* The first Ctrl-C ends the run, the second the program: SA_RESETHAND puts the default back. SIGXFSZ comes
 * with each write beyond the limit on files, and never ends the program. nohup has SIGHUP ignored, which
 * stays. */
static void catch_signals(hx_context *context)
{
    static const struct {
        int number;
        void (*otherwise)(int);
        int flags;
    } signals[] = {{SIGINT, SIG_DFL, (int)SA_RESETHAND},
                   {SIGTERM, SIG_DFL, (int)SA_RESETHAND},
                   {SIGHUP, SIG_DFL, (int)SA_RESETHAND},
                   {SIGXFSZ, SIG_IGN, 0}};
    interruptible = context;
    for (size_t i = 0; i < HX_COUNT_OF(signals); i++) {
        struct sigaction before, action = {.sa_handler = context ? interrupt : signals[i].otherwise,
                                           .sa_flags = context ? signals[i].flags : 0};
        sigemptyset(&action.sa_mask);
        if (signals[i].number == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(signals[i].number, &action, NULL);
    }
}

static bool is_alike(const struct run_launch *known, const char *kernel, const hx_launch_options *shape)
{
    return strcmp(known->kernel, kernel) == 0 && memcmp(known->grid, shape->grid, sizeof known->grid) == 0 &&
           memcmp(known->block, shape->block, sizeof known->block) == 0 &&
           known->dynamic_shared_bytes == shape->dynamic_shared_bytes;
}

/* Remembers a launch; one that is like one before counts with it, as loops make many that alternate. */
static hx_status remember_launch(void *user, const char *kernel, const hx_launch_options *shape,
                                 const hx_launch_result *result)
{
    struct run *run = user;
    struct run_launch *last = NULL;
    for (size_t i = 0; i < run->launch_count && !last; i++)
        if (is_alike(&run->launches[i], kernel, shape))
            last = &run->launches[i];
    const bool same = last != NULL;
    if (!same && run->launch_count == RUN_LAUNCHES_SHOWN) {
        run->launches_left_out++;
        return HX_OK;
    }
    if (!same) {
        last = &run->launches[run->launch_count++];
        *last = (struct run_launch){.kernel = kernel, .dynamic_shared_bytes = shape->dynamic_shared_bytes};
        memcpy(last->grid, shape->grid, sizeof last->grid);
        memcpy(last->block, shape->block, sizeof last->block);
    }
    last->times++;
    last->duration_ns += result->duration_ns;
    last->threads += result->threads;
    last->tier = result->tier;
    memcpy(last->why_interpreted, result->why_interpreted, sizeof last->why_interpreted);
    return HX_OK;
}

static void free_costs(hx_costs **costs)
{
    hx_costs_free(*costs);
}

static hx_status profile_program(struct run *run, const hx_run_options *wanted)
{
    const struct options *given = run->command->options;
    hx_costs *costs HX_AUTO(free_costs) = NULL;
    hx_host_peaks peaks = {.size = sizeof peaks};
    const hx_host_options host = {.size = sizeof host, .cpu_level = option_cpu_level(given)};
    const bool wants_peaks = option_is_on(given, OPTION_ROOFLINE);
    const struct option_value *precision = option_value(given, OPTION_PRECISION);
    const bool with_times = run->wants_profile || run->wants_exports;
    hx_status status = HX_OK;
    if (option_text(given, OPTION_COSTS))
        status = hx_costs_load(option_text(given, OPTION_COSTS), NULL, run->command->diag, &costs);
    if (status == HX_OK && wants_peaks)
        status = hx_host_measure(&host, run->command->diag, &peaks);
    if (status != HX_OK)
        return status;
    const hx_profile_options options = {
        .size = sizeof options,
        .run = wanted,
        .runs = (uint32_t)option_number(given, OPTION_RUNS, with_times ? 0 : 1),
        .no_times = !with_times,
        .launch = option_number(given, OPTION_LAUNCH, 0),
        .device = run->wants_profile ? option_text(given, OPTION_DEVICE) : "none",
        .costs = costs,
        .peaks = wants_peaks ? &peaks : NULL,
        .precision_percent = precision ? precision->decimal : 0,
        .budget_ns = option_number(given, OPTION_MEASURE, 0)};
    status = hx_profile_run(run->context, &options, run->command->diag, &run->profile);
    if (run->profile)
        run->result = *hx_profile_result(run->profile);
    return status;
}

static hx_status run_or_explore(struct run *run, hx_run_options *wanted)
{
    const uint64_t schedules = option_number(run->command->options, OPTION_EXPLORE, 0);
    if (schedules == 0)
        return hx_context_run(run->context, wanted, run->command->diag, &run->result);
    const hx_explore_options options = {.size = sizeof options, .run = wanted, .schedules = schedules};
    const hx_status status = hx_explore(run->context, &options, run->command->diag, &run->exploration);
    if (run->exploration)
        run->result = *hx_exploration_result(run->exploration);
    return status;
}

/* Runs the program with the listeners of --listen. */
static hx_status run_with_listeners(struct run *run, hx_run_options *wanted)
{
    const struct option_values *names = &run->command->options->values[OPTION_LISTEN];
    hx_listener **open = calloc(names->count + 2, sizeof *open);
    hx_status status = open ? HX_OK : diag_no_memory(run->command->diag);
    if (status == HX_OK && wanted->launch.counts == HX_COUNT_ALL &&
        !option_value(run->command->options, OPTION_EXPLORE))
        status = hx_fidelity_log_new(NULL, run->command->diag, &run->fidelity);
    size_t count = 0;
    for (; status == HX_OK && count < names->count; count++)
        status = hx_listener_open(names->items[count].text, console_write_error, run->command->console,
                                  run->command->diag, &open[count]);
    wanted->launch.listeners = (const hx_listener *const *)open;
    wanted->launch.listener_count = (uint32_t)count;
    if (status == HX_OK)
        status = hot_lines_prepare(run, &wanted->launch);
    if (run->fidelity)
        open[wanted->launch.listener_count++] =
            (hx_listener *)(uintptr_t)hx_fidelity_log_listener(run->fidelity);
    if (status == HX_OK)
        status = run_or_explore(run, wanted);
    for (size_t i = 0; i < count; i++)
        status = command_keep(status, hx_listener_close(open[i]));
    free(open);
    return status;
}

hx_run_options run_wanted(struct run *run)
{
    const struct options *options = run->command->options;
    hx_run_options wanted = {.size = sizeof wanted,
                             .checks = run->checks,
                             .kernel = option_text(options, OPTION_KERNEL),
                             .replay = option_text(options, OPTION_REPLAY),
                             .repeat = (uint32_t)option_number(options, OPTION_REPEAT, 1),
                             .launched = remember_launch,
                             .user = run,
                             .launch = {.size = sizeof wanted.launch}};
    hx_launch_options *launch = &wanted.launch;
    const struct option_value *grid = option_value(options, OPTION_GRID);
    const struct option_value *block = option_value(options, OPTION_BLOCK);
    if ((wanted.has_grid = grid != NULL))
        memcpy(launch->grid, grid->shape, sizeof launch->grid);
    if ((wanted.has_block = block != NULL))
        memcpy(launch->block, block->shape, sizeof launch->block);
    wanted.has_dynamic_shared = option_value(options, OPTION_DYNAMIC_SHARED) != NULL;
    launch->dynamic_shared_bytes = option_number(options, OPTION_DYNAMIC_SHARED, 0);
    launch->workers = (uint32_t)option_number(options, OPTION_WORKERS, 0);
    launch->warp_size = (uint32_t)option_number(options, OPTION_WARP_SIZE, 0);
    launch->gang_lanes = (uint32_t)option_number(options, OPTION_GANG, 0);
    launch->plain = option_is_on(options, OPTION_PLAIN);
    launch->tier = option_tier(options);
    launch->no_cache = option_is_on(options, OPTION_NO_CACHE);
    launch->timeout_ns = option_number(options, OPTION_TIMEOUT, 0);
    launch->max_instructions = option_number(options, OPTION_MAX_INSTRUCTIONS, 0);
    launch->seed = option_number(options, OPTION_SEED, 0);
    const bool shows_issues = option_is_on(options, OPTION_VERBOSE) || option_is_on(options, OPTION_JSON) ||
                              option_is_on(options, OPTION_CSV);
    launch->counts = shows_issues ? HX_COUNT_ALL : HX_COUNT_THREADS;
    launch->print = print_kernel_text;
    launch->print_user = run;
    return wanted;
}

static void print_nothing(void *user, const char *text, size_t bytes)
{
    (void)user;
    (void)text;
    (void)bytes;
}

static int go_on(void *user, const hx_violation_event *event)
{
    (void)user;
    (void)event;
    return 1;
}

/* A profile is made of runs that are not checked; what they would print, the first one keeps. Mistakes that
 * are found let the run go on, and so they do with the runs of the profile. */
static hx_status profile_checked(struct run *run, hx_run_options *wanted)
{
    static const hx_listener lenient = {
        .size = sizeof lenient, .events = HX_EVENT_VIOLATION, .violation = go_on};
    static const hx_listener *const alone[] = {&lenient};
    hx_run_options checked = *wanted;
    checked.launched = NULL;
    checked.launch.print = print_nothing;
    wanted->checks = NULL;
    const hx_status status =
        run->checks ? hx_context_run(run->context, &checked, run->command->diag, &run->result) : HX_OK;
    if (run->checks && (hx_checks_kinds(run->checks) & HX_CHECK_MEMORY)) {
        wanted->launch.listeners = alone;
        wanted->launch.listener_count = 1;
    }
    return status == HX_OK ? profile_program(run, wanted) : status;
}

static hx_status run_program(struct run *run)
{
    hx_run_options wanted = run_wanted(run);
    struct progress_line *line = progress_start(
        run->command,
        run->wants_profile || run->wants_exports || run->wants_coverage ? PROGRESS_PROFILE : PROGRESS_RUN);
    wanted.launch.progress = progress_of(line);
    catch_signals(run->context);
    hx_status status = run->wants_profile || run->wants_exports || run->wants_coverage
                           ? profile_checked(run, &wanted)
                           : run_with_listeners(run, &wanted);
    catch_signals(NULL);
    progress_stop(line);
    run->ran = status == HX_OK || run->launch_count > 0;
    return status;
}

/* --out: also after a fault, a bound or Ctrl-C; what was written until then is there. */
static hx_status save_buffers(const struct run *run)
{
    const struct option_values *values = &run->command->options->values[OPTION_OUT];
    hx_status status = HX_OK;
    hx_array_view view;
    for (size_t i = 0; run->ran && i < values->count; i++)
        if (run->status == HX_OK ||
            hx_context_buffer(run->context, values->items[i].name, NULL, &view) == HX_OK)
            status = command_keep(status, hx_context_save_buffer(run->context, values->items[i].name,
                                                                 values->items[i].rest, run->command->diag));
    return status;
}
