/* The benchmark of an instruction set.
 *
 * Goes over the forms, makes each one's kernels, measures its points and fits its cost. The table of points
 * is here: how many lanes, in which way, going where. */
#include "bench/bench.h"

#include "base/machine.h"
#include "costs/costs.h"
#include "exec/kernel.h"
#include "vectors/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS            7u
#define RUNS_MOST       31u
#define RUNS_QUICK      7u
#define RUNS_QUICK_MOST 21u
#define SAMPLE_NS       150000u
#define SAMPLE_QUICK    50000u
#define DIGITS          5 /* that a coefficient keeps: more would be noise */
#define DIVERGED_LANES  (SUBJECT_BLOCK / 2)

struct hx_bench_report {
    struct bench bench;
    char *isa_name;
};

/* Of each kind of kernel the points, in the order in which they are reported. */
static const struct point_row {
    hx_bench_variant variant;
    enum frame_kind kind;
    uint32_t threads, active;
    bool is_scattered, is_quick;
} point_rows[] = {
    {HX_BENCH_BLOCK, FRAME_PLAIN, 1, 1, false, false},
    {HX_BENCH_BLOCK, FRAME_PLAIN, 8, 8, false, false},
    {HX_BENCH_BLOCK, FRAME_PLAIN, 32, 32, false, true},
    {HX_BENCH_BLOCK, FRAME_PLAIN, 64, 64, false, false},
    {HX_BENCH_BLOCK, FRAME_PLAIN, 128, 128, false, false},
    {HX_BENCH_BLOCK, FRAME_PLAIN, 256, 256, false, true},
    {HX_BENCH_GUARD, FRAME_GUARDED, 256, 1, false, false},
    {HX_BENCH_GUARD, FRAME_GUARDED, 256, 8, false, false},
    {HX_BENCH_GUARD, FRAME_GUARDED, 256, 32, false, false},
    {HX_BENCH_GUARD, FRAME_GUARDED, 256, 64, false, true},
    {HX_BENCH_GUARD, FRAME_GUARDED, 256, 128, false, false},
    {HX_BENCH_DIVERGED, FRAME_DIVERGED, 256, 256, false, true},
    {HX_BENCH_SAME, FRAME_SAME, 256, 256, false, true},
    {HX_BENCH_CHAIN, FRAME_CHAIN, 256, 256, false, true},
    {HX_BENCH_STRIDED, FRAME_STRIDED, 256, 256, false, true},
    {HX_BENCH_RANDOM, FRAME_SCATTERED, 32, 32, true, false},
    {HX_BENCH_RANDOM, FRAME_SCATTERED, 256, 256, true, true},
    {HX_BENCH_BROADCAST, FRAME_SCATTERED, 256, 256, false, true},
};
#define POINTS_MAX HX_COUNT_OF(point_rows)

/* ---- One form ------------------------------------------------------------------------------------------ */

static bool is_wanted(const struct bench *bench, const struct subject *subject, const struct point_row *row)
{
    /* threads that arrive at a barrier do so by whole warps (PTX ISA, barrier) */
    return (row->is_quick || !bench->options.quick) &&
           (subject->semantic != SEM_barrier_arrive || row->threads % 32 == 0) &&
           (subject->way != WAY_NEVER || row->is_quick);
}

/* Not all that has the same operands is: then there is no point of it. */
static bool is_computed_once(const struct frame *frame)
{
    uint32_t first = 0;
    while (!frame->is_subject[first])
        first++;
    return costs_computed_once(kernel_lowered(frame->kernel), first);
}

