/* What the accesses of a warp cost a GPU: sectors and lines of global and local memory, passes over the
 * banks of shared memory. Exact counts of a model that is stated here; no time is in it.
 *
 * Global memory is moved in sectors of 32 bytes, four of which are a line (CUDA C++ Best Practices Guide,
 * Coalesced Access to Global Memory: "the concurrent accesses of the threads of a warp will coalesce into a
 * number of transactions equal to the number of 32-byte transactions necessary to service all of the
 * threads"). A sector counts once a request, however many lanes are in it.
 *
 * Local memory: word w of lane l lies at (w * lanes of the warp + l) * 4, so that lanes at one offset are
 * side by side (CUDA C++ Programming Guide, Local Memory: "consecutive 32-bit words are accessed by
 * consecutive thread IDs").
 *
 * Shared memory: 32 banks of 4 bytes, successive words in successive banks; one pass gives one word of each
 * bank to any number of lanes (Programming Guide, Shared Memory, compute capability 5.x and later). Lanes of
 * 8 bytes go in two halves of the warp, of 16 bytes in four quarters, each on its own (there, compute
 * capability 2.x, 64-bit and 128-bit accesses). Atomics on one word are done one after the other (there, SIMT
 * Architecture), so that each lane takes its own pass over the bank.
 *
 * Constant memory costs nothing here. */
#pragma once

#include "hexec/listener.h"
#include "isa/isa.h"

struct access_cost {
    uint32_t sectors, lines, sectors_least;
    uint32_t wavefronts, wavefronts_least;
};

/* Passes over the banks of the L1 cache, which is the same memory as shared memory and has the same banks,
 * for the addresses of an access of global memory: the lanes of an atomic go on to L2 together. */
uint32_t access_passes(const hx_access_event *access);
/* Of the access's active lanes; `warp_lanes` (1 to 64) as launched, exited lanes among them. */
struct access_cost access_cost(const hx_access_event *access, uint32_t warp_lanes);
