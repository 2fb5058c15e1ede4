/* hexec trace, and what --trace asks for. It takes names of files as they were typed and leaves what
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

hx_status command_trace_files(const struct command *command, struct arena *arena,
                              hx_trace_options *ret_options)
{
    const struct option_values *values = &command->options->values[OPTION_TRACE];
    if (values->count == 0)
        return HX_OK;
    const char **files = ARENA_ARRAY(arena, const char *, values->count);
    const char *name = process_name(command, arena);
    if (!files || !name)
        return diag_no_memory(command->diag);
    for (size_t i = 0; i < values->count; i++) {
        const char *text = values->items[i].text, *made_up = made_up_name(arena, text);
        files[i] = strchr(text, ':') ? text : arena_format(arena, "%s:%s", text, made_up ? made_up : "");
        if (!made_up || !files[i])
            return diag_no_memory(command->diag);
    }
#if !HX_TRACING
    return diag_report(command->diag, DIAG_TRACE_OPTION, (struct place){0}, NULL,
                       "--trace: this hexec was built without tracing");
#endif
    ret_options->files = files;
    ret_options->file_count = values->count;
    ret_options->file_filter = option_text(command->options, OPTION_TRACE_LIMIT);
    ret_options->file_budget_bytes = option_number(command->options, OPTION_TRACE_BUDGET, 0);
    ret_options->process_name = name;
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
    const char *output = option_text(options, OPTION_OUTPUT);
    return hx_trace_merge(options->arguments + 1, options->argument_count - 1,
                          output ? output : "merged.json", command->diag);
}
