/* How much faster the executor is than the reference interpreter.
 *
 *     reference_ratio [--program FILE] [--param NAME=VALUE]... [--grid X[,Y[,Z]]] [--level L] [--runs N]
 * [--blocks N]
 *
 * Runs the first launch of a program (programs/matmul_tiled.yaml with n = 512 unless another is given) on the
 * executor with one worker and on the reference interpreter, in turns in one process, and prints the medians
 * of the CPU time they took and their ratio. The results must be the same. With --blocks the reference runs
 * only so many blocks, and its time is scaled. */
#include "hexec/launch.h"
#include "host_program.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS_MAX   99
#define PARAMS_MAX 16

struct options {
    const char *program, *grid, *level;
    char *params[PARAMS_MAX];
    size_t param_count;
    unsigned runs;
    uint64_t blocks;
};

/* What is measured: one program, ready on both sides. */
struct bench {
    hx_diag *diag;
    hx_isa *isa;
    hx_program *program;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer **buffers;
    struct host_program host;
    struct launch_step step;
    uint64_t instructions; /* of the reference's run */
    uint64_t reference_blocks;
};

static hx_status print(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}

static int fail(const struct bench *bench, const char *what)
{
    for (size_t i = 0; i < hx_diag_count(bench->diag); i++)
        hx_diagnostic_render(hx_diag_at(bench->diag, i), NULL, print, stderr);
    fprintf(stderr, "reference_ratio: %s\n", what);
    return 2;
}

static bool read_grid(const char *text, uint32_t *grid)
{
    char *end = NULL;
    grid[0] = grid[1] = grid[2] = 1;
    for (int axis = 0; axis < 3; axis++, text = end + 1) {
        const unsigned long extent = strtoul(text, &end, 10);
        if (extent == 0 || extent > INT32_MAX || (*end != '\0' && *end != ','))
            return false;
        grid[axis] = (uint32_t)extent;
        if (*end == '\0')
            return true;
    }
    return false;
}

static bool prepare(struct bench *bench, const struct options *options)
{
    const hx_device_options device = {.size = sizeof device, .workers = 1, .cpu_level = options->level};
    if (hx_diag_new(NULL, &bench->diag) != HX_OK ||
        hx_isa_load(NULL, NULL, bench->diag, &bench->isa) != HX_OK ||
        hx_program_load(options->program, bench->isa, NULL, bench->diag, &bench->program) != HX_OK)
        return false;
    for (size_t i = 0; i < options->param_count; i++) {
        char *value = strchr(options->params[i], '=');
        if (!value)
            return false;
        *value = '\0';
        if (hx_program_set_param(bench->program, options->params[i], value + 1, bench->diag) != HX_OK)
            return false;
    }
    bench->step = bench->program->steps[0];
    if (options->grid && !read_grid(options->grid, bench->step.grid))
        return false;
    if (!host_program_init(&bench->host, bench->program, bench->diag) ||
        hx_kernel_new(bench->program, bench->step.kernel->index, NULL, bench->diag, &bench->kernel) !=
            HX_OK ||
        hx_device_new(&device, bench->diag, &bench->device) != HX_OK)
        return false;
    const struct array_list *list = &bench->program->buffers;
    bench->buffers = calloc(list->count + 1, sizeof *bench->buffers);
    for (size_t i = 0; bench->buffers && i < list->count; i++)
        if (hx_buffer_new(bench->device, list->items[i].name, bench->host.buffers[i].bytes,
                          (hx_buffer_access)list->items[i].access, bench->diag, &bench->buffers[i]) != HX_OK)
            return false;
    return bench->buffers != NULL;
}

static void done(struct bench *bench)
{
    hx_device_free(bench->device); /* and its buffers */
    hx_kernel_free(bench->kernel);
    if (bench->host.program)
        host_program_done(&bench->host);
    free(bench->buffers);
    hx_program_free(bench->program);
    hx_isa_free(bench->isa);
    hx_diag_free(bench->diag);
}

/* CPU time of the process in nanoseconds: both sides run in one thread, and other programs do not count. */
static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Nanoseconds; 0 when it failed. */
static uint64_t time_executor(struct bench *bench)
{
    hx_launch_options options = {.size = sizeof options, .workers = 1};
    hx_launch_result result = {.size = sizeof result};
    memcpy(options.grid, bench->step.grid, sizeof options.grid);
    memcpy(options.block, bench->step.block, sizeof options.block);
    options.dynamic_shared_bytes = bench->step.dynamic_shared;
    for (size_t i = 0; i < bench->program->buffers.count; i++)
        memcpy(hx_buffer_data(bench->buffers[i]), bench->host.buffers[i].fresh, bench->host.buffers[i].bytes);
    const uint64_t start = now_ns();
    const hx_status status =
        hx_launch(bench->device, bench->kernel, &options, bench->buffers, bench->diag, &result);
    return status == HX_OK ? now_ns() - start : 0;
}

