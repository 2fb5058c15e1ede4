/* Instructions in groups: see grouping.h. Takes a kernel's instructions, leaves them in an order. */
#include "profile/grouping.h"

#include <stdlib.h>
#include <string.h>

static int by_form(const void *a, const void *b)
{
    const hx_profile_instruction *one = *(hx_profile_instruction *const *)a,
                                 *other = *(hx_profile_instruction *const *)b;
    const int order = strcmp(one->form, other->form);
    return order ? order : one->pc < other->pc ? -1 : one->pc > other->pc;
}

static int by_line(const void *a, const void *b)
{
    const hx_profile_instruction *one = *(hx_profile_instruction *const *)a,
                                 *other = *(hx_profile_instruction *const *)b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return one->pc < other->pc ? -1 : one->pc > other->pc;
}

bool grouping_same(const struct grouping *grouping, size_t a, size_t b)
{
    const hx_profile_instruction *one = grouping->order[a], *other = grouping->order[b];
    return grouping->lines ? one->line == other->line : strcmp(one->form, other->form) == 0;
}

bool grouping_make(const struct profile_kernel *kernel, bool lines, struct arena *scratch,
                   struct grouping *ret_grouping)
{
    const size_t count = kernel->view.instructions;
    struct grouping grouping = {.count = count, .lines = lines};
    grouping.order = ARENA_ARRAY(scratch, const hx_profile_instruction *, count);
    if (!grouping.order)
        return false;
    for (size_t i = 0; i < count; i++)
        grouping.order[i] = &kernel->instructions[i];
    qsort(grouping.order, count, sizeof *grouping.order, lines ? by_line : by_form);
    for (size_t i = 0; i < count; i++)
        grouping.groups += i == 0 || !grouping_same(&grouping, i - 1, i);
    *ret_grouping = grouping;
    return true;
}
