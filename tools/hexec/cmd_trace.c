/* hexec trace, and the option --trace. It takes names of files as they were typed and leaves what
 * include/hexec/trace.h wants. */
#include "command.h"

#include <string.h>
#include <time.h>

/* trace-2026-01-31T12-00-00, with what viewers know files of a kind by. */
static const char *made_up_name(struct arena *arena, const char *kind)
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    const char *ending = strcmp(kind, "perfetto") == 0  ? ".perfetto-trace"
                         : strcmp(kind, "firefox") == 0 ? ".firefox.json"
                                                        : ".json";
    return arena_format(arena, "trace-%04d-%02d-%02dT%02d-%02d-%02d%s", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ending);
}

/* "matmul" of programs/matmul.yaml: what viewers call the process. */
static const char *process_name(const struct command *command, struct arena *arena)
{
    const char *path = command->options->argument_count > 0 ? command->options->arguments[0] : "";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return arena_format(arena, "hexec %.*s", (int)length, name);
}

/* KIND:FILE of one --trace. */
static const char *trace_file(struct arena *arena, const char *text)
{
    const char *made_up = made_up_name(arena, text);
    if (!made_up)
        return NULL;
    return strchr(text, ':') ? text : arena_format(arena, "%s:%s", text, made_up);
}

/* What --otlp sends are spans too. Those of instructions only come with --trace or --trace-limit: a profile,
 * which
 * --otlp sends as well, tells the same in less. */
static const char *file_filter(const struct command *command)
{
    const char *limit = option_text(command->options, OPTION_TRACE_LIMIT);
    return limit || option_value(command->options, OPTION_TRACE) ? limit : "off";
}

hx_status command_trace_files(const struct command *command, struct arena *arena,
                              hx_trace_options *ret_options)
{
    const struct option_values *traces = &command->options->values[OPTION_TRACE],
                               *otlp = &command->options->values[OPTION_OTLP];
    const size_t count = traces->count + (HX_TRACING ? otlp->count : 0);
    if (count == 0)
        return HX_OK;
    const char **files = ARENA_ARRAY(arena, const char *, count);
    const char *name = process_name(command, arena);
    bool fine = files && name;
    for (size_t i = 0; fine && i < count; i++) {
        files[i] = i < traces->count ? trace_file(arena, traces->items[i].text)
                                     : arena_format(arena, "otlp:%s", otlp->items[i - traces->count].text);
        fine = files[i] != NULL;
    }
    if (!fine)
        return diag_no_memory(command->diag);
#if !HX_TRACING
    return diag_report(command->diag, DIAG_TRACE_OPTION, (struct place){0}, NULL,
                       "--trace: this hexec was built without tracing");
#endif
    ret_options->files = files;
    ret_options->file_count = count;
    ret_options->file_filter = file_filter(command);
    ret_options->file_budget_bytes = option_number(command->options, OPTION_TRACE_BUDGET, 0);
    ret_options->process_name = name;
    ret_options->file_tracks = option_text(command->options, OPTION_TRACE_TRACKS);
    return HX_OK;
}

hx_status cmd_trace(struct command *command)
{
    const struct options *options = command->options;
    if (strcmp(options->arguments[0], "merge") != 0)
        return diag_report(command->diag, DIAG_USAGE_ARGUMENTS, (struct place){0},
                           "write hexec trace merge TRACE... -o FILE",
                           "hexec trace %s: there is no such thing", options->arguments[0]);
    if (!HX_TRACING)
        return diag_report(command->diag, DIAG_TRACE_OPTION, (struct place){0}, NULL,
                           "hexec trace merge: this hexec was built without tracing");
    const char *given = option_text(options, OPTION_OUTPUT), *output = given ? given : "merged.json";
    for (size_t i = 1; i < options->argument_count; i++)
        if (outputs_same_file(output, options->arguments[i]))
            return diag_report(command->diag, DIAG_USAGE_CONFLICT, (struct place){0},
                               "name another file with -o", "%s: the output would take the place of an input",
                               output);
    return hx_trace_merge(options->arguments + 1, options->argument_count - 1, output, command->diag);
}
