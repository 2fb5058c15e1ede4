/* The device: global memory and a pool of threads that run one job at a time. */
#pragma once

#include "device/memory.h"
#include "hexec/listener.h"

#include <stdatomic.h>

/* What a module to the right keeps with a device: ended when the device is freed, before anything of it is.
 */
struct device_companion {
    void (*end)(struct device_companion *companion);
};
/* NULL when there is none. Any thread. */
struct device_companion *device_companion(hx_device *device);
/* Keeps `companion` unless there is one already; returns the one that is kept. Any thread. */
struct device_companion *device_adopt(hx_device *device, struct device_companion *companion);
/* Held by each launch, and by who makes or frees buffers, so that they come one after the other. */
void device_lock(hx_device *device);
void device_unlock(hx_device *device);

/* A job: called once on each thread that takes part, with the thread's number (0 is the caller's). */
typedef void (*device_job)(void *user, uint32_t worker);

/* Listeners of all launches on the device and of its buffers (hx_device_listen), with the device locked. */
const hx_listener *const *device_listeners(const hx_device *device, size_t *ret_count);
/* Reports a change of a buffer to them; any thread. */
void device_report_buffer(hx_device *device, const hx_buffer_event *event);
/* That a buffer of zeros counts as written by nobody. */
void device_report_unwritten(hx_device *device, const hx_buffer *buffer);

/* As hx_buffer_new; the buffer's addresses are those of its bytes on the host. */
hx_status device_new_buffer_at_host(hx_device *device, const char *name, uint64_t bytes,
                                    hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer);
struct device_memory *device_memory(hx_device *device);
/* May something outside of a launch change what it reads (hx_device_may_change)? */
bool device_may_change(const hx_device *device);
/* What hx_device_allow_strays has set. */
uint64_t device_stray_bytes(const hx_device *device);
/* The first call calibrates it, which takes 5 ms. Any thread. */
const struct machine_timer *device_timer(hx_device *device);
const hx_allocator *device_allocator(const hx_device *device);
enum cpu_level device_level(const hx_device *device);
/* From 1 on, lowest first, no two devices at a time have the same; where there is no tracing always 1. */
uint32_t device_number(const hx_device *device);
/* The flag that hx_device_interrupt sets; a launch clears it when it ends. */
atomic_bool *device_interrupted(hx_device *device);
/* Runs `job` on up to `workers` threads, the calling one among them. Returns when every thread that began has
 * ended; a thread that comes too late (the job was closed) takes no part and is not waited for. */
void device_run(hx_device *device, uint32_t workers, device_job job, void *user);
/* By the calling thread of device_run while its job runs: threads that have not begun, although they were
 * woken a while ago, may wait for its own core, and are moved to others. True when that has been done. */
bool device_call_late(hx_device *device);
