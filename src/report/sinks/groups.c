/* Groups by opcode. Takes stacks, leaves the sums of each form in each kernel; and the names that metrics
 * have. */
#include "report/sinks/groups.h"

#include <stdlib.h>
#include <string.h>

const struct metric_row metric_table[FIGURE_COUNT] = {
    [FIGURE_TIME] = {"hexec_instruction_seconds", "seconds",
                     "Time in instructions, all workers together, as measured on a sample of them."},
    [FIGURE_ISSUES] = {"hexec_warp_instructions", "",
                       "Warp instructions: issues to a warp with at least one of its lanes."},
    [FIGURE_LANES] = {"hexec_thread_instructions", "", "Thread instructions: active lanes of all issues."},
    [FIGURE_LOADED] = {"hexec_loaded_bytes", "bytes", "Bytes that threads loaded, of all spaces."},
    [FIGURE_STORED] = {"hexec_stored_bytes", "bytes", "Bytes that threads stored, of all spaces."},
    [FIGURE_FLOPS] = {"hexec_floating_point_operations", "",
                      "Floating-point operations; a fused multiply-add is two."},
};

static int compare_forms(const void *left, const void *right)
{
    const struct stack_instruction *const *a = left, *const *b = right;
    int forms = strcmp((*a)->form, (*b)->form);
    return forms != 0 ? forms : (*a)->pc < (*b)->pc ? -1 : (*a)->pc > (*b)->pc;
}

static bool add_kernel(struct groups *groups, const struct stack_kernel *kernel)
{
    const struct stack_instruction **sorted =
        ARENA_ARRAY(&groups->arena, const struct stack_instruction *, kernel->instruction_count);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        sorted[i] = &kernel->instructions[i];
    qsort(sorted, kernel->instruction_count, sizeof *sorted, compare_forms);
    const struct group *first = &groups->items[groups->count];
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        if (figures_are_zero(&sorted[i]->figures))
            continue;
        struct group *last = &groups->items[groups->count];
        if (last == first || strcmp(last[-1].form, sorted[i]->form) != 0) {
            *last = (struct group){kernel, sorted[i]->form, sorted[i]->class_name, {{0}}};
            groups->count++;
        }
        figures_add(&groups->items[groups->count - 1].figures, &sorted[i]->figures);
    }
    return true;
}

hx_status groups_make(const struct export_request *request, hx_diag *diag, struct groups *ret_groups)
{
    const struct stacks *stacks = request->stacks;
    struct groups groups = {.count = 0};
    arena_init(&groups.arena, request->allocator);
    size_t most = 0;
    for (size_t i = 0; i < stacks->kernel_count; i++)
        most += stacks->kernels[i].instruction_count;
    groups.items = ARENA_ARRAY(&groups.arena, struct group, most);
    bool fine = groups.items != NULL;
    for (size_t i = 0; fine && i < stacks->kernel_count; i++)
        fine = add_kernel(&groups, &stacks->kernels[i]);
    if (!fine) {
        arena_done(&groups.arena);
        return diag_no_memory(diag);
    }
    *ret_groups = groups;
    return HX_OK;
}

void groups_done(struct groups *groups)
{
    arena_done(&groups->arena);
}
