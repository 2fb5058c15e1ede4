/* Comparing the executor with the reference, and making what differs small.
 *
 * Takes the lines of a program, which are assembled anew for each try: so a program that was cut down is
 * exactly what is written to the file in the end. */
#include "compare.h"
#include "base/machine.h"
#include "compare_profile.h"
#include "host_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS_MAX UINT64_C(20000000) /* of a run, far more than a generated program has */
#define TIMEOUT_NS       UINT64_C(120000000000)

/* ---- Devices ----------------------------------------------------------------------------------------------
 */

bool comparer_init(struct comparer *comparer, const hx_isa *isa, const char *level)
{
    *comparer = (struct comparer){.isa = isa};
    for (int l = CPU_LEVEL_PLAIN; l <= (int)machine_cpu_level(); l++) {
        const char *name = cpu_level_name((enum cpu_level)l);
        hx_device_options options = {.size = sizeof options, .workers = 2, .cpu_level = name};
        hx_device *device;
        if ((!level || strcmp(level, name) == 0) && hx_device_new(&options, NULL, &device) == HX_OK)
            comparer->devices[comparer->device_count++] = device;
    }
    return comparer->device_count > 0;
}

void comparer_done(struct comparer *comparer)
{
    for (size_t i = 0; i < comparer->device_count; i++)
        hx_device_free(comparer->devices[i]);
    comparer->device_count = 0;
}

/* ---- A program that is being compared
 * ---------------------------------------------------------------------- */

struct trial {
    const struct comparer *comparer;
    hx_diag *diag;
    hx_program *program;
    hx_kernel *kernel;
    struct host_program host; /* what the reference left is in its `data` */
    hx_buffer **buffers;      /* of the device that is compared now */
    struct reference_count *counts;
    uint64_t warp_jumps; /* of the reference's result */
    struct comparison result;
};

static void trial_done(struct trial *trial)
{
    if (trial->program)
        host_program_done(&trial->host);
    free(trial->buffers);
    free(trial->counts);
    hx_kernel_free(trial->kernel);
    hx_program_free(trial->program);
    hx_diag_free(trial->diag);
}

static bool give_up(struct trial *trial, enum verdict verdict, const char *what, const char *detail)
{
    trial->result.kind = what;
    trial->result.verdict = verdict;
    snprintf(trial->result.what, sizeof trial->result.what, "%s: %s", what, detail);
    return false;
}

static const char *first_error(const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        if (hx_diag_at(diag, i)->severity == HX_ERROR)
            return hx_diag_at(diag, i)->message;
    return "no reason given";
}

static bool load(struct trial *trial, const struct generated *generated)
{
    char *text = generated_text(generated, "random");
    if (hx_diag_new(NULL, &trial->diag) != HX_OK || !text) {
        free(text);
        return give_up(trial, VERDICT_UNUSABLE, "loading", "out of memory");
    }
    hx_status status = hx_program_load_bytes("random.yaml", NULL, text, strlen(text), trial->comparer->isa,
                                             NULL, trial->diag, &trial->program);
    free(text);
    if (status == HX_OK)
        status = hx_kernel_new(trial->program, 0, NULL, trial->diag, &trial->kernel);
    if (status != HX_OK)
        return give_up(trial, VERDICT_UNUSABLE, "loading", first_error(trial->diag));
    trial->buffers = calloc(trial->program->buffers.count + 1, sizeof *trial->buffers);
    if (!trial->buffers || !host_program_init(&trial->host, trial->program, trial->diag))
        return give_up(trial, VERDICT_UNUSABLE, "filling buffers", first_error(trial->diag));
    return true;
}

