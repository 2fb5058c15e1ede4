/* Completion of lines: what may stand in the place of the last word.
 *
 * Takes a line, leaves names: commands, or what the command of the line takes behind it. */
#include "debug/expression.h"
#include "debug/table.h"
#include "debug/written.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum takes { TAKES_NAMES = 1, TAKES_PLACES = 2, TAKES_POINTS = 4, TAKES_FILES = 8, TAKES_COMMANDS = 16 };

/* What commands take that is no expression; `words` may stand there, too. */
static const struct {
    const char *commands;
    unsigned takes;
    const char *words;
} rows[] = {
    {"step stepi next nexti reverse-step reverse-stepi reverse-next reverse-nexti", 0,
     "thread warp block any"},
    {"continue reverse-continue", 0, "thread warp block"},
    {"until", TAKES_PLACES, "thread warp block"},
    {"advance list clear", TAKES_PLACES, ""},
    {"break tbreak", TAKES_PLACES | TAKES_NAMES, "diverge block thread message if"},
    {"delete enable disable ignore condition commands", TAKES_POINTS, ""},
    {"source", TAKES_FILES, ""},
    {"findings", 0, "on off"},
    {"focus cuda", 0, "block thread warp lane"},
    {"block", 0, "thread"},
    {"set", TAKES_NAMES, "lanes"},
    {"help", TAKES_COMMANDS, ""},
    {"where up down frame goto disassemble thread undisplay", 0, ""},
};

struct completing {
    struct hx_debugger *debugger;
    struct slice word;  /* the last one */
    const char *before; /* of it that all completions keep; `before_length` bytes */
    size_t before_length;
};

/* ---- The list ------------------------------------------------------------------------------------------ */

void complete_forget(struct hx_debugger *debugger)
{
    for (size_t i = 0; i < debugger->completions.count; i++)
        memory_free(debugger->engine.allocator, debugger->completions.items[i]);
    LIST_DONE(debugger->engine.allocator, &debugger->completions);
}

/* A name that the word begins, or is; `end` stands behind it. A list without it is one, too. */
static void add(const struct completing *completing, struct slice name, const char *end)
{
    struct hx_debugger *debugger = completing->debugger;
    const hx_allocator *allocator = debugger->engine.allocator;
    const size_t kept = completing->before_length, room = kept + name.length + strlen(end) + 1;
    char *text = name.length ? memory_allocate(allocator, room, 1) : NULL;
    if (!text)
        return;
    snprintf(text, room, "%.*s" SLICE_FORMAT "%s", (int)kept, kept ? completing->before : "",
             SLICE_ARGS(name), end);
    bool is_new =
        strlen(text) >= completing->word.length &&
        (completing->word.length == 0 || memcmp(text, completing->word.at, completing->word.length) == 0);
    for (size_t i = 0; i < debugger->completions.count && is_new; i++)
        is_new = strcmp(debugger->completions.items[i], text) != 0;
    if (!is_new || !LIST_PUSH(allocator, &debugger->completions, text))
        memory_free(allocator, text);
}

static void add_words(const struct completing *completing, const char *words)
{
    struct slice rest = slice_of(words);
    while (rest.length > 0)
        add(completing, debug_word(&rest), "");
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static void add_arrays(const struct completing *completing, const struct array_list *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", state_name_prefix(&arrays->items[i]), arrays->items[i].name);
        if (!arrays->items[i].is_made)
            add(completing, slice_of(name), "");
    }
}

/* Variables of the call in focus, arrays and buffers; of a file of PTX registers. */
static void add_names(const struct completing *completing)
{
    const struct asker asker = debug_asker(completing->debugger);
    const struct engine *engine = asker.engine;
    const struct kernel *kernel = engine->kernel;
    const hx_program *program = hx_context_program(engine->context);
    struct variable_cursor cursor = {0};
    struct stand stand;
    if (engine->dwarf.entries.count > 0 && stand_find(&asker, &stand))
        for (uint32_t i; (i = variable_next(&engine->dwarf, &stand, true, &cursor)) != DWARF_NONE;)
            add(completing, variable_name(&engine->dwarf, i), "");
    add_arrays(completing, &program->buffers);
    if (!kernel)
        return;
    add_arrays(completing, &kernel->shared);
    for (size_t i = 0; kernel->debug && i < kernel->debug->register_count; i++)
        add(completing, slice_of(kernel->debug->registers[i].name), "");
}

