/* hexec doctor: settings and where they come from, this build, this machine.
 *
 * Asks each part of hexec that reads settings for what it would make of them, and measures what a span costs.
 * Tracing is not set up by main for this command, so that what is wrong with its settings is reported and
 * does not keep the doctor from telling the rest. */
#include "doctor.h"

#include "base/machine.h"
#include "hexec/export.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Room for one more element in an array that grows by doubling; NULL when memory runs out. */
static void *grow(struct doctor *doctor, void *items, size_t count, size_t bytes)
{
    if (count && (count < 8 || count & (count - 1)))
        return items;
    void *larger = arena_allocate(&doctor->arena, count ? 2 * count : 8, bytes);
    if (!larger)
        doctor->failed = true;
    else if (count)
        memcpy(larger, items, count * bytes);
    return larger;
}

static const char *keep_text(struct doctor *doctor, const char *text)
{
    const char *copy = text ? arena_copy(&doctor->arena, text, strlen(text)) : NULL;
    doctor->failed |= text && !copy;
    return copy;
}

static void add(struct doctor *doctor, struct doctor_setting **list, size_t *count,
                struct doctor_setting setting)
{
    struct doctor_setting *items = grow(doctor, *list, *count, sizeof *items);
    if (!items)
        return;
    *list = items;
    items[(*count)++] = (struct doctor_setting){
        keep_text(doctor, setting.name), keep_text(doctor, setting.value), keep_text(doctor, setting.source),
        keep_text(doctor, setting.from), keep_text(doctor, setting.variables)};
}

/* ---- Settings ------------------------------------------------------------------------------------------ */

struct telling {
    struct doctor *doctor;
    const struct options *options;
};

/* An option of the library is one of the command line, or its variable. */
static void take_setting(void *user, const hx_setting *setting)
{
    static const char *const sources[] = {[HX_SETTING_DEFAULT] = "default",
                                          [HX_SETTING_OPTION] = "flag",
                                          [HX_SETTING_VARIABLE] = "variable",
                                          [HX_SETTING_PROFILE] = "profile",
                                          [HX_SETTING_IMPLIED] = "implied"};
    const struct telling *telling = user;
    char title[64];
    struct doctor_setting taken = {setting->name, *setting->value ? setting->value : NULL,
                                   sources[setting->source], setting->from, setting->variables};
    if (setting->source == HX_SETTING_OPTION) {
        const enum option_id id = strcmp(setting->name, "color") == 0 ? OPTION_COLOR : OPTION_LOG_FILE;
        const struct option_value *value = option_value(telling->options, id);
        taken.from = option_title(id, value, title);
        taken.source = value && value->is_variable ? "variable" : "flag";
    }
    add(telling->doctor, &telling->doctor->tracing, &telling->doctor->tracing_count, taken);
}

/* An option, with the flag that the doctor was given or what its variable says to the commands that have it.
 */
static hx_status take_option(struct doctor *doctor, const struct options *given, struct options *environment,
                             enum option_id id, hx_diag *diag)
{
    char variable[64], flag[64];
    struct doctor_setting setting = {option_table[id].name, NULL, "default", "",
                                     option_variable(id, variable)};
    const struct option_value *value = option_value(given, id);
    const char *text = getenv(variable);
    const hx_status status = option_read_variable(environment, id, diag);
    if (value && !value->is_variable)
        setting = (struct doctor_setting){option_table[id].name, value->text, "flag",
                                          option_title(id, value, flag), variable};
    else if (text && *text)
        setting = (struct doctor_setting){option_table[id].name, text,
                                          status == HX_OK ? "variable" : "refused", variable, variable};
    add(doctor, &doctor->options, &doctor->option_count, setting);
    return status;
}

