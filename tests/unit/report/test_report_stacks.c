/* Stacks and flame graphs of a profile: ways, shares, and that nothing is lost or counted twice. */
#include "unit.h"

#include "report/figures.h"
#include "report/flame.h"

#include <string.h>

#define CODE_MAX     16
#define FUNCTION_MAX 6

/* A kernel made by hand: instruction i is in functions[i], costs lanes[i] (and ten times that in time). */
struct made {
    struct arena arena;
    hx_profile_kernel about;
    struct stack_instruction code[CODE_MAX];
    struct stack_function functions[FUNCTION_MAX];
    struct stack_kernel kernel;
    struct stacks stacks;
};

static void add(struct made *made, uint32_t function, uint64_t lanes, const char *form)
{
    const uint32_t pc = made->kernel.instruction_count++;
    made->code[pc] = (struct stack_instruction){
        .pc = pc,
        .line = 100 + pc,
        .function = function,
        .callee = STACK_NONE,
        .form = form,
        .class_name = "test",
        .file = "made.yaml",
        .text = form,
        .figures.of = {
            [FIGURE_TIME] = lanes * 10, [FIGURE_ISSUES] = (lanes + 31) / 32, [FIGURE_LANES] = lanes}};
    if (made->functions[function].count++ == 0)
        made->functions[function].entry = pc;
}

static void add_call(struct made *made, uint32_t function, uint64_t lanes, uint32_t callee)
{
    add(made, function, lanes, "call");
    made->code[made->kernel.instruction_count - 1].is_call = true;
    made->code[made->kernel.instruction_count - 1].callee = callee;
}

static void finish(struct made *made, uint32_t functions)
{
    static const char *const names[FUNCTION_MAX] = {"made", "one", "two", "three", "four", "five"};
    made->about = (hx_profile_kernel){.name = "made", .file = "made.yaml", .line = 1};
    made->kernel.about = &made->about;
    made->kernel.instructions = made->code;
    made->kernel.functions = made->functions;
    made->kernel.function_count = functions;
    for (uint32_t f = 0; f < functions; f++) {
        made->functions[f].name = made->functions[f].full_name = names[f];
        made->functions[f].count = 0; /* stacks_link counts */
    }
    ck_assert_int_eq(stacks_link(&made->arena, &made->kernel), HX_OK);
    made->stacks.kernels = &made->kernel;
    made->stacks.kernel_count = 1;
    made->stacks.total = made->kernel.total;
}

/* Shares of all ways to each function add up to what its instructions cost. */
static void check_shares(const struct made *made)
{
    for (uint32_t i = 0; i < made->kernel.instruction_count; i++) {
        const struct stack_function *function = &made->functions[made->code[i].function];
        struct figures sum = {0};
        ck_assert_uint_ge(function->context_count, 1);
        for (uint32_t c = 0; c < function->context_count; c++) {
            const uint32_t context = made->kernel.by_function[function->first_context + c];
            const struct figures share =
                stacks_share(&made->kernel.contexts[context], &made->code[i].figures);
            figures_add(&sum, &share);
        }
        ck_assert_mem_eq(&sum, &made->code[i].figures, sizeof sum);
    }
}

static void check_flame(const struct made *made)
{
    struct flame flame;
    struct figures self = {0};
    ck_assert_int_eq(flame_make(&made->stacks, "program", NULL, NULL, &flame), HX_OK);
    for (uint32_t i = 0; i < flame.count; i++) {
        figures_add(&self, &flame.frames[i].self);
        ck_assert(i == 0 || flame.frames[i].parent < i);
        ck_assert_uint_eq(flame_path(&flame, i)[flame.frames[i].depth], i);
        ck_assert_uint_eq(flame_path(&flame, i)[0], 0);
    }
    ck_assert_mem_eq(&self, &made->stacks.total, sizeof self);
    ck_assert_mem_eq(&flame.frames[0].total, &made->stacks.total, sizeof self);
    flame_done(&flame);
}

static void check_and_drop(struct made *made)
{
    check_shares(made);
    check_flame(made);
    arena_done(&made->arena);
}

