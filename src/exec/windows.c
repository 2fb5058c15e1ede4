/* Windows.
 *
 * Takes what the launches before have found, leaves windows for the next one. Launches on several devices may
 * read and write what is remembered at once, so it may be out of date or of two launches: it is compared with
 * the device's buffers before it is used. */
#include "exec/windows.h"

#include "exec/bind.h"

#include <string.h>

/* Where the window of a micro-op began, and what the buffer there could be used for. The micro-op was let by
 * there, so it is let by wherever a buffer allows as much. */
struct remembered_window {
    _Atomic uint64_t low; /* 0: nothing is remembered */
    _Atomic uint32_t access;
};

hx_status windows_bind(struct bound_kernel *bound, struct arena *arena, hx_diag *diag)
{
    bound->remembered = ARENA_ARRAY(arena, struct remembered_window, bound->window_slots);
    return bound->remembered ? HX_OK : diag_no_memory(diag);
}

/* Launches whose accesses are followed or checked find each of them anew. */
static bool uses_remembered(const struct launch *launch)
{
    return launch->driver <= DRIVER_COUNTED && !(launch->wanted & HX_EVENT_VIOLATION);
}

static void fill(const struct launch *launch, struct memory_window *windows)
{
    const struct device_memory *memory = device_memory(launch->device);
    const struct bound_kernel *bound = launch->bound;
    const hx_buffer *buffer = NULL;
    for (uint32_t i = 0; i < bound->window_slots; i++) {
        const uint64_t low = atomic_load_explicit(&bound->remembered[i].low, memory_order_acquire);
        const uint32_t access = atomic_load_explicit(&bound->remembered[i].access, memory_order_relaxed);
        if (!low)
            continue;
        if (!buffer || buffer->window.low != low) /* mostly that of the micro-op before */
            buffer = device_memory_find(memory, low);
        if (buffer && buffer->window.low == low && !(access & ~(uint32_t)buffer->access))
            windows[i] = buffer->inside;
    }
}

hx_status windows_make(struct worker *worker, struct arena *arena, hx_diag *diag)
{
    const struct launch *launch = worker->launch;
    const uint32_t slots = launch->bound->window_slots;
    worker->windows = ARENA_ARRAY(arena, struct memory_window, slots);
    if (!worker->windows)
        return diag_no_memory(diag);
    if (!uses_remembered(launch))
        return HX_OK;
    if (worker->number == 0)
        fill(launch, worker->windows);
    else
        memcpy(worker->windows, launch->worker_states[0].windows, slots * sizeof *worker->windows);
    return HX_OK;
}

void windows_remember(const struct launch *launch)
{
    const struct device_memory *memory = device_memory(launch->device);
    const struct bound_kernel *bound = launch->bound;
    const struct memory_window *windows = launch->worker_states[0].windows;
    const hx_buffer *buffer = NULL;
    if (!uses_remembered(launch))
        return;
    for (uint32_t i = 0; i < bound->window_slots; i++) {
        struct remembered_window *remembered = &bound->remembered[i];
        const uint64_t low = windows[i].size > 0 ? windows[i].low : 0;
        if (!low || low == atomic_load_explicit(&remembered->low, memory_order_relaxed))
            continue;
        if (!buffer || buffer->window.low != low)
            buffer = device_memory_find(memory, low);
        if (!buffer || buffer->window.low != low)
            continue;
        atomic_store_explicit(&remembered->access, (uint32_t)buffer->access, memory_order_relaxed);
        atomic_store_explicit(&remembered->low, low, memory_order_release);
    }
}
