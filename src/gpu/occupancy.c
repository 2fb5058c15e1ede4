/* Occupancy.
 *
 * An SM holds as many blocks as the scarcest of four things allows: warps (and threads), blocks, registers
 * and shared memory. Each is given out in units. Registers are given to warps, and each scheduler has its own
 * share of them, so that warps per SM come in multiples of the schedulers. */
#include "gpu/occupancy.h"

#include "verify/webs.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t warps_of(const struct occupancy_need *need)
{
    return divide_up(need->block_threads, need->warp_size);
}

static uint64_t limit_of_registers(const struct gpu *gpu, const struct occupancy_need *need)
{
    if (need->registers > gpu->sm.thread_registers)
        return 0;
    if (need->registers == 0)
        return gpu->sm.blocks;
    const uint64_t unit = gpu->sm.register_unit, schedulers = gpu->sm.schedulers, warps = warps_of(need);
    const uint64_t per_warp = divide_up((uint64_t)need->registers * need->warp_size, unit) * unit;
    /* a launch is refused as if each scheduler had as many warps of the block as any */
    if (per_warp * divide_up(warps, schedulers) * schedulers > gpu->sm.registers)
        return 0;
    return gpu->sm.registers / schedulers / per_warp * schedulers / warps;
}

/* Of a block, in units; 0 when it needs more than it may. */
static uint64_t limit_of_shared(const struct gpu *gpu, const struct occupancy_need *need, uint64_t size)
{
    if (need->shared_bytes > gpu->shared.block_bytes)
        return 0;
    const uint64_t unit = gpu->shared.unit_bytes;
    const uint64_t bytes = divide_up(need->shared_bytes + gpu->shared.reserved_bytes, unit) * unit;
    return bytes == 0 ? gpu->sm.blocks : size / bytes;
}

static uint64_t limit_of_warps(const struct gpu *gpu, const struct occupancy_need *need)
{
    if (need->block_threads > gpu->sm.block_threads)
        return 0;
    const uint64_t warps = warps_of(need), by_threads = gpu->sm.threads / (warps * need->warp_size);
    return gpu->sm.warps / warps < by_threads ? gpu->sm.warps / warps : by_threads;
}

static void find_limit(const struct gpu *gpu, const struct occupancy_need *need, struct occupancy *found)
{
    found->limits[OCCUPANCY_WARPS] = limit_of_warps(gpu, need);
    found->limits[OCCUPANCY_BLOCKS] = gpu->sm.blocks;
    found->limits[OCCUPANCY_REGISTERS] = limit_of_registers(gpu, need);
    found->limits[OCCUPANCY_SHARED] = limit_of_shared(gpu, need, gpu_shared_most(gpu));
    found->limit = OCCUPANCY_WARPS;
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (found->limits[i] < found->limits[found->limit])
            found->limit = (enum occupancy_limit)i;
    found->blocks = found->limits[found->limit];
    found->warps = found->blocks * warps_of(need);
    found->share = (double)found->warps / (double)gpu->sm.warps;
}

/* The smallest size that holds the blocks: what the driver would take is its own matter (its default prefers
 * none), and this leaves the most to the cache. */
static void find_carveout(const struct gpu *gpu, const struct occupancy_need *need, struct occupancy *found)
{
    size_t i = 0;
    while (i + 1 < gpu->shared.size_count && limit_of_shared(gpu, need, gpu->shared.sizes[i]) < found->blocks)
        i++;
    found->shared_size = gpu->shared.sizes[i];
    found->l1_bytes = gpu->l1.bytes - found->shared_size;
}

/* The warps of an SM when a thread has `value` registers, or a block so many bytes of shared memory. */
static uint64_t warps_with(const struct gpu *gpu, struct occupancy_need need, uint64_t value, bool registers)
{
    struct occupancy with;
    if (registers)
        need.registers = (uint32_t)value;
    else
        need.shared_bytes = value;
    find_limit(gpu, &need, &with);
    return with.warps;
}

