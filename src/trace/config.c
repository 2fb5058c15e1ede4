/* Configuration: options, variables and profiles, in one order of precedence.
 *
 * Takes the options of hx_trace_init and the environment, leaves a complete trace_config. Each setting is
 * looked for in the same places in the same order: the option, then HEXEC_name, then HOLOGRAM_name, then the
 * profile; `struct finding` carries a value together with where it was found, for warnings and for
 * hx_trace_settings. An empty variable counts as not set. */
#include "trace/config.h"

#if HX_TRACING
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERF_TARGET       "hexec::performance"
#define DEFAULT_TOKEN     "***REDACTED***"
#define THRESHOLD_MAX_US  1e12 /* eleven days */
#define FILE_BUDGET_BYTES ((uint64_t)64 << 20)
#ifdef HX_PARANOID
#define RING_RECORDS 8
#else
#define RING_RECORDS 8192
#endif

enum profile { PROFILE_LOCAL, PROFILE_CI, PROFILE_PERFORMANCE };
static const char *const profile_words[] = {"local", "ci", "performance"};
static const char *const format_words[] = {"pretty", "compact", "json"};
static const char *const track_words[] = {"workers", "warps"};

/* The settings of each profile. A debug build has perf spans ready under `local` too, for filters. */
static const struct {
    enum log_format format;
    bool color, perf, span_events;
    const char *filter;
} presets[] = {
#ifdef NDEBUG
    [PROFILE_LOCAL] = {LOG_PRETTY, true, false, false, "warn"},
#else
    [PROFILE_LOCAL] = {LOG_PRETTY, true, true, false, "warn"},
#endif
    [PROFILE_CI] = {LOG_JSON, false, false, false, "warn"},
    [PROFILE_PERFORMANCE] = {LOG_JSON, true, true, true, "info"},
};
_Static_assert(sizeof presets / sizeof *presets == sizeof profile_words / sizeof *profile_words,
               "a preset for each profile");

struct reading {
    const hx_trace_options *options;
    struct arena *arena;
    hx_diag *diag;
    hx_status status;           /* the first error */
    hx_setting_function report; /* may be NULL */
    void *user;
};

struct finding {
    const char *value;    /* NULL: nowhere */
    const char *variable; /* where; NULL: as an option, or in the profile */
};

/* ---- Finding ------------------------------------------------------------------------------------------- */

static void keep(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK)
        reading->status = status;
}

static bool find_variable(struct reading *reading, const char *prefix, const char *name,
                          struct finding *finding)
{
    const hx_trace_options *options = reading->options;
    const char *variable = arena_format(reading->arena, "%s%s", prefix, name);
    if (!variable) {
        keep(reading, diag_no_memory(reading->diag));
        return false;
    }
    const char *value =
        options->get_variable ? options->get_variable(options->user, variable) : getenv(variable);
    if (!value || !*value)
        return false;
    *finding = (struct finding){value, variable};
    return true;
}

/* The option, HEXEC_name, HOLOGRAM_name. */
static struct finding find(struct reading *reading, const char *option, const char *name)
{
    struct finding finding = {.value = option};
    if (!option && !find_variable(reading, "HEXEC_", name, &finding))
        (void)find_variable(reading, "HOLOGRAM_", name, &finding);
    return finding;
}

/* The variables of a name, in order. */
#define BOTH(name) "HEXEC_" name " HOLOGRAM_" name

static void report(const struct reading *reading, const char *name, const char *variables, const char *value,
                   hx_setting_source source, const char *from)
{
    const hx_setting setting = {name, value ? value : "", source, from, variables};
    if (reading->report)
        reading->report(reading->user, &setting);
}

/* Where a value was found that is taken. */
static void report_found(const struct reading *reading, const char *name, const char *variables,
                         const char *value, const struct finding *finding)
{
    report(reading, name, variables, value, finding->variable ? HX_SETTING_VARIABLE : HX_SETTING_OPTION,
           finding->variable ? finding->variable : "");
}

/* The same, or, where nothing was, that the profile says so. */
static void tell_preset(const struct reading *reading, const char *name, const char *variables,
                        const char *value, const struct finding *finding, enum profile profile)
{
    if (finding->value)
        report_found(reading, name, variables, value, finding);
    else
        report(reading, name, variables, value, HX_SETTING_PROFILE, profile_words[profile]);
}

/* The same where there is a default whatever the profile is. */
static void tell_default(const struct reading *reading, const char *name, const char *variables,
                         const char *value, const struct finding *finding)
{
    if (finding->value)
        report_found(reading, name, variables, value, finding);
    else
        report(reading, name, variables, value, HX_SETTING_DEFAULT, "");
}

