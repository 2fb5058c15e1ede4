/* The side of hexec.
 *
 *     bench_hexec KERNEL SIZE [--programs DIR] [--workers N] [--level L] [--gang N] [--mode MODE] [--tier
 * TIER]
 *
 * Launches DIR/KERNEL.yaml with the workload's parameters and buffers. Loading, verifying and lowering are
 * not part of a run's time; they are reported at the start, with what one launch issues. The modes are what
 * can be watched: nothing (off), exact counts (counts), these and the times of one issue in 64 (sampled), the
 * same and where the workers' time goes (workers), what warps do and where they go in memory (warps), or
 * (spans) a perf span for each issue, which goes to the ring of its thread and from there to no sink; or
 * checkers of `hexec run --check`, by their names. The tier is auto, interpreter or compiled. */
#include "hexec/check.h"
#include "profile/spans.h"
#include "program_side.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hexec {
    struct side side;
    struct loaded_program loaded;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *buffers[WORKLOAD_BUFFERS_MAX];
    hx_launch_options options;
    hx_collector collector;
    hx_listener listener;
    const hx_listener *listeners[1];
    hx_checks *checks;        /* NULL: nothing is checked */
    uint64_t prepare_ns;      /* of verifying and lowering */
    hx_launch_result counted; /* a launch with counts, before all others */
};

static void *map(void *self, size_t buffer, bool is_write)
{
    (void)is_write;
    return hx_buffer_data(((struct hexec *)self)->buffers[buffer]);
}

static bool good(struct hexec *hexec, hx_status status)
{
    return loaded_program_good(&hexec->loaded, &hexec->side, status);
}

static bool launch(struct hexec *hexec, hx_launch_result *ret_result)
{
    const struct spans_call call = {.device = hexec->device,
                                    .kernel = hexec->kernel,
                                    .options = &hexec->options,
                                    .buffers = hexec->buffers};
    if (!good(hexec, spans_launch(&call, hexec->loaded.diag, ret_result)))
        return false;
    if (hexec->options.tier != HX_TIER_COMPILED || ret_result->tier == HX_TIER_COMPILED)
        return true;
    snprintf(hexec->side.error, sizeof hexec->side.error, "not compiled: %s", ret_result->why_interpreted);
    return false; /* else times of the interpreter would be taken for it */
}

static bool run(void *self)
{
    hx_launch_result result = {.size = sizeof result};
    return launch(self, &result);
}

static bool make_kernel(struct hexec *hexec)
{
    const uint64_t start = side_now_ns();
    const hx_status status =
        hx_kernel_new(hexec->loaded.program, 0, NULL, hexec->loaded.diag, &hexec->kernel);
    hexec->prepare_ns = side_now_ns() - start;
    return good(hexec, status);
}

static bool make_buffers(struct hexec *hexec)
{
    const struct workload *workload = &hexec->side.workload;
    for (size_t i = 0; i < workload->buffer_count; i++) {
        const struct workload_buffer *buffer = &workload->buffers[i];
        const hx_buffer_access access = hx_context_buffer_at(hexec->loaded.context, i).access;
        if (!good(hexec, hx_buffer_new(hexec->device, buffer->name, workload_buffer_bytes(buffer), access,
                                       hexec->loaded.diag, &hexec->buffers[i])))
            return false;
        workload_fill(workload, i, hx_buffer_data(hexec->buffers[i]), true);
    }
    return true;
}

/* Counts are exact and always the same, so one launch tells what all of them issue. */
static bool count(struct hexec *hexec)
{
    hexec->counted = (hx_launch_result){.size = sizeof hexec->counted};
    hexec->options.counts = 1;
    const bool is_good = launch(hexec, &hexec->counted);
    hexec->options.counts = 0;
    return is_good;
}

static bool start_checks(struct hexec *hexec, const char *names)
{
    hx_checks_options options = {.size = sizeof options};
    return good(hexec, hx_checks_parse(names, hexec->loaded.diag, &options)) &&
           good(hexec, hx_checks_open(&options, hexec->loaded.diag, &hexec->checks)) &&
           good(hexec, hx_checks_follow(hexec->checks, hexec->device, hexec->loaded.diag));
}

static bool start_mode(struct hexec *hexec, const char *mode)
{
    const hx_trace_options spans = {.size = sizeof spans, .perf = 1, .no_log = 1, .has_threshold = 1};
    if (HX_TRACING && strcmp(mode, "spans") == 0)
        return good(hexec, hx_trace_init(&spans, hexec->loaded.diag));
    const bool is_warps = strcmp(mode, "warps") == 0, is_workers = strcmp(mode, "workers") == 0;
    if (is_warps || is_workers || strcmp(mode, "sampled") == 0) {
        hx_collector *collector = &hexec->collector;
        collector->collect = is_warps ? HX_COLLECT_WARPS | HX_COLLECT_MEMORY : HX_COLLECT_TIME;
        collector->profile = calloc(hx_kernel_instructions(hexec->kernel), sizeof *collector->profile);
        if (is_workers)
            collector->workers = calloc(hx_device_workers(hexec->device), sizeof *collector->workers);
        hexec->listener = hx_collector_listener(collector, &hexec->options);
        hexec->listeners[0] = &hexec->listener;
        hexec->options.listeners = hexec->listeners;
        hexec->options.listener_count = 1;
        return collector->profile && (!is_workers || collector->workers);
    }
    hexec->options.counts = strcmp(mode, "counts") == 0;
    return hexec->options.counts || strcmp(mode, "off") == 0 || start_checks(hexec, mode);
}