static uint64_t share_of(const struct made *made, uint32_t function, uint32_t way, enum figure figure)
{
    const struct stack_function *one = &made->functions[function];
    const uint32_t context = made->kernel.by_function[one->first_context + way];
    return stacks_share(&made->kernel.contexts[context], &made->code[one->entry].figures).of[figure];
}

START_TEST(test_one_function)
{
    struct made made = {0};
    add(&made, 0, 64, "mov.u32");
    add(&made, 0, 7, "add.u32");
    finish(&made, 1);
    ck_assert_uint_eq(made.kernel.context_count, 1);
    check_and_drop(&made);
}
END_TEST

/* Two calls of one function, taken by 300 and 100 threads: three quarters and one. */
START_TEST(test_shares_follow_calls)
{
    struct made made = {0};
    add_call(&made, 0, 300, 1);
    add_call(&made, 0, 100, 1);
    add(&made, 1, 400, "mul.u32");
    add(&made, 1, 401, "ret");
    finish(&made, 2);
    ck_assert_uint_eq(made.functions[1].context_count, 2);
    ck_assert_uint_eq(share_of(&made, 1, 0, FIGURE_LANES), 300);
    ck_assert_uint_eq(share_of(&made, 1, 1, FIGURE_LANES), 100);
    ck_assert_uint_eq(share_of(&made, 1, 0, FIGURE_TIME), 3000);
    check_and_drop(&made);
}
END_TEST

/* 0 calls 1 and 2, both call 3: a thread in 3 came through 1 or 2. Odd numbers: every share is rounded. */
START_TEST(test_shared_callee)
{
    struct made made = {0};
    add_call(&made, 0, 13, 1);
    add_call(&made, 0, 7, 2);
    add_call(&made, 1, 13, 3);
    add_call(&made, 2, 7, 3);
    add(&made, 3, 20, "mul.u32");
    add(&made, 3, 3, "add.u32");
    add(&made, 3, UINT32_MAX, "ret");
    finish(&made, 4);
    ck_assert_uint_eq(made.functions[3].context_count, 2);
    ck_assert_uint_eq(share_of(&made, 3, 0, FIGURE_LANES), 13);
    ck_assert_uint_eq(share_of(&made, 3, 1, FIGURE_LANES), 7);
    check_and_drop(&made);
}
END_TEST

/* A function that calls itself, and two that call each other, are on a stack once. */
START_TEST(test_recursion)
{
    struct made made = {0};
    add_call(&made, 0, 10, 1);
    add(&made, 1, 55, "mul.u32");
    add_call(&made, 1, 45, 1);
    add_call(&made, 1, 10, 2);
    add_call(&made, 2, 10, 1);
    finish(&made, 3);
    ck_assert_uint_eq(made.functions[1].context_count, 1);
    ck_assert_uint_eq(made.functions[2].context_count, 1);
    check_and_drop(&made);
}
END_TEST

/* A call through a table went to what was entered and named by no call. */
START_TEST(test_table)
{
    struct made made = {0};
    add_call(&made, 0, 30, STACK_NONE);
    add_call(&made, 0, 5, 1);
    add(&made, 1, 5, "mul.u32");
    add(&made, 2, 20, "add.u32");
    add(&made, 3, 10, "sub.u32");
    finish(&made, 4);
    ck_assert_uint_eq(made.functions[1].context_count, 1);
    ck_assert_uint_eq(made.kernel.contexts[made.kernel.by_function[made.functions[1].first_context]].site, 1);
    ck_assert_uint_eq(made.kernel.contexts[made.kernel.by_function[made.functions[2].first_context]].site, 0);
    ck_assert_uint_eq(made.kernel.contexts[made.kernel.by_function[made.functions[3].first_context]].site, 0);
    check_and_drop(&made);
}
END_TEST

