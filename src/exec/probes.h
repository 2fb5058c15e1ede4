/* USDT probes, for bpftrace, perf and SystemTap: what a launch does, told to whoever has attached to the
 * process. docs/exporters.md lists them. Their arguments are numbers and pointers to C strings.
 *
 * While nobody has attached, a launch asks four semaphores once, and runs the driver that it would run
 * anyway. */
#pragma once

#include "base/machine.h"
#include "exec/observer.h"

struct probes {
    struct observer observer;
    const struct observer *inner; /* who else watches; NULL: nobody */
    struct machine_timer timer;
    const struct kernel *code;
    uint32_t launch_id;
};

/* The observer to run a launch with: `inner` itself, or one that fires probes and tells `inner`. `probes`
 * must live as long as the launch. */
const struct observer *probes_watch(struct probes *probes, const struct observer *inner);
