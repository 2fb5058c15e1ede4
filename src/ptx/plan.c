/* Which functions are called, and which are inlined.
 *
 * Takes a module, leaves a mark at each function. Inlined code is faster: nothing is saved, and its values
 * share the caller's registers. So a function is called only when its copies would be too much code, when it
 * is recursive, or through a pointer; for a debugger all of the program's own are called. */
#include "ptx/importer.h"

#include <string.h>

#define SMALL_STATEMENTS  32   /* of functions that are always inlined */
#define COPIED_STATEMENTS 2000 /* that all copies of one function may have together */
#define CHECKED_STATEMENTS                                                                                   \
    20000 /* ... of the device library in programs that are checked: a finding has the line of the call */
#define INLINE_DEPTH 64 /* of functions inlined into each other */

enum state { STATE_NEW, STATE_OPEN, STATE_DONE };

struct visit {
    struct ptx_function *function;
    uint32_t next; /* statement */
};

struct planning {
    struct ptx_loading *loading;
    uint8_t *states; /* by the number of the function */
    uint32_t *calls; /* of each function in one other */
    uint32_t *most;  /* of each function in a kernel */
    struct visit *visits;
    uint32_t pointers;
};

const struct ptx_function *ptx_function_meant(const struct ptx_function *function)
{
    for (unsigned i = 0; function->alias && i < 16; i++)
        function = function->alias;
    return function;
}

/* The function that a statement calls by name; NULL: none. */
const struct ptx_function *ptx_callee(const struct ptx_statement *statement)
{
    if (!slice_starts_with(statement->opcode, "call"))
        return NULL;
    for (uint32_t i = 0; i < statement->operand_count; i++)
        if (statement->operands[i].kind == PTX_OPERAND_FUNCTION)
            return ptx_function_meant(statement->operands[i].function);
    return NULL;
}

static struct ptx_function *callee_of(struct planning *planning, const struct ptx_statement *statement)
{
    const struct ptx_function *callee = ptx_callee(statement);
    return callee ? planning->loading->module.functions[callee->number] : NULL;
}

/* --- addresses ------------------------------------------------------------------------------------------ */

static void take_address(struct planning *planning, const struct ptx_function *function)
{
    struct ptx_function *taken = planning->loading->module.functions[ptx_function_meant(function)->number];
    if (taken->pointer == 0)
        taken->pointer = ++planning->pointers;
}

static void take_addresses(struct planning *planning, const struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].kind == PTX_OPERAND_FUNCTION)
            take_address(planning, operands[i].function);
        else if (operands[i].kind != PTX_OPERAND_TARGETS)
            take_addresses(planning, operands[i].items, operands[i].count);
}

/* Puts the values of functions into initial values, which leaves the addresses of variables. */
static void put_pointers(struct ptx_variable *variable)
{
    size_t left = 0;
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        if (!relocation->function) {
            variable->relocations[left++] = *relocation;
            continue;
        }
        const uint64_t pointer =
            (ptx_function_meant(relocation->function)->pointer + (uint64_t)relocation->addend) >>
            relocation->shift;
        memcpy((uint8_t *)(uintptr_t)variable->values + relocation->at, &pointer,
               relocation->bytes < sizeof pointer ? relocation->bytes : sizeof pointer);
    }
    variable->relocation_count = left;
}

static void take_initial_addresses(struct planning *planning, struct ptx_variable *const *variables,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < variables[i]->relocation_count; k++)
            if (variables[i]->relocations[k].function)
                take_address(planning, variables[i]->relocations[k].function);
    for (uint32_t i = 0; i < count; i++)
        put_pointers(variables[i]);
}

static void take_addresses_of_function(struct planning *planning, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct ptx_statement *statement = &function->statements[i];
        const bool calls = ptx_callee(statement) != NULL;
        for (uint32_t k = 0; k < statement->operand_count; k++)
            if (!calls || statement->operands[k].kind != PTX_OPERAND_FUNCTION)
                take_addresses(planning, &statement->operands[k], 1);
    }
    take_initial_addresses(planning, function->variables, function->variable_count);
}

/* --- sizes ---------------------------------------------------------------------------------------------- */

