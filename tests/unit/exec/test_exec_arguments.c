/* Arguments that a launch brings, what a program tells of its kernels, and unified devices. */
#include "exec_unit.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define PTX                                                                                                  \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                                        \
    ".global .align 4 .u32 seven = 7;\n"                                                                     \
    ".global .align 8 .u64 where = seven;\n"                                                                 \
    ".visible .entry add(.param .u64 out, .param .u8 small, .param .f32 f,\n"                                \
    "                    .param .align 8 .b8 pair[12], .param .u64 .ptr .shared room)\n"                     \
    ".reqntid 4, 1, 1\n"                                                                                     \
    "{ .reg .u64 %a<9>; .reg .u32 %r<9>; .reg .f32 %f<3>; .reg .u16 %h;\n"                                   \
    "  ld.param.u64 %a0, [out]; ld.param.u8 %h, [small]; ld.param.f32 %f0, [f];\n"                           \
    "  ld.param.u32 %r0, [pair]; ld.param.u64 %a1, [room]; ld.param.u32 %r5, [pair+8];\n"                    \
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a1, %a2;\n"                              \
    "  st.shared.u32 [%a3], %r0; ld.shared.u32 %r2, [%a3];\n"                                                \
    "  cvt.u32.u16 %r3, %h; add.u32 %r2, %r2, %r3; cvt.rzi.u32.f32 %r4, %f0; add.u32 %r2, %r2, %r4;\n"       \
    "  add.u32 %r2, %r2, %r5; ld.global.u64 %a5, [where]; ld.global.u32 %r6, [%a5];\n"                       \
    "  add.u32 %r2, %r2, %r6; add.u64 %a4, %a0, %a2; st.global.u32 [%a4], %r2; ret; }\n"

struct arguments_unit {
    hx_isa *isa;
    hx_diag *diag;
    hx_program *program;
    hx_kernel *kernel;
    hx_device *device;
    hx_buffer *globals[2], *out;
};

static struct arguments_unit unit_new(int unified)
{
    struct arguments_unit unit = {0};
    const hx_device_options options = {.size = sizeof options, .workers = 2, .unified = unified};
    ck_assert_ok(hx_diag_new(NULL, &unit.diag));
    ck_assert_ok(hx_isa_load(NULL, NULL, unit.diag, &unit.isa));
    ck_assert_ok(
        hx_program_load_bytes("t.ptx", NULL, PTX, sizeof PTX - 1, unit.isa, NULL, unit.diag, &unit.program));
    ck_assert_ok(hx_kernel_new(unit.program, 0, NULL, unit.diag, &unit.kernel));
    ck_assert_ok(hx_device_new(&options, unit.diag, &unit.device));
    ck_assert_uint_eq(hx_program_buffer_count(unit.program), 2);
    ck_assert_ok(hx_program_make_buffers(unit.program, unit.device, unit.diag, unit.globals));
    ck_assert_ok(hx_buffer_new(unit.device, "out", 16, HX_ACCESS_READWRITE, unit.diag, &unit.out));
    return unit;
}

static void unit_done(struct arguments_unit *unit)
{
    hx_device_free(unit->device);
    hx_kernel_free(unit->kernel);
    hx_program_free(unit->program);
    hx_isa_free(unit->isa);
    hx_diag_free(unit->diag);
}

struct values {
    uint64_t out;
    uint8_t small;
    float f;
    uint32_t pair[3];
};

static hx_status launch(const struct arguments_unit *unit, const struct values *values, size_t count,
                        size_t pair_bytes, hx_diag *diag)
{
    const hx_argument arguments[] = {
        {&values->out, 8}, {&values->small, 1}, {&values->f, 4}, {values->pair, pair_bytes}, {NULL, 16}};
    const hx_launch_options options = {
        .size = sizeof options, .block = {4}, .arguments = arguments, .argument_count = count};
    hx_launch_result result = {.size = sizeof result};
    return hx_launch(unit->device, unit->kernel, &options, unit->globals, diag, &result);
}