/* A value that is none: of an option an error, of a variable a warning that says what is taken. */
static void bad(struct reading *reading, const struct finding *finding, const char *option, const char *hint,
                const char *taken)
{
    if (finding->variable)
        keep(reading,
             diag_report(reading->diag, DIAG_TRACE_VARIABLE, (struct place){0}, hint,
                         "%s=%s is not understood; %s is taken", finding->variable, finding->value, taken));
    else
        keep(reading, diag_report(reading->diag, DIAG_TRACE_OPTION, (struct place){0}, hint,
                                  "the tracing option %s is '%s'", option, finding->value));
}

/* A value that is not taken counts as not found from here on. */
static unsigned choose(struct reading *reading, struct finding *finding, const char *option,
                       const char *const *words, size_t count, unsigned otherwise, const char *wanted)
{
    if (!finding->value)
        return otherwise;
    struct slice value = slice_trim(slice_of(finding->value));
    for (size_t i = 0; i < count; i++)
        if (slice_equal_nocase(value, words[i]))
            return (unsigned)i;
    const char *near = text_suggest_from(value, words, count);
    bad(reading, finding, option, near ? arena_format(reading->arena, "did you mean '%s'?", near) : wanted,
        words[otherwise]);
    finding->value = NULL;
    return otherwise;
}

/* ---- Settings ------------------------------------------------------------------------------------------ */

/* The first that has something to say: the format, the option, the file, a variable, the profile, the place
 * where the log goes. */
static void read_color(struct reading *reading, enum profile profile, struct trace_config *config)
{
    const hx_trace_options *options = reading->options;
    struct finding no_color = {0}, terminal = {0};
    hx_setting_source source = HX_SETTING_IMPLIED;
    const char *from = "standard error";
    if (config->format == LOG_JSON)
        from = "format";
    else if (options->color) {
        source = HX_SETTING_OPTION;
        from = "";
        config->color = options->color > 0;
    } else if (options->log_file)
        from = "log_file";
    else if (find_variable(reading, "", "NO_COLOR", &no_color) ||
             (find_variable(reading, "", "TERM", &terminal) && strcmp(terminal.value, "dumb") == 0)) {
        source = HX_SETTING_VARIABLE;
        from = no_color.variable ? no_color.variable : terminal.variable;
    } else if (!presets[profile].color) {
        source = HX_SETTING_PROFILE;
        from = profile_words[profile];
    } else
        config->color = isatty(STDERR_FILENO);
    report(reading, "color", "NO_COLOR TERM", config->color ? "yes" : "no", source, from);
}

static void read_log(struct reading *reading, enum profile profile, struct trace_config *config)
{
    const hx_trace_options *options = reading->options;
    struct finding found = find(reading, options->format, "TRACING_FORMAT");
    config->format =
        (enum log_format)choose(reading, &found, "format", format_words, HX_COUNT_OF(format_words),
                                presets[profile].format, "it can be pretty, compact or json");
    tell_preset(reading, "format", BOTH("TRACING_FORMAT"), format_words[config->format], &found, profile);
    config->has_log = !options->no_log;
    if (options->log_file) {
        config->log_file = arena_copy(reading->arena, options->log_file, strlen(options->log_file));
        if (!config->log_file)
            keep(reading, diag_no_memory(reading->diag));
    }
    report(reading, "log_file", "", options->log_file,
           options->log_file ? HX_SETTING_OPTION : HX_SETTING_DEFAULT, "");
    read_color(reading, profile, config);
}

/* Returns whether a setting, not only the build, wants perf spans. */
static bool read_perf(struct reading *reading, enum profile profile, struct trace_config *config)
{
    const hx_trace_options *options = reading->options;
    struct finding on = find(reading, options->perf ? "" : NULL, "PERF_TRACING");
    bool asked = profile == PROFILE_PERFORMANCE;
    config->perf = presets[profile].perf;
    if (options->perf)
        asked = config->perf = options->perf > 0;
    else if (on.value && boolean_parse(slice_trim(slice_of(on.value)), &config->perf))
        asked = config->perf;
    else if (on.value) {
        bad(reading, &on, "", "it can be true, false, 1, 0, yes or no", config->perf ? "true" : "false");
        on.value = NULL;
    }
    tell_preset(reading, "perf", BOTH("PERF_TRACING"), config->perf ? "on" : "off", &on, profile);
    return asked;
}

