/* Buffers over memory of the host, parts of buffers, and launches that say how many buffers they give. */
#include "device/memory.h"
#include "stream_unit.h"

#include <sys/mman.h>
#include <unistd.h>

#define ADDED 7 /* what `adding` adds: the document's value of n */

static struct unit unit;
static hx_diag *diag;

static void set_up(void)
{
    unit = unit_new();
    ck_assert_ok(hx_diag_new(NULL, &diag));
}

static void tear_down(void)
{
    hx_diag_free(diag);
    unit_done(&unit);
}

static void check_said(int code)
{
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, code);
    hx_diag_clear(diag);
}

static hx_status launch_on(hx_buffer *buffer, hx_tier tier, hx_launch_result *ret_result)
{
    unit.options.tier = tier;
    return hx_launch(unit.device, unit.add, &unit.options, &buffer, diag, ret_result);
}

static hx_buffer *buffer_over(void *data, uint64_t bytes, hx_buffer_access access)
{
    hx_buffer *buffer = NULL;
    ck_assert_ok(hx_buffer_new_over(unit.device, "mine", data, bytes, access, diag, &buffer));
    ck_assert_uint_eq(hx_buffer_bytes(buffer), bytes);
    ck_assert_uint_eq(hx_buffer_address(buffer) % 256, (uintptr_t)hx_buffer_data(buffer) % 256);
    return buffer;
}

/* 64 elements that end where nothing is mapped. */
START_TEST(test_over_the_end_of_a_page)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    hx_launch_result result = {.size = sizeof result};
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(munmap(pages + page, page), 0);
    uint32_t *data = (uint32_t *)(void *)(pages + page) - 64;
    for (uint32_t i = 0; i < 64; i++)
        data[i] = i;
    hx_buffer *buffer = buffer_over(data, 64 * 4, HX_ACCESS_READWRITE);
    ck_assert_ptr_eq(hx_buffer_data(buffer), data);
    ck_assert_ok(launch_on(buffer, HX_TIER_INTERPRETER, &result));
    ck_assert_ok(launch_on(buffer, HX_TIER_COMPILED, &result));
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(data[i], i + 2 * ADDED);
    hx_buffer_free(unit.device, buffer);
    ck_assert_uint_eq(data[63], 63 + 2 * ADDED);
    munmap(pages, page);
}
END_TEST

/* Vectors read more than the lanes: bytes from anywhere, runs that end before the gang does. */
static void launch_at_the_end(const char *code, uint32_t threads, unsigned bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    hx_launch_result result = {.size = sizeof result};
    struct loaded_kernel loaded = kernel_load("", code);
    hx_kernel *kernel = NULL;
    ck_assert_ok(hx_kernel_new(loaded.program, 0, NULL, diag, &kernel));
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(munmap(pages + page, page), 0);
    hx_buffer *buffer = buffer_over(pages + page - bytes, bytes, HX_ACCESS_READWRITE);
    unit.options.block[0] = threads;
    for (unsigned tier = HX_TIER_INTERPRETER; tier <= HX_TIER_COMPILED; tier++) {
        unit.options.tier = tier;
        ck_assert_ok(hx_launch(unit.device, kernel, &unit.options, &buffer, diag, &result));
    }
    for (unsigned i = 0; i < bytes; i++)
        ck_assert_int_eq(pages[page - bytes + i], 2);
    hx_buffer_free(unit.device, buffer);
    hx_kernel_free(kernel);
    kernel_unload(&loaded);
    munmap(pages, page);
}

START_TEST(test_vectors_at_the_end_of_a_page)
{
    launch_at_the_end("mov.u32 r0, %tid.x\n"
                      "mul.u32 r0, r0, 37\n"
                      "and.u32 r0, r0, 255\n"
                      "ldg.u8 r1, [$x + r0]\n"
                      "add.u32 r1, r1, 1\n"
                      "stg.u8 [$x + r0], r1\n"
                      "exit\n",
                      256, 256);
    launch_at_the_end("mov.u32 r0, %tid.x\n"
                      "setp.ge.u32 p0, r0, 100\n"
                      "@p0 exit\n"
                      "ldg.u8 r1, [$x + r0]\n"
                      "add.u32 r1, r1, 1\n"
                      "stg.u8 [$x + r0], r1\n"
                      "exit\n",
                      256, 100);
    launch_at_the_end("mov.u32 r0, %tid.x\n"
                      "shl.u32 r0, r0, 1\n"
                      "ldg.u8 r1, [$x + r0]\n"
                      "ldg.u8 r2, [$x + r0 + 1]\n"
                      "add.u32 r1, r1, 1\n"
                      "add.u32 r2, r2, 1\n"
                      "stg.u8 [$x + r0], r1\n"
                      "stg.u8 [$x + r0 + 1], r2\n"
                      "exit\n",
                      50, 100);
}
END_TEST

