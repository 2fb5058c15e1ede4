/* Spans of a launch.
 *
 * A listener that gives every issue to the tracing core as a perf span with its opcode's name and the fields
 * that the instruction set names, and the launch as cpu_execute_program and launch. Event files get more:
 * each worker has a track, on which the kernel's span holds those of its blocks, these the turns of gangs,
 * and these the instructions; and curves of bytes and lanes. It is only there when tracing wants perf spans,
 * beside whatever else listens to the launch.
 *
 * On request instructions and turns stand on the track of their warp in place of their worker's: then gangs
 * are of one warp each.
 *
 * A worker may have several blocks at a time, which it runs in turns when they wait for one another. So that
 * spans nest, a block then has a span for each interval in which it runs. */
#include "profile/spans.h"

#include "base/machine.h"
#include "device/device.h"
#include "exec/kernel.h"
#include "program/limits.h"
#include "trace/forms.h"
#include "trace/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hx_status launch(const struct spans_call *call, const hx_launch_options *options,
                        const struct exec_listener *listeners, hx_diag *diag, hx_launch_result *ret_result)
{
    if (call->gathered)
        return exec_launch_gathered(call->device, call->kernel, options, call->gathered, listeners, diag,
                                    ret_result);
    return exec_launch(call->device, call->kernel, options, call->buffers, listeners, diag, ret_result);
}

#if HX_TRACING
/* What one worker does; its own cache lines. */
struct worker_spans {
    _Alignas(64) uint32_t track;
    bool has_block, has_begun;
    uint64_t block;
    uint64_t start_ticks;                   /* of its first block */
    uint64_t block_ticks, block_end_ticks;  /* the interval with the block; its end so far */
    uint64_t edge_ticks;                    /* where the one before it ended */
    uint32_t part, part_issues, turn_part;  /* of the block; turn_part: the one in which the turn began */
    uint64_t issues, lanes, loaded, stored; /* of the turn */
    uint64_t issue_end_ticks;               /* of the turn's last one */
    /* of the launch: issues, and ticks in instructions and from one to the next */
    uint64_t all_issues, in_ticks, between_ticks;
    struct tape tape;
    bool has_tape;
};

struct span_listener {
    const struct kernel *code;
    hx_perf_site **sites; /* one for each instruction */
    uint16_t *forms;      /* the same */
    uint32_t epoch;       /* of the forms */
    hx_perf_site *whole, *on_worker, *block, *gang;
    uint64_t start_ticks;
    double ns_per_tick;
    uint32_t device_number;
    bool by_warp;
    uint32_t warps; /* the track whose rows are the warps; 0: what they do stands on their workers' */
    struct arena arena;
    hx_launch_options options;
    struct worker_spans *workers; /* aligned */
    uint32_t worker_count;
};

static uint64_t now(void)
{
    const struct machine_timer raw = {.is_tsc = true};
    return machine_ticks(&raw);
}

/* Several devices may launch at the same time: all but the first are in the names of what is theirs. */
static bool make_tracks(struct span_listener *spans)
{
    char device[24] = "", name[64];
    bool all = true;
    if (spans->device_number > 1)
        snprintf(device, sizeof device, "device %u ", spans->device_number);
    for (uint32_t i = 0; all && i < spans->worker_count; i++) {
        snprintf(name, sizeof name, "%sworker %u", device, i);
        all = (spans->workers[i].track = hx_trace_track(name)) != 0;
    }
    snprintf(name, sizeof name, "%sblock %% warp %%", device);
    return all && (!spans->by_warp || (spans->warps = hx_trace_track(name)) != 0);
}

static uint32_t warp_size(const struct span_listener *spans)
{
    return limits_warp_size(spans->options.warp_size);
}

/* An opcode over several types has none over integers. */
static bool has_flops(const struct instruction *instruction)
{
    return (instruction->opcode->metrics & METRIC_FLOPS) && instruction_flops(instruction) > 0;
}

