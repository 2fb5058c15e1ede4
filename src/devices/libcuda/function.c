/* Functions: what they are, and how many of their blocks a multiprocessor holds.
 *
 * hexec's registers are not those of machine code for a GPU: of a function the registers count as the fewest
 * that any has, so that occupancy is bounded by threads, blocks and shared memory. */
#include "devices/libcuda/function.h"

#include <stdlib.h>

#define BLOCK_THREADS 1024
#define BLOCK_SHARED                                                                                         \
    166912 /* with what a function wants by CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
#define SM_SHARED        167936
#define SM_THREADS       2048
#define SM_BLOCKS        32
#define SM_COUNT         108
#define BLOCK_RESERVED   1024 /* of shared memory, in each block */
#define SHARED_UNIT      128
#define FIRST_DYNAMIC    49152
#define REGISTERS_FEWEST 16

bool function_init(CUfunction function, CUmodule module, size_t kernel)
{
    const hx_program *program = module->module->program;
    *function = (struct CUfunc_st){.module = module, .kernel = kernel, .info.size = sizeof(hx_kernel_info)};
    (void)!hx_program_kernel_info(program, kernel, &function->info);
    function->parameters = calloc(function->info.parameter_count + 1, sizeof *function->parameters);
    for (size_t i = 0; function->parameters && i < function->info.parameter_count; i++) {
        hx_parameter parameter = {.size = sizeof parameter};
        (void)!hx_program_parameter(program, kernel, i, &parameter);
        function->parameters[i] = (struct parameter){(size_t)parameter.offset, (size_t)parameter.bytes};
        function->value_bytes = (size_t)(parameter.offset + parameter.bytes);
    }
    return function->parameters != NULL;
}

/* ---- Attributes ---------------------------------------------------------------------------------------- */

static int most_threads(CUfunction function)
{
    const uint32_t *block = function->info.required_block;
    return block[0] ? (int)(block[0] * block[1] * block[2]) : BLOCK_THREADS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = most_threads(function);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->info.shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->info.local_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = REGISTERS_FEWEST;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 80;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->dynamic_most ? function->dynamic_most
                                        : FIRST_DYNAMIC - (int)function->info.shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = -1;
        return CUDA_SUCCESS;
    default: /* clusters, which a function may be launched without */
        *value = 0;
        return attribute > 0 && attribute < 16 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

/* What may be set are a bound, and preferences that a launch on hexec does not need. */
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || value > BLOCK_SHARED - (int)function->info.shared_bytes)
            return CUDA_ERROR_INVALID_VALUE;
        function->dynamic_most = value;
        return CUDA_SUCCESS;
    }
    return attribute >= CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && attribute < 16
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetCacheConfig(CUfunction function, int config)
{
    (void)config;
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, int config)
{
    return cuFuncSetCacheConfig(function, config);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    if (!module || !function)
        return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *module = function->module;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    if (!name || !function)
        return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *name = function->info.name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    if (!function || !offset)
        return function ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    if (index >= function->info.parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = function->parameters[index].offset;
    if (bytes)
        *bytes = function->parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncIsLoaded(int *state, CUfunction function)
{
    if (!state || !function)
        return state ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *state = 1;
    return CUDA_SUCCESS;
}

/* ---- Kernels of libraries ------------------------------------------------------------------------------ */

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    if (!function || !kernel)
        return function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *function = kernel;
    return CUDA_SUCCESS;
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    return cuFuncGetModule(library, kernel);
}
CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, kernel);
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo(kernel, index, offset, bytes);
}
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    return error == CUDA_SUCCESS ? cuFuncGetAttribute(value, attribute, kernel) : error;
}
CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice device)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    return error == CUDA_SUCCESS ? cuFuncSetAttribute(kernel, attribute, value) : error;
}

/* ---- Occupancy ----------------------------------------------------------------------------------------- */

static int blocks_of(CUfunction function, int block, size_t shared_bytes)
{
    const size_t used =
        ((size_t)function->info.shared_bytes + shared_bytes + BLOCK_RESERVED + SHARED_UNIT - 1) /
        SHARED_UNIT * SHARED_UNIT;
    const int by_threads = SM_THREADS / ((block + 31) / 32 * 32), by_shared = (int)(SM_SHARED / used);
    if (block > most_threads(function) || shared_bytes > BLOCK_SHARED)
        return 0;
    const int least = by_threads < by_shared ? by_threads : by_shared;
    return least < SM_BLOCKS ? least : SM_BLOCKS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block,
                                                              size_t shared_bytes, unsigned flags)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!blocks || block < 1 || flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = blocks_of(function, block, shared_bytes);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block,
                                                     size_t shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, shared_bytes, 0);
}

/* The largest block, a multiple of a warp, with which most threads are resident. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                   int most, unsigned flags)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!grid || !block || most < 0 || flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    int best = 0, limit = most > 0 && most < most_threads(function) ? most : most_threads(function);
    for (int size = limit % 32 ? limit : limit / 32 * 32; size > 0; size = (size - 1) / 32 * 32) {
        const int blocks = blocks_of(function, size, shared_of ? shared_of(size) : shared_bytes);
        if (blocks * size > best) {
            best = blocks * size;
            *block = size;
            *grid = blocks * SM_COUNT;
        }
    }
    return best > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared_bytes, int most)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes, most, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int block)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!bytes || blocks < 1 || block < 1 || block > most_threads(function) || blocks > SM_BLOCKS)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t each = (size_t)SM_SHARED / (size_t)blocks / SHARED_UNIT * SHARED_UNIT;
    const size_t taken = BLOCK_RESERVED + (size_t)function->info.shared_bytes;
    const size_t left = each > taken ? each - taken : 0;
    *bytes = left < BLOCK_SHARED ? left : BLOCK_SHARED;
    return CUDA_SUCCESS;
}
