/* The driver: start, devices, contexts, names of errors and functions.
 *
 * There is one device, or HEXEC_DEVICES of them that share its memory. Contexts are there for programs that
 * want them: memory and modules are the process's. The numbers of the device are those of an A100, which
 * hexec's models take, too. */
#include "devices/libcuda/context.h"

#include "devices/calls/calls.h"
#include "devices/cuda/machine.h"
#include "devices/libcuda/per_thread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MOST 64

static atomic_bool is_started;
static atomic_int stopped_by; /* a CUresult */
static atomic_ullong context_count;
static atomic_int device_count;
static struct CUctx_st primary[DEVICES_MOST];
static atomic_int primary_references[DEVICES_MOST];
static _Thread_local CUcontext stack[STACK_MOST];
static _Thread_local int depth; /* contexts on this thread's stack */

CUresult driver_check(void)
{
    if (!atomic_load(&is_started) || machine_is_lost())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (depth == 0 || !stack[depth - 1])
        return CUDA_ERROR_INVALID_CONTEXT;
    return (CUresult)atomic_load(&stopped_by);
}

CUresult driver_stopped(void)
{
    return (CUresult)atomic_load(&stopped_by);
}

void driver_stop(CUresult error)
{
    atomic_store(&stopped_by, (int)error);
}

/* CUlimit: stack, fifo of printf, heap, depth of launches, launches that wait, L2, persisting L2. */
static const size_t limits_at_first[LIMIT_COUNT] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0};

static void init_context(CUcontext context, CUdevice device)
{
    context->device = device;
    context->number = atomic_fetch_add(&context_count, 1) + 1;
    memcpy(context->limits, limits_at_first, sizeof limits_at_first);
}

static void count_devices(void)
{
    static atomic_flag is_counted = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_counted))
        return;
    for (CUdevice i = 0; i < DEVICES_MOST; i++) {
        primary[i].is_primary = 1;
        init_context(&primary[i], i);
    }
    atomic_store(&device_count, (int)calls_device_count());
}

bool device_is_unified(void)
{
    const char *unified = getenv("HEXEC_UNIFIED");
    return unified && strcmp(unified, "1") == 0;
}

CUresult cuInit(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (machine_is_lost())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!machine_start(device_is_unified()))
        return CUDA_ERROR_NO_DEVICE;
    count_devices();
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

static const struct call functions[] = {
#define FUNCTION_ROW(name, ...) {(void *)name, #name},
    CUDA_FUNCTIONS(FUNCTION_ROW)
#undef FUNCTION_ROW
};

void machine_watch_calls(hx_session *session)
{
    static struct call calls[sizeof functions / sizeof *functions];
    memcpy(calls, functions, sizeof functions);
    calls_watch(session, calls, sizeof functions / sizeof *functions);
}

/* Names whose function has other parameters from a version on; the last that is not newer than what the
 * program wants counts. */
