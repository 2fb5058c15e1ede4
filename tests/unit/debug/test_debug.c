/* The debugger: going back in time gives what was there, and stops do not change what the program computes.
 */
#include "unit.h"

#include "base/text.h"
#include "hexec/debug.h"

#include <stdio.h>

#define ROUNDS 40

static hx_diag *diag; /* of the test that runs */

static hx_context *open_program(const char *name)
{
    char path[256];
    hx_context *context = NULL;
    if (!diag)
        ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    hx_diag_clear(diag);
    snprintf(path, sizeof path, HX_SOURCE_DIR "/programs/%s", name);
    ck_assert_int_eq(hx_context_new(NULL, diag, &context), HX_OK);
    ck_assert_int_eq(hx_context_load(context, path, diag), HX_OK);
    return context;
}

static hx_debugger *open_debugger(hx_context *context)
{
    hx_debugger *debugger = NULL;
    ck_assert_int_eq(hx_debugger_new(context, NULL, diag, &debugger), HX_OK);
    return debugger;
}

static void close_debugger(hx_debugger *debugger, hx_context *context)
{
    hx_debugger_free(debugger);
    hx_context_free(context);
    hx_diag_free(diag);
    diag = NULL;
}

/* The answer to a command, to be freed. */
static char *answer(hx_debugger *debugger, const char *line)
{
    struct text out = {0};
    const hx_status status = hx_debugger_command(debugger, line, text_write, &out, diag);
    if (status != HX_OK)
        ck_abort_msg("%s: %s", line,
                     hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : hx_status_name(status));
    return out.at ? out.at : calloc(1, 1);
}

static void discard(hx_debugger *debugger, const char *line)
{
    free(answer(debugger, line));
}

static const char *const programs[] = {"saxpy.yaml",    "reduce_sum.yaml", "collatz.yaml",
                                       "call_ret.yaml", "scan_block.yaml", "spin_lock.yaml"};

/* Where a run is, and what the warp in focus has. */
static char *look(hx_debugger *debugger)
{
    struct text all = {0};
    const char *const lines[] = {"info time", "where", "info warps", "info registers", "info barriers"};
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++) /* behind the end of the program some have no answer */
        text_print(&all, "%s\n",
                   hx_status_name(hx_debugger_command(debugger, lines[i], text_write, &all, diag)));
    return all.at;
}

static void check_goto(const char *program)
{
    hx_context *context = open_program(program);
    hx_debugger *debugger = open_debugger(context);
    char line[64], *seen[ROUNDS];
    uint64_t times[ROUNDS], random = 12345 + strlen(program);
    for (int i = 0; i < ROUNDS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        times[i] = 1 + (random >> 33) % 300;
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)times[i]);
        discard(debugger, line);
        seen[i] = look(debugger);
    }
    for (int i = ROUNDS - 1; i >= 0; i--) {
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)times[i]);
        discard(debugger, line);
        char *again = look(debugger);
        ck_assert_str_eq(again, seen[i]);
        free(again);
        free(seen[i]);
    }
    close_debugger(debugger, context);
}

START_TEST(test_goto_gives_the_same_state)
{
    for (size_t i = 0; i < HX_COUNT_OF(programs); i++)
        check_goto(programs[i]);
}
END_TEST

/* A step forward and one back, by instructions of any warp, leads to the same place. */
static void check_reverse_step(const char *program)
{
    hx_context *context = open_program(program);
    hx_debugger *debugger = open_debugger(context);
    discard(debugger, "goto 50");
    for (int i = 0; i < 20; i++) {
        char *before = answer(debugger, "info time");
        discard(debugger, "stepi any");
        discard(debugger, "reverse-stepi any");
        char *after = answer(debugger, "info time");
        ck_assert_str_eq(before, after);
        free(before);
        free(after);
        discard(debugger, "stepi 7 any");
    }
    close_debugger(debugger, context);
}