static uint64_t time_reference(struct bench *bench, uint64_t blocks)
{
    struct reference_launch launch = host_program_launch(&bench->host, &bench->step);
    launch.blocks = blocks;
    host_program_reset(&bench->host);
    const uint64_t start = now_ns();
    const struct reference_result result = reference_run(&launch);
    bench->instructions = result.instructions;
    bench->reference_blocks = result.blocks;
    return result.end == REFERENCE_DONE ? now_ns() - start : 0;
}

static bool results_agree(const struct bench *bench)
{
    for (size_t i = 0; i < bench->program->buffers.count; i++)
        if (memcmp(hx_buffer_data(bench->buffers[i]), bench->host.buffers[i].data,
                   bench->host.buffers[i].bytes) != 0)
            return false;
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double median(uint64_t *times, unsigned count)
{
    qsort(times, count, sizeof *times, compare_times);
    return (double)times[count / 2];
}

static int measure(struct bench *bench, const struct options *options)
{
    uint64_t executor[RUNS_MAX], reference[RUNS_MAX];
    const uint64_t blocks = (uint64_t)bench->step.grid[0] * bench->step.grid[1] * bench->step.grid[2];
    for (unsigned i = 0; i < options->runs; i++) {
        executor[i] = time_executor(bench);
        reference[i] = time_reference(bench, options->blocks);
        if (!executor[i] || !reference[i])
            return fail(bench, "a run failed");
        if (bench->reference_blocks == blocks && !results_agree(bench))
            return fail(bench, "executor and reference differ");
    }
    const double part = (double)bench->reference_blocks / (double)blocks;
    const double instructions = (double)bench->instructions / part;
    const double fast = median(executor, options->runs), slow = median(reference, options->runs) / part;
    printf("%s, grid %u,%u,%u, %.0f thread-instructions, medians of %u runs\n", options->program,
           bench->step.grid[0], bench->step.grid[1], bench->step.grid[2], instructions, options->runs);
    printf("executor   %10.2f ms  %6.3f ns an instruction (1 worker, %s)\n", fast / 1e6, fast / instructions,
           hx_device_cpu_level(bench->device));
    printf("reference  %10.2f ms  %6.3f ns an instruction", slow / 1e6, slow / instructions);
    if (part < 1)
        printf(" (scaled from %llu of %llu blocks)", (unsigned long long)bench->reference_blocks,
               (unsigned long long)blocks);
    printf("\nratio      %10.1f\n", slow / fast);
    return 0;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"program", 1, NULL, 'p'}, {"param", 1, NULL, 'a'},  {"grid", 1, NULL, 'g'}, {"level", 1, NULL, 'l'},
        {"runs", 1, NULL, 'r'},    {"blocks", 1, NULL, 'b'}, {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (option == 'p')
            options->program = optarg;
        else if (option == 'a' && options->param_count < PARAMS_MAX)
            options->params[options->param_count++] = optarg;
        else if (option == 'g')
            options->grid = optarg;
        else if (option == 'l')
            options->level = optarg;
        else if (option == 'r')
            options->runs = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'b')
            options->blocks = strtoull(optarg, NULL, 10);
        else
            return false;
    }
    return optind == argc && options->runs >= 1 && options->runs <= RUNS_MAX;
}

int main(int argc, char **argv)
{
    struct options options = {.runs = 5};
    struct bench bench = {0};
    char usual[] = "n=512";
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: reference_ratio [--program FILE] [--param NAME=VALUE]... [--grid X[,Y[,Z]]]\n"
                        "                       [--level L] [--runs N] [--blocks N]\n");
        return 2;
    }
    if (!options.program) {
        options.program = HX_SOURCE_DIR "/programs/matmul_tiled.yaml";
        if (options.param_count == 0) {
            options.params[options.param_count++] = usual;
            options.grid = options.grid ? options.grid : "32,32";
        }
    }
    const int result =
        prepare(&bench, &options) ? measure(&bench, &options) : fail(&bench, "cannot prepare the run");
    done(&bench);
    return result;
}