/* "ns::clampit<float>" of "float ns::clampit<float>(float, float)". */
static struct slice name_of_function(struct slice full)
{
    size_t depth = 0, begin = 0, end = full.length;
    for (size_t i = 0; i < full.length; i++) {
        depth += full.at[i] == '<';
        depth -= full.at[i] == '>' && depth > 0;
        if (depth == 0 && full.at[i] == ' ')
            begin = i + 1;
        if (depth == 0 && full.at[i] == '(' && i > begin) {
            end = i;
            break;
        }
    }
    return (struct slice){full.at + begin, end - begin};
}

static void add_function(const struct completing *completing, const char *symbol)
{
    struct text text HX_AUTO(text_done) = {.allocator = completing->debugger->engine.allocator};
    demangle(&text, symbol);
    if (text.at && !text.failed)
        add(completing, name_of_function((struct slice){text.at, text.length}), "");
}

static void add_places(const struct completing *completing)
{
    const struct engine *engine = &completing->debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        const char *label;
        uint32_t at;
        add_function(completing, kernel->name);
        for (size_t i = 1; kernel->debug && i < kernel->debug->unit_count; i++)
            add_function(completing, kernel->debug->units[i].symbol);
        for (size_t i = 0; !program->debug && (label = written_label(kernel, i, &at)); i++)
            add(completing, slice_of(label), "");
        for (size_t i = 0; kernel->debug && i < kernel->debug->label_count; i++)
            add(completing, slice_of(kernel->debug->labels[i].name), "");
    }
    for (size_t i = 0; engine->has_inlined && i < engine->scopes.count; i++) {
        struct text text HX_AUTO(text_done) = {.allocator = engine->allocator};
        if (engine->dwarf.entries.items[engine->scopes.items[i]].tag == DWARF_INLINED)
            scope_print_function(&engine->dwarf, engine->scopes.items[i], &text);
        if (text.at && !text.failed)
            add(completing, name_of_function((struct slice){text.at, text.length}), "");
    }
}

static void add_points(const struct completing *completing)
{
    const struct engine *engine = &completing->debugger->engine;
    for (size_t i = 0; i < engine->points.count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", engine->points.items[i]->number);
        add(completing, slice_of(number), "");
    }
}

/* ---- Members ------------------------------------------------------------------------------------------- */

#define NESTED_MOST 8
static void add_members(const struct completing *completing, uint32_t type, unsigned depth)
{
    const struct dwarf *dwarf = &completing->debugger->engine.dwarf;
    struct dwarf_type_member member;
    uint32_t cursor = 0;
    while (depth < NESTED_MOST && dwarf_type_next_member(dwarf, type, &cursor, &member))
        if (member.name.length > 0)
            add(completing, member.name, "");
        else /* of a base class, or a structure without a name */
            add_members(completing, member.type, depth + 1);
}