static hx_status take_options(struct doctor *doctor, const struct options *given, hx_diag *diag)
{
    struct options environment = {.command = COMMAND_DOCTOR};
    hx_status status = HX_OK;
    arena_init(&environment.arena, NULL);
    for (int id = 0; id < OPTION_COUNT; id++)
        if (!option_table[id].no_variable)
            status = command_keep(status, take_option(doctor, given, &environment, (enum option_id)id, diag));
    const hx_device_options wanted = {
        .size = sizeof wanted, .workers = 1, .cpu_level = option_cpu_level(&environment)};
    hx_device *device = NULL;
    const hx_status made = hx_device_new(&wanted, diag, &device);
    if (made == HX_OK)
        doctor->cpu_level = hx_device_cpu_level(device);
    hx_device_free(device);
    arena_done(&environment.arena);
    return command_keep(status, made);
}

/* What else is read, and belongs to no option and no filter. The first of the variables that is set counts.
 */
static void take_others(struct doctor *doctor)
{
    static const struct {
        const char *name, *variables, *otherwise;
    } rows[] = {
        {"traceparent", "TRACEPARENT", NULL},
        {"otel_service", "OTEL_SERVICE_NAME", "hexec"},
        {"otel_attributes", "OTEL_RESOURCE_ATTRIBUTES", NULL},
        {"otel_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"},
        {"otel_timeout_ms", "OTEL_EXPORTER_OTLP_TIMEOUT", "10000"},
        {"otel_headers", "OTEL_EXPORTER_OTLP_HEADERS", NULL},
        {"launch_blocking", "HEXEC_LAUNCH_BLOCKING HOLOGRAM_LAUNCH_BLOCKING CUDA_LAUNCH_BLOCKING", "0"},
        {"app_report", "HEXEC_APP_REPORT", NULL},
        {"app_output", "HEXEC_APP_OUTPUT", NULL},
        {"cache", "HEXEC_CACHE", "hexec in XDG_CACHE_HOME, or in ~/.cache"},
        {"clang", "HEXEC_CLANG", NULL},
        {"libclc", "HEXEC_LIBCLC", NULL},
        {"llvm", "HEXEC_LLVM", NULL},
        {"tier_tools", "HEXEC_TIER_TOOLS", "0"},
        {"unified", "HEXEC_UNIFIED", "0"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        struct doctor_setting setting = {rows[i].name, rows[i].otherwise, "default", "", rows[i].variables};
        for (const char *at = rows[i].variables; *at && !*setting.from;) {
            const size_t length = strcspn(at, " ");
            const char *variable = arena_copy(&doctor->arena, at, length);
            const char *text = variable ? getenv(variable) : NULL;
            doctor->failed |= !variable;
            if (text && *text)
                setting =
                    (struct doctor_setting){rows[i].name, text, "variable", variable, rows[i].variables};
            at += length + (at[length] == ' ');
        }
        if (*setting.from && strcmp(rows[i].name, "otel_headers") == 0)
            setting.value = "(set)"; /* they hold passwords */
        bool is_on;
        if (*setting.from && strcmp(rows[i].name, "launch_blocking") == 0 &&
            !boolean_parse(slice_trim(slice_of(setting.value)), &is_on))
            setting.source = "refused";
        add(doctor, &doctor->others, &doctor->other_count, setting);
    }
}

/* ---- Variables that nothing reads ---------------------------------------------------------------------- */

/* All names of variables, one after the other. */
static void list_known(struct doctor *doctor, const char ***ret_names, size_t *ret_count)
{
    const struct doctor_setting *const lists[] = {doctor->tracing, doctor->options, doctor->others};
    const size_t counts[] = {doctor->tracing_count, doctor->option_count, doctor->other_count};
    for (size_t list = 0; list < HX_COUNT_OF(lists); list++)
        for (size_t i = 0; i < counts[list] && !doctor->failed; i++)
            for (const char *at = lists[list][i].variables; *at;) {
                const size_t length = strcspn(at, " ");
                const char **names = grow(doctor, *ret_names, *ret_count, sizeof *names);
                if (!names || !(names[*ret_count] = arena_copy(&doctor->arena, at, length))) {
                    doctor->failed = true;
                    return;
                }
                *ret_names = names;
                ++*ret_count;
                at += length + (at[length] == ' ');
            }
}

/* The known name that is nearest behind the same prefix, which would make any two names look alike. */
static const char *suggest(struct doctor *doctor, struct slice name, size_t prefix, const char **known,
                           size_t count)
{
    const char **stems = ARENA_ARRAY(&doctor->arena, const char *, count);
    size_t stem_count = 0;
    doctor->failed |= !stems;
    for (size_t i = 0; i < count && stems; i++)
        if (strncmp(known[i], name.at, prefix) == 0)
            stems[stem_count++] = known[i] + prefix;
    const struct slice stem = {name.at + prefix, name.length - prefix};
    const char *meant = stem_count ? text_suggest_from(stem, stems, stem_count) : NULL;
    return meant ? meant - prefix : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct doctor_unknown *)a)->name, ((const struct doctor_unknown *)b)->name);
}