static bool run_reference(struct trial *trial)
{
    struct reference_launch launch = host_program_launch(&trial->host, &trial->program->steps[0]);
    launch.max_instructions = INSTRUCTIONS_MAX;
    launch.counts = trial->counts = calloc(launch.kernel->code_count, sizeof *trial->counts);
    const struct reference_result result = reference_run(&launch);
    trial->warp_jumps = result.warp_jumps;
    if (result.end == REFERENCE_DONE)
        return true;
    const struct code_line *line = &launch.kernel->lines[result.instruction];
    give_up(trial, VERDICT_UNUSABLE, reference_end_text(result.end), line->text);
    return false;
}

static bool make_buffers(struct trial *trial, hx_device *device)
{
    const struct array_list *list = &trial->program->buffers;
    for (size_t i = 0; i < list->count; i++)
        if (hx_buffer_new(device, list->items[i].name, trial->host.buffers[i].bytes,
                          (hx_buffer_access)list->items[i].access, NULL, &trial->buffers[i]) != HX_OK)
            return false;
    return true;
}

static void free_buffers(struct trial *trial, hx_device *device)
{
    for (size_t i = 0; i < trial->program->buffers.count; i++)
        if (trial->buffers[i]) {
            hx_buffer_free(device, trial->buffers[i]);
            trial->buffers[i] = NULL;
        }
}

/* The first difference, as 64-bit elements: those of `output` tell thread and slot. */
static bool compare_buffers(struct trial *trial, uint32_t slots)
{
    for (size_t b = 0; b < trial->program->buffers.count; b++) {
        const uint64_t *have = hx_buffer_data(trial->buffers[b]), *want = trial->host.buffers[b].data;
        const size_t count = trial->host.buffers[b].bytes / sizeof *have;
        if (memcmp(have, want, trial->host.buffers[b].bytes) == 0)
            continue;
        size_t i = 0;
        while (i + 1 < count && have[i] == want[i])
            i++;
        trial->result.verdict = VERDICT_DIFFERENT;
        trial->result.kind = "buffer";
        snprintf(trial->result.what, sizeof trial->result.what,
                 "%s[%zu] (thread %zu, slot %zu) is 0x%016llx, the reference has 0x%016llx",
                 trial->program->buffers.items[b].name, i, i / slots, i % slots, (unsigned long long)have[i],
                 (unsigned long long)want[i]);
        return false;
    }
    return true;
}

static bool compare_profile(struct trial *trial, const hx_instruction_profile *profile)
{
    const struct kernel *kernel = trial->program->steps[0].kernel;
    struct profile_difference found;
    if (!profile_differs(kernel, profile, trial->counts, trial->warp_jumps < PROFILE_TURN_JUMPS, &found))
        return true;
    trial->result.verdict = VERDICT_DIFFERENT;
    trial->result.kind = found.what;
    snprintf(trial->result.what, sizeof trial->result.what, "%s of \"%s\" is %llu, the reference has %llu",
             found.what, kernel->lines[found.instruction].text, (unsigned long long)found.have,
             (unsigned long long)found.want);
    return false;
}

static hx_listener collect(bool is_wanted, const struct kernel *kernel, hx_collector *collector,
                           hx_launch_options *options)
{
    if (!is_wanted)
        return (hx_listener){0};
    collector->profile = calloc(kernel->code_count, sizeof *collector->profile);
    return hx_collector_listener(collector, options);
}

static hx_launch_options options_of(const struct trial *trial, const struct configuration *configuration,
                                    uint64_t seed)
{
    const struct launch_step *step = &trial->program->steps[0];
    hx_launch_options options = {.size = sizeof options,
                                 .workers = configuration->workers,
                                 .gang_lanes = configuration->gang,
                                 .plain = configuration->plain,
                                 .seed = configuration->shuffled ? seed + 1 : 0,
                                 .turns = seed % 2 ? HX_TURNS_WHOLE : HX_TURNS_LONG,
                                 .timeout_ns = TIMEOUT_NS,
                                 .max_instructions = 4 * INSTRUCTIONS_MAX};
    memcpy(options.grid, step->grid, sizeof options.grid);
    memcpy(options.block, step->block, sizeof options.block);
    return options;
}

