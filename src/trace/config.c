/* Configuration: profiles and variables, in the order of precedence that hexec/trace.h gives. */
#include "trace/registry.h"

#if HX_TRACING
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
    const hx_trace_options *options;
    hx_diag *diag;
    char used[80]; /* the name of the variable that was found last */
};

static const char *get(const struct reading *reading, const char *name)
{
    const char *value = reading->options->get_variable
                            ? reading->options->get_variable(reading->options->user, name)
                            : getenv(name);
    return value && *value ? value : NULL;
}

/* HEXEC_name, then HOLOGRAM_name. */
static const char *find(struct reading *reading, const char *name)
{
    static const char *const prefixes[] = {"HEXEC_", "HOLOGRAM_"};
    for (size_t i = 0; i < HX_COUNT_OF(prefixes); i++) {
        snprintf(reading->used, sizeof reading->used, "%s%s", prefixes[i], name);
        const char *value = get(reading, reading->used);
        if (value)
            return value;
    }
    return NULL;
}

static void bad(struct reading *reading, const char *value, const char *wanted, const char *taken)
{
    diag_report(reading->diag, DIAG_TRACE_VARIABLE, (struct place){0}, wanted,
                "%s=%s is not understood; %s is taken", reading->used, value, taken);
}

static unsigned choose(struct reading *reading, const char *value, const char *const *words, unsigned count,
                       unsigned otherwise, const char *wanted)
{
    for (unsigned i = 0; value && i < count; i++)
        if (slice_equal_nocase(slice_of(value), words[i]))
            return i;
    if (value)
        bad(reading, value, wanted, words[otherwise]);
    return otherwise;
}

static void read_perf(struct reading *reading, struct trace_config *config)
{
    const char *on = find(reading, "PERF_TRACING");
    bool perf;
    if (on && boolean_parse(slice_of(on), &perf))
        config->perf = perf;
    else if (on)
        bad(reading, on, "true, false, 1, 0, yes or no", config->perf ? "true" : "false");
    const char *threshold = find(reading, "PERF_THRESHOLD_US");
    uint64_t us;
    if (threshold && number_parse_u64(slice_of(threshold), &us) == NUMBER_OK && us < UINT64_MAX / 1000)
        config->threshold_ns = us * 1000;
    else if (threshold)
        bad(reading, threshold, "a number of microseconds", "0");
}

static void read_redaction(struct reading *reading, struct trace_config *config)
{
    const char *names = find(reading, "TRACING_REDACT_FIELDS"),
               *token = find(reading, "TRACING_REDACT_TOKEN");
    if (names) {
        size_t at = 0;
        config->redacted[at++] = ',';
        for (const char *c = names; *c && at < sizeof config->redacted - 2; c++)
            if (*c != ' ')
                config->redacted[at++] = *c;
        config->redacted[at] = ',';
    }
    snprintf(config->token, sizeof config->token, "%s", token ? token : "***REDACTED***");
}

static hx_status read_filters(struct reading *reading, const char *otherwise, struct trace_config *config)
{
    const char *text = reading->options->filter, *origin = "the filter";
    if (!text && (text = get(reading, "HEXEC_LOG")))
        origin = "HEXEC_LOG";
    if (!text && (text = find(reading, "TRACING_DIRECTIVES")))
        origin = reading->used;
    if (!text && (text = get(reading, "RUST_LOG")))
        origin = "RUST_LOG";
    hx_status status = filter_parse(text ? text : otherwise, origin, reading->diag, &config->filter);
    if (status != HX_OK)
        return status;
    const char *perf = find(reading, "PERF_DIRECTIVES");
    if (perf) {
        config->has_perf_filter = true;
        return filter_parse(perf, reading->used, reading->diag, &config->perf_filter);
    }
    /* perf tracing on means that its spans are wanted, unless a directive speaks of them */
    if (config->perf && !filter_names_target(&config->filter, "hexec::performance") &&
        config->filter.count < DIRECTIVES_MAX) {
        struct directive *directive = &config->filter.directives[config->filter.count++];
        *directive = (struct directive){.level = HX_DEBUG};
        strcpy(directive->target, "hexec::performance");
    }
    return HX_OK;
}

hx_status config_read(const hx_trace_options *options, hx_diag *diag, struct trace_config *ret_config)
{
    static const char *const profiles[] = {"local", "ci", "performance"}, *const formats[] = {
                                                                              "pretty", "compact", "json"};
    struct reading reading = {.options = options, .diag = diag, .used = "the profile"};
    struct trace_config config = {0};
    const char *asked = options->profile ? options->profile : find(&reading, "TRACING_PROFILE");
    unsigned profile =
        choose(&reading, asked, profiles, HX_COUNT_OF(profiles), 0, "local, ci or performance");
    config.perf = profile == 2;
    config.span_events = profile == 2;
    snprintf(reading.used, sizeof reading.used, "the format");
    asked = options->format ? options->format : find(&reading, "TRACING_FORMAT");
    config.format = (enum log_format)choose(&reading, asked, formats, HX_COUNT_OF(formats),
                                            profile == 0 ? LOG_PRETTY : LOG_JSON, "pretty, compact or json");
    bool terminal =
        options->color == 0 && !options->log_file && isatty(STDERR_FILENO) && !get(&reading, "NO_COLOR");
    config.color = config.format != LOG_JSON && profile == 0 && (options->color > 0 || terminal);
    read_perf(&reading, &config);
    read_redaction(&reading, &config);
    hx_status status = read_filters(&reading, "warn", &config);
    if (status == HX_OK)
        *ret_config = config;
    return status;
}
#endif