/* HOLOGRAM_ is other programs' too: only what is nearly one of ours is worth a word. */
static void find_unknown(struct doctor *doctor)
{
    const char **known = NULL;
    size_t count = 0;
    list_known(doctor, &known, &count);
    for (char **variable = environ; *variable && !doctor->failed; variable++) {
        const size_t length = strcspn(*variable, "=");
        const struct slice name = {*variable, length};
        const bool is_ours = strncmp(*variable, "HEXEC_", 6) == 0;
        bool is_known = !is_ours && strncmp(*variable, "HOLOGRAM_", 9) != 0;
        for (size_t i = 0; i < count && !is_known; i++)
            is_known = slice_equal(name, known[i]);
        const char *meant = is_known ? NULL : suggest(doctor, name, is_ours ? 6 : 9, known, count);
        if (is_known || (!is_ours && !meant))
            continue;
        struct doctor_unknown *unknown =
            grow(doctor, doctor->unknown, doctor->unknown_count, sizeof *unknown);
        if (!unknown)
            return;
        doctor->unknown = unknown;
        unknown[doctor->unknown_count] = (struct doctor_unknown){
            arena_copy(&doctor->arena, *variable, length),
            keep_text(doctor, *variable + length + ((*variable)[length] == '=')), meant};
        doctor->failed |= !unknown[doctor->unknown_count++].name;
    }
    if (doctor->unknown_count && !doctor->failed) /* the environment has no order */
        qsort(doctor->unknown, doctor->unknown_count, sizeof *doctor->unknown, by_name);
}

/* ---- Build and machine --------------------------------------------------------------------------------- */

static void take_sinks(struct doctor *doctor)
{
    static struct {
        const char *format, *option;
    } const exports[] = {
        {"speedscope", "--flamegraph=FILE.speedscope.json"},
        {"folded", "--flamegraph=FILE.folded"},
        {"svg", "--flamegraph=FILE.svg"},
        {"pprof", "--pprof=FILE"},
        {"callgrind", "--callgrind=FILE"},
        {"prometheus", "--metrics=prometheus:FILE"},
        {"openmetrics", "--metrics=openmetrics:FILE"},
        {"otlp", "--otlp=URL|FILE"},
        {"html", "--report=FILE.html"},
    };
    static const char *const files[] = {"chrome", "perfetto", "firefox"};
    struct doctor_sink *sinks =
        ARENA_ARRAY(&doctor->arena, struct doctor_sink, 1 + HX_COUNT_OF(files) + HX_COUNT_OF(exports));
    if (!sinks) {
        doctor->failed = true;
        return;
    }
    doctor->sinks = sinks;
    sinks[doctor->sink_count++] = (struct doctor_sink){"log", "--log-file=FILE", HX_TRACING};
    for (size_t i = 0; i < HX_COUNT_OF(files); i++) {
        struct doctor_sink *sink = &sinks[doctor->sink_count++];
        *sink = (struct doctor_sink){.name = files[i],
                                     .option = arena_format(&doctor->arena, "--trace=%s:FILE", files[i])};
        for (size_t kind = 0; hx_trace_file_kind(kind); kind++)
            sink->is_built |= strcmp(hx_trace_file_kind(kind), files[i]) == 0;
        doctor->failed |= !sink->option;
    }
    for (size_t i = 0; i < HX_COUNT_OF(exports); i++) {
        const hx_export_options wanted = {
            .size = sizeof wanted, .format = exports[i].format, .path = exports[i].option};
        sinks[doctor->sink_count++] = (struct doctor_sink){exports[i].format, exports[i].option,
                                                           hx_export_check(&wanted, NULL) == HX_OK};
    }
}

