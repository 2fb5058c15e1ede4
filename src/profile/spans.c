/* Spans of a launch.
 *
 * An observer that gives every issue to the tracing core as a perf span with its opcode's name and the fields
 * that the instruction set asks for, and the launch as cpu_execute_program and launch. Only made when tracing
 * wants perf spans: otherwise the launch runs the driver that watches nothing. */
#include "profile/spans.h"

#include "base/machine.h"

#include <string.h>

#if HX_TRACING
struct span_observer {
    const struct kernel *code;
    hx_perf_site **sites; /* one for each instruction */
    hx_perf_site *whole;
    uint64_t start_ticks, blocks, threads;
    struct arena arena;
    hx_launch_options options;
};

static uint64_t now(void)
{
    const struct machine_timer raw = {.is_tsc = true};
    return machine_ticks(&raw);
}

static hx_status begin(void *user, const hx_program *program, const struct kernel *code,
                       const hx_launch_options *options)
{
    struct span_observer *spans = user;
    (void)program;
    spans->code = code;
    spans->options = *options;
    spans->sites = ARENA_ARRAY(&spans->arena, hx_perf_site *, code->code_count);
    spans->whole = hx_trace_perf_site("cpu_execute_program");
    if (!spans->sites || !spans->whole)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < code->code_count; i++)
        if (!(spans->sites[i] = hx_trace_perf_site(code->code[i].opcode->span)))
            return HX_NO_MEMORY;
    spans->start_ticks = now();
    return HX_OK;
}

static void issue(void *user, uint32_t worker, const struct issue *what)
{
    const struct span_observer *spans = user;
    const struct isa_opcode *opcode = spans->code->code[what->instruction].opcode;
    hx_field fields[6];
    size_t count = 0;
    (void)worker;
    if (opcode->metrics & METRIC_BYTES)
        fields[count++] = (hx_field)HX_U64("bytes", what->bytes);
    if (opcode->metrics & METRIC_FLOPS)
        fields[count++] = (hx_field)HX_U64("flops", (uint64_t)(opcode->flops * what->lanes));
    fields[count++] = (hx_field)HX_U64("lanes", what->lanes);
    fields[count++] = (hx_field)HX_U64("pc", what->instruction);
    fields[count++] = (hx_field)HX_U64("block", what->block);
    fields[count++] = (hx_field)HX_U64(
        "warp", what->first_thread / (spans->options.warp_size ? spans->options.warp_size : 32));
    hx_trace_perf_complete(spans->sites[what->instruction], what->start_ticks, what->end_ticks, fields,
                           count);
}

static void end(void *user, const hx_launch_result *result)
{
    struct span_observer *spans = user;
    const hx_field fields[] = {
        HX_U64("instructions", spans->code->code_count),
        HX_U64("grid_size", result->blocks),
        HX_U64("block_size", result->threads / (result->blocks ? result->blocks : 1)),
    };
    hx_trace_perf_complete(spans->whole, spans->start_ticks, now(), fields, HX_COUNT_OF(fields));
}

static hx_status launch_with_spans(hx_device *device, const hx_kernel *kernel,
                                   const hx_launch_options *options, hx_buffer *const *buffers, hx_diag *diag,
                                   hx_launch_result *ret_result)
{
    struct span_observer spans = {0};
    struct observer observer = {
        .events = OBSERVE_LAUNCH | OBSERVE_ISSUE, .user = &spans, .begin = begin, .issue = issue, .end = end};
    hx_status status = exec_launch(device, kernel, options, buffers, &observer, diag, ret_result);
    arena_done(&spans.arena);
    return status;
}
#endif

hx_status spans_launch(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                       hx_buffer *const *buffers, hx_diag *diag, hx_launch_result *ret_result)
{
    HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_STR("kernel.name", exec_kernel_code(kernel)->name),
            HX_U64("kernel.id", options->launch_id), HX_U64("blocks_x", options->grid[0]),
            HX_U64("blocks_y", options->grid[1]), HX_U64("blocks_z", options->grid[2]),
            HX_STR("mode", "checked"), HX_U64("stream_id", 0));
    hx_status status;
#if HX_TRACING
    if (hx_trace_perf_enabled())
        status = launch_with_spans(device, kernel, options, buffers, diag, ret_result);
    else
#endif
        status = hx_launch(device, kernel, options, buffers, diag, ret_result);
    HX_EVENT(HX_DEBUG, "hexec::exec", "execution",
             HX_U64("instruction_count", ret_result->counts.thread_instructions),
             HX_U64("duration_us", ret_result->duration_ns / 1000),
             HX_F64("duration_ms", (double)ret_result->duration_ns * 1e-6),
             HX_F64("instructions_per_sec",
                    (double)ret_result->counts.thread_instructions /
                        ((double)(ret_result->duration_ns ? ret_result->duration_ns : 1) * 1e-9)));
    return status;
}
