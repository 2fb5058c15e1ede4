/* What of the build only the whole library knows: its version, its CPU levels, and the identity of
 * instruction sets. */
#include "hexec/system.h"

#include "base/machine.h"
#include "compiler/compiler.h"
#include "exec/op.h"
#include "hexec/hexec.h"

#include <stdio.h>
#include <string.h>

const char *hx_version(void)
{
    return HX_VERSION;
}

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

hx_status hx_compilers_read(hx_compilers *ret_compilers)
{
    if (!ret_compilers)
        return HX_INVALID;
    const size_t asked = ret_compilers->size;
    hx_compilers found = {.size = asked && asked < sizeof found ? asked : sizeof found};
    struct compiler_tools tools;
    const hx_status status = compiler_find_tools(NULL, &tools);
    if (status == HX_OK) {
        snprintf(found.clang, sizeof found.clang, "%s", tools.clang.length ? tools.clang.at : "");
        snprintf(found.libclc, sizeof found.libclc, "%s", tools.libclc.length ? tools.libclc.at : "");
        memcpy(ret_compilers, &found, found.size);
    }
    compiler_tools_done(&tools);
    return status;
}