/* Behind an element vectors may read more: within the caller's bytes, and not behind them. */
START_TEST(test_where_vectors_may_read)
{
    static char bytes[256];
    static const struct {
        uint64_t bytes, inside;
    } rows[] = {{0, 0}, {1, 0}, {BEHIND_ELEMENTS, 0}, {BEHIND_ELEMENTS + 1, 1}, {256, 256 - BEHIND_ELEMENTS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hx_buffer *buffer = buffer_over(bytes, rows[i].bytes, HX_ACCESS_READWRITE);
        ck_assert_uint_eq(buffer->window.size, rows[i].bytes);
        ck_assert_uint_eq(buffer->inside.size, rows[i].inside);
        hx_buffer_free(unit.device, buffer);
    }
    ck_assert_uint_eq(unit.x->inside.size, unit.x->window.size); /* one of the device's own has room */
}
END_TEST

/* What lies before and behind is left alone, and a thread that goes there is stopped. */
START_TEST(test_over_few_bytes)
{
    uint32_t data[66] = {1, 2, 3};
    hx_launch_result result = {.size = sizeof result};
    for (unsigned count = 0; count < 64; count += 21) {
        hx_buffer *buffer = buffer_over(data + 1, count * 4, HX_ACCESS_READWRITE);
        ck_assert_int_eq(launch_on(buffer, HX_TIER_INTERPRETER, &result), HX_FAULT);
        check_said(DIAG_FAULT_OUT_OF_RANGE);
        ck_assert_uint_eq(result.fault.thread[0], count);
        ck_assert_str_eq(result.fault.nearest, "mine");
        ck_assert_uint_eq(result.fault.nearest_bytes, count * 4);
        hx_buffer_free(unit.device, buffer);
    }
    ck_assert_uint_eq(data[0], 1);
    ck_assert_uint_eq(data[64], 0);
    hx_buffer *read = buffer_over(data, 64 * 4, HX_ACCESS_READ);
    ck_assert_int_eq(launch_on(read, HX_TIER_INTERPRETER, &result), HX_FAULT);
    check_said(DIAG_FAULT_ACCESS);
    hx_buffer *odd = buffer_over((char *)data + 2, 64 * 4, HX_ACCESS_READWRITE);
    ck_assert_int_eq(launch_on(odd, HX_TIER_INTERPRETER, &result), HX_FAULT);
    check_said(DIAG_FAULT_MISALIGNED);
    ck_assert_uint_eq(data[0], 1);
}
END_TEST

/* Memory of the caller's is no memory of the device's. */
START_TEST(test_over_and_the_bound_of_memory)
{
    static uint32_t data[64];
    const hx_device_options options = {.size = sizeof options, .workers = 1, .max_memory_bytes = 128};
    hx_device *small;
    hx_buffer *mine = NULL, *own = NULL, *again = NULL, *none = NULL;
    ck_assert_ok(hx_device_new(&options, diag, &small));
    ck_assert_ok(hx_buffer_new(small, "own", 128, HX_ACCESS_READWRITE, diag, &own));
    ck_assert_ok(hx_buffer_new_over(small, "mine", data, sizeof data, HX_ACCESS_READWRITE, diag, &mine));
    ck_assert_ok(hx_buffer_new_over(small, NULL, data, sizeof data, HX_ACCESS_READ, diag, &again));
    ck_assert_uint_ne(hx_buffer_address(mine), hx_buffer_address(again));
    hx_buffer_free(small, mine);
    ck_assert_int_eq(hx_buffer_new(small, "more", 1, HX_ACCESS_READWRITE, diag, &none), HX_LIMIT);
    check_said(DIAG_MEMORY_LIMIT);
    ck_assert_int_eq(hx_buffer_new_over(small, "n", NULL, 1, HX_ACCESS_READ, diag, &none), HX_INVALID);
    check_said(DIAG_ARGUMENT_MISSING);
    ck_assert_int_eq(hx_buffer_new_over(small, "n", data, 4, (hx_buffer_access)0, diag, &none), HX_INVALID);
    check_said(DIAG_BUFFER_ACCESS);
    ck_assert_ptr_null(none);
    ck_assert_ok(hx_buffer_new_over(small, "empty", NULL, 0, HX_ACCESS_READ, diag, &none));
    ck_assert_uint_ne(hx_buffer_address(none), 0);
    hx_device_free(small);
}
END_TEST

/* A shared buffer has the host's address; other buffers keep away from it. */
START_TEST(test_shared_with_the_host)
{
    static uint32_t data[64];
    hx_buffer *shared = NULL, *none = NULL;
    hx_launch_result result = {.size = sizeof result};
    ck_assert_ok(
        hx_buffer_new_shared(unit.device, "s", data, sizeof data, HX_ACCESS_READWRITE, diag, &shared));
    ck_assert_uint_eq(hx_buffer_address(shared), (uintptr_t)data);
    ck_assert_ptr_eq(hx_buffer_data(shared), data);
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, &shared, diag, &result));
    ck_assert_uint_eq(data[63], ADDED);
    ck_assert_int_eq(hx_buffer_new_shared(unit.device, "t", data + 8, 4, HX_ACCESS_READ, diag, &none),
                     HX_INVALID);
    check_said(DIAG_BUFFER_ACCESS);
    ck_assert_ptr_null(none);
    hx_buffer_free(unit.device, shared);
    ck_assert_ok(hx_buffer_new_shared(unit.device, "t", data + 8, 4, HX_ACCESS_READ, diag, &none));
    hx_buffer_free(unit.device, none);
}
END_TEST

