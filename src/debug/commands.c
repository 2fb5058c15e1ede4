/* The commands of the debugger: the table of them, how a line is read, and what is printed at a stop. */
#include "debug/script.h"
#include "debug/table.h"

#include <stdio.h>
#include <string.h>

const struct debug_command debug_commands[] = {
    {"run", "r", "", "begins again, and runs until something stops it", command_run, false},
    {"start", NULL, "", "begins again, and stops where the kernel begins", command_start, false},
    {"continue", "c", "[N] [thread|warp|block]",
     "runs until something stops it; N: until the N-th time; of a thread, a warp or a block: only this one",
     command_continue, true},
    {"step", "s", "[N] [thread|warp|block|any]",
     "runs until the thread in focus reaches another line; until its warp does, or its block or any warp "
     "does a step",
     command_step, true},
    {"stepi", "si", "[N] [thread|warp|block|any]", "the same by instructions", command_stepi, true},
    {"next", "n", "[N] [thread|warp|block|any]", "as step, but a call is one step", command_next, true},
    {"finish", "fin", "", "runs until the thread in focus has returned from its function", command_finish,
     true},
    {"nexti", "ni", "[N] [thread|warp|block|any]", "as stepi, but a call is one step", command_nexti, true},
    {"until", "u", "[thread|warp|block] [PLACE]",
     "runs until the thread in focus reaches a line, or leaves its call; or one of its warp or block; "
     "without "
     "a place as next, but not back in a loop",
     command_until, true},
    {"advance", NULL, "PLACE", "runs until the thread in focus reaches a line, a label or a function",
     command_advance, false},
    {"goto", NULL, "TIME", "goes to the step of this number, forward or back", command_goto, false},
    {"reverse-step", "rs", "[N] [thread|warp|block|any]", "goes back to the line before",
     command_reverse_step, true},
    {"reverse-stepi", "rsi", "[N] [thread|warp|block|any]", "goes back an instruction", command_reverse_stepi,
     true},
    {"reverse-next", "rn", "[N] [thread|warp|block|any]", "as reverse-step, but a call is one step",
     command_reverse_next, true},
    {"reverse-nexti", "rni", "[N] [thread|warp|block|any]", "as reverse-stepi, but a call is one step",
     command_reverse_nexti, true},
    {"reverse-finish", NULL, "", "goes back to the call that the thread in focus is in",
     command_reverse_finish, false},
    {"reverse-continue", "rc", "[N] [thread|warp|block]",
     "goes back to where something would have stopped last; N: the N-th time before",
     command_reverse_continue, true},
    {"last-write", "lw", "PLACE", "goes back to the last write to y[3], an array, or an address",
     command_last_write, false},
    {"break", "b", "PLACE [block N] [thread N] [message TEXT] [if CONDITION]",
     "stops before a line, a label, a kernel's first instruction, *N (an instruction), or where the mask "
     "splits "
     "(diverge); a message with {EXPRESSION} is printed in place of a stop",
     command_break, false},
    {"tbreak", "tb", "PLACE ...", "the same, once", command_tbreak, false},
    {"watch", NULL, "PLACE [if CONDITION]", "stops when memory changes: y[3], an array, *f32 ADDRESS",
     command_watch, false},
    {"wwatch", NULL, "PLACE [if CONDITION]", "the same for each write", command_wwatch, false},
    {"rwatch", NULL, "PLACE [if CONDITION]", "the same for each read", command_rwatch, false},
    {"awatch", NULL, "PLACE [if CONDITION]", "the same for both", command_awatch, false},
    {"delete", "d", "[NUMBER...]", "removes breakpoints and watchpoints; without a number all of them",
     command_delete, false},
    {"clear", NULL, "[PLACE]", "removes the breakpoints of a place, or of the present line", command_clear,
     false},
    {"enable", NULL, "[NUMBER...]", "lets them stop again", command_enable, false},
    {"disable", NULL, "[NUMBER...]", "keeps them, but they do not stop", command_disable, false},
    {"ignore", NULL, "NUMBER COUNT", "the next COUNT hits do not stop", command_ignore, false},
    {"condition", NULL, "NUMBER [CONDITION]", "stops only where it holds; without one always",
     command_condition, false},
    {"commands", NULL, "[NUMBER]",
     "what follows, up to a line 'end', is done where the breakpoint has stopped; 'silent' as the first of "
     "it: "
     "nothing is said of the stop",
     command_commands, false},
    {"silent", NULL, "", "as the first of a breakpoint's commands: nothing is said of the stop",
     command_silent, false},
    {"source", NULL, "FILE", "does the commands of a file, one a line", command_source_file, false},
    {"echo", NULL, "TEXT", "prints a text, in which \\n ends a line", command_echo, false},
    {"printf", NULL, "\"FORMAT\" [, EXPRESSION]...", "prints values as C's printf does", command_printf,
     false},
    {"findings", NULL, "[on|off]", "findings of --check stop the program, which they do at first, or do not",
     command_findings, false},
    {"print", "p", "[/x|/t|/d|/u|/c|/f] EXPRESSION",
     "the value for the thread in focus; of an array all elements", command_print, false},
    {"set", NULL, "[lanes LANES] PLACE = EXPRESSION",
     "writes to memory and registers: y[3] = 5, r3 = 7, lanes 0-3 p1 = true", command_set, false},
    {"whatis", NULL, "EXPRESSION|TYPE", "the type of an expression", command_whatis, false},
    {"ptype", NULL, "EXPRESSION|TYPE", "the same, and what a structure has in it", command_ptype, false},
    {"x", NULL, "[/NFS] PLACE [COUNT] [TYPE]",
     "memory from y[3] or an address on, as elements of a type; x/s text, x/4i $pc instructions",
     command_examine, false},
    {"display", NULL, "[/x|/t|/d|/u|/c|/f|/i] EXPRESSION",
     "shows the value at each stop; without one all of them now", command_display, false},
    {"undisplay", NULL, "[NUMBER...]", "shows it no more; without a number none of them", command_undisplay,
     false},
    {"focus", "f", "[block N] [thread N] [warp N] [lane N]",
     "the thread that other commands are about: focus block (1,0,0) thread 5", command_focus, false},
    {"cuda", NULL, "[block N] [thread N] [warp N] [lane N]", "the same, as cuda-gdb has it", command_focus,
     false},
    {"block", NULL, "[N] [thread N]", "the same: block (1,0,0) thread (5,0,0)", command_block, false},
    {"thread", NULL, "[N]", "the same in the block in focus: thread 3", command_thread, false},
    {"where", "bt", "[N|-N]",
     "where the thread in focus is, and the calls that it is in; N of them, or N from the outermost on",
     command_where, false},
    {"frame", NULL, "[NUMBER]", "the call whose variables other commands are about, as where counts them",
     command_frame, false},
    {"up", NULL, "[N]", "the call that called it", command_up, true},
    {"down", NULL, "[N]", "the call that it called", command_down, true},
    {"lanes", NULL, "[/x|/t|/d|/u|/c|/f] EXPRESSION", "the value for each lane of the warp in focus",
     command_lanes, false},
    {"list", "l", "[LINE|FIRST,LAST|FILE:LINE|FUNCTION]",
     "the source around a line or a function, or where list ended last", command_list, true},
    {"disassemble", "dis", "[FIRST [COUNT]]", "the instructions of the kernel", command_disassemble, false},
    {"info", "i",
     "locals|args|registers [NAME...]|threads|warps|blocks|paths|barriers|breakpoints|display|buffers [all]|"
     "findings|frame|functions|line|source|sources|launch|time",
     "tables: variables of the source, registers over the lanes of the warp, who is where, what is there",
     command_info, false},
    {"help", "h", "[COMMAND]", "what commands there are, and what one does", command_help, false},
    {"quit", "q", "", "ends the debugger", command_quit, false},
};
const size_t debug_command_count = HX_COUNT_OF(debug_commands);

