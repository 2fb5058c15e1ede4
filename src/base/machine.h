/* The machine: clocks, CPU levels, cores, large memory. */
#pragma once

#include "base/memory.h"

#include <fenv.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t machine_now_ns(void);
/* What the calling thread has run on a core until now, in nanoseconds: it goes on only while the thread does.
 */
uint64_t machine_thread_ns(void);
/* What all cores, and what this process, have done until now; ns 0: the system does not say. */
struct machine_use {
    uint64_t wall_ns, all_ns, own_ns;
};
void machine_use_read(struct machine_use *ret_use);
/* The share of the cores' time that others used from `since` on, 0 to 1; 0 where the system does not say. The
 * system counts in steps of 10 ms, so some tenths of a second should lie between. */
double machine_others_share(const struct machine_use *since);
/* What a loop of constant work (some microseconds of vector arithmetic on data in the first-level cache)
 * takes on this core at this moment. Nothing but the core's speed changes it: other programs on the same
 * physical core, those of other virtual machines among them, which no counter of this system shows. */
double machine_loop_ns(void);
/* The fast clock: the invariant time-stamp counter where there is one (calibrated against
 * CLOCK_MONOTONIC_RAW), else the monotonic clock. A timer is calibrated once (about 5 ms) and then constant.
 */
struct machine_timer {
    bool is_tsc;
    double ns_per_tick;
    uint64_t start_ticks;
    uint64_t start_ns;      /* CLOCK_MONOTONIC at start_ticks */
    uint64_t start_unix_ns; /* CLOCK_REALTIME at start_ticks */
    double cost_ns;         /* of reading it */
};
void machine_timer_calibrate(struct machine_timer *ret_timer);
static inline uint64_t machine_ticks(const struct machine_timer *timer)
{
#if defined(__x86_64__)
    if (__builtin_expect(timer->is_tsc, 1))
        return __builtin_ia32_rdtsc();
#endif
    (void)timer;
    return machine_now_ns();
}
static inline uint64_t machine_ticks_to_ns(const struct machine_timer *timer, uint64_t ticks)
{
    return (uint64_t)((double)ticks * timer->ns_per_tick);
}

/* Levels of CPU for which handlers are compiled. On x86-64 the best that the machine has; elsewhere PLAIN.
 * v3: AVX2 and FMA, v4: AVX-512 F BW CD DQ VL (x86-64 psABI). Machines of v2 alone are older than 2013: they
 * run PLAIN. */
enum cpu_level { CPU_LEVEL_PLAIN, CPU_LEVEL_V3, CPU_LEVEL_V4, CPU_LEVEL_COUNT };
enum cpu_level machine_cpu_level(void);
/* The CPU's own name for itself, "unknown" where it has none, into `ret_name` of 64 bytes, which it returns.
 */
const char *machine_cpu_name(char *ret_name);
const char *cpu_level_name(enum cpu_level level); /* "plain", "x86-64-v3", ... */
/* Bytes of the data cache of level 1 to 3 as the system reports; 0: none or unknown. */
size_t machine_cache_bytes(int level);
/* The floating-point environment in which hexec computes: to the nearest, subnormals as they are, no
 * exception traps. A host may have set another one, and a new thread starts with that of the thread that made
 * it.
 *
 *     MACHINE_FLOATS;
 *
 * sets it until the end of the scope, and puts the one before back, with its flags. Not for hot loops: it
 * takes some hundred cycles. */
#define MACHINE_FLOATS HX_AUTO(machine_floats_end) HX_UNUSED fenv_t machine_floats = machine_floats_begin()
fenv_t machine_floats_begin(void);
void machine_floats_end(const fenv_t *before);
/* Cores that this process may run on; at least 1. */
int machine_cores(void);
