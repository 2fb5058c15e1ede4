/* The tables of `info`, and help. */
#include "asm/asm.h"
#include "debug/table.h"
#include "debug/written.h"
#include "program/parts.h"

#include <string.h>

void debug_print_code(struct hx_debugger *debugger, uint32_t instruction)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    const struct kernel *kernel = engine->kernel ? engine->kernel : &program->kernels[0];
    disassemble_instruction(program, kernel, &kernel->code[instruction], debugger->out);
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

#define LANES_PER_LINE 8
#define VALUE_COLUMNS  12

/* The value of a lane, as a cell of the table; "-": it has written nothing there. */
static void print_cell(struct hx_debugger *debugger, uint32_t thread, uint32_t member)
{
    const struct asker asker = debug_asker(debugger);
    struct value value = {0};
    const size_t before = debugger->out->length;
    if (state_member(asker.engine, asker.block, thread, member, &value.bits, &value.type))
        value_print(&value, 0, debugger->out);
    else
        text_append(debugger->out, "-", 1);
    const size_t columns = debugger->out->length - before;
    text_print(debugger->out, "%*s", columns < VALUE_COLUMNS ? (int)(VALUE_COLUMNS - columns) : 1, "");
}

/* Ends a line of the table, without the blanks behind its last cell. */
static void end_row(struct text *out)
{
    while (out->length > 0 && out->at[out->length - 1] == ' ')
        out->length--;
    text_append(out, "\n", 1);
}

/* A register over the lanes of the warp in focus: one value if it is the same in all of them, else rows. */
static void print_member(struct hx_debugger *debugger, uint32_t member)
{
    const struct asker asker = debug_asker(debugger);
    const struct engine *engine = asker.engine;
    const uint32_t width = state_warp_lanes(engine), first = asker.thread - asker.thread % width;
    const uint32_t *shape = engine->options.launch.block, threads = shape[0] * shape[1] * shape[2];
    const uint32_t lanes = threads - first < width ? threads - first : width;
    struct text *out = debugger->out;
    struct value one = {0}, value;
    uint32_t same = 0, written = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!state_member(engine, asker.block, first + lane, member, &value.bits, &value.type))
            continue;
        one = written++ ? one : value;
        same += one.bits == value.bits;
    }
    if (!written)
        return;
    const char *name = written_name(&asker, member);
    if (name)
        text_print(out, "%-4s %-6s ", name, hx_type_name(one.type));
    else
        text_print(out, "%c%-3u %-6s ", member < REGISTER_COUNT ? 'r' : 'p', member % REGISTER_COUNT,
                   hx_type_name(one.type));
    const bool is_same = same == lanes;
    for (uint32_t lane = 0; lane < (is_same ? 1 : lanes); lane++) {
        if (is_same)
            text_print(out, "all   ");
        else if (lane % LANES_PER_LINE == 0)
            text_print(out, lane ? "            %-5u " : "%-5u ", lane);
        print_cell(debugger, first + lane, member);
        if (lane + 1 == lanes || is_same || lane % LANES_PER_LINE == LANES_PER_LINE - 1)
            end_row(out);
    }
}

/* Of a register of hexec, or as PTX calls it. */
static bool find_member(const struct asker *asker, struct slice word, uint32_t *ret_member)
{
    const struct debug_register *const written = written_find(asker, word);
    uint8_t number;
    if (written)
        *ret_member = written_member(written);
    else if (register_read(word, 'r', REGISTER_COUNT, &number))
        *ret_member = number;
    else if (register_read(word, 'p', PREDICATE_COUNT, &number))
        *ret_member = REGISTER_COUNT + number;
    else
        return false;
    return true;
}