#if HX_TRACING
#define SPANS  2048 /* of a round; a ring has room for all of them */
#define ROUNDS 20

static void swallow(void *user, const hx_trace_record *record)
{
    (void)user;
    (void)record;
}

static const char *no_variable(void *user, const char *name)
{
    (void)user;
    (void)name;
    return NULL;
}

static void span(uint64_t i)
{
    HX_SPAN(HX_DEBUG, "hexec::exec", "doctor", HX_U64("i", i));
}

static void unwanted_span(uint64_t i)
{
    HX_SPAN(HX_TRACE, "hexec::exec", "doctor", HX_U64("i", i));
}

/* Nanoseconds of a step: the best of some rounds, for what disturbs one only makes it slower. */
static double measure(void (*step)(uint64_t i))
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        hx_trace_flush(); /* the ring is empty */
        const uint64_t start = machine_now_ns();
        for (uint64_t i = 0; i < SPANS; i++)
            step(i);
        const double ns = (double)(machine_now_ns() - start) / SPANS;
        best = round == 0 || ns < best ? ns : best;
    }
    return best;
}

static hx_status measure_spans(struct doctor *doctor, hx_diag *diag)
{
    const hx_trace_options options = {.size = sizeof options,
                                      .filter = "hexec::exec=debug",
                                      .get_variable = no_variable,
                                      .no_log = 1,
                                      .ring_records = 2 * SPANS};
    hx_status status = hx_trace_add_sink(swallow, NULL);
    if (status == HX_OK)
        status = hx_trace_init(&options, diag);
    if (status != HX_OK)
        return status;
    doctor->unwanted_ns = measure(unwanted_span);
    doctor->span_ns = measure(span);
    return hx_trace_finish(diag);
}
#endif

hx_status cmd_doctor(struct command *command)
{
    struct doctor doctor = {.machine = {.size = sizeof doctor.machine},
                            .compilers = {.size = sizeof doctor.compilers}};
    struct telling telling = {&doctor, command->options};
    hx_trace_options trace = command_trace_options(command->options);
    trace.files = (const char *const[]){"chrome:"}; /* so that TRACEPARENT is read; nothing is opened */
    trace.file_count = 1;
    hx_context *context HX_AUTO(command_close) = NULL;
    struct text out HX_AUTO(text_done) = {0};
    arena_init(&doctor.arena, NULL);
    hx_status status = hx_trace_settings(&trace, command->diag, take_setting, &telling);
    status = command_keep(status, take_options(&doctor, command->options, command->diag));
    take_others(&doctor);
    find_unknown(&doctor);
    take_sinks(&doctor);
    hx_machine_read(&doctor.machine);
    doctor.failed |= hx_compilers_read(&doctor.compilers) != HX_OK;
    hx_status made = command_open(command, &context);
    if (made == HX_OK)
        doctor.isa = hx_context_isa(context);
#if HX_TRACING
    if (made == HX_OK)
        made = measure_spans(&doctor, command->diag);
#endif
    if (doctor.failed)
        made = diag_no_memory(command->diag);
    if (made == HX_OK) {
        if (option_is_on(command->options, OPTION_JSON))
            doctor_print_json(&out, &doctor, command->diag);
        else
            doctor_print_text(&out, &doctor);
        made = console_write_text(command->console, &out);
    }
    arena_done(&doctor.arena);
    return command_keep(made, status);
}
