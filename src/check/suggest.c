/* Suppressions for what was found, to be filled in.
 *
 * Takes finished checks, leaves a file that hx_suppressions_load reads once each entry has a reason and a
 * date: without these it is refused, so that nobody suppresses a finding without a thought. */
#include "check/frame.h"

#include <string.h>

/* A text in double quotes; JSON's escapes are YAML's, too. */
static void print_member(struct text *out, const char *key, const char *text)
{
    text_print(out, "    %s: ", key);
    text_print_json_string(out, text, strlen(text));
    text_print(out, "\n");
}

/* Characters that a pattern takes for more than themselves stand behind a backslash. */
static void print_pattern(struct text *out, const char *key, const char *text)
{
    struct text pattern HX_AUTO(text_done) = {.allocator = out->allocator};
    for (; *text; text++)
        text_print(&pattern, strchr("*?[\\", *text) ? "\\%c" : "%c", *text);
    out->failed |= pattern.failed;
    if (!pattern.failed && pattern.at)
        print_member(out, key, pattern.at);
}

static void print_entry(struct text *out, const hx_finding *finding)
{
    text_print(out, "  # ");
    check_print_brief(finding, out);
    text_print(out, "\n  - kind: %s\n", finding->kind);
    if (finding->place_count > 0) {
        const hx_finding_place *place = &finding->places[0];
        const char *slash = place->file ? strrchr(place->file, '/') : NULL;
        print_pattern(out, "program", place->program);
        print_pattern(out, "kernel", place->kernel);
        if (place->function)
            print_pattern(out, "function", place->function);
        if (place->file)
            print_pattern(out, "file", slash ? slash + 1 : place->file);
        if (place->line > 0)
            text_print(out, "    line: %d\n", place->line);
    }
    if (finding->object.name)
        print_pattern(out, "buffer", finding->object.name);
    text_print(out, "    reason: \"\"    # why it is no mistake\n"
                    "    expires: \"\"   # the date from which on it counts again, such as 2030-12-31\n");
}

void check_print_suggestion(const hx_checks *checks, struct text *out)
{
    if (checks->finding_count == 0)
        text_print(out, "suppressions: []\n");
    else
        text_print(out, "suppressions:\n");
    for (size_t i = 0; i < checks->finding_count; i++)
        print_entry(out, &checks->findings[i]);
}
