/* The program hexec: reads the command line, runs the command, reports, ends with the exit code of its
 * status. Everything it does it does through include/hexec, but for text and diagnostics, which it shares
 * with the library's own messages. */
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hx_status (*const commands[COMMAND_COUNT])(struct command *) = {
    [COMMAND_RUN] = cmd_run,         [COMMAND_PROFILE] = cmd_profile, [COMMAND_CHECK] = cmd_check,
    [COMMAND_ASM] = cmd_asm,         [COMMAND_DISASM] = cmd_disasm,   [COMMAND_ISA] = cmd_isa,
    [COMMAND_EXPLAIN] = cmd_explain, [COMMAND_TEST] = cmd_test,       [COMMAND_SCHEMA] = cmd_schema,
    [COMMAND_BENCH] = cmd_bench,     [COMMAND_COMPARE] = cmd_compare, [COMMAND_TRACE] = cmd_trace,
    [COMMAND_DOCTOR] = cmd_doctor,   [COMMAND_INIT] = cmd_init,       [COMMAND_IMPORT] = cmd_import,
    [COMMAND_APP] = cmd_app,         [COMMAND_DEBUG] = cmd_debug,
};

/* A standard stream that the caller closed is opened for the other direction, so that a file opened later
 * does not take its number and a write to it fails as it should. */
static void hold_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0)
                _exit(hx_status_exit_code(HX_SYSTEM));
}

/* --help, --version, --generate, and a call without a command. */
static hx_status answer(struct command *command, bool *ret_answered)
{
    const struct options *options = command->options;
    struct text out HX_AUTO(text_done) = {0};
    *ret_answered = true;
    if (option_is_on(options, OPTION_VERSION))
        text_print(&out, "hexec %s\n", hx_version());
    else if (option_value(options, OPTION_GENERATE))
        (option_number(options, OPTION_GENERATE, 0) ? help_print_bash : help_print_man)(&out);
    else if (option_is_on(options, OPTION_HELP))
        help_print(&out, options->has_command ? options->command : COMMAND_COUNT);
    else if (!options->has_command)
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "write hexec PROGRAM to run one; hexec --help lists the commands",
                           "hexec: no program and no command");
    else
        *ret_answered = false;
    return console_write_text(command->console, &out);
}

/* The command, and in event files the span that stands for the process. */
static hx_status run_traced(struct command *command)
{
#if HX_TRACING
    const hx_trace_place frame = {.last_part = UINT32_MAX, .only_files = 1};
    hx_perf_site *site = option_value(command->options, OPTION_TRACE) ? hx_trace_perf_site("hexec") : NULL;
    const uint64_t start = site ? hx_trace_ticks() : 0;
#endif
    const hx_status status = commands[command->options->command](command);
#if HX_TRACING
    const hx_field fields[] = {HX_STR("command", command_table[command->options->command].name)};
    if (site)
        hx_trace_perf_put(site, &frame, start, hx_trace_ticks(), fields, HX_COUNT_OF(fields));
#endif
    return status;
}

/* At once, and not with the diagnostics at the end: a run may take hours. */
static void warn_of_log(void *user, const char *message)
{
    struct text text HX_AUTO(text_done) = {0};
    text_print(&text, "warning[HX%d]: %s\n", DIAG_TRACE_LOST, message);
    if (!text.failed)
        (void)console_write_error(user, text.at, text.length);
}

hx_trace_options command_trace_options(const struct options *options)
{
    static const int colors[] = {[COLOR_AUTO] = 0, [COLOR_ALWAYS] = 1, [COLOR_NEVER] = -1};
    return (hx_trace_options){.size = sizeof(hx_trace_options),
                              .log_file = option_text(options, OPTION_LOG_FILE),
                              .timeout_ns = option_number(options, OPTION_TIMEOUT, 0),
                              .log_failed = warn_of_log,
                              .color = colors[option_number(options, OPTION_COLOR, COLOR_AUTO)]};
}

/* A log file is emptied before the program is read that may name it as an input. What is wrong with the
 * program is reported by the command. */
static hx_status check_log_file(struct command *command)
{
    const struct options *options = command->options;
    const char *log = option_text(options, OPTION_LOG_FILE);
    struct stat about;
    if ((options->command != COMMAND_RUN && options->command != COMMAND_PROFILE) || !log ||
        options->argument_count == 0 || stat(log, &about) != 0 || !S_ISREG(about.st_mode))
        return HX_OK;
    const hx_context_options wanted = {.size = sizeof wanted, .isa_path = option_text(options, OPTION_ISA)};
    hx_context *context HX_AUTO(command_close) = NULL;
    if (hx_context_new(&wanted, NULL, &context) != HX_OK ||
        hx_context_load(context, options->arguments[0], NULL) != HX_OK)
        return HX_OK;
    return outputs_check(command, hx_context_program(context));
}

