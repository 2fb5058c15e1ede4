/* Outputs against inputs: that no file which a command writes takes the place of one that it reads, or of
 * another that it writes. It takes the options, and the files that a program names; it leaves a diagnostic.
 * The idea behind its form: a file is known by its device and number, not by its name, so that ./p.yaml, a
 * link and a hard link are all found; one that is not there yet is known by its folder and its name in it. */
#include "command.h"

#include "base/file.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct named_file {
    const char *what; /* "the program", or the option: --out */
    const char *text; /* its value, as typed; "" of no option */
    bool is_output, is_there;
    dev_t device; /* of the file, or of its folder */
    ino_t number;
    const char *name; /* in the folder; "" of a file that is there */
};

struct outputs {
    const struct command *command;
    struct arena arena;
    LIST(struct named_file) files;
    hx_status status;
};

/* False for what has no place that could be taken: a pipe, a device, a folder that is not there. */
static bool identify(struct arena *arena, const char *path, struct named_file *file)
{
    struct stat about;
    char target[PATH_MAX];
    file->name = "";
    file->is_there = stat(path, &about) == 0;
    if (!file->is_there) {
        if (!file_target(path, target))
            return false;
        char *slash = strrchr(target, '/');
        file->name = arena_copy(arena, slash ? slash + 1 : target, strlen(slash ? slash + 1 : target));
        if (slash)
            slash[slash == target] = 0;
        if (!file->name || stat(slash ? target : ".", &about) != 0)
            return false;
    } else if (!S_ISREG(about.st_mode))
        return false;
    file->device = about.st_dev;
    file->number = about.st_ino;
    return true;
}

static bool is_same(const struct named_file *a, const struct named_file *b)
{
    return a->is_there == b->is_there && a->device == b->device && a->number == b->number &&
           strcmp(a->name, b->name) == 0;
}

bool outputs_same_file(const char *a, const char *b)
{
    struct arena arena HX_AUTO(arena_done) = {0};
    struct named_file first = {0}, second = {0};
    return identify(&arena, a, &first) && identify(&arena, b, &second) && is_same(&first, &second);
}

static void report(struct outputs *outputs, const struct named_file *output, const struct named_file *other)
{
    outputs->status = command_keep(
        outputs->status,
        other->is_output
            ? diag_report(outputs->command->diag, DIAG_USAGE_CONFLICT, (struct place){0},
                          "name another file for one of them", "%s %s and %s %s write one file", other->what,
                          other->text, output->what, output->text)
            : diag_report(outputs->command->diag, DIAG_USAGE_CONFLICT, (struct place){0}, "name another file",
                          "%s %s: the output would take the place of %s%s%s", output->what, output->text,
                          other->what, *other->text ? " " : "", other->text));
}

static void add(struct outputs *outputs, const char *what, const char *text, const char *path, bool is_output)
{
    struct named_file file = {.what = what, .text = text, .is_output = is_output};
    if (!path || !*path || !identify(&outputs->arena, path, &file))
        return;
    for (size_t i = 0; i < outputs->files.count; i++) {
        const struct named_file *other = &outputs->files.items[i];
        if (is_output && is_same(&file, other)) {
            report(outputs, &file, other);
            return;
        }
    }
    if (!LIST_PUSH(NULL, &outputs->files, file))
        outputs->status = command_keep(outputs->status, diag_no_memory(outputs->command->diag));
}

/* What stands behind the word in front of a colon; a path with a colon in it is written ./a:b. */
static const char *behind_word(const char *text)
{
    const size_t length = strcspn(text, ":/.");
    return text[length] == ':' ? text + length + 1 : text;
}

static const char *path_of(enum option_id id, const struct option_value *value)
{
    switch (id) {
    case OPTION_OUT:
        return value->rest;
    case OPTION_BUFFER:
        return value->rest && value->rest[0] == '@' ? value->rest + 1 : NULL;
    case OPTION_FLAMEGRAPH:
    case OPTION_METRICS:
        return behind_word(value->text);
    case OPTION_TRACE:
        return strchr(value->text, ':') ? strchr(value->text, ':') + 1 : NULL;
    default:
        return value->text;
    }
}

