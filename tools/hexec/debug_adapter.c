/* hexec debug --dap: opens the programs that an editor wants to debug, for the server of hexec/debug.h. */
#include "run.h"

#include "hexec/debug.h"

#include <unistd.h>

/* What one launch of the client made. */
struct adapter {
    struct command *server; /* that was typed */
    struct arena words;     /* the launch's arguments, which the options borrow */
    struct options options;
    struct command command;
    struct run run;
};

static void close_run(struct adapter *adapter)
{
    run_done(&adapter->run);
    options_done(&adapter->options);
    arena_done(&adapter->words);
    adapter->run = (struct run){0};
    adapter->options = (struct options){0};
}

static void close_program(void *user, hx_context *context)
{
    (void)context; /* the run's */
    close_run(user);
}

/* Reads a launch's arguments as if they were typed behind `hexec debug PROGRAM`. */
static hx_status read_options(struct adapter *adapter, const char *program, const char *const *arguments,
                              size_t count, hx_diag *diag)
{
    arena_init(&adapter->words, NULL);
    char **words = ARENA_ARRAY(&adapter->words, char *, count + 4);
    bool is_good = words != NULL;
    for (size_t i = 0; is_good && i < count + 3; i++) {
        const char *word = i == 0 ? "hexec" : i == 1 ? "debug" : i == 2 ? program : arguments[i - 3];
        is_good = (words[i] = arena_format(&adapter->words, "%s", word)) != NULL;
    }
    return is_good ? options_parse((int)count + 3, words, diag, &adapter->options) : diag_no_memory(diag);
}

static hx_status open_program(void *user, const char *program, const char *const *arguments, size_t count,
                              hx_diag *diag, hx_context **ret_context, hx_run_options *ret_run)
{
    struct adapter *adapter = user;
    const struct options *typed = adapter->server->options;
    hx_status status = HX_OK;
    adapter->command = *adapter->server;
    adapter->command.diag = diag;
    if (program) {
        status = read_options(adapter, program, arguments, count, diag);
        adapter->command.options = &adapter->options;
    } else if (typed->argument_count == 0 || count > 0)
        status = diag_report(diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                             "launch has 'program', its path, and 'args', the options of hexec debug",
                             "the launch names no program");
    adapter->run = (struct run){.command = &adapter->command};
    if (status == HX_OK)
        status = run_prepare(&adapter->run);
    if (status != HX_OK) {
        close_run(adapter);
        return status;
    }
    *ret_context = adapter->run.context;
    *ret_run = run_wanted(&adapter->run);
    return HX_OK;
}

hx_status debug_serve(struct command *command)
{
    struct adapter adapter = {.server = command};
    const hx_debug_server server = {.size = sizeof server,
                                    .input = STDIN_FILENO,
                                    .output = STDOUT_FILENO,
                                    .open = open_program,
                                    .close = close_program,
                                    .user = &adapter};
    return hx_debug_serve(&server, command->diag);
}
