/* Descriptions of GPUs: those of the library, and every way in which one does not load, at its place. */
#include "gpu/gpu.h"
#include "marked_unit.h"

#include <stdio.h>

static const char document[] =
    "gpu: x\nname: X\ncapability: \"7.0\"\nclock_mhz: 1530\nsms: 80\n"
    "sm: {schedulers: 4, warps: 64, threads: 2048, blocks: 32, block_threads: 1024, registers: 65536, "
    "thread_registers: 255, register_unit: 256}\n"
    "shared: {sizes: [0, 65536, 98304], block_bytes: 98304, unit_bytes: 256, reserved_bytes: 0, latency: "
    "19}\n"
    "line_bytes: 128\nsector_bytes: 32\n"
    "l1: {bytes: 131072, sets: 4, latency: 28, bytes_per_clock: 128}\n"
    "l2: {bytes: 6291456, ways: 16, latency: 193, bytes_per_clock: 2048}\n"
    "dram: {gbps: 900, latency: 375}\n"
    "units:\n"
    "  integer: {rate: 64, latency: 4}\n"
    "  float: {rate: 64, latency: 4}\n"
    "  half: {rate: 128, latency: 4}\n"
    "  double: {rate: 32, latency: 8}\n"
    "  special: {rate: 16}\n"
    "  convert: {rate: 16}\n"
    "  shuffle: {rate: 32}\n"
    "  load_store: {rate: 32}\n";

/* `text`, in which `from` becomes `to`. The caller frees it. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *result = NULL;
    ck_assert_msg(at != NULL, "the document has no '%s'", from);
    ck_assert_int_gt(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)), 0);
    return result;
}

static hx_status load(const char *text, hx_diag *diag, struct gpu **ret_gpu)
{
    return gpu_load_text("t.yaml", text, strlen(text), NULL, diag, ret_gpu);
}

START_TEST(a_description_is_what_it_says)
{
    struct gpu *gpu = NULL;
    ck_assert_ok(load(document, NULL, &gpu));
    ck_assert_str_eq(gpu->name, "X");
    ck_assert_uint_eq(gpu->sms, 80);
    ck_assert_uint_eq(gpu->sm.register_unit, 256);
    ck_assert_uint_eq(gpu->shared.size_count, 3);
    ck_assert_uint_eq(gpu_shared_most(gpu), 98304);
    ck_assert_uint_eq(gpu->l1.sets, 4);
    ck_assert_uint_eq(gpu->l2.ways, 16);
    ck_assert_double_eq(gpu->dram.gbps, 900);
    ck_assert_double_eq(gpu->units[GPU_DOUBLE].rate, 32);
    ck_assert_double_eq(gpu->units[GPU_DOUBLE].latency, 8);
    ck_assert_double_eq(gpu->units[GPU_SPECIAL].latency, 0);
    gpu_free(gpu);
}
END_TEST

START_TEST(those_of_the_library_load_and_peak_where_their_makers_say)
{
    /* 32-bit floating point, 1e12 operations a second: NVIDIA's data sheets */
    static const struct {
        const char *name;
        double tflops;
    } known[] = {{"a100", 19.5}, {"h100", 67}, {"h200", 67}, {"rtx4090", 82.6}, {"t4", 8.1}, {"v100", 15.7}};
    size_t count = 0;
    for (; gpu_name_at(count); count++) {
        struct gpu *gpu = NULL;
        ck_assert_uint_lt(count, HX_COUNT_OF(known));
        ck_assert_str_eq(gpu_name_at(count), known[count].name);
        ck_assert_ok(gpu_load(gpu_name_at(count), NULL, NULL, &gpu));
        ck_assert_str_eq(gpu->key, gpu_name_at(count));
        const double tflops =
            2 * gpu->units[GPU_FLOAT].rate * (double)gpu->sms * gpu->clock_mhz * 1e6 * 1e-12;
        ck_assert_double_eq_tol(tflops, known[count].tflops, known[count].tflops * 0.01);
        gpu_free(gpu);
    }
    ck_assert_uint_eq(count, HX_COUNT_OF(known));
    struct gpu *gpu = NULL;
    ck_assert_ok(gpu_load(NULL, NULL, NULL, &gpu));
    ck_assert_str_eq(gpu->key, gpu_default);
    gpu_free(gpu);
}
END_TEST

