/* Accesses that the handlers' quick test did not pass: lanes in several buffers, a buffer that was not the
 * last one hit, addresses out of range or misaligned. Also the clocks. Takes the addresses of a chunk, leaves
 * the host address of each active lane's element, or the fault of the first lane that has none. */
#include "base/machine.h"
#include "device/window.h"
#include "exec/bounds.h"
#include "exec/faults.h"

#include <time.h>

static bool fits(const struct memory_window *window, uint64_t address, uint32_t bytes)
{
    return address >= window->low && address - window->low < window->size &&
           window->size - (address - window->low) >= bytes;
}

/* What the op does with memory: an atomic reads what it changes. */
static unsigned access_of(const struct gang_state *state, const struct op *op, bool is_store)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const struct semantic *semantic =
        semantic_at(bound_micro_op(bound, (uint32_t)(op - bound->ops))->semantic);
    if (semantic && shape_is_atomic(semantic->shape))
        return HX_ACCESS_READWRITE;
    return is_store ? HX_ACCESS_WRITE : HX_ACCESS_READ;
}

/* Where an address of the op's space lies, of a generic one which space it means. */
struct target {
    enum hx_space space;
    uint64_t address;            /* in that space */
    struct memory_window window; /* size 0: of global memory, which is to be searched */
    unsigned access;             /* hx_buffer_access */
};

static struct target target_of(const struct gang_state *state, const struct op *op, uint32_t lane,
                               uint64_t address)
{
    const struct gang *gang = &state->gang;
    struct target target = {
        .space = (enum hx_space)op->space, .address = address, .access = HX_ACCESS_READWRITE};
    if (target.space == SPACE_GENERIC)
        target.space = window_resolve(&target.address);
    if (target.space == SPACE_SHARED)
        target.window = gang->whole_shared;
    if (target.space == SPACE_CONSTANT) {
        target.window = gang->whole_constant;
        target.access = HX_ACCESS_READ;
    }
    if (target.space == SPACE_LOCAL)
        target.window = gang_local(state, lane);
    gang_narrow(gang, op, (int)target.space, &target.window);
    if (target.space == SPACE_SHARED)
        bounds_choose(state, op, target.address, &target.window);
    return target;
}

/* Finds the buffer in global memory, and the window that is kept in the gang as the first to try for the next
 * access. */
static void find_buffer(const struct device_memory *memory, const struct op *op, struct gang *gang,
                        uint32_t bytes, struct target *target, struct memory_window *ret_kept)
{
    target->window = gang->windows[op->window_slot];
    *ret_kept = target->window;
    if (fits(&target->window, target->address, bytes))
        return;
    const hx_buffer *buffer = device_memory_find(memory, target->address);
    if (buffer) {
        target->window = buffer->window;
        *ret_kept = buffer->inside;
        target->access = buffer->access;
    } else {
        (void)device_memory_find_mapped(memory, target->address, bytes, &target->window, ret_kept,
                                        &target->access);
    }
}

static bool is_let_by(const struct gang_state *state, const struct op *op, hx_fault_kind fault, uint32_t lane,
                      const struct target *target, uint32_t bytes, unsigned wanted)
{
    const bool is_null = target->space == SPACE_SHARED && bounds_is_null(state, op, target->address);
    const struct memory_window *const window = is_null ? &state->gang.whole_shared : &target->window;
    const bool is_global = target->space == SPACE_GLOBAL;
    const struct fault_target of_access = {.space = target->space,
                                           .address = target->address,
                                           .low = is_global ? 0 : window->low,
                                           .size = is_global ? 0 : window->size,
                                           .bytes = bytes,
                                           .is_load = (wanted & HX_ACCESS_READ) != 0,
                                           .is_store = (wanted & HX_ACCESS_WRITE) != 0};
    return fault_is_let_by(state, op, fault, lane, &of_access);
}

/* Addresses of local memory, and generic ones that are all of the space that the first active lane's is of,
 * shared or local memory: compilers make them of pointers that functions are given. False: they may be wrong,
 * and somebody has to look closer. */
