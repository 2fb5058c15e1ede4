/* callgrind's profile format, version 1: what callgrind_annotate and KCachegrind read. A cost line is a line
 * of the program's text and all figures; a call is a "calls=" line with what it cost in all. Positions are
 * lines alone, and events have no lines of their own: callgrind_annotate knows neither subpositions nor
 * "event:". */
#include "report/sinks/export.h"

extern const struct export_class export_callgrind;

/* Words for the columns; figures in the order of `enum figure`. */
static const char *const events[FIGURE_COUNT] = {
    [FIGURE_TIME] = "Nanoseconds", [FIGURE_ISSUES] = "WarpInstr", [FIGURE_LANES] = "ThreadInstr",
    [FIGURE_LOADED] = "Loaded",    [FIGURE_STORED] = "Stored",    [FIGURE_FLOPS] = "Flops",
};

static void print_costs(struct text *out, const struct figures *figures)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        text_print(out, " %llu", (unsigned long long)figures->of[i]);
    text_append(out, "\n", 1);
}

/* What each way cost together with all that was called from there. NULL: no memory. */
static struct figures *find_inclusive(const struct stack_kernel *kernel, struct arena *arena)
{
    struct figures *inclusive = ARENA_ARRAY(arena, struct figures, kernel->context_count);
    for (uint32_t c = kernel->context_count; inclusive && c-- > 0;) {
        const struct stack_context *context = &kernel->contexts[c];
        const struct stack_function *function = &kernel->functions[context->function];
        for (uint32_t i = 0; i < function->count; i++) {
            const uint32_t pc = kernel->order[function->first + i];
            const struct figures own = stacks_share(context, &kernel->instructions[pc].figures);
            figures_add(&inclusive[c], &own);
        }
        if (context->parent != STACK_NONE)
            figures_add(&inclusive[context->parent], &inclusive[c]);
    }
    return inclusive;
}

/* The calls from one instruction to one function. One that is recursive costs nothing here: what it cost is
 * in the call that came first. */
static void print_call(struct text *out, const struct stack_kernel *kernel, const struct figures *inclusive,
                       const struct stack_instruction *site, uint32_t callee)
{
    const struct stack_function *function = &kernel->functions[callee];
    struct figures cost = {0};
    double lanes = site->callee == callee ? (double)site->figures.of[FIGURE_LANES] : 0;
    bool found = site->callee == callee;
    for (uint32_t i = 0; i < function->context_count; i++) {
        const uint32_t c = kernel->by_function[function->first_context + i];
        if (kernel->contexts[c].site != site->pc)
            continue;
        figures_add(&cost, &inclusive[c]);
        lanes = kernel->contexts[c].lanes;
        found = true;
    }
    if (found)
        text_print(out, "cfn=%s\ncalls=%.0f %u\n%u", function->full_name, lanes, function->line, site->line),
            print_costs(out, &cost);
}

static void print_instruction(struct text *out, const struct stack_kernel *kernel,
                              const struct figures *inclusive, const struct stack_instruction *one)
{
    if (figures_are_zero(&one->figures))
        return;
    text_print(out, "%u", one->line);
    print_costs(out, &one->figures);
    if (!one->is_call)
        return;
    if (one->callee < kernel->function_count)
        print_call(out, kernel, inclusive, one, one->callee);
    else
        for (uint32_t f = 1; f < kernel->function_count; f++)
            print_call(out, kernel, inclusive, one, f);
}

static hx_status print_kernel(struct text *out, const struct stack_kernel *kernel,
                              const hx_allocator *allocator, hx_diag *diag)
{
    struct arena arena HX_AUTO(arena_done) = {.allocator = allocator};
    const struct figures *inclusive = find_inclusive(kernel, &arena);
    if (!inclusive)
        return diag_no_memory(diag);
    for (uint32_t f = 0; f < kernel->function_count; f++) {
        const struct stack_function *function = &kernel->functions[f];
        text_print(out, "\nfl=%s\nfn=%s\n", kernel->about->file, function->full_name);
        for (uint32_t i = 0; i < function->count; i++)
            print_instruction(out, kernel, inclusive,
                              &kernel->instructions[kernel->order[function->first + i]]);
    }
    return HX_OK;
}

static hx_status print_callgrind(const struct export_request *request, struct text *out, hx_diag *diag)
{
    text_print(out,
               "# callgrind format\nversion: 1\ncreator: hexec %s\ncmd: hexec run %s\npositions: line\n"
               "events:",
               HX_VERSION, request->file);
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        text_print(out, " %s", events[i]);
    text_print(out, "\nsummary:");
    print_costs(out, &request->stacks->total);
    hx_status status = HX_OK;
    for (size_t i = 0; status == HX_OK && i < request->stacks->kernel_count; i++)
        status = print_kernel(out, &request->stacks->kernels[i], request->allocator, diag);
    text_print(out, "\ntotals:");
    print_costs(out, &request->stacks->total);
    return status;
}

const struct export_class export_callgrind = {"callgrind", NULL, print_callgrind, NULL};
