/* Loads the program of a run. The debugger compiles files in its own way, and a replay token is of the code
 * that `hexec run` has made: with --replay the file is compiled in each way in turn, until the token fits. */
#include "run.h"

static hx_status open_compiled(struct run *run, const hx_source_options *source)
{
    const struct options *options = run->command->options;
    const hx_context_options wanted = {
        .size = sizeof wanted,
        .isa_path = option_text(options, OPTION_ISA),
        .source = *source,
        .device = {.size = sizeof wanted.device,
                   .workers = (uint32_t)option_number(options, OPTION_WORKERS, 0),
                   .max_memory_bytes = option_number(options, OPTION_MAX_MEMORY, 0),
                   .cpu_level = option_cpu_level(options)}};
    const hx_status status = hx_context_new(&wanted, run->command->diag, &run->context);
    return status == HX_OK ? hx_context_load(run->context, options->arguments[0], run->command->diag)
                           : status;
}

/* A context has one way of compiling: the next way needs another one. */
static void close_context(struct run *run)
{
    hx_context_free(run->context);
    run->context = NULL;
    hx_diag_clear(run->command->diag);
}

/* As `hexec run` compiles, with or without --check. */
static hx_status find_fitting(struct run *run, const hx_source_options *asked, bool *ret_fits)
{
    const char *token = option_text(run->command->options, OPTION_REPLAY);
    hx_source_options source = *asked;
    hx_status status = HX_OK;
    source.for_debugging = 2;
    *ret_fits = false;
    for (int i = 0; i < 2 && status == HX_OK && !*ret_fits; i++) {
        close_context(run);
        source.check_indexes = asked->check_indexes ^ i;
        status = open_compiled(run, &source);
        *ret_fits = status == HX_OK && hx_context_fits_replay(run->context, token);
    }
    if (status != HX_OK || !*ret_fits)
        return status;
    return diag_report(run->command->diag, DIAG_REPLAY_COMPILED, (struct place){0}, NULL,
                       "the token is of the code that hexec run compiles%s: that is debugged",
                       source.check_indexes ? " with --check" : ", which is optimized");
}

hx_status replayed_load(struct run *run)
{
    const struct command *command = run->command;
    const hx_source_options asked = command_source(command);
    const char *token = option_text(command->options, OPTION_REPLAY);
    const bool is_asked = option_is_on(command->options, OPTION_OPTIMIZED);
    bool fits = false;
    hx_status status = open_compiled(run, &asked);
    if (status != HX_OK || command->options->command != COMMAND_DEBUG || !token || is_asked ||
        hx_context_fits_replay(run->context, token))
        return status;
    status = find_fitting(run, &asked, &fits);
    if (status != HX_OK || fits)
        return status;
    close_context(run); /* what differs is said when it is run */
    return open_compiled(run, &asked);
}