static bool choose_tier(struct hexec *hexec, const char *tier)
{
    hexec->options.tier = strcmp(tier, "compiled") == 0      ? HX_TIER_COMPILED
                          : strcmp(tier, "interpreter") == 0 ? HX_TIER_INTERPRETER
                                                             : HX_TIER_AUTO;
    if (hexec->options.tier != HX_TIER_AUTO || strcmp(tier, "auto") == 0)
        return true;
    snprintf(hexec->side.error, sizeof hexec->side.error, "there is no tier '%s'", tier);
    return false;
}

/* A kernel that is compiled in the background is, in less than this. */
#define WARM_NS UINT64_C(1000000000)

/* Of the tier auto: launches until the kernel is compiled, if it ever is. Else some samples would be of the
 * interpreter, and others not. */
static bool warm_up(struct hexec *hexec)
{
    const uint64_t start = side_now_ns();
    hx_launch_result result = {.size = sizeof result};
    bool is_good = true;
    while (is_good && hexec->options.tier == HX_TIER_AUTO && result.tier != HX_TIER_COMPILED &&
           side_now_ns() - start < WARM_NS)
        is_good = launch(hexec, &result);
    return is_good;
}

static bool prepare(struct hexec *hexec, int argc, char **argv)
{
    const struct workload *workload = &hexec->side.workload;
    const hx_device_options device = {
        .size = sizeof device,
        .workers = (uint32_t)strtoul(side_option(argc, argv, "workers", "1"), NULL, 10),
        .cpu_level = side_option(argc, argv, "level", NULL)};
    hexec->options =
        (hx_launch_options){.size = sizeof hexec->options,
                            .workers = device.workers,
                            .gang_lanes = (uint32_t)strtoul(side_option(argc, argv, "gang", "0"), NULL, 10)};
    memcpy(hexec->options.grid, workload->grid, sizeof workload->grid);
    memcpy(hexec->options.block, workload->block, sizeof workload->block);
    return choose_tier(hexec, side_option(argc, argv, "tier", "auto")) &&
           loaded_program_init(&hexec->loaded, &hexec->side,
                               side_option(argc, argv, "programs", "programs")) &&
           make_kernel(hexec) && good(hexec, hx_device_new(&device, hexec->loaded.diag, &hexec->device)) &&
           make_buffers(hexec) && count(hexec) && start_mode(hexec, side_option(argc, argv, "mode", "off")) &&
           (strcmp(argv[2], "real") != 0 || warm_up(hexec));
}

static void describe(void *self, FILE *out)
{
    const struct hexec *hexec = self;
    const hx_launch_result *counted = &hexec->counted;
    fprintf(out,
            ", \"level\": \"%s\", \"workers\": %" PRIu32 ", \"gang_lanes\": %" PRIu32 ", \"issues\": %" PRIu64
            ", \"thread_instructions\": %" PRIu64 ", \"load_ns\": %" PRIu64 ", \"prepare_ns\": %" PRIu64,
            hx_device_cpu_level(hexec->device), counted->workers, counted->gang_lanes, counted->counts.issues,
            counted->counts.thread_instructions, hexec->loaded.load_ns, hexec->prepare_ns);
}

/* Spans that found the ring full were cheaper than they should be: the reader of the times must know. */
static void sum_up(void *self, FILE *out)
{
    const struct hexec *hexec = self;
    if (hexec->checks && good(self, hx_checks_finish(hexec->checks, hexec->loaded.diag)))
        fprintf(out, ", \"findings\": %" PRIu64, hx_checks_finding_total(hexec->checks, NULL));
#if HX_TRACING
    hx_trace_flush();
    fprintf(out, ", \"dropped_spans\": %" PRIu64, hx_trace_dropped());
#endif
}

int main(int argc, char **argv)
{
    struct hexec hexec = {
        .side = {
            .name = "hexec", .self = &hexec, .map = map, .run = run, .describe = describe, .sum_up = sum_up}};
    if (!side_plan(&hexec.side, argc, argv))
        return 2;
    const int code = prepare(&hexec, argc, argv) ? side_serve(&hexec.side) : side_fail(hexec.side.error);
    hx_trace_shutdown();
    hx_checks_leave(hexec.checks, 0);
    hx_device_free(hexec.device); /* and its buffers */
    hx_checks_close(hexec.checks);
    free(hexec.collector.profile);
    free(hexec.collector.workers);
    hx_kernel_free(hexec.kernel);
    loaded_program_done(&hexec.loaded);
    return code;
}
