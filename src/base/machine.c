/* The machine: what time it is, which instructions the CPU has, how many cores we may use. */
#include "base/machine.h"

#include "base/text.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t machine_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t machine_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The first line of /proc/stat (proc(5)): ticks of all cores since the system began; user, nice, system,
 * idle, iowait, irq, softirq, steal. */
static bool read_busy_ticks(uint64_t *ret_ticks)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TICKS };
    unsigned long long ticks[TICKS] = {0};
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return false;
    const int read =
        fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[USER], &ticks[NICE],
               &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT], &ticks[IRQ], &ticks[SOFTIRQ], &ticks[STEAL]);
    (void)fclose(file);
    *ret_ticks = ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ] + ticks[STEAL];
    return read == TICKS;
}

void machine_use_read(struct machine_use *ret_use)
{
    const long a_second = sysconf(_SC_CLK_TCK);
    uint64_t ticks = 0;
    *ret_use =
        (struct machine_use){.wall_ns = machine_now_ns(), .own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
    if (a_second > 0 && read_busy_ticks(&ticks))
        ret_use->all_ns = ticks * (UINT64_C(1000000000) / (uint64_t)a_second);
}

double machine_others_share(const struct machine_use *since)
{
    struct machine_use now;
    machine_use_read(&now);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double wall = (double)(now.wall_ns - since->wall_ns) * (cores > 0 ? (double)cores : 1),
                 others = (double)(now.all_ns - since->all_ns) - (double)(now.own_ns - since->own_ns);
    if (since->all_ns == 0 || now.all_ns == 0 || !(wall > 0) || !(others > 0))
        return 0;
    return others < wall ? others / wall : 1;
}

#if defined(__x86_64__)
/* CPUID 0x80000007, EDX bit 8: the counter runs at one rate in all power states (Intel SDM vol. 3, 18.17.1).
 */
static bool has_invariant_tsc(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#endif

#define CALIBRATION_NS 5000000u
#define COST_READINGS  256

#if defined(__x86_64__)
struct instant {
    uint64_t ns, ticks;
};

/* Both clocks at one moment: of some readings the one with the least time around it, for a thread may lose
 * its core between two. */
static struct instant read_both(void)
{
    struct instant best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = __builtin_ia32_rdtsc(), ns = clock_ns(CLOCK_MONOTONIC_RAW);
        uint64_t around = __builtin_ia32_rdtsc() - before;
        if (around < least) {
            least = around;
            best = (struct instant){ns, before + around / 2};
        }
    }
    return best;
}

static bool calibrate_tsc(double *ret_ns_per_tick)
{
    if (!has_invariant_tsc())
        return false;
    struct instant first = read_both(), last;
    do
        last = read_both();
    while (last.ns - first.ns < CALIBRATION_NS);
    if (last.ticks <= first.ticks)
        return false;
    *ret_ns_per_tick = (double)(last.ns - first.ns) / (double)(last.ticks - first.ticks);
    return true;
}
#endif

void machine_timer_calibrate(struct machine_timer *ret_timer)
{
    struct machine_timer timer = {.ns_per_tick = 1.0};
#if defined(__x86_64__)
    timer.is_tsc = calibrate_tsc(&timer.ns_per_tick);
#endif
    uint64_t first = machine_ticks(&timer), last = first;
    for (int i = 0; i < COST_READINGS; i++)
        last = machine_ticks(&timer);
    timer.cost_ns = (double)(last - first) * timer.ns_per_tick / COST_READINGS;
    timer.start_ticks = machine_ticks(&timer);
    timer.start_ns = machine_now_ns();
    timer.start_unix_ns = clock_ns(CLOCK_REALTIME);
    *ret_timer = timer;
}

#if defined(__x86_64__)
/* What the psABI's v3 has beside AVX2, FMA and BMI and __builtin_cpu_supports does not know everywhere: MOVBE
 * and F16C (leaf 1, ECX bits 22 and 29), LZCNT (leaf 0x80000001, ECX bit 5). */
static bool has_rest_of_v3(void)
{
    unsigned a, b, c, d, extended;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 22)) && (c & (1u << 29)) &&
           __get_cpuid(0x80000001, &a, &b, &extended, &d) && (extended & (1u << 5));
}
#endif

enum cpu_level machine_cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool has_v3 = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") &&
                  __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && has_rest_of_v3();
    bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    return has_v4 ? CPU_LEVEL_V4 : has_v3 ? CPU_LEVEL_V3 : CPU_LEVEL_PLAIN;
#else
    return CPU_LEVEL_PLAIN;
#endif
}

const char *cpu_level_name(enum cpu_level level)
{
    static const char *const names[] = {"plain", "x86-64-v3", "x86-64-v4"};
    _Static_assert(sizeof names / sizeof *names == CPU_LEVEL_COUNT, "a name for each level");
    return (unsigned)level < CPU_LEVEL_COUNT ? names[level] : "?";
}

int machine_cores(void)
{
    cpu_set_t set; /* has room for 1024; a larger machine says how many are online */
    long count =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count <= INT_MAX ? (int)count : 1;
}

/* CPUID 0x80000002 to 0x80000004: 48 characters, padded with blanks (Intel SDM vol. 2, CPUID). */
const char *machine_cpu_name(char *ret_name)
{
    unsigned words[13] = {0};
#if defined(__x86_64__)
    for (unsigned leaf = 0; leaf < 3; leaf++)
        if (!__get_cpuid(0x80000002 + leaf, &words[4 * leaf], &words[4 * leaf + 1], &words[4 * leaf + 2],
                         &words[4 * leaf + 3]))
            words[0] = 0;
#endif
    const struct slice name = slice_trim(slice_of((const char *)words));
    snprintf(ret_name, 64, SLICE_FORMAT, SLICE_ARGS(name));
    return name.length > 0 ? ret_name : strcpy(ret_name, "unknown");
}

size_t machine_cache_bytes(int level)
{
    static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    const long bytes = level >= 1 && level <= 3 ? sysconf(names[level - 1]) : 0;
    return bytes > 0 ? (size_t)bytes : 0;
}

#define LOOP_ELEMENTS 1024
#define LOOP_TURNS    12

double machine_loop_ns(void)
{
    float data[LOOP_ELEMENTS];
    uint64_t start = 0;
    for (int i = 0; i < LOOP_ELEMENTS; i++)
        data[i] = (float)i;
    for (int turn = -1; turn < LOOP_TURNS; turn++) { /* turn -1 warms up */
        if (turn == 0)
            start = machine_now_ns();
        for (int i = 0; i < LOOP_ELEMENTS; i++)
            data[i] = data[i] * 0.999F + 0.5F;
        __asm__ volatile("" : : "r"(data) : "memory"); /* each turn is done */
    }
    return (double)(machine_now_ns() - start);
}

fenv_t machine_floats_begin(void)
{
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

void machine_floats_end(const fenv_t *before)
{
    fesetenv(before);
}