/* Each kernel has code of its own: among kernels the one with most calls counts. */
static void count_sites(struct planning *planning)
{
    const struct ptx_module *module = &planning->loading->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *caller = module->functions[f];
        for (uint32_t i = 0; i < caller->statement_count; i++) {
            const struct ptx_function *callee = callee_of(planning, &caller->statements[i]);
            if (callee)
                planning->calls[callee->number]++;
        }
        for (uint32_t i = 0; i < caller->statement_count; i++) {
            struct ptx_function *callee = callee_of(planning, &caller->statements[i]);
            if (!callee)
                continue;
            const uint32_t calls = planning->calls[callee->number];
            uint32_t *most = &planning->most[callee->number];
            if (!caller->is_kernel)
                callee->sites += calls;
            else if (calls > *most)
                *most = calls;
            planning->calls[callee->number] = 0;
        }
    }
    for (uint32_t f = 0; f < module->function_count; f++)
        module->functions[f]->sites += planning->most[f];
}

static void finish(struct planning *planning, struct ptx_function *function)
{
    uint64_t expanded = function->statement_count;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct ptx_function *callee = callee_of(planning, &function->statements[i]);
        if (!callee || callee->is_apart)
            continue;
        expanded += callee->expanded;
        function->depth = callee->depth >= function->depth ? callee->depth + 1 : function->depth;
    }
    function->expanded = expanded < UINT32_MAX ? (uint32_t)expanded : UINT32_MAX;
    function->is_apart |= function->depth >= INLINE_DEPTH;
    function->is_apart |= planning->loading->program->for_debugging == 1 && function->has_body &&
                          !function->is_library && !function->is_kernel;
    const uint64_t copied = planning->loading->program->for_checks && function->is_library
                                ? CHECKED_STATEMENTS
                                : COPIED_STATEMENTS;
    function->is_apart |=
        expanded > SMALL_STATEMENTS && function->sites > 1 && expanded * function->sites > copied;
    planning->states[function->number] = STATE_DONE;
}

/* Depth first, callees before callers. In a circle of calls one function is called: the one that the walk met
 * first. */
static void walk(struct planning *planning, struct ptx_function *first)
{
    uint32_t open = 1;
    if (planning->states[first->number] != STATE_NEW)
        return;
    planning->visits[0] = (struct visit){first, 0};
    planning->states[first->number] = STATE_OPEN;
    while (open > 0) {
        struct visit *visit = &planning->visits[open - 1];
        if (visit->next == visit->function->statement_count) {
            finish(planning, visit->function);
            open--;
            continue;
        }
        struct ptx_function *callee = callee_of(planning, &visit->function->statements[visit->next++]);
        if (callee && planning->states[callee->number] == STATE_OPEN) {
            callee->is_apart = true;
        } else if (callee && planning->states[callee->number] == STATE_NEW) {
            planning->states[callee->number] = STATE_OPEN;
            planning->visits[open++] = (struct visit){callee, 0};
        }
    }
}

bool ptx_plan_calls(struct ptx_loading *loading)
{
    struct ptx_module *module = &loading->module;
    const uint32_t count = module->function_count;
    HX_AUTO(arena_done) struct arena scratch = {.allocator = loading->arena->allocator};
    struct planning planning = {.loading = loading,
                                .states = ARENA_ARRAY(&scratch, uint8_t, count + 1),
                                .calls = ARENA_ARRAY(&scratch, uint32_t, count + 1),
                                .most = ARENA_ARRAY(&scratch, uint32_t, count + 1),
                                .visits = ARENA_ARRAY(&scratch, struct visit, count + 1)};
    if (!planning.states || !planning.calls || !planning.most || !planning.visits)
        return false;
    for (uint32_t f = 0; f < count; f++)
        module->functions[f]->number = f;
    count_sites(&planning);
    for (uint32_t f = 0; f < count; f++)
        walk(&planning, module->functions[f]);
    take_initial_addresses(&planning, module->variables, module->variable_count);
    for (uint32_t f = 0; f < count; f++)
        take_addresses_of_function(&planning, module->functions[f]);
    return true;
}