/* What is known before anything is opened. */
static hx_status check_outputs(struct command *command)
{
    const hx_status status = outputs_check(command, NULL);
    return status == HX_OK ? check_log_file(command) : status;
}

static hx_status run_command(struct command *command)
{
    bool answered = false;
    hx_status status = answer(command, &answered);
    if (answered)
        return status;
    const struct options *options = command->options;
    diag_step(command->diag, "while starting command", command_table[options->command].name, 0,
              (struct place){0});
    hx_diag_set_strict(command->diag, option_is_on(options, OPTION_STRICT));
    if (options->command == COMMAND_DOCTOR) /* which prints the settings of tracing, and traces nothing */
        return cmd_doctor(command);
    hx_trace_options trace = command_trace_options(options);
    trace.user = command->console;
    struct arena arena HX_AUTO(arena_done) = {0};
    status = check_outputs(command);
    if (status == HX_OK)
        status = command_trace_files(command, &arena, &trace);
    if (status == HX_OK)
        status = hx_trace_init(&trace, command->diag);
    if (status == HX_OK)
        status = run_traced(command);
    const hx_status written = hx_trace_finish(command->diag);
    return status == HX_INTERRUPTED && written == HX_IO ? written : command_keep(status, written);
}

hx_source_options command_source(const struct command *command)
{
    return (hx_source_options){
        .size = sizeof(hx_source_options),
        .compiler_options = option_text(command->options, OPTION_OPTIONS),
        .no_cache = option_is_on(command->options, OPTION_NO_CACHE),
        .level = (hx_source_level)option_number(command->options, OPTION_SOURCE, HX_SOURCE_WRITTEN),
        .check_indexes = option_text(command->options, OPTION_CHECK) != NULL,
        .for_debugging = command->options->command != COMMAND_DEBUG         ? 0
                         : option_is_on(command->options, OPTION_OPTIMIZED) ? 2
                                                                            : 1};
}

hx_status command_open(struct command *command, hx_context **ret_context)
{
    const hx_context_options options = {.size = sizeof options,
                                        .isa_path = option_text(command->options, OPTION_ISA),
                                        .source = command_source(command)};
    return hx_context_new(&options, command->diag, ret_context);
}

hx_status command_load(struct command *command, hx_context **ret_context)
{
    hx_context *context = NULL;
    hx_status status = command_open(command, &context);
    if (status == HX_OK)
        status = hx_context_load(context, command->options->arguments[0], command->diag);
    if (status == HX_OK)
        *ret_context = context;
    else
        hx_context_free(context);
    return status;
}

static const char no_memory_at_all[] = "error[HX1000]: out of memory while starting\n";

int main(int argc, char **argv)
{
    hold_standard_streams();
    /* A reader that has gone away, or a file that may not grow further, is an error of the write, not the end
     * of the process. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    hx_diag *diag = NULL;
    struct options options;
    struct console console;
    console_init(&console, COLOR_AUTO);
    if (hx_diag_new(NULL, &diag) != HX_OK) {
        (void)!write(STDERR_FILENO, no_memory_at_all, strlen(no_memory_at_all));
        return hx_status_exit_code(HX_NO_MEMORY);
    }
    diag_step(diag, "while reading the command line", NULL, 0, (struct place){0});
    hx_status status = options_parse(argc, argv, diag, &options);
    console_init(&console, (enum color_when)option_number(&options, OPTION_COLOR, COLOR_AUTO));
    /* what check finds is its result */
    console.is_quiet = option_is_on(&options, OPTION_QUIET) && options.command != COMMAND_CHECK;
    console.is_verbose = option_is_on(&options, OPTION_VERBOSE);
    struct command command = {.options = &options, .console = &console, .diag = diag};
    if (status == HX_OK)
        status = run_command(&command);
    if (status == HX_NO_MEMORY) /* what had no list at hand to say it */
        (void)diag_no_memory(diag);
    console_report(&console, diag);
    hx_status written = console_close(&console, diag);
    progress_free(console.progress);
    options_done(&options);
    hx_diag_free(diag);
    status = command_keep(status, written);
    return status == HX_OK ? command.exit_code : hx_status_exit_code(status);
}
