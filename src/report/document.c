/* The profile as a JSON document, "hexec-profile" version 1.
 *
 * Takes a finished profile, leaves text, piece by piece: a document of a large kernel has some megabytes, so
 * it is handed on whenever some of it has gathered. What a metric is, stands once, in the document's own
 * table; where it has no value there is null, and beside it `why` says for which and why. */
#include "base/json.h"
#include "profile/metrics.h"
#include "profile/modelled.h"
#include "profile/predict.h"
#include "program/limits.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PIECE_BYTES 65536

struct document {
    struct json json;
    struct text text;
    const hx_profile *profile;
    hx_write_function write;
    void *user;
    hx_status status;
};

static void flush(struct document *document, size_t least)
{
    struct text *text = &document->text;
    if (text->failed)
        document->status = HX_NO_MEMORY;
    if (document->status != HX_OK || text->length < least || text->length == 0)
        return;
    document->status = document->write(document->user, text->at, text->length);
    text->length = 0;
}

static void put_string(struct json *json, const char *key, const char *value)
{
    json_key(json, key);
    if (value)
        json_str(json, value);
    else
        json_none(json);
}

static void put_shape(struct json *json, const char *key, const uint32_t shape[3])
{
    json_member_array(json, key);
    for (int i = 0; i < 3; i++)
        json_u64(json, shape[i]);
    json_close_array(json);
}

static void put_value(struct json *json, const hx_metric *metric, const hx_metric_value *value)
{
    json_key(json, metric->name);
    if (value->why) {
        json_none(json);
    } else if (metric->kind == HX_METRIC_MEASURED) {
        json_open_object(json);
        json_member_f64(json, "value", value->value);
        json_member_f64(json, "low", value->low);
        json_member_f64(json, "high", value->high);
        json_close_object(json);
    } else {
        json_f64(json, value->value);
    }
}

static void put_metrics(struct document *document, hx_profile_scope scope, const struct measure *measure)
{
    struct json *json = &document->json;
    const hx_metric *metric;
    bool has_why = false;
    json_member_object(json, "metrics");
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        if (!(metric->scopes & (uint32_t)scope))
            continue;
        const hx_metric_value value = metrics_value(m, measure);
        has_why |= value.why != NULL;
        put_value(json, metric, &value);
    }
    json_close_object(json);
    if (has_why) {
        json_member_object(json, "why");
        for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
            const hx_metric_value value =
                metric->scopes & (uint32_t)scope ? metrics_value(m, measure) : (hx_metric_value){0};
            if (value.why)
                put_string(json, metric->name, value.why);
        }
        json_close_object(json);
    }
    flush(document, PIECE_BYTES);
}