static void read_threshold(struct reading *reading, struct trace_config *config)
{
    const hx_trace_options *options = reading->options;
    struct finding threshold = find(reading, options->has_threshold ? "" : NULL, "PERF_THRESHOLD_US");
    double us = 0;
    if (options->has_threshold) {
        us = options->threshold_us;
        if (!(us >= 0 && us <= THRESHOLD_MAX_US))
            keep(reading, diag_report(reading->diag, DIAG_TRACE_OPTION, (struct place){0}, NULL,
                                      "the tracing option threshold_us is %g", us));
    } else if (threshold.value &&
               (number_parse_f64(slice_trim(slice_of(threshold.value)), &us) != NUMBER_OK ||
                !(us >= 0 && us <= THRESHOLD_MAX_US))) {
        bad(reading, &threshold, "", "it is a number of microseconds, such as 10 or 0.5", "0");
        threshold.value = NULL;
        us = 0;
    }
    config->threshold_ns = us * 1000;
    struct text value HX_AUTO(text_done) = {0};
    text_print_f64(&value, us);
    tell_default(reading, "threshold_us", BOTH("PERF_THRESHOLD_US"), value.at, &threshold);
}

static void read_redaction(struct reading *reading, struct trace_config *config)
{
    struct finding fields = find(reading, reading->options->redact_fields, "TRACING_REDACT_FIELDS"),
                   token = find(reading, reading->options->redact_token, "TRACING_REDACT_TOKEN");
    const char *said = token.value ? token.value : DEFAULT_TOKEN;
    tell_default(reading, "redact_fields", BOTH("TRACING_REDACT_FIELDS"), fields.value, &fields);
    tell_default(reading, "redact_token", BOTH("TRACING_REDACT_TOKEN"), said, &token);
    size_t count = 0, most = 1;
    for (const char *c = fields.value ? fields.value : ""; *c; c++)
        most += *c == ',';
    const char **names = ARENA_ARRAY(reading->arena, const char *, most);
    config->token = arena_copy(reading->arena, said, strlen(said));
    if (!names || !config->token) {
        keep(reading, diag_no_memory(reading->diag));
        return;
    }
    for (const char *at = fields.value; at && *at;) {
        size_t length = strcspn(at, ",");
        struct slice name = slice_trim((struct slice){at, length});
        if (name.length > 0 && !(names[count++] = arena_copy(reading->arena, name.at, name.length)))
            keep(reading, diag_no_memory(reading->diag));
        at += length + (at[length] != 0);
    }
    config->redacted = names;
    config->redacted_count = count;
}

/* ---- Event files --------------------------------------------------------------------------------------- */

/* What stands in TRACEPARENT is of other programs: what is none is passed over, as the standard wants it. */
static void read_context(struct reading *reading, struct trace_config *config)
{
    struct trace_context *context = ARENA_NEW(reading->arena, struct trace_context);
    struct finding header;
    if (!context) {
        keep(reading, diag_no_memory(reading->diag));
        return;
    }
    if (find_variable(reading, "", "TRACEPARENT", &header) &&
        !traceparent_parse(slice_of(header.value), context))
        keep(reading, diag_report(reading->diag, DIAG_TRACE_VARIABLE, (struct place){0},
                                  "it is 00-TRACE-SPAN-FLAGS in lower-case hexadecimal digits, 32, 16 and 2",
                                  "TRACEPARENT=%s is not understood; no parent is taken", header.value));
    traceparent_draw(context);
    config->context = context;
}