hx_status debug_report(hx_diag *diag, const char *hint, const char *format, va_list arguments)
{
    char message[512];
    text_format(message, sizeof message, format, arguments);
    return diag_report(diag, DIAG_DEBUG_COMMAND, (struct place){0}, hint, "%s", message);
}

hx_status debug_wrong(struct hx_debugger *debugger, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hx_status status = debug_report(debugger->diag, hint, format, arguments);
    va_end(arguments);
    return status;
}

struct slice debug_word(struct slice *rest)
{
    *rest = slice_trim(*rest);
    struct slice word = {rest->at, 0};
    while (word.length < rest->length && !text_is_blank(rest->at[word.length]))
        word.length++;
    rest->at += word.length;
    rest->length -= word.length;
    *rest = slice_trim(*rest);
    return word;
}

hx_status debug_need_live(struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    if (engine_is_live(engine))
        return HX_OK;
    return engine->state == RUN_ENDED
               ? debug_wrong(debugger, "reverse-continue goes back, run begins again",
                             "the program has ended")
               : debug_wrong(debugger, "run it first, or step", "the program has not begun");
}

hx_status debug_need_buffers(struct hx_debugger *debugger)
{
    return debugger->engine.state == RUN_ENDED ? HX_OK : debug_need_live(debugger);
}

