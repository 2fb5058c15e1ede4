/* What hexec bench prints. Numbers stand in the same order in text, JSON and CSV. */
#include "bench.h"

#include <string.h>

/* ---- Instructions: for people -------------------------------------------------------------------------- */

static void print_machine(struct text *out, const char *cpu, const char *cpu_level, uint32_t cores)
{
    text_print(out, "machine  %s, %u core%s, code for %s\n", *cpu ? cpu : "unknown processor", cores,
               cores == 1 ? "" : "s", cpu_level);
}

/* Three digits, whatever the size. */
static void print_short(struct text *out, int width, double value)
{
    if (value == 0)
        text_print(out, "%*s", width, "0");
    else
        text_print(out, "%*.*f", width,
                   value < 0.1   ? 4
                   : value < 1   ? 3
                   : value < 10  ? 2
                   : value < 100 ? 1
                                 : 0,
                   value);
}

static double lanes_per_ns(const hx_bench_point *point)
{
    return point->ns > 0 ? point->per_issue.lanes / point->ns : 0;
}

static double model_ns(const hx_bench_form *form, const hx_bench_point *point)
{
    return hx_cost_time(&form->model, 1, &point->per_issue);
}

static void print_term(struct text *out, double ns, const char *of, bool *first)
{
    if (ns == 0)
        return;
    text_print(out, "%s", *first ? "" : " + ");
    print_short(out, 0, ns);
    text_print(out, " ns%s", of);
    *first = false;
}

static void print_model(struct text *out, const hx_cost_model *model)
{
    bool first = true;
    text_print(out, "  cost: ");
    print_term(out, model->issue_ns, "", &first);
    print_term(out, model->lane_ns, " a lane", &first);
    print_term(out, model->masked_ns, " a masked lane", &first);
    print_term(out, model->sector_ns, " a sector", &first);
    print_term(out, model->conflict_ns, " a conflict", &first);
    if (first) {
        text_print(out, "too little to be measured\n");
        return;
    }
    text_print(out, "\n        R2 %.3f, off by %.0f %% at most\n", model->r2, 100 * model->largest_error);
    if (model->same_ns > 0) {
        text_print(out, "        ");
        print_short(out, 0, model->same_ns);
        text_print(out, " ns where all lanes compute the same\n");
    }
}

static void print_points(struct text *out, const hx_bench_form *form)
{
    text_print(out, "%s: %s\n", form->name, form->text);
    if (form->remark)
        text_print(out, "  %s\n", form->remark);
    text_print(out, "  %-9s %7s %5s %8s %5s %8s %7s %7s %6s %6s\n", "", "threads", "lanes", "ns/issue", "+-%",
               "ns/lane", "Glane/s", "sectors", "confl.", "model");
    for (size_t i = 0; i < form->point_count; i++) {
        const hx_bench_point *point = &form->points[i];
        const double lanes = point->per_issue.lanes;
        text_print(out, "  %-9s %7u %5.0f ", hx_bench_variant_name(point->variant), point->threads, lanes);
        print_short(out, 8, point->ns);
        text_print(out, " %5.1f ", point->ns > 0 ? 50 * (point->high - point->low) / point->ns : 0);
        print_short(out, 8, lanes > 0 ? point->ns / lanes : 0);
        print_short(out, 8, lanes_per_ns(point));
        text_print(out, " %7.0f %6.0f ", point->per_issue.sectors, point->per_issue.conflicts);
        if (point->is_fitted)
            print_short(out, 6, model_ns(form, point));
        else
            text_print(out, "%6s", "-");
        text_print(out, "%s\n", point->is_unstable ? "?" : "");
    }
    print_model(out, &form->model);
    text_print(out, "\n");
}

static const hx_bench_point *find_point(const hx_bench_form *form, hx_bench_variant variant)
{
    const hx_bench_point *widest = NULL;
    for (size_t i = 0; i < form->point_count; i++)
        if (form->points[i].variant == variant && (!widest || form->points[i].threads >= widest->threads))
            widest = &form->points[i];
    return widest;
}

