/* Functions of NVRTC about code for other tools, and about precompiled headers of its own: programs look them
 * up, and learn that there is none. hexec keeps its headers precompiled by itself
 * (compiler/precompiled.c). */
#include "devices/nvrtc/nvrtc.h"

#include <stdatomic.h>

static nvrtcResult give_none(nvrtcProgram program, const void *ret)
{
    return program && !ret ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size)
{
    return give_none(program, size);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code)
{
    return give_none(program, code);
}

nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size)
{
    return give_none(program, size);
}

nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *code)
{
    return give_none(program, code);
}

/* A compilation is not ended before it is complete: the callback is never called. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *), void *user)
{
    (void)user;
    return !program ? NVRTC_ERROR_INVALID_PROGRAM : !callback ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}

static _Atomic size_t heap_bytes = 256 << 20; /* what a program sets it can read again */

nvrtcResult nvrtcGetPCHHeapSize(size_t *size)
{
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    *size = atomic_load(&heap_bytes);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetPCHHeapSize(size_t size)
{
    atomic_store(&heap_bytes, size);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program)
{
    return program ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *size)
{
    return !program ? NVRTC_ERROR_INVALID_PROGRAM
           : !size  ? NVRTC_ERROR_INVALID_INPUT
                    : NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
}