static void read_files(struct reading *reading, struct trace_config *config)
{
    const hx_trace_options *options = reading->options;
    if (options->file_count == 0)
        return;
    const char **files = ARENA_ARRAY(reading->arena, const char *, options->file_count);
    const char *name = options->process_name ? options->process_name : "hexec";
    bool all = files && (config->process_name = arena_copy(reading->arena, name, strlen(name)));
    for (size_t i = 0; all && i < options->file_count; i++)
        all = (files[i] = arena_copy(reading->arena, options->files[i], strlen(options->files[i])));
    if (!all)
        keep(reading, diag_no_memory(reading->diag));
    config->files = files;
    config->file_count = options->file_count;
    config->file_budget_bytes = options->file_budget_bytes ? options->file_budget_bytes : FILE_BUDGET_BYTES;
    struct finding tracks = {.value = options->file_tracks};
    config->tracks_of_warps = choose(reading, &tracks, "file_tracks", track_words, HX_COUNT_OF(track_words),
                                     0, "it can be workers or warps") == 1;
    keep(reading,
         filter_parse(options->file_filter ? options->file_filter : "debug", "file_filter",
                      options->file_filter != NULL, reading->arena, reading->diag, &config->file_filter));
    read_context(reading, config);
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

static void parse(struct reading *reading, const struct finding *finding, const char *option, bool warn_never,
                  struct filter *ret_filter)
{
    keep(reading, filter_parse(finding->value, finding->variable ? finding->variable : option, warn_never,
                               reading->arena, reading->diag, ret_filter));
}

/* What functions of the host get when nobody says what they shall get. */
#define SINK_FILTER      "debug"
#define FILTER_VARIABLES BOTH("LOG") " " BOTH("TRACING_DIRECTIVES") " RUST_LOG"

static struct finding read_filter(struct reading *reading, enum profile profile, struct trace_config *config)
{
    struct finding found = {.value = reading->options->filter};
    bool is_ours = true; /* RUST_LOG is written for other programs too: their targets are none of ours */
    if (!found.value)
        found = find(reading, NULL, "LOG");
    if (!found.value)
        found = find(reading, NULL, "TRACING_DIRECTIVES");
    if (!found.value && find_variable(reading, "", "RUST_LOG", &found))
        is_ours = false;
    const bool is_preset = !found.value && (profile == PROFILE_PERFORMANCE || !reading->options->no_log);
    config->has_filter = profile == PROFILE_PERFORMANCE || !is_preset;
    if (!found.value && !is_preset) { /* the other presets are for readers of a log, and there is none */
        found.value = SINK_FILTER;
        report(reading, "filter", FILTER_VARIABLES, found.value, HX_SETTING_IMPLIED, "no_log");
    } else {
        tell_preset(reading, "filter", FILTER_VARIABLES, found.value ? found.value : presets[profile].filter,
                    &found, profile);
    }
    if (!found.value)
        found.value = presets[profile].filter;
    parse(reading, &found, "filter", is_ours, &config->filter);
    return found;
}

/* Perf spans have a filter of their own, or that of the rest. When a setting wants them, they are shown
 * unless a directive names them. */
static void read_filters(struct reading *reading, enum profile profile, bool wants_perf,
                         struct trace_config *config)
{
    const char *const variables = BOTH("PERF_DIRECTIVES");
    struct finding found = read_filter(reading, profile, config);
    struct finding perf = find(reading, reading->options->perf_filter, "PERF_DIRECTIVES");
    if (perf.value) {
        parse(reading, &perf, "perf_filter", true, &config->perf_filter);
        report_found(reading, "perf_filter", variables, perf.value, &perf);
        return;
    }
    config->perf_filter = config->filter;
    if (!wants_perf || reading->status != HX_OK || filter_names_target(&config->filter, PERF_TARGET)) {
        report(reading, "perf_filter", variables, found.value, HX_SETTING_IMPLIED, "filter");
        return;
    }
    const char *text = arena_format(reading->arena, "%s,%s=debug", found.value, PERF_TARGET);
    if (text)
        keep(reading, filter_parse(text, "", false, reading->arena, NULL, &config->perf_filter));
    else
        keep(reading, diag_no_memory(reading->diag));
    report(reading, "perf_filter", variables, text, HX_SETTING_IMPLIED, "perf");
}

hx_status config_read(const hx_trace_options *options, struct arena *arena, hx_diag *diag,
                      struct trace_config *ret_config)
{
    return config_report(options, arena, diag, NULL, NULL, ret_config);
}

hx_status config_report(const hx_trace_options *options, struct arena *arena, hx_diag *diag,
                        hx_setting_function function, void *user, struct trace_config *ret_config)
{
    struct reading reading = {
        .options = options, .arena = arena, .diag = diag, .report = function, .user = user};
    struct trace_config config = {.ring_records =
                                      options->ring_records ? options->ring_records : RING_RECORDS,
                                  .log_failed = options->log_failed,
                                  .log_user = options->user,
                                  .wait = {.limit_ns = options->timeout_ns}};
    struct finding found = find(&reading, options->profile, "TRACING_PROFILE");
    enum profile profile =
        (enum profile)choose(&reading, &found, "profile", profile_words, HX_COUNT_OF(profile_words),
                             PROFILE_LOCAL, "it can be local, ci or performance");
    tell_default(&reading, "profile", BOTH("TRACING_PROFILE"), profile_words[profile], &found);
    config.span_events = presets[profile].span_events;
    report(&reading, "span_events", "", config.span_events ? "enter, exit and close" : "close",
           HX_SETTING_PROFILE, profile_words[profile]);
    read_log(&reading, profile, &config);
    bool wants_perf = read_perf(&reading, profile, &config);
    read_threshold(&reading, &config);
    read_redaction(&reading, &config);
    read_filters(&reading, profile, wants_perf, &config);
    read_files(&reading, &config);
    if (reading.status == HX_OK)
        *ret_config = config;
    return reading.status;
}
#endif
