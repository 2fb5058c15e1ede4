/* A profile as call stacks: who called what is done, so that what one instruction cost is known for each
 * way that led to it. All exporters start from here, so their totals are the same numbers. */
#pragma once

#include "base/diag.h"
#include "hexec/profile.h"

/* What an instruction costs, as whole numbers: X(NAME, word on the command line, unit, what it is). Time is
 * measured and rounded to nanoseconds for each instruction; the others are exact. */
/* clang-format off */
#define FIGURE_LIST(X)                                                              \
    X(TIME, "time", "nanoseconds", "time in instructions, all workers together")    \
    X(ISSUES, "issues", "count", "warp instructions")                               \
    X(LANES, "lanes", "count", "thread instructions")                               \
    X(LOADED, "loaded", "bytes", "bytes loaded")                                    \
    X(STORED, "stored", "bytes", "bytes stored")                                    \
    X(FLOPS, "flops", "count", "floating-point operations")
/* clang-format on */
enum figure {
#define FIGURE_VALUE(NAME, ...) FIGURE_##NAME,
    FIGURE_LIST(FIGURE_VALUE)
#undef FIGURE_VALUE
        FIGURE_COUNT
};
struct figure_row {
    const char *word, *unit, *text;
};
extern const struct figure_row figure_table[FIGURE_COUNT];

struct figures {
    uint64_t of[FIGURE_COUNT];
};
/* Adds `more`, saturating. */
void figures_add(struct figures *sum, const struct figures *more);
bool figures_are_zero(const struct figures *figures);

#define STACK_NONE UINT32_MAX

struct stack_instruction {
    uint32_t pc, line, function;
    uint32_t callee; /* of a call; STACK_NONE: no call, or one through a table */
    bool is_call;
    const char *form, *class_name, *file, *text;
    struct figures figures;
};
struct stack_function {
    const char *name;
    const char *full_name; /* "call_ret.square"; of the kernel itself its name */
    uint32_t entry, line;
    uint32_t first, count;                 /* its instructions, in kernel.order */
    uint32_t first_context, context_count; /* in kernel.by_function */
};
/* A way to a function: what was on the stack. The share of the function's costs that belongs to it is exact
 * where there is one way; among several it goes by how often each call was taken, for a profile without
 * stacks does not say more. Recursion is one way: a function is on a stack once. */
struct stack_context {
    uint32_t parent; /* a context before this one; STACK_NONE: none */
    uint32_t function;
    uint32_t site;    /* pc of the call; STACK_NONE */
    double lanes;     /* threads that took that call, whatever was on the stack */
    double from, end; /* its part of the function, within 0 to 1 */
};
struct stack_kernel {
    const hx_profile_kernel *about;
    struct stack_instruction *instructions;
    uint32_t instruction_count;
    uint32_t *order; /* instructions by function, then file, line and form */
    struct stack_function *functions;
    uint32_t function_count;
    struct stack_context *contexts; /* at least one for each function */
    uint32_t context_count;
    uint32_t *by_function; /* contexts by function */
    struct figures total;
};
struct stacks {
    struct arena arena;
    struct stack_kernel *kernels;
    size_t kernel_count;
    struct figures total;
};

/* Makes the stacks of a profile, which is borrowed until stacks_done. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status stacks_make(const hx_profile *profile, const hx_allocator *allocator, hx_diag *diag,
                                    struct stacks *ret_stacks);
void stacks_done(struct stacks *stacks);
/* Finds order, ways and totals of a kernel whose instructions and functions are filled in; all that it makes
 * is in the arena. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status stacks_link(struct arena *arena, struct stack_kernel *kernel);
/* The part of an instruction's figures that belongs to a way to its function. The parts of all ways to a
 * function add up to the whole. */
struct figures stacks_share(const struct stack_context *context, const struct figures *whole);
