/* hexec debug: reads commands, from scripts, options, a terminal or a pipe, and gives them to the debugger of
 * hexec/debug.h. On a terminal lines are edited with libedit, if the build has it. */
#include "run.h"

#include "hexec/debug.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#if HX_EDIT
#include <editline/readline.h>
#endif

/* A signal handler and libedit's completion are given nothing that leads to it. */
static hx_debugger *volatile current;
static volatile sig_atomic_t is_interrupted; /* since a line was begun */

static void interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
    hx_debugger_interrupt(current);
}

/* Ctrl-C stops the program, not the debugger; where a line is typed it cancels the line. */
static void catch_interrupt(hx_debugger *debugger)
{
    struct sigaction action = {.sa_handler = debugger ? interrupt : SIG_DFL, .sa_flags = SA_RESTART};
    current = debugger;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static hx_status do_line(struct command *command, hx_debugger *debugger, const char *line)
{
    return hx_debugger_command(debugger, line, console_write, command->console, command->diag);
}

/* ---- A terminal ---------------------------------------------------------------------------------------- */

#if HX_EDIT
static char *next_word(const char *text, int state)
{
    static size_t index;
    index = state ? index + 1 : 0;
    const char *word = hx_debugger_complete(current, rl_line_buffer, index);
    const char *blank = strrchr(rl_line_buffer, ' ');
    const size_t typed = strlen(blank ? blank + 1 : rl_line_buffer), begun = strlen(text);
    const size_t before = typed > begun ? typed - begun : 0; /* the editor's words end at more than blanks */
    return word && strlen(word) >= before ? strdup(word + before) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    (void)end;
    rl_attempted_completion_over = 1;
    char **matches = rl_completion_matches(text, next_word);
    const size_t length = matches && !matches[1] ? strlen(matches[0]) : 0;     /* of a single one */
    const bool goes_on = length > 0 && strchr("/.:>", matches[0][length - 1]); /* a member, or a file */
    rl_completion_append_character = goes_on ? 0 : ' ';
    return matches;
}
#endif

#if HX_EDIT
/* A character of the terminal; EOF: its end, or Ctrl-C. That can come only while this waits: libedit's own
 * read misses it, or never returns, when it comes as a line begins. */
static int read_key(FILE *in)
{
    const int file = fileno(in);
    mbstate_t state = {0};
    sigset_t unblocked;
    wchar_t wide = 0;
    pthread_sigmask(SIG_SETMASK, NULL, &unblocked);
    sigdelset(&unblocked, SIGINT);
    for (;;) {
        struct pollfd waits = {.fd = file, .events = POLLIN};
        unsigned char byte;
        const int ready = ppoll(&waits, 1, NULL, &unblocked);
        if (is_interrupted)
            return EOF;
        if (ready < 0 && errno == EINTR) /* a window that has another size, or a program that was stopped */
            continue;
        if (ready < 0 || read(file, &byte, 1) != 1)
            return EOF;
        const size_t length = mbrtowc(&wide, (const char *)&byte, 1, &state);
        if (length == (size_t)-2)
            continue;
        return length == (size_t)-1 ? byte : (int)wide;
    }
}

/* The line editor takes Ctrl-C for the end of the input: then a new line is begun. */
static char *edit_line(void)
{
    char *line;
    sigset_t interrupt_alone, before;
    sigemptyset(&interrupt_alone);
    sigaddset(&interrupt_alone, SIGINT);
    rl_attempted_completion_function = complete;
    rl_getc_function = read_key;
    pthread_sigmask(SIG_BLOCK, &interrupt_alone, &before);
    do {
        is_interrupted = 0;
        line = readline(hx_debugger_prompt(current));
        if (!line && is_interrupted) {
            fputs("\n", stdout);
            hx_debugger_cancel(current);
        }
    } while (!line && is_interrupted);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (line && *line)
        add_history(line);
    return line;
}
#endif

/* A line without its end, to be freed; NULL at the end of the input. */
static char *read_line(bool is_terminal)
{
#if HX_EDIT
    if (is_terminal)
        return edit_line();
#endif
    char *line = NULL;
    size_t room = 0;
    if (is_terminal) {
        fputs(hx_debugger_prompt(current), stdout);
        fflush(stdout);
    }
    const ssize_t length = getline(&line, &room, stdin);
    if (length < 0) {
        free(line);
        return NULL;
    }
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = 0;
    return line;
}

/* A command that is wrong is reported, and the next one read; from a pipe it decides the exit code. */
static hx_status read_commands(struct command *command, hx_debugger *debugger)
{
    const bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    hx_status status = HX_OK;
    char *line;
    while (!hx_debugger_is_done(debugger) && (line = read_line(is_terminal))) {
        const hx_status done = do_line(command, debugger, line);
        free(line);
        if (done != HX_OK && done != HX_INVALID)
            return done;
        if (fflush(stdout) != 0) /* a program at the other end of a pipe waits for the answer */
            return HX_IO;
        if (done == HX_INVALID) { /* at once: a program at the other end may wait for it */
            console_report(command->console, command->diag);
            hx_diag_clear(command->diag);
        }
        if (!is_terminal)
            status = command_keep(status, done);
    }
    return status;
}

/* ---- Scripts ------------------------------------------------------------------------------------------- */

static hx_status do_script(struct command *command, hx_debugger *debugger, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    hx_status status = HX_OK;
    if (!file) {
        (void)diag_report(command->diag, DIAG_FILE_READ, (struct place){0}, NULL, "cannot open script %s: %s",
                          path, strerror(errno));
        return HX_IO;
    }
    for (int number = 1;
         status == HX_OK && !hx_debugger_is_done(debugger) && getline(&line, &room, file) >= 0; number++) {
        line[strcspn(line, "\n")] = 0;
        if (!*line) /* which would do the command before again */
            continue;
        status = do_line(command, debugger, line);
    }
    free(line);
    fclose(file);
    return status;
}

static hx_status do_given(struct command *command, hx_debugger *debugger)
{
    const struct option_values *scripts = &command->options->values[OPTION_SCRIPT];
    const struct option_values *lines = &command->options->values[OPTION_EVAL];
    hx_status status = HX_OK;
    for (size_t i = 0; i < scripts->count && status == HX_OK; i++)
        status = do_script(command, debugger, scripts->items[i].text);
    for (size_t i = 0; i < lines->count && status == HX_OK && !hx_debugger_is_done(debugger); i++)
        status = do_line(command, debugger, lines->items[i].text);
    return status;
}

/* A session of a person is no failure, whatever the program did; a script's exit code is that of `run`. */
static hx_status debug(struct run *run)
{
    struct command *command = run->command;
    const hx_run_options wanted = run_wanted(run);
    const hx_debug_options options = {
        .size = sizeof options, .run = &wanted, .color = command->console->color_out};
    const bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    hx_debugger *debugger = NULL;
    hx_status status = hx_debugger_new(run->context, &options, command->diag, &debugger);
    if (status != HX_OK)
        return status;
    catch_interrupt(debugger);
    status = do_given(command, debugger);
    if (status == HX_OK && !option_is_on(command->options, OPTION_BATCH))
        status = read_commands(command, debugger);
    catch_interrupt(NULL);
    run->status = hx_debugger_outcome(debugger);
    hx_debugger_free(debugger);
    checks_finish(run);
    if (!is_terminal || option_is_on(command->options, OPTION_BATCH))
        command->exit_code = hx_status_exit_code(run->status);
    return status;
}

hx_status cmd_debug(struct command *command)
{
    struct run run HX_AUTO(run_done) = {.command = command};
    if (option_is_on(command->options, OPTION_DAP))
        return debug_serve(command);
    const hx_status status = run_prepare(&run);
    if (status != HX_OK)
        return status;
    console_report(command->console, command->diag); /* notes, before the first answer */
    hx_diag_clear(command->diag);
    return debug(&run);
}