static const struct {
    const char *name, *is;
    int since;
} versions[] = {{"cuGraphInstantiate", "cuGraphInstantiate_v2", 0},
                {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000},
                {"cuCtxCreate", "cuCtxCreate_v2", 0},
                {"cuCtxCreate", "cuCtxCreate_v4", 12050},
                {"cuGetProcAddress", "cuGetProcAddress", 0},
                {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
                {"cuCtxGetDevice", "cuCtxGetDevice", 0},
                {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
                {"cuCtxSynchronize", "cuCtxSynchronize", 0},
                {"cuCtxSynchronize", "cuCtxSynchronize_v2", 13000},
                {"cuStreamGetCtx", "cuStreamGetCtx", 0},
                {"cuStreamGetCtx", "cuStreamGetCtx_v2", 12050},
                {"cuTexRefSetAddress2D", "cuTexRefSetAddress2D_v3", 0},
                {"cuMemAdvise", "cuMemAdvise", 0},
                {"cuMemAdvise", "cuMemAdvise_v2", 12020},
                {"cuMemPrefetchAsync", "cuMemPrefetchAsync", 0},
                {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
                {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync", 0},
                {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2", 13000},
                {"cuGraphAddNode", "cuGraphAddNode", 0},
                {"cuGraphAddNode", "cuGraphAddNode_v2", 12030},
                {"cuGraphGetEdges", "cuGraphGetEdges", 0},
                {"cuGraphGetEdges", "cuGraphGetEdges_v2", 12030},
                {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies", 0},
                {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 12030},
                {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes", 0},
                {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2", 12030},
                {"cuGraphAddDependencies", "cuGraphAddDependencies", 0},
                {"cuGraphAddDependencies", "cuGraphAddDependencies_v2", 12030},
                {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies", 0},
                {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2", 12030},
                {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies", 0},
                {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2", 12030},
                {"cuGraphExecUpdate", "cuGraphExecUpdate", 0},
                {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000},
                {"cuGraphAddKernelNode", "cuGraphAddKernelNode", 0},
                {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000},
                {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams", 0},
                {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000},
                {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams", 0},
                {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2", 12000},
                {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams", 0},
                {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000},
                {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo", 0},
                {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
                {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030}};

static void *find_exactly(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

/* The function of this name; of the default stream of each thread, if the program has that. */
static void *find_for(const char *name, uint64_t flags)
{
    enum { PER_THREAD_DEFAULT_STREAM = 2 };
    void *found = flags & PER_THREAD_DEFAULT_STREAM ? per_thread_find(name) : NULL;
    return found ? found : find_exactly(name);
}

/* The function of this name, or its second version: programs ask by the name without. */
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    char second[96];
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    const char *is = name;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(versions[i].name, name) == 0 && versions[i].since <= version)
            is = versions[i].is;
    snprintf(second, sizeof second, "%s_v2", is);
    void *found = is == name ? find_for(second, flags) : NULL;
    *function = found ? found : find_for(is, flags);
    if (status)
        *status = *function ? 0 : 1;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* ---- The device ---------------------------------------------------------------------------------------- */

CUresult device_check(const void *result, CUdevice device)
{
    if (!atomic_load(&is_started))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!result)
        return CUDA_ERROR_INVALID_VALUE;
    return device >= 0 && device < atomic_load(&device_count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    const CUresult error = device_check(device, ordinal);
    if (error == CUDA_SUCCESS)
        *device = ordinal;
    return error;
}

CUresult cuDeviceGetCount(int *count)
{
    const CUresult error = device_check(count, 0);
    if (error == CUDA_SUCCESS)
        *count = atomic_load(&device_count);
    return error;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    const CUresult error = device_check(name, device);
    if (error != CUDA_SUCCESS || length < 1)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    strncpy(name, "hexec virtual GPU", (size_t)length - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    const CUresult error = device_check(uuid, device);
    if (error == CUDA_SUCCESS)
        memcpy(uuid->bytes, "hexec virtualGPU", sizeof uuid->bytes);
    if (error == CUDA_SUCCESS && device > 0)
        uuid->bytes[15] = (char)device;
    return error;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    const CUresult error = device_check(bytes, device);
    if (error != CUDA_SUCCESS)
        return error;
    hx_machine machine = {.size = sizeof machine};
    hx_machine_read(&machine);
    *bytes = (size_t)machine.memory_bytes / 2; /* the other half is the program's */
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    const CUresult error = device_check(value, device);
    if (error != CUDA_SUCCESS)
        return error;
    *value = 0; /* the device lacks what is not in the list */
    switch (attribute) {
#define ATTRIBUTE_CASE(name, number, known)                                                                  \
    case number:                                                                                             \
        *value = known;                                                                                      \
        break;
#define UNIFIED_CASE(name, number)                                                                           \
    case number:                                                                                             \
        *value = device_is_unified();                                                                        \
        break;
    case 34: /* PCI_DEVICE_ID, as cuDeviceGetPCIBusId has it */
        *value = device;
        break;
        CUDA_ATTRIBUTES(ATTRIBUTE_CASE)
        CUDA_TEXTURE_ATTRIBUTES(ATTRIBUTE_CASE)
        CUDA_SHARED_ATTRIBUTES(ATTRIBUTE_CASE)
        CUDA_UNIFIED_ATTRIBUTES(UNIFIED_CASE)
#undef UNIFIED_CASE
#undef ATTRIBUTE_CASE
    default:
        return attribute > 0 && attribute < 256 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    const CUresult error = device_check(major, device);
    if (error != CUDA_SUCCESS || !minor)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *major = 8;
    *minor = 0;
    return CUDA_SUCCESS;
}

/* ---- Contexts ------------------------------------------------------------------------------------------ */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult error = device_check(context, device);
    if (error != CUDA_SUCCESS)
        return error;
    atomic_fetch_add(&primary_references[device], 1);
    *context = &primary[device];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult error = device_check(primary, device);
    if (error != CUDA_SUCCESS)
        return error;
    if (atomic_load(&primary_references[device]) == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    atomic_fetch_sub(&primary_references[device], 1);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    const CUresult error = device_check(primary, device);
    queue_wait_for_all();
    if (error == CUDA_SUCCESS) {
        atomic_store(&primary[device].peers, 0);
        driver_stop(CUDA_SUCCESS);
    }
    return error;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    const CUresult error = device_check(primary, device);
    if (error == CUDA_SUCCESS)
        primary[device].flags = flags; /* they say how the host waits */
    return error;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active)
{
    const CUresult error = device_check(flags, device);
    if (error != CUDA_SUCCESS || !is_active)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *flags = primary[device].flags;
    *is_active = atomic_load(&primary_references[device]) > 0;
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
    const CUresult error = device_check(context, device);
    if (error != CUDA_SUCCESS)
        return error;
    CUcontext made = calloc(1, sizeof *made);
    if (!made || cuCtxPushCurrent_v2(made) != CUDA_SUCCESS) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    init_context(made, device);
    made->flags = flags;
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    if (!context || context->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    queue_wait_for_all();
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
    if (!atomic_load(&is_started) || machine_is_lost())
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
    return cuDeviceGet(device, stack[depth - 1]->device);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    (void)context;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    const CUresult error = driver_check();
    if (error == CUDA_ERROR_NOT_INITIALIZED || error == CUDA_ERROR_INVALID_CONTEXT)
        return error;
    queue_wait_for_all(); /* callbacks come behind a kernel that was stopped, too */
    return driver_check();
}

/* ---- What contexts keep for programs that ask ---------------------------------------------------------- */

CUcontext context_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int count, unsigned flags, CUdevice device)
{
    return affinity || count ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

/* Parameters without a wish make an ordinary context. */
CUresult cuCtxCreate_v4(CUcontext *context, const CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    if (params && params->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return params ? cuCtxCreate_v3(context, params->execAffinityParams, params->numExecAffinityParams, flags,
                                   device)
                  : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    if (!flags || !context_current())
        return flags ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *flags = context_current()->flags;
    return CUDA_SUCCESS;
}

/* They say how the host waits, which is always the same. */
CUresult cuCtxSetFlags(unsigned flags)
{
    enum { WAYS_TO_WAIT = 7, KNOWN_FLAGS = 0xff };
    const unsigned way = flags & WAYS_TO_WAIT;
    if (!context_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (flags > KNOWN_FLAGS || (way & (way - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    context_current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *number)
{
    context = context ? context : context_current();
    if (!number || !context)
        return number ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *number = context->number;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, int limit)
{
    if (!context_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit < 0 || limit >= LIMIT_COUNT)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context_current()->limits[limit];
    return CUDA_SUCCESS;
}

/* hexec has what a kernel needs, whatever the limit is. */
CUresult cuCtxSetLimit(int limit, size_t value)
{
    if (!context_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (limit < 0 || limit >= LIMIT_COUNT)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    context_current()->limits[limit] = value;
    return CUDA_SUCCESS;
}

static CUresult get_config(int *value, size_t place)
{
    if (!value || !context_current())
        return value ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *value = place ? context_current()->shared_config : context_current()->cache_config;
    return CUDA_SUCCESS;
}

static CUresult set_config(int value, size_t place)
{
    if (value < 0 || value > 3 || !context_current())
        return context_current() ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    *(place ? &context_current()->shared_config : &context_current()->cache_config) = value;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(int *config)
{
    return get_config(config, 0);
}
CUresult cuCtxSetCacheConfig(int config)
{
    return set_config(config, 0);
}
CUresult cuCtxGetSharedMemConfig(int *config)
{
    return get_config(config, 1);
}
CUresult cuCtxSetSharedMemConfig(int config)
{
    return set_config(config, 1);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return context_current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    return context_current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