static hx_status measure_kind(struct bench *bench, const struct subject *subject, enum frame_kind kind,
                              hx_bench_point *points, size_t *point_count)
{
    struct frame full = {0}, empty = {0};
    const bool is_block = subject->way == WAY_BLOCK; /* it is its own empty kernel */
    hx_status status = frame_init(&full, subject, kind, true, bench->built_in, bench->allocator, bench->diag);
    if (status == HX_OK && !bench->options.dry && !is_block)
        status = frame_init(&empty, subject, kind, false, bench->built_in, bench->allocator, bench->diag);
    const bool tells_nothing = status == HX_OK && kind == FRAME_SAME && !is_computed_once(&full);
    for (size_t i = 0; i < POINTS_MAX && status == HX_OK && !bench->options.dry && !tells_nothing; i++) {
        const struct point_row *row = &point_rows[i];
        if (row->kind != kind || !is_wanted(bench, subject, row))
            continue;
        uint32_t control[CONTROL_WORDS] = {[CONTROL_ACTIVE] = subject->way == WAY_NEVER ? 0 : row->active,
                                           [CONTROL_MASK] = row->is_scattered ? frame_mask(subject) : 0};
        hx_bench_point *point = &points[(*point_count)++];
        *point = (hx_bench_point){.variant = row->variant, .threads = row->threads};
        status = measure_point(bench, subject, &full, is_block ? &full : &empty, control, point);
    }
    frame_done(&full, bench->allocator);
    frame_done(&empty, bench->allocator);
    return status;
}

static double rounded(double value)
{
    if (value == 0 || !isfinite(value))
        return value;
    const double scale = pow(10, DIGITS - 1 - floor(log10(fabs(value))));
    return round(value * scale) / scale;
}

static bool is_of_the_model(hx_bench_variant variant)
{
    return variant != HX_BENCH_SAME && variant != HX_BENCH_CHAIN && variant != HX_BENCH_DIVERGED;
}

static void fit(hx_bench_form *form, hx_bench_point *points, size_t count)
{
    hx_cost_sample samples[POINTS_MAX];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].variant == HX_BENCH_SAME)
            form->model.same_ns = points[i].ns;
        points[i].is_fitted = points[i].ns > 0 && is_of_the_model(points[i].variant);
        if (points[i].is_fitted)
            samples[used++] = points[i].per_issue;
    }
    const double same_ns = form->model.same_ns;
    if (hx_cost_fit(samples, used, &form->model) != HX_OK)
        form->model = (hx_cost_model){0}; /* too short to be distinguished from the loop: no time above 0 */
    form->model.same_ns = same_ns;
    double *const numbers[] = {&form->model.issue_ns,  &form->model.lane_ns,      &form->model.masked_ns,
                               &form->model.sector_ns, &form->model.conflict_ns,  &form->model.same_ns,
                               &form->model.r2,        &form->model.largest_error};
    for (size_t i = 0; i < HX_COUNT_OF(numbers); i++)
        *numbers[i] = rounded(*numbers[i]);
}

static hx_status keep_form(struct bench *bench, const struct subject *subject, const hx_bench_point *points,
                           size_t count)
{
    hx_bench_form form = {.name = arena_copy(&bench->arena, subject->name, strlen(subject->name)),
                          .text = arena_copy(&bench->arena, subject->text.at, subject->text.length),
                          .remark = subject->remark,
                          .point_count = count};
    hx_bench_point *kept = ARENA_ARRAY(&bench->arena, hx_bench_point, count);
    if (!form.name || !form.text || !kept)
        return diag_no_memory(bench->diag);
    if (count > 0)
        memcpy(kept, points, count * sizeof *kept);
    form.points = kept;
    fit(&form, kept, count);
    return LIST_PUSH(bench->allocator, &bench->forms, form) ? HX_OK : diag_no_memory(bench->diag);
}

static hx_status measure_form(struct bench *bench, const struct instruction *form)
{
    hx_bench_point points[POINTS_MAX];
    size_t count = 0;
    struct subject subject;
    hx_status status = subject_init(&subject, bench->isa, form, bench->allocator, bench->diag);
    for (int kind = 0; kind < FRAME_KINDS && status == HX_OK; kind++)
        if (frame_fits(&subject, (enum frame_kind)kind))
            status = measure_kind(bench, &subject, (enum frame_kind)kind, points, &count);
    if (status == HX_OK)
        status = keep_form(bench, &subject, points, count);
    subject_done(&subject);
    return status;
}

/* ---- Which forms --------------------------------------------------------------------------------------- */

enum filter_mode { FILTER_FORM, FILTER_MNEMONIC, FILTER_PART, FILTER_NONE };

