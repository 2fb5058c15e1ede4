/* What of the build only the whole library knows: its CPU levels, and the identity of instruction sets. */
#include "hexec/system.h"

#include "base/machine.h"
#include "exec/op.h"

const char *hx_build_cpu_level(size_t index)
{
    for (int level = CPU_LEVEL_PLAIN; level < CPU_LEVEL_COUNT; level++)
        if (handlers_at(level) && index-- == 0)
            return cpu_level_name((enum cpu_level)level);
    return NULL;
}

uint32_t hx_isa_hash(const hx_isa *isa)
{
    if (!isa)
        return 0;
    return isa->crc;
}