struct asker debug_asker(const struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    return (struct asker){.engine = engine,
                          .block = engine_is_live(engine) ? state_block(engine, engine->focus_block) : NULL,
                          .thread = engine->focus_thread,
                          .level = engine->focus_level};
}

hx_status debug_find_stand(struct hx_debugger *debugger, struct stand *ret_stand)
{
    const struct asker asker = debug_asker(debugger);
    const hx_status status = debug_need_live(debugger);
    return status != HX_OK || stand_find(&asker, ret_stand)
               ? status
               : debug_wrong(debugger, "focus thread N takes another one",
                             "the thread in focus is not there");
}

struct place debug_place(const struct hx_debugger *debugger)
{
    const struct asker asker = debug_asker(debugger);
    struct stand stand;
    return stand_find(&asker, &stand) ? stand.place : (struct place){0};
}

/* ---- Stops --------------------------------------------------------------------------------------------- */

void debug_print_line(struct hx_debugger *debugger, uint32_t instruction)
{
    const struct kernel *kernel = debugger->engine.kernel;
    if (instruction >= kernel->code_count) {
        text_print(debugger->out, "=> the end of the code\n");
        return;
    }
    const char *code = kernel->lines[instruction].text;
    const struct slice text = state_line_text(kernel, instruction);
    text_print(debugger->out, "%s=>%s %d  " SLICE_FORMAT "\n", debugger->color ? "\033[32m" : "",
               debugger->color ? "\033[0m" : "", state_line(kernel, instruction), SLICE_ARGS(text));
    if (debugger->is_by_instruction && text.at != code)
        text_print(debugger->out, "    %s\n", code);
}

/* As the type of the watched elements, if they are that of whole ones. */
static void print_watched(struct hx_debugger *debugger, const struct point *point, uint64_t address,
                          uint64_t bits, uint32_t bytes)
{
    const bool is_part = points_bits_of(point, address, bytes, &bits);
    const uint32_t size = type_bytes(point->type), count = size && !is_part ? bytes / size : 1;
    struct value value = {.type = point->type, .declared = point->declared, .bits = bits};
    const struct asker asker = debug_asker(debugger);
    struct text *out = debugger->out;
    if (!is_part && (count == 0 || count * size != bytes)) {
        text_print(out, "0x%llx", (unsigned long long)bits);
        return;
    }
    text_print(out, count > 1 ? "{" : "");
    for (uint32_t i = 0; i < count; i++) {
        text_print(out, i > 0 ? ", " : "");
        value.bits = count > 1 ? bits >> 8 * i * size : bits;
        value_show(&asker, &value, 0, out);
    }
    text_print(out, count > 1 ? "}" : "");
}

