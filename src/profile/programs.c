/* Profiles of several programs: see programs.h. */
#include "profile/programs.h"

#include "base/crc32.h"
#include "base/range.h"
#include "profile/modelled.h"
#include "program/parts.h"

#include <math.h>
#include <string.h>

struct source_key {
    uint32_t crc;
    size_t bytes;
    const struct profile_source_text *text;
};
struct kernel_key {
    const char *name;
    uint32_t source, index, code_count, place; /* source: of the sources' keys; place: as kernel_of has it */
};
struct profile_programs {
    LIST(struct source_key) sources;
    LIST(struct kernel_key) kernels;
    size_t current; /* of `kernels`: that of the launch which begins */
    uint64_t instructions, left_out;
};

hx_status programs_new(const char *name, const hx_run_options *options, const char *device,
                       const hx_allocator *allocator, hx_diag *diag, hx_profile **ret_profile)
{
    hx_profile *profile = profile_new_empty(options, 1, allocator);
    if (!profile)
        return diag_no_memory(diag);
    struct arena *arena = &profile->arena;
    profile->programs = ARENA_NEW(arena, struct profile_programs);
    profile->kernels = ARENA_ARRAY(arena, struct profile_kernel, PROGRAMS_KERNELS);
    profile->program = profile->file = arena_copy(arena, name, strlen(name));
    profile->isa = profile->cpu_level = profile->inputs = arena_copy(arena, "", 0);
    if (!profile->programs || !profile->kernels || !profile->program || !profile->inputs) {
        hx_profile_free(profile);
        return diag_no_memory(diag);
    }
    const hx_status status = modelled_open(profile, device, NULL, diag);
    if (status != HX_OK) {
        hx_profile_free(profile);
        return status;
    }
    *ret_profile = profile;
    return HX_OK;
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

uint32_t *programs_place(hx_profile *profile)
{
    return &profile->programs->kernels.items[profile->programs->current].place;
}

const struct profile_source_text *programs_source(const hx_profile *profile)
{
    const struct profile_programs *programs = profile->programs;
    return programs->sources.items[programs->kernels.items[programs->current].source].text;
}

/* Programs that know nothing of each other have sources of the same name. */
static const char *unique_name(hx_profile *profile, const char *name)
{
    uint32_t same = 0;
    const size_t length = strlen(name);
    for (size_t i = 0; i < profile->sources.count; i++) {
        const char *other = profile->sources.items[i]->name;
        same += strncmp(other, name, length) == 0 && (other[length] == '\0' || other[length] == '#');
    }
    return same ? arena_format(&profile->arena, "%s#%u", name, same + 1) : name;
}

/* The number of a source's key; UINT32_MAX: no memory. */
static uint32_t find_source(hx_profile *profile, const hx_program *program)
{
    struct profile_programs *programs = profile->programs;
    const struct source *source = program_code_source(program), nothing = {.name = source->name};
    const struct source *text = program->is_binary ? &nothing : source;
    struct source_key key = {.crc = crc32_of(text->text ? text->text : "", text->bytes),
                             .bytes = text->bytes};
    for (size_t i = 0; i < programs->sources.count; i++)
        if (programs->sources.items[i].crc == key.crc && programs->sources.items[i].bytes == key.bytes)
            return (uint32_t)i;
    const char *name = unique_name(profile, source->name ? source->name : "program");
    key.text = name ? profile_add_source(profile, text, name) : NULL;
    if (!key.text || !LIST_PUSH(profile->arena.allocator, &programs->sources, key))
        return UINT32_MAX;
    return (uint32_t)programs->sources.count - 1;
}

/* Makes the kernel the current one. */
static bool find_kernel(hx_profile *profile, const hx_kernel *kernel)
{
    struct profile_programs *programs = profile->programs;
    const struct kernel *code = kernel_code(kernel);
    struct kernel_key key = {.name = code->name, .index = code->index, .code_count = code->code_count};
    key.source = find_source(profile, kernel->program);
    for (programs->current = 0; programs->current < programs->kernels.count; programs->current++) {
        const struct kernel_key *other = &programs->kernels.items[programs->current];
        if (other->source == key.source && other->index == key.index && other->code_count == key.code_count &&
            strcmp(other->name, key.name) == 0)
            return true;
    }
    if (key.source == UINT32_MAX || profile->kernel_count == PROGRAMS_KERNELS ||
        programs->instructions + code->code_count > PROGRAMS_INSTRUCTIONS)
        return false;
    key.name = arena_copy(&profile->arena, code->name, strlen(code->name));
    if (!key.name || !LIST_PUSH(profile->arena.allocator, &programs->kernels, key))
        return false;
    programs->instructions += code->code_count;
    return true;
}

/* Where it runs, which is the same for all. */
static bool take_engine(hx_profile *profile, const hx_kernel *kernel, const hx_device *device)
{
    const char *isa = kernel->program->isa->name, *level = hx_device_cpu_level(device);
    if (*profile->isa)
        return true;
    profile->isa_crc = kernel->program->isa->crc;
    profile->cpu_level = arena_copy(&profile->arena, level, strlen(level));
    const char *name = arena_copy(&profile->arena, isa, strlen(isa));
    if (!profile->cpu_level || !name) {
        profile->cpu_level = profile->inputs; /* which is empty */
        return false;
    }
    profile->isa = name;
    return true;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* One of the three passes that the launch is. */
static bool begin_pass(hx_profile *profile, const hx_kernel *kernel, hx_device *device,
                       hx_launch_options *options, enum profile_pass pass, struct profile_step *step)
{
    step->pass = pass;
    profile->step -= pass == PASS_PLAIN ? 0 : 1;
    return profile_launch_begin(profile, kernel_code(kernel), device, options, NULL, step) == HX_OK;
}

void programs_begin(hx_profile *profile, const hx_kernel *kernel, hx_device *device,
                    hx_launch_options *options, struct programs_step *step)
{
    const hx_launch_options before = *options;
    const uint64_t number = profile->step;
    step->listeners = NULL;
    if (!take_engine(profile, kernel, device) || !find_kernel(profile, kernel) ||
        !begin_pass(profile, kernel, device, options, PASS_PLAIN, &step->plain) ||
        !begin_pass(profile, kernel, device, options, PASS_TIMED, &step->timed) ||
        !begin_pass(profile, kernel, device, options, PASS_COUNTED, &step->counted) ||
        modelled_launch_begin(profile, NULL, 0, options, NULL, &step->counted) != HX_OK) {
        *options = before;
        profile->step = number;
        profile->programs->left_out++;
        return;
    }
    struct exec_listener *last = profile->model ? &step->counted.modelling : &step->counted.collecting;
    last->next = step->timed.listeners;
    step->listeners = step->counted.listeners;
}

void programs_end(hx_profile *profile, const hx_launch_result *result, struct programs_step *step)
{
    hx_run_result *sum = &profile->result;
    if (!step->listeners)
        return;
    sum->launches++;
    sum->duration_ns += result->duration_ns;
    sum->threads += result->threads;
    sum->blocks += result->blocks;
    range_add(&sum->workers_least, &sum->workers, result->workers);
    range_add(&sum->gang_lanes_least, &sum->gang_lanes, result->gang_lanes);
    profile_launch_end(profile, result, &step->plain);
    profile_launch_end(profile, result, &step->timed);
    profile_launch_end(profile, result, &step->counted);
}

void programs_step_done(struct programs_step *step, const hx_allocator *allocator)
{
    profile_step_done(&step->plain, allocator);
    profile_step_done(&step->timed, allocator);
    profile_step_done(&step->counted, allocator);
}

uint64_t programs_left_out(const hx_profile *profile)
{
    return profile->programs->left_out;
}

hx_status programs_finish(hx_profile *profile, hx_diag *diag)
{
    const uint64_t launches = profile->step;
    profile->reached = (double)NAN;
    profile->ended = HX_PROFILE_END_RUNS;
    hx_status status = HX_OK;
    for (int pass = PASS_PLAIN; status == HX_OK && pass <= PASS_COUNTED; pass++) {
        profile->step = launches;
        status = profile_pass_end(profile, (enum profile_pass)pass, diag);
    }
    return status == HX_OK ? profile_finish(profile, diag) : status;
}
