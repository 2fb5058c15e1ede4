/* The side of hexec.
 *
 *     bench_hexec KERNEL SIZE [--programs DIR] [--workers N] [--level L] [--mode off|counts|spans]
 *
 * Loads DIR/KERNEL.yaml, gives it the workload's parameters and buffers, and launches it. Loading, verifying
 * and lowering are not part of a run's time; they are told at the start, with what one launch issues. */
#include "hexec/hexec.h"
#include "profile/spans.h"
#include "side.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hexec {
    struct side side;
    hx_diag *diag;
    hx_context *context; /* for the program alone */
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *buffers[WORKLOAD_BUFFERS_MAX];
    hx_launch_options options;
    bool has_spans;
    uint64_t load_ns, prepare_ns, dropped;
    hx_launch_result counted; /* a launch with counts, before all others */
};

static void *map(void *self, size_t buffer, bool is_write)
{
    (void)is_write;
    return hx_buffer_data(((struct hexec *)self)->buffers[buffer]);
}

static hx_status append(void *user, const char *text, size_t bytes)
{
    char *error = user;
    const size_t length = strlen(error), room = sizeof((struct side *)NULL)->error - 1 - length;
    strncat(error, text, bytes < room ? bytes : room);
    return HX_OK;
}

/* False, with what the diagnostics say as the side's error, unless the status is good. */
static bool good(struct hexec *hexec, hx_status status)
{
    if (status == HX_OK)
        return true;
    hexec->side.error[0] = '\0';
    if (hx_diag_count(hexec->diag) > 0)
        hx_diagnostic_render(hx_diag_at(hexec->diag, hx_diag_count(hexec->diag) - 1), NULL, append,
                             hexec->side.error);
    else
        strcpy(hexec->side.error, "no memory");
    return false;
}

static bool launch(struct hexec *hexec, hx_launch_result *ret_result)
{
    return good(hexec, spans_launch(hexec->device, hexec->kernel, &hexec->options, hexec->buffers,
                                    hexec->diag, ret_result));
}

static bool run(void *self)
{
    hx_launch_result result = {.size = sizeof result};
    return launch(self, &result);
}

static bool load(struct hexec *hexec, const char *folder)
{
    const struct workload *workload = &hexec->side.workload;
    char path[4096], value[32];
    snprintf(path, sizeof path, "%s/%s.yaml", folder, workload->name);
    const uint64_t start = side_now_ns();
    if (!good(hexec, hx_context_new(NULL, hexec->diag, &hexec->context)) ||
        !good(hexec, hx_context_load(hexec->context, path, hexec->diag)))
        return false;
    hx_program *program = hx_context_program(hexec->context);
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];
        if (param->type == ELEMENT_F32)
            snprintf(value, sizeof value, "%.9g", (double)param->value.f32);
        else
            snprintf(value, sizeof value, "%" PRIu64,
                     param->type == ELEMENT_U32 ? param->value.u32 : param->value.u64);
        if (!good(hexec, hx_program_set_param(program, param->name, value, hexec->diag)))
            return false;
    }
    const uint64_t loaded = side_now_ns();
    if (!good(hexec, hx_kernel_new(program, 0, NULL, hexec->diag, &hexec->kernel)))
        return false;
    hexec->load_ns = loaded - start;
    hexec->prepare_ns = side_now_ns() - loaded;
    return true;
}

/* The workload's buffers must be the program's, in its order. */
static bool make_buffers(struct hexec *hexec)
{
    const struct workload *workload = &hexec->side.workload;
    for (size_t i = 0; i < workload->buffer_count; i++) {
        const struct workload_buffer *buffer = &workload->buffers[i];
        const hx_array_view array = hx_context_buffer_at(hexec->context, i);
        if (!array.name || strcmp(array.name, buffer->name) != 0) {
            snprintf(hexec->side.error, sizeof hexec->side.error, "buffer %zu of the program is not '%s'", i,
                     buffer->name);
            return false;
        }
        if (!good(hexec, hx_buffer_new(hexec->device, buffer->name, workload_buffer_bytes(buffer),
                                       array.access, hexec->diag, &hexec->buffers[i])))
            return false;
        workload_fill(workload, i, hx_buffer_data(hexec->buffers[i]), true);
    }
    return true;
}

/* Counts are exact and always the same, so one launch tells what all of them issue. */
static bool count(struct hexec *hexec)
{
    const int counts = hexec->options.counts;
    hexec->counted = (hx_launch_result){.size = sizeof hexec->counted};
    hexec->options.counts = 1;
    const bool is_good = launch(hexec, &hexec->counted);
    hexec->options.counts = counts;
    return is_good;
}

static bool start_mode(struct hexec *hexec, const char *mode)
{
    const hx_trace_options spans = {.size = sizeof spans, .perf = 1, .no_log = 1, .has_threshold = 1};
    hexec->options.counts = strcmp(mode, "counts") == 0;
    hexec->has_spans = strcmp(mode, "spans") == 0;
    if (hexec->has_spans)
        return good(hexec, hx_trace_init(&spans, hexec->diag));
    if (hexec->options.counts || strcmp(mode, "off") == 0)
        return true;
    snprintf(hexec->side.error, sizeof hexec->side.error, "no mode '%s'", mode);
    return false;
}

static bool prepare(struct hexec *hexec, int argc, char **argv)
{
    const struct workload *workload = &hexec->side.workload;
    const hx_device_options device = {
        .size = sizeof device,
        .workers = (uint32_t)strtoul(side_option(argc, argv, "workers", "1"), NULL, 10),
        .cpu_level = side_option(argc, argv, "level", NULL)};
    hexec->options = (hx_launch_options){.size = sizeof hexec->options, .workers = device.workers};
    memcpy(hexec->options.grid, workload->grid, sizeof workload->grid);
    memcpy(hexec->options.block, workload->block, sizeof workload->block);
    return hx_diag_new(NULL, &hexec->diag) == HX_OK &&
           load(hexec, side_option(argc, argv, "programs", "programs")) &&
           good(hexec, hx_device_new(&device, hexec->diag, &hexec->device)) && make_buffers(hexec) &&
           count(hexec) && start_mode(hexec, side_option(argc, argv, "mode", "off"));
}

static void describe(void *self, FILE *out)
{
    const struct hexec *hexec = self;
    const hx_launch_result *counted = &hexec->counted;
    fprintf(out,
            ", \"level\": \"%s\", \"workers\": %" PRIu32 ", \"gang_lanes\": %" PRIu32 ", \"issues\": %" PRIu64
            ", \"thread_instructions\": %" PRIu64 ", \"load_ns\": %" PRIu64 ", \"prepare_ns\": %" PRIu64,
            hx_device_cpu_level(hexec->device), counted->workers, counted->gang_lanes, counted->counts.issues,
            counted->counts.thread_instructions, hexec->load_ns, hexec->prepare_ns);
}

int main(int argc, char **argv)
{
    struct hexec hexec = {
        .side = {.name = "hexec", .self = &hexec, .map = map, .run = run, .describe = describe}};
    if (!side_plan(&hexec.side, argc, argv))
        return 2;
    const int code = prepare(&hexec, argc, argv) ? side_serve(&hexec.side) : side_fail(hexec.side.error);
    hx_trace_shutdown();
    hx_device_free(hexec.device); /* and its buffers */
    hx_kernel_free(hexec.kernel);
    hx_context_free(hexec.context);
    hx_diag_free(hexec.diag);
    return code;
}
