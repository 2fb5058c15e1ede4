/* Snapshots: a debugger that makes as many as it can answers each command as one that makes none, which runs
 * the program again from the beginning.
 */
#include "unit.h"

#include "base/text.h"
#include "debug/debug.h"

#include <stdio.h>

static hx_diag *diag; /* of the test that runs */

struct session {
    hx_context *context;
    hx_debugger *debugger;
};

static struct session open_session(const char *name)
{
    char path[256];
    struct session session = {NULL, NULL};
    if (!diag)
        ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    snprintf(path, sizeof path, HX_SOURCE_DIR "/programs/%s", name);
    ck_assert_int_eq(hx_context_new(NULL, diag, &session.context), HX_OK);
    ck_assert_int_eq(hx_context_load(session.context, path, diag), HX_OK);
    ck_assert_int_eq(hx_debugger_new(session.context, NULL, diag, &session.debugger), HX_OK);
    return session;
}

static void close_session(struct session *session)
{
    hx_debugger_free(session->debugger);
    hx_context_free(session->context);
}

static struct snapshots *snapshots_of(const struct session *session)
{
    return &session->debugger->engine.snapshots;
}

static struct session open_dense(const char *name, uint64_t distance)
{
    struct session session = open_session(name);
    snapshots_of(&session)->distance = distance;
    snapshots_of(&session)->cost_share = 0;
    return session;
}

static struct session open_without(const char *name)
{
    struct session session = open_session(name);
    snapshots_of(&session)->is_off = true;
    return session;
}

/* What a command answers, and where the run is then: what the warp in focus has, what other warps do. */
static struct text look(const struct session *session, const char *line)
{
    static const char *const lines[] = {"info time",      "where",         "info warps",
                                        "info registers", "info barriers", "info paths"};
    struct text all = {0};
    hx_diag_clear(diag);
    text_print(&all, "%s\n",
               hx_status_name(hx_debugger_command(session->debugger, line, text_write, &all, diag)));
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++) /* behind the end of the program some have no answer */
        text_print(&all, "%s\n",
                   hx_status_name(hx_debugger_command(session->debugger, lines[i], text_write, &all, diag)));
    return all;
}

/* All contents of all buffers. */
static void compare_buffers(const struct session *one, const struct session *other)
{
    size_t count, others;
    hx_buffer *const *a = context_buffers(one->context, &count), *const *b =
                                                                     context_buffers(other->context, &others);
    ck_assert_uint_eq(count, others);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(hx_buffer_bytes(a[i]), hx_buffer_bytes(b[i]));
        ck_assert(memcmp(hx_buffer_data(a[i]), hx_buffer_data(b[i]), hx_buffer_bytes(a[i])) == 0);
    }
}

static void compare(const struct session *one, const struct session *other, const char *line)
{
    struct text a = look(one, line), b = look(other, line);
    ck_assert_msg(strcmp(a.at, b.at) == 0, "%s: with snapshots\n%.1500s\nwithout\n%.1500s", line, a.at, b.at);
    text_done(&a);
    text_done(&b);
    compare_buffers(one, other);
}

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (*random >> 33) % below;
}

static const char *const programs[] = {
    "reduce_sum.yaml", "histogram.yaml",      "spin_lock.yaml", "call_ret.yaml",   "last_block.yaml",
    "work_queue.yaml", "multi_kernel.yaml",   "print.yaml",     "collatz.yaml",    "bfs.yaml",
    "scan_block.yaml", "named_barriers.yaml", "compact.yaml",   "jump_table.yaml", "linked_lists.yaml"};

#define STEPS 1200 /* of each program, so many are compared */