static bool fits_filter(const char *filter, enum filter_mode mode, const struct instruction *form)
{
    char name[HX_COST_FORM_BYTES];
    instruction_form(form, name, sizeof name);
    return mode == FILTER_FORM       ? strcmp(name, filter) == 0
           : mode == FILTER_MNEMONIC ? strcmp(form->opcode->mnemonic, filter) == 0
           : mode == FILTER_PART     ? strstr(name, filter) != NULL
                                     : !filter;
}

struct walk {
    struct bench *bench;
    enum filter_mode mode;
};

static hx_status count_form(void *user, const struct instruction *form)
{
    struct walk *walk = user;
    walk->bench->wanted += fits_filter(walk->bench->options.filter, walk->mode, form);
    return HX_OK;
}

/* The first way to read the filter in which it means something. */
static hx_status choose_forms(struct walk *walk)
{
    struct bench *bench = walk->bench;
    for (walk->mode = bench->options.filter ? FILTER_FORM : FILTER_NONE;; walk->mode++) {
        const hx_status status = coverage_each_form(bench->isa, count_form, walk);
        if (status != HX_OK || bench->wanted > 0)
            return status;
        if (walk->mode >= FILTER_PART)
            break;
    }
    char space[TEXT_HINT_BYTES];
    const char *near = text_suggest(slice_of(bench->options.filter), isa_name_at, (void *)bench->isa);
    const char *hint = text_did_you_mean(near, space);
    return diag_report(bench->diag, DIAG_BENCH_FILTER, (struct place){0},
                       hint ? hint : "hexec isa lists the opcodes and their types",
                       "no form of instruction set '%s' has '%s' in its name", bench->isa->name,
                       bench->options.filter ? bench->options.filter : "");
}

static void free_diag(hx_diag **diag)
{
    hx_diag_free(*diag);
}

/* Warnings about a benchmark's kernel are not reported; errors are. */
static hx_status run_form(void *user, const struct instruction *form)
{
    struct walk *walk = user;
    struct bench *bench = walk->bench;
    hx_diag *own HX_AUTO(free_diag) = NULL, *const outer = bench->diag;
    if (!fits_filter(bench->options.filter, walk->mode, form))
        return HX_OK;
    char name[HX_COST_FORM_BYTES];
    instruction_form(form, name, sizeof name);
    hx_status status = bench->options.progress
                           ? bench->options.progress(bench->options.user, bench->done, bench->wanted, name)
                           : HX_OK;
    if (status != HX_OK || (status = hx_diag_new(bench->allocator, &own)) != HX_OK)
        return status;
    bench->diag = own;
    status = measure_form(bench, form);
    bench->diag = outer;
    bench->done++;
    if (status == HX_OK)
        return HX_OK;
    diag_append(outer, own);
    if (status != HX_NO_MEMORY && status != HX_INTERRUPTED)
        diag_report(outer, DIAG_BENCH_FORM, (struct place){0}, NULL, "the benchmark of %s could not be run",
                    name);
    return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static hx_status open_device(struct bench *bench)
{
    const hx_device_options options = {.size = sizeof options,
                                       .allocator = bench->allocator,
                                       .workers = 1,
                                       .cpu_level = bench->options.cpu_level};
    hx_status status = hx_device_new(&options, bench->diag, &bench->device);
    for (int i = 0; i < FRAME_BUFFERS && status == HX_OK; i++) {
        status = hx_buffer_new(bench->device, frame_buffer_names[i], frame_buffer_bytes((enum frame_buffer)i),
                               HX_ACCESS_READWRITE, bench->diag, &bench->buffers[i]);
        if (status == HX_OK)
            frame_fill((enum frame_buffer)i, hx_buffer_data(bench->buffers[i]));
    }
    if (status != HX_OK)
        return status;
    machine_cpu_name(bench->machine.cpu);
    snprintf(bench->machine.cpu_level, sizeof bench->machine.cpu_level, "%s",
             hx_device_cpu_level(bench->device));
    bench->machine.cores = (uint32_t)machine_cores();
    return HX_OK;
}

static hx_status run_all(struct bench *bench)
{
    struct walk walk = {.bench = bench};
    hx_status status = hx_isa_load(NULL, bench->allocator, bench->diag, &bench->own_isa);
    bench->built_in = bench->own_isa;
    if (status == HX_OK)
        status = open_device(bench);
    if (status == HX_OK)
        status = choose_forms(&walk);
    if (status == HX_OK)
        status = coverage_each_form(bench->isa, run_form, &walk);
    if (bench->options.progress && status == HX_OK)
        status = bench->options.progress(bench->options.user, bench->done, bench->wanted, "");
    hx_device_free(bench->device);
    hx_isa_free(bench->own_isa);
    return status;
}

hx_status hx_bench_run(const hx_isa *isa, const hx_bench_options *options, hx_diag *diag,
                       hx_bench_report **ret_report)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_report);
    diag_step(diag, "while measuring instructions", NULL, 0, (struct place){0});
    const uint64_t start = machine_now_ns();
    hx_bench_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    hx_bench_report *report = memory_allocate(asked.allocator, 1, sizeof *report);
    if (!report)
        return diag_no_memory(diag);
    struct bench *bench = &report->bench;
    *bench = (struct bench){.isa = isa,
                            .allocator = asked.allocator,
                            .options = asked,
                            .runs = asked.runs    ? asked.runs
                                    : asked.quick ? RUNS_QUICK
                                                  : RUNS,
                            .runs_most = asked.runs    ? asked.runs
                                         : asked.quick ? RUNS_QUICK_MOST
                                                       : RUNS_MOST,
                            .sample_ns = asked.quick ? SAMPLE_QUICK : SAMPLE_NS,
                            .diag = diag};
    arena_init(&bench->arena, asked.allocator);
    report->isa_name = arena_copy(&bench->arena, isa->name, strlen(isa->name));
    const hx_status status = report->isa_name ? run_all(bench) : diag_no_memory(diag);
    bench->duration_ns = machine_now_ns() - start;
    *ret_report = report;
    return status;
}

