/* The models of a GPU as a part of a profile.
 *
 * Takes what the models say launch by launch, leaves sums: counts of the caches for each instruction and
 * buffer, times for each kernel. Where nothing was modelled sums are NaN, which metrics tell as having no
 * value. */
#include "profile/modelled.h"

#include <math.h>
#include <string.h>

hx_status modelled_open(hx_profile *profile, const char *device, const hx_program *program, hx_diag *diag)
{
    const hx_allocator *allocator = profile->arena.allocator;
    const size_t count = program ? program->buffers.count : 0;
    if (device && strcmp(device, "none") == 0)
        return HX_OK;
    profile->buffer_names = ARENA_ARRAY(&profile->arena, const char *, count + 2);
    profile->buffer_bytes = ARENA_ARRAY(&profile->arena, uint64_t, count + 2);
    if (!profile->buffer_names || !profile->buffer_bytes)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const char *name = program->buffers.items[i].name;
        if (!(profile->buffer_names[i] = arena_copy(&profile->arena, name, strlen(name))))
            return diag_no_memory(diag);
    }
    profile->buffer_names[count] = "(other global memory)";
    profile->buffer_names[count + 1] = "(local memory)";
    profile->buffer_count = count;
    hx_status status = gpu_load(device, allocator, diag, &profile->gpu);
    if (status != HX_OK || profile->options.launch.seed != 0 || profile->options.replay)
        return status;
    const struct model_options options = {.gpu = profile->gpu};
    return model_new(&options, allocator, diag, &profile->model);
}

void modelled_close(hx_profile *profile)
{
    model_free(profile->model);
    gpu_free(profile->gpu);
    profile->model = NULL;
    profile->gpu = NULL;
}

hx_status modelled_launch_begin(hx_profile *profile, hx_buffer *const *buffers, size_t count,
                                hx_launch_options *options, hx_diag *diag, struct profile_step *step)
{
    if (!profile->model)
        return HX_OK;
    struct profile_kernel *kernel = step->kernel;
    struct profile_modelled *modelled = kernel->modelled;
    if (!modelled) {
        modelled = ARENA_NEW(&profile->arena, struct profile_modelled);
        if (!modelled)
            return diag_no_memory(diag);
        modelled->instructions =
            ARENA_ARRAY(&profile->arena, struct hierarchy_counts, kernel->view.instructions);
        modelled->buffers = ARENA_ARRAY(&profile->arena, struct hierarchy_counts, profile->buffer_count + 2);
        if (!modelled->instructions || !modelled->buffers)
            return diag_no_memory(diag);
        kernel->modelled = modelled;
    }
    hx_status status = model_set_buffers(profile->model, buffers, count, diag);
    if (status != HX_OK)
        return status;
    for (size_t i = 0; i < count && i < profile->buffer_count; i++)
        profile->buffer_bytes[i] = hx_buffer_bytes(buffers[i]);
    step->modelling = model_listener(profile->model, step->kernel->counting, options);
    step->collecting.next = &step->modelling; /* behind the collector, whose counts it reads */
    return HX_OK;
}

static void add_sums(const struct gpu *gpu, const struct hierarchy_counts *counts, struct sums *sums)
{
    const double sector = (double)gpu->sector_bytes;
    sums->l1_sectors += (double)counts->l1_sectors;
    sums->l1_hits += (double)counts->l1_hits;
    sums->l2_sectors += (double)counts->l2_sectors;
    sums->l2_hits += (double)counts->l2_hits;
    sums->l2_bytes += (double)(counts->l2_sectors + counts->stored_sectors) * sector;
    sums->dram_read += (double)counts->dram_sectors * sector;
    sums->dram_written += (double)counts->written_sectors * sector;
}

static void lack(struct sums *sums)
{
    sums->l1_sectors = sums->l1_hits = sums->l2_sectors = sums->l2_hits = sums->l2_bytes = NAN;
    sums->dram_read = sums->dram_written = NAN;
}