START_TEST(test_reverse_step_undoes_step)
{
    for (size_t i = 0; i < HX_COUNT_OF(programs); i++)
        check_reverse_step(programs[i]);
}
END_TEST

static void check_results(const char *program)
{
    hx_context *context = open_program(program);
    hx_debugger *debugger = open_debugger(context);
    size_t checked = 0;
    discard(debugger, "goto 20");
    discard(debugger, "reverse-stepi any");
    discard(debugger, "stepi 30 any");
    char *end = answer(debugger, "continue");
    ck_assert_ptr_nonnull(strstr(end, "the program has ended"));
    free(end);
    const hx_status status = hx_context_check_expectations(context, diag, &checked);
    ck_assert_int_eq(status, HX_OK);
    ck_assert_uint_gt(checked, 0);
    close_debugger(debugger, context);
}

START_TEST(test_results_do_not_change)
{
    for (size_t i = 0; i < HX_COUNT_OF(programs); i++)
        check_results(programs[i]);
}
END_TEST

START_TEST(test_last_write_is_the_last)
{
    hx_context *context = open_program("saxpy.yaml");
    hx_debugger *debugger = open_debugger(context);
    discard(debugger, "break 28 thread 40 block 2");
    discard(debugger, "run");
    char *after = answer(debugger, "print y[552]"), *moved = answer(debugger, "last-write y[552]");
    char *before = answer(debugger, "print y[552]");
    ck_assert_str_eq(after, "1105\n");
    ck_assert_ptr_nonnull(strstr(moved, "block 2, thread 40"));
    ck_assert_str_eq(before, "1\n");
    free(after);
    free(moved);
    free(before);
    close_debugger(debugger, context);
}
END_TEST

/* Any line of these words and signs gets an answer or an error, and the debugger goes on. */
START_TEST(test_any_line)
{
    static const char *const words[] = {"break",     "print",
                                        "x",         "y[",
                                        "]",         "r0",
                                        "(",         ")",
                                        "*",         "if",
                                        "24",        "-1",
                                        "%tid.x",    "info",
                                        "registers", "step",
                                        "watch",     "goto",
                                        "9",         "/x",
                                        "f32",       "&&",
                                        "<",         "last-write",
                                        "delete",    "condition",
                                        "1",         "focus",
                                        "block",     "thread",
                                        "list",      "reverse-step",
                                        ".f16",      "99999999999999999999",
                                        "message",   "{r0}"};
    static const char *const commands[] = {"break",        "print", "x",     "info", "step",   "watch",
                                           "goto",         "list",  "focus", "help", "delete", "condition",
                                           "reverse-step", "brk"};
    hx_context *context = open_program("saxpy.yaml");
    hx_debugger *debugger = open_debugger(context);
    uint64_t random = 99;
    unsigned wrong = 0, right = 0;
    for (int i = 0; i < 1000; i++) {
        struct text line = {0}, out = {0};
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text_print(&line, "%s ", commands[(random >> 40) % HX_COUNT_OF(commands)]);
        for (int k = 0; k < i % 5; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text_print(&line, "%s%s", words[(random >> 40) % HX_COUNT_OF(words)],
                       random >> 34 & 1 ? " " : "");
        }
        hx_diag_clear(diag);
        const hx_status status = hx_debugger_command(debugger, line.at, text_write, &out, diag);
        if (status != HX_OK && status != HX_INVALID)
            ck_abort_msg("'%s': %s", line.at, hx_status_name(status));
        ck_assert_int_eq(status == HX_INVALID, hx_diag_count(diag) > 0);
        *(status == HX_OK ? &right : &wrong) += 1;
        text_done(&line);
        text_done(&out);
    }
    ck_assert_uint_gt(wrong, 100);
    ck_assert_uint_gt(right, 20);
    close_debugger(debugger, context);
}
END_TEST

UNIT_MAIN("debug", test_goto_gives_the_same_state, test_reverse_step_undoes_step, test_results_do_not_change,
          test_last_write_is_the_last, test_any_line)
