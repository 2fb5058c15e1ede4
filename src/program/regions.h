/* What lies in a kernel's shared memory when gaps are left between (kernel.gap_bytes). */
#pragma once

#include "hexec/launch.h"
#include "program/program.h"

/* Where an argument's shared memory begins, when the launch has so much of it already. */
uint64_t program_shared_argument(const struct kernel *kernel, uint64_t dynamic_bytes);
/* What lies in a launch's shared memory with gaps between, in no order; empty where that is not known. */
struct shared_region {
    uint64_t low, size;
    const char *name; /* of the array; of an argument, its number */
    bool is_argument;
    uint32_t argument;
};
struct shared_regions {
    struct shared_region *items;
    size_t count;
};
/* False: there is no memory for them. */
HX_MUST_CHECK bool program_shared_regions(const hx_program *program, const struct kernel *kernel,
                                          const hx_launch_options *options, struct arena *arena,
                                          struct shared_regions *ret_regions);
/* That which the address is in, else the nearest one; NULL: there is none. */
const struct shared_region *shared_region_near(const struct shared_regions *regions, uint64_t address);