static void take_launch(hx_profile *profile, const struct model_launch *launch,
                        const struct profile_step *step)
{
    struct profile_modelled *modelled = step->kernel->modelled;
    for (uint32_t pc = 0; pc < step->kernel->view.instructions; pc++)
        hierarchy_add(&modelled->instructions[pc], model_instruction(profile->model, pc));
    for (size_t i = 0; i < profile->buffer_count + 2; i++)
        hierarchy_add(&modelled->buffers[i], model_buffer(profile->model, i));
    if (!modelled->first.kernel)
        modelled->first = *launch;
    modelled->ns += launch->timing.ns;
    modelled->fill_ns += launch->timing.fill_ns;
    modelled->achieved_ns += launch->occupancy.achieved * launch->timing.ns;
    for (int i = 0; i < TIMING_PART_COUNT; i++)
        modelled->parts_ns[i] += launch->timing.parts_ns[i];
    if (!step->launch)
        return;
    step->launch->is_modelled = true;
    step->launch->model_ns = launch->timing.ns;
    step->launch->occupancy = launch->occupancy.share;
    step->launch->achieved = launch->occupancy.achieved;
    add_sums(profile->gpu, &launch->total, &step->launch->whole.sums);
}

void modelled_launch_end(hx_profile *profile, const struct profile_step *step)
{
    const struct model_launch *launch;
    if (!profile->model)
        return;
    if (model_finish(profile->model, NULL, &launch) == HX_OK)
        take_launch(profile, launch, step);
    else
        step->kernel->modelled = NULL;
}

static const struct profile_modelled *modelled_of(const struct profile_kernel *kernel)
{
    return kernel->modelled && kernel->modelled->first.kernel ? kernel->modelled : NULL;
}

void modelled_sum_instructions(struct profile_kernel *kernel)
{
    const struct profile_modelled *modelled = modelled_of(kernel);
    for (uint32_t pc = 0; pc < kernel->view.instructions; pc++) {
        struct sums *sums = &kernel->instruction_measures[pc].sums;
        if (modelled)
            add_sums(kernel->gpu, &modelled->instructions[pc], sums);
        else
            lack(sums);
    }
}

static void set_wholes(struct measure *whole, double ns, double occupancy, double achieved, double registers)
{
    struct sums *const sums[] = {&whole->sums, &whole->low, &whole->high};
    for (size_t i = 0; i < HX_COUNT_OF(sums); i++) {
        sums[i]->model_ns = ns;
        sums[i]->model_occupancy = occupancy;
        sums[i]->model_achieved = achieved;
        sums[i]->live_registers = registers;
    }
}

hx_status modelled_sum_kernel(hx_profile *profile, struct profile_kernel *kernel, hx_diag *diag)
{
    const struct profile_modelled *modelled = modelled_of(kernel);
    if (!modelled)
        return HX_OK;
    set_wholes(&kernel->whole, modelled->ns, modelled->first.occupancy.share,
               modelled->achieved_ns / modelled->ns, modelled->first.registers);
    kernel->buffer_measures = ARENA_ARRAY(&profile->arena, struct measure, profile->buffer_count + 2);
    if (!kernel->buffer_measures)
        return diag_no_memory(diag);
    for (size_t i = 0; i < profile->buffer_count + 2; i++)
        add_sums(profile->gpu, &modelled->buffers[i], &kernel->buffer_measures[i].sums);
    kernel->view.buffers = profile->buffer_count + 2;
    return HX_OK;
}

void modelled_sum_launch(struct profile_launch *launch)
{
    if (launch->is_modelled)
        set_wholes(&launch->whole, launch->model_ns, launch->occupancy, launch->achieved, NAN);
    else
        lack(&launch->whole.sums);
}

enum timing_part modelled_bound(const struct profile_modelled *modelled)
{
    int longest = 0;
    for (int i = 1; i < TIMING_PART_COUNT; i++)
        longest = modelled->parts_ns[i] > modelled->parts_ns[longest] ? i : longest;
    return (enum timing_part)longest;
}