void hx_bench_report_free(hx_bench_report *report)
{
    if (!report)
        return;
    const hx_allocator *allocator = report->bench.allocator;
    LIST_DONE(allocator, &report->bench.forms);
    arena_done(&report->bench.arena);
    memory_free(allocator, report);
}

size_t hx_bench_form_count(const hx_bench_report *report)
{
    if (!report)
        return 0;
    return report->bench.forms.count;
}

hx_bench_form hx_bench_form_at(const hx_bench_report *report, size_t index)
{
    if (!report)
        return (hx_bench_form){0};
    return index < report->bench.forms.count ? report->bench.forms.items[index] : (hx_bench_form){0};
}

hx_cost_machine hx_bench_machine(const hx_bench_report *report)
{
    if (!report)
        return (hx_cost_machine){0};
    return report->bench.machine;
}

uint64_t hx_bench_duration_ns(const hx_bench_report *report)
{
    if (!report)
        return 0;
    return report->bench.duration_ns;
}

hx_status hx_bench_costs(const hx_bench_report *report, hx_costs **ret_costs)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, report);
    DIAG_REQUIRE(NULL, ret_costs);
    const struct bench *bench = &report->bench;
    hx_costs *costs = NULL;
    hx_status status = hx_costs_new(report->isa_name, &bench->machine, bench->allocator, &costs);
    for (size_t i = 0; i < bench->forms.count && status == HX_OK; i++)
        if (bench->forms.items[i].model.samples > 0)
            status = hx_costs_add(costs, bench->forms.items[i].name, &bench->forms.items[i].model);
    if (status == HX_OK)
        *ret_costs = costs;
    else
        hx_costs_free(costs);
    return status;
}

#define NAME(NAME, name, text) name,
#define TEXT(NAME, name, text) text,
const char *hx_bench_variant_name(hx_bench_variant variant)
{
    static const char *const names[] = {HX_BENCH_VARIANT_LIST(NAME)};
    return (unsigned)variant < HX_COUNT_OF(names) ? names[variant] : "?";
}

const char *hx_bench_variant_text(hx_bench_variant variant)
{
    static const char *const texts[] = {HX_BENCH_VARIANT_LIST(TEXT)};
    return (unsigned)variant < HX_COUNT_OF(texts) ? texts[variant] : "?";
}
