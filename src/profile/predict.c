/* Costs against what was measured.
 *
 * Takes a finished profile, leaves how long the issues of each kernel should take by a cost file. A
 * prediction is time of workers: it is compared with the wall time of all of them. */
#include "profile/predict.h"

#include "costs/costs.h"
#include "exec/kernel.h"

#include <math.h>
#include <string.h>

hx_status predict_take_kernel(hx_profile *profile, const hx_kernel *kernel, struct profile_kernel *to,
                              hx_diag *diag)
{
    if (!profile->costs || to->cost_keys)
        return HX_OK;
    to->cost_keys = ARENA_ARRAY(&profile->arena, struct cost_key, to->view.instructions);
    if (!to->cost_keys)
        return diag_no_memory(diag);
    for (uint32_t pc = 0; pc < to->view.instructions; pc++)
        to->cost_keys[pc] = costs_key(kernel_lowered(kernel), pc);
    return HX_OK;
}

static void warn(const hx_profile *profile, hx_diag *diag)
{
    const hx_cost_machine machine = hx_costs_machine(profile->costs);
    if (strcmp(hx_costs_isa(profile->costs), profile->isa) != 0)
        (void)diag_report(diag, DIAG_COSTS_OTHER_ISA, (struct place){0}, NULL,
                          "the costs are of instruction set '%s', the program is of '%s'",
                          hx_costs_isa(profile->costs), profile->isa);
    if (profile->cpu_level && *machine.cpu_level && strcmp(machine.cpu_level, profile->cpu_level) != 0)
        (void)diag_report(diag, DIAG_COSTS_OTHER_MACHINE, (struct place){0}, NULL,
                          "the costs are of code for %s, what ran was for %s", machine.cpu_level,
                          profile->cpu_level);
    else if (*machine.cpu && strcmp(machine.cpu, profile->cpu) != 0)
        (void)diag_report(diag, DIAG_COSTS_OTHER_MACHINE, (struct place){0}, NULL,
                          "the costs are of '%s', this is '%s'", machine.cpu, profile->cpu);
}

static void add(hx_cost_prediction *to, const hx_cost_prediction *from)
{
    if (to->left_out == 0)
        memcpy(to->first_left_out, from->first_left_out, sizeof to->first_left_out);
    to->ns += from->ns;
    to->issues += from->issues;
    to->left_out += from->left_out;
}

void predict_finish(hx_profile *profile, hx_diag *diag)
{
    if (!profile->costs)
        return;
    warn(profile, diag);
    for (size_t k = 0; k < profile->kernel_count; k++) {
        struct profile_kernel *kernel = &profile->kernels[k];
        for (size_t pc = 0; pc < kernel->view.instructions && kernel->cost_keys; pc++)
            (void)costs_add_issues(profile->costs, &kernel->cost_keys[pc], &kernel->instructions[pc].counts,
                                   &kernel->predicted);
        add(&profile->predicted, &kernel->predicted);
    }
    profile->has_prediction = true;
    profile->costs = NULL; /* the caller's, for the call */
}

int hx_profile_prediction(const hx_profile *profile, size_t kernel, hx_cost_prediction *ret_prediction)
{
    if (!profile || !ret_prediction)
        return 0;
    if (!profile->has_prediction || (kernel != HX_PROFILE_NONE && kernel >= profile->kernel_count))
        return 0;
    *ret_prediction = kernel == HX_PROFILE_NONE ? profile->predicted : profile->kernels[kernel].predicted;
    return 1;
}
