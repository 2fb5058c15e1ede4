/* A host's floating-point environment is the host's: whatever it is, a program loads, runs and prints as
 * under the default one, and the host finds its own as it was. */
#include "hexec/hexec.h"
#include "unit.h"

#include <fenv.h>
#include <sched.h>
#include <string.h>

#define THREADS 4096u

/* Numbers that are read, filled in, computed and printed; products below the least normal f32 and f64. */
static const char *const program = "program: floats\n"
                                   "params:\n"
                                   "  - {name: tenth, type: f32, value: 0.1}\n"
                                   "  - {name: third, type: f64, value: 0.3333333333333333333}\n"
                                   "launch: {grid: [32], block: [128]}\n"
                                   "buffers:\n"
                                   "  - {name: x, type: f32, count: 4096, fill: random, seed: 7, min: 0.1,"
                                   " max: 0.9}\n"
                                   "  - {name: small, type: f32, count: 4096, fill: 1.1e-38}\n"
                                   "  - {name: y, type: f32, count: 20480}\n"
                                   "  - {name: z, type: f64, count: 4096}\n"
                                   "constants:\n"
                                   "  - {name: line, type: u8, text: \"%g %.3f\\n\"}\n"
                                   "code: |\n"
                                   "  mov.u64 r0, %gtid\n"
                                   "  mul.u64 r1, r0, 5\n"
                                   "  ldg.f32 r2, [$x + r0*4]\n"
                                   "  ldg.f32 r3, [$small + r0*4]\n"
                                   "  mul.f32 r4, r2, r3\n"
                                   "  stg.f32 [$y + r1*4], r4\n"
                                   "  div.f32 r5, 1.0, r2\n"
                                   "  stg.f32 [$y + r1*4 + 4], r5\n"
                                   "  fma.f32 r6, r2, $tenth, r5\n"
                                   "  stg.f32 [$y + r1*4 + 8], r6\n"
                                   "  exp.f32 r7, r6\n"
                                   "  stg.f32 [$y + r1*4 + 12], r7\n"
                                   "  add.f32 r8, r3, r3\n"
                                   "  stg.f32 [$y + r1*4 + 16], r8\n"
                                   "  cvt.f64.f32 r9, r2\n"
                                   "  mul.f64 r9, r9, $third\n"
                                   "  mul.f64 r9, r9, 2.3e-308\n"
                                   "  stg.f64 [$z + r0*8], r9\n"
                                   "  div.f32 r10, r2, 0.0\n" /* what a host may want to trap */
                                   "  and.u64 r11, r0, 1023\n"
                                   "  setp.eq.u64 p0, r11, 0\n"
                                   "  @p0 print.f32 line, r2, r5\n"
                                   "  exit\n";

#define FLUSH_TO_ZERO 0x8040u /* MXCSR: FTZ and DAZ (Intel SDM vol. 1, 10.2.3) */

enum host { HOST_USUAL, HOST_FLUSHES, HOST_UP, HOST_DOWN, HOST_TO_ZERO, HOST_TRAPS, HOST_COUNT };

static void set_host(enum host host)
{
    static const int roundings[HOST_COUNT] = {
        [HOST_UP] = FE_UPWARD, [HOST_DOWN] = FE_DOWNWARD, [HOST_TO_ZERO] = FE_TOWARDZERO};
    fesetenv(FE_DFL_ENV);
    if (roundings[host])
        ck_assert_int_eq(fesetround(roundings[host]), 0);
    if (host == HOST_TRAPS)
        ck_assert_int_ne(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW), -1);
#if defined(__x86_64__)
    if (host == HOST_FLUSHES)
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FLUSH_TO_ZERO);
#endif
}

/* What set_host has set, flags of exceptions among it. */
static uint64_t host_state(void)
{
    uint64_t state = (uint64_t)fegetround() << 32 | (uint32_t)fetestexcept(FE_ALL_EXCEPT) |
                     (uint64_t)(uint32_t)fegetexcept() << 16;
#if defined(__x86_64__)
    state ^= (uint64_t)__builtin_ia32_stmxcsr() << 32;
#endif
    return state;
}

struct output {
    char text[4096];
    size_t length;
    float y[5 * THREADS];
    double z[THREADS];
};

static hx_status keep(void *user, const char *text, size_t bytes)
{
    struct output *output = user;
    ck_assert_uint_le(output->length + bytes, sizeof output->text);
    memcpy(output->text + output->length, text, bytes);
    output->length += bytes;
    return HX_OK;
}
static void keep_printed(void *user, const char *text, size_t bytes)
{
    (void)keep(user, text, bytes);
}

