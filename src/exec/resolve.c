/* Accesses that the handlers' quick test did not pass: lanes in several buffers, a buffer that was not the
 * last one hit, addresses out of range or misaligned. Also the clocks. Takes the addresses of a chunk, leaves
 * the host's place of each active lane's element, or a fault of the first lane that has none. */
#include "base/machine.h"
#include "exec/faults.h"

#include <time.h>

static const struct memory_window *window_of(const struct gang *gang, const struct op *op)
{
    return op->space == SPACE_SHARED ? &gang->shared : &gang->constant;
}

static bool fits(const struct memory_window *window, uint64_t address, uint32_t bytes)
{
    return address >= window->low && address - window->low < window->size &&
           window->size - (address - window->low) >= bytes;
}

/* What the op does with memory: an atomic reads what it changes. */
static unsigned access_of(const struct gang_state *state, const struct op *op, bool is_store)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const struct semantic *semantic = semantic_at(bound->lowered->ops[op - bound->ops].semantic);
    if (semantic && shape_is_atomic(semantic->shape))
        return HX_ACCESS_READWRITE;
    return is_store ? HX_ACCESS_WRITE : HX_ACCESS_READ;
}

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    struct gang_state *state = gang_state_of(gang);
    const struct device_memory *memory = device_memory(gang_launch(state)->device);
    uint32_t bytes = op->access_bytes > element_bytes ? op->access_bytes : element_bytes;
    struct memory_window window =
        op->space == SPACE_GLOBAL ? gang->last_hit[op->cache] : *window_of(gang, op);
    for (; active; active &= active - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(active), lane = chunk * LANES_PER_CHUNK + bit;
        uint64_t address = addresses[bit];
        hx_fault_kind fault = HX_FAULT_NONE;
        if (!fits(&window, address, bytes)) {
            const hx_buffer *buffer = op->space == SPACE_GLOBAL ? device_memory_find(memory, address) : NULL;
            if (!buffer || !fits(&buffer->window, address, bytes))
                fault = HX_FAULT_OUT_OF_RANGE;
            else if (access_of(state, op, is_store) & ~(unsigned)buffer->access)
                fault = buffer->access & HX_ACCESS_WRITE ? HX_FAULT_READ_DENIED : HX_FAULT_WRITE_DENIED;
            else
                gang->last_hit[op->cache] = window = buffer->window;
        }
        if (fault == HX_FAULT_NONE && (address & ((UINT64_C(1) << op->align_log2) - 1)))
            fault = HX_FAULT_MISALIGNED;
        if (fault != HX_FAULT_NONE) {
            fault_access(state, op, fault, lane, address, bytes, is_store);
            state->leave = LEAVE_FAULT;
            return false;
        }
        ret_scattered->host[bit] = window.host + (address - window.low);
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