static void print_access(struct hx_debugger *debugger, const struct finding *found, const struct point *point)
{
    struct text *out = debugger->out;
    const struct engine *engine = &debugger->engine;
    state_print_thread(engine, found->at.block, found->thread, out);
    text_print(out, " %s ", found->is_store ? "wrote" : "read");
    if (!point->is_variable || point->space == SPACE_GLOBAL || !point->place)
        state_print_address(engine, point->space, found->address, out);
    else if (found->address > point->address)
        text_print(out, "%s+0x%llx", point->place, (unsigned long long)(found->address - point->address));
    else
        text_print(out, "%s", point->place);
    text_print(out, " at line %d: ", state_line(engine->kernel, found->instruction));
    if (found->is_store) {
        print_watched(debugger, point, found->address, found->before, found->bytes);
        text_print(out, " -> ");
    }
    print_watched(debugger, point, found->address, found->after, found->bytes);
    text_print(out, "\n    " SLICE_FORMAT "\n",
               SLICE_ARGS(state_line_text(engine->kernel, found->instruction)));
}

static void print_reason(struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    const struct finding *found = &engine->found;
    const struct point *point = points_find(engine, found->point);
    struct text *out = debugger->out;
    switch (found->reason) {
    case REASON_POINT:
        text_print(out, "%s %u, ", found->is_access ? "watchpoint" : "breakpoint", found->point);
        if (found->is_access && point)
            print_access(debugger, found, point);
        break;
    case REASON_FAULT:
        text_print(out, "fault: %s, ", hx_fault_text(engine->fault.kind));
        break;
    case REASON_MISTAKE:
        text_print(out, "finding: %s: %s, ", engine->mistake_kind, engine->mistake_message);
        state_print_thread(engine, found->at.block, found->thread, out);
        text_print(out, " at line %d\n    " SLICE_FORMAT "\n", state_line(engine->kernel, found->instruction),
                   SLICE_ARGS(state_line_text(engine->kernel, found->instruction)));
        break;
    case REASON_INTERRUPT:
        text_print(out, "interrupted, ");
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < found->also_count; i++) {
        const struct point *also = points_find(engine, found->also[i]);
        text_print(out, "%s %u, ", also && also->kind == POINT_WATCH ? "watchpoint" : "breakpoint",
                   found->also[i]);
    }
}

static void print_end(struct hx_debugger *debugger)
{
    const struct engine *engine = &debugger->engine;
    static const hx_render_options plain = {0};
    for (size_t i = 0; i < hx_diag_count(engine->said); i++)
        if (hx_diag_at(engine->said, i)->severity == HX_ERROR)
            (void)hx_diagnostic_render(hx_diag_at(engine->said, i), &plain, text_write, debugger->out);
    text_print(debugger->out, "the program has ended after %llu step%s%s%s\n",
               (unsigned long long)engine->now, engine->now == 1 ? "" : "s",
               engine->status == HX_OK ? "" : ": ",
               engine->status == HX_OK ? "" : hx_status_sentence(engine->status));
}

static void print_stop(struct hx_debugger *debugger)
{
    struct engine *engine = &debugger->engine;
    struct text *out = debugger->out;
    const bool is_silent = script_at_stop(debugger);
    text_append(out, engine->printed.at, engine->printed.length);
    engine->printed.length = 0;
    points_remove_ended(engine, out);
    debugger->list_line = 0;
    debugger->list_source = NULL;
    if (is_silent)
        return;
    if (engine->state == RUN_ENDED) {
        print_end(debugger);
        return;
    }
    if (!engine_is_live(engine))
        return;
    print_reason(debugger);
    const struct asker asker = debug_asker(debugger);
    struct thread_place place = {0};
    const bool is_there = asker.block && state_place(engine, asker.block, asker.thread, &place);
    demangle(out, engine->kernel->name);
    text_print(out, ", ");
    state_print_thread(engine, engine->focus_block, engine->focus_thread, out);
    if (place.is_at_step)
        text_print(out, ", %d of %u lanes", __builtin_popcountll(engine->at.standing),
                   state_step_lanes(engine, asker.block));
    text_print(out, ", time %llu", (unsigned long long)engine->now);
    if (is_there && scope_depth(engine, asker.block, asker.thread, place.instruction, place.depth) > 0) {
        struct stand stand;
        text_print(out, ", in ");
        if (stand_find(&asker, &stand))
            stand_print_function(engine, &stand, out);
    }
    text_append(out, "\n", 1);
    if (is_there)
        debug_print_line(debugger, place.instruction);
    debug_print_displays(debugger);
}

