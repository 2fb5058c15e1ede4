/* Constants that are addresses: each launch has those of its own buffers, also when another device launches
 * the same kernel. */
#include "exec_unit.h"

static const char *const table = "  - {name: table, type: u64, values: [$x + 4, generic(lut) + 8, tile + 4]}";
static const char *const code = "ldc.u64 r0, [table]\n" /* x[1] := lut[2] + 10 tile + 1 */
                                "ldc.u64 r1, [table + 8]\n"
                                "ldc.u32 r2, [table + 16]\n"
                                "ld.u32 r3, [r1]\n"
                                "mad.u32 r3, r2, 10, r3\n"
                                "add.u32 r3, r3, 1\n"
                                "stg.u32 [r0], r3\n"
                                "exit\n";

START_TEST(test_buffers_of_each_launch)
{
    struct exec_unit unit = exec_unit_new_with(table, code, 4);
    hx_device *second;
    hx_buffer *others[2];
    ck_assert_ok(hx_device_new(NULL, NULL, &second));
    ck_assert_ok(hx_buffer_new(second, "gap", 4096, HX_ACCESS_READWRITE, NULL, &others[0]));
    ck_assert_ok(hx_buffer_new(second, "other", 16, HX_ACCESS_READWRITE, NULL, &others[1]));
    ck_assert_uint_ne(hx_buffer_address(unit.x), hx_buffer_address(others[1]));
    for (unsigned turn = 0; turn < 2; turn++) {
        ck_assert_ok(exec_unit_launch(&unit, 1, 1));
        ck_assert_ok(hx_launch(second, unit.kernel, &unit.options, &others[1], NULL, &unit.result));
        uint32_t *x = exec_unit_x(&unit), *other = hx_buffer_data(others[1]);
        ck_assert_uint_eq(x[1], 44);
        ck_assert_uint_eq(other[1], 44);
        x[1] = other[1] = 0;
    }
    hx_device_free(second);
    exec_unit_done(&unit);
}
END_TEST

/* A host sets a parameter to an address, and back to a number. */
START_TEST(test_parameter_is_set)
{
    struct exec_unit unit = exec_unit_new_with("  - {name: more, type: u32, values: [40]}",
                                               "mov.u32 r0, $n\nstg.u32 [$x], r0\nexit\n", 1);
    hx_program *program = unit.loaded.program;
    ck_assert_ok(hx_program_set_param(program, "n", "more + 1", NULL));
    ck_assert_ok(exec_unit_launch(&unit, 1, 1));
    ck_assert_uint_eq(exec_unit_x(&unit)[0], 12 + 1); /* behind the three elements of lut */
    ck_assert_int_eq(hx_program_set_param(program, "n", "$x", unit.loaded.diag), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(unit.loaded.diag, 0)->code, DIAG_PROGRAM_ADDRESS);
    ck_assert_ok(exec_unit_launch(&unit, 1, 1));
    ck_assert_uint_eq(exec_unit_x(&unit)[0], 13);
    ck_assert_ok(hx_program_set_param(program, "n", "9", NULL));
    ck_assert_ok(exec_unit_launch(&unit, 1, 1));
    ck_assert_uint_eq(exec_unit_x(&unit)[0], 9);
    exec_unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_addresses", test_buffers_of_each_launch, test_parameter_is_set)
