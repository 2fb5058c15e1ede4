/* Stacks of a profile.
 *
 * Takes counts of instructions, leaves the ways by which each function was reached and the share of its costs
 * that goes to each. A profile counts instructions, not stacks, so shares are found as gprof finds them
 * (Graham, Kessler, McKusick, "gprof: a call graph execution profiler", 1982): in proportion to how often
 * each call was taken. A share is an interval within 0 to 1 rather than a factor, so that shares of whole
 * numbers are whole numbers that add up to the whole. */
#include "profile/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS_MAX 4096u /* of a kernel: ways through a graph of calls can be exponentially many */

const struct figure_row figure_table[FIGURE_COUNT] = {
#define FIGURE_ROW(NAME, word, unit, text) {word, unit, text},
    FIGURE_LIST(FIGURE_ROW)
#undef FIGURE_ROW
};

void figures_add(struct figures *sum, const struct figures *more)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        if (__builtin_add_overflow(sum->of[i], more->of[i], &sum->of[i]))
            sum->of[i] = UINT64_MAX;
}

bool figures_are_zero(const struct figures *figures)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        if (figures->of[i] != 0)
            return false;
    return true;
}

/* floor(whole * part) for a part of 0 to 1; the whole for 1. */
static uint64_t part_of(uint64_t whole, double part)
{
    if (part >= 1)
        return whole;
    const long double below = floorl((long double)whole * (long double)part);
    return below >= (long double)whole ? whole : (uint64_t)below;
}

struct figures stacks_share(const struct stack_context *context, const struct figures *whole)
{
    struct figures share;
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        share.of[i] = part_of(whole->of[i], context->end) - part_of(whole->of[i], context->from);
    return share;
}

/* How often a call went to a function, in threads. */
struct flow_call {
    uint32_t site, caller, callee;
    double lanes;
};
struct graph {
    LIST(struct flow_call) calls;
    double *into; /* for each function: of all calls but those of itself */
};

static double lanes_of(const struct stack_kernel *kernel, uint32_t pc)
{
    return (double)kernel->instructions[pc].figures.of[FIGURE_LANES];
}

static bool is_table_call(const struct stack_instruction *one)
{
    return one->is_call && one->callee == STACK_NONE && one->figures.of[FIGURE_LANES] > 0;
}

static bool add_call(struct arena *arena, struct graph *graph, const struct stack_instruction *site,
                     uint32_t callee, double lanes)
{
    if (site->function != callee)
        graph->into[callee] += lanes;
    return LIST_PUSH(arena->allocator, &graph->calls,
                     (struct flow_call){site->pc, site->function, callee, lanes});
}

/* A call through a table does not say where it went. What entered a function and came by no call that names
 * it, came through a table: from each of these calls as often as it was taken. */
static bool add_table_calls(struct arena *arena, const struct stack_kernel *kernel, struct graph *graph)
{
    double through_tables = 0;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (is_table_call(&kernel->instructions[i]))
            through_tables += lanes_of(kernel, i);
    double *unnamed = ARENA_ARRAY(arena, double, kernel->function_count);
    if (!unnamed)
        return false;
    for (uint32_t f = 1; f < kernel->function_count; f++)
        unnamed[f] = kernel->functions[f].entry < kernel->instruction_count
                         ? lanes_of(kernel, kernel->functions[f].entry)
                         : 0;
    for (size_t i = 0; i < graph->calls.count; i++)
        unnamed[graph->calls.items[i].callee] -= graph->calls.items[i].lanes;
    for (uint32_t i = 0; through_tables > 0 && i < kernel->instruction_count; i++)
        for (uint32_t f = 1; is_table_call(&kernel->instructions[i]) && f < kernel->function_count; f++)
            if (unnamed[f] > 0 && !add_call(arena, graph, &kernel->instructions[i], f,
                                            unnamed[f] * lanes_of(kernel, i) / through_tables))
                return false;
    return true;
}

static bool make_graph(struct arena *arena, const struct stack_kernel *kernel, struct graph *graph)
{
    graph->into = ARENA_ARRAY(arena, double, kernel->function_count);
    if (!graph->into)
        return false;
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct stack_instruction *one = &kernel->instructions[i];
        if (one->is_call && one->callee < kernel->function_count && one->figures.of[FIGURE_LANES] > 0 &&
            !add_call(arena, graph, one, one->callee, lanes_of(kernel, i)))
            return false;
    }
    return add_table_calls(arena, kernel, graph);
}

