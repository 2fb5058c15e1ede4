/* Comparing two stored profiles.
 *
 * Takes two documents, leaves what differs: first what must not (conditions), then figures. Objects that bear
 * metrics are found by what they are called, metrics by their names, so that profiles of versions with other
 * metrics can be compared as far as they go. A line's number says nothing once the code was edited: lines are
 * compared where a kernel's code is the same on both sides, forms of opcodes always. */
#include "hexec/compare.h"

#include "base/file.h"
#include "base/machine.h"
#include "profile/evidence.h"
#include "profile/stored.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define BAND_PERCENT 10.0 /* two executions alone differ by 7 % */

struct hx_comparison {
    const hx_allocator *allocator;
    struct stored_profile before, now;
    LIST(hx_compare_difference) differences;
    LIST(hx_compare_change) changes;
    LIST(double) chances; /* of each measured figure; while it is made */
    hx_compare_wall wall;
    double threshold;
    size_t exact, measured;
    bool has_regression;
    hx_diag *diag; /* while it is made */
};

static const char *text_of(const json_t *string)
{
    return json_is_string(string) ? json_string_value(string) : "";
}

static bool is_same(const json_t *a, const json_t *b)
{
    return a && b ? json_equal(a, b) : a == b;
}

static void print_value(struct text *text, const json_t *value)
{
    if (json_is_array(value)) {
        const json_t *one;
        size_t i;
        text_append(text, "[", 1);
        json_array_foreach (value, i, one) {
            text_append(text, ", ", i ? 2 : 0);
            print_value(text, one);
        }
        text_append(text, "]", 1);
    } else if (json_is_real(value)) {
        text_print_f64(text, json_real_value(value));
    } else if (json_is_boolean(value)) {
        text_print(text, "%s", json_is_true(value) ? "true" : "false");
    } else {
        text_print(text, "%s", json_is_null(value) ? "null" : text_of(value));
    }
}

/* A value as people read it: "release", "256", "[256, 1, 1]"; NULL when memory ran out. */
static const char *show(hx_comparison *comparison, const json_t *value)
{
    struct text text HX_AUTO(text_done) = {.allocator = comparison->allocator};
    text_append(&text, "", 0);
    print_value(&text, value);
    return text.failed ? NULL : arena_copy(&comparison->now.arena, text.at, text.length);
}

static hx_status no_memory(const hx_comparison *comparison)
{
    return diag_no_memory(comparison->diag);
}

/* The item of an array whose `key` has this value. Both profiles mostly have the same order, so the search
 * starts at `*from` and leaves there the number of the item that follows. */
static json_t *find(const json_t *list, size_t *from, const char *key, const json_t *value)
{
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_array_get(list, (*from + i) % count);
        if (is_same(json_object_get(one, key), value)) {
            *from = (*from + i + 1) % count;
            return one;
        }
    }
    return NULL;
}

static json_t *find_named(const json_t *list, const json_t *name)
{
    return find(list, &(size_t){0}, "name", name);
}

static hx_status differ(hx_comparison *comparison, const char *what, const json_t *before, const json_t *now)
{
    const hx_compare_difference difference = {what, show(comparison, before), show(comparison, now)};
    if (!what || !difference.old_text || !difference.new_text ||
        !LIST_PUSH(comparison->allocator, &comparison->differences, difference))
        return no_memory(comparison);
    return HX_OK;
}

static hx_status check_key(hx_comparison *comparison, const char *key)
{
    const json_t *before = json_object_get(comparison->before.root, key),
                 *now = json_object_get(comparison->now.root, key);
    return is_same(before, now) ? HX_OK : differ(comparison, key, before, now);
}

/* How often and how it was run changes how certain the answer is, not the question. */
static bool is_condition(const char *key, const json_t *value)
{
    static const char *const others[] = {"runs", "timed_runs", "time_scale"};
    bool is_other = json_is_object(value) || json_is_array(value);
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        is_other |= strcmp(key, others[i]) == 0;
    return !is_other;
}