static bool resolve_together(const struct op *op, const struct gang *gang, uint32_t chunk,
                             const uint64_t *addresses, uint64_t active, uint32_t bytes,
                             struct scattered *ret_scattered)
{
    const struct gang_state *state = gang_state_of((struct gang *)gang);
    uint64_t low = addresses[__builtin_ctzll(active)];
    const enum hx_space space = op->space == SPACE_LOCAL ? SPACE_LOCAL : window_resolve(&low);
    const struct memory_window *window = space == SPACE_LOCAL ? &gang->local : &gang->whole_shared;
    const uint32_t *const ends = space == SPACE_LOCAL ? state->stack_ends : NULL;
    const uint64_t stride = space == SPACE_LOCAL ? gang->local_stride : 0;
    const uint64_t unaligned = (UINT64_C(1) << op->align_log2) - 1;
    uint64_t wrong = 0;
    if (state->bounding.is_on || state->bounding.drops ||
        (space == SPACE_SHARED && gang_launch(state)->regions.count > 1) ||
        (space != SPACE_LOCAL && space != SPACE_SHARED) || window->size < bytes)
        return false;
    low = op->space == SPACE_LOCAL ? window->low : window_address(space, window->low);
    for (; active; active &= active - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(active);
        const uint32_t origin = gang_origin(state, chunk * LANES_PER_CHUNK + bit);
        const uint64_t distance = addresses[bit] - low, end = ends ? ends[origin] : window->size;
        wrong |= (uint64_t)(distance > end - bytes || end < bytes) | (addresses[bit] & unaligned);
        ret_scattered->host[bit] =
            (char *)((uintptr_t)window->host + (uintptr_t)(distance + origin * stride));
    }
    return wrong == 0;
}

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    struct gang_state *state = gang_state_of(gang);
    const struct device_memory *memory = device_memory(gang_launch(state)->device);
    const unsigned wanted = access_of(state, op, is_store);
    const uint32_t bytes = op->access_bytes > element_bytes ? op->access_bytes : element_bytes;
    const uint64_t unaligned = (UINT64_C(1) << op->align_log2) - 1;
    if ((op->space == SPACE_GENERIC || op->space == SPACE_LOCAL) &&
        resolve_together(op, gang, chunk, addresses, active, bytes, ret_scattered))
        return true;
    for (; active; active &= active - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(active), lane = chunk * LANES_PER_CHUNK + bit;
        if (op->space == SPACE_GLOBAL) { /* mostly in the buffer of the lane before */
            const struct memory_window *last = &gang->windows[op->window_slot];
            if (fits(last, addresses[bit], bytes) && !(addresses[bit] & unaligned)) {
                ret_scattered->host[bit] = last->host + (addresses[bit] - last->low);
                continue;
            }
        }
        struct target target = target_of(state, op, lane, addresses[bit]);
        struct memory_window kept = {0};
        hx_fault_kind fault = HX_FAULT_NONE;
        if (bounds_is_dropped(state, op, lane)) {
            ret_scattered->host[bit] = bounds_drop(state, op, lane, true);
            continue;
        }
        if (target.space == SPACE_GLOBAL)
            find_buffer(memory, op, gang, bytes, &target, &kept);
        if (!fits(&target.window, target.address, bytes))
            fault = HX_FAULT_OUT_OF_RANGE;
        else if (wanted & ~target.access)
            fault = target.access & HX_ACCESS_WRITE ? HX_FAULT_READ_DENIED : HX_FAULT_WRITE_DENIED;
        else if (target.space == SPACE_GLOBAL && !state->bounding.drops)
            gang->windows[op->window_slot] = kept;
        if (fault == HX_FAULT_NONE && (target.address & unaligned))
            fault = HX_FAULT_MISALIGNED;
        const bool is_let =
            fault != HX_FAULT_NONE && is_let_by(state, op, fault, lane, &target, bytes, wanted);
        if (is_let && fault != HX_FAULT_READ_DENIED) { /* what may only be written is there all the same */
            ret_scattered->host[bit] = bounds_drop(state, op, lane, bytes > element_bytes);
            continue;
        }
        if (fault != HX_FAULT_NONE && !is_let) {
            fault_access(state, op, fault, lane, target.space, target.address, bytes, is_store);
            state->leave = LEAVE_FAULT;
            return false;
        }
        ret_scattered->host[bit] = target.window.host + (target.address - target.window.low);
    }
    return true;
}

uint64_t special_clock(const struct gang *gang, int semantic)
{
    (void)gang;
    if (semantic != SEM_globaltimer) {
        struct machine_timer timer = {.is_tsc = true}; /* cycles: the raw counter, where there is one */
        return machine_ticks(&timer);
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