static void put_instructions(struct document *document, const struct profile_kernel *kernel)
{
    struct json *json = &document->json;
    json_member_array(json, "instructions");
    for (size_t pc = 0; pc < kernel->view.instructions; pc++) {
        const hx_profile_instruction *one = &kernel->instructions[pc];
        json_open_object(json);
        json_member_u64(json, "pc", pc);
        json_member_u64(json, "line", one->line);
        json_member_u64(json, "column", one->column);
        put_string(json, "text", one->text);
        put_string(json, "opcode", one->opcode);
        put_string(json, "form", one->form);
        put_string(json, "class", one->class_name);
        put_string(json, "span", one->span);
        put_string(json, "fidelity", one->fidelity);
        json_member_u64(json, "function", one->function);
        put_metrics(document, HX_SCOPE_INSTRUCTION, &kernel->instruction_measures[pc]);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_sums(struct document *document, const char *key, hx_profile_scope scope,
                     const hx_profile_sum *sums, const struct measure *measures, size_t count)
{
    struct json *json = &document->json;
    json_member_array(json, key);
    for (size_t i = 0; i < count; i++) {
        json_open_object(json);
        if (scope == HX_SCOPE_LINE)
            json_member_u64(json, "line", sums[i].line);
        else
            put_string(json, "form", sums[i].form);
        json_member_u64(json, "instructions", sums[i].instructions);
        put_metrics(document, scope, &measures[i]);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_functions(struct json *json, const struct profile_kernel *kernel)
{
    json_member_array(json, "functions");
    for (size_t f = 0; f < kernel->view.functions; f++) {
        json_open_object(json);
        put_string(json, "name", kernel->functions[f].name);
        json_member_u64(json, "entry", kernel->functions[f].entry);
        json_member_u64(json, "line", kernel->functions[f].line);
        json_close_object(json);
    }
    json_close_array(json);
}

/* Warp issues by the way that their lanes went. */
static void put_branches(struct json *json, const struct profile_kernel *kernel)
{
    json_member_array(json, "branches");
    for (size_t pc = 0; pc < kernel->view.instructions; pc++) {
        const hx_profile_instruction *one = &kernel->instructions[pc];
        if (!one->is_conditional)
            continue;
        const hx_instruction_profile *counts = &one->counts;
        const uint64_t other = counts->warps_partial + counts->warps_none;
        json_open_object(json);
        json_member_u64(json, "pc", pc);
        json_member_u64(json, "line", one->line);
        json_member_u64(json, "taken", counts->warps > other ? counts->warps - other : 0);
        json_member_u64(json, "not_taken", counts->warps_none);
        json_member_u64(json, "both", counts->warps_partial);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_histograms(struct json *json, const struct profile_kernel *kernel)
{
    json_member_array(json, "histograms");
    for (size_t i = 0; i < kernel->view.opcodes; i++) {
        const uint32_t *histogram = kernel->opcode_measures[i].counts.histogram;
        json_open_object(json);
        put_string(json, "form", kernel->opcodes[i].form);
        json_member_array(json, "buckets");
        for (int bucket = 0; bucket < HX_TIME_BUCKETS; bucket++) {
            if (!histogram[bucket])
                continue;
            json_open_array(json);
            json_f64(json, samples_bucket_ns(bucket));
            json_u64(json, histogram[bucket]);
            json_close_array(json);
        }
        json_close_array(json);
        json_close_object(json);
    }
    json_close_array(json);
}

/* Of the modelled GPU's memory; none where none was modelled. */
static void put_buffers(struct document *document, const struct profile_kernel *kernel)
{
    struct json *json = &document->json;
    json_member_array(json, "buffers");
    for (size_t i = 0; i < kernel->view.buffers; i++) {
        json_open_object(json);
        put_string(json, "name", document->profile->buffer_names[i]);
        json_member_u64(json, "bytes", document->profile->buffer_bytes[i]);
        put_metrics(document, HX_SCOPE_BUFFER, &kernel->buffer_measures[i]);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_kernels(struct document *document)
{
    struct json *json = &document->json;
    json_member_array(json, "kernels");
    for (size_t k = 0; k < document->profile->kernel_count; k++) {
        const struct profile_kernel *kernel = &document->profile->kernels[k];
        json_open_object(json);
        put_string(json, "name", kernel->view.name);
        put_string(json, "file", kernel->view.file);
        json_member_u64(json, "line", kernel->view.line);
        json_member_u64(json, "launches", kernel->view.launches);
        put_shape(json, "grid", kernel->view.grid);
        put_shape(json, "block", kernel->view.block);
        json_member_u64(json, "registers", kernel->view.registers);
        json_member_u64(json, "shared_bytes", kernel->view.shared_bytes);
        put_metrics(document, HX_SCOPE_KERNEL, &kernel->whole);
        put_functions(json, kernel);
        put_instructions(document, kernel);
        put_sums(document, "lines", HX_SCOPE_LINE, kernel->lines, kernel->line_measures, kernel->view.lines);
        put_sums(document, "opcodes", HX_SCOPE_OPCODE, kernel->opcodes, kernel->opcode_measures,
                 kernel->view.opcodes);
        put_buffers(document, kernel);
        report_put_model(document->profile, kernel, json);
        put_branches(json, kernel);
        put_histograms(json, kernel);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_hints(struct document *document)
{
    struct json *json = &document->json;
    const hx_profile *profile = document->profile;
    json_member_array(json, "hints");
    for (size_t i = 0; i < profile->hints.count; i++) {
        const hx_profile_hint *hint = &profile->hints.items[i];
        json_open_object(json);
        put_string(json, "kernel", profile->kernels[hint->kernel].view.name);
        json_member_u64(json, "line", hint->line);
        put_string(json, "rule", hint->rule);
        put_string(json, "text", hint->text);
        json_member_f64(json, "share", hint->share);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_worker(struct json *json, uint32_t number, const hx_worker_profile *worker)
{
    json_open_object(json);
    json_member_u64(json, "worker", number);
    json_member_u64(json, "blocks", worker->blocks);
    json_member_f64(json, "wall_ns", worker->wall_ns);
    json_member_f64(json, "instructions_ns", worker->running_ns);
    json_member_f64(json, "scheduling_ns", worker->scheduling_ns);
    json_member_f64(json, "instrumentation_ns", worker->instrumentation_ns);
    json_member_f64(json, "idle_ns", worker->idle_ns);
    json_member_f64(json, "off_core_ns", worker->off_core_ns);
    json_close_object(json);
}

/* [worker, block, start_ns, end_ns] */
static void put_blocks(struct document *document, const struct profile_launch *launch)
{
    struct json *json = &document->json;
    json_member_array(json, "blocks");
    for (size_t i = 0; i < launch->block_count; i++) {
        const struct profile_block *block = &launch->blocks[i];
        json_open_array(json);
        json_u64(json, block->worker);
        json_u64(json, block->block);
        json_f64(json, block->start_ns);
        json_f64(json, block->end_ns);
        json_close_array(json);
    }
    json_close_array(json);
    json_member_u64(json, "blocks_shown", launch->block_count);
    json_member_u64(json, "blocks_total", launch->view.blocks);
    flush(document, PIECE_BYTES);
}

static void put_launches(struct document *document)
{
    struct json *json = &document->json;
    const hx_profile *profile = document->profile;
    json_member_array(json, "launches");
    for (size_t i = 0; i < profile->launches.count; i++) {
        const struct profile_launch *launch = &profile->launches.items[i];
        json_open_object(json);
        put_string(json, "kernel", profile->kernels[launch->view.kernel].view.name);
        put_shape(json, "grid", launch->view.grid);
        put_shape(json, "block", launch->view.block);
        json_member_u64(json, "threads", launch->view.threads);
        put_metrics(document, HX_SCOPE_LAUNCH, &launch->whole);
        json_member_array(json, "workers");
        for (uint32_t w = 0; w < launch->worker_count; w++)
            put_worker(json, w, &launch->workers[w]);
        json_close_array(json);
        put_blocks(document, launch);
        json_close_object(json);
    }
    json_close_array(json);
    json_member_u64(json, "launches_left_out", profile->launches_left_out);
}

static void put_head(struct document *document)
{
    struct json *json = &document->json;
    const hx_profile *profile = document->profile;
    char hash[16];
    snprintf(hash, sizeof hash, "%08" PRIx32, profile->isa_crc);
    put_string(json, "format", "hexec-profile");
    json_member_u64(json, "version", 1);
    put_string(json, "hexec", HX_VERSION);
    put_string(json, "status", hx_status_name(profile->status));
    put_string(json, "program", profile->program);
    put_string(json, "file", profile->file);
    json_member_object(json, "isa");
    put_string(json, "name", profile->isa);
    put_string(json, "hash", hash);
    json_close_object(json);
    put_string(json, "inputs", profile->inputs);
    json_member_object(json, "build");
    put_string(json, "compiler", profile->compiler);
    put_string(json, "type", profile->build_type);
    json_close_object(json);
    json_member_object(json, "machine");
    put_string(json, "cpu", profile->cpu);
    json_member_u64(json, "cores", (uint64_t)profile->cores);
    put_string(json, "cpu_level", profile->cpu_level);
    put_string(json, "timer", profile->timer_is_tsc ? "tsc" : "clock");
    json_close_object(json);
}

static void put_options(struct document *document)
{
    struct json *json = &document->json;
    const hx_profile *profile = document->profile;
    const hx_launch_options *launch = &profile->options.launch;
    json_member_object(json, "options");
    json_member_u64(json, "workers", profile->result.workers);
    json_member_u64(json, "warp_size", limits_warp_size(launch->warp_size));
    json_member_u64(json, "gang", profile->result.gang_lanes);
    json_member_u64(json, "workers_least", profile->result.workers_least);
    json_member_u64(json, "gang_least", profile->result.gang_lanes_least);
    json_member_u64(json, "seed", launch->seed);
    json_member_u64(json, "repeat", profile->options.repeat ? profile->options.repeat : 1);
    json_member_u64(json, "runs", profile->run_ns.count);
    json_member_u64(json, "timed_runs", profile->timed_passes);
    json_member_f64(json, "time_scale", profile->time_scale);
    json_close_object(json);
}

static void put_source(struct document *document)
{
    struct json *json = &document->json;
    json_member_array(json, "source");
    for (size_t s = 0; s < document->profile->sources.count; s++) {
        const struct profile_source_text *source = document->profile->sources.items[s];
        if (source->line_count == 0)
            continue;
        json_open_object(json);
        put_string(json, "file", source->name);
        json_member_array(json, "lines");
        for (size_t i = 0; i < source->line_count; i++)
            json_str(json, source->lines[i]);
        json_close_array(json);
        json_close_object(json);
    }
    json_close_array(json);
    flush(document, PIECE_BYTES);
}

static void put_table(struct document *document)
{
    struct json *json = &document->json;
    const hx_metric *metric;
    json_member_array(json, "metrics");
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        json_open_object(json);
        put_string(json, "name", metric->name);
        put_string(json, "unit", metric->unit);
        put_string(json, "kind", hx_metric_kind_name(metric->kind));
        put_string(json, "formula", metric->formula);
        put_string(json, "help", metric->help);
        put_string(json, "ncu", metric->ncu);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_precision(struct json *json, const hx_profile *profile)
{
    static const char *const ends[] = {"narrow", "time", "runs", "stopped"};
    const hx_profile_precision found = hx_profile_precision_of(profile);
    json_member_object(json, "precision");
    json_member_f64(json, "wanted_percent", found.wanted_percent);
    json_member_f64(json, "reached_percent", found.reached_percent);
    json_member_f64(json, "others_percent", found.others_percent);
    json_member_f64(json, "loop_ns", found.loop_ns);
    json_member_f64(json, "slowed_percent", found.slowed_percent);
    put_string(json, "end", ends[found.end]);
    json_close_object(json);
}

static void put_wall(struct document *document)
{
    struct json *json = &document->json;
    const hx_profile *profile = document->profile;
    struct profile_part parts[PROFILE_PARTS];
    json_member_object(json, "wall");
    json_member_array(json, "samples_ns");
    for (size_t i = 0; i < profile->run_ns.count; i++)
        json_f64(json, profile->run_ns.items[i]);
    json_close_array(json);
    put_precision(json, profile);
    json_member_array(json, "parts");
    const size_t count = profile_parts(profile, parts);
    for (size_t i = 0; i < count; i++) {
        json_open_object(json);
        put_string(json, "name", parts[i].name);
        json_member_f64(json, "ns", parts[i].ns);
        put_string(json, "kind", "measured");
        json_close_object(json);
    }
    json_close_array(json);
    if (count > 0) {
        json_member_f64(json, "total_ns", profile->workers.wall_ns);
    } else {
        put_string(json, "total_ns", NULL);
        json_member_object(json, "why");
        put_string(json, "total_ns", "no worker's time was taken");
        json_close_object(json);
    }
    json_close_object(json);
}

hx_status report_json(const hx_profile *profile, hx_write_function write, void *user)
{
    struct document document = {.profile = profile, .write = write, .user = user};
    document.text.allocator = profile->arena.allocator;
    json_init(&document.json, &document.text);
    json_open_object(&document.json);
    put_head(&document);
    put_options(&document);
    put_source(&document);
    put_table(&document);
    put_wall(&document);
    report_put_prediction(profile, &document.json);
    put_kernels(&document);
    put_launches(&document);
    put_hints(&document);
    json_close_object(&document.json);
    text_append(&document.text, "\n", 1);
    flush(&document, 0);
    text_done(&document.text);
    return document.status;
}
