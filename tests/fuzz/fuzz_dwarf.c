/* What debuggers read of compilers: any text of PTX with sections of DWARF, and any bytes of the sections. An
 * input that is no text begins with the lengths of .debug_info and .debug_abbrev, 4 bytes each; then come
 * these, and the rest is .debug_str. */
#include "debug/source/variables.h"
#include "program_target.h"
#include "ptx/ptx.h"

#define ENTRIES_MOST 200 /* that are asked about */
#define VALUE_MOST   512

static const char letters[VALUE_MOST] = "value";

static void ask_members(const struct dwarf *dwarf, uint32_t type)
{
    struct dwarf_type_member member, found;
    uint32_t cursor = 0;
    for (unsigned i = 0; i < 100 && dwarf_type_next_member(dwarf, type, &cursor, &member); i++)
        if (member.name.length > 0)
            REQUIRE(dwarf_type_find_member(dwarf, type, member.name, &found));
    (void)dwarf_type_find_member(dwarf, type, (struct slice){"sA", 2}, &found);
    (void)dwarf_type_find_member(dwarf, type, (struct slice){"w", 1}, &found);
}

static void ask_type(const struct dwarf *dwarf, uint32_t type)
{
    struct dwarf_type_elements elements;
    struct text text;
    text_init(&text, NULL);
    const uint64_t bytes = dwarf_type_size(dwarf, type);
    REQUIRE(dwarf_type_of_number(dwarf, type) == HX_TYPE_NONE || bytes <= 8);
    ask_members(dwarf, type);
    for (uint32_t dimension = 0; dimension < 3; dimension++)
        if (dwarf_type_elements(dwarf, type, dimension, &elements))
            REQUIRE(elements.bytes > 0);
    dwarf_type_print(dwarf, type, &text);
    /* Exactly as many as there are, so that a sanitizer sees a read behind their end. */
    const uint64_t count = bytes < VALUE_MOST ? bytes : VALUE_MOST;
    char *copy = malloc(count ? count : 1);
    if (copy) {
        memcpy(copy, letters, count);
        value_print_typed(dwarf, type, 0, copy, count, 0, &text);
        value_print_typed(dwarf, type, 1, copy, count, 'x', &text);
    }
    free(copy);
    text_done(&text);
}

static void ask_scope(const struct dwarf *dwarf, uint32_t scope)
{
    const struct stand stand = {.scope = scope};
    struct variable_cursor cursor = {0};
    struct text name = {.allocator = dwarf->allocator};
    if (scope < dwarf->entries.count)
        scope_print_function(dwarf, scope, &name);
    text_done(&name);
    for (uint32_t i, count = 0;
         count < ENTRIES_MOST && (i = variable_next(dwarf, &stand, true, &cursor)) != DWARF_NONE; count++) {
        REQUIRE(variable_find(dwarf, scope, variable_name(dwarf, i)) == i);
        (void)variable_type(dwarf, i);
    }
}

static void ask(const struct program_debug *debug)
{
    struct dwarf dwarf;
    if (dwarf_read(debug, NULL, &dwarf) != HX_OK)
        return;
    for (uint32_t i = 0; i < dwarf.entries.count; i++) {
        const struct dwarf_entry *entry = &dwarf.entries.items[i];
        REQUIRE(entry->end > i && entry->end <= dwarf.entries.count);
        REQUIRE(entry->parent == DWARF_NONE || entry->parent < i);
        REQUIRE(entry->type == DWARF_NONE || entry->type < dwarf.entries.count);
        REQUIRE(entry->origin == DWARF_NONE || entry->origin < dwarf.entries.count);
        if (i >= ENTRIES_MOST)
            continue;
        ask_type(&dwarf, i);
        ask_scope(&dwarf, i);
    }
    dwarf_done(&dwarf);
}

static void ask_text(const uint8_t *data, size_t size)
{
    const hx_source_options options = {.size = sizeof options, .for_debugging = 1};
    hx_program *program = NULL;
    hx_diag *diag;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return;
    if (hx_program_load_source_bytes("fuzz", NULL, data, size, &options, fuzz_isa(), NULL, diag, &program) ==
            HX_OK &&
        program->debug)
        ask(program->debug);
    hx_program_free(program);
    hx_diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t lengths[2];
    struct program_debug debug = {0};
    if (ptx_is_text(data, size)) {
        ask_text(data, size);
        return 0;
    }
    if (size < sizeof lengths)
        return 0;
    memcpy(lengths, data, sizeof lengths);
    const char *at = (const char *)data + sizeof lengths, *end = (const char *)data + size;
    for (unsigned i = 0; i < DEBUG_SECTIONS; i++) {
        const size_t left = (size_t)(end - at);
        debug.sections[i] = (struct slice){at, i < 2 && lengths[i] < left ? lengths[i] : left};
        at += debug.sections[i].length;
    }
    ask(&debug);
    return 0;
}