/* Behind "a." and "p->": the members of what stands before it. False: the word is none of these. */
static bool add_members_behind(struct completing *completing)
{
    const struct asker asker = debug_asker(completing->debugger);
    const struct dwarf *dwarf = &asker.engine->dwarf;
    const struct slice word = completing->word;
    size_t end = word.length, begin;
    char wrong[160];
    struct value value;
    while (end > 0 && text_is_word(word.at[end - 1]) && word.at[end - 1] != '.')
        end--;
    const bool is_dot = end > 0 && word.at[end - 1] == '.';
    if (!is_dot && !(end > 1 && word.at[end - 1] == '>' && word.at[end - 2] == '-'))
        return false;
    const size_t base = end - (is_dot ? 1 : 2);
    for (begin = base;
         begin > 0 && (text_is_word(word.at[begin - 1]) || strchr(".[]>:-", word.at[begin - 1]));)
        begin--;
    completing->before = word.at;
    completing->before_length = end;
    if (expression_value(&asker, (struct slice){word.at + begin, base - begin}, &value, wrong,
                         sizeof wrong) != HX_OK)
        return true;
    if (value.triple)
        add_words(completing, "x y z");
    else if (value.declared && value.dimension == 0) {
        const uint32_t type = value.declared - 1;
        add_members(completing, dwarf_type_is_pointer(dwarf, type) ? dwarf_type_target(dwarf, type) : type,
                    0);
    }
    return true;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static void add_files(struct completing *completing)
{
    char folder[4096] = ".";
    size_t length = completing->word.length;
    while (length > 0 && completing->word.at[length - 1] != '/')
        length--;
    if (length >= sizeof folder)
        return;
    if (length > 0)
        text_put(folder, length + 1, completing->word.at);
    completing->before = completing->word.at;
    completing->before_length = length;
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        if (entry->d_name[0] != '.' || completing->word.length > length)
            add(completing, slice_of(entry->d_name), entry->d_type == DT_DIR ? "/" : "");
    if (opened)
        closedir(opened);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static void add_commands(const struct completing *completing)
{
    const char *name;
    for (size_t i = 0; (name = debug_command_name(NULL, i)); i++)
        add(completing, slice_of(name), "");
}

static bool has_word(const char *words, struct slice wanted)
{
    struct slice rest = slice_of(words);
    while (rest.length > 0)
        if (slice_same(debug_word(&rest), wanted))
            return true;
    return false;
}

/* What may stand behind a command; the word may be one of several behind it. */
static void add_for(struct completing *completing, const struct debug_command *command)
{
    unsigned takes = TAKES_NAMES;
    const char *words = "", *name;
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++)
        if (has_word(rows[i].commands, slice_of(command->name))) {
            takes = rows[i].takes;
            words = rows[i].words;
        }
    if (strcmp(command->name, "info") == 0) {
        takes = 0;
        for (size_t i = 0; (name = debug_info_name(i)); i++)
            add(completing, slice_of(name), "");
    }
    if (!*command->arguments || ((takes & TAKES_NAMES) && add_members_behind(completing)))
        return;
    if (takes & TAKES_COMMANDS)
        add_commands(completing);
    if (takes & TAKES_PLACES)
        add_places(completing);
    if ((takes & TAKES_NAMES) && !(takes & TAKES_PLACES))
        add_names(completing);
    if (takes & TAKES_POINTS)
        add_points(completing);
    if (takes & TAKES_FILES)
        add_files(completing);
    add_words(completing, words);
}

static void complete(struct hx_debugger *debugger, const char *line)
{
    const char *blank = strrchr(line, ' ');
    struct completing completing = {.debugger = debugger, .word = slice_of(blank ? blank + 1 : line)};
    struct slice rest = slice_trim(slice_of(line)), behind;
    complete_forget(debugger);
    if (!blank) {
        add_commands(&completing);
        return;
    }
    const char *meaning = words_meaning(rest, &behind); /* of other debuggers */
    if (meaning)
        rest = slice_of(meaning);
    struct slice word = debug_word(&rest);
    size_t matches;
    for (size_t i = 0; i < word.length; i++) /* print/x */
        if (word.at[i] == '/')
            word.length = i;
    const struct debug_command *command = debug_find_command(word, &matches);
    if (command)
        add_for(&completing, command);
}

const char *hx_debugger_complete(const hx_debugger *debugger, const char *line, size_t index)
{
    if (!debugger || !line)
        return NULL;
    if (index == 0)
        complete((struct hx_debugger *)(uintptr_t)debugger, line);
    return index < debugger->completions.count ? debugger->completions.items[index] : NULL;
}