/* What `issue` gives hx_trace_perf_put, as rules. */
static uint16_t form_of(const struct span_listener *spans, const struct instruction *instruction,
                        hx_perf_site *site)
{
    const struct isa_opcode *opcode = instruction->opcode;
    struct form_field fields[6];
    size_t used = 0;
    if (opcode->metrics & METRIC_BYTES)
        fields[used++] = (struct form_field){"bytes", FORM_LANES, 1, kernel_access_bytes(instruction)};
    if (has_flops(instruction))
        fields[used++] = (struct form_field){"flops", FORM_LANES, 1, instruction_flops(instruction)};
    fields[used++] = (struct form_field){"lanes", FORM_LANES, 1, 1};
    fields[used++] = (struct form_field){"pc", FORM_INSTRUCTION, 1, 1};
    fields[used++] = (struct form_field){"block", FORM_BLOCK, 1, 1};
    fields[used++] = (struct form_field){"warp", FORM_THREAD, warp_size(spans), 1};
    return forms_find(site, fields, used);
}

/* Event files tell one issue of an opcode from another: where it stands in the source. */
static hx_perf_site *site_of(const struct kernel *code, uint32_t index)
{
    const struct instruction *instruction = &code->code[index];
    const struct code_line *line = &code->lines[index];
    char type[24] = "";
    hx_field fields[3];
    size_t used = 0;
    if (!hx_trace_files_enabled())
        return hx_trace_perf_site(instruction->opcode->span);
    if (instruction->type != HX_TYPE_NONE)
        snprintf(type, sizeof type, "%s%s%s", hx_type_name((hx_type)instruction->type),
                 instruction->source_type != HX_TYPE_NONE ? "." : "",
                 instruction->source_type != HX_TYPE_NONE ? hx_type_name((hx_type)instruction->source_type)
                                                          : "");
    if (*type)
        fields[used++] = (hx_field)HX_STR("type", type);
    if (line->place.line > 0)
        fields[used++] = (hx_field)HX_U64("line", (uint64_t)line->place.line);
    if (line->text)
        fields[used++] = (hx_field)HX_STR("source", line->text);
    return hx_trace_perf_site_with(instruction->opcode->span, fields, used);
}

static struct tape *tape(void *user, uint32_t number)
{
    const struct span_listener *spans = user;
    struct worker_spans *worker = &spans->workers[number];
    worker->has_tape = forms_open_tape(&worker->tape, spans->epoch, spans->forms, worker->track);
    return worker->has_tape ? &worker->tape : NULL;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct span_listener *spans = user;
    const struct kernel *code = kernel_code(event->kernel);
    spans->code = code;
    spans->options = *event->options;
    spans->epoch = forms_epoch();
    spans->ns_per_tick = event->ns_per_tick;
    spans->sites = ARENA_ARRAY(&spans->arena, hx_perf_site *, code->code_count);
    spans->forms = ARENA_ARRAY(&spans->arena, uint16_t, code->code_count);
    spans->whole = hx_trace_perf_site("cpu_execute_program");
    spans->on_worker = hx_trace_perf_site(code->name);
    spans->block = hx_trace_perf_site("block");
    spans->gang = hx_trace_perf_site("gang");
    if (!spans->sites || !spans->forms || !spans->whole || !spans->on_worker || !spans->block || !spans->gang)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < code->code_count; i++) {
        if (!(spans->sites[i] = site_of(code, i)))
            return HX_NO_MEMORY;
        spans->forms[i] = form_of(spans, &code->code[i], spans->sites[i]);
    }
    if (!make_tracks(spans))
        return HX_NO_MEMORY;
    spans->start_ticks = now();
    return HX_OK;
}

static hx_trace_place place_of(const struct worker_spans *worker, uint32_t first_part, uint32_t last_part)
{
    return (hx_trace_place){.track = worker->track,
                            .group = (uint32_t)worker->block + 1 ? (uint32_t)worker->block + 1 : 1,
                            .first_part = first_part,
                            .last_part = last_part,
                            .only_files = 1};
}

