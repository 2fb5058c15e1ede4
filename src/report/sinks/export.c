/* The table of exporters, and what is the same for all: looking one up, making the stacks, writing the file.
 * A new exporter is a file beside this one and a row. */
#include "report/sinks/export.h"

#include "base/file.h"
#include "base/machine.h"
#include "hexec/export.h"
#include "profile/profile.h"
#include "trace/otlp.h"

#include <string.h>
#include <time.h>

extern const struct export_class export_folded, export_speedscope, export_svg, export_pprof, export_callgrind,
    export_prometheus, export_openmetrics, export_otlp, export_html;

static const struct export_class *const classes[] = {
    &export_speedscope,  /* speedscope.c: a flame graph for speedscope */
    &export_folded,      /* folded.c: a line for each stack */
    &export_svg,         /* svg.c: a flame graph as a picture */
    &export_pprof,       /* pprof.c: for go tool pprof */
    &export_callgrind,   /* callgrind.c: for callgrind_annotate and KCachegrind */
    &export_prometheus,  /* prometheus.c: Prometheus' text format */
    &export_openmetrics, /* prometheus.c: the same as OpenMetrics has it */
    &export_otlp,        /* otlp.c: metrics for an OpenTelemetry collector */
    &export_html,        /* report.c: a page to read */
};

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static hx_status find_class(const hx_export_options *options, hx_diag *diag,
                            const struct export_class **ret_class)
{
    if (!options->format || !options->path)
        return diag_missing(diag, "an export", options->format ? "path" : "format");
    const bool by_ending = strcmp(options->format, "flamegraph") == 0;
    const char *names[HX_COUNT_OF(classes)];
    for (size_t i = 0; i < HX_COUNT_OF(classes); i++) {
        const struct export_class *class = classes[i];
        names[i] = class->name;
        if (by_ending ? !class->ending || !ends_with(options->path, class->ending)
                      : strcmp(options->format, class->name) != 0)
            continue;
        if (class->left_out)
            return diag_report(diag, DIAG_EXPORT_LEFT_OUT, (struct place){0},
                               "install the library and build again: cmake says what it found",
                               "this hexec was built without %s, so it cannot write %s", class->left_out,
                               class->name);
        *ret_class = class;
        return HX_OK;
    }
    if (by_ending)
        return diag_report(diag, DIAG_EXPORT_FORMAT, (struct place){0},
                           "name it so that it ends in .svg, .speedscope.json or .folded",
                           "the ending of '%s' does not say what kind of flame graph to write",
                           options->path);
    struct text hint HX_AUTO(text_done) = {0};
    const char *meant = text_suggest_from(slice_of(options->format), names, HX_COUNT_OF(names));
    if (meant)
        text_print(&hint, "did you mean %s?", meant);
    return diag_report(diag, DIAG_EXPORT_FORMAT, (struct place){0}, hint.at, "there is no export format '%s'",
                       options->format);
}

static hx_status find_weight(const char *word, hx_diag *diag, enum figure *ret_weight)
{
    struct text words HX_AUTO(text_done) = {0};
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (strcmp(word, figure_table[i].word) == 0) {
            *ret_weight = (enum figure)i;
            return HX_OK;
        }
        text_print(&words, "%s%s", i ? ", " : "weights are ", figure_table[i].word);
    }
    return diag_report(diag, DIAG_EXPORT_FORMAT, (struct place){0}, words.at,
                       "'%s' is nothing that a flame graph can be drawn of", word);
}

hx_status hx_export_check(const hx_export_options *options, hx_diag *diag)
{
    DIAG_REQUIRE(diag, options);
    const struct export_class *class;
    enum figure weight;
    hx_status status = find_class(options, diag, &class);
    if (status == HX_OK && options->weight)
        status = find_weight(options->weight, diag, &weight);
    return status;
}

static uint64_t unix_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

hx_status export_print(const struct export_class *class, const struct export_request *request,
                       struct text *out, hx_diag *diag)
{
    const hx_status status = class->print(request, out, diag);
    return status == HX_OK && out->failed ? diag_no_memory(diag) : status;
}

static hx_status deliver_otlp(const char *path, const struct text *out, hx_diag *diag)
{
    struct text reason HX_AUTO(text_done) = {.allocator = out->allocator};
    const char *destination = otlp_destination(path);
    if (!otlp_is_url(destination))
        return otlp_write(destination, "metrics", out->at, out->length, out->allocator, diag);
    struct otlp_answer answer = {.message = {.allocator = out->allocator}};
    hx_status status =
        otlp_send(destination, "metrics", out->at, out->length, out->allocator, &reason, &answer);
    if (status == HX_OK)
        status = otlp_partly_sent("points of metrics", destination, &answer, diag);
    else if (status == HX_IO)
        status = otlp_not_sent("metrics", destination, &reason, diag);
    text_done(&answer.message);
    return status;
}

/* Options of before have none. */
static const char *findings_of(const hx_export_options *options)
{
    const size_t end = offsetof(hx_export_options, findings) + sizeof options->findings;
    return options->size >= end ? options->findings : NULL;
}

hx_status hx_profile_export(const hx_profile *profile, const hx_export_options *options, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, profile);
    DIAG_REQUIRE(diag, options);
    diag_step(diag, "while exporting the profile of", profile->program, 0, (struct place){0});
    const struct export_class *class = NULL;
    hx_status status = find_class(options, diag, &class);
    struct stacks stacks HX_AUTO(stacks_done) = {0};
    if (status == HX_OK)
        status = stacks_make(profile, profile->arena.allocator, diag, &stacks);
    if (status != HX_OK)
        return status;
    struct export_request request = {.profile = profile,
                                     .stacks = &stacks,
                                     .program = profile->program,
                                     .file = profile->file,
                                     .weight = stacks.total.of[FIGURE_TIME] > 0 ? FIGURE_TIME : FIGURE_ISSUES,
                                     .unix_ns = unix_now(),
                                     .findings = findings_of(options),
                                     .allocator = profile->arena.allocator};
    if (options->weight)
        status = find_weight(options->weight, diag, &request.weight);
    struct text out HX_AUTO(text_done) = {.allocator = request.allocator};
    if (status == HX_OK)
        status = export_print(class, &request, &out, diag);
    if (status != HX_OK)
        return status;
    const struct file_wait wait = {.limit_ns = options->timeout_ns};
    return class == &export_otlp ? deliver_otlp(options->path, &out, diag)
                                 : file_write_waiting(options->path, &wait, out.at, out.length, diag);
}
