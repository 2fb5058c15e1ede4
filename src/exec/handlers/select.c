/* Which handlers this build has: one set for each CPU level that the compiler could make. HX_HANDLERS_X86 is
 * set by the build where v3 and v4 are among them. */
#include "base/machine.h"
#include "exec/op.h"

extern const struct handler_set handlers_set_plain;
#if HX_HANDLERS_X86
extern const struct handler_set handlers_set_v3, handlers_set_v4;
#endif

const struct handler_set *handlers_at(int cpu_level)
{
    switch (cpu_level) {
    case CPU_LEVEL_PLAIN:
        return &handlers_set_plain;
#if HX_HANDLERS_X86
    case CPU_LEVEL_V3:
        return &handlers_set_v3;
    case CPU_LEVEL_V4:
        return &handlers_set_v4;
#endif
    default:
        return NULL;
    }
}