static uint32_t warp_of(const struct span_listener *spans, uint32_t thread)
{
    return thread / warp_size(spans);
}

/* Where a warp's instructions and turns stand. */
static hx_trace_place warp_place(const struct span_listener *spans, const struct worker_spans *worker,
                                 uint32_t first_thread, uint32_t first_part)
{
    hx_trace_place place = place_of(worker, first_part, worker->part);
    if (spans->warps) {
        place.track = spans->warps;
        place.row = warp_of(spans, first_thread) + 1;
    }
    return place;
}

/* The worker leaves its block, for good or to run another one. */
static void leave_block(const struct span_listener *spans, struct worker_spans *worker)
{
    if (!worker->has_block)
        return;
    const hx_trace_place place = place_of(worker, 0, UINT32_MAX);
    const hx_field fields[] = {HX_U64("block", worker->block)}, lanes[] = {HX_F64("lanes", 0)};
    hx_trace_perf_put(spans->block, &place, worker->block_ticks, worker->block_end_ticks, fields,
                      HX_COUNT_OF(fields));
    hx_trace_count("active", &place, worker->block_end_ticks, lanes, HX_COUNT_OF(lanes));
    if (!worker->has_begun)
        worker->start_ticks = worker->block_ticks;
    worker->edge_ticks = worker->block_end_ticks;
    worker->has_begun = true;
    worker->has_block = false;
}

static void enter_block(const struct span_listener *spans, struct worker_spans *worker, uint64_t block,
                        uint64_t ticks)
{
    if (worker->has_block && worker->block == block)
        return;
    leave_block(spans, worker);
    worker->block = block;
    worker->block_ticks = worker->block_end_ticks = ticks > worker->edge_ticks ? ticks : worker->edge_ticks;
    worker->part = worker->part_issues = worker->turn_part = 0;
    worker->has_block = true;
}

static void report_turn(const struct span_listener *spans, struct worker_spans *worker, uint32_t first_thread,
                        uint64_t start_ticks, uint64_t end_ticks)
{
    const hx_trace_place place = place_of(worker, worker->turn_part, worker->part),
                         on_warp = warp_place(spans, worker, first_thread, worker->turn_part);
    hx_trace_place everywhere = place;
    /* who ran the warp, and what, does not follow from where its turn stands */
    const hx_field fields[] = {HX_U64("block", worker->block), HX_U64("warp", warp_of(spans, first_thread)),
                               HX_STR("kernel.name", spans->code->name),
                               HX_U64("worker", (uint64_t)(worker - spans->workers))};
    const hx_field lanes[] = {HX_F64("lanes", (double)worker->lanes / (double)worker->issues)};
    const hx_field bytes[] = {HX_U64("loaded", worker->loaded), HX_U64("stored", worker->stored)};
    hx_trace_perf_put(spans->gang, &on_warp, start_ticks, end_ticks, fields,
                      spans->warps ? HX_COUNT_OF(fields) : 2);
    if (worker->issues > 0)
        hx_trace_count("active", &place, start_ticks, lanes, HX_COUNT_OF(lanes));
    everywhere.track = 0; /* one curve for all workers */
    if (worker->loaded > 0 || worker->stored > 0)
        hx_trace_count("bytes", &everywhere, end_ticks, bytes, HX_COUNT_OF(bytes));
    worker->issues = worker->lanes = worker->loaded = worker->stored = 0;
    worker->turn_part = worker->part;
}

static void gang(void *user, const hx_interval_event *event)
{
    const struct span_listener *spans = user;
    struct worker_spans *worker = &spans->workers[event->worker];
    enter_block(spans, worker, event->block, event->start_ticks);
    const bool is_first = event->start_ticks < worker->block_ticks; /* its issues were reported before it */
    if (is_first)
        worker->block_ticks =
            event->start_ticks > worker->edge_ticks ? event->start_ticks : worker->edge_ticks;
    worker->block_end_ticks = event->end_ticks;
    report_turn(spans, worker, event->first_thread, event->start_ticks, event->end_ticks);
}