START_TEST(test_values_of_each_kind)
{
    struct arguments_unit unit = unit_new(0);
    const struct values values = {hx_buffer_address(unit.out), 200, 1000.0f, {30000, 1, 4000}};
    ck_assert_ok(launch(&unit, &values, 5, 12, unit.diag));
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(((const uint32_t *)hx_buffer_data(unit.out))[i], 35207);
    ck_assert_int_eq(launch(&unit, &values, 4, 12, unit.diag), HX_INVALID);
    ck_assert_int_eq(launch(&unit, &values, 5, 8, unit.diag), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count_of(unit.diag, HX_ERROR), 2);
    ck_assert_int_eq(hx_diag_at(unit.diag, 0)->code, 1608);
    unit_done(&unit);
}
END_TEST

START_TEST(test_constants_that_a_launch_brings)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .u32 pair[2] = {3, 4};\n"
        ".visible .entry get(.param .u64 out, .param .align 4 .b8 more[8])\n"
        "{ .reg .u64 %a; .reg .u32 %r<3>; ld.param.u64 %a, [out]; ld.const.u32 %r0, [pair+4];\n"
        "  ld.param.u32 %r1, [more+4]; add.u32 %r0, %r0, %r1; st.global.u32 [%a], %r0; ret; }\n";
    struct arguments_unit unit = unit_new(0);
    hx_program *program = NULL;
    hx_kernel *kernel = NULL;
    hx_buffer *constants[1] = {NULL}, *none[1] = {NULL};
    ck_assert_ok(
        hx_program_load_bytes("c.ptx", NULL, text, sizeof text - 1, unit.isa, NULL, unit.diag, &program));
    ck_assert_ok(hx_kernel_new(program, 0, NULL, unit.diag, &kernel));
    ck_assert_uint_eq(hx_program_constant_count(program), 1);
    ck_assert_str_eq(hx_program_constant_name(program, 0), "pair");
    ck_assert_ptr_null(hx_program_constant_name(program, 1));
    ck_assert_ok(hx_program_make_constants(program, unit.device, NULL, unit.diag, constants));
    ck_assert_uint_eq(hx_buffer_bytes(constants[0]), 8);
    uint32_t *values = hx_buffer_data(constants[0]);
    ck_assert_uint_eq(values[0], 3);
    const uint64_t address = hx_buffer_address(unit.out);
    const uint32_t more[2] = {0, 100};
    const hx_argument arguments[] = {{&address, 8}, {more, 8}};
    hx_launch_options options = {.size = sizeof options, .arguments = arguments, .argument_count = 2};
    hx_launch_result result = {.size = sizeof result};
    const uint32_t *got = hx_buffer_data(unit.out);
    values[1] = 50;
    ck_assert_ok(hx_launch(unit.device, kernel, &options, NULL, unit.diag, &result));
    ck_assert_uint_eq(*got, 104);
    options.constants = constants;
    ck_assert_ok(hx_launch(unit.device, kernel, &options, NULL, unit.diag, &result));
    ck_assert_uint_eq(*got, 150);
    options.constants = none;
    ck_assert_int_eq(hx_launch(unit.device, kernel, &options, NULL, unit.diag, &result), HX_INVALID);
    hx_kernel_free(kernel);
    unit_done(&unit);
    hx_program_free(program);
}
END_TEST

START_TEST(test_what_a_program_tells)
{
    struct arguments_unit unit = unit_new(0);
    static const uint64_t bytes[] = {8, 1, 4, 12, 8}, offsets[] = {0, 8, 12, 16, 32};
    hx_kernel_info info = {.size = sizeof info};
    ck_assert_ok(hx_program_kernel_info(unit.program, 0, &info));
    ck_assert_str_eq(info.name, "add");
    ck_assert_uint_eq(info.parameter_count, 5);
    ck_assert_uint_eq(info.required_block[0], 4);
    ck_assert_uint_eq(info.required_block[1], 1);
    for (size_t i = 0; i < 5; i++) {
        hx_parameter parameter = {.size = sizeof parameter};
        ck_assert_ok(hx_program_parameter(unit.program, 0, i, &parameter));
        ck_assert_uint_eq(parameter.bytes, bytes[i]);
        ck_assert_uint_eq(parameter.offset, offsets[i]);
        ck_assert_int_eq(parameter.is_shared != 0, i == 4);
    }
    hx_parameter none = {.size = sizeof none};
    ck_assert_int_eq(hx_program_parameter(unit.program, 0, 5, &none), HX_INVALID);
    ck_assert_int_eq(hx_program_kernel_info(unit.program, 1, &info), HX_INVALID);
    ck_assert_str_eq(hx_program_buffer_name(unit.program, 0), "seven");
    ck_assert_ptr_null(hx_program_buffer_name(unit.program, 2));
    unit_done(&unit);
}
END_TEST