static hx_status info_registers(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    const struct asker asker = debug_asker(debugger);
    hx_status status = debug_need_live(debugger);
    if (status == HX_OK && !asker.block)
        return debug_wrong(debugger, "info blocks lists those that run", "the block in focus is not running");
    if (status != HX_OK)
        return status;
    uint32_t member;
    for (struct slice words = rest, word; (word = debug_word(&words)).length > 0;)
        if (!find_member(&asker, word, &member))
            return debug_wrong(debugger, "r0 to r255, p0 to p15",
                               written_is_known(hx_context_program(engine->context), word)
                                   ? "no register has '" SLICE_FORMAT "' here"
                                   : "'" SLICE_FORMAT "' is not a register",
                               SLICE_ARGS(word));
    text_print(debugger->out, "     type   lane\n");
    if (rest.length == 0)
        for (member = 0; member < DEBUG_MEMBERS; member++)
            if (engine->member_index[member])
                print_member(debugger, member);
    while (rest.length > 0) {
        const struct slice word = debug_word(&rest);
        if (find_member(&asker, word, &member))
            print_member(debugger, member);
    }
    return HX_OK;
}

/* ---- Who is where -------------------------------------------------------------------------------------- */

/* Of `count` lanes from a thread on; the last gang of a block may have more lanes than threads are left. */
static uint32_t last_thread(const struct shadow_block *block, uint32_t first, uint32_t count)
{
    const uint64_t all = block->block->worker->launch->threads_per_block, end = (uint64_t)first + count;
    return (uint32_t)(end < all ? end : all) - 1;
}

/* Threads that stand together: of a gang that is wider than 64 lanes those of each 64. */
static void print_path(struct hx_debugger *debugger, const struct shadow_block *block, uint32_t first,
                       const struct path *path, uint64_t lanes)
{
    const struct engine *engine = &debugger->engine;
    const uint32_t count = state_step_lanes(engine, block);
    struct thread_place place;
    struct text *out = debugger->out;
    if (!lanes || !state_place(engine, block, first + (uint32_t)__builtin_ctzll(lanes), &place))
        return;
    text_print(out, "threads %u-%u: %2d lanes 0x%0*llx at line %d, ", first, last_thread(block, first, count),
               __builtin_popcountll(lanes), (int)(count + 3) / 4, (unsigned long long)lanes,
               state_line(engine->kernel, place.instruction));
    if (place.is_at_step)
        text_print(out, "next");
    else if (path->state == PATH_AT_BARRIER)
        text_print(out, "waits at %s %u", path->barrier == BARRIER_COLLECTIVE ? "a collective" : "barrier",
                   path->barrier);
    else
        text_print(out, path->state == PATH_AT_WARP ? "waits for its warp" : "ready");
    if (place.depth)
        text_print(out, ", in %u call%s", place.depth, place.depth == 1 ? "" : "s");
    text_append(out, "\n", 1);
}

static hx_status print_warps(struct hx_debugger *debugger, bool all_blocks, bool focus_only)
{
    const struct engine *engine = &debugger->engine;
    hx_status status = debug_need_live(debugger);
    for (size_t i = 0; i < engine->blocks.count && status == HX_OK; i++) {
        const struct shadow_block *block = &engine->blocks.items[i];
        if (!all_blocks && block->block->number != engine->focus_block)
            continue;
        text_print(debugger->out, "block %llu, %u of its threads have not exited:\n",
                   (unsigned long long)block->block->number, block->block->live);
        for (uint32_t g = 0; g < block->block->gang_count; g++) {
            const struct gang_state *gang = &block->block->gangs[g];
            if (focus_only && engine->focus_thread - gang->first_thread >= gang->gang.lanes)
                continue;
            for (uint32_t p = 0; p < gang->path_count; p++)
                for (uint32_t at = 0; at < gang->gang.lanes; at += LANES_PER_CHUNK)
                    print_path(debugger, block, gang->first_thread + at, &gang->paths[p],
                               gang->paths[p].lanes[at / LANES_PER_CHUNK]);
            if (gang->path_count == 0)
                text_print(debugger->out, "threads %u-%u: have exited\n", gang->first_thread,
                           last_thread(block, gang->first_thread, gang->gang.lanes));
        }
    }
    return status;
}

static hx_status info_warps(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    return print_warps(debugger, false, false);
}

static hx_status info_blocks(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    return print_warps(debugger, true, false);
}

static hx_status info_paths(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    return print_warps(debugger, false, true);
}

