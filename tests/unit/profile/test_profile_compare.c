/* Comparisons of stored profiles: intervals against what is known, conditions, figures, baselines, files
 * that are none, memory that runs out. */
#include "base/json_reader.h"
#include "base/spread.h"
#include "hexec/compare.h"
#include "profile/evidence.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A generator of the tests' own. */
static double draw_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *state)
{
    return sqrt(-2 * log(draw_uniform(state))) * cos(2 * 3.141592653589793 * draw_uniform(state));
}

/* One execution: runs of this mean with a long tail, all of them longer or shorter by what executions differ
 * by. */
static void draw_runs(double *runs, size_t count, double mean, uint64_t *state)
{
    const double execution = mean * exp(SPREAD_EXECUTION * draw_normal(state));
    for (size_t i = 0; i < count; i++)
        runs[i] = execution * exp(0.1 * draw_normal(state)) * (1 - 0.2 * log(draw_uniform(state)));
}

#define RUNS 40
static hx_compare_wall weigh(const double *before, const double *now, size_t count, double others)
{
    hx_compare_wall wall = {.band_percent = 10};
    const struct evidence_side old_side = {before, count, 0, 0}, new_side = {now, count, others, 0};
    ck_assert_int_eq(evidence_weigh(&old_side, &new_side, NULL, &wall), HX_OK);
    return wall;
}

/* Of 1,000 pairs of executions of one program at most 5 in 100 are called different; so far apart that nobody
 * can overlook it, they are. */
START_TEST(covers_the_truth)
{
    double before[RUNS], now[RUNS];
    uint64_t state = 5;
    int different = 0, missed = 0, found = 0;
    for (int trial = 0; trial < 1000; trial++) {
        draw_runs(before, RUNS, 100, &state);
        draw_runs(now, RUNS, 100, &state);
        const hx_compare_wall same = weigh(before, now, RUNS, 0);
        different += same.difference_percent.low > 0 || same.difference_percent.high < 0;
        draw_runs(now, RUNS, 150, &state);
        const hx_compare_wall other = weigh(before, now, RUNS, 0);
        missed += other.difference_percent.low > 50 || other.difference_percent.high < 50;
        found += other.difference_percent.low > 0;
    }
    ck_assert_msg(different >= 10 && different <= 50, "%d of 1,000 different", different);
    ck_assert_msg(missed >= 10 && missed <= 60, "%d of 1,000 missed", missed);
    ck_assert_int_eq(found, 1000);
}
END_TEST

/* Cores that are slower while one of two executions is measured, as the loop beside it shows. What part of
 * that the program feels nobody knows: each pair draws one. Two executions of one program still differ in at
 * most 5 of 100 pairs, and what is twice as slow is found wherever the cores do not explain it. */
START_TEST(cores_change_their_speed)
{
    double before[RUNS], now[RUNS];
    uint64_t state = 11;
    int different = 0, found = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const double drift = 0.2 * draw_normal(&state), felt = draw_uniform(&state);
        const struct evidence_side old_side = {before, RUNS, 0, 1000},
                                   new_side = {now, RUNS, 0, 1000 * exp(drift)};
        hx_compare_wall wall = {.band_percent = 10};
        draw_runs(before, RUNS, 100, &state);
        draw_runs(now, RUNS, 100 * exp(felt * drift), &state);
        ck_assert_int_eq(evidence_weigh(&old_side, &new_side, NULL, &wall), HX_OK);
        different += wall.difference_percent.low > 0 || wall.difference_percent.high < 0;
        ck_assert_double_eq_tol(wall.drift_percent, 100 * expm1(drift), 1e-9);
        if (wall.difference_percent.low < 0 && drift > 0.2)
            ck_assert_int_eq(wall.need, HX_COMPARE_NEED_QUIET);
        draw_runs(now, RUNS, 200 * exp(felt * drift), &state);
        ck_assert_int_eq(evidence_weigh(&old_side, &new_side, NULL, &wall), HX_OK);
        found += fabs(drift) > 0.3 || wall.difference_percent.low > 0;
    }
    ck_assert_msg(different <= 50, "%d of 1,000 different", different);
    ck_assert_int_eq(found, 1000);
}
END_TEST