/* The single values of a section; those that only the old profile has come last. */
static hx_status check_section(hx_comparison *comparison, const char *section)
{
    json_t *before = json_object_get(comparison->before.root, section),
           *now = json_object_get(comparison->now.root, section), *value;
    struct arena *arena = &comparison->now.arena;
    hx_status status = HX_OK;
    const char *key;
    json_object_foreach (now, key, value) {
        const json_t *other = json_object_get(before, key);
        if (status == HX_OK && is_condition(key, value) && !is_same(value, other))
            status = differ(comparison, arena_format(arena, "%s.%s", section, key), other, value);
    }
    json_object_foreach (before, key, value)
        if (status == HX_OK && is_condition(key, value) && !json_object_get(now, key))
            status = differ(comparison, arena_format(arena, "%s.%s", section, key), value, NULL);
    return status;
}

/* How a kernel was launched, and which GPU it was modelled for. */
static hx_status check_kernel(hx_comparison *comparison, const json_t *before, const json_t *now)
{
    const struct {
        const char *what;
        const json_t *before, *now;
    } all[] = {{"grid", json_object_get(before, "grid"), json_object_get(now, "grid")},
               {"block", json_object_get(before, "block"), json_object_get(now, "block")},
               {"launches", json_object_get(before, "launches"), json_object_get(now, "launches")},
               {"modelled GPU", json_object_get(json_object_get(before, "model"), "gpu"),
                json_object_get(json_object_get(now, "model"), "gpu")}};
    hx_status status = HX_OK;
    for (size_t i = 0; i < HX_COUNT_OF(all) && status == HX_OK; i++)
        if (!is_same(all[i].before, all[i].now))
            status = differ(comparison,
                            arena_format(&comparison->now.arena, "kernel %s, %s",
                                         text_of(json_object_get(now, "name")), all[i].what),
                            all[i].before, all[i].now);
    return status;
}

