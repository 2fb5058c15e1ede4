/* The models of an instruction set's forms, and what they say about a kernel.
 *
 * Takes models by name, leaves a list in order of names: a file has a thousand of them, and a kernel looks up
 * each of its instructions once. */
#include "costs/costs.h"

#include "base/machine.h"
#include "exec/kernel.h"

#include <stdio.h>
#include <string.h>

static char *copy_of(const hx_allocator *allocator, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = memory_allocate(allocator, bytes, 1);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

hx_status hx_costs_new(const char *isa, const hx_cost_machine *machine, const hx_allocator *allocator,
                       hx_costs **ret_costs)
{
    DIAG_REQUIRE(NULL, isa);
    DIAG_REQUIRE(NULL, machine);
    DIAG_REQUIRE(NULL, ret_costs);
    hx_costs *costs = memory_allocate(allocator, 1, sizeof *costs);
    if (!costs)
        return HX_NO_MEMORY;
    costs->allocator = allocator;
    costs->machine = *machine;
    costs->isa = copy_of(allocator, isa);
    if (!costs->isa) {
        hx_costs_free(costs);
        return HX_NO_MEMORY;
    }
    *ret_costs = costs;
    return HX_OK;
}

void hx_costs_free(hx_costs *costs)
{
    if (!costs)
        return;
    for (size_t i = 0; i < costs->forms.count; i++)
        memory_free(costs->allocator, costs->forms.items[i].form);
    LIST_DONE(costs->allocator, &costs->forms);
    memory_free(costs->allocator, costs->isa);
    memory_free(costs->allocator, costs);
}

/* Where the form is, or would be. */
static size_t position_of(const hx_costs *costs, const char *form, bool *ret_found)
{
    size_t low = 0, high = costs->forms.count;
    *ret_found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(costs->forms.items[middle].form, form);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hx_status hx_costs_add(hx_costs *costs, const char *form, const hx_cost_model *model)
{
    DIAG_REQUIRE(NULL, costs);
    DIAG_REQUIRE(NULL, form);
    DIAG_REQUIRE(NULL, model);
    bool found;
    const size_t at = position_of(costs, form, &found);
    if (found) {
        costs->forms.items[at].model = *model;
        return HX_OK;
    }
    char *name = copy_of(costs->allocator, form);
    if (!name || !LIST_RESERVE(costs->allocator, &costs->forms, 1)) {
        memory_free(costs->allocator, name);
        return HX_NO_MEMORY;
    }
    struct cost_entry *entry = &costs->forms.items[at];
    memmove(entry + 1, entry, (costs->forms.count - at) * sizeof *entry);
    *entry = (struct cost_entry){name, *model};
    costs->forms.count++;
    return HX_OK;
}

const hx_cost_model *hx_costs_find(const hx_costs *costs, const char *form)
{
    if (!costs || !form)
        return NULL;
    bool found;
    const size_t at = position_of(costs, form, &found);
    return found ? &costs->forms.items[at].model : NULL;
}

size_t hx_costs_count(const hx_costs *costs)
{
    if (!costs)
        return 0;
    return costs->forms.count;
}

const char *hx_costs_form_at(const hx_costs *costs, size_t index, const hx_cost_model **ret_model)
{
    if (!costs || !ret_model)
        return NULL;
    if (index >= costs->forms.count)
        return NULL;
    *ret_model = &costs->forms.items[index].model;
    return costs->forms.items[index].form;
}

const char *hx_costs_isa(const hx_costs *costs)
{
    if (!costs)
        return NULL;
    return costs->isa;
}

hx_cost_machine hx_costs_machine(const hx_costs *costs)
{
    if (!costs)
        return (hx_cost_machine){0};
    return costs->machine;
}

static bool is_same_row(struct row row)
{
    return row.kind == ROW_SAME_4 || row.kind == ROW_SAME_8 || row.kind == ROW_SAME_PREDICATE;
}

bool costs_computed_once(const struct lowered_kernel *lowered, uint32_t instruction)
{
    const struct micro_code *code = &lowered->converged;
    if (code->op_count == 0)
        return false;
    for (uint32_t i = code->first_op[instruction]; i < code->first_op[instruction + 1]; i++)
        if (code->ops[i].flags & MICRO_PRIMARY)
            return is_same_row(code->ops[i].d);
    return false;
}

/* Is it issued and does nothing, because its result is known before or never read? */
static bool is_dropped(const struct lowered_kernel *lowered, uint32_t instruction)
{
    const struct micro_code *code = &lowered->general;
    for (uint32_t i = code->first_op[instruction]; i < code->first_op[instruction + 1]; i++)
        if (code->ops[i].flags & MICRO_PRIMARY)
            return code->ops[i].semantic == SEM_nop &&
                   instruction_semantic(&lowered->kernel->code[instruction]) != SEM_nop;
    return false;
}

struct cost_key costs_key(const struct lowered_kernel *lowered, uint32_t instruction)
{
    struct cost_key key = {.is_computed_once = costs_computed_once(lowered, instruction)};
    if (!is_dropped(lowered, instruction))
        key.parts = (uint8_t)instruction_vector(&lowered->kernel->code[instruction]);
    instruction_form(&lowered->kernel->code[instruction], key.form, sizeof key.form);
    return key;
}

double costs_add_issues(const hx_costs *costs, const struct cost_key *key, const hx_instruction_profile *did,
                        hx_cost_prediction *prediction)
{
    const hx_cost_model *model = hx_costs_find(costs, key->form);
    if (!model) {
        if (did->issues > 0 && prediction->left_out == 0)
            memcpy(prediction->first_left_out, key->form, sizeof key->form);
        prediction->left_out += did->issues;
        return 0;
    }
    const double parts = key->parts, issues = parts * (double)did->issues;
    const hx_cost_sample sum = {.lanes = parts * (double)did->lanes,
                                .masked = parts * (double)(did->standing - did->lanes),
                                .sectors = (double)did->sectors,
                                .conflicts = (double)(did->wavefronts - did->wavefronts_least)};
    const double ns = model->same_ns > 0 && key->is_computed_once ? model->same_ns * issues
                                                                  : hx_cost_time(model, issues, &sum);
    prediction->issues += did->issues;
    prediction->ns += ns;
    return ns;
}

void hx_costs_predict(const hx_costs *costs, const hx_kernel *kernel, const hx_instruction_profile *profile,
                      double *instruction_ns, hx_cost_prediction *prediction)
{
    MACHINE_FLOATS;
    if (!costs || !kernel || !profile || !prediction)
        return;
    const struct lowered_kernel *lowered = kernel_lowered(kernel);
    for (uint32_t i = 0; i < lowered->kernel->code_count; i++) {
        const struct cost_key key = costs_key(lowered, i);
        const double ns = costs_add_issues(costs, &key, &profile[i], prediction);
        if (instruction_ns)
            instruction_ns[i] = ns;
    }
}