/* What would tell: a quiet machine first, then more runs, then more executions. */
START_TEST(needs)
{
    static const double steady[] = {100, 101, 100, 99, 100, 101, 100},
                        higher[] = {106, 107, 106, 105, 106, 107, 106},
                        wild[] = {60, 160, 140, 40, 120, 100, 150}, zero[] = {0, 0};
    ck_assert_int_eq(weigh(steady, steady, 7, 0).need, HX_COMPARE_NEED_NOTHING);
    ck_assert_int_eq(weigh(steady, steady, 7, 0.5).need, HX_COMPARE_NEED_QUIET);
    ck_assert_int_eq(weigh(steady, higher, 7, 0).need, HX_COMPARE_NEED_EXECUTIONS);
    const hx_compare_wall unsure = weigh(steady, wild, 7, 0);
    ck_assert_int_eq(unsure.need, HX_COMPARE_NEED_RUNS);
    ck_assert_uint_gt(unsure.runs_needed, 20);
    static const double wilder[] = {2, 160, 1400, 4, 1200, 100, 1500};
    ck_assert_int_eq(weigh(wilder, wilder, 7, 0).need, HX_COMPARE_NEED_EXECUTIONS); /* thousands of runs */
    ck_assert_int_eq(weigh(steady, wild, 1, 0).need, HX_COMPARE_NEED_RUNS);
    ck_assert_int_eq(weigh(steady, wild, 0, 0).need, HX_COMPARE_NEED_RUNS);
    const hx_compare_wall none = weigh(zero, zero, 2, 0);
    ck_assert(none.difference_ns.value == 0 && isnan(none.difference_percent.value));
}
END_TEST

/* Holm: the smallest of 5 chances must be below 1 in 100, the next one below 1 in 80. */
START_TEST(many_figures)
{
    const double chances[] = {0.011, 0.9, 0.009, (double)NAN, 0.04, 0.02};
    bool changed[6];
    ck_assert_int_eq(evidence_reject(chances, 6, NULL, changed), HX_OK);
    ck_assert(changed[0] && !changed[1] && changed[2] && !changed[3] && !changed[4] && !changed[5]);
    ck_assert_int_eq(evidence_reject(chances + 3, 3, NULL, changed), HX_OK);
    ck_assert(!changed[0] && changed[1] && changed[2]); /* 0.02 of two, then 0.04 of one */
    ck_assert_int_eq(evidence_reject(NULL, 0, NULL, changed), HX_OK);
    ck_assert_double_eq_tol(evidence_chance((hx_compare_interval){2, 0, 4}), 0.05, 1e-6);
    ck_assert_double_eq_tol(evidence_chance((hx_compare_interval){-2, -3, 0}), 0.05, 1e-6);
    /* figures without news: of 400 pairs with 200 figures each 5 in 100 have any change at most */
    static double figures[200];
    static bool any[200];
    uint64_t state = 9;
    int pairs = 0;
    for (int pair = 0; pair < 400; pair++) {
        bool is_changed = false;
        for (size_t i = 0; i < HX_COUNT_OF(figures); i++)
            figures[i] = draw_uniform(&state);
        ck_assert_int_eq(evidence_reject(figures, HX_COUNT_OF(figures), NULL, any), HX_OK);
        for (size_t i = 0; i < HX_COUNT_OF(figures); i++)
            is_changed |= any[i];
        pairs += is_changed;
    }
    ck_assert_msg(pairs >= 5 && pairs <= 35, "%d of 400 pairs", pairs);
}
END_TEST

static char folder[40];
static hx_diag *diag;
static hx_comparison *comparison; /* that compare made */