/* Behind it a place for the mark of an unstable one. */
static void print_cell(struct text *out, int width, const hx_bench_point *point)
{
    if (point)
        print_short(out, width, point->ns);
    else
        text_print(out, "%*s", width, "-");
    text_append(out, point && point->is_unstable ? "?" : " ", 1);
}

static void print_rows(struct text *out, const hx_bench_report *report)
{
    text_print(out, "ns an issue: of 256 threads; each waiting for the one before; with the same\n"
                    "operands in all; at places in no order. Then the cost: ns an issue and a lane.\n\n");
    text_print(out, "%-21s %8s %8s %7s %8s %8s %8s %5s\n", "form", "256", "chain", "same", "random", "+issue",
               "+lane", "R2");
    for (size_t i = 0; i < hx_bench_form_count(report); i++) {
        const hx_bench_form form = hx_bench_form_at(report, i);
        const hx_bench_point *whole = find_point(&form, HX_BENCH_BLOCK);
        text_print(out, "%-21s ", form.name);
        print_cell(out, 8, whole ? whole : find_point(&form, HX_BENCH_GUARD));
        print_cell(out, 8, find_point(&form, HX_BENCH_CHAIN));
        print_cell(out, 7, find_point(&form, HX_BENCH_SAME));
        print_cell(out, 8, find_point(&form, HX_BENCH_RANDOM));
        print_short(out, 8, form.model.issue_ns);
        print_short(out, 9, form.model.lane_ns);
        text_print(out, " %5.2f\n", form.model.r2);
    }
    text_print(out, "\n");
}

static void print_unstable(struct text *out, const hx_bench_report *report)
{
    size_t points = 0, unstable = 0;
    for (size_t i = 0; i < hx_bench_form_count(report); i++) {
        const hx_bench_form form = hx_bench_form_at(report, i);
        for (size_t p = 0; p < form.point_count; p++, points++)
            unstable += form.points[p].is_unstable != 0;
    }
    if (unstable)
        text_print(out, "unstable %zu of %zu points (?): measure again on an idle machine\n", unstable,
                   points);
}

void bench_print_text(struct text *out, const hx_bench_report *report, bool details)
{
    const hx_cost_machine machine = hx_bench_machine(report);
    const size_t forms = hx_bench_form_count(report);
    if (!details)
        print_rows(out, report);
    for (size_t i = 0; i < forms && details; i++) {
        const hx_bench_form form = hx_bench_form_at(report, i);
        print_points(out, &form);
    }
    print_unstable(out, report);
    print_machine(out, machine.cpu, machine.cpu_level, machine.cores);
    text_print(out, "bench    %zu form%s in ", forms, forms == 1 ? "" : "s");
    text_print_duration(out, hx_bench_duration_ns(report));
    text_print(out, "\n");
}

/* ---- Instructions: for machines ------------------------------------------------------------------------ */

static void print_machine_json(struct text *out, const char *cpu, const char *cpu_level, uint32_t cores)
{
    text_print_json_key(out, "machine");
    text_append(out, "{", 1);
    text_put_string(out, "cpu", cpu);
    text_put_string(out, "cpu_level", cpu_level);
    text_put_number(out, "cores", cores);
}

static void print_point_json(struct text *out, const hx_bench_form *form, const hx_bench_point *point)
{
    text_append(out, "{", 1);
    text_put_string(out, "variant", hx_bench_variant_name(point->variant));
    text_put_number(out, "threads", point->threads);
    text_put_f64(out, "lanes", point->per_issue.lanes);
    text_put_f64(out, "masked", point->per_issue.masked);
    text_put_f64(out, "sectors", point->per_issue.sectors);
    text_put_f64(out, "conflicts", point->per_issue.conflicts);
    text_put_number(out, "runs", point->runs);
    text_put_f64(out, "ns", point->ns);
    text_put_f64(out, "low_ns", point->low);
    text_put_f64(out, "high_ns", point->high);
    text_print(out, ",\"unstable\":%s", point->is_unstable ? "true" : "false");
    text_put_f64(out, "lanes_per_second", lanes_per_ns(point) * 1e9);
    if (point->is_fitted)
        text_put_f64(out, "model_ns", model_ns(form, point));
    text_append(out, "}", 1);
}

