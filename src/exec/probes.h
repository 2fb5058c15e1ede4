/* USDT probes, for bpftrace, perf and SystemTap: what a launch does, reported to tools that have attached to
 * the process. docs/exporters.md lists them. Their arguments are numbers and pointers to C strings.
 *
 * While no tool has attached, a launch reads four semaphores once, and runs the driver that it would run
 * anyway. */
#pragma once

#include "exec/listener.h"

struct probes {
    struct exec_listener listener;
    const struct kernel *code;
    double ns_per_tick;
    uint32_t launch_id;
};

/* A listener that fires the probes that tools wait for, in front of `others`; `others` when there is no tool.
 * `probes` must live as long as the launch. */
const struct exec_listener *probes_listen(struct probes *probes, const struct exec_listener *others);