static hx_status info_barriers(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct asker asker = debug_asker(debugger);
    const hx_status status = debug_need_live(debugger);
    bool any = false;
    for (uint32_t i = 0; asker.block && i <= BARRIER_COUNT && status == HX_OK; i++) {
        const struct barrier *barrier = &asker.block->block->barriers[i];
        if (!barrier->arrived)
            continue;
        text_print(debugger->out, "%s %u: %u of %u threads have arrived\n",
                   i == BARRIER_COLLECTIVE ? "collective" : "barrier", i, barrier->arrived,
                   barrier->expected ? barrier->expected : asker.block->block->live);
        any = true;
    }
    if (status == HX_OK && !any)
        text_print(debugger->out, "no thread of block %llu waits at a barrier\n",
                   (unsigned long long)asker.engine->focus_block);
    return status;
}

#define PLACES_SHOWN 8 /* lines of a function's instances */

/* ---- The program --------------------------------------------------------------------------------------- */

static hx_status info_breakpoints(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct engine *engine = &debugger->engine;
    struct text *out = debugger->out;
    if (engine->points.count == 0)
        text_print(out, "there are no breakpoints\n");
    for (size_t i = 0; i < engine->points.count; i++) {
        const struct point *point = engine->points.items[i];
        const char *kind = point->kind != POINT_WATCH         ? "break"
                           : point->access == WATCH_CHANGE    ? "watch"
                           : point->access == WATCH_WRITE     ? "wwatch"
                           : point->access == (int)WATCH_READ ? "rwatch"
                                                              : "awatch";
        text_print(out, "%-3u %s%s%s %s", point->number, point->is_enabled ? "" : "disabled ",
                   point->is_temporary ? "temporary " : "", kind, point->place);
        if (point->line)
            text_print(out, ", line %d", point->line);
        for (size_t k = 0; k < point->place_count && k < PLACES_SHOWN && !point->line; k++)
            text_print(out, "%s%d",
                       k                        ? ", "
                       : point->place_count > 1 ? ", lines "
                                                : ", line ",
                       state_line(point->places[k].kernel, point->places[k].instruction));
        if (point->place_count > PLACES_SHOWN && !point->line)
            text_print(out, " and %zu more", point->place_count - PLACES_SHOWN);
        if (point->block != ANY_BLOCK)
            text_print(out, ", block %llu", (unsigned long long)point->block);
        if (point->thread != ANY_THREAD)
            text_print(out, ", thread %u", point->thread);
        if (point->condition)
            text_print(out, " if %s", point->condition);
        if (point->message)
            text_print(out, ", message %s", point->message);
        text_print(out, ", hit %llu time%s", (unsigned long long)point->hits, point->hits == 1 ? "" : "s");
        if (point->ignore)
            text_print(out, ", the next %llu do not stop", (unsigned long long)point->ignore);
        text_append(out, "\n", 1);
    }
    return HX_OK;
}

static void print_buffer(const struct array *buffer, uint64_t address, struct text *out)
{
    const char *prefix = state_name_prefix(buffer);
    text_print(out, "%s%-*s %s x %-10llu 0x%llx\n", prefix, 16 - (int)strlen(prefix), buffer->name,
               hx_type_name(buffer->type), (unsigned long long)buffer->count, (unsigned long long)address);
}