static hx_status check_kernels(hx_comparison *comparison)
{
    const json_t *old_list = json_object_get(comparison->before.root, "kernels"),
                 *new_list = json_object_get(comparison->now.root, "kernels"), *kernel;
    hx_status status = HX_OK;
    size_t i;
    json_array_foreach (new_list, i, kernel) {
        const json_t *name = json_object_get(kernel, "name"), *before = find_named(old_list, name);
        if (status == HX_OK)
            status =
                before ? check_kernel(comparison, before, kernel) : differ(comparison, "kernel", NULL, name);
    }
    json_array_foreach (old_list, i, kernel) {
        const json_t *name = json_object_get(kernel, "name");
        if (status == HX_OK && !find_named(new_list, name))
            status = differ(comparison, "kernel", name, NULL);
    }
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

/* Something that bears metrics, on both sides. */
struct bearer {
    const char *kernel, *of;
    hx_compare_scope scope;
    const json_t *before, *now; /* the `metrics` */
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

/* Without an interval nobody knows what is noise. */
static bool has_interval(struct stored_value value)
{
    return value.low < value.high;
}

static bool is_other(struct stored_value before, struct stored_value now)
{
    const bool is_unknown = isnan(before.value), is_unknown_now = isnan(now.value);
    return is_unknown != is_unknown_now || (!is_unknown && before.value != now.value);
}

/* More instructions for the same work are a regression that no noise excuses. */
static bool is_regression(const hx_comparison *comparison, const hx_compare_change *change)
{
    return change->scope == HX_COMPARE_KERNEL && strcmp(change->metric, "issues") == 0 &&
           100 * change->difference.value > comparison->threshold * change->old_value.value;
}

static hx_status compare_metric(hx_comparison *comparison, const struct bearer *bearer, const json_t *row)
{
    const char *name = text_of(json_object_get(row, "name"));
    struct stored_value before, now;
    hx_status status =
        stored_value_read(&comparison->before, bearer->before, name, comparison->diag, &before);
    if (status == HX_OK)
        status = stored_value_read(&comparison->now, bearer->now, name, comparison->diag, &now);
    if (status != HX_OK)
        return status;
    const char *kind = text_of(json_object_get(row, "kind"));
    const bool is_measured = strcmp(kind, "measured") == 0;
    const hx_compare_interval difference = subtract(now, before);
    if (is_measured)
        comparison->measured++;
    else
        comparison->exact++;
    if (is_measured ? !has_interval(before) || !has_interval(now) : !is_other(before, now))
        return HX_OK;
    if (is_measured && !LIST_PUSH(comparison->allocator, &comparison->chances, evidence_chance(difference)))
        return no_memory(comparison);
    hx_compare_change change = {.kernel = bearer->kernel,
                                .of = bearer->of,
                                .scope = bearer->scope,
                                .metric = name,
                                .unit = text_of(json_object_get(row, "unit")),
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
    hx_status status = HX_OK;
    const json_t *row;
    size_t i;
    json_array_foreach (json_object_get(comparison->now.root, "metrics"), i, row) {
        const char *name = text_of(json_object_get(row, "name"));
        if (status == HX_OK && json_object_get(bearer->before, name) && json_object_get(bearer->now, name))
            status = compare_metric(comparison, bearer, row);
    }
    return status;
}

static hx_status compare_list(hx_comparison *comparison, struct bearer bearer, const char *key,
                              const json_t *old_list, const json_t *new_list)
{
    hx_status status = HX_OK;
    const json_t *now;
    size_t i, next = 0;
    json_array_foreach (new_list, i, now) {
        const json_t *name = json_object_get(now, key), *before = find(old_list, &next, key, name);
        if (status != HX_OK || !before)
            continue;
        bearer.of = show(comparison, name);
        bearer.before = json_object_get(before, "metrics");
        bearer.now = json_object_get(now, "metrics");
        status = bearer.of ? compare_bearer(comparison, &bearer) : no_memory(comparison);
    }
    return status;
}

/* Does a kernel have the same instructions at the same lines? */
static bool is_same_code(const json_t *before, const json_t *now)
{
    const json_t *old_list = json_object_get(before, "instructions"),
                 *new_list = json_object_get(now, "instructions"), *one;
    size_t i;
    if (!old_list || !new_list || json_array_size(old_list) != json_array_size(new_list))
        return false;
    json_array_foreach (new_list, i, one) {
        const json_t *other = json_array_get(old_list, i);
        if (!is_same(json_object_get(one, "line"), json_object_get(other, "line")) ||
            !is_same(json_object_get(one, "text"), json_object_get(other, "text")))
            return false;
    }
    return true;
}

static hx_status compare_kernel(hx_comparison *comparison, const json_t *before, const json_t *now)
{
    static const struct {
        hx_compare_scope scope;
        const char *list, *key;
    } lists[] = {{HX_COMPARE_BUFFER, "buffers", "name"},
                 {HX_COMPARE_OPCODE, "opcodes", "form"},
                 {HX_COMPARE_LINE, "lines", "line"}};
    struct bearer bearer = {.kernel = text_of(json_object_get(now, "name")),
                            .of = "",
                            .scope = HX_COMPARE_KERNEL,
                            .before = json_object_get(before, "metrics"),
                            .now = json_object_get(now, "metrics")};
    hx_status status = compare_bearer(comparison, &bearer);
    for (size_t i = 0; i < HX_COUNT_OF(lists) && status == HX_OK; i++) {
        bearer.scope = lists[i].scope;
        if (bearer.scope != HX_COMPARE_LINE || is_same_code(before, now))
            status = compare_list(comparison, bearer, lists[i].key, json_object_get(before, lists[i].list),
                                  json_object_get(now, lists[i].list));
    }
    return status;
}

static hx_status compare_launches(hx_comparison *comparison)
{
    const json_t *old_list = json_object_get(comparison->before.root, "launches"),
                 *new_list = json_object_get(comparison->now.root, "launches");
    hx_status status = HX_OK;
    for (size_t i = 0; i < json_array_size(old_list) && i < json_array_size(new_list) && status == HX_OK;
         i++) {
        const json_t *before = json_array_get(old_list, i), *now = json_array_get(new_list, i);
        const struct bearer bearer = {.kernel = text_of(json_object_get(now, "kernel")),
                                      .of = arena_format(&comparison->now.arena, "%zu", i),
                                      .scope = HX_COMPARE_LAUNCH,
                                      .before = json_object_get(before, "metrics"),
                                      .now = json_object_get(now, "metrics")};
        status = bearer.of ? compare_bearer(comparison, &bearer) : no_memory(comparison);
    }
    return status;
}

#define RUNS_MAX 10000

static hx_status read_samples(hx_comparison *comparison, struct stored_profile *profile, double **ret_samples,
                              size_t *ret_count)
{
    const json_t *list = json_object_get(json_object_get(profile->root, "wall"), "samples_ns");
    const size_t count = json_array_size(list);
    if (count > RUNS_MAX)
        return diag_report(comparison->diag, DIAG_STORED_FORMAT, (struct place){.source = &profile->source},
                           "profile it with fewer --runs",
                           "a profile of %zu runs, where at most %d can be compared", count, RUNS_MAX);
    *ret_count = count;
    *ret_samples = ARENA_ARRAY(&profile->arena, double, count);
    return *ret_samples ? stored_numbers_read(profile, list, comparison->diag, *ret_samples)
                        : no_memory(comparison);
}

static hx_status read_side(hx_comparison *comparison, struct stored_profile *profile,
                           struct evidence_side *ret_side)
{
    const json_t *precision = json_object_get(json_object_get(profile->root, "wall"), "precision");
    const double others = json_number_value(json_object_get(precision, "others_percent")) / 100;
    double *times = NULL;
    hx_status status = read_samples(comparison, profile, &times, &ret_side->count);
    ret_side->times = times;
    ret_side->others = others > 0 ? others < 1 ? others : 1 : 0;
    ret_side->loop_ns = json_number_value(json_object_get(precision, "loop_ns"));
    return status;
}

static hx_status compare_wall(hx_comparison *comparison)
{
    hx_compare_wall *wall = &comparison->wall;
    struct evidence_side before = {0}, now = {0};
    hx_status status = read_side(comparison, &comparison->before, &before);
    if (status == HX_OK)
        status = read_side(comparison, &comparison->now, &now);
    if (status == HX_OK && evidence_weigh(&before, &now, comparison->allocator, wall) != HX_OK)
        status = no_memory(comparison);
    if (status == HX_OK && wall->difference_percent.low > 0 &&
        wall->difference_percent.value > comparison->threshold)
        comparison->has_regression = true;
    return status;
}

/* Of the measured figures those stay that did not change by chance. */
static hx_status judge_measured(hx_comparison *comparison)
{
    const size_t count = comparison->chances.count;
    size_t kept = 0, next = 0;
    bool *changed = memory_allocate(comparison->allocator, count + 1, sizeof *changed);
    if (!changed ||
        evidence_reject(comparison->chances.items, count, comparison->allocator, changed) != HX_OK) {
        memory_free(comparison->allocator, changed);
        return no_memory(comparison);
    }
    for (size_t i = 0; i < comparison->changes.count; i++) {
        const hx_compare_change *change = &comparison->changes.items[i];
        if (strcmp(change->kind, "measured") != 0 || changed[next++])
            comparison->changes.items[kept++] = *change;
    }
    comparison->changes.count = kept;
    memory_free(comparison->allocator, changed);
    return HX_OK;
}

static hx_status compare_figures(hx_comparison *comparison)
{
    const json_t *old_list = json_object_get(comparison->before.root, "kernels"), *now;
    hx_status status = compare_wall(comparison);
    size_t i;
    json_array_foreach (json_object_get(comparison->now.root, "kernels"), i, now)
        if (status == HX_OK)
            status = compare_kernel(comparison, find_named(old_list, json_object_get(now, "name")), now);
    if (status == HX_OK)
        status = compare_launches(comparison);
    return status == HX_OK ? judge_measured(comparison) : status;
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
    if (options && options->size > offsetof(hx_compare_options, band_percent) && options->band_percent > 0)
        comparison->wall.band_percent = options->band_percent;
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
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, old_path);
    DIAG_REQUIRE(diag, new_path);
    DIAG_REQUIRE(diag, ret_comparison);
    diag_step(diag, "while comparing profiles with", old_path, 0, (struct place){0});
    const hx_allocator *allocator = options ? options->allocator : NULL;
    hx_comparison *comparison = memory_allocate(allocator, 1, sizeof *comparison);
    if (!comparison)
        return diag_no_memory(diag);
    comparison->allocator = allocator;
    comparison->threshold = (double)NAN;
    comparison->wall.band_percent = BAND_PERCENT;
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
    LIST_DONE(comparison->allocator, &comparison->chances);
    stored_close(&comparison->before);
    stored_close(&comparison->now);
    memory_free(comparison->allocator, comparison);
}

hx_compare_verdict hx_comparison_verdict(const hx_comparison *comparison)
{
    if (!comparison)
        return HX_COMPARE_NOT_COMPARABLE;
    const hx_compare_interval *percent = &comparison->wall.difference_percent;
    if (comparison->differences.count)
        return HX_COMPARE_NOT_COMPARABLE;
    if (comparison->has_regression)
        return HX_COMPARE_REGRESSION;
    return percent->low > 0                                   ? HX_COMPARE_SLOWER
           : percent->high < 0                                ? HX_COMPARE_FASTER
           : comparison->wall.need == HX_COMPARE_NEED_NOTHING ? HX_COMPARE_SAME
                                                              : HX_COMPARE_UNKNOWN;
}

double hx_comparison_threshold(const hx_comparison *comparison)
{
    if (!comparison)
        return (double)NAN;
    return comparison->threshold;
}

hx_compare_wall hx_comparison_wall(const hx_comparison *comparison)
{
    if (!comparison)
        return (hx_compare_wall){0};
    return comparison->wall;
}

const char *hx_comparison_program(const hx_comparison *comparison)
{
    if (!comparison)
        return NULL;
    return text_of(json_object_get(comparison->now.root, "program"));
}

const char *hx_comparison_old_hexec(const hx_comparison *comparison)
{
    if (!comparison)
        return NULL;
    return text_of(json_object_get(comparison->before.root, "hexec"));
}

const char *hx_comparison_new_hexec(const hx_comparison *comparison)
{
    if (!comparison)
        return NULL;
    return text_of(json_object_get(comparison->now.root, "hexec"));
}

const hx_compare_difference *hx_comparison_difference_at(const hx_comparison *comparison, size_t index)
{
    if (!comparison)
        return NULL;
    return index < comparison->differences.count ? &comparison->differences.items[index] : NULL;
}

const hx_compare_change *hx_comparison_change_at(const hx_comparison *comparison, size_t index)
{
    if (!comparison)
        return NULL;
    return index < comparison->changes.count ? &comparison->changes.items[index] : NULL;
}

size_t hx_comparison_exact(const hx_comparison *comparison)
{
    if (!comparison)
        return 0;
    return comparison->exact;
}

size_t hx_comparison_measured(const hx_comparison *comparison)
{
    if (!comparison)
        return 0;
    return comparison->measured;
}

hx_status hx_compare_save_baseline(const char *profile_path, const char *path, double threshold_percent,
                                   const hx_allocator *allocator, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, profile_path);
    DIAG_REQUIRE(diag, path);
    diag_step(diag, "while making the baseline", path, 0, (struct place){0});
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
