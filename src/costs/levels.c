/* The host's caches.
 *
 * Takes addresses of lanes, leaves bytes by level. Each level is a cache of lines of 64 bytes that evicts the
 * line used longest ago; a line that it does not have is asked of the next. Several workers have caches of
 * their own; here one has all blocks, in their order, so that what a worker finds is what the block before it
 * used. */
#include "costs/levels.h"

#include "gpu/cache.h"
#include "isa/isa.h"

#define LINE_BYTES 64u
/* Where the machine does not say how large its first level is, it was measured with half of it. */
#define MEASURED_PART 2u

struct levels {
    const hx_allocator *allocator;
    struct cache *caches[HX_HOST_DRAM]; /* NULL: there is none, or none that could be measured */
    bool is_there[HX_HOST_LEVELS];
    uint64_t lines[HX_HOST_LEVELS]; /* that came from the level; of L1: not used */
    uint64_t accessed;              /* bytes */
};

/* Ways as most x86 cores have them. Their number matters little: what does not fit is what counts. */
static const uint64_t ways[HX_HOST_DRAM] = {[HX_HOST_L1] = 8, [HX_HOST_L2] = 16, [HX_HOST_L3] = 16};

hx_status levels_new(const hx_host_peaks *peaks, const hx_allocator *allocator, struct levels **ret_levels)
{
    struct levels *levels = memory_allocate(allocator, 1, sizeof *levels);
    if (!levels)
        return HX_NO_MEMORY;
    levels->allocator = allocator;
    levels->is_there[HX_HOST_DRAM] = peaks->memory[HX_HOST_DRAM].bytes > 0;
    for (int level = HX_HOST_L1; level < HX_HOST_DRAM; level++) {
        const hx_host_memory *memory = &peaks->memory[level];
        const uint64_t bytes = memory->size_bytes ? memory->size_bytes : memory->bytes * MEASURED_PART;
        const uint64_t sets = bytes / (ways[level] * LINE_BYTES);
        if (memory->bytes == 0 || sets == 0)
            continue;
        levels->is_there[level] = true;
        if (cache_new(sets, ways[level], allocator, &levels->caches[level]) != HX_OK) {
            levels_free(levels);
            return HX_NO_MEMORY;
        }
    }
    *ret_levels = levels;
    return HX_OK;
}

void levels_free(struct levels *levels)
{
    if (!levels)
        return;
    for (int level = 0; level < HX_HOST_DRAM; level++)
        cache_free(levels->caches[level]);
    memory_free(levels->allocator, levels);
}

/* The level that has the line; all before it have it then, too. */
static hx_host_level use_line(struct levels *levels, uint64_t line)
{
    struct cache_victim victim;
    for (int level = 0; level < HX_HOST_DRAM; level++)
        if (levels->caches[level] && cache_use(levels->caches[level], line, 1, CACHE_READ, &victim))
            return (hx_host_level)level;
    return HX_HOST_DRAM;
}

void levels_fill(struct levels *levels, uint64_t address, uint64_t bytes)
{
    if (bytes == 0)
        return;
    for (uint64_t line = address / LINE_BYTES; line <= (address + bytes - 1) / LINE_BYTES; line++)
        (void)use_line(levels, line);
}

/* A level gives a line to the one before it, so a line of DRAM passes all of them. */
static void count_line(struct levels *levels, uint64_t line)
{
    const hx_host_level from = use_line(levels, line);
    for (int level = HX_HOST_L2; level <= (int)from; level++)
        levels->lines[level]++;
}

/* Lanes side by side that access one place load it once. Shared and local memory of a block are small: they
 * stay in L1, and take no part in what the others have. */
static int access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct levels *levels = user;
    uint64_t place = UINT64_MAX, before = UINT64_MAX;
    (void)refusal;
    for (uint64_t lanes = event->lanes; lanes; lanes &= lanes - 1) {
        const uint64_t address = event->addresses[__builtin_ctzll(lanes)];
        if (address == place)
            continue;
        place = address;
        levels->accessed += event->lane_bytes;
        if (event->space != SPACE_GLOBAL || event->lane_bytes == 0)
            continue;
        const uint64_t last = (address + event->lane_bytes - 1) / LINE_BYTES;
        for (uint64_t line = address / LINE_BYTES; line <= last; line++) {
            if (line != before)
                count_line(levels, line);
            before = line;
        }
    }
    return 0;
}

struct exec_listener levels_listener(struct levels *levels)
{
    return (struct exec_listener){
        .calls = {.size = sizeof(hx_listener), .events = HX_EVENT_ACCESS, .user = levels, .access = access}};
}

void levels_take(struct levels *levels, double ret_bytes[HX_HOST_LEVELS])
{
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        const double bytes =
            level == HX_HOST_L1 ? (double)levels->accessed : (double)levels->lines[level] * LINE_BYTES;
        ret_bytes[level] = levels->is_there[level] ? bytes : 0;
        levels->lines[level] = 0;
    }
    levels->accessed = 0;
}
