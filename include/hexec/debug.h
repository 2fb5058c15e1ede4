/* The debugger: runs a context's program, stops it at events, shows what threads have, and goes back in time.
 *
 *     hx_debugger *debugger;
 *     hx_debugger_new(context, NULL, diag, &debugger);
 *     hx_debugger_command(debugger, "break 12 if r3 > 100", write, user, diag);
 *     hx_debugger_command(debugger, "continue", write, user, diag);
 *     hx_debugger_command(debugger, "print r3", write, user, diag);
 *     hx_debugger_free(debugger);
 *
 * The program runs on a thread of the debugger with one worker, a warp at a time, so that each run is the
 * same as the one before. Time is counted in steps: one instruction of one warp. To go back, the debugger
 * runs the program again up to an earlier step, from a snapshot before it. `help` is the manual of the
 * commands. */
#pragma once

#include "hexec/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hx_debugger hx_debugger;

typedef struct hx_debug_options {
    size_t size;               /* sizeof (hx_debug_options) */
    const hx_run_options *run; /* what to run and in which shape; copied, what it borrows is borrowed until
                                  the debugger is freed. Listeners, workers and gangs are the debugger's.
                                  NULL: all of the program. With `checks` the program stops at findings */
    int color;                 /* not 0: ANSI colours in answers */
} hx_debug_options;

/* Makes a debugger for the program that the context has loaded, stopped before the first step. Borrows the
 * context until it is freed; nothing else may run in it until then. `options` may be NULL. HX_INVALID (no
 * program), HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_debugger_new(hx_context *context, const hx_debug_options *options,
                                               hx_diag *diag, hx_debugger **ret_debugger);
/* Ends the run, wherever it is. NULL is fine. */
HX_API void hx_debugger_free(hx_debugger *debugger);
/* Does one command line and writes its answer, in whole lines. A command that lets the program run returns
 * when it has stopped. HX_INVALID for a command that is wrong or cannot be done now, with the reason in
 * `diag`; what `write` returned; HX_NO_MEMORY. What ends the program, a fault for instance, is part of the
 * answer and no failure of the command. */
HX_API HX_MUST_CHECK hx_status hx_debugger_command(hx_debugger *debugger, const char *line,
                                                   hx_write_function write, void *user, hx_diag *diag);
/* What a terminal shows before the next line: "(hexec) ", or "> " where the line is one of the commands of a
 * breakpoint, which are kept up to `end`. */
HX_API const char *hx_debugger_prompt(const hx_debugger *debugger);
/* What is typed is given up: commands of a breakpoint that are being kept are not, and the prompt is that of
 * commands again. */
HX_API void hx_debugger_cancel(hx_debugger *debugger);
/* Not 0 after the command quit. */
HX_API int hx_debugger_is_done(const hx_debugger *debugger);
/* How the program has ended, where it has: HX_FAULT where it is stopped at its fault, too; HX_OK before.
 * HX_INVALID for NULL. */
HX_API hx_status hx_debugger_outcome(const hx_debugger *debugger);
/* Stops the running program as soon as a warp has a step to do. Async-signal-safe; any thread. */
HX_API void hx_debugger_interrupt(hx_debugger *debugger);
/* The completions of the last word of `line`, in order: the one at `index`, borrowed until others
 * are wanted: begin with 0. NULL beyond the end. */
HX_API const char *hx_debugger_complete(const hx_debugger *debugger, const char *line, size_t index);

/* ---- Editors --------------------------------------------------------------------------------------------
 */

/* A server of the Debug Adapter Protocol for one client. */
typedef struct hx_debug_server {
    size_t size;       /* sizeof (hx_debug_server) */
    int input, output; /* file descriptors: requests are read from one, answers and events written to the
                          other. Borrowed, and nothing else may use them. Where the other end of `output` may
                          close, the host ignores SIGPIPE */
    /* Makes a context and loads what the client wants to be debugged. `program` is the path that it gave,
     * NULL for none; `arguments` are its further words, as a command line has them. *ret_run, which is zeros,
     * becomes how to run it. Called again for each launch. What fails is reported to the client with the
     * first error of `diag`. */
    hx_status (*open)(void *user, const char *program, const char *const *arguments, size_t count,
                      hx_diag *diag, hx_context **ret_context, hx_run_options *ret_run);
    /* Frees the context that `open` made, and what its run options borrow. */
    void (*close)(void *user, hx_context *context);
    void *user; /* of both; they are called on the thread of hx_debug_serve */
} hx_debug_server;

/* Serves a client until it disconnects or the input ends. The calling thread answers; another one reads.
 * HX_INVALID for a server without functions, and when what comes is no message of the protocol; HX_IO when it
 * cannot be answered; HX_SYSTEM without a thread; HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_debug_serve(const hx_debug_server *server, hx_diag *diag);

#ifdef __cplusplus
}
#endif