static void set_up(void)
{
    strcpy(folder, "/tmp/hexec-compare-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_ok(hx_diag_new(NULL, &diag));
}

static void tear_down(void)
{
    char command[80];
    hx_comparison_free(comparison);
    comparison = NULL;
    hx_diag_free(diag);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

struct parts {
    const char *workers, *samples, *metrics, *lines, *text, *more;
};
static const struct parts usual = {"1",
                                   "100, 101, 99, 100, 102",
                                   "\"issues\": 64, \"time_ns\": {\"value\": 10, \"low\": 9.5, \"high\": 11}",
                                   "{\"line\": 5, \"metrics\": {\"issues\": 64}}",
                                   "nop",
                                   ""};

/* Paths rotate: three may be in use. */
static const char *write_profile(struct parts parts)
{
    static char paths[3][100];
    static unsigned next;
    char *path = paths[next++ % 3];
    sprintf(path, "%s/%u.json", folder, next);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(
        file,
        "{\"format\":\"hexec-profile\",\"version\":1,\"hexec\":\"0.1.0\",\"program\":\"p\",\"inputs\":\"i\","
        "\"isa\":{\"hash\":\"h\"},\"build\":{\"type\":\"release\"},\"machine\":{\"cpu\":\"c\"},\n"
        "\"options\":{\"workers\":%s},\"metrics\":[{\"name\":\"issues\",\"unit\":\"\",\"kind\":\"exact\"},"
        "{\"name\":\"time_ns\",\"unit\":\"ns\",\"kind\":\"measured\"}],\"wall\":{\"samples_ns\":[%s]},\n"
        "\"kernels\":[{\"name\":\"k\",\"grid\":[2,1,1],\"block\":[32,1,1],\"launches\":1,\"metrics\":{%s},\n"
        "\"instructions\":[{\"line\":5,\"text\":\"%s\"}],\"lines\":[%s]}]%s}\n",
        parts.workers, parts.samples, parts.metrics, parts.text, parts.lines, parts.more);
    fclose(file);
    return path;
}

static void compare(const char *before, const char *now, double threshold)
{
    const hx_compare_options options = {.size = sizeof options, .threshold_percent = threshold};
    hx_comparison_free(comparison);
    comparison = NULL;
    ck_assert_ok(hx_compare(before, now, &options, diag, &comparison));
    ck_assert_uint_eq(hx_diag_count(diag), 0);
}

static void compare_parts(struct parts now, double threshold)
{
    const char *before = write_profile(usual);
    compare(before, write_profile(now), threshold);
}

START_TEST(conditions)
{
    struct parts now = usual;
    now.workers = "2";
    compare_parts(now, 0);
    const hx_compare_difference *difference = hx_comparison_difference_at(comparison, 0);
    ck_assert_int_eq(hx_comparison_verdict(comparison), HX_COMPARE_NOT_COMPARABLE);
    ck_assert_str_eq(difference->what, "options.workers");
    ck_assert_str_eq(difference->old_text, "1");
    ck_assert_str_eq(difference->new_text, "2");
    ck_assert_ptr_null(hx_comparison_difference_at(comparison, 1));
    ck_assert_ptr_null(hx_comparison_change_at(comparison, 0));
}
END_TEST

/* Figures of two GPUs' models differ because the GPUs do. */
START_TEST(modelled_gpu)
{
    struct parts before = usual, now = usual;
    before.metrics = "\"issues\": 64}, \"model\": {\"gpu\": \"large\"";
    now.metrics = "\"issues\": 64}, \"model\": {\"gpu\": \"small\"";
    const char *path = write_profile(before);
    compare(path, write_profile(now), 0);
    const hx_compare_difference *difference = hx_comparison_difference_at(comparison, 0);
    ck_assert_str_eq(difference->what, "kernel k, modelled GPU");
    ck_assert_str_eq(difference->new_text, "small");
    ck_assert_ptr_null(hx_comparison_difference_at(comparison, 1));
}
END_TEST

START_TEST(figures)
{
    struct parts now = usual;
    now.metrics = "\"issues\": 96, \"time_ns\": {\"value\": 12, \"low\": 11, \"high\": 13}";
    now.lines = "{\"line\": 5, \"metrics\": {\"issues\": 96}}";
    compare_parts(now, 0);
    const hx_compare_change *change = hx_comparison_change_at(comparison, 0);
    ck_assert_int_eq(hx_comparison_verdict(comparison), HX_COMPARE_SAME);
    ck_assert_str_eq(change->metric, "issues");
    ck_assert_double_eq(change->difference.value, 32);
    change = hx_comparison_change_at(comparison, 1);
    ck_assert_str_eq(change->metric, "time_ns");
    ck_assert_str_eq(change->kind, "measured");
    ck_assert_double_eq_tol(change->difference.low, 2 - hypot(12 - 11, 11 - 10), 1e-12);
    ck_assert_double_eq_tol(change->difference.high, 2 + hypot(13 - 12, 10 - 9.5), 1e-12);
    change = hx_comparison_change_at(comparison, 2);
    ck_assert_int_eq(change->scope, HX_COMPARE_LINE);
    ck_assert_str_eq(change->of, "5");
    ck_assert_ptr_null(hx_comparison_change_at(comparison, 3));
    ck_assert_uint_eq(hx_comparison_exact(comparison), 2);
    ck_assert_uint_eq(hx_comparison_measured(comparison), 1);
}
END_TEST

/* A measured figure whose interval of the difference holds 0 did not change; a line of edited code has no
 * counterpart. */
START_TEST(no_news)
{
    struct parts now = usual;
    now.metrics = "\"issues\": 64, \"time_ns\": {\"value\": 12, \"low\": 9, \"high\": 13}";
    now.lines = "{\"line\": 5, \"metrics\": {\"issues\": 96}}";
    now.text = "exit";
    compare_parts(now, 0);
    ck_assert_ptr_null(hx_comparison_change_at(comparison, 0));
}
END_TEST

/* A measured figure without an interval may be anything. */
START_TEST(no_interval)
{
    struct parts now = usual;
    now.metrics = "\"issues\": 64, \"time_ns\": {\"value\": 1000, \"low\": 1000, \"high\": 1000}";
    compare_parts(now, 0);
    ck_assert_ptr_null(hx_comparison_change_at(comparison, 0));
    ck_assert_uint_eq(hx_comparison_measured(comparison), 1);
}
END_TEST

START_TEST(unknown_figures)
{
    struct parts now = usual;
    now.metrics = "\"issues\": null, \"time_ns\": null";
    compare_parts(now, 0);
    const hx_compare_change *change = hx_comparison_change_at(comparison, 0);
    ck_assert_str_eq(change->metric, "issues");
    ck_assert(isnan(change->new_value.value));
    ck_assert_ptr_null(hx_comparison_change_at(comparison, 1));
}
END_TEST

static hx_compare_verdict verdict_of(struct parts now, double threshold)
{
    compare_parts(now, threshold);
    return hx_comparison_verdict(comparison);
}

START_TEST(verdicts)
{
    struct parts now = usual;
    ck_assert_int_eq(verdict_of(now, 1), HX_COMPARE_SAME);
    now.samples = "105, 106, 104, 105, 107"; /* two executions may differ by so much */
    ck_assert_int_eq(verdict_of(now, 5), HX_COMPARE_UNKNOWN);
    now.samples = "120, 121, 119, 120, 122";
    ck_assert_int_eq(verdict_of(now, 0), HX_COMPARE_SLOWER);
    ck_assert_int_eq(verdict_of(now, 22), HX_COMPARE_SLOWER);
    ck_assert_int_eq(verdict_of(now, 5), HX_COMPARE_REGRESSION);
    now.samples = "80, 81, 79, 80, 82";
    ck_assert_int_eq(verdict_of(now, 5), HX_COMPARE_FASTER);
    now.samples = "60, 160, 140, 40, 120"; /* the median is 20 % over, but anything may be true */
    ck_assert_int_eq(verdict_of(now, 5), HX_COMPARE_UNKNOWN);
    now.samples = "150"; /* one run does not tell */
    ck_assert_int_eq(verdict_of(now, 5), HX_COMPARE_UNKNOWN);
    now.samples = usual.samples;
    now.metrics = "\"issues\": 72, \"time_ns\": 10"; /* 12.5 % more work */
    ck_assert_int_eq(verdict_of(now, 13), HX_COMPARE_SAME);
    ck_assert_int_eq(verdict_of(now, 12), HX_COMPARE_REGRESSION);
    ck_assert_int_eq(verdict_of(now, 0), HX_COMPARE_SAME);
}
END_TEST

START_TEST(baselines)
{
    char path[100];
    struct parts slower = usual;
    slower.samples = "120, 121, 119, 120, 122";
    snprintf(path, sizeof path, "%s/baseline.json", folder);
    for (double threshold = 5; threshold < 30; threshold *= 5) { /* the second one replaces the first */
        const char *from = threshold == 5 ? write_profile(usual) : path;
        ck_assert_ok(hx_compare_save_baseline(from, path, threshold, NULL, diag));
        compare(path, write_profile(slower), 0);
        ck_assert_double_eq(hx_comparison_threshold(comparison), threshold);
        ck_assert_int_eq(hx_comparison_verdict(comparison),
                         threshold == 5 ? HX_COMPARE_REGRESSION : HX_COMPARE_SLOWER);
    }
    ck_assert_int_eq(hx_compare_save_baseline(path, path, 0, NULL, diag), HX_INVALID);
    ck_assert_int_eq(hx_compare_save_baseline(path, path, (double)NAN, NULL, diag), HX_INVALID);
}
END_TEST

static void refuse(const char *path, int line, const char *what)
{
    hx_diag_clear(diag);
    ck_assert_int_eq(hx_compare(write_profile(usual), path, NULL, diag, &comparison), HX_INVALID);
    ck_assert_ptr_null(comparison);
    const hx_diagnostic *found = hx_diag_at(diag, 0);
    ck_assert_str_eq(found->file, path);
    ck_assert_msg(found->line == line && strstr(found->message, what), "%d: %s", found->line, found->message);
}

static void refuse_text(const char *text, int line, const char *what)
{
    char path[100];
    snprintf(path, sizeof path, "%s/bad.json", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    refuse(path, line, what);
}

START_TEST(bad_files)
{
    static const struct {
        struct parts parts;
        int line;
        const char *what;
    } cases[] = {
        {{.metrics = "\"issues\": [1]"}, 0, "kernels[0].metrics.issues is neither a number nor null"},
        {{.metrics = "\"time_ns\": {\"value\": 1}"}, 0, "kernels[0].metrics.time_ns.low is missing"},
        {{.samples = "1, \"two\""}, 0, "wall.samples_ns[1] is not a number"},
        {{.lines = "{\"line\": 5, \"metrics\": {\"issues\": true}}"},
         0,
         "kernels[0].lines[0].metrics.issues"},
        {{.more = ",\"wall\": 3"}, 0, "wall is not an object"},
        {{.more = ",\"kernels\": [{}]"}, 0, "kernels[0] has no 'name'"},
        {{.samples = "1, two"}, 2, "JSON"},
        {{.samples = "1, .inf"}, 2, "JSON"},
        {{.metrics = "\"issues\": 1e999"}, 3, "JSON"},
        {{.lines = "{\"line\": 5"}, 4, "JSON"},
        {{.more = "}\n{"}, 5, "something follows the last }"},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        struct parts parts = cases[i].parts;
        parts.workers = usual.workers;
        parts.text = usual.text;
        parts.samples = parts.samples ? parts.samples : usual.samples;
        parts.metrics = parts.metrics ? parts.metrics : usual.metrics;
        parts.lines = parts.lines ? parts.lines : usual.lines;
        parts.more = parts.more ? parts.more : usual.more;
        refuse(write_profile(parts), cases[i].line, cases[i].what);
    }
    refuse_text("{\"format\":\"hexec-profile\",\n\"version\":1,", 2, "cut short");
    refuse_text("{\"format\":\n\"other\"}", 0, "its format is not");
    refuse_text("", 1, "begins with {");
}
END_TEST

/* What is more than a profile ever holds is refused before it takes much memory. */
START_TEST(bounds)
{
    static const char start[] = "{\"x\":";
    const size_t depth = 3000, many = JSON_READER_VALUES_MAX;
    char *text = memory_allocate(NULL, 2 * many + 100, 1);
    ck_assert_ptr_nonnull(text);
    strcpy(text, start);
    memset(text + strlen(start), '[', depth);
    strcpy(text + strlen(start) + depth, "}");
    refuse_text(text, 1, "maximum parsing depth");
    text[strlen(start)] = '[';
    for (size_t i = 0; i < many; i++)
        memcpy(text + strlen(start) + 1 + 2 * i, "0,", 2);
    strcpy(text + strlen(start) + 2 * many, "]}");
    refuse_text(text, 1, "more than 4 million");
    memory_free(NULL, text);
}
END_TEST

/* A seed may be any number of 64 bits, and jansson's integers have 63. */
START_TEST(large_seed)
{
    struct parts parts = usual;
    parts.workers = "1,\"seed\":18446744073709551615";
    const char *path = write_profile(parts);
    compare(path, path, 0);
}
END_TEST

START_TEST(bad_threshold)
{
    struct parts parts = usual;
    parts.more = ",\n\"threshold\": -1";
    const char *path = write_profile(parts);
    ck_assert_int_eq(hx_compare(path, path, NULL, diag, &comparison), HX_INVALID);
    ck_assert_str_eq(hx_diag_at(diag, 0)->message, "threshold is not a number of percent above 0");
}
END_TEST

START_TEST(memory)
{
    struct parts slower = usual;
    slower.samples = "110, 111, 109, 110, 112";
    slower.metrics = "\"issues\": 96, \"time_ns\": 10";
    slower.workers = "2";
    const char *before = write_profile(usual), *now = write_profile(slower);
    for (int differing = 0; differing < 2; differing++) {
        struct failing_allocator failing;
        hx_status status = HX_NO_MEMORY;
        for (size_t fail_at = 1; status != HX_OK; fail_at++) {
            failing_allocator_init(&failing, fail_at);
            const hx_compare_options options = {.size = sizeof options, .allocator = &failing.hook};
            hx_comparison *made = NULL;
            hx_diag_clear(diag);
            status = hx_compare(before, now, &options, diag, &made);
            ck_assert(status == HX_OK || status == HX_NO_MEMORY);
            hx_comparison_free(made);
            ck_assert_uint_eq(failing.live, 0);
        }
        ck_assert_uint_gt(failing.made, 5);
        slower.workers = usual.workers;
        now = write_profile(slower);
    }
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "profile compare", covers_the_truth, cores_change_their_speed, needs,
               many_figures, conditions, modelled_gpu, figures, no_news, no_interval, unknown_figures,
               verdicts, baselines, bad_files, bad_threshold, memory, bounds, large_seed)
