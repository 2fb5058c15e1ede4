/* A collector: a listener that adds up, for each instruction of a kernel, what launches did.
 *
 *     hx_collector collector = {.size = sizeof collector, .collect = HX_COLLECT_WARPS, .profile = profile};
 *     hx_listener listener = hx_collector_listener(&collector, &options);
 *     const hx_listener *const list[] = {&listener};
 *     options.listeners = list;
 *     options.listener_count = 1; */
#pragma once

#include "hexec/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is collected for each instruction, besides issues and lanes. Each costs time, so that times are those
 * of a launch that collects nothing else. */
typedef enum hx_collect {
    HX_COLLECT_TIME = 1,   /* one issue in 64, drawn at random, is timed between fences; 10 to 20 percent */
    HX_COLLECT_WARPS = 2,  /* what each warp of a gang did: divergence and predication; several times */
    HX_COLLECT_MEMORY = 4, /* the addresses of each access: sectors and bank conflicts; tens of times */
} hx_collect;

/* What to collect, and where to add it. All of it is the caller's. */
typedef struct hx_collector {
    size_t size;      /* sizeof (hx_collector) */
    uint32_t collect; /* hx_collect */
    /* Room for hx_kernel_instructions(kernel) entries; NULL: nothing is wanted of instructions. Written when
     * a launch ends, however it does. */
    hx_instruction_profile *profile;
    /* Room for as many entries as the launch has workers (at most hx_device_workers); NULL: not wanted. */
    hx_worker_profile *workers;
    void *state; /* the collector's own while a launch runs; NULL before the first */
} hx_collector;

/* The listener of a collector, which must stay where it is until the launch has ended; for launches of one
 * kernel, one at a time. Of warps and memory `options` get gangs of one warp: counts then depend neither on
 * the gangs' width nor on the workers, as long as no thread waits for, or acts on, what other blocks do
 * meanwhile. */
HX_API hx_listener hx_collector_listener(hx_collector *collector, hx_launch_options *options);

#ifdef __cplusplus
}
#endif
