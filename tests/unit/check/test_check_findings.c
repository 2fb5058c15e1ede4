/* Findings through the C API: buffers that are freed and used, or never freed; what is counted and kept;
 * memory that runs out. */
#include "exec_unit.h"
#include "hexec/check.h"

#include <string.h>

/* Reads through the address in x[0] and x[1], and keeps what it read plus 7 in x[2]. */
#define THROUGH "ldg.u64 r4, [$x]\nldg.u32 r6, [r4]\nadd.u32 r6, r6, 7\nstg.u32 [$x + 8], r6\nexit"

static hx_checks *open_checks(uint64_t error_limit)
{
    hx_checks *checks = NULL;
    const hx_checks_options options = {
        .size = sizeof options, .kinds = HX_CHECK_MEMORY, .error_limit = error_limit};
    ck_assert_ok(hx_checks_open(&options, NULL, &checks));
    return checks;
}

static void launch_with(struct exec_unit *unit, uint64_t address)
{
    memcpy(exec_unit_x(unit), &address, sizeof address);
    ck_assert_ok(exec_unit_launch(unit, 2, 70));
    ck_assert_uint_eq(exec_unit_x(unit)[2], 7);
}

START_TEST(test_freed)
{
    struct exec_unit unit = exec_unit_new(THROUGH, 4);
    hx_checks *checks = open_checks(0);
    hx_buffer *other;
    ck_assert_ok(hx_checks_follow(checks, unit.device, NULL));
    ck_assert_int_eq(hx_checks_follow(checks, unit.device, NULL), HX_INVALID);
    ck_assert_ok(hx_buffer_new(unit.device, "other", 16, HX_ACCESS_READWRITE, NULL, &other));
    const uint64_t address = hx_buffer_address(other);
    launch_with(&unit, address);
    ck_assert_ok(hx_checks_finish(checks, NULL));
    ck_assert_uint_eq(hx_checks_finding_total(checks, NULL), 0);
    hx_buffer_free(unit.device, other);
    for (int times = 0; times < 2; times++)
        launch_with(&unit, address + 4);
    ck_assert_ok(hx_checks_finish(checks, NULL));
    ck_assert_uint_eq(hx_checks_finding_count(checks), 1);
    const hx_finding *finding = hx_checks_finding(checks, 0);
    ck_assert_str_eq(finding->kind, "memory.freed");
    ck_assert_uint_eq(finding->count, 2 * 140);
    ck_assert_uint_eq(finding->places[0].launch, 2);
    ck_assert_str_eq(finding->object.name, "other");
    ck_assert_int_eq(finding->object.offset, 4);
    ck_assert_ptr_nonnull(strstr(finding->message, "freed behind launch 1"));
    hx_checks_close(checks);
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_leak)
{
    struct exec_unit unit = exec_unit_new(THROUGH, 4);
    hx_checks *checks = open_checks(0);
    hx_buffer *kept, *freed;
    ck_assert_ok(hx_checks_follow(checks, unit.device, NULL));
    ck_assert_ok(hx_buffer_new(unit.device, "kept", 16, HX_ACCESS_READWRITE, NULL, &kept));
    ck_assert_ok(hx_buffer_new(unit.device, "freed", 16, HX_ACCESS_READWRITE, NULL, &freed));
    hx_buffer_free(unit.device, freed);
    hx_checks_leave(checks, 1);
    ck_assert_ok(hx_checks_finish(checks, NULL));
    ck_assert_uint_eq(hx_checks_finding_count(checks), 2); /* x of the test, too */
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(hx_checks_finding(checks, i)->kind, "memory.leak");
        ck_assert_str_ne(hx_checks_finding(checks, i)->object.name, "freed");
        ck_assert_uint_eq(hx_checks_finding(checks, i)->place_count, 0);
    }
    hx_checks_close(checks);
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_error_limit)
{
    struct exec_unit unit =
        exec_unit_new(THREAD "stg.u32 [$x + r0*4], r0\nstg.u32 [$x + r0*4 + 4], r0\nexit", 4);
    hx_checks *checks = open_checks(1);
    ck_assert_ok(hx_checks_follow(checks, unit.device, NULL));
    ck_assert_ok(exec_unit_launch(&unit, 2, 70));
    ck_assert_ok(hx_checks_finish(checks, NULL));
    ck_assert_uint_eq(hx_checks_finding_count(checks), 1);
    ck_assert_uint_eq(hx_checks_finding_total(checks, NULL), 2);
    ck_assert_uint_eq(hx_checks_finding(checks, 0)->count, 137);
    ck_assert_uint_eq(hx_checks_finding(checks, 0)->places[0].thread[0],
                      3); /* thread 3 + 1 is the first beyond */
    ck_assert_ptr_null(hx_checks_finding(checks, 1));
    hx_checks_close(checks);
    exec_unit_done(&unit);
}
END_TEST

START_TEST(test_names)
{
    hx_checks_options options = {.size = sizeof options};
    ck_assert_ok(hx_checks_parse("memory", NULL, &options));
    ck_assert_uint_eq(options.kinds, HX_CHECK_MEMORY);
    ck_assert_ok(hx_checks_parse("all", NULL, &options));
    ck_assert_uint_eq(options.kinds, hx_checks_available());
    static const char *const wrong[] = {"", "memory,", "mem", "memory sync", "race:lockste"};
    for (size_t i = 0; i < HX_COUNT_OF(wrong); i++)
        ck_assert_int_eq(hx_checks_parse(wrong[i], NULL, &options), HX_INVALID);
    ck_assert_uint_eq(options.kinds, hx_checks_available());
}
END_TEST

UNIT_MAIN("check findings", test_freed, test_leak, test_error_limit, test_names)
