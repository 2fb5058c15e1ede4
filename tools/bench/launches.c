/* What a launch costs that has hardly anything to compute: one block of 256 threads adds two vectors.
 *
 *     bench_launches RUNS [BLOCKS]
 *
 * Each run is 1,000 launches, one after the other. Prints the median over the runs of the time of a launch
 * and of the CPU time that all threads took for it, for the interpreter and for compiled code (HEXEC_LLVM
 * names the plugin), with one worker and with two, as one JSON object.
 */
#include "hexec/hexec.h"
#include "side.h"

#include <stdlib.h>

#define LAUNCHES 1000
#define RUNS_MAX 1000
#define BUFFERS  3

static const char text[] = "program: add\n"
                           "launch: {grid: [1], block: [256]}\n"
                           "buffers:\n"
                           "  - {name: a, type: f32, count: 65536}\n"
                           "  - {name: b, type: f32, count: 65536}\n"
                           "  - {name: c, type: f32, count: 65536}\n"
                           "code: |\n"
                           "  mov.u32 r0, %ctaid.x\n"
                           "  mov.u32 r1, %tid.x\n"
                           "  mad.u32 r0, r0, 256, r1\n"
                           "  ldg.f32 r2, [$a + r0*4]\n"
                           "  ldg.f32 r3, [$b + r0*4]\n"
                           "  add.f32 r2, r2, r3\n"
                           "  stg.f32 [$c + r0*4], r2\n"
                           "  exit\n";

struct host {
    hx_diag *diag;
    hx_isa *isa;
    hx_program *program;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *buffers[BUFFERS];
};

static hx_status set_up(struct host *host)
{
    hx_status status = hx_diag_new(NULL, &host->diag);
    if (status == HX_OK)
        status = hx_isa_load(NULL, NULL, host->diag, &host->isa);
    if (status == HX_OK)
        status = hx_program_load_bytes("add", NULL, text, sizeof text - 1, host->isa, NULL, host->diag,
                                       &host->program);
    if (status == HX_OK)
        status = hx_kernel_new(host->program, 0, NULL, host->diag, &host->kernel);
    if (status == HX_OK)
        status = hx_device_new(NULL, host->diag, &host->device);
    return status == HX_OK ? hx_program_make_buffers(host->program, host->device, host->diag, host->buffers)
                           : status;
}

static int order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct launch_times {
    double wall_ns, cpu_ns;
    uint32_t tier;
};

static double median(uint64_t *times, unsigned runs)
{
    qsort(times, runs, sizeof *times, order);
    return (double)times[runs / 2] / LAUNCHES;
}

/* Of a launch, the medians of the runs; the first run warms up. */
static hx_status measure(struct host *host, const hx_launch_options *options, unsigned runs,
                         struct launch_times *ret_times)
{
    uint64_t wall[RUNS_MAX + 1], cpu[RUNS_MAX + 1];
    hx_launch_result result = {.size = sizeof result};
    hx_status status = HX_OK;
    for (unsigned run = 0; run <= runs && status == HX_OK; run++) {
        const uint64_t start = side_now_ns(), cpu_start = side_cpu_ns();
        for (unsigned i = 0; i < LAUNCHES && status == HX_OK; i++)
            status = hx_launch(host->device, host->kernel, options, host->buffers, host->diag, &result);
        wall[run] = side_now_ns() - start;
        cpu[run] = side_cpu_ns() - cpu_start;
    }
    *ret_times = (struct launch_times){median(wall + 1, runs), median(cpu + 1, runs), result.tier};
    return status;
}

static hx_status measure_all(struct host *host, unsigned runs, uint32_t blocks)
{
    hx_status status = HX_OK;
    printf("{\"blocks\": %u, \"launches\": %d, \"runs\": %u, \"measured\": [", blocks, LAUNCHES, runs);
    for (unsigned i = 0; i < 4 && status == HX_OK; i++) {
        const uint32_t workers = 1 + i % 2, tier = i / 2 ? HX_TIER_COMPILED : HX_TIER_INTERPRETER;
        const hx_launch_options options = {.size = sizeof options,
                                           .grid = {blocks, 1, 1},
                                           .block = {256, 1, 1},
                                           .workers = workers,
                                           .tier = tier};
        struct launch_times times = {0};
        status = measure(host, &options, runs, &times);
        printf("%s{\"tier\": \"%s\", \"workers\": %u, \"launch_ns\": %.0f, \"cpu_ns\": %.0f}", i ? ", " : "",
               times.tier == HX_TIER_COMPILED ? "compiled" : "interpreter", workers, times.wall_ns,
               times.cpu_ns);
    }
    printf("]}\n");
    return status;
}

int main(int argc, char **argv)
{
    const unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    const uint32_t blocks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    struct host host = {0};
    if (runs == 0 || runs > RUNS_MAX || blocks == 0 || blocks > 256)
        return side_fail("usage: bench_launches RUNS [BLOCKS], at most 1000 runs and 256 blocks");
    hx_status status = set_up(&host);
    if (status == HX_OK)
        status = measure_all(&host, runs, blocks);
    const hx_diagnostic *first = hx_diag_at(host.diag, 0);
    const int code = status == HX_OK ? 0 : side_fail(first ? first->message : "no memory");
    hx_device_free(host.device);
    hx_kernel_free(host.kernel);
    hx_program_free(host.program);
    hx_isa_free(host.isa);
    hx_diag_free(host.diag);
    return code;
}
