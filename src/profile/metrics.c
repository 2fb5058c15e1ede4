/* The table of metrics, and one way to work any of them out.
 *
 * Takes a measure (the counters of a kernel, line, form, instruction or launch), leaves a value with its
 * interval, or the reason why there is none. Each row of metrics.def is read three times: for a function of
 * its formula, for the formula's text, and for the table. */
#include "profile/metrics.h"

#include <math.h>
#include <string.h>

#define PARTS      (HX_SCOPE_INSTRUCTION | HX_SCOPE_LINE | HX_SCOPE_OPCODE)
#define CODE       (HX_SCOPE_KERNEL | PARTS)
#define EVERYWHERE (CODE | HX_SCOPE_LAUNCH)
#define WHOLE      (HX_SCOPE_KERNEL | HX_SCOPE_LAUNCH)

#define LOCAL(name, text) HX_UNUSED const double name = sums->name;
#define METRIC(name, title, kind, scopes, unit, formula, why, ncu, help)                                     \
    static double value_of_##name(const struct sums *sums)                                                   \
    {                                                                                                        \
        PROFILE_SUMS(LOCAL)                                                                                  \
        PROFILE_WHOLES(LOCAL)                                                                                \
        return formula;                                                                                      \
    }
#define QUANTILE_METRIC(name, title, share, scopes, help)
#include "profile/metrics.def"
#undef METRIC
#undef QUANTILE_METRIC

struct row {
    hx_metric metric;
    const char *why;
    double (*value)(const struct sums *sums); /* NULL: a quantile */
    double share;
};

static const struct row rows[] = {
#define METRIC(name, title, kind, scopes, unit, formula, why, ncu, help)                                     \
    {{#name, title, unit, HX_METRIC_##kind, scopes, #formula, help, ncu}, why, value_of_##name, 0},
#define QUANTILE_METRIC(name, title, share, scopes, help)                                                    \
    {{#name, title, "ns", HX_METRIC_MEASURED, scopes, "quantile " #share " of the times sampled", help,      \
      NULL},                                                                                                 \
     "fewer than two issues were timed",                                                                     \
     NULL,                                                                                                   \
     share},
#include "profile/metrics.def"
#undef METRIC
#undef QUANTILE_METRIC
};

const hx_metric *hx_metric_at(size_t metric)
{
    return metric < HX_COUNT_OF(rows) ? &rows[metric].metric : NULL;
}

uint32_t hx_metric_find(const char *name)
{
    if (!name)
        return HX_PROFILE_NONE;
    for (uint32_t i = 0; i < HX_COUNT_OF(rows); i++)
        if (strcmp(rows[i].metric.name, name) == 0)
            return i;
    return HX_PROFILE_NONE;
}

const char *hx_metric_kind_name(hx_metric_kind kind)
{
    static const char *const names[] = {"exact", "measured", "model"};
    return (unsigned)kind < HX_COUNT_OF(names) ? names[kind] : "unknown";
}

/* A formula need not rise with what was measured, so that both ends are worked out and put in order. */
static hx_metric_value value_between(double value, double a, double b)
{
    hx_metric_value made = {.value = value, .low = fmin(a, b), .high = fmax(a, b)}; /* of NaN the other */
    if (!isfinite(made.low) || !isfinite(made.high))
        made.low = made.high = value;
    return made;
}

/* What makes the time of an issue uncertain, the passes and the machine, makes its quantiles so, too. */
static hx_metric_value quantile(const struct measure *measure, double share)
{
    const struct interval time = samples_quantile(measure->counts.histogram, share);
    const double mean = measure->sums.instruction_ns, low = time.low * measure->low.instruction_ns / mean,
                 high = time.high * measure->high.instruction_ns / mean;
    return value_between(time.value, low, high);
}

hx_metric_value metrics_value(size_t metric, const struct measure *measure)
{
    const struct row *row = &rows[metric];
    if (!row->value) {
        if (measure->sums.sampled < 2)
            return (hx_metric_value){.why = row->why};
        return quantile(measure, row->share);
    }
    if (row->metric.kind == HX_METRIC_EXACT && !measure->is_counted)
        return (hx_metric_value){.why = "the program was stopped before"};
    const double value = row->value(&measure->sums);
    if (!isfinite(value))
        return (hx_metric_value){.why = row->why};
    if (row->metric.kind != HX_METRIC_MEASURED)
        return (hx_metric_value){NULL, value, value, value};
    return value_between(value, row->value(&measure->low), row->value(&measure->high));
}

static const char *metric_name(void *user, size_t index)
{
    const hx_metric *metric = hx_metric_at(index);
    (void)user;
    return metric ? metric->name : NULL;
}

hx_status metrics_find(const char *name, hx_diag *diag, uint32_t *ret_metric)
{
    *ret_metric = hx_metric_find(name);
    if (*ret_metric != HX_PROFILE_NONE)
        return HX_OK;
    const char *meant = text_suggest(slice_of(name), metric_name, NULL);
    HX_AUTO(text_done) struct text hint = {0};
    if (meant)
        text_print(&hint, "did you mean %s?", meant);
    else
        text_print(&hint, "hexec profile --explain list names them all");
    return diag_report(diag, DIAG_PROFILE_METRIC, (struct place){0}, hint.at, "there is no metric '%s'",
                       name);
}