static void take(hx_context *context, const char *name, void *to, size_t bytes)
{
    hx_array_view view;
    ck_assert_ok(hx_context_buffer(context, name, NULL, &view));
    ck_assert_uint_eq(view.count * hx_type_bytes(view.type), bytes);
    memcpy(to, view.data, bytes);
}

static void check_kept(uint64_t state, const char *call)
{
    if (host_state() != state)
        ck_abort_msg("after %s the host's environment is another one", call);
}

/* All that a host does with a program, in an environment of its own. */
static void run_under(enum host host, uint32_t workers, struct output *ret_output)
{
    hx_context *context;
    const hx_context_options options = {.size = sizeof options, .device.workers = workers};
    hx_run_options run = {.size = sizeof run, .launch.size = sizeof run.launch};
    hx_run_result result = {.size = sizeof result};
    memset(ret_output, 0, sizeof *ret_output);
    run.launch.print = keep_printed;
    run.launch.print_user = ret_output;
    set_host(host);
    const uint64_t state = host_state();
    ck_assert_ok(hx_context_new(&options, NULL, &context));
    check_kept(state, "hx_context_new");
    ck_assert_ok(hx_context_load_bytes(context, "floats.yaml", program, strlen(program), NULL));
    check_kept(state, "hx_context_load_bytes");
    ck_assert_ok(hx_program_set_param(hx_context_program(context), "tenth", "0.7", NULL));
    ck_assert_ok(hx_context_run(context, &run, NULL, &result));
    check_kept(state, "hx_context_run");
    ck_assert_ok(hx_context_print_buffer(context, "y", 0, 50, keep, ret_output));
    check_kept(state, "hx_context_print_buffer");
    set_host(HOST_USUAL);
    take(context, "y", ret_output->y, sizeof ret_output->y);
    take(context, "z", ret_output->z, sizeof ret_output->z);
    hx_context_free(context);
}

static struct output usual, other;

START_TEST(test_the_hosts_floats)
{
    run_under(HOST_USUAL, 1, &usual);
    ck_assert_uint_gt(usual.length, 0);
    ck_assert(usual.y[0] > 0 && usual.y[0] < 1.17549435e-38f && usual.z[0] > 0);
    for (enum host host = HOST_USUAL; host < HOST_COUNT; host++)
        for (uint32_t workers = 1; workers <= 3; workers += 2) {
            run_under(host, workers, &other);
            ck_assert_uint_eq(other.length, usual.length);
            ck_assert_mem_eq(other.text, usual.text, usual.length);
            ck_assert_mem_eq(other.y, usual.y, sizeof usual.y);
            ck_assert_mem_eq(other.z, usual.z, sizeof usual.z);
        }
}
END_TEST

static _Atomic uint32_t blocks_of_others;

/* The launching thread goes on when another one has run a block. */
static void wait_for_others(void *user, const hx_interval_event *event)
{
    (void)user;
    if (event->worker > 0)
        blocks_of_others++;
    while (blocks_of_others == 0)
        sched_yield();
}

/* The threads of a device begin with what the thread that made it had; a launch comes from another one. */
START_TEST(test_a_device_made_by_a_host_that_flushes)
{
    hx_context *context;
    const hx_context_options options = {.size = sizeof options, .device.workers = 2};
    const hx_listener listener = {
        .size = sizeof listener, .events = HX_EVENT_BLOCK, .block = wait_for_others};
    const hx_listener *const list[] = {&listener};
    hx_run_options run = {.size = sizeof run, .launch = {.listeners = list, .listener_count = 1}};
    hx_run_result result = {.size = sizeof result};
    run_under(HOST_USUAL, 1, &usual);
    set_host(HOST_FLUSHES);
    ck_assert_ok(hx_context_new(&options, NULL, &context));
    set_host(HOST_USUAL);
    ck_assert_ok(hx_context_load_bytes(context, "floats.yaml", program, strlen(program), NULL));
    ck_assert_ok(hx_program_set_param(hx_context_program(context), "tenth", "0.7", NULL));
    ck_assert_ok(hx_context_run(context, &run, NULL, &result));
    take(context, "y", other.y, sizeof other.y);
    ck_assert_mem_eq(other.y, usual.y, sizeof usual.y);
    hx_context_free(context);
}
END_TEST

UNIT_MAIN("api_floats", test_the_hosts_floats, test_a_device_made_by_a_host_that_flushes)
