/* Loads a little beside a buffer.
 *
 * GPUs have their memory in pages of up to 2 MiB, and many programs that are taken for right load an element
 * behind the end of a buffer, whose value they never use. Takes an access that no buffer has, and leaves the
 * decision, a count and the place of the first one. */
#include "exec/strays.h"

#include "exec/kernel.h"

bool stray_is_let_by(const struct gang_state *state, const struct op *op, hx_fault_kind kind,
                     const struct fault_target *target)
{
    struct launch *launch = gang_launch(state);
    const uint64_t most = device_stray_bytes(launch->device);
    if (most == 0 || kind != HX_FAULT_OUT_OF_RANGE || target->space != SPACE_GLOBAL || !target->is_load ||
        target->is_store)
        return false;
    const hx_buffer *buffer = device_memory_nearest(device_memory(launch->device), target->address);
    if (!buffer)
        return false;
    const uint64_t low = buffer->window.low, end = low + buffer->window.size;
    const bool is_beside = target->address >= end ? target->address - end < most
                                                  : target->address < low && low - target->address <= most;
    if (is_beside && atomic_fetch_add(&launch->stray_loads, 1) == 0)
        atomic_store(&launch->stray_at, op->instruction + 1u);
    return is_beside;
}

void stray_report(const struct launch *launch, const hx_kernel *kernel, hx_diag *diag)
{
    hx_kernel *self = (hx_kernel *)kernel; /* constant but for what it has reported */
    const uint32_t at = atomic_load(&launch->stray_at);
    const struct kernel *code = launch->bound->lowered->kernel;
    if (at == 0 || atomic_exchange(&self->has_reported_strays, true))
        return;
    (void)diag_report(diag, DIAG_STRAY_LOADS, code->lines[at - 1].place,
                      "the checker memory (HEXEC_CHECK=memory, --check memory) names all, and the buffers",
                      "kernel '%s' loads from beside a buffer, and gets 0", code->name);
}