/* On fresh buffers. */
static hx_status launch(const struct trial *trial, const struct configuration *configuration,
                        const hx_launch_options *options, hx_launch_result *result)
{
    for (size_t i = 0; i < trial->program->buffers.count; i++)
        memcpy(hx_buffer_data(trial->buffers[i]), trial->host.buffers[i].fresh, trial->host.buffers[i].bytes);
    hx_diag_clear(trial->diag);
    return hx_launch(trial->comparer->devices[configuration->device], trial->kernel, options, trial->buffers,
                     trial->diag, result);
}

/* The order in which paths get their turns behind a nanosleep is not the same in compiled code
 * (docs/compiled-tier.md), and with it the number of issues. */
static bool has_turns(const struct generated *generated)
{
    for (size_t i = 0; i < generated->count; i++)
        if (strstr(generated->lines[i].text, "nanosleep"))
            return true;
    return false;
}

/* Interpreted in gangs as wide as those of compiled code, and compiled: the same bytes and the same counts.
 */
static bool run_compiled(struct trial *trial, const struct configuration *configuration,
                         const struct generated *generated)
{
    hx_launch_options options = options_of(trial, configuration, generated->seed);
    hx_launch_result interpreted = {.size = sizeof interpreted}, compiled = {.size = sizeof compiled};
    options.max_instructions = 0;
    options.gang_lanes = 64;
    options.counts = options.plain = 1;
    hx_status status = launch(trial, configuration, &options, &interpreted);
    options.plain = 0;
    options.tier = HX_TIER_COMPILED;
    if (status == HX_OK)
        status = launch(trial, configuration, &options, &compiled);
    trial->result.was_compiled = compiled.tier == HX_TIER_COMPILED;
    if (status != HX_OK)
        return give_up(trial, VERDICT_DIFFERENT, hx_status_name(status), first_error(trial->diag));
    if (has_turns(generated))
        interpreted.counts.issues = compiled.counts.issues = 0;
    if (trial->result.was_compiled &&
        memcmp(&interpreted.counts, &compiled.counts, sizeof compiled.counts) != 0)
        return give_up(trial, VERDICT_DIFFERENT, "counts", "compiled code counts otherwise");
    return compare_buffers(trial, generated->slots);
}

static bool run_executor(struct trial *trial, const struct configuration *configuration,
                         const struct generated *generated)
{
    if (configuration->compiled)
        return run_compiled(trial, configuration, generated);
    hx_launch_options options = options_of(trial, configuration, generated->seed);
    hx_launch_result result = {.size = sizeof result};
    hx_collector collector = {.size = sizeof collector, .collect = HX_COLLECT_WARPS | HX_COLLECT_MEMORY};
    const hx_listener listener =
        collect(configuration->watched, trial->program->steps[0].kernel, &collector, &options);
    const hx_listener *const listeners[] = {&listener};
    options.listeners = listeners;
    options.listener_count = collector.profile != NULL;
    const hx_status status = launch(trial, configuration, &options, &result);
    const bool same =
        status == HX_OK ? (!collector.profile || compare_profile(trial, collector.profile)) &&
                              compare_buffers(trial, generated->slots)
                        : give_up(trial, VERDICT_DIFFERENT, hx_status_name(status), first_error(trial->diag));
    free(collector.profile);
    return same;
}

struct comparison compare_program(const struct comparer *comparer, const struct generated *generated,
                                  const struct configuration *configurations, size_t count)
{
    struct trial trial = {.comparer = comparer};
    bool same = load(&trial, generated) && run_reference(&trial);
    for (size_t d = 0; same && d < comparer->device_count; d++) {
        if (!make_buffers(&trial, comparer->devices[d]))
            same = give_up(&trial, VERDICT_UNUSABLE, "making buffers", "out of memory");
        for (size_t c = 0; same && c < count; c++) {
            if (configurations[c].device != d)
                continue;
            trial.result.configuration = configurations[c];
            same = run_executor(&trial, &configurations[c], generated);
        }
        free_buffers(&trial, comparer->devices[d]);
    }
    trial_done(&trial);
    return trial.result;
}