/* Code that never ran has a way all the same, and costs nothing; its frames are left out. */
START_TEST(test_never_called)
{
    struct made made = {0};
    struct flame flame;
    add(&made, 0, 8, "mov.u32");
    add_call(&made, 0, 0, 1);
    add(&made, 1, 0, "ret");
    add(&made, 2, 0, "ret");
    finish(&made, 3);
    check_shares(&made);
    check_flame(&made);
    ck_assert_int_eq(flame_make(&made.stacks, "program", NULL, NULL, &flame), HX_OK);
    ck_assert_uint_eq(flame.count, 4); /* program, kernel, line, opcode */
    ck_assert_int_eq(flame.frames[3].kind, FRAME_OPCODE);
    flame_done(&flame);
    arena_done(&made.arena);
}
END_TEST

/* Each of 12 functions calls the next one twice: 4,096 ways to the last, and more than are kept. */
START_TEST(test_many_ways)
{
    enum { DEEP = 20 };
    struct arena arena = {0};
    struct stack_instruction code[2 * DEEP];
    struct stack_function functions[DEEP] = {{0}};
    hx_profile_kernel about = {.name = "deep", .file = "deep.yaml"};
    struct stack_kernel kernel = {.about = &about,
                                  .instructions = code,
                                  .functions = functions,
                                  .instruction_count = 2 * DEEP,
                                  .function_count = DEEP};
    for (uint32_t i = 0; i < 2 * DEEP; i++)
        code[i] = (struct stack_instruction){.pc = i,
                                             .line = i,
                                             .function = i / 2,
                                             .callee = i / 2 + 1 < DEEP ? i / 2 + 1 : STACK_NONE,
                                             .is_call = i / 2 + 1 < DEEP,
                                             .form = "call",
                                             .class_name = "",
                                             .file = "deep.yaml",
                                             .text = "call",
                                             .figures.of = {[FIGURE_LANES] = 1000003}};
    for (uint32_t f = 0; f < DEEP; f++)
        functions[f] = (struct stack_function){.name = "f", .full_name = "f", .entry = 2 * f};
    ck_assert_int_eq(stacks_link(&arena, &kernel), HX_OK);
    struct stacks stacks = {.kernels = &kernel, .kernel_count = 1, .total = kernel.total};
    struct flame flame;
    ck_assert_int_eq(flame_make(&stacks, "p", NULL, NULL, &flame), HX_OK);
    ck_assert_uint_eq(flame.frames[0].total.of[FIGURE_LANES], UINT64_C(2) * DEEP * 1000003);
    ck_assert_uint_eq(kernel.total.of[FIGURE_LANES], UINT64_C(2) * DEEP * 1000003);
    flame_done(&flame);
    arena_done(&arena);
}
END_TEST

/* Each allocation fails once: no crash, no leak, and the status says why. */
START_TEST(test_no_memory)
{
    hx_status status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        struct made made = {.kernel = {0}};
        struct flame flame = {0};
        add_call(&made, 0, 13, 1);
        add(&made, 1, 13, "mul.u32");
        finish(&made, 2);
        struct arena arena = {.allocator = &failing.hook};
        struct stack_kernel again = made.kernel;
        made.functions[0].count = made.functions[1].count = 0;
        status = stacks_link(&arena, &again);
        if (status == HX_OK)
            status = flame_make(&made.stacks, "program", &failing.hook, NULL, &flame);
        if (status == HX_OK)
            flame_done(&flame);
        arena_done(&arena);
        arena_done(&made.arena);
        ck_assert_uint_eq(failing.live, 0);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
    }
}
END_TEST

START_TEST(cells_are_as_wide_as_they_look)
{
    struct text text HX_AUTO(text_done) = {0};
    figure_cell(&text, "\xe6\xbc\xa2\xe5\xad\x97", 6, false);
    figure_cell(&text, "e\xcc\x81", 3, true);
    figure_cell(&text, "|\xe6\xbc\xa2\xe5\xad\x97", 4, false); /* cut: the second letter has no room */
    ck_assert_str_eq(text.at, "\xe6\xbc\xa2\xe5\xad\x97    e\xcc\x81|\xe6\xbc\xa2 ");
}
END_TEST

UNIT_MAIN("profile_stacks", test_one_function, test_shares_follow_calls, test_shared_callee, test_recursion,
          test_table, test_never_called, test_many_ways, test_no_memory, cells_are_as_wide_as_they_look)