static void print_form_json(struct text *out, const hx_bench_form *form)
{
    const hx_cost_model *model = &form->model;
    text_append(out, "{", 1);
    text_put_string(out, "form", form->name);
    text_put_string(out, "text", form->text);
    if (form->remark)
        text_put_string(out, "remark", form->remark);
    text_print_json_key(out, "points");
    text_append(out, "[", 1);
    for (size_t i = 0; i < form->point_count; i++) {
        text_print(out, i ? ",\n  " : "\n  ");
        print_point_json(out, form, &form->points[i]);
    }
    text_append(out, "]", 1);
    text_print_json_key(out, "model");
    text_append(out, "{", 1);
    text_put_f64(out, "issue_ns", model->issue_ns);
    text_put_f64(out, "lane_ns", model->lane_ns);
    text_put_f64(out, "masked_ns", model->masked_ns);
    text_put_f64(out, "sector_ns", model->sector_ns);
    text_put_f64(out, "conflict_ns", model->conflict_ns);
    text_put_f64(out, "same_ns", model->same_ns);
    text_put_number(out, "samples", model->samples);
    text_put_f64(out, "r2", model->r2);
    text_put_f64(out, "largest_error", model->largest_error);
    text_append(out, "}}", 2);
}

void bench_print_json(struct text *out, const char *isa, const hx_bench_report *report)
{
    const hx_cost_machine machine = hx_bench_machine(report);
    text_append(out, "{", 1);
    text_put_string(out, "benchmark", "isa");
    text_put_string(out, "isa", isa);
    print_machine_json(out, machine.cpu, machine.cpu_level, machine.cores);
    text_put_number(out, "gang", machine.gang_lanes);
    text_append(out, "}", 1);
    text_put_number(out, "duration_ns", hx_bench_duration_ns(report));
    text_print_json_key(out, "forms");
    text_append(out, "[", 1);
    for (size_t i = 0; i < hx_bench_form_count(report); i++) {
        const hx_bench_form form = hx_bench_form_at(report, i);
        text_print(out, i ? ",\n" : "\n");
        print_form_json(out, &form);
    }
    text_print(out, "]}\n");
}

static void print_csv_number(struct text *out, double value)
{
    text_append(out, ",", 1);
    text_print_f64(out, value);
}

void bench_print_csv(struct text *out, const hx_bench_report *report)
{
    text_print(
        out, "form,variant,threads,lanes,masked,sectors,conflicts,runs,ns,low_ns,high_ns,lanes_per_second,"
             "model_ns,issue_ns,lane_ns,masked_ns,sector_ns,conflict_ns,same_ns,r2,largest_error,unstable\n");
    for (size_t i = 0; i < hx_bench_form_count(report); i++) {
        const hx_bench_form form = hx_bench_form_at(report, i);
        for (size_t k = 0; k < form.point_count; k++) {
            const hx_bench_point *point = &form.points[k];
            const double numbers[] = {point->per_issue.lanes,
                                      point->per_issue.masked,
                                      point->per_issue.sectors,
                                      point->per_issue.conflicts,
                                      point->runs,
                                      point->ns,
                                      point->low,
                                      point->high,
                                      lanes_per_ns(point) * 1e9,
                                      model_ns(&form, point),
                                      form.model.issue_ns,
                                      form.model.lane_ns,
                                      form.model.masked_ns,
                                      form.model.sector_ns,
                                      form.model.conflict_ns,
                                      form.model.same_ns,
                                      form.model.r2,
                                      form.model.largest_error,
                                      point->is_unstable};
            text_print(out, "%s,%s,%u", form.name, hx_bench_variant_name(point->variant), point->threads);
            for (size_t n = 0; n < HX_COUNT_OF(numbers); n++)
                print_csv_number(out, numbers[n]);
            text_print(out, "\n");
        }
    }
}

/* ---- The host ------------------------------------------------------------------------------------------ */