/* Two buffers side by side are one array for a kernel; none has bytes of another. */
START_TEST(test_beside)
{
    static uint32_t data[64];
    hx_buffer *first = NULL, *second = NULL, *none = NULL;
    hx_launch_result result = {.size = sizeof result};
    memset(data, 0, sizeof data);
    ck_assert_ok(hx_buffer_new_beside(unit.device, "b", data + 24, 160, HX_ACCESS_READWRITE, diag, &second));
    ck_assert_ok(hx_buffer_new_beside(unit.device, "a", data, 96, HX_ACCESS_READWRITE, diag, &first));
    ck_assert_uint_eq(hx_buffer_address(first) + 96, hx_buffer_address(second));
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, &first, diag, &result));
    for (int i = 0; i < 64; i++)
        ck_assert_uint_eq(data[i], ADDED);
    ck_assert_int_eq(hx_buffer_new_beside(unit.device, "c", data, 4, HX_ACCESS_READ, diag, &none),
                     HX_INVALID);
    check_said(DIAG_BUFFER_ACCESS);
    for (int at = 21; at < 64; at += 21)
        ck_assert_int_eq(hx_buffer_new_beside(unit.device, "c", data + at, 4, HX_ACCESS_READ, diag, &none),
                         HX_INVALID);
    ck_assert_int_eq(hx_buffer_new_beside(unit.device, "c", data, 0, HX_ACCESS_READ, diag, &none),
                     HX_INVALID);
    hx_buffer_free(unit.device, second);
    memset(data, 0, sizeof data);
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &first, diag, &result), HX_FAULT);
    ck_assert_ok(hx_buffer_new_beside(unit.device, "r", data + 24, 160, HX_ACCESS_READ, diag, &second));
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, &first, diag, &result), HX_FAULT);
    ck_assert_uint_eq(data[24], 0);
    hx_buffer_free(unit.device, first);
    hx_buffer_free(unit.device, second);
}
END_TEST

/* On a unified device two buffers over the same bytes have one address; each is freed by itself. */
START_TEST(test_over_twice_on_a_unified_device)
{
    static uint32_t data[64];
    const hx_device_options options = {.size = sizeof options, .workers = 1, .unified = 1};
    hx_device *unified;
    hx_buffer *first = NULL, *second = NULL;
    hx_launch_result result = {.size = sizeof result};
    ck_assert_ok(hx_device_new(&options, diag, &unified));
    ck_assert_ok(hx_buffer_new_over(unified, "a", data, sizeof data, HX_ACCESS_READWRITE, diag, &first));
    ck_assert_ok(hx_buffer_new_over(unified, "b", data, sizeof data, HX_ACCESS_READWRITE, diag, &second));
    ck_assert_uint_eq(hx_buffer_address(first), (uintptr_t)data);
    ck_assert_uint_eq(hx_buffer_address(second), (uintptr_t)data);
    hx_buffer_free(unified, first);
    ck_assert_ok(hx_launch(unified, unit.add, &unit.options, &second, diag, &result));
    ck_assert_uint_eq(data[63], ADDED);
    hx_buffer_free(unified, second);
    hx_device_free(unified);
}
END_TEST