/* `distance` of the snapshots in steps. Returns how many there were. */
static size_t check_program(const char *program, uint64_t distance, uint64_t seed)
{
    static const char *const moves[] = {"reverse-stepi",     "reverse-step",      "reverse-next 2",
                                        "reverse-continue",  "reverse-stepi any", "stepi 3 any",
                                        "reverse-step warp", "reverse-step 3",    "reverse-finish",
                                        "continue",          "last-write *u32 $", "step"};
    struct session dense = open_dense(program, distance), plain = open_without(program);
    uint64_t random = seed + strlen(program);
    char line[64];
    const char *const buffer = hx_context_program(dense.context)->buffers.items[0].name;
    snprintf(line, sizeof line, "goto %d", STEPS);
    compare(&dense, &plain, line);
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)(1 + draw(&random, STEPS)));
        compare(&dense, &plain, line);
        if (i == 3)
            compare(&dense, &plain, "break *4");
        if (i == 5) {
            snprintf(line, sizeof line, "watch %s[%llu]", buffer, (unsigned long long)draw(&random, 40));
            compare(&dense, &plain, line);
        }
        for (int k = 0; k < 2; k++) {
            const char *move = moves[draw(&random, HX_COUNT_OF(moves))];
            snprintf(line, sizeof line, "%s%s", move, strchr(move, '$') ? buffer : "");
            compare(&dense, &plain, line);
        }
    }
    const size_t count = snapshots_of(&dense)->items.count;
    close_session(&dense);
    close_session(&plain);
    return count;
}