START_TEST(an_unknown_name_is_reported_with_the_known_ones)
{
    hx_diag *diag;
    struct gpu *gpu = NULL;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(gpu_load("a10", NULL, diag, &gpu), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_GPU_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->hint, "did you mean 'a100'?"));
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->hint, "h200, rtx4090, t4, v100"));
    hx_diag_clear(diag);
    ck_assert_int_eq(gpu_load("./no_such.yaml", NULL, diag, &gpu), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_FILE_MISSING);
    ck_assert_int_eq(gpu_load("no_such.yml", NULL, diag, &gpu), HX_IO);
    ck_assert_ptr_null(gpu);
    hx_diag_free(diag);
}
END_TEST

START_TEST(a_file_of_the_users_is_loaded)
{
    struct gpu *gpu = NULL;
    ck_assert_ok(gpu_load(HX_SOURCE_DIR "/src/gpu/devices/t4.yaml", NULL, NULL, &gpu));
    ck_assert_str_eq(gpu->key, "t4");
    gpu_free(gpu);
}
END_TEST

static const struct {
    const char *from, *to; /* the place of the mistake between << and >> */
    int code;
    const char *part;
} mistakes[] = {
    {"sms: 80", "sms: <<0>>", DIAG_YAML_RANGE, "from 1 to 4096"},
    {"sms: 80", "sms: <<eighty>>", DIAG_YAML_NUMBER, "eighty"},
    {"sms: 80", "sms: <<18446744073709551696>>", DIAG_YAML_RANGE, "18446744073709551696"},
    {"clock_mhz: 1530", "clock_mhz: <<nan>>", DIAG_YAML_RANGE, "nan"},
    {"clock_mhz: 1530", "clock_mhz: <<-1>>", DIAG_YAML_RANGE, "-1"},
    {"gpu: x\nname: X\ncapability: \"7.0\"\nclock_mhz: 1530\nsms: 80\n",
     "<<g>>pu: x\nname: X\ncapability: \"7.0\"\nclock_mhz: 1530\n", DIAG_YAML_MISSING_KEY, "sms"},
    {"line_bytes: 128", "line_bytes: <<96>>", DIAG_GPU_SIZE, "96 is not a power of two"},
    {"sector_bytes: 32", "sector_bytes: <<24>>", DIAG_GPU_SIZE, "24 is not a power of two"},
    {"sector_bytes: 32", "sector_bytes: <<8>>", DIAG_GPU_SIZE, "1 to 8 sectors"},
    {"sector_bytes: 32", "sector_bytes: <<256>>", DIAG_GPU_SIZE, "1 to 8 sectors"},
    {"bytes: 131072", "bytes: <<131073>>", DIAG_GPU_SIZE, "no multiple of 128 bytes"},
    {"bytes: 131072", "bytes: <<98304>>", DIAG_GPU_SIZE, "98304 of these bytes"},
    {"bytes_per_clock: 128}", "bytes_per_clock: <<0>>}", DIAG_YAML_RANGE, "0.001"},
    {"bytes: 6291456", "bytes: <<6291457>>", DIAG_GPU_SIZE, "16 ways"},
    {"bytes: 6291456", "bytes: <<99999999999>>", DIAG_YAML_RANGE, "99999999999"},
    {"{gbps: 900, latency: 375}", "<<900>>", DIAG_YAML_KIND, "a mapping is wanted"},
    {"  shuffle:", "  <<tensor>>: {rate: 1024}\n  shuffle:", DIAG_YAML_UNKNOWN_KEY, "tensor"},
    {"[0, 65536, 98304]", "[0, 98304, <<98304>>]", DIAG_GPU_SIZE, "sizes ascend"},
    {"[0, 65536, 98304]", "<<[>>]", DIAG_YAML_COUNT, "1"},
    {"block_bytes: 98304", "block_bytes: <<98305>>", DIAG_GPU_SIZE, "more shared memory than an SM"},
    {"unit_bytes: 256", "unit_bytes: <<0>>", DIAG_YAML_RANGE, "from 1"},
    {"threads: 2048, blocks: 32, block_threads: 1024", "threads: 512, blocks: 32, block_threads: <<1024>>",
     DIAG_GPU_SIZE, "more threads than an SM, 512"},
    {"registers: 65536, thread_registers: 255, register_unit: 256",
     "registers: 1000, thread_registers: 255, register_unit: <<256>>", DIAG_GPU_SIZE, "has 250 registers"},
};