/* The largest value from `least` to below `from` with which an SM holds more warps than it does. */
static uint64_t find_less(const struct gpu *gpu, const struct occupancy_need *need,
                          const struct occupancy *found, uint64_t least, uint64_t from, bool registers)
{
    if (least >= from || warps_with(gpu, *need, least, registers) <= found->warps)
        return OCCUPANCY_NONE;
    uint64_t more = least, not_more = from; /* warps fall as the value rises */
    while (not_more - more > 1) {
        const uint64_t middle = more + (not_more - more) / 2;
        *(warps_with(gpu, *need, middle, registers) > found->warps ? &more : &not_more) = middle;
    }
    return more;
}

static void find_more(const struct gpu *gpu, const struct occupancy_need *need, struct occupancy *found)
{
    found->registers_for_more = find_less(gpu, need, found, 1, need->registers, true);
    found->shared_bytes_for_more = find_less(gpu, need, found, 0, need->shared_bytes, false);
    found->block_threads_for_more = OCCUPANCY_NONE;
    uint64_t most = found->warps;
    struct occupancy_need tried = *need;
    for (uint64_t threads = need->warp_size; threads <= gpu->sm.block_threads; threads += need->warp_size) {
        struct occupancy with;
        tried.block_threads = (uint32_t)threads;
        find_limit(gpu, &tried, &with);
        if (with.warps > most) {
            most = with.warps;
            found->block_threads_for_more = threads;
        }
    }
}

void occupancy_of(const struct gpu *gpu, const struct occupancy_need *need, struct occupancy *ret_occupancy)
{
    struct occupancy found = {0};
    find_limit(gpu, need, &found);
    find_carveout(gpu, need, &found);
    find_more(gpu, need, &found);
    *ret_occupancy = found;
}

void occupancy_achieve(const struct gpu *gpu, const struct occupancy_need *need, uint64_t blocks,
                       struct occupancy *occupancy)
{
    const uint64_t resident = occupancy->blocks ? occupancy->blocks : 1;
    const uint64_t each = blocks / gpu->sms, more = blocks % gpu->sms; /* `more` SMs have a block more */
    const uint64_t rounds =
        more * divide_up(each + 1, resident) + (gpu->sms - more) * divide_up(each, resident);
    occupancy->busy_sms = each > 0 ? gpu->sms : more;
    occupancy->achieved =
        rounds ? (double)(blocks * warps_of(need)) / ((double)rounds * (double)gpu->sm.warps) : 0;
}

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    static const char *const names[] = {
#define OCCUPANCY_NAME(NAME, name) name,
        OCCUPANCY_LIMITS(OCCUPANCY_NAME)
#undef OCCUPANCY_NAME
    };
    return names[limit];
}

static uint32_t registers_of(const struct web *web)
{
    return web->kind == WEB_8_BYTES ? 2 : web->kind == WEB_4_BYTES ? 1 : 0;
}

/* Live behind instruction `at`, and what it writes though nobody reads it. */
static uint32_t count_live(const struct web_cursor *cursor, uint32_t at)
{
    const struct web_list *list = cursor->list;
    const struct flow_set *live = &list->live_after[at];
    uint32_t count = 0;
    for (uint32_t m = flow_set_next(live, 0); m < REGISTER_COUNT; m = flow_set_next(live, m + 1))
        count += registers_of(&list->webs[cursor->current[m]]);
    for (uint32_t i = list->first[at]; i < list->first[at + 1]; i++)
        if (list->references[i].writes && !flow_set_has(live, list->references[i].member))
            count += registers_of(&list->webs[list->references[i].web]);
    return count;
}

hx_status occupancy_registers(const struct verified_kernel *verified, const hx_allocator *allocator,
                              hx_diag *diag, uint32_t *ret_registers)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = allocator};
    struct web_list list;
    const hx_status status = web_list_make(verified, &arena, diag, &list);
    if (status != HX_OK)
        return status;
    struct web_cursor *cursor = ARENA_NEW(&arena, struct web_cursor);
    if (!cursor)
        return diag_no_memory(diag);
    cursor->list = &list;
    uint32_t most = 0;
    for (uint32_t node = 0; node < verified->flow.block_count; node++) {
        if (!verified->flow.nodes[node].reachable)
            continue;
        web_cursor_enter(cursor, node);
        for (uint32_t i = verified->flow.nodes[node].first; i < verified->flow.nodes[node].end; i++) {
            web_cursor_pass(cursor, i);
            const uint32_t live = count_live(cursor, i);
            most = live > most ? live : most;
        }
    }
    *ret_registers = most;
    return HX_OK;
}
