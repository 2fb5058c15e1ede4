/* Breakpoints on functions: where the functions of a name begin.
 *
 * Takes a name as the source has it, leaves the places of all that it means: overloads, instances of a
 * template, and the code of each kernel that calls one. */
#include "debug/debug.h"
#include "debug/written.h"

#include <string.h>

/* Kernels, then labels. */
static const char *next_name(void *user, size_t index)
{
    const hx_program *program = user;
    if (index < program->kernel_count)
        return program->kernels[index].name;
    index -= program->kernel_count;
    for (size_t k = 0; k < program->kernel_count; k++) {
        uint32_t instruction;
        const char *name;
        for (size_t i = 0; (name = written_label(&program->kernels[k], i, &instruction)); i++)
            if (index-- == 0)
                return name;
    }
    return NULL;
}

/* The compiler gives what stores the parameters the place of the function's head. Where it says nothing of
 * variables none of the function is passed over. */
uint32_t points_begin(const hx_program *program, const struct kernel *kernel, const struct debug_unit *unit)
{
    if (!program->debug || program->debug->sections[DEBUG_INFO].length == 0 ||
        program->level != HX_SOURCE_WRITTEN)
        return unit->body;
    const struct code_line *head = &kernel->lines[unit->body < kernel->code_count ? unit->body : 0];
    for (uint32_t i = unit->body; i < unit->close && i < kernel->code_count; i++)
        if (kernel->lines[i].place.line != head->place.line ||
            kernel->lines[i].place.column != head->place.column)
            return i;
    return unit->body;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Without blanks; without what stands between < and >, if that is not wanted. */
static void squeeze(struct slice from, bool with_arguments, struct text *out)
{
    unsigned depth = 0;
    for (size_t i = 0; i < from.length; i++) {
        depth += from.at[i] == '<';
        if (!text_is_blank(from.at[i]) && (with_arguments || depth == 0))
            text_append(out, &from.at[i], 1);
        depth -= from.at[i] == '>' && depth > 0;
    }
}

/* Is `wanted` the end of a name, from one of its parts on? All of it where it begins with "::". */
static bool is_end(struct slice wanted, struct slice name)
{
    if (slice_starts_with(wanted, "::"))
        return wanted.length == name.length + 2 && memcmp(wanted.at + 2, name.at, name.length) == 0;
    const size_t before = name.length - wanted.length;
    return wanted.length <= name.length && memcmp(name.at + before, wanted.at, wanted.length) == 0 &&
           (before == 0 || name.at[before - 1] == ':');
}

/* The name in front of the parameters, which are the last parentheses. */
static struct slice without_parameters(struct slice name)
{
    unsigned depth = 0;
    for (size_t i = name.length; i > 0 && name.at[name.length - 1] == ')'; i--) {
        depth += name.at[i - 1] == ')';
        depth -= name.at[i - 1] == '(';
        if (depth == 0)
            return (struct slice){name.at, i - 1};
    }
    return name;
}

/* saxpy, math::add<float>, math::add, add, add(int, int) */
static bool means(const hx_allocator *allocator, struct slice wanted, const char *symbol)
{
    struct text full HX_AUTO(text_done) = {.allocator = allocator};
    struct text forms[3] = {{.allocator = allocator}, {.allocator = allocator}, {.allocator = allocator}};
    bool is_meant = false;
    demangle(&full, symbol);
    const struct slice whole = {full.at ? full.at : "", full.length};
    squeeze(wanted, true, &forms[0]);
    squeeze(whole, true, &forms[1]);
    const struct slice want = {forms[0].at ? forms[0].at : "", forms[0].length};
    const struct slice form = {forms[1].at ? forms[1].at : "", forms[1].length};
    is_meant = want.length > 0 && (is_end(want, form) || is_end(want, without_parameters(form)));
    squeeze(without_parameters(form), false, &forms[2]);
    is_meant |= want.length > 0 && forms[2].at && is_end(want, (struct slice){forms[2].at, forms[2].length});
    for (size_t i = 0; i < HX_COUNT_OF(forms); i++)
        text_done(&forms[i]);
    return is_meant;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

typedef LIST(struct code_place) place_list;

static struct code_place kernel_begin(const hx_program *program, const struct kernel *kernel)
{
    const struct kernel_debug *debug = kernel->debug;
    return (struct code_place){
        kernel, debug && debug->unit_count ? points_begin(program, kernel, &debug->units[0]) : 0};
}

static bool add_kernel(const struct engine *engine, const struct kernel *kernel, struct slice name,
                       place_list *places)
{
    const hx_program *program = hx_context_program(engine->context);
    const hx_allocator *allocator = engine->allocator;
    const struct kernel_debug *debug = kernel->debug;
    bool good = true;
    if (slice_equal(name, kernel->name) || means(allocator, name, kernel->name)) {
        const struct code_place place = kernel_begin(program, kernel);
        good = LIST_PUSH(allocator, places, place);
    }
    for (size_t i = 1; good && debug && i < debug->unit_count; i++) {
        const struct code_place place = {kernel, points_begin(program, kernel, &debug->units[i])};
        if (means(allocator, name, debug->units[i].symbol))
            good = LIST_PUSH(allocator, places, place);
    }
    return good;
}

/* Where a function of this name is inlined: each copy of it. */
static bool add_inlined(const struct engine *engine, const struct kernel *kernel, struct slice name,
                        place_list *places)
{
    const struct dwarf *dwarf = &engine->dwarf;
    const hx_allocator *allocator = engine->allocator;
    for (size_t i = 0; engine->has_inlined && i < engine->scopes.count; i++) {
        const uint32_t scope = engine->scopes.items[i];
        const struct slice symbol = scope_symbol(dwarf, scope);
        struct text text HX_AUTO(text_done) = {.allocator = allocator};
        text_append(&text, symbol.at, symbol.length);
        if (text.failed)
            return false;
        if (dwarf->entries.items[scope].tag != DWARF_INLINED || !text.at || !means(allocator, name, text.at))
            continue;
        struct code_place place = {.kernel = kernel};
        for (; scope_next_begin(kernel, &dwarf->entries.items[scope], &place.instruction);
             place.instruction++)
            if (!LIST_PUSH(allocator, places, place))
                return false;
    }
    return true;
}

/* Where a label is in each kernel, and in each copy of an inlined function of PTX. */
static bool add_labels(const struct engine *engine, struct slice name, place_list *places)
{
    const hx_program *program = hx_context_program(engine->context);
    for (size_t k = 0; k < program->kernel_count; k++) {
        struct code_place place = {.kernel = &program->kernels[k]};
        const char *label;
        for (size_t i = 0; (label = written_label(place.kernel, i, &place.instruction)); i++)
            if (slice_equal(name, label) && !LIST_PUSH(engine->allocator, places, place))
                return false;
    }
    return true;
}

hx_status points_read_kernels(struct hx_debugger *debugger, struct point *point)
{
    const struct engine *engine = &debugger->engine;
    const hx_program *program = hx_context_program(engine->context);
    point->places = memory_allocate(engine->allocator, program->kernel_count + 1, sizeof *point->places);
    if (!point->places)
        return diag_no_memory(debugger->diag);
    for (size_t k = 0; k < program->kernel_count; k++)
        point->places[point->place_count++] = kernel_begin(program, &program->kernels[k]);
    return HX_OK;
}

hx_status points_read_name(struct hx_debugger *debugger, struct slice name, struct point *point)
{
    const hx_allocator *allocator = debugger->engine.allocator;
    const hx_program *program = hx_context_program(debugger->engine.context);
    place_list places = {0};
    char space[TEXT_HINT_BYTES];
    for (size_t k = 0; k < program->kernel_count; k++)
        if (!add_kernel(&debugger->engine, &program->kernels[k], name, &places) ||
            !add_inlined(&debugger->engine, &program->kernels[k], name, &places)) {
            LIST_DONE(allocator, &places);
            return diag_no_memory(debugger->diag);
        }
    if (places.count == 0 && !add_labels(&debugger->engine, name, &places)) {
        LIST_DONE(allocator, &places);
        return diag_no_memory(debugger->diag);
    }
    point->places = places.items;
    point->place_count = places.count;
    if (places.count > 0)
        return HX_OK;
    return debug_wrong(debugger, text_did_you_mean(text_suggest(name, next_name, (void *)program), space),
                       "there is no line, label, kernel or function '" SLICE_FORMAT "'", SLICE_ARGS(name));
}