START_TEST(a_mistake_is_reported_at_its_place)
{
    for (size_t i = 0; i < HX_COUNT_OF(mistakes); i++) {
        char *marked = replaced(document, mistakes[i].from, mistakes[i].to);
        struct marked_text text = marked_text_new(marked);
        hx_diag *diag;
        struct gpu *gpu = NULL;
        ck_assert_ok(hx_diag_new(NULL, &diag));
        ck_assert_int_eq(load(text.text, diag, &gpu), HX_INVALID);
        ck_assert_ptr_null(gpu);
        marked_text_check(&text, diag, mistakes[i].code, mistakes[i].part);
        hx_diag_free(diag);
        free(text.text);
        free(marked);
    }
}
END_TEST

START_TEST(all_mistakes_are_reported_at_once)
{
    char *one = replaced(document, "clock_mhz: 1530\nsms: 80", "clock_mhz: fast\nsms: 0");
    char *both = replaced(one, "line_bytes: 128", "line_bytes: 100");
    hx_diag *diag;
    struct gpu *gpu = NULL;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(load(both, diag, &gpu), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(diag), 3);
    hx_diag_free(diag);
    free(both);
    free(one);
}
END_TEST

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 16);
    ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    return text;
}

/* Whatever the file is, it loads whole or is refused with a reason; what loads has the sizes that the models
 * divide by. */
static void try_text(const char *text, size_t bytes, hx_diag *diag)
{
    struct gpu *gpu = NULL;
    hx_diag_clear(diag);
    const hx_status status = gpu_load_text("t.yaml", text, bytes, NULL, diag, &gpu);
    ck_assert_int_eq(status == HX_OK, hx_diag_count_of(diag, HX_ERROR) == 0);
    if (status == HX_OK) {
        ck_assert_uint_gt(gpu->sms, 0);
        ck_assert_uint_eq(gpu->line_bytes & (gpu->line_bytes - 1), 0);
        ck_assert_uint_ge(gpu->l1.bytes - gpu_shared_most(gpu), gpu->l1.sets * gpu->line_bytes);
        ck_assert_uint_gt(gpu->l2.bytes / (gpu->l2.ways * gpu->line_bytes), 0);
        ck_assert(gpu->units[GPU_LOAD_STORE].rate > 0 && gpu->l2.bytes_per_clock > 0);
    } else {
        ck_assert_ptr_null(gpu);
    }
    gpu_free(gpu);
}

START_TEST(damaged_files_are_refused_or_load_whole)
{
    char *text = read_file(HX_SOURCE_DIR "/src/gpu/devices/v100.yaml");
    const size_t bytes = strlen(text);
    char *damaged = malloc(bytes + 1);
    hx_diag *diag;
    uint64_t state = 7;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    for (int i = 0; i < 1500; i++) {
        memcpy(damaged, text, bytes + 1);
        for (int changes = 0; changes < 1 + i % 3; changes++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            damaged[(state >> 40) % bytes] = "0123456789-:.{}[], #x\n"[(state >> 33) % 22];
        }
        try_text(damaged, i % 5 ? bytes : (state >> 20) % bytes, diag);
    }
    hx_diag_free(diag);
    free(damaged);
    free(text);
}
END_TEST

START_TEST(a_description_that_gets_no_memory_is_not_made)
{
    struct failing_allocator failing;
    hx_status status = HX_NO_MEMORY;
    size_t fail_at = 1;
    for (; status != HX_OK; fail_at++) {
        struct gpu *gpu = NULL;
        failing_allocator_init(&failing, fail_at);
        status = gpu_load("v100", &failing.hook, NULL, &gpu);
        ck_assert(status == HX_OK || (status == HX_NO_MEMORY && !gpu));
        gpu_free(gpu);
        ck_assert_uint_eq(failing.live, 0);
    }
    ck_assert_uint_gt(fail_at, 3);
}
END_TEST

UNIT_MAIN("profile/gpu", a_description_is_what_it_says,
          those_of_the_library_load_and_peak_where_their_makers_say,
          an_unknown_name_is_reported_with_the_known_ones, a_file_of_the_users_is_loaded,
          a_mistake_is_reported_at_its_place, all_mistakes_are_reported_at_once,
          damaged_files_are_refused_or_load_whole, a_description_that_gets_no_memory_is_not_made)
