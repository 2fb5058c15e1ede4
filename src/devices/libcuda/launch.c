/* Launches.
 *
 * The arguments come as a list of pointers, or as one block of bytes in which each has its place by size and
 * alignment (cuLaunchKernel: kernelParams, extra). They are kept as such a block, since the launch runs
 * later. */
#include "devices/libcuda/function.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_THREADS 1024
#define BLOCK_SHARED  166912
#define GRID_MOST     2147483647u
#define GRID_YZ_MOST  65535u

/* ---- Arguments ----------------------------------------------------------------------------------------- */

/* The block of bytes that `extra` names. */
static CUresult read_extra(void **extra, const char **ret_block, size_t *ret_bytes)
{
    for (; extra[0] != (void *)(uintptr_t)LAUNCH_EXTRA_END; extra += 2) {
        if (extra[0] == (void *)(uintptr_t)LAUNCH_EXTRA_POINTER)
            *ret_block = extra[1];
        else if (extra[0] == (void *)(uintptr_t)LAUNCH_EXTRA_SIZE && extra[1])
            memcpy(ret_bytes, extra[1], sizeof *ret_bytes);
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    return *ret_block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult launch_pack(CUfunction function, void **parameters, void **extra, struct launch_work *ret_launch)
{
    const char *block = NULL;
    size_t bytes = 0;
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    ret_launch->function = function;
    ret_launch->values = NULL;
    ret_launch->value_bytes = function->value_bytes;
    if (function->info.parameter_count == 0)
        return CUDA_SUCCESS;
    if ((parameters != NULL) == (extra != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = extra ? read_extra(extra, &block, &bytes) : CUDA_SUCCESS;
    if (error != CUDA_SUCCESS || (extra && bytes < function->value_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; parameters && i < function->info.parameter_count; i++)
        if (!parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
    char *values = calloc(1, function->value_bytes + 1);
    if (!values)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < function->info.parameter_count; i++) {
        const struct parameter *is = &function->parameters[i];
        memcpy(values + is->offset, parameters ? parameters[i] : block + is->offset, is->bytes);
    }
    ret_launch->values = values;
    return CUDA_SUCCESS;
}

/* ---- Running ------------------------------------------------------------------------------------------- */

CUresult launch_check(const struct launch_work *launch)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    const uint32_t *required = launch->function->info.required_block;
    if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2] || grid[0] > GRID_MOST ||
        grid[1] > GRID_YZ_MOST || grid[2] > GRID_YZ_MOST || block[0] > BLOCK_THREADS ||
        block[1] > BLOCK_THREADS || block[2] > 64 || block[0] * block[1] * block[2] > BLOCK_THREADS)
        return CUDA_ERROR_INVALID_VALUE;
    if (required[0] && (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
        return CUDA_ERROR_INVALID_VALUE;
    int shared_most = 0; /* more than at first only where the program requests it */
    const CUresult error =
        cuFuncGetAttribute(&shared_most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch->function);
    if (error != CUDA_SUCCESS || launch->function->info.shared_bytes > BLOCK_SHARED ||
        (launch->shared_bytes > 0 && (int64_t)launch->shared_bytes > shared_most))
        return CUDA_ERROR_INVALID_VALUE;
    const hx_status status = module_prepare(launch->function->module->module, launch->function->kernel);
    return status == HX_OK          ? CUDA_SUCCESS
           : status == HX_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                    : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult error_of(hx_status status, const hx_launch_result *result)
{
    switch (status) {
    case HX_OK:
        return CUDA_SUCCESS;
    case HX_INVALID:
        return CUDA_ERROR_LAUNCH_FAILED;
    case HX_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case HX_LIMIT:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    default:
        break;
    }
    return result->fault.kind == HX_FAULT_MISALIGNED     ? CUDA_ERROR_MISALIGNED_ADDRESS
           : result->fault.kind == HX_FAULT_ASSERT       ? CUDA_ERROR_ASSERT
           : result->fault.kind == HX_FAULT_OUT_OF_RANGE ? CUDA_ERROR_ILLEGAL_ADDRESS
                                                         : CUDA_ERROR_LAUNCH_FAILED;
}

CUresult launch_run(const struct launch_work *launch)
{
    enum { USUAL = 16 };
    const CUfunction function = launch->function;
    const size_t count = function->info.parameter_count;
    hx_argument usual[USUAL], *arguments = count <= USUAL ? usual : calloc(count, sizeof *arguments);
    hx_launch_result result = {.size = sizeof result};
    if (!arguments)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        arguments[i] =
            (hx_argument){launch->values + function->parameters[i].offset, function->parameters[i].bytes};
    const struct module_launch given = {.kernel = function->kernel,
                                        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                        .block = {launch->block[0], launch->block[1], launch->block[2]},
                                        .shared_bytes = launch->shared_bytes,
                                        .arguments = arguments,
                                        .argument_count = count};
    const hx_status status = module_run(function->module->module, &given, &result);
    if (arguments != usual)
        free(arguments);
    return error_of(status, &result);
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

static CUresult launch(struct launch_work *launch, CUfunction function, void **parameters, void **extra,
                       CUstream stream)
{
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS)
        error = launch_pack(function, parameters, extra, launch);
    if (error != CUDA_SUCCESS)
        return error;
    struct work work = {.kind = WORK_LAUNCH, .as.launch = *launch};
    error = stream_give(stream, &work);
    work_done(&work);
    return error;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
    struct launch_work given = {
        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared_bytes = shared_bytes};
    return launch(&given, function, parameters, extra, stream);
}

/* Of the attributes, clusters change what a kernel may do; hexec's blocks have none. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    enum { CLUSTER_DIMENSION = 4 };
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        unsigned cluster[3];
        memcpy(cluster, config->attrs[i].value, sizeof cluster);
        if (config->attrs[i].id == CLUSTER_DIMENSION && (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1))
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                          config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream,
                          parameters, extra);
}

/* All blocks of a grid are resident at once where they wait for each other: hexec starts another block when
 * one has to wait. */
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void **parameters)
{
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                          parameters, NULL);
}
