/* The limits of programs and launches, and the size of a warp when none is given. Those of a launch are the
 * limits of NVIDIA's GPUs (CUDA C++ Programming Guide, "Compute Capabilities"; PTX ISA, %ntid and %nctaid).
 */
#pragma once

#include <stdint.h>

#define LIMIT_LIST         4096 /* parameters; arrays of a list */
#define LIMIT_KERNELS      1000
#define LIMIT_STEPS        100000
#define LIMIT_CODE         1000000 /* instructions of a kernel */
#define LIMIT_REPEAT       1000000000
#define LIMIT_ALIGN        4096         /* of an array, in bytes */
#define LIMIT_LOOP_DEPTH   8            /* of loops in each other */
#define LIMIT_THREADS      1024u        /* of a block */
#define LIMIT_SHARED_BYTES (228u << 10) /* of a block */
#define LIMIT_WARP_SIZE    64u

/* Blocks of a grid and threads of a block along x, y and z. */
extern const uint32_t limits_grid[3], limits_block[3];

/* The size of a warp when a launch's options say `size`: 0 is the default. */
static inline uint32_t limits_warp_size(uint32_t size)
{
    return size ? size : 32;
}
