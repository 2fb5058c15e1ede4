/* The driver: start, devices, contexts, names of errors and functions.
 *
 * There is one device. Contexts are there for programs that want them: memory and modules are the process's.
 * The numbers of the device are those of an A100, which hexec's models take, too. */
#include "devices/libcuda/cuda_driver.h"

#include "devices/cuda/machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MOST 64

struct CUctx_st {
    int is_primary;
};

static atomic_bool is_started;
static atomic_int stopped_by; /* a CUresult */
static struct CUctx_st primary = {1};
static atomic_int primary_references;
static _Thread_local CUcontext stack[STACK_MOST];
static _Thread_local int depth; /* contexts on this thread's stack */

CUresult driver_check(void)
{
    if (!atomic_load(&is_started))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (depth == 0 || !stack[depth - 1])
        return CUDA_ERROR_INVALID_CONTEXT;
    return (CUresult)atomic_load(&stopped_by);
}

void driver_stop(CUresult error)
{
    atomic_store(&stopped_by, (int)error);
}

CUresult cuInit(unsigned flags)
{
    const char *unified = getenv("HEXEC_UNIFIED");
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!machine_start(unified && strcmp(unified, "1") == 0))
        return CUDA_ERROR_NO_DEVICE;
    atomic_store(&is_started, true);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION_OF_DRIVER;
    return CUDA_SUCCESS;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static const struct {
    CUresult error;
    const char *name, *text;
} errors[] = {
#define ERROR_ROW(name, number, text) {name, #name, text},
    CUDA_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

CUresult cuGetErrorName(CUresult error, const char **text)
{
    for (size_t i = 0; text && i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) {
            *text = errors[i].name;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    for (size_t i = 0; text && i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) {
            *text = errors[i].text;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

static const struct {
    const char *name;
    void *function;
} functions[] = {
#define FUNCTION_ROW(name, ...) {#name, (void *)name},
    CUDA_FUNCTIONS(FUNCTION_ROW)
#undef FUNCTION_ROW
};

/* The function of this name, or its second version: programs ask by the name without. */
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    (void)version, (void)flags;
    void *found = NULL;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *rest = strncmp(functions[i].name, name, length) == 0 ? functions[i].name + length : "?";
        if (!*rest || strcmp(rest, "_v2") == 0)
            found = functions[i].function;
    }
    *function = found;
    if (status)
        *status = found ? 0 : 1;
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* ---- The device ---------------------------------------------------------------------------------------- */

static CUresult check_device(const void *result, CUdevice device)
{
    if (!atomic_load(&is_started))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!result)
        return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    const CUresult error = check_device(device, ordinal);
    if (error == CUDA_SUCCESS)
        *device = 0;
    return error;
}

CUresult cuDeviceGetCount(int *count)
{
    const CUresult error = check_device(count, 0);
    if (error == CUDA_SUCCESS)
        *count = 1;
    return error;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    const CUresult error = check_device(name, device);
    if (error != CUDA_SUCCESS || length < 1)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    strncpy(name, "hexec virtual GPU", (size_t)length - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    const CUresult error = check_device(uuid, device);
    if (error == CUDA_SUCCESS)
        memcpy(uuid->bytes, "hexec virtualGPU", sizeof uuid->bytes);
    return error;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    const CUresult error = check_device(bytes, device);
    if (error != CUDA_SUCCESS)
        return error;
    hx_machine machine = {.size = sizeof machine};
    hx_machine_read(&machine);
    *bytes = (size_t)machine.memory_bytes / 2; /* the other half is the program's */
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    const CUresult error = check_device(value, device);
    if (error != CUDA_SUCCESS)
        return error;
    *value = 0; /* the device lacks what is not in the list */
    switch (attribute) {
#define ATTRIBUTE_CASE(name, number, known)                                                                  \
    case number:                                                                                             \
        *value = known;                                                                                      \
        break;
        CUDA_ATTRIBUTES(ATTRIBUTE_CASE)
#undef ATTRIBUTE_CASE
    default:
        return attribute > 0 && attribute < 256 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    const CUresult error = check_device(major, device);
    if (error != CUDA_SUCCESS || !minor)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *major = 8;
    *minor = 0;
    return CUDA_SUCCESS;
}

/* ---- Contexts ------------------------------------------------------------------------------------------ */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult error = check_device(context, device);
    if (error != CUDA_SUCCESS)
        return error;
    atomic_fetch_add(&primary_references, 1);
    *context = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult error = check_device(&primary, device);
    if (error != CUDA_SUCCESS)
        return error;
    if (atomic_load(&primary_references) == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    atomic_fetch_sub(&primary_references, 1);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    const CUresult error = check_device(&primary, device);
    if (error == CUDA_SUCCESS)
        driver_stop(CUDA_SUCCESS);
    return error;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    (void)flags; /* they say how the host waits */
    return check_device(&primary, device);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active)
{
    const CUresult error = check_device(flags, device);
    if (error != CUDA_SUCCESS || !is_active)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *flags = 0;
    *is_active = atomic_load(&primary_references) > 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    if (!atomic_load(&is_started))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!context || depth == STACK_MOST)
        return CUDA_ERROR_INVALID_CONTEXT;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    (void)flags;
    const CUresult error = check_device(context, device);
    if (error != CUDA_SUCCESS)
        return error;
    CUcontext made = calloc(1, sizeof *made);
    if (!made || cuCtxPushCurrent_v2(made) != CUDA_SUCCESS) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    if (!context || context->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth > 0 && stack[depth - 1] == context)
        depth--;
    driver_stop(CUDA_SUCCESS);
    free(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    if (!atomic_load(&is_started))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (depth == 0)
        depth = context ? 1 : 0;
    if (depth > 0)
        stack[depth - 1] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = depth > 0 ? stack[depth - 1] : NULL;
    return atomic_load(&is_started) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    const CUresult error = driver_check();
    if (error == CUDA_ERROR_NOT_INITIALIZED || error == CUDA_ERROR_INVALID_CONTEXT)
        return error;
    return cuDeviceGet(device, 0);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    (void)context;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 3020;
    return CUDA_SUCCESS;
}

/* All work is done when the call that gave it returns. */
CUresult cuCtxSynchronize(void)
{
    return driver_check();
}
