/* The table of commands, and what each of them does with the words behind its name. */
#pragma once

#include "debug/debug.h"

typedef hx_status (*debug_function)(struct hx_debugger *debugger, struct slice rest);
/* Does something whose output, and whose errors, go to the caller's places. */
HX_MUST_CHECK hx_status debug_do_for(struct hx_debugger *debugger, hx_write_function write, void *user,
                                     hx_diag *diag, debug_function does, struct slice rest);
struct debug_command {
    const char *name, *alias, *arguments, *help;
    debug_function function;
    bool repeats; /* an empty line does it again */
};
extern const struct debug_command debug_commands[];
extern const size_t debug_command_count;

/* The commands, by file. */
hx_status command_run(struct hx_debugger *debugger, struct slice rest);
hx_status command_continue(struct hx_debugger *debugger, struct slice rest);
hx_status command_step(struct hx_debugger *debugger, struct slice rest);
hx_status command_stepi(struct hx_debugger *debugger, struct slice rest);
hx_status command_next(struct hx_debugger *debugger, struct slice rest);
hx_status command_finish(struct hx_debugger *debugger, struct slice rest);
hx_status command_until(struct hx_debugger *debugger, struct slice rest);
hx_status command_start(struct hx_debugger *debugger, struct slice rest);
hx_status command_advance(struct hx_debugger *debugger, struct slice rest);
hx_status command_nexti(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_nexti(struct hx_debugger *debugger, struct slice rest);
hx_status command_goto(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_step(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_stepi(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_next(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_continue(struct hx_debugger *debugger, struct slice rest);
hx_status command_reverse_finish(struct hx_debugger *debugger, struct slice rest);
hx_status command_last_write(struct hx_debugger *debugger, struct slice rest);
hx_status command_set(struct hx_debugger *debugger, struct slice rest);
hx_status command_break(struct hx_debugger *debugger, struct slice rest);
hx_status command_tbreak(struct hx_debugger *debugger, struct slice rest);
hx_status command_watch(struct hx_debugger *debugger, struct slice rest);
hx_status command_wwatch(struct hx_debugger *debugger, struct slice rest);
hx_status command_rwatch(struct hx_debugger *debugger, struct slice rest);
hx_status command_awatch(struct hx_debugger *debugger, struct slice rest);
hx_status command_delete(struct hx_debugger *debugger, struct slice rest);
hx_status command_enable(struct hx_debugger *debugger, struct slice rest);
hx_status command_disable(struct hx_debugger *debugger, struct slice rest);
hx_status command_ignore(struct hx_debugger *debugger, struct slice rest);
hx_status command_condition(struct hx_debugger *debugger, struct slice rest);
hx_status command_findings(struct hx_debugger *debugger, struct slice rest);
hx_status command_print(struct hx_debugger *debugger, struct slice rest);
hx_status command_examine(struct hx_debugger *debugger, struct slice rest);
hx_status command_block(struct hx_debugger *debugger, struct slice rest);
hx_status command_thread(struct hx_debugger *debugger, struct slice rest);
hx_status command_display(struct hx_debugger *debugger, struct slice rest);
hx_status command_undisplay(struct hx_debugger *debugger, struct slice rest);
hx_status command_focus(struct hx_debugger *debugger, struct slice rest);
hx_status command_where(struct hx_debugger *debugger, struct slice rest);
hx_status command_frame(struct hx_debugger *debugger, struct slice rest);
hx_status command_up(struct hx_debugger *debugger, struct slice rest);
hx_status command_down(struct hx_debugger *debugger, struct slice rest);
hx_status command_lanes(struct hx_debugger *debugger, struct slice rest);
hx_status command_list(struct hx_debugger *debugger, struct slice rest);
hx_status command_disassemble(struct hx_debugger *debugger, struct slice rest);
hx_status command_info(struct hx_debugger *debugger, struct slice rest);
hx_status command_commands(struct hx_debugger *debugger, struct slice rest);
hx_status command_silent(struct hx_debugger *debugger, struct slice rest);
hx_status command_source_file(struct hx_debugger *debugger, struct slice rest);
hx_status command_echo(struct hx_debugger *debugger, struct slice rest);
hx_status command_printf(struct hx_debugger *debugger, struct slice rest);
hx_status command_clear(struct hx_debugger *debugger, struct slice rest);
hx_status command_whatis(struct hx_debugger *debugger, struct slice rest);
hx_status command_ptype(struct hx_debugger *debugger, struct slice rest);
hx_status command_help(struct hx_debugger *debugger, struct slice rest);
hx_status command_quit(struct hx_debugger *debugger, struct slice rest);