static void add_options(struct outputs *outputs, const enum option_id *ids, size_t count, bool is_output)
{
    const struct options *options = outputs->command->options;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < options->values[ids[i]].count; k++) {
            const struct option_value *value = &options->values[ids[i]].items[k];
            char title[64];
            const char *what = option_title(ids[i], value, title);
            what = arena_copy(&outputs->arena, what, strlen(what));
            if (what)
                add(outputs, what, value->text, path_of(ids[i], value), is_output);
            else
                outputs->status = command_keep(outputs->status, diag_no_memory(outputs->command->diag));
        }
}

/* --otlp=run.jsonl writes run.traces.jsonl and run.metrics.jsonl, and no run.jsonl. */
static void add_otlp(struct outputs *outputs)
{
    static const char *const signals[] = {"traces", "metrics"};
    const struct option_values *values = &outputs->command->options->values[OPTION_OTLP];
    for (size_t i = 0; i < HX_COUNT_OF(signals) * values->count; i++) {
        const char *text = values->items[i / HX_COUNT_OF(signals)].text;
        const char *slash = strrchr(text, '/'), *ending = strrchr(slash ? slash : text, '.');
        if (strstr(text, "://") || strcmp(text, "env") == 0)
            continue;
        const int stem = (int)(ending && ending != text ? (size_t)(ending - text) : strlen(text));
        const char *path =
            arena_format(&outputs->arena, "%.*s.%s%s", stem, text, signals[i % HX_COUNT_OF(signals)],
                         text[stem] ? text + stem : ".jsonl");
        if (path)
            add(outputs, "--otlp", text, path, true);
        else
            outputs->status = command_keep(outputs->status, diag_no_memory(outputs->command->diag));
    }
}

/* The old profile may be the baseline that the new one replaces. */
static bool is_replaced(const struct options *options, size_t argument)
{
    return options->command == COMMAND_COMPARE && options->argument_count == 2 && argument == 0;
}

/* Commands whose arguments are files that they read; of trace the first one is a word. */
static void add_arguments(struct outputs *outputs)
{
    static const enum command_id reading[] = {COMMAND_RUN,     COMMAND_PROFILE, COMMAND_CHECK,  COMMAND_ASM,
                                              COMMAND_DISASM,  COMMAND_INIT,    COMMAND_IMPORT, COMMAND_TEST,
                                              COMMAND_COMPARE, COMMAND_TRACE};
    const struct options *options = outputs->command->options;
    for (size_t i = 0; i < HX_COUNT_OF(reading); i++)
        for (size_t k = options->command == COMMAND_TRACE; k < options->argument_count; k++)
            if (options->command == reading[i] && !is_replaced(options, k))
                add(outputs, "the input", options->arguments[k], options->arguments[k], false);
}

static hx_status add_program_file(void *user, const char *path)
{
    struct outputs *outputs = user;
    const char *copy = arena_copy(&outputs->arena, path, strlen(path));
    if (!copy)
        return diag_no_memory(outputs->command->diag);
    add(outputs, "the program's file", copy, copy, false);
    return HX_OK;
}

hx_status outputs_check(const struct command *command, const hx_program *program)
{
    static const enum option_id inputs[] = {OPTION_ISA, OPTION_BUFFER, OPTION_COSTS, OPTION_DEVICE,
                                            OPTION_SUPPRESSIONS};
    static const enum option_id written[] = {OPTION_OUT,
                                             OPTION_OUTPUT,
                                             OPTION_FLAMEGRAPH,
                                             OPTION_REPORT,
                                             OPTION_PPROF,
                                             OPTION_CALLGRIND,
                                             OPTION_METRICS,
                                             OPTION_COVERAGE,
                                             OPTION_TRACE,
                                             OPTION_LOG_FILE,
                                             OPTION_JUNIT,
                                             OPTION_SARIF,
                                             OPTION_SUGGEST_SUPPRESSIONS,
                                             OPTION_WRITE_COSTS,
                                             OPTION_SAVE_BASELINE};
    struct outputs outputs = {.command = command};
    add_arguments(&outputs);
    add_options(&outputs, inputs, HX_COUNT_OF(inputs), false);
    if (program)
        outputs.status = command_keep(outputs.status, hx_program_files(program, add_program_file, &outputs));
    add_options(&outputs, written, HX_COUNT_OF(written), true);
    add_otlp(&outputs);
    LIST_DONE(NULL, &outputs.files);
    arena_done(&outputs.arena);
    return outputs.status;
}
