/* What each command of hexec is given. */
#pragma once

#include "console.h"
#include "hexec/hexec.h"
#include "options.h"

struct command {
    const struct options *options;
    struct console *console;
    hx_diag *diag; /* reported by main when the command has ended */
    int exit_code; /* of a command that is well: that of hexec app's program */
};

/* A command returns what decides the exit code; the details are in `diag`. */
hx_status cmd_run(struct command *command);
hx_status cmd_profile(struct command *command);
hx_status cmd_check(struct command *command);
hx_status cmd_asm(struct command *command);
hx_status cmd_disasm(struct command *command);
hx_status cmd_isa(struct command *command);
hx_status cmd_explain(struct command *command);
hx_status cmd_test(struct command *command);
hx_status cmd_bench(struct command *command);
hx_status cmd_schema(struct command *command);
hx_status cmd_init(struct command *command);
hx_status cmd_import(struct command *command);
hx_status cmd_compare(struct command *command);
hx_status cmd_trace(struct command *command);
hx_status cmd_doctor(struct command *command);
hx_status cmd_app(struct command *command);
hx_status cmd_debug(struct command *command);
/* hexec debug --dap: serves an editor on standard input and output. In debug_adapter.c. */
hx_status debug_serve(struct command *command);

/* How tracing is set up by the options that every command has: --log-file and --color. In main.c. */
hx_trace_options command_trace_options(const struct options *options);

/* The option --trace, in the form that hx_trace_options takes: KIND:FILE with the file's name made up
 * where there is none. Lives as long as `arena`; HX_NO_MEMORY. In cmd_trace.c. */
HX_MUST_CHECK hx_status command_trace_files(const struct command *command, struct arena *arena,
                                            hx_trace_options *ret_options);
/* HX_INVALID when a file that the command's options have it write is one that it reads, or that another of
 * them has it write. `program`, when not NULL, names further files that are read. In outputs.c. */
HX_MUST_CHECK hx_status outputs_check(const struct command *command, const hx_program *program);
/* Are both names of one file, or would they be once it is there? */
bool outputs_same_file(const char *a, const char *b);
/* Makes a context with the instruction set that --isa names; in main.c. */
/* What --options and --no-cache say. */
hx_source_options command_source(const struct command *command);
HX_MUST_CHECK hx_status command_open(struct command *command, hx_context **ret_context);
/* The same, and loads the program that is the command's first argument. */
HX_MUST_CHECK hx_status command_load(struct command *command, hx_context **ret_context);
/* Frees a context; in the form that HX_AUTO takes. */
static inline void command_close(hx_context **context)
{
    hx_context_free(*context);
}
/* As hx_device_options takes it: NULL for the best of the machine. */
static inline const char *option_cpu_level(const struct options *options)
{
    const struct option_value *level = option_value(options, OPTION_CPU_LEVEL);
    return level && level->number > 0 ? level->text : NULL;
}
/* hx_tier: the words of the option are in its order. */
static inline uint32_t option_tier(const struct options *options)
{
    const struct option_value *tier = option_value(options, OPTION_TIER);
    return tier ? (uint32_t)tier->number : HX_TIER_AUTO;
}
/* The first failure counts. */
static inline hx_status command_keep(hx_status sum, hx_status next)
{
    return sum == HX_OK ? next : sum;
}
