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

/* "warp", "block", "any", "thread" and a number, in any order, for the thread in focus. HX_INVALID. */
HX_MUST_CHECK hx_status travel_read_steps(struct hx_debugger *debugger, struct slice rest,
                                          struct stepping *ret_step, uint64_t *ret_times);
/* The scope of a word; SCOPE_COUNT: it is none. */
enum scope travel_scope(struct slice word);

/* ---- words.c */
/* The command that the first words of a line stand for, as other debuggers have them, and what stands behind
 * them; NULL: none. */
const char *words_meaning(struct slice line, struct slice *ret_rest);
/* What there is instead of a command that other debuggers have; NULL. */
const char *words_hint(struct slice word);
/* Single words that stand for commands, by index; NULL beyond the end. */
const char *words_synonym(size_t index);
/* Which of the names, up to NULL, a word is, or begins: the one that all others that it begins begin with.
 * SIZE_MAX: none. *ret_matches: so many it begins. */
size_t words_find_name(struct slice word, const char *(*name)(size_t index), size_t *ret_matches);
/* ---- coordinates.c */
/* A number, or what stands in parentheses: (1,2,3). */
struct slice debug_take_index(struct slice *rest);
/* What that numbers, of a grid or block of a shape. False: it is none, or not in the shape. */
bool debug_read_index(struct slice text, const uint32_t *shape, uint64_t *ret_number);
/* Where the thread in focus is. */
void debug_print_focus(struct hx_debugger *debugger);
/* ---- result.c */
/* The type that the function of a call returns; DWARF_NONE: nothing, or it is not known. */
uint32_t result_type(const struct engine *engine, const struct stand *stand);
/* Where the thread in focus has just returned from a function of this result: its value. */
void result_print(struct hx_debugger *debugger, uint32_t type);
/* ---- complete.c: forgets the completions of the last line */
void complete_forget(struct hx_debugger *debugger);
/* ---- commands.c */
/* The names of commands, and then single words of other debuggers, by index; NULL beyond the end. */
const char *debug_command_name(void *user, size_t index);
/* The command of this name or alias, or the one that a word begins; NULL. */
const struct debug_command *debug_find_command(struct slice word, size_t *ret_matches);

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
