/* What hexec doctor prints of the build and the machine. */
#include "unit.h"

#include "base/machine.h"
#include "exec/op.h"
#include "hexec/hexec.h"

#include <string.h>

START_TEST(the_build)
{
    static const char *const names[] = {"zlib", "protobuf-c", "curl", "sdt", "sleef", "clang", "llvm"};
    ck_assert(strncmp(hx_build_compiler(), "gcc ", 4) == 0 || strncmp(hx_build_compiler(), "clang ", 6) == 0);
    ck_assert_str_ne(hx_build_type(), "");
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        ck_assert_str_eq(hx_build_part_at(i)->name, names[i]);
    ck_assert_ptr_null(hx_build_part_at(HX_COUNT_OF(names)));
    ck_assert_ptr_null(hx_build_part_at(SIZE_MAX));
    ck_assert_int_ne(hx_build_part_at(0)->is_built, 0);
}
END_TEST

/* Texts of what is there, or none; a caller that knows less of the structure gets less. */
START_TEST(the_compilers)
{
    hx_compilers found = {.size = sizeof found, .libclc = "?"},
                 none = {.size = offsetof(hx_compilers, libclc), .libclc = "?"};
    ck_assert_ok(hx_compilers_read(&found));
    ck_assert_str_ne(found.libclc, "?");
    ck_assert(found.clang[0] == '\0' || found.clang[0] == '/');
    setenv("HEXEC_CLANG", "/nonexistent/clang", 1);
    ck_assert_ok(hx_compilers_read(&none));
    unsetenv("HEXEC_CLANG");
    ck_assert_str_eq(none.clang, "");
    ck_assert_str_eq(none.libclc, "?");
    ck_assert_int_eq(hx_compilers_read(NULL), HX_INVALID);
}
END_TEST

/* A device can be made at each level of both lists, and at no other. */
START_TEST(cpu_levels)
{
    size_t built = 0;
    for (; hx_build_cpu_level(built); built++) {
        hx_device *device = NULL;
        const hx_device_options options = {
            .size = sizeof options, .workers = 1, .cpu_level = hx_build_cpu_level(built)};
        bool has = false;
        for (int level = 0; level <= (int)machine_cpu_level(); level++)
            has |= strcmp(cpu_level_name((enum cpu_level)level), options.cpu_level) == 0;
        ck_assert_int_eq(hx_device_new(&options, NULL, &device), has ? HX_OK : HX_INVALID);
        hx_device_free(device);
    }
    ck_assert_str_eq(hx_build_cpu_level(0), "plain");
    hx_device *device = NULL; /* a level without code of its own has that of the one below */
    ck_assert_int_eq(
        hx_device_new(
            &(hx_device_options){.size = sizeof(hx_device_options), .workers = 1, .cpu_level = "v2"}, NULL,
            &device),
        HX_OK);
    ck_assert_str_eq(hx_device_cpu_level(device), "plain");
    hx_device_free(device);
    size_t there = 0;
    for (int level = 0; level < CPU_LEVEL_COUNT; level++)
        there += handlers_at(level) != NULL;
    ck_assert_uint_eq(built, there);
}
END_TEST

START_TEST(the_machine)
{
    hx_machine machine = {.size = sizeof machine};
    hx_machine_read(&machine);
    ck_assert_uint_eq(machine.size, sizeof machine);
    ck_assert_str_ne(machine.cpu, "");
    ck_assert_str_eq(machine.cpu_level, cpu_level_name(machine_cpu_level()));
    ck_assert_uint_ge(machine.cores, 1);
    ck_assert_uint_ge(machine.cores_all, machine.cores);
    ck_assert_uint_gt(machine.memory_bytes, machine.page_bytes);
    ck_assert(machine.timer_ns_per_tick > 0 && machine.timer_ns_per_tick < 1000);
    ck_assert(machine.timer_cost_ns > 0);
    ck_assert(machine.timer_is_tsc || machine.timer_ns_per_tick == 1);
    ck_assert_ptr_nonnull(memchr(machine.huge_pages, 0, sizeof machine.huge_pages));
}
END_TEST

/* A program that was built with fewer members gets those alone. */
START_TEST(an_older_machine)
{
    hx_machine machine = {.size = offsetof(hx_machine, cores_all), .cores_all = 12345};
    hx_machine_read(&machine);
    ck_assert_uint_ge(machine.cores, 1);
    ck_assert_uint_eq(machine.cores_all, 12345);
}
END_TEST

START_TEST(hash_of_an_instruction_set)
{
    static const char path[] = HX_SOURCE_DIR "/isa/tiny.yaml";
    hx_isa *embedded, *file, *tiny, *again;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &embedded));
    ck_assert_ok(hx_isa_load(HX_SOURCE_DIR "/isa/hexec.yaml", NULL, NULL, &file));
    ck_assert_ok(hx_isa_load(path, NULL, NULL, &tiny));
    ck_assert_ok(hx_isa_load(path, NULL, NULL, &again));
    ck_assert_uint_eq(hx_isa_hash(embedded), hx_isa_hash(file));
    ck_assert_uint_eq(hx_isa_hash(tiny), hx_isa_hash(again));
    ck_assert_uint_ne(hx_isa_hash(tiny), hx_isa_hash(embedded));
    hx_isa_free(embedded);
    hx_isa_free(file);
    hx_isa_free(tiny);
    hx_isa_free(again);
}
END_TEST

UNIT_MAIN("api system", the_build, the_compilers, cpu_levels, the_machine, an_older_machine,
          hash_of_an_instruction_set)