START_TEST(test_snapshots_change_nothing)
{
    size_t made = 0;
    for (size_t i = 0; i < HX_COUNT_OF(programs); i++)
        made += check_program(programs[i], i % 2 ? 1 : 37, i);
    ck_assert_uint_gt(made, 300);
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

/* The run goes on behind the way back as if it had never gone back: buffers in the end are those expected. */
START_TEST(test_results_behind_the_way_back)
{
    for (size_t i = 0; i < HX_COUNT_OF(programs); i++) {
        struct session dense = open_dense(programs[i], 1);
        size_t checked = 0;
        char line[64];
        for (int time = 1220; time > 0; time -= 400) {
            snprintf(line, sizeof line, "goto %d", time);
            struct text seen = look(&dense, line);
            text_done(&seen);
        }
        struct text end = look(&dense, "continue");
        ck_assert_ptr_nonnull(strstr(end.at, "the program has ended"));
        text_done(&end);
        ck_assert_int_eq(hx_context_check_expectations(dense.context, diag, &checked), HX_OK);
        ck_assert_uint_gt(checked, 0);
        close_session(&dense);
    }
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

/* What was set is there on the way forth, and not before it; another value drops what was set behind it. */
START_TEST(test_set_is_a_part_of_the_run)
{
    static const char *const lines[] = {
        "goto 900",          "set x[5] = 250", "goto 1200", "print x[5]", "goto 400",
        "print x[5]",        "set x[7] = 99",  "goto 410",  "print x[7]", "goto 1200",
        "print x[5]",        "print x[7]",     "goto 405",  "goto 300",   "print x[7]",
        "set part[1] = 3*4", "goto 302",       "goto 299",  "goto 301",   "print part[1]",
        "reverse-stepi any", "print part[1]",  "run",       "goto 1200",  "print x[7]"};
    struct session dense = open_dense("reduce_sum.yaml", 1), plain = open_without("reduce_sum.yaml");
    const struct engine *engine = &dense.debugger->engine;
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++) {
        compare(&dense, &plain, lines[i]);
        const size_t set = i < 1 ? 0 : i < 22 ? 1 : 0;
        ck_assert_msg(engine->changes.count == set, "%s: %zu", lines[i], engine->changes.count);
        for (size_t k = 0; i < 22 && i > 0 && k < engine->changes.count; k++)
            ck_assert_uint_eq(engine->changes.items[k].time, i < 6 ? 900 : i < 15 ? 400 : 300);
    }
    close_session(&dense);
    close_session(&plain);
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

START_TEST(test_set_values)
{
    struct session session = open_session("saxpy.yaml");
    static const char *const lines[] = {"goto 19", "set y[40] = 2.5", "goto 30", "goto 25", "print y[40]"};
    struct text last = {0};
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++) {
        text_done(&last);
        last = (struct text){0};
        ck_assert_int_eq(hx_debugger_command(session.debugger, lines[i], text_write, &last, diag), HX_OK);
    }
    ck_assert_str_eq(last.at, "82.5\n");
    text_done(&last);
    close_session(&session);
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

/* A loop on one line, which lanes leave at different times, between two others; and another block behind it.
 */
static const char one_line[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry spin()\n{\n"
                               ".reg .u32 %r<4>;\n.reg .pred %p;\n"
                               "mov.u32 %r0, %tid.x;\n"
                               "mul.lo.u32 %r1, %r0, 20; add.u32 %r1, %r1, 6000; mov.u32 %r2, 1;\n"
                               "bar.sync 0;\n"
                               "L: mul.lo.u32 %r2, %r2, 3; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; "
                               "@%p bra L;\n"
                               "add.u32 %r3, %r2, 1;\nadd.u32 %r3, %r3, 1;\nret;\n}\n";

static struct session open_one_line(void)
{
    struct session session = {NULL, NULL};
    const hx_run_options run = {
        .size = sizeof run,
        .has_grid = 1,
        .has_block = 1,
        .launch = {.size = sizeof run.launch, .grid = {3, 1, 1}, .block = {64, 1, 1}}};
    const hx_debug_options options = {.size = sizeof options, .run = &run};
    if (!diag)
        ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(hx_context_new(NULL, diag, &session.context), HX_OK);
    ck_assert_int_eq(hx_context_load_bytes(session.context, "spin.ptx", one_line, sizeof one_line - 1, diag),
                     HX_OK);
    ck_assert_int_eq(hx_debugger_new(session.context, &options, diag, &session.debugger), HX_OK);
    return session;
}

START_TEST(test_lines_that_take_long)
{
    static const char *const lines[] = {"goto 25000",
                                        "reverse-step",
                                        "reverse-step",
                                        "goto 24990",
                                        "focus block 0 thread 5",
                                        "reverse-step",
                                        "goto 26000",
                                        "focus block 1 thread 40",
                                        "reverse-next",
                                        "reverse-next",
                                        "goto 60000",
                                        "reverse-step 3",
                                        "break 9",
                                        "continue",
                                        "reverse-step",
                                        "reverse-step",
                                        "reverse-step 2"};
    struct session dense = open_one_line(), plain = open_one_line();
    snapshots_of(&dense)->distance = 100;
    snapshots_of(&dense)->cost_share = 0;
    snapshots_of(&plain)->is_off = true;
    for (size_t i = 0; i < HX_COUNT_OF(lines); i++)
        compare(&dense, &plain, lines[i]);
    ck_assert_uint_gt(snapshots_of(&dense)->items.count, 5);
    close_session(&dense);
    close_session(&plain);
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

/* Their number and their bytes have a bound, and they still lie all over the run. */
START_TEST(test_bounds)
{
    struct session dense = open_dense("spin_lock.yaml", 1);
    struct text end = look(&dense, "run");
    const struct snapshots *snapshots = snapshots_of(&dense);
    const uint64_t last = dense.debugger->engine.now;
    text_done(&end);
    ck_assert_uint_gt(snapshots->items.count, SNAPSHOT_COUNT_MAX / 4);
    ck_assert_uint_le(snapshots->items.count, SNAPSHOT_COUNT_MAX);
    for (size_t i = 1; i < snapshots->items.count; i++)
        ck_assert_uint_gt(snapshots->items.items[i]->time, snapshots->items.items[i - 1]->time);
    ck_assert_uint_lt(snapshots->items.items[0]->time, last / 8);
    ck_assert_uint_gt(snapshots->items.items[snapshots->items.count - 1]->time, last / 8 * 7);
    close_session(&dense);
    hx_diag_free(diag);
    diag = NULL;
}
END_TEST

UNIT_MAIN("debug_past", test_snapshots_change_nothing, test_results_behind_the_way_back,
          test_set_is_a_part_of_the_run, test_set_values, test_lines_that_take_long, test_bounds)
