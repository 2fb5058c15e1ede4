/* Expressions that are shown at each stop: display, undisplay, info display. */
#include "debug/expression.h"
#include "debug/table.h"

#include <string.h>

/* `is_new`: also where it has no meaning, which is said. */
static void print_one(struct hx_debugger *debugger, const struct display *display, bool is_new)
{
    const struct asker asker = debug_asker(debugger);
    struct text *out = debugger->out;
    struct value value;
    char wrong[160];
    if (display->format == 'i') {
        text_print(out, "%u: x/i %s\n", display->number, display->text);
        debug_show_code(debugger, slice_of(display->text));
        return;
    }
    const bool is_good =
        expression_value(&asker, slice_of(display->text), &value, wrong, sizeof wrong) == HX_OK;
    if (!is_good && !is_new &&
        strstr(wrong, WRONG_ELSEWHERE)) /* it is shown again where it means something */
        return;
    text_print(out, "%u: %s = ", display->number, display->text);
    if (!is_good)
        text_print(out, "<%s>", wrong);
    else
        value_show(&asker, &value, display->format, out);
    text_append(out, "\n", 1);
}

void debug_print_displays(struct hx_debugger *debugger)
{
    for (size_t i = 0; i < debugger->displays.count; i++)
        print_one(debugger, &debugger->displays.items[i], false);
}

hx_status command_display(struct hx_debugger *debugger, struct slice rest)
{
    const hx_allocator *allocator = debugger->engine.allocator;
    struct display made = {.number = debugger->next_display + 1};
    hx_status status = debug_format(debugger, &rest, true, &made.format);
    if (status == HX_OK && rest.length == 0) {
        debug_print_displays(debugger);
        return HX_OK;
    }
    if (status == HX_OK)
        status = points_check_expression(debugger, rest);
    if (status != HX_OK)
        return status;
    made.text = memory_allocate(allocator, rest.length + 1, 1);
    if (made.text)
        memcpy(made.text, rest.at, rest.length);
    if (!made.text || !LIST_PUSH(allocator, &debugger->displays, made)) {
        memory_free(allocator, made.text);
        return HX_NO_MEMORY;
    }
    debugger->next_display++;
    if (engine_is_live(&debugger->engine))
        print_one(debugger, &debugger->displays.items[debugger->displays.count - 1], true);
    return HX_OK;
}

void debug_forget_displays(struct hx_debugger *debugger)
{
    for (size_t i = 0; i < debugger->displays.count; i++)
        memory_free(debugger->engine.allocator, debugger->displays.items[i].text);
    debugger->displays.count = 0;
}

static bool remove_display(struct hx_debugger *debugger, uint64_t number)
{
    for (size_t i = 0; i < debugger->displays.count; i++) {
        struct display *display = &debugger->displays.items[i];
        if (display->number != number)
            continue;
        memory_free(debugger->engine.allocator, display->text);
        debugger->displays.count--;
        memmove(display, display + 1, (debugger->displays.count - i) * sizeof *display);
        return true;
    }
    return false;
}

hx_status command_undisplay(struct hx_debugger *debugger, struct slice rest)
{
    if (rest.length == 0)
        debug_forget_displays(debugger);
    while (rest.length > 0) {
        const struct slice word = debug_word(&rest);
        uint64_t number;
        if (number_parse_u64(word, &number) != NUMBER_OK || !remove_display(debugger, number))
            return debug_wrong(debugger, "info display lists them", "there is no display '" SLICE_FORMAT "'",
                               SLICE_ARGS(word));
    }
    return HX_OK;
}

hx_status debug_info_display(struct hx_debugger *debugger, struct slice rest)
{
    static const char *const slash = "/";
    (void)rest;
    if (debugger->displays.count == 0)
        text_print(debugger->out, "there are no expressions to display\n");
    for (size_t i = 0; i < debugger->displays.count; i++) {
        const struct display *display = &debugger->displays.items[i];
        text_print(debugger->out, "%-3u %s%.*s%s%s\n", display->number, display->format ? slash : "",
                   display->format ? 1 : 0, &display->format, display->format ? " " : "", display->text);
    }
    return HX_OK;
}
