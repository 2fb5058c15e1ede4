/* Commands that do other commands: what a debugger keeps of them, and what leads to them. */
#pragma once

#include "debug/debug.h"

/* Lines between `commands` and `end` are kept, and not done. */
bool script_is_reading(const struct hx_debugger *debugger);
/* Keeps a line, or does it and what it leads to. */
HX_MUST_CHECK hx_status script_line(struct hx_debugger *debugger, struct slice line);
/* The run has stopped: commands of its breakpoint are due. Is nothing to be said of the stop? */
bool script_at_stop(struct hx_debugger *debugger);
/* The same where no line of the debugger has let it run: what they say goes to the function. */
HX_MUST_CHECK hx_status script_do_at_stop(struct hx_debugger *debugger, hx_write_function write, void *user,
                                          hx_diag *diag);
void script_done(struct hx_debugger *debugger);
