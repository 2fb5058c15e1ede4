/* Exports of a profile, from the options of the command line. Takes options, leaves files. The idea behind
 * its form: what is wrong with an option is found by the same walk that writes, run once before with nothing
 * to write. */
#include "exports.h"

#include <string.h>

/* An option, and the format that it stands for; NULL: the value says it, as in prometheus:FILE. */
static const struct {
    enum option_id id;
    const char *format;
} exports[] = {{OPTION_FLAMEGRAPH, "flamegraph"},
               {OPTION_PPROF, "pprof"},
               {OPTION_CALLGRIND, "callgrind"},
               {OPTION_METRICS, NULL},
               {OPTION_OTLP, "otlp"},
               {OPTION_REPORT, "html"}};

/* With --check alone the page is one of findings; with a profile it shows both. */
static bool is_of_findings(const struct options *options)
{
    return option_value(options, OPTION_CHECK) && options->command != COMMAND_PROFILE &&
           !option_is_on(options, OPTION_PROFILE);
}

bool exports_wanted(const struct options *options)
{
    bool wanted = false;
    for (size_t i = 0; i < HX_COUNT_OF(exports); i++)
        wanted |= option_value(options, exports[i].id) &&
                  !(exports[i].id == OPTION_REPORT && is_of_findings(options));
    return wanted;
}

/* The word before the colon of format:FILE, or weight:FILE; empty when there is none. A path with a colon in
 * it is written ./a:b. */
static struct slice prefix_of(const char *text)
{
    const size_t length = strcspn(text, ":/.");
    return (struct slice){text, text[length] == ':' ? length : 0};
}

/* Takes FORMAT: off the value of --metrics, and WEIGHT: off that of --flamegraph. */
static hx_status read_prefix(const struct command *command, enum option_id id,
                             const struct option_value *value, struct text *word, hx_export_options *export)
{
    static const char *const formats[] = {"prometheus", "openmetrics"};
    if (id != OPTION_METRICS && id != OPTION_FLAMEGRAPH)
        return HX_OK;
    const struct slice prefix = prefix_of(value->text);
    text_append(word, prefix.at, prefix.length);
    export->path += prefix.length ? prefix.length + 1 : 0;
    if (word->failed)
        return diag_no_memory(command->diag);
    if (id == OPTION_FLAMEGRAPH) {
        export->weight = prefix.length ? word->at : NULL;
        return HX_OK;
    }
    for (size_t i = 0; i < HX_COUNT_OF(formats); i++)
        export->format = slice_equal(prefix, formats[i]) ? formats[i] : export->format;
    char title[64];
    return export->format ? HX_OK
                          : diag_report(command->diag, DIAG_USAGE_BAD_VALUE, (struct place){0},
                                        "write prometheus:FILE or openmetrics:FILE",
                                        "%s: '%s' does not say which of two formats to write",
                                        option_title(id, value, title), value->text);
}

static hx_status export_one(const struct command *command, const hx_profile *profile, const char *findings,
                            size_t which, const struct option_value *value)
{
    struct text word HX_AUTO(text_done) = {0};
    hx_export_options export = {.size = sizeof export,
                                .format = exports[which].format,
                                .path = value->text,
                                .findings = findings,
                                .timeout_ns = option_number(command->options, OPTION_TIMEOUT, 0)};
    const hx_status status = read_prefix(command, exports[which].id, value, &word, &export);
    if (status != HX_OK)
        return status;
    return profile ? hx_profile_export(profile, &export, command->diag)
                   : hx_export_check(&export, command->diag);
}

static hx_status walk(const struct command *command, const hx_profile *profile, const char *findings)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(exports); i++) {
        const struct option_values *values = &command->options->values[exports[i].id];
        for (size_t k = 0; k < values->count; k++)
            status = command_keep(status, export_one(command, profile, findings, i, &values->items[k]));
    }
    return status;
}

hx_status exports_check(const struct command *command)
{
    return walk(command, NULL, NULL);
}

hx_status exports_write(const struct command *command, const hx_profile *profile, const char *findings)
{
    return walk(command, profile, findings);
}
