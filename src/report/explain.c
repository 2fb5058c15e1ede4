/* The table of metrics for people: as text, and as the page docs/metrics.md. */
#include "profile/metrics.h"

#include <string.h>

static const struct {
    hx_profile_scope scope;
    const char *name;
} scope_names[] = {{HX_SCOPE_KERNEL, "kernels"},           {HX_SCOPE_LAUNCH, "launches"},
                   {HX_SCOPE_OPCODE, "opcodes"},           {HX_SCOPE_LINE, "lines"},
                   {HX_SCOPE_INSTRUCTION, "instructions"}, {HX_SCOPE_BUFFER, "buffers"}};

static const struct {
    const char *name, *text;
} counters[] = {
#define COUNTER(name, text) {#name, text},
    PROFILE_SUMS(COUNTER) PROFILE_WHOLES(COUNTER)
#undef COUNTER
};

static void print_scopes(struct text *out, uint32_t scopes)
{
    const char *between = "";
    for (size_t i = 0; i < HX_COUNT_OF(scope_names); i++)
        if (scopes & (uint32_t)scope_names[i].scope) {
            text_print(out, "%s%s", between, scope_names[i].name);
            between = ", ";
        }
}

static const char *unit_of(const hx_metric *metric)
{
    return metric->unit[0] ? metric->unit : "share";
}

/* Does the formula name the counter, as a word of its own? */
static bool names(const char *formula, const char *counter)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const size_t length = strlen(counter);
    for (const char *at = formula; (at = strstr(at, counter)); at += length)
        if ((at == formula || !strchr(letters, at[-1])) && (!at[length] || !strchr(letters, at[length])))
            return true;
    return false;
}

static void print_row(struct text *out, const hx_metric *metric)
{
    text_print(out, "%s: %s, %s\n  %s\n  formula  %s\n", metric->name, hx_metric_kind_name(metric->kind),
               unit_of(metric), metric->help, metric->formula);
    for (size_t i = 0; i < HX_COUNT_OF(counters); i++)
        if (names(metric->formula, counters[i].name))
            text_print(out, "    %s: %s\n", counters[i].name, counters[i].text);
    text_print(out, "  reported for  ");
    print_scopes(out, metric->scopes);
    text_print(out, "\n  Nsight Compute  %s\n", metric->ncu ? metric->ncu : "nothing like it");
}

static void print_list(struct text *out)
{
    const hx_metric *metric;
    for (size_t m = 0; (metric = hx_metric_at(m)); m++)
        text_print(out, "%-26s %-9s %s\n", metric->name, hx_metric_kind_name(metric->kind), unit_of(metric));
}

static void print_markdown(struct text *out)
{
    const hx_metric *metric;
    text_print(
        out,
        "# Metrics of profiles\n\n"
        "Made by `hexec profile --explain markdown` of the table in `src/profile/metrics.def`; do not edit. "
        "[profiling.md](profiling.md) says how they come about.\n\n"
        "A figure is *exact* (counted), *measured* (with a 95 %% confidence interval) or *model* (worked out "
        "for "
        "a device that is not here). Units of time and size stand at the end of the names.\n\n");
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        text_print(out,
                   "## %s\n\n%s\n\n| | |\n| --- | --- |\n| kind | %s |\n| unit | %s |\n| formula | `%s` |\n| "
                   "reported for | ",
                   metric->name, metric->help, hx_metric_kind_name(metric->kind), unit_of(metric),
                   metric->formula);
        print_scopes(out, metric->scopes);
        if (metric->ncu)
            text_print(out, " |\n| Nsight Compute | `%s` |\n\n", metric->ncu);
        else
            text_print(out, " |\n\n");
    }
    text_print(out,
               "## Counters\n\nWhat the formulas are made of.\n\n| counter | what it is |\n| --- | --- |\n");
    for (size_t i = 0; i < HX_COUNT_OF(counters); i++)
        text_print(out, "| `%s` | %s |\n", counters[i].name, counters[i].text);
}

hx_status hx_metric_print(const char *metric, int markdown, hx_diag *diag, hx_write_function write,
                          void *user)
{
    DIAG_REQUIRE(diag, write);
    HX_AUTO(text_done) struct text out = {0};
    if (metric) {
        uint32_t found;
        const hx_status status = metrics_find(metric, diag, &found);
        if (status != HX_OK)
            return status;
        print_row(&out, hx_metric_at(found));
    } else if (markdown) {
        print_markdown(&out);
    } else {
        print_list(&out);
    }
    return out.failed ? HX_NO_MEMORY : write(user, out.at, out.length);
}
