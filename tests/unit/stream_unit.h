/* A device, a buffer and two kernels, for tests of streams. */
#pragma once

#include "hexec/hexec.h"
#include "kernel_unit.h"

/* x[i] += n, in one block of 64. */
static const char *const adding = "mov.u32 r0, %tid.x\n"
                                  "ldg.u32 r1, [$x + r0*4]\n"
                                  "add.u32 r1, r1, $n\n"
                                  "stg.u32 [$x + r0*4], r1\n"
                                  "exit\n";
/* Beyond the end of every buffer. */
static const char *const faulting = "mov.u64 r0, 16\n"
                                    "mov.u32 r2, 1\n"
                                    "stg.u32 [r0], r2\n"
                                    "exit\n";

struct unit {
    struct loaded_kernel loaded[2]; /* adding, faulting */
    hx_kernel *add, *fault;
    hx_device *device;
    hx_buffer *x;
    hx_launch_options options;
    uint32_t host[64];
};

static inline void device_new(struct unit *unit, const hx_allocator *allocator)
{
    const hx_device_options options = {.size = sizeof options, .workers = 2, .allocator = allocator};
    ck_assert_ok(hx_device_new(&options, NULL, &unit->device));
    ck_assert_ok(hx_buffer_new(unit->device, "x", 64 * 4, HX_ACCESS_READWRITE, NULL, &unit->x));
}

static inline struct unit unit_new(void)
{
    struct unit unit = {.loaded = {kernel_load("", adding), kernel_load("", faulting)}};
    ck_assert_ok(hx_kernel_new(unit.loaded[0].program, 0, NULL, NULL, &unit.add));
    ck_assert_ok(hx_kernel_new(unit.loaded[1].program, 0, NULL, NULL, &unit.fault));
    device_new(&unit, NULL);
    unit.options = (hx_launch_options){.size = sizeof unit.options, .block = {64}};
    return unit;
}

static inline void unit_done(struct unit *unit)
{
    hx_device_free(unit->device);
    hx_kernel_free(unit->add);
    hx_kernel_free(unit->fault);
    kernel_unload(&unit->loaded[0]);
    kernel_unload(&unit->loaded[1]);
}

/* Whatever the environment of the tests says. */
static inline hx_stream *stream_new(struct unit *unit)
{
    const hx_stream_options options = {.size = sizeof options, .blocking = -1};
    hx_stream *stream;
    ck_assert_ok(hx_stream_new(unit->device, &options, NULL, &stream));
    return stream;
}

static inline hx_event *event_new(void)
{
    hx_event *event;
    ck_assert_ok(hx_event_new(NULL, NULL, &event));
    return event;
}

static inline hx_status add(struct unit *unit, hx_stream *stream)
{
    return hx_stream_launch(stream, unit->add, &unit->options, &unit->x, NULL, NULL);
}

static inline hx_status fill(struct unit *unit, hx_stream *stream, uint32_t value)
{
    return hx_stream_fill(stream, unit->x, 0, &value, sizeof value, 64 * 4, NULL);
}