static hx_status info_buffers(struct hx_debugger *debugger, struct slice rest)
{
    const bool is_all = slice_equal(rest, "all");
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    size_t count;
    if (rest.length > 0 && !is_all)
        return debug_wrong(debugger, "info buffers, info buffers all",
                           "'" SLICE_FORMAT "' is no kind of buffers", SLICE_ARGS(rest));
    hx_buffer *const *buffers = context_buffers(engine->context, &count);
    const hx_status status = debug_need_buffers(debugger);
    if (status != HX_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (is_all || !program->buffers.items[i].is_made)
            print_buffer(&program->buffers.items[i], hx_buffer_address(buffers[i]), debugger->out);
    const struct array_list *shared = engine->kernel ? &engine->kernel->shared : NULL;
    for (size_t i = 0; shared && i < shared->count; i++)
        text_print(debugger->out, "%-16s %s x %-10llu shared, at %llu\n", shared->items[i].name,
                   hx_type_name(shared->items[i].type),
                   (unsigned long long)state_array_count(engine, &shared->items[i]),
                   (unsigned long long)shared->items[i].offset);
    return HX_OK;
}

/* All findings since the debugger began: going back and forth counts them again. */
static hx_status info_findings(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    hx_checks *checks = debugger->engine.options.checks;
    const hx_checks_render_options how = {.size = sizeof how, .color = debugger->color};
    if (!checks)
        return debug_wrong(debugger, "start the debugger with --check all", "nothing is checked");
    const hx_status status = hx_checks_finish(checks, debugger->diag);
    return status == HX_OK ? hx_checks_render(checks, &how, text_write, debugger->out) : status;
}

static hx_status info_launch(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct engine *engine = &debugger->engine;
    const uint32_t *grid = engine->options.launch.grid, *block = engine->options.launch.block;
    const hx_status status = debug_need_live(debugger);
    if (status == HX_OK)
        text_print(debugger->out, "launch %u: kernel ", engine->launches);
    if (status == HX_OK)
        demangle(debugger->out, engine->kernel->name);
    if (status == HX_OK)
        text_print(debugger->out, ", %u x %u x %u blocks of %u x %u x %u threads\n", grid[0], grid[1],
                   grid[2], block[0], block[1], block[2]);
    return status;
}

static hx_status info_frame(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct asker asker = debug_asker(debugger);
    struct stand stand;
    const hx_status status = debug_find_stand(debugger, &stand);
    if (status == HX_OK)
        debug_print_frame(debugger, asker.level, &stand);
    return status;
}

/* The file that the call in focus is in; before the program begins, that of its first kernel. */
static hx_status info_source(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    const struct source *source = points_present_source(debugger);
    text_print(debugger->out, "%s\n", source && source->name ? source->name : "");
    return HX_OK;
}

/* Files that code comes from. */
static hx_status info_sources(struct hx_debugger *debugger, struct slice rest)
{
    const hx_program *program = hx_context_program(debugger->engine.context);
    const struct source *last = NULL;
    size_t listed = debugger->out->length;
    (void)rest;
    for (size_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].code_count; i++) {
            const struct source *source = state_source(&program->kernels[k], i);
            if (!source || !source->name || source == last)
                continue;
            last = source;
            const struct text *out = debugger->out;
            bool is_known = false;
            for (size_t at = listed; at < out->length && !is_known; at++) {
                const char *const end = memchr(out->at + at, '\n', out->length - at);
                const size_t length = end ? (size_t)(end - (out->at + at)) : 0;
                is_known = length == strlen(source->name) && !memcmp(out->at + at, source->name, length);
                at += length;
            }
            if (!is_known)
                text_print(debugger->out, "%s\n", source->name);
        }
    return HX_OK;
}

/* Kernels, and functions that have code of their own. */
static hx_status info_functions(struct hx_debugger *debugger, struct slice rest)
{
    const hx_program *program = hx_context_program(debugger->engine.context);
    (void)rest;
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        const struct kernel_debug *debug = kernel->debug;
        text_print(debugger->out, "kernel ");
        demangle(debugger->out, kernel->name);
        text_print(debugger->out, " at %s:%d\n", state_file(kernel, 0), state_line(kernel, 0));
        for (size_t i = 1; debug && i < debug->unit_count; i++) {
            text_print(debugger->out, "    ");
            demangle(debugger->out, debug->units[i].symbol);
            text_print(debugger->out, " at %s:%d\n", state_file(kernel, debug->units[i].body),
                       state_line(kernel, debug->units[i].body));
        }
    }
    return HX_OK;
}

/* The instructions of a line of the present file, in the kernel that runs. */
static hx_status info_line(struct hx_debugger *debugger, struct slice rest)
{
    const struct engine *engine = &debugger->engine;
    struct stand stand = {0};
    const hx_status status = rest.length > 0 ? debug_need_live(debugger) : debug_find_stand(debugger, &stand);
    uint64_t line = (uint64_t)stand.place.line;
    bool any = false;
    if (status != HX_OK)
        return status;
    if (rest.length > 0 && number_parse_u64(rest, &line) != NUMBER_OK)
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' is not a line", SLICE_ARGS(rest));
    const struct kernel *kernel = engine->kernel;
    const struct source *source = points_present_source(debugger);
    text_print(debugger->out, "line %llu of %s:", (unsigned long long)line,
               source && source->name ? source->name : "?");
    for (uint32_t i = 0, end; i < kernel->code_count; i = end) {
        for (end = i; end < kernel->code_count && (uint64_t)state_line(kernel, end) == line &&
                      state_same_source(state_source(kernel, end), source);)
            end++;
        if (end > i)
            text_print(debugger->out, end == i + 1 ? "%s instruction %u" : "%s instructions %u to %u",
                       any ? "," : "", i, end - 1);
        any |= end > i;
        end += end == i;
    }
    text_print(debugger->out, "%s\n", any ? "" : " no instructions");
    return HX_OK;
}