/* ---- Making it small
 * --------------------------------------------------------------------------------------- */

static bool still_differs(const struct comparer *comparer, const struct generated *generated,
                          const struct comparison *found)
{
    const struct comparison now = compare_program(comparer, generated, &found->configuration, 1);
    return now.verdict == VERDICT_DIFFERENT && strcmp(now.kind, found->kind) == 0;
}

static bool is_label(const char *line)
{
    return line[strlen(line) - 1] == ':';
}

/* What may be deleted now. */
struct deletion {
    bool meetings; /* barriers and what leads to them, too */
    bool labels;   /* labels alone */
};

static bool may_go(const struct generated_line *line, const struct deletion *deletion)
{
    if (deletion->labels)
        return is_label(line->text);
    return line->role == LINE_FREE || (line->role == LINE_MEETING && deletion->meetings);
}

/* Tries without `width` lines from `at` on; forgets them when the program still differs. */
static bool try_without(const struct comparer *comparer, struct generated *generated, size_t at, size_t width,
                        const struct deletion *deletion, const struct comparison *found)
{
    struct generated shorter = *generated;
    char **gone = calloc(width, sizeof *gone);
    size_t gone_count = 0;
    shorter.lines = calloc(generated->count, sizeof *shorter.lines);
    shorter.count = 0;
    for (size_t i = 0; shorter.lines && gone && i < generated->count; i++) {
        const struct generated_line *line = &generated->lines[i];
        if (i >= at && i < at + width && may_go(line, deletion))
            gone[gone_count++] = line->text;
        else
            shorter.lines[shorter.count++] = *line;
    }
    const bool differs = gone_count > 0 && still_differs(comparer, &shorter, found);
    if (differs) {
        memcpy(generated->lines, shorter.lines, shorter.count * sizeof *shorter.lines);
        generated->count = shorter.count;
    }
    while (differs && gone_count > 0)
        free(gone[--gone_count]);
    free(gone);
    free(shorter.lines);
    return differs;
}

/* Halves, quarters, ... and in the end single lines, until nothing goes any more. */
static void delete_lines(const struct comparer *comparer, struct generated *generated,
                         const struct deletion *deletion, const struct comparison *found)
{
    bool changed = true;
    for (size_t width = generated->count / 2 + 1; width > 1 || changed; width = (width + 1) / 2) {
        changed = false;
        for (size_t at = 0; at < generated->count;) {
            const bool gone = try_without(comparer, generated, at, width, deletion, found);
            changed |= gone;
            at += gone ? 0 : width;
        }
    }
}

static void make_shape_small(const struct comparer *comparer, struct generated *generated,
                             const struct comparison *found)
{
    for (int axis = 0; axis < 6; axis++) {
        uint32_t *extent = axis < 3 ? &generated->grid[axis] : &generated->block[axis - 3];
        for (uint32_t step = *extent / 2; step > 0; step /= 2)
            while (*extent > step) {
                *extent -= step;
                if (still_differs(comparer, generated, found))
                    continue;
                *extent += step;
                break;
            }
    }
}

void minimise(const struct comparer *comparer, struct generated *generated, const struct comparison *found)
{
    struct deletion deletion = {false, false};
    bool reads_others = false;
    make_shape_small(comparer, generated, found);
    delete_lines(comparer, generated, &deletion, found);
    for (size_t i = 0; i < generated->count; i++)
        reads_others |= generated_reads_others(generated->lines[i].text);
    deletion.meetings = !reads_others;
    delete_lines(comparer, generated, &deletion, found);
    deletion.labels = true;
    delete_lines(comparer, generated, &deletion, found);
    make_shape_small(comparer, generated, found);
}