static void block(void *user, const hx_interval_event *event)
{
    const struct span_listener *spans = user;
    struct worker_spans *worker = &spans->workers[event->worker];
    enter_block(spans, worker, event->block, event->start_ticks);
    if (event->start_ticks >= worker->edge_ticks && event->start_ticks < worker->block_ticks)
        worker->block_ticks = event->start_ticks; /* it was never left: the span is the whole of it */
    worker->block_end_ticks = event->end_ticks;
    leave_block(spans, worker);
}

static void count(struct worker_spans *worker, const struct isa_opcode *opcode, const hx_issue_event *event)
{
    worker->issues++;
    worker->lanes += event->lanes;
    worker->loaded += opcode->shape == SHAPE_STORE ? 0 : event->bytes;
    worker->stored += opcode->shape == SHAPE_LOAD ? 0 : event->bytes;
    if (++worker->part_issues == FORM_PART_ISSUES) {
        worker->part_issues = 0;
        worker->part++;
    }
}

/* Between two instructions of a turn the first is recorded and the clock is read. Choosing the next takes a
 * hundredth of that. */
static void add_ticks(struct worker_spans *worker, const hx_issue_event *event)
{
    if (worker->issues > 0)
        worker->between_ticks += event->start_ticks - worker->issue_end_ticks;
    worker->in_ticks += event->end_ticks - event->start_ticks;
    worker->issue_end_ticks = event->end_ticks;
    worker->all_issues++;
}

static void issue(void *user, const hx_issue_event *event)
{
    const struct span_listener *spans = user;
    struct worker_spans *worker = &spans->workers[event->at.worker];
    const struct instruction *instruction = &spans->code->code[event->at.instruction];
    const struct isa_opcode *opcode = instruction->opcode;
    hx_field fields[6];
    size_t used = 0;
    if (opcode->metrics & METRIC_BYTES)
        fields[used++] = (hx_field)HX_U64("bytes", event->bytes);
    if (has_flops(instruction))
        fields[used++] = (hx_field)HX_U64("flops", (uint64_t)(instruction_flops(instruction) * event->lanes));
    fields[used++] = (hx_field)HX_U64("lanes", event->lanes);
    fields[used++] = (hx_field)HX_U64("pc", event->at.instruction);
    fields[used++] = (hx_field)HX_U64("block", event->at.block);
    fields[used++] = (hx_field)HX_U64("warp", warp_of(spans, event->at.first_thread));
    enter_block(spans, worker, event->at.block, event->start_ticks);
    if (worker->has_tape) /* which counts the issues without a call, too */
        worker->part = (worker->tape.issue - 1) / FORM_PART_ISSUES;
    hx_trace_place place = warp_place(spans, worker, event->at.first_thread, worker->part);
    place.only_files = 0;
    hx_trace_perf_put(spans->sites[event->at.instruction], &place, event->start_ticks, event->end_ticks,
                      fields, used);
    worker->block_end_ticks = event->end_ticks;
    add_ticks(worker, event);
    count(worker, opcode, event);
}

/* Returns the launch's own share of time, that of tracing; below 0 when it is not known. Reading the clock is
 * in the time of each instruction. */
static double take_own_share(const struct span_listener *spans)
{
    const struct session *session = registry_session();
    double own = 0, in = 0;
    for (uint32_t i = 0; session && i < spans->worker_count; i++) {
        const struct worker_spans *worker = &spans->workers[i];
        const double taken = (double)worker->in_ticks * spans->ns_per_tick,
                     cost = fmin(taken, (double)worker->all_issues * session->timer->cost_ns);
        own += (double)worker->between_ticks * spans->ns_per_tick + cost;
        in += taken - cost;
    }
    if (!hx_trace_files_enabled() || !(own + in > 0))
        return -1;
    registry_add_times((uint64_t)own, (uint64_t)in);
    return own / (own + in);
}

