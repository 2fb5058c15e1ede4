/* Comparing two stored profiles.
 *
 * Takes two documents, leaves what differs: first what must not (conditions), then figures. Objects that bear
 * metrics are found by what they are called, metrics by their names, so that profiles of versions with other
 * metrics can be compared as far as they go. A line's number says nothing once the code was edited: lines are
 * compared where a kernel's code is the same on both sides, forms of opcodes always. */
#include "hexec/compare.h"

#include "base/file.h"
#include "profile/bootstrap.h"
#include "profile/stored.h"

#include <math.h>
#include <string.h>

struct hx_comparison {
    const hx_allocator *allocator;
    struct stored_profile before, now;
    LIST(hx_compare_difference) differences;
    LIST(hx_compare_change) changes;
    hx_compare_wall wall;
    double threshold;
    size_t exact, measured;
    bool has_regression;
    hx_diag *diag; /* while it is made */
};

/* ---- Small things ----------------------------------------------------------------------------------------
 */

static const char *text_of(const struct yaml_node *node)
{
    return node && node->kind == YAML_SCALAR && node->text.at ? node->text.at : "";
}

static bool is_same_node(const struct yaml_node *a, const struct yaml_node *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->count != b->count || strcmp(text_of(a), text_of(b)) != 0)
        return false;
    const struct yaml_node *x = a->first, *y = b->first;
    while (x && y && is_same_node(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

/* "256", or of a list "[256, 1, 1]". */
static const char *show(hx_comparison *comparison, const struct yaml_node *node)
{
    if (!node || node->kind != YAML_SEQUENCE)
        return text_of(node);
    struct text text HX_AUTO(text_done) = {.allocator = comparison->allocator};
    text_append(&text, "[", 1);
    for (const struct yaml_node *one = node->first; one; one = one->next)
        text_print(&text, "%s%s", one == node->first ? "" : ", ", text_of(one));
    text_append(&text, "]", 1);
    return text.failed ? NULL : arena_copy(&comparison->now.arena, text.at, text.length);
}

static hx_status no_memory(const hx_comparison *comparison)
{
    return diag_no_memory(comparison->diag);
}

/* The one of a list whose `key` has this text. Both sides mostly have the same order, so the search goes on
 * from `from`, the one after the last that was found. */
static const struct yaml_node *find_named(const struct yaml_node *list, const struct yaml_node *from,
                                          const char *key, const char *name)
{
    const struct yaml_node *one = from ? from : list ? list->first : NULL;
    for (size_t i = 0; list && i < list->count; i++, one = one->next ? one->next : list->first)
        if (strcmp(text_of(yaml_get(one, key)), name) == 0)
            return one;
    return NULL;
}

/* ---- What must be the same --------------------------------------------------------------------------------
 */

static hx_status differ(hx_comparison *comparison, const char *what, const struct yaml_node *before,
                        const struct yaml_node *now)
{
    const hx_compare_difference difference = {what, show(comparison, before), show(comparison, now)};
    if (!what || !difference.old_text || !difference.new_text ||
        !LIST_PUSH(comparison->allocator, &comparison->differences, difference))
        return no_memory(comparison);
    return HX_OK;
}

static hx_status check_key(hx_comparison *comparison, const char *key)
{
    const struct yaml_node *before = yaml_get(comparison->before.root, key),
                           *now = yaml_get(comparison->now.root, key);
    return is_same_node(before, now) ? HX_OK : differ(comparison, key, before, now);
}

/* How often it was run, and how, changes how sure the answer is, not what is asked. */
static bool is_condition(const struct yaml_node *node)
{
    static const char *const others[] = {"runs", "timed_runs", "time_scale"};
    bool is_other = node->kind != YAML_SCALAR;
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        is_other |= slice_equal(node->key, others[i]);
    return !is_other;
}

/* The single values of a mapping, those that only the old one has last. */
static hx_status check_section(hx_comparison *comparison, const char *section)
{
    const struct yaml_node *before = yaml_get(comparison->before.root, section),
                           *now = yaml_get(comparison->now.root, section);
    struct arena *arena = &comparison->now.arena;
    hx_status status = HX_OK;
    for (const struct yaml_node *one = now->first; one && status == HX_OK; one = one->next) {
        const struct yaml_node *other = yaml_get(before, one->key.at);
        if (is_condition(one) && !is_same_node(one, other))
            status = differ(comparison, arena_format(arena, "%s.%s", section, one->key.at), other, one);
    }
    for (const struct yaml_node *one = before->first; one && status == HX_OK; one = one->next)
        if (is_condition(one) && !yaml_get(now, one->key.at))
            status = differ(comparison, arena_format(arena, "%s.%s", section, one->key.at), one, NULL);
    return status;
}

/* How a kernel was launched, and which GPU it was modelled for. */
static hx_status check_kernel(hx_comparison *comparison, const struct yaml_node *before,
                              const struct yaml_node *now)
{
    const struct {
        const char *what;
        const struct yaml_node *before, *now;
    } all[] = {{"grid", yaml_get(before, "grid"), yaml_get(now, "grid")},
               {"block", yaml_get(before, "block"), yaml_get(now, "block")},
               {"launches", yaml_get(before, "launches"), yaml_get(now, "launches")},
               {"modelled GPU", yaml_get(yaml_get(before, "model"), "gpu"),
                yaml_get(yaml_get(now, "model"), "gpu")}};
    hx_status status = HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(all) && status == HX_OK; i++)
        if (!is_same_node(all[i].before, all[i].now))
            status = differ(comparison,
                            arena_format(&comparison->now.arena, "kernel %s, %s",
                                         text_of(yaml_get(now, "name")), all[i].what),
                            all[i].before, all[i].now);
    return status;
}

static hx_status check_kernels(hx_comparison *comparison)
{
    const struct yaml_node *old_list = yaml_get(comparison->before.root, "kernels"),
                           *new_list = yaml_get(comparison->now.root, "kernels");
    hx_status status = HX_OK;
    for (const struct yaml_node *now = new_list->first; now && status == HX_OK; now = now->next) {
        const struct yaml_node *name = yaml_get(now, "name"),
                               *before = find_named(old_list, NULL, "name", text_of(name));
        status = before ? check_kernel(comparison, before, now) : differ(comparison, "kernel", NULL, name);
    }
    for (const struct yaml_node *before = old_list->first; before && status == HX_OK; before = before->next)
        if (!find_named(new_list, NULL, "name", text_of(yaml_get(before, "name"))))
            status = differ(comparison, "kernel", yaml_get(before, "name"), NULL);
    return status;
}

static hx_status check_conditions(hx_comparison *comparison)
{
    static const char *const sections[] = {"isa", "build", "machine", "options"};
    hx_status status = check_key(comparison, "program");
    if (status == HX_OK)
        status = check_key(comparison, "status"); /* that one was stopped */
    if (status == HX_OK)
        status = check_key(comparison, "inputs");
    for (size_t i = 0; i < HX_COUNT_OF(sections) && status == HX_OK; i++)
        status = check_section(comparison, sections[i]);
    return status == HX_OK ? check_kernels(comparison) : status;
}

/* ---- Figures ----------------------------------------------------------------------------------------------
 */

/* Something that bears metrics, on both sides. */
struct bearer {
    const char *kernel, *of;
    hx_compare_scope scope;
    const struct yaml_node *before, *now; /* the `metrics` */
};

static hx_compare_interval interval_of(struct stored_value value)
{
    return (hx_compare_interval){value.value, value.low, value.high};
}

/* The difference of two independent estimates, each with an interval of its own (MOVER: Zou and Donner,
 * 2008). */
static hx_compare_interval subtract(struct stored_value now, struct stored_value before)
{
    const double value = now.value - before.value;
    return (hx_compare_interval){value, value - hypot(now.value - now.low, before.high - before.value),
                                 value + hypot(now.high - now.value, before.value - before.low)};
}

static bool is_changed(struct stored_value before, struct stored_value now, hx_compare_interval difference,
                       bool is_measured)
{
    if (is_measured) /* without an interval nobody knows what is noise */
        return before.low < before.high && now.low < now.high && (difference.low > 0 || difference.high < 0);
    const bool is_unknown = isnan(before.value), is_unknown_now = isnan(now.value);
    return is_unknown != is_unknown_now || (!is_unknown && before.value != now.value);
}

/* More instructions for the same work are a regression that no noise excuses. */
static bool is_regression(const hx_comparison *comparison, const hx_compare_change *change)
{
    return change->scope == HX_COMPARE_KERNEL && strcmp(change->metric, "issues") == 0 &&
           100 * change->difference.value > comparison->threshold * change->old_value.value;
}

static hx_status compare_metric(hx_comparison *comparison, const struct bearer *bearer,
                                const struct yaml_node *row, const struct yaml_node *old_node,
                                const struct yaml_node *new_node)
{
    struct stored_value before, now;
    hx_status status = stored_value_read(old_node, comparison->diag, &before);
    if (status == HX_OK)
        status = stored_value_read(new_node, comparison->diag, &now);
    if (status != HX_OK)
        return status;
    const char *kind = text_of(yaml_get(row, "kind"));
    const bool is_measured = strcmp(kind, "measured") == 0;
    const hx_compare_interval difference = subtract(now, before);
    if (is_measured)
        comparison->measured++;
    else
        comparison->exact++;
    if (!is_changed(before, now, difference, is_measured))
        return HX_OK;
    hx_compare_change change = {.kernel = bearer->kernel,
                                .of = bearer->of,
                                .scope = bearer->scope,
                                .metric = text_of(yaml_get(row, "name")),
                                .unit = text_of(yaml_get(row, "unit")),
                                .kind = kind,
                                .old_value = interval_of(before),
                                .new_value = interval_of(now),
                                .difference = difference};
    change.is_regression = is_regression(comparison, &change);
    comparison->has_regression |= change.is_regression;
    return LIST_PUSH(comparison->allocator, &comparison->changes, change) ? HX_OK : no_memory(comparison);
}

/* In the order of the table of metrics, which says what each is. */
static hx_status compare_bearer(hx_comparison *comparison, const struct bearer *bearer)
{
    const struct yaml_node *row = yaml_get(comparison->now.root, "metrics")->first;
    hx_status status = HX_OK;
    for (; row && status == HX_OK; row = row->next) {
        const char *name = text_of(yaml_get(row, "name"));
        const struct yaml_node *before = yaml_get(bearer->before, name), *now = yaml_get(bearer->now, name);
        if (before && now)
            status = compare_metric(comparison, bearer, row, before, now);
    }
    return status;
}

static hx_status compare_list(hx_comparison *comparison, struct bearer bearer, const char *key,
                              const struct yaml_node *old_list, const struct yaml_node *new_list)
{
    const struct yaml_node *next = NULL;
    hx_status status = HX_OK;
    for (const struct yaml_node *now = new_list ? new_list->first : NULL; now && status == HX_OK;
         now = now->next) {
        bearer.of = text_of(yaml_get(now, key));
        const struct yaml_node *before = find_named(old_list, next, key, bearer.of);
        if (!before)
            continue;
        next = before->next;
        bearer.before = yaml_get(before, "metrics");
        bearer.now = yaml_get(now, "metrics");
        status = compare_bearer(comparison, &bearer);
    }
    return status;
}

/* Does a kernel have the same instructions at the same lines? */
static bool is_same_code(const struct yaml_node *before, const struct yaml_node *now)
{
    static const char *const keys[] = {"line", "text"};
    const struct yaml_node *a = yaml_get(before, "instructions"), *b = yaml_get(now, "instructions");
    if (!a || !b || a->count != b->count)
        return false;
    for (a = a->first, b = b->first; a && b; a = a->next, b = b->next)
        for (size_t i = 0; i < HX_COUNT_OF(keys); i++)
            if (strcmp(text_of(yaml_get(a, keys[i])), text_of(yaml_get(b, keys[i]))) != 0)
                return false;
    return true;
}

static hx_status compare_kernel(hx_comparison *comparison, const struct yaml_node *before,
                                const struct yaml_node *now)
{
    static const struct {
        hx_compare_scope scope;
        const char *list, *key;
    } lists[] = {{HX_COMPARE_BUFFER, "buffers", "name"},
                 {HX_COMPARE_OPCODE, "opcodes", "form"},
                 {HX_COMPARE_LINE, "lines", "line"}};
    struct bearer bearer = {.kernel = text_of(yaml_get(now, "name")),
                            .of = "",
                            .scope = HX_COMPARE_KERNEL,
                            .before = yaml_get(before, "metrics"),
                            .now = yaml_get(now, "metrics")};
    hx_status status = compare_bearer(comparison, &bearer);
    for (size_t i = 0; i < HX_COUNT_OF(lists) && status == HX_OK; i++) {
        bearer.scope = lists[i].scope;
        if (bearer.scope != HX_COMPARE_LINE || is_same_code(before, now))
            status = compare_list(comparison, bearer, lists[i].key, yaml_get(before, lists[i].list),
                                  yaml_get(now, lists[i].list));
    }
    return status;
}

static hx_status compare_launches(hx_comparison *comparison)
{
    const struct yaml_node *old_list = yaml_get(comparison->before.root, "launches"),
                           *new_list = yaml_get(comparison->now.root, "launches");
    const struct yaml_node *before = old_list ? old_list->first : NULL,
                           *now = new_list ? new_list->first : NULL;
    hx_status status = HX_OK;
    for (size_t i = 0; before && now && status == HX_OK; i++, before = before->next, now = now->next) {
        const struct bearer bearer = {.kernel = text_of(yaml_get(now, "kernel")),
                                      .of = arena_format(&comparison->now.arena, "%zu", i),
                                      .scope = HX_COMPARE_LAUNCH,
                                      .before = yaml_get(before, "metrics"),
                                      .now = yaml_get(now, "metrics")};
        status = bearer.of ? compare_bearer(comparison, &bearer) : no_memory(comparison);
    }
    return status;
}

/* ---- Wall time --------------------------------------------------------------------------------------------
 */

/* The bootstrap draws each sample some thousand times; a profile with more runs than this is none that
 * anybody made. */
#define RUNS_MAX 10000

static hx_status read_samples(hx_comparison *comparison, struct stored_profile *profile, double **ret_samples,
                              size_t *ret_count)
{
    const struct yaml_node *list = yaml_get(yaml_get(profile->root, "wall"), "samples_ns");
    const size_t count = list && list->kind == YAML_SEQUENCE ? list->count : 0;
    if (count > RUNS_MAX)
        return diag_report(comparison->diag, DIAG_STORED_FORMAT, list->place, "profile it with fewer --runs",
                           "a profile of %zu runs, where at most %d can be compared", count, RUNS_MAX);
    double *samples = ARENA_ARRAY(&profile->arena, double, count);
    hx_status status = samples ? HX_OK : no_memory(comparison);
    size_t i = 0;
    for (const struct yaml_node *one = count ? list->first : NULL; one && status == HX_OK; one = one->next)
        status = stored_number_read(one, comparison->diag, &samples[i++]);
    *ret_samples = samples;
    *ret_count = count;
    return status;
}

static hx_status compare_wall(hx_comparison *comparison)
{
    hx_compare_wall *wall = &comparison->wall;
    double *before = NULL, *now = NULL;
    hx_status status = read_samples(comparison, &comparison->before, &before, &wall->old_runs);
    if (status == HX_OK)
        status = read_samples(comparison, &comparison->now, &now, &wall->new_runs);
    if (status == HX_OK &&
        bootstrap_compare(before, wall->old_runs, now, wall->new_runs, comparison->allocator,
                          &wall->difference_ns, &wall->difference_percent) != HX_OK)
        status = no_memory(comparison);
    if (status != HX_OK)
        return status;
    wall->old_median_ns = wall->old_runs ? bootstrap_median(before, wall->old_runs) : 0;
    wall->new_median_ns = wall->new_runs ? bootstrap_median(now, wall->new_runs) : 0;
    if (wall->difference_percent.low > 0 && wall->difference_percent.value > comparison->threshold)
        comparison->has_regression = true;
    return HX_OK;
}

/* ---- The comparison
 * ---------------------------------------------------------------------------------------- */

static hx_status compare_figures(hx_comparison *comparison)
{
    const struct yaml_node *old_list = yaml_get(comparison->before.root, "kernels");
    hx_status status = compare_wall(comparison);
    const struct yaml_node *now = yaml_get(comparison->now.root, "kernels")->first;
    for (; now && status == HX_OK; now = now->next)
        status = compare_kernel(comparison,
                                find_named(old_list, NULL, "name", text_of(yaml_get(now, "name"))), now);
    return status == HX_OK ? compare_launches(comparison) : status;
}

static hx_status compare_all(hx_comparison *comparison, const char *old_path, const char *new_path,
                             const hx_compare_options *options)
{
    hx_diag *diag = comparison->diag;
    hx_status status = stored_open(old_path, comparison->allocator, diag, &comparison->before);
    if (status == HX_OK)
        status = stored_open(new_path, comparison->allocator, diag, &comparison->now);
    if (status == HX_OK)
        status = stored_threshold_read(&comparison->before, diag, &comparison->threshold);
    if (options && options->threshold_percent > 0)
        comparison->threshold = options->threshold_percent;
    if (status == HX_OK)
        status = check_conditions(comparison);
    if (status == HX_OK && comparison->differences.count == 0)
        status = compare_figures(comparison);
    comparison->diag = NULL;
    return status;
}

hx_status hx_compare(const char *old_path, const char *new_path, const hx_compare_options *options,
                     hx_diag *diag, hx_comparison **ret_comparison)
{
    const hx_allocator *allocator = options ? options->allocator : NULL;
    hx_comparison *comparison = memory_allocate(allocator, 1, sizeof *comparison);
    if (!comparison)
        return diag_no_memory(diag);
    comparison->allocator = allocator;
    comparison->threshold = (double)NAN;
    comparison->diag = diag;
    hx_status status = compare_all(comparison, old_path, new_path, options);
    if (status == HX_OK)
        *ret_comparison = comparison;
    else
        hx_comparison_free(comparison);
    return status;
}

void hx_comparison_free(hx_comparison *comparison)
{
    if (!comparison)
        return;
    LIST_DONE(comparison->allocator, &comparison->differences);
    LIST_DONE(comparison->allocator, &comparison->changes);
    stored_close(&comparison->before);
    stored_close(&comparison->now);
    memory_free(comparison->allocator, comparison);
}

hx_compare_verdict hx_comparison_verdict(const hx_comparison *comparison)
{
    const hx_compare_interval *percent = &comparison->wall.difference_percent;
    if (comparison->differences.count)
        return HX_COMPARE_NOT_COMPARABLE;
    if (comparison->has_regression)
        return HX_COMPARE_REGRESSION;
    return percent->low > 0 ? HX_COMPARE_SLOWER : percent->high < 0 ? HX_COMPARE_FASTER : HX_COMPARE_SAME;
}

double hx_comparison_threshold(const hx_comparison *comparison)
{
    return comparison->threshold;
}

hx_compare_wall hx_comparison_wall(const hx_comparison *comparison)
{
    return comparison->wall;
}

const char *hx_comparison_program(const hx_comparison *comparison)
{
    return text_of(yaml_get(comparison->now.root, "program"));
}

const char *hx_comparison_old_hexec(const hx_comparison *comparison)
{
    return text_of(yaml_get(comparison->before.root, "hexec"));
}

const char *hx_comparison_new_hexec(const hx_comparison *comparison)
{
    return text_of(yaml_get(comparison->now.root, "hexec"));
}

const hx_compare_difference *hx_comparison_difference_at(const hx_comparison *comparison, size_t index)
{
    return index < comparison->differences.count ? &comparison->differences.items[index] : NULL;
}

const hx_compare_change *hx_comparison_change_at(const hx_comparison *comparison, size_t index)
{
    return index < comparison->changes.count ? &comparison->changes.items[index] : NULL;
}

size_t hx_comparison_exact(const hx_comparison *comparison)
{
    return comparison->exact;
}

size_t hx_comparison_measured(const hx_comparison *comparison)
{
    return comparison->measured;
}

/* ---- Baselines
 * ---------------------------------------------------------------------------------------------- */

hx_status hx_compare_save_baseline(const char *profile_path, const char *path, double threshold_percent,
                                   const hx_allocator *allocator, hx_diag *diag)
{
    if (!(threshold_percent > 0) || !isfinite(threshold_percent))
        return diag_report(diag, DIAG_STORED_FORMAT, (struct place){0}, NULL,
                           "the threshold of a baseline is a number of percent above 0");
    struct stored_profile profile = {0};
    hx_status status = stored_open(profile_path, allocator, diag, &profile);
    if (status != HX_OK)
        return status;
    struct text text HX_AUTO(text_done) = {.allocator = allocator};
    status = stored_print_with_threshold(&profile, threshold_percent, diag, &text);
    if (status == HX_OK)
        status = file_write(path, text.at, text.length, diag);
    stored_close(&profile);
    return status;
}