void debug_print_stop(struct hx_debugger *debugger)
{
    print_stop(debugger);
    points_remove_done(&debugger->engine);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static const char *command_name(size_t index)
{
    return index < debug_command_count ? debug_commands[index].name : NULL;
}

const struct debug_command *debug_find_command(struct slice word, size_t *ret_matches)
{
    *ret_matches = 1;
    for (size_t i = 0; i < debug_command_count; i++)
        if (slice_equal(word, debug_commands[i].name) ||
            (debug_commands[i].alias && slice_equal(word, debug_commands[i].alias)))
            return &debug_commands[i];
    const size_t found = words_find_name(word, command_name, ret_matches);
    return found < debug_command_count ? &debug_commands[found] : NULL;
}

/* The first word; of print/x what stands before the slash, which is then before the rest. */
static struct slice command_word(struct slice *rest)
{
    const char *end = rest->at + rest->length;
    struct slice word = debug_word(rest);
    const char *slash = word.length ? memchr(word.at, '/', word.length) : NULL;
    if (!slash || slash == word.at)
        return word;
    word.length = (size_t)(slash - word.at);
    *rest = slice_trim((struct slice){slash, (size_t)(end - slash)});
    return word;
}

bool debug_is_command(struct slice line)
{
    size_t matches;
    struct slice rest;
    return words_meaning(line, &rest) || debug_find_command(command_word(&line), &matches) != NULL;
}

const char *debug_command_name(void *user, size_t index)
{
    (void)user;
    return index < debug_command_count ? debug_commands[index].name
                                       : words_synonym(index - debug_command_count);
}

/* Why a line is none that can be done. */
static hx_status no_command(struct hx_debugger *debugger, struct slice word, size_t matches)
{
    char space[TEXT_HINT_BYTES];
    if (matches > 1)
        return debug_wrong(debugger, "write more of it; help lists the commands",
                           "'" SLICE_FORMAT "' begins several commands", SLICE_ARGS(word));
    const char *hint = words_hint(word);
    if (!hint)
        hint = text_did_you_mean(text_suggest(word, debug_command_name, NULL), space);
    return debug_wrong(debugger, hint ? hint : "help lists the commands",
                       "there is no command '" SLICE_FORMAT "'", SLICE_ARGS(word));
}

/* A line with words of other debuggers, as one of this one's; NULL: memory ran out. */
static char *translated(const hx_allocator *allocator, struct slice line)
{
    struct slice rest = line;
    const char *const means = words_meaning(line, &rest);
    const size_t room = (means ? strlen(means) + 1 : 0) + rest.length + 1;
    char *text = memory_allocate(allocator, room, 1);
    if (text)
        snprintf(text, room, "%s%s" SLICE_FORMAT, means ? means : "", means && rest.length ? " " : "",
                 SLICE_ARGS(rest));
    return text;
}

static hx_status do_words(struct hx_debugger *debugger, struct slice line, bool *ret_repeats)
{
    struct slice rest = line;
    size_t matches;
    const struct slice word = command_word(&rest);
    const struct debug_command *command = debug_find_command(word, &matches);
    if (!command)
        return no_command(debugger, word, matches);
    *ret_repeats = command->repeats;
    if (rest.length > 0 && !*command->arguments)
        return debug_wrong(
            debugger,
            command->function == command_run ? "options stand behind hexec debug, before it begins" : NULL,
            "%s takes nothing behind it: '" SLICE_FORMAT "'", command->name, SLICE_ARGS(rest));
    return command->function(debugger, rest);
}

hx_status debug_do_line(struct hx_debugger *debugger, struct slice line)
{
    const hx_allocator *allocator = debugger->engine.allocator;
    char *const text = translated(allocator, line);
    bool repeats = false;
    if (!text)
        return diag_no_memory(debugger->diag);
    const hx_status status = do_words(debugger, slice_of(text), &repeats);
    const bool is_typed = !debugger->script.is_doing; /* not one of a breakpoint's commands */
    if (is_typed) {
        memory_free(allocator, debugger->last_line);
        debugger->last_line = repeats ? text : NULL;
    }
    if (!is_typed || !repeats)
        memory_free(allocator, text);
    return status == HX_NO_MEMORY ? diag_no_memory(debugger->diag) : status;
}

hx_status debug_flush(struct hx_debugger *debugger)
{
    struct text *out = debugger->out;
    if (out->failed)
        return diag_no_memory(debugger->diag);
    const size_t length = out->length;
    out->length = 0;
    return length ? debugger->write(debugger->write_user, out->at, length) : HX_OK;
}

hx_status debug_do_for(struct hx_debugger *debugger, hx_write_function write, void *user, hx_diag *diag,
                       debug_function does, struct slice rest)
{
    struct text out HX_AUTO(text_done) = {.allocator = debugger->engine.allocator};
    atomic_store(&debugger->engine.interrupted, false); /* an old one */
    debugger->out = &out;
    debugger->diag = diag;
    debugger->write = write;
    debugger->write_user = user;
    const hx_status status = does(debugger, rest);
    const hx_status written = debug_flush(debugger);
    debugger->out = NULL;
    debugger->diag = NULL;
    return status == HX_OK || written == HX_NO_MEMORY ? written : status;
}

hx_status hx_debugger_command(hx_debugger *debugger, const char *line, hx_write_function write, void *user,
                              hx_diag *diag)
{
    DIAG_REQUIRE(diag, debugger);
    DIAG_REQUIRE(diag, line);
    DIAG_REQUIRE(diag, write);
    struct slice text = slice_trim(slice_of(line));
    if (text.length == 0 && debugger->last_line && !script_is_reading(debugger))
        text = slice_of(debugger->last_line);
    if (text.length == 0 || text.at[0] == '#')
        return HX_OK;
    return debug_do_for(debugger, write, user, diag, script_line, text);
}

const char *hx_debugger_prompt(const hx_debugger *debugger)
{
    return debugger && script_is_reading(debugger) ? "> " : "(hexec) ";
}

hx_status command_quit(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    debugger->is_done = true;
    return HX_OK;
}

int hx_debugger_is_done(const hx_debugger *debugger)
{
    return debugger && debugger->is_done;
}

hx_status hx_debugger_outcome(const hx_debugger *debugger)
{
    if (!debugger)
        return HX_INVALID;
    const struct engine *engine = &debugger->engine;
    const bool is_at_fault = engine->state == RUN_STOPPED && engine->found.reason == REASON_FAULT;
    return is_at_fault ? HX_FAULT : engine->state == RUN_ENDED ? engine->status : HX_OK;
}

void hx_debugger_interrupt(hx_debugger *debugger)
{
    if (debugger)
        atomic_store(&debugger->engine.interrupted, true);
}

hx_status hx_debugger_new(hx_context *context, const hx_debug_options *options, hx_diag *diag,
                          hx_debugger **ret_debugger)
{
    hx_debug_options asked = {0};
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, ret_debugger);
    hx_status status = context_check_loaded(context, diag);
    if (status != HX_OK)
        return status;
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    size_t kernel;
    if (asked.run && asked.run->kernel) /* which the run would miss, after all that was typed before it */
        status = hx_program_find_kernel(hx_context_program(context), asked.run->kernel, diag, &kernel);
    if (status != HX_OK)
        return status;
    hx_debugger *debugger = memory_allocate(context_allocator(context), 1, sizeof *debugger);
    if (!debugger)
        return diag_no_memory(diag);
    debugger->color = asked.color != 0;
    debugger->script.kept.allocator = debugger->script.due.allocator = context_allocator(context);
    status = engine_init(&debugger->engine, context, asked.run, diag);
    if (status != HX_OK) {
        hx_debugger_free(debugger);
        return status;
    }
    *ret_debugger = debugger;
    return HX_OK;
}

void hx_debugger_free(hx_debugger *debugger)
{
    if (!debugger)
        return;
    const hx_allocator *allocator = debugger->engine.allocator;
    engine_done(&debugger->engine);
    memory_free(allocator, debugger->last_line);
    complete_forget(debugger);
    script_done(debugger);
    debug_forget_displays(debugger);
    LIST_DONE(allocator, &debugger->displays);
    memory_free(allocator, debugger);
}