static bool is_on_stack(const struct stack_kernel *kernel, uint32_t context, uint32_t function)
{
    while (context != STACK_NONE && kernel->contexts[context].function != function)
        context = kernel->contexts[context].parent;
    return context != STACK_NONE;
}

/* All ways from the kernel's entry on, callers before those that they call. `end` holds
 * a weight until the ways are given their intervals. */
static void find_contexts(struct stack_kernel *kernel, const struct graph *graph, uint32_t most)
{
    kernel->contexts[0] = (struct stack_context){.parent = STACK_NONE, .site = STACK_NONE, .end = 1};
    kernel->context_count = 1;
    for (uint32_t c = 0; c < kernel->context_count; c++) {
        const struct stack_context context = kernel->contexts[c];
        for (size_t i = 0; i < graph->calls.count && kernel->context_count < most; i++) {
            const struct flow_call *call = &graph->calls.items[i];
            if (call->caller != context.function || is_on_stack(kernel, c, call->callee))
                continue;
            kernel->contexts[kernel->context_count++] =
                (struct stack_context){.parent = c,
                                       .function = call->callee,
                                       .site = call->site,
                                       .lanes = call->lanes,
                                       .end = context.end * call->lanes / graph->into[call->callee]};
        }
    }
    for (uint32_t f = 1; f < kernel->function_count; f++) {
        bool found = false;
        for (uint32_t c = 0; c < kernel->context_count && !found; c++)
            found = kernel->contexts[c].function == f;
        if (!found) /* never called, or beyond the bound: it stands beside the kernel's entry */
            kernel->contexts[kernel->context_count++] =
                (struct stack_context){.parent = STACK_NONE, .function = f, .site = STACK_NONE, .end = 1};
    }
}

/* Makes intervals of the weights of the ways to each function. */
static void divide(struct stack_kernel *kernel)
{
    uint32_t next = 0;
    for (uint32_t f = 0; f < kernel->function_count; f++) {
        struct stack_function *function = &kernel->functions[f];
        double sum = 0, before = 0;
        function->first_context = next;
        for (uint32_t c = 0; c < kernel->context_count; c++)
            if (kernel->contexts[c].function == f) {
                kernel->by_function[next++] = c;
                sum += kernel->contexts[c].end;
            }
        function->context_count = next - function->first_context;
        for (uint32_t i = function->first_context; i < next; i++) {
            struct stack_context *context = &kernel->contexts[kernel->by_function[i]];
            const double weight = context->end;
            context->from = i == function->first_context ? 0 : before / sum;
            before += weight;
            context->end = i + 1 == next || sum <= 0 ? 1 : fmin(before / sum, 1);
            if (sum <= 0)
                context->from = i == function->first_context ? 0 : 1;
        }
    }
}

static bool link_calls(struct arena *arena, struct stack_kernel *kernel)
{
    struct graph graph = {0};
    bool fine = make_graph(arena, kernel, &graph);
    if (fine) {
        const uint32_t most = graph.calls.count == 0 ? 1 : CONTEXTS_MAX;
        kernel->contexts = ARENA_ARRAY(arena, struct stack_context, (size_t)most + kernel->function_count);
        kernel->by_function = ARENA_ARRAY(arena, uint32_t, (size_t)most + kernel->function_count);
        fine = kernel->contexts && kernel->by_function;
        if (fine) {
            find_contexts(kernel, &graph, most);
            divide(kernel);
        }
    }
    LIST_DONE(arena->allocator, &graph.calls);
    return fine;
}

static int compare_instructions(const void *left, const void *right, void *user)
{
    const struct stack_instruction *instructions = user;
    const struct stack_instruction *a = &instructions[*(const uint32_t *)left],
                                   *b = &instructions[*(const uint32_t *)right];
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    int files = strcmp(a->file, b->file);
    if (files != 0)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    int forms = strcmp(a->form, b->form);
    return forms != 0 ? forms : a->pc < b->pc ? -1 : a->pc > b->pc;
}

