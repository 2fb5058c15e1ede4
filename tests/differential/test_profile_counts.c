/* Counts are exact: for every program of programs/, what each instruction did by the executor's profile is
 * what the reference interpreter counts, which runs each thread by itself and puts warps together afterwards.
 */
#include "compare_profile.h"
#include "exec/launch.h"
#include "hexec/collector.h"
#include "host_program.h"
#include "program/address.h"
#include "unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t gang, workers;
    bool observed; /* each access is reported to an observer, and warps take turns */
} configurations[] = {{1, 1, false}, {32, 2, false}, {64, 1, false}, {256, 2, false}, {0, 1, true}};

struct run {
    const char *path;
    hx_diag *diag;
    hx_program *program;
    struct host_program host;
    hx_device *device;
    hx_buffer **buffers;
    struct reference_count **counts; /* of each launch */
    struct sequence sequence;
    size_t configuration;
};

/* Threads that look again and again until another one has done something: how often, and which lanes of a
 * warp are together behind it, depends on the order in which they run. */
static const struct {
    const char *path;
    uint32_t first, end; /* instructions that look */
} spins[] = {{"/programs/spin_lock.yaml", 6, 9}};

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
    if (profile_differs(kernel, have, want, true, &found))
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

/* Lanes that a listener sees, for each instruction. */
static int see_access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    uint64_t *lanes = user;
    (void)refusal;
    ck_assert_uint_eq(event->at.worker, 0);
    for (uint64_t left = event->lanes; left; left &= left - 1)
        lanes[event->at.instruction]++;
    return 0;
}

static void compare_seen(const struct run *run, const struct kernel *kernel, const uint64_t *lanes,
                         const hx_instruction_profile *profile)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (configurations[run->configuration].observed && shape_is_memory(kernel->code[i].opcode->shape))
            compare(run, kernel, i, "lanes seen", lanes[i], profile[i].lanes);
}

static void run_step(const struct run *run, const struct launch_step *step,
                     const struct reference_count *want)
{
    const size_t index = (size_t)(step->kernel - run->program->kernels);
    const uint32_t count = step->kernel->code_count;
    const bool observed = configurations[run->configuration].observed;
    hx_instruction_profile *profile = calloc(count, sizeof *profile);
    uint64_t *seen = calloc(count, sizeof *seen);
    const hx_listener seeing = {
        .size = sizeof seeing, .events = HX_EVENT_ACCESS, .user = seen, .access = see_access};
    hx_launch_options options = {.size = sizeof options,
                                 .gang_lanes = configurations[run->configuration].gang,
                                 .workers = configurations[run->configuration].workers,
                                 .dynamic_shared_bytes = step->dynamic_shared,
                                 .turns = observed ? HX_TURNS_ACCESS : HX_TURNS_LONG};
    hx_collector collector = {
        .size = sizeof collector, .collect = HX_COLLECT_WARPS | HX_COLLECT_MEMORY, .profile = profile};
    const hx_listener collecting = hx_collector_listener(&collector, &options);
    const hx_listener *const listeners[] = {&collecting, &seeing};
    options.listeners = listeners;
    options.listener_count = observed ? 2 : 1;
    hx_launch_result result = {.size = sizeof result};
    hx_kernel *kernel = NULL;
    memcpy(options.grid, step->grid, sizeof options.grid);
    memcpy(options.block, step->block, sizeof options.block);
    ck_assert_int_eq(hx_kernel_new(run->program, index, NULL, run->diag, &kernel), HX_OK);
    ck_assert_int_eq(
        exec_launch_gathered(run->device, kernel, &options, run->sequence.taken, NULL, run->diag, &result),
        HX_OK);
    if (!compare_spinning(run, step->kernel, profile, want)) {
        compare_step(run, step->kernel, profile, want);
        compare_counts(run, step->kernel, &result.counts, want);
    }
    compare_seen(run, step->kernel, seen, profile);
    hx_kernel_free(kernel);
    free(profile);
    free(seen);
}

#define LAUNCHES_MAX 64

/* Calls `launch` for each launch of the sequence that was begun. */
static void each_launch(struct run *run, void (*launch)(struct run *run, const struct launch_step *step,
                                                        struct reference_count **counts))
{
    enum sequence_event event = SEQUENCE_PASS;
    const struct launch_step *step;
    size_t number = 0;
    while (event != SEQUENCE_END) {
        ck_assert_int_eq(sequence_next(&run->sequence, run->diag, &event, &step), HX_OK);
        if (!step)
            continue;
        ck_assert_uint_lt(number, LAUNCHES_MAX);
        launch(run, step, &run->counts[number++]);
    }
    sequence_done(&run->sequence);
}

static const void *contents(void *user, size_t buffer)
{
    const struct run *run = user;
    return hx_buffer_data(run->buffers[buffer]);
}

static void begin_executor(struct run *run)
{
    uint64_t addresses[32] = {0};
    ck_assert_uint_le(run->program->buffers.count, HX_COUNT_OF(addresses));
    for (size_t i = 0; i < run->program->buffers.count; i++)
        addresses[i] = hx_buffer_address(run->buffers[i]);
    for (size_t i = 0; i < run->program->buffers.count; i++)
        address_fill(run->program, &run->program->buffers.items[i], hx_buffer_data(run->buffers[i]),
                     addresses);
    ck_assert_int_eq(sequence_init(&run->sequence, run->program, addresses, contents, run, NULL, NULL),
                     HX_OK);
}

static void launch_reference(struct run *run, const struct launch_step *step, struct reference_count **counts)
{
    struct reference_launch launch = host_program_launch(&run->host, step);
    launch.values = run->sequence.taken;
    launch.counts = *counts = calloc(step->kernel->code_count, sizeof **counts);
    ck_assert_int_eq(reference_run(&launch).end, REFERENCE_DONE);
}

static void launch_executor(struct run *run, const struct launch_step *step, struct reference_count **counts)
{
    run_step(run, step, *counts);
}

static void fill_buffers(const struct run *run)
{
    const struct array_list *list = &run->program->buffers;
    for (size_t i = 0; i < list->count; i++)
        memcpy(hx_buffer_data(run->buffers[i]), run->host.buffers[i].fresh, run->host.buffers[i].bytes);
}

static void run_program(struct run *run, const hx_isa *isa)
{
    struct reference_count *counts[LAUNCHES_MAX] = {NULL};
    run->counts = counts;
    ck_assert_int_eq(hx_diag_new(NULL, &run->diag), HX_OK);
    ck_assert_int_eq(hx_program_load(run->path, isa, NULL, run->diag, &run->program), HX_OK);
    ck_assert(host_program_init(&run->host, run->program, run->diag));
    const struct array_list *list = &run->program->buffers;
    run->buffers = calloc(list->count + 1, sizeof *run->buffers);
    for (size_t i = 0; i < list->count; i++)
        ck_assert_int_eq(hx_buffer_new(run->device, list->items[i].name, run->host.buffers[i].bytes,
                                       (hx_buffer_access)list->items[i].access, run->diag, &run->buffers[i]),
                         HX_OK);
    ck_assert(host_program_sequence(&run->host, &run->sequence));
    each_launch(run, launch_reference);
    for (run->configuration = 0; run->configuration < HX_COUNT_OF(configurations); run->configuration++) {
        fill_buffers(run);
        begin_executor(run);
        each_launch(run, launch_executor);
    }
    for (size_t i = 0; i < list->count; i++)
        hx_buffer_free(run->device, run->buffers[i]);
    for (size_t i = 0; i < LAUNCHES_MAX; i++)
        free(counts[i]);
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