static hx_status info_time(struct hx_debugger *debugger, struct slice rest)
{
    (void)rest;
    text_print(debugger->out, "time %llu\n", (unsigned long long)debugger->engine.now);
    return HX_OK;
}

static const struct info {
    const char *name;
    debug_function function;
    bool takes_words;
} infos[] = {{"locals", debug_info_locals, true},
             {"args", debug_info_args, true},
             {"registers", info_registers, true},
             {"warps", info_warps, false},
             {"blocks", info_blocks, false},
             {"paths", info_paths, false},
             {"barriers", info_barriers, false},
             {"breakpoints", info_breakpoints, false},
             {"buffers", info_buffers, true},
             {"findings", info_findings, false},
             {"threads", info_warps, false},
             {"frame", info_frame, false},
             {"line", info_line, true},
             {"source", info_source, false},
             {"sources", info_sources, false},
             {"functions", info_functions, false},
             {"display", debug_info_display, false},
             {"launch", info_launch, false},
             {"time", info_time, false}};

const char *debug_info_name(size_t index)
{
    return index < HX_COUNT_OF(infos) ? infos[index].name : NULL;
}

hx_status command_info(struct hx_debugger *debugger, struct slice rest)
{
    const struct slice word = debug_word(&rest);
    size_t matches;
    const size_t index = words_find_name(word, debug_info_name, &matches);
    const struct info *found = index < HX_COUNT_OF(infos) ? &infos[index] : NULL;
    if (slice_equal(word, "b") || slice_equal(word, "break")) /* as other debuggers have it */
        return info_breakpoints(debugger, rest);
    if (!found && matches > 1)
        return debug_wrong(debugger, "write more of it; help info lists the tables",
                           "'" SLICE_FORMAT "' begins several tables", SLICE_ARGS(word));
    if (found && rest.length > 0 && !found->takes_words)
        return debug_wrong(debugger, NULL, "info %s takes nothing behind it: '" SLICE_FORMAT "'", found->name,
                           SLICE_ARGS(rest));
    return found ? found->function(debugger, rest)
                 : debug_wrong(debugger, NULL,
                               "info needs locals, args, registers, threads, warps, blocks, paths, barriers, "
                               "breakpoints, display, buffers, findings, frame, functions, line, "
                               "source, sources, launch or time");
}

hx_status command_help(struct hx_debugger *debugger, struct slice rest)
{
    const struct slice word = debug_word(&rest);
    bool any = false;
    for (size_t i = 0; i < debug_command_count; i++) {
        const struct debug_command *command = &debug_commands[i];
        if (word.length && !slice_equal(word, command->name) &&
            !(command->alias && slice_equal(word, command->alias)))
            continue;
        any = true;
        if (word.length)
            text_print(debugger->out, "%s %s\n    %s\n", command->name, command->arguments, command->help);
        else
            text_print(debugger->out, "%-17s %-4s %.*s\n", command->name,
                       command->alias ? command->alias : "", (int)strcspn(command->help, ";"), command->help);
        if (word.length && command->alias)
            text_print(debugger->out, "    short: %s\n", command->alias);
    }
    const char *const means = any ? NULL : words_meaning(word, &rest);
    const char *const hint = words_hint(word);
    if (means)
        text_print(debugger->out, SLICE_FORMAT ": as %s\n", SLICE_ARGS(word), means);
    return any || means ? HX_OK
                        : debug_wrong(debugger, hint ? hint : "help lists the commands",
                                      "there is no command '" SLICE_FORMAT "'", SLICE_ARGS(word));
}