static void end(void *user, const hx_launch_end *event)
{
    struct span_listener *spans = user;
    const hx_launch_result *result = event->result;
    const uint64_t end_ticks = now();
    const hx_field fields[] = {
        HX_U64("instructions", spans->code->code_count),
        HX_U64("grid_size", result->blocks),
        HX_U64("block_size", result->threads / (result->blocks ? result->blocks : 1)),
        HX_F64("tracing_share", take_own_share(spans)),
    };
    const bool is_timed = fields[HX_COUNT_OF(fields) - 1].value.f64 >= 0;
    for (uint32_t i = 0; i < spans->worker_count; i++) {
        struct worker_spans *worker = &spans->workers[i];
        const hx_trace_place place = {.track = worker->track, .last_part = UINT32_MAX, .only_files = 1};
        const hx_field launch[] = {HX_U64("kernel.id", spans->options.launch_id)};
        leave_block(spans, worker); /* that a fault or a bound ended */
        if (worker->has_begun)
            hx_trace_perf_put(spans->on_worker, &place, worker->start_ticks, worker->edge_ticks, launch,
                              HX_COUNT_OF(launch));
    }
    hx_trace_perf_complete(spans->whole, spans->start_ticks, end_ticks, fields,
                           HX_COUNT_OF(fields) - !is_timed);
}

static hx_status launch_with_spans(const struct spans_call *call, hx_diag *diag, hx_launch_result *ret_result)
{
    struct span_listener spans = {.worker_count = hx_device_workers(call->device),
                                  .device_number = device_number(call->device),
                                  .by_warp = hx_trace_files_by_warp() != 0};
    struct exec_listener listener = {.calls = {.size = sizeof(hx_listener),
                                               .events = HX_EVENT_LAUNCH | HX_EVENT_ISSUE,
                                               .user = &spans,
                                               .begin = begin,
                                               .issue = issue,
                                               .end = end,
                                               .block = block,
                                               .gang = gang},
                                     .next = call->listeners};
    hx_launch_options options = *call->options;
    size_t bytes;
    if (!hx_trace_files_enabled())
        listener.tape = tape;
    else {
        listener.calls.events |= HX_EVENT_BLOCK | HX_EVENT_GANG;
        options.gang_lanes = spans.by_warp ? HX_GANG_OF_WARP : options.gang_lanes;
    }
    if (!size_multiply(spans.worker_count, sizeof *spans.workers, &bytes) ||
        !(spans.workers = memory_allocate_aligned(NULL, bytes)))
        return diag_no_memory(diag);
    hx_status status = launch(call, &options, &listener, diag, ret_result);
    memory_free_aligned(NULL, spans.workers);
    arena_done(&spans.arena);
    return status;
}
#endif

static void record_result(const char *name, const hx_launch_result *result)
{
    const uint64_t ns = result->duration_ns;
    hx_record_execution(result->counts.thread_instructions, ns);
    hx_record_throughput(name, result->threads, ns);
    if (result->counts.flops > 0)
        hx_record_flops(name, result->counts.flops, ns);
}

hx_status spans_launch(const struct spans_call *call, hx_diag *diag, hx_launch_result *ret_result)
{
    const char *name = kernel_code(call->kernel)->name;
    HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_STR("kernel.name", name),
            HX_U64("kernel.id", call->options->launch_id), HX_U64("blocks_x", call->options->grid[0]),
            HX_U64("blocks_y", call->options->grid[1]), HX_U64("blocks_z", call->options->grid[2]),
            HX_U64("stream_id", call->stream));
    hx_status status;
#if HX_TRACING
    if (hx_trace_perf_enabled())
        status = launch_with_spans(call, diag, ret_result);
    else
#endif
        status = launch(call, call->options, call->listeners, diag, ret_result);
    record_result(name, ret_result);
    return status;
}
