/* Counts are exact: for every program of programs/, what each instruction did by the executor's profile is
 * what the reference interpreter counts, which runs each thread by itself and puts warps together afterwards.
 */
#include "compare_profile.h"
#include "host_program.h"
#include "unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t gang, workers;
} configurations[] = {{1, 1}, {32, 2}, {64, 1}, {256, 2}, {0, 1}};

struct run {
    const char *path;
    hx_diag *diag;
    hx_program *program;
    struct host_program host;
    hx_device *device;
    hx_buffer **buffers;
    size_t configuration;
};

/* Threads that look again and again until another one has done something: how often, and which lanes of a
 * warp are together behind it, depends on who runs when. */
static const struct {
    const char *path;
    uint32_t first, end; /* instructions that look */
} spins[] = {{"/programs/spin_lock.yaml", 6, 9}};

/* ---- One step ------------------------------------------------------------------------------------------ */

static void compare(const struct run *run, const struct kernel *kernel, uint32_t at, const char *what,
                    uint64_t have, uint64_t want)
{
    ck_assert_msg(have == want, "%s:%d: %s: gangs of %u, %u workers: %s is %llu, the reference has %llu",
                  run->path, kernel->lines[at].place.line, kernel->lines[at].text,
                  configurations[run->configuration].gang, configurations[run->configuration].workers, what,
                  (unsigned long long)have, (unsigned long long)want);
}

/* True when the program spins; then all that is certain is compared. */
static bool compare_spinning(const struct run *run, const struct kernel *kernel,
                             const hx_instruction_profile *have, const struct reference_count *want)
{
    for (size_t s = 0; s < HX_COUNT_OF(spins); s++) {
        if (!strstr(run->path, spins[s].path))
            continue;
        for (uint32_t i = 0; i < kernel->code_count; i++)
            if (i < spins[s].first || i >= spins[s].end)
                compare(run, kernel, i, "lanes", have[i].lanes,
                        profile_wanted_lanes(&kernel->code[i], &want[i]));
        return true;
    }
    return false;
}

static void compare_step(const struct run *run, const struct kernel *kernel,
                         const hx_instruction_profile *have, const struct reference_count *want)
{
    struct profile_difference found;
    if (profile_differs(kernel, have, want, &found))
        compare(run, kernel, found.instruction, found.what, found.have, found.want);
}

static void compare_counts(const struct run *run, const struct kernel *kernel, const hx_counts *have,
                           const struct reference_count *want)
{
    uint64_t lanes = 0, loaded[SPACE_COUNT] = {0}, stored[SPACE_COUNT] = {0};
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        lanes += profile_wanted_lanes(&kernel->code[i], &want[i]);
        loaded[kernel->code[i].opcode->space] += want[i].loaded;
        stored[kernel->code[i].opcode->space] += want[i].stored;
    }
    compare(run, kernel, 0, "thread_instructions", have->thread_instructions, lanes);
    for (int space = 0; space < SPACE_COUNT; space++) {
        compare(run, kernel, 0, "loaded_bytes", have->loaded_bytes[space], loaded[space]);
        compare(run, kernel, 0, "stored_bytes", have->stored_bytes[space], stored[space]);
    }
}

static void run_step(struct run *run, const struct launch_step *step)
{
    const size_t index = (size_t)(step->kernel - run->program->kernels);
    const uint32_t count = step->kernel->code_count;
    hx_instruction_profile *profile = calloc(count, sizeof *profile);
    struct reference_count *counts = calloc(count, sizeof *counts);
    struct reference_launch launch = host_program_launch(&run->host, step);
    hx_launch_options options = {.size = sizeof options,
                                 .gang_lanes = configurations[run->configuration].gang,
                                 .workers = configurations[run->configuration].workers,
                                 .dynamic_shared_bytes = step->dynamic_shared,
                                 .profile = profile,
                                 .collect = HX_COLLECT_WARPS | HX_COLLECT_MEMORY};
    hx_launch_result result = {.size = sizeof result};
    hx_kernel *kernel = NULL;
    memcpy(options.grid, step->grid, sizeof options.grid);
    memcpy(options.block, step->block, sizeof options.block);
    launch.counts = counts;
    ck_assert_int_eq(hx_kernel_new(run->program, index, NULL, run->diag, &kernel), HX_OK);
    ck_assert_int_eq(hx_launch(run->device, kernel, &options, run->buffers, run->diag, &result), HX_OK);
    ck_assert_int_eq(reference_run(&launch).end, REFERENCE_DONE);
    if (!compare_spinning(run, step->kernel, profile, counts)) {
        compare_step(run, step->kernel, profile, counts);
        compare_counts(run, step->kernel, &result.counts, counts);
    }
    hx_kernel_free(kernel);
    free(profile);
    free(counts);
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

static void fill_buffers(struct run *run)
{
    const struct array_list *list = &run->program->buffers;
    host_program_reset(&run->host);
    for (size_t i = 0; i < list->count; i++)
        memcpy(hx_buffer_data(run->buffers[i]), run->host.buffers[i].fresh, run->host.buffers[i].bytes);
}

static void run_program(struct run *run, const hx_isa *isa)
{
    ck_assert_int_eq(hx_diag_new(NULL, &run->diag), HX_OK);
    ck_assert_int_eq(hx_program_load(run->path, isa, NULL, run->diag, &run->program), HX_OK);
    ck_assert(host_program_init(&run->host, run->program, run->diag));
    const struct array_list *list = &run->program->buffers;
    run->buffers = calloc(list->count + 1, sizeof *run->buffers);
    for (size_t i = 0; i < list->count; i++)
        ck_assert_int_eq(hx_buffer_new(run->device, list->items[i].name, run->host.buffers[i].bytes,
                                       (hx_buffer_access)list->items[i].access, run->diag, &run->buffers[i]),
                         HX_OK);
    for (run->configuration = 0; run->configuration < HX_COUNT_OF(configurations); run->configuration++) {
        fill_buffers(run);
        for (size_t s = 0; s < run->program->step_count; s++)
            for (uint32_t times = 0; times < run->program->steps[s].repeat; times++)
                run_step(run, &run->program->steps[s]);
    }
    for (size_t i = 0; i < list->count; i++)
        hx_buffer_free(run->device, run->buffers[i]);
    free(run->buffers);
    host_program_done(&run->host);
    hx_program_free(run->program);
    hx_diag_free(run->diag);
}

START_TEST(programs_are_counted_exactly)
{
    const hx_device_options options = {.size = sizeof options, .workers = 2};
    hx_isa *isa = NULL;
    hx_device *device = NULL;
    glob_t found;
    ck_assert_int_eq(hx_isa_load(NULL, NULL, NULL, &isa), HX_OK);
    ck_assert_int_eq(hx_device_new(&options, NULL, &device), HX_OK);
    ck_assert_int_eq(glob(HX_SOURCE_DIR "/programs/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct run run = {.path = found.gl_pathv[i], .device = device};
        run_program(&run, isa);
    }
    globfree(&found);
    hx_device_free(device);
    hx_isa_free(isa);
}
END_TEST

UNIT_MAIN("profile_counts", programs_are_counted_exactly)