struct caller {
    const struct arguments_unit *unit;
    uint32_t number;
    uint32_t wrong;
};

static void *call_often(void *user)
{
    struct caller *caller = user;
    const struct arguments_unit *unit = caller->unit;
    hx_buffer *out;
    if (hx_buffer_new(unit->device, NULL, 16, HX_ACCESS_READWRITE, NULL, &out) != HX_OK)
        return NULL;
    for (uint32_t i = 0; i < 50; i++) {
        const struct values values = {
            hx_buffer_address(out), (uint8_t)caller->number, (float)i, {caller->number * 1000, 0, i}};
        const uint32_t want = caller->number * 1001 + 2 * i + 7;
        if (launch(unit, &values, 5, 12, NULL) != HX_OK || *(uint32_t *)hx_buffer_data(out) != want)
            caller->wrong++;
    }
    hx_buffer_free(unit->device, out);
    return user;
}

START_TEST(test_threads_with_values_of_their_own)
{
    struct arguments_unit unit = unit_new(0);
    struct caller callers[4];
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++) {
        callers[i] = (struct caller){.unit = &unit, .number = i + 1};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *ended = NULL;
        pthread_join(threads[i], &ended);
        ck_assert_ptr_nonnull(ended);
        ck_assert_uint_eq(callers[i].wrong, 0);
    }
    unit_done(&unit);
}
END_TEST

/* The last 16 bytes of a mapping, the stack and a variable are all memory that kernels reach. */
START_TEST(test_unified_memory)
{
    struct arguments_unit unit = unit_new(1);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t on_stack[4] = {0};
    ck_assert_ptr_eq((void *)(uintptr_t)hx_buffer_address(unit.out), hx_buffer_data(unit.out));
    ck_assert_uint_eq(hx_buffer_address(unit.out) % 256, 0);
    for (int round = 0; round < 2; round++) {
        char *mapped = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ck_assert_ptr_ne(mapped, MAP_FAILED);
        uint32_t *const places[] = {on_stack, (uint32_t *)(mapped + page - 16), hx_buffer_data(unit.out)};
        for (size_t i = 0; i < HX_COUNT_OF(places); i++) {
            const struct values values = {(uintptr_t)places[i], 1, 2.0f, {30 + (uint32_t)round, 0, 0}};
            ck_assert_ok(launch(&unit, &values, 5, 12, unit.diag));
            for (int k = 0; k < 4; k++)
                ck_assert_uint_eq(places[i][k], 40 + (uint32_t)round);
        }
        ck_assert_int_eq(mprotect(mapped, page, PROT_NONE), 0); /* nothing else can be put there */
        const struct values gone = {(uintptr_t)mapped, 1, 2.0f, {0}};
        ck_assert_int_eq(launch(&unit, &gone, 5, 12, unit.diag), HX_FAULT);
        ck_assert_int_eq(munmap(mapped, page), 0);
    }
    const struct values constant = {(uintptr_t) "not to be written", 1, 2.0f, {0}};
    ck_assert_int_eq(launch(&unit, &constant, 5, 12, unit.diag), HX_FAULT);
    unit_done(&unit);
}
END_TEST

UNIT_MAIN("exec_arguments", test_values_of_each_kind, test_what_a_program_tells,
          test_constants_that_a_launch_brings, test_threads_with_values_of_their_own, test_unified_memory)