hx_status stacks_link(struct arena *arena, struct stack_kernel *kernel)
{
    kernel->order = ARENA_ARRAY(arena, uint32_t, kernel->instruction_count);
    if (!kernel->order)
        return HX_NO_MEMORY;
    kernel->total = (struct figures){0};
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        kernel->order[i] = i;
        figures_add(&kernel->total, &kernel->instructions[i].figures);
    }
    qsort_r(kernel->order, kernel->instruction_count, sizeof *kernel->order, compare_instructions,
            kernel->instructions);
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        struct stack_function *function = &kernel->functions[kernel->instructions[kernel->order[i]].function];
        function->first = function->count == 0 ? i : function->first;
        function->count++;
    }
    return link_calls(arena, kernel) ? HX_OK : HX_NO_MEMORY;
}

static uint64_t whole(double value)
{
    return value > 0 && value < 0x1p64 ? (uint64_t)llround(fmin(value, 0x1p62)) : 0;
}

static uint64_t times(uint64_t count, uint64_t each)
{
    uint64_t product;
    return __builtin_mul_overflow(count, each, &product) ? UINT64_MAX : product;
}

static struct stack_instruction instruction_of(const hx_profile_instruction *one, uint32_t function_count)
{
    const uint64_t lanes = one->counts.lanes;
    return (struct stack_instruction){
        .pc = one->pc,
        .line = one->line,
        .function = one->function < function_count ? one->function : 0,
        .callee = one->callee,
        .is_call = one->is_call,
        .form = one->form ? one->form : "",
        .class_name = one->class_name ? one->class_name : "",
        .file = one->file ? one->file : "",
        .text = one->text ? one->text : "",
        .figures.of = {[FIGURE_TIME] = whole(one->time_ns),
                       [FIGURE_ISSUES] = one->counts.warps,
                       [FIGURE_LANES] = lanes,
                       [FIGURE_LOADED] = times(lanes, one->lane_loaded_bytes),
                       [FIGURE_STORED] = times(lanes, one->lane_stored_bytes),
                       [FIGURE_FLOPS] = whole((double)lanes * one->lane_flops)},
    };
}

static hx_status make_kernel(struct stacks *stacks, const hx_profile *profile, size_t index)
{
    struct stack_kernel *kernel = &stacks->kernels[index];
    kernel->about = hx_profile_kernel_at(profile, index);
    kernel->instruction_count = (uint32_t)kernel->about->instructions;
    kernel->function_count = (uint32_t)kernel->about->functions;
    kernel->instructions = ARENA_ARRAY(&stacks->arena, struct stack_instruction, kernel->instruction_count);
    kernel->functions = ARENA_ARRAY(&stacks->arena, struct stack_function, kernel->function_count);
    if (!kernel->instructions || !kernel->functions)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        kernel->instructions[i] =
            instruction_of(hx_profile_instruction_at(profile, index, i), kernel->function_count);
    for (uint32_t i = 0; i < kernel->function_count; i++) {
        const hx_profile_function *function = hx_profile_function_at(profile, index, i);
        kernel->functions[i] = (struct stack_function){
            .name = function->name,
            .full_name = i == 0 ? kernel->about->name
                                : arena_format(&stacks->arena, "%s.%s", kernel->about->name, function->name),
            .entry = function->entry,
            .line = i == 0 ? kernel->about->line : function->line};
        if (!kernel->functions[i].full_name)
            return HX_NO_MEMORY;
    }
    hx_status status = stacks_link(&stacks->arena, kernel);
    figures_add(&stacks->total, &kernel->total);
    return status;
}

hx_status stacks_make(const hx_profile *profile, const hx_allocator *allocator, hx_diag *diag,
                      struct stacks *ret_stacks)
{
    struct stacks stacks = {.kernel_count = hx_profile_kernel_count(profile)};
    arena_init(&stacks.arena, allocator);
    stacks.kernels = ARENA_ARRAY(&stacks.arena, struct stack_kernel, stacks.kernel_count);
    hx_status status = stacks.kernels ? HX_OK : HX_NO_MEMORY;
    for (size_t i = 0; i < stacks.kernel_count && status == HX_OK; i++)
        status = make_kernel(&stacks, profile, i);
    if (status != HX_OK) {
        arena_done(&stacks.arena);
        return diag_no_memory(diag);
    }
    *ret_stacks = stacks;
    return HX_OK;
}

void stacks_done(struct stacks *stacks)
{
    arena_done(&stacks->arena);
}