static void print_rate(struct text *out, const char *name, const hx_host_rate *rate)
{
    text_print(out, "%-28s ", name);
    print_short(out, 10, rate->one / 1e9);
    print_short(out, 11, rate->all / 1e9);
    text_print(out, "\n");
}

void bench_print_host_text(struct text *out, const hx_host_peaks *peaks)
{
    text_print(out, "%-28s %10s %10s\n", "10^9 a second", "one core", "all");
    print_rate(out, "f32 operations", &peaks->f32_flops);
    print_rate(out, "f64 operations", &peaks->f64_flops);
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        const hx_host_memory *memory = &peaks->memory[level];
        for (int way = 0; way < HX_HOST_WAYS && memory->bytes > 0; way++) {
            struct text name HX_AUTO(text_done) = {0};
            text_print(&name, "%s %s, bytes", hx_host_level_name((hx_host_level)level),
                       hx_host_way_name((hx_host_way)way));
            print_rate(out, name.at ? name.at : "", &memory->rates[way]);
        }
    }
    text_print(out, "\nL1, L2, L3 and DRAM are measured over");
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        text_print(out, level ? ", " : " ");
        text_print_size(out, peaks->memory[level].bytes);
    }
    text_print(out, " a core.\n");
    if (peaks->is_dram_cached)
        text_print(out, "The third-level cache is large enough to hold what DRAM was measured with.\n");
    print_machine(out, peaks->cpu, peaks->cpu_level, peaks->cores);
    text_print(out, "bench    ");
    text_print_duration(out, peaks->duration_ns);
    text_print(out, "\n");
}

static void print_rate_json(struct text *out, const char *name, const hx_host_rate *rate)
{
    text_print_json_key(out, name);
    text_append(out, "{", 1);
    text_put_f64(out, "one", rate->one);
    text_put_f64(out, "all", rate->all);
    text_append(out, "}", 1);
}

void bench_print_host_json(struct text *out, const hx_host_peaks *peaks)
{
    text_append(out, "{", 1);
    text_put_string(out, "benchmark", "host");
    print_machine_json(out, peaks->cpu, peaks->cpu_level, peaks->cores);
    text_append(out, "}", 1);
    text_put_number(out, "duration_ns", peaks->duration_ns);
    print_rate_json(out, "f32_flops", &peaks->f32_flops);
    print_rate_json(out, "f64_flops", &peaks->f64_flops);
    text_print_json_key(out, "memory");
    text_append(out, "{", 1);
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        const hx_host_memory *memory = &peaks->memory[level];
        if (memory->bytes == 0)
            continue;
        text_print_json_key(out, hx_host_level_name((hx_host_level)level));
        text_append(out, "{", 1);
        text_put_number(out, "bytes", memory->bytes);
        text_put_number(out, "cache_bytes", memory->size_bytes);
        for (int way = 0; way < HX_HOST_WAYS; way++)
            print_rate_json(out, hx_host_way_name((hx_host_way)way), &memory->rates[way]);
        text_append(out, "}", 1);
    }
    text_print(out, "},\"is_dram_cached\":%s}\n", peaks->is_dram_cached ? "true" : "false");
}

static void print_rate_csv(struct text *out, const char *what, const char *way, uint64_t bytes,
                           const hx_host_rate *rate)
{
    text_print(out, "%s,%s,%llu", what, way, (unsigned long long)bytes);
    print_csv_number(out, rate->one);
    print_csv_number(out, rate->all);
    text_print(out, "\n");
}

void bench_print_host_csv(struct text *out, const hx_host_peaks *peaks)
{
    text_print(out, "what,way,bytes,one_per_second,all_per_second\n");
    print_rate_csv(out, "f32", "flops", 0, &peaks->f32_flops);
    print_rate_csv(out, "f64", "flops", 0, &peaks->f64_flops);
    for (int level = 0; level < HX_HOST_LEVELS; level++)
        for (int way = 0; way < HX_HOST_WAYS && peaks->memory[level].bytes > 0; way++)
            print_rate_csv(out, hx_host_level_name((hx_host_level)level), hx_host_way_name((hx_host_way)way),
                           peaks->memory[level].bytes, &peaks->memory[level].rates[way]);
}