START_TEST(test_parts)
{
    hx_launch_result result = {.size = sizeof result};
    hx_buffer *whole = NULL, *middle = NULL, *inner = NULL, *none = NULL;
    ck_assert_ok(hx_buffer_new(unit.device, "whole", 200 * 4, HX_ACCESS_READWRITE, diag, &whole));
    ck_assert_ok(hx_buffer_new_part(unit.device, whole, 40, 100 * 4, diag, &middle));
    ck_assert_ok(hx_buffer_new_part(unit.device, middle, 20, 64 * 4, diag, &inner));
    ck_assert_uint_eq(hx_buffer_address(inner), hx_buffer_address(whole) + 60);
    ck_assert_uint_eq(hx_buffer_bytes(inner), 64 * 4);
    ck_assert_ptr_eq(hx_buffer_data(inner), (char *)hx_buffer_data(whole) + 60);
    ck_assert_ok(launch_on(inner, HX_TIER_INTERPRETER, &result));
    const uint32_t *data = hx_buffer_data(whole);
    for (uint32_t i = 0; i < 200; i++)
        ck_assert_uint_eq(data[i], i >= 15 && i < 79 ? ADDED : 0);
    ck_assert_int_eq(hx_buffer_new_part(unit.device, middle, 1, 100 * 4, diag, &none), HX_INVALID);
    check_said(DIAG_FAULT_OUT_OF_RANGE);
    ck_assert_int_eq(hx_buffer_new_part(unit.device, middle, UINT64_MAX, 2, diag, &none), HX_INVALID);
    check_said(DIAG_FAULT_OUT_OF_RANGE);
    ck_assert_ptr_null(none);
    hx_buffer_free(unit.device, middle); /* the buffer and its other part are still there */
    ck_assert_ok(launch_on(inner, HX_TIER_INTERPRETER, &result));
    ck_assert_uint_eq(data[15], 2 * ADDED);
    hx_buffer_free(unit.device, whole); /* with the part */
    ck_assert_ok(launch_on(unit.x, HX_TIER_INTERPRETER, &result));
}
END_TEST

/* Streams know parts, and tell listeners of whole buffers. */
static hx_buffer_event heard;
static void hear(void *user, const hx_buffer_event *event)
{
    (void)user;
    heard = *event;
}

START_TEST(test_copies_of_parts)
{
    static const uint32_t numbers[4] = {1, 2, 3, 4};
    uint32_t got[4] = {0};
    hx_buffer *part = NULL;
    hx_stream *stream = stream_new(&unit);
    const hx_listener listener = {.size = sizeof listener, .events = HX_EVENT_BUFFER, .buffer = hear};
    ck_assert_ok(hx_device_listen(unit.device, &listener, diag));
    ck_assert_ok(hx_buffer_new_part(unit.device, unit.x, 16, 24, diag, &part));
    ck_assert_ok(hx_stream_write(stream, part, 8, numbers, sizeof numbers, diag));
    ck_assert_ok(hx_stream_synchronize(stream, diag));
    ck_assert_int_eq(heard.change, HX_BUFFER_COPIED_IN);
    ck_assert_ptr_eq(heard.buffer, unit.x);
    ck_assert_uint_eq(heard.offset, 24);
    ck_assert_ok(hx_stream_copy(stream, unit.x, 0, part, 8, sizeof numbers, diag));
    ck_assert_ok(hx_stream_read(stream, unit.x, 0, got, sizeof got, diag));
    ck_assert_ok(hx_stream_synchronize(stream, diag));
    ck_assert_mem_eq(got, numbers, sizeof got);
    ck_assert_int_eq(hx_stream_fill(stream, part, 12, numbers, 4, 16, diag), HX_INVALID);
    check_said(DIAG_FAULT_OUT_OF_RANGE);
    hx_device_unlisten(unit.device, &listener);
    hx_stream_free(stream);
}
END_TEST

START_TEST(test_numbers_of_buffers)
{
    hx_launch_result result = {.size = sizeof result};
    hx_buffer *const list[2] = {unit.x, unit.x};
    hx_stream *stream = stream_new(&unit);
    unit.options.buffer_count = 1;
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, list, diag, &result));
    unit.options.buffer_count = 2;
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, list, diag, &result), HX_INVALID);
    check_said(DIAG_LAUNCH_ARGUMENT);
    ck_assert_int_eq(hx_stream_launch(stream, unit.add, &unit.options, list, diag, NULL), HX_INVALID);
    check_said(DIAG_LAUNCH_ARGUMENT);
    unit.options.buffer_count = 1;
    unit.options.constants = list; /* the program has one */
    unit.options.constant_count = 2;
    ck_assert_int_eq(hx_launch(unit.device, unit.add, &unit.options, list, diag, &result), HX_INVALID);
    check_said(DIAG_LAUNCH_ARGUMENT);
    unit.options.constants = NULL;
    unit.options.constant_count = 0;
    ck_assert_ok(hx_launch(unit.device, unit.add, &unit.options, list, diag, &result));
    hx_stream_free(stream);
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_buffers", test_over_the_end_of_a_page,
               test_vectors_at_the_end_of_a_page, test_where_vectors_may_read, test_over_few_bytes,
               test_over_and_the_bound_of_memory, test_over_twice_on_a_unified_device,
               test_shared_with_the_host, test_beside, test_parts, test_copies_of_parts,
               test_numbers_of_buffers)
