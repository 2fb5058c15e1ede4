/* Modules, functions and launches.
 *
 * A module is text of PTX. A launch takes its arguments as a list of pointers, or as one block of bytes in
 * which each has its place by size and alignment (cuLaunchKernel: kernelParams, extra). */
#include "devices/libcuda/cuda_driver.h"

#include "devices/cuda/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUfunc_st {
    CUmodule module;
    size_t kernel;
    hx_kernel_info info;
};
struct CUmod_st {
    struct module *module;
    struct CUfunc_st *functions;
    size_t function_count;
};

/* ---- Modules ------------------------------------------------------------------------------------------- */

struct log {
    char *text;
    size_t room, length;
};

static hx_status append(void *user, const char *text, size_t bytes)
{
    struct log *log = user;
    const size_t left = log->room > log->length + 1 ? log->room - log->length - 1 : 0;
    const size_t taken = bytes < left ? bytes : left;
    if (log->text && log->room > 0) {
        memcpy(log->text + log->length, text, taken);
        log->length += taken;
        log->text[log->length] = '\0';
    }
    return HX_OK;
}

/* Messages go to the log that the caller brought, or else to standard error. */
static void tell(const hx_diag *diag, unsigned count, const int *options, void **values)
{
    struct log log = {0};
    void **size = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log.text = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log.room = (size_t)(uintptr_t)values[i];
            size = &values[i];
        }
    }
    for (size_t i = 0; log.text && i < hx_diag_count(diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(diag, i), NULL, append, &log);
    if (!log.text)
        machine_complain(diag);
    else if (size)
        *size = (void *)(uintptr_t)log.length;
}

static CUresult fill_in(CUmodule made)
{
    const hx_program *program = made->module->program;
    made->function_count = hx_program_kernel_count(program);
    made->functions = calloc(made->function_count + 1, sizeof *made->functions);
    if (!made->functions)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < made->function_count; i++) {
        made->functions[i] =
            (struct CUfunc_st){.module = made, .kernel = i, .info.size = sizeof(hx_kernel_info)};
        (void)!hx_program_kernel_info(program, i, &made->functions[i].info);
    }
    for (size_t i = 0; i < hx_program_buffer_count(program); i++)
        if (memory_add(made->module->buffers[i]) != CUDA_SUCCESS)
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

static void free_module(CUmodule module)
{
    for (size_t i = 0; module->module && i < hx_program_buffer_count(module->module->program); i++)
        memory_forget(module->module->buffers[i]);
    module_free(module->module);
    free(module->functions);
    free(module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values)
{
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && (!module || !image || (count > 0 && (!options || !values))))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    hx_diag *diag = NULL;
    CUmodule made = calloc(1, sizeof *made);
    if (!made || hx_diag_new(NULL, &diag) != HX_OK) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const hx_status status = module_new(image, strlen(image), diag, &made->module);
    tell(diag, count, options, values);
    hx_diag_free(diag);
    if (status == HX_OK)
        error = fill_in(made);
    else
        error = status == HX_INVALID ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        *module = made;
    else
        free_module(made);
    return error;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    if (!file)
        return NULL;
    do {
        if (length + 1 >= room) {
            char *grown = realloc(text, room = 2 * room + 65536);
            if (!grown)
                break;
            text = grown;
        }
        const size_t got = fread(text + length, 1, room - length - 1, file);
        length += got;
        text[length] = '\0';
        if (got == 0)
            break;
    } while (!feof(file));
    fclose(file);
    return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !path)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    char *text = read_file(path);
    const CUresult loaded = text ? cuModuleLoadData(module, text) : CUDA_ERROR_FILE_NOT_FOUND;
    free(text);
    return loaded;
}

CUresult cuModuleUnload(CUmodule module)
{
    if (!module)
        return CUDA_ERROR_INVALID_HANDLE;
    free_module(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !function || !module || !name)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].info.name, name) == 0) {
            *function = &module->functions[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !module || !name)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < hx_program_buffer_count(module->module->program); i++) {
        const hx_buffer *buffer = module->module->buffers[i];
        if (strcmp(hx_program_buffer_name(module->module->program, i), name) != 0)
            continue;
        if (address)
            *address = hx_buffer_address(buffer);
        if (bytes)
            *bytes = hx_buffer_bytes(buffer);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->info.shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->info.local_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 80;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = 166912 - (int)function->info.shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = -1;
        return CUDA_SUCCESS;
    default: /* registers and constants of one function are not known */
        return attribute == CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES || attribute == CU_FUNC_ATTRIBUTE_NUM_REGS
                   ? CUDA_ERROR_NOT_SUPPORTED
                   : CUDA_ERROR_INVALID_VALUE;
    }
}

/* What may be set are bounds and preferences that a launch on hexec does not need. */
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    (void)value;
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    return attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                   attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetCacheConfig(CUfunction function, int config)
{
    (void)config;
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

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

static CUresult read_arguments(CUfunction function, void **parameters, void **extra, hx_argument *arguments)
{
    const char *block = NULL;
    size_t bytes = 0;
    if (function->info.parameter_count == 0)
        return CUDA_SUCCESS;
    if ((parameters != NULL) == (extra != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = extra ? read_extra(extra, &block, &bytes) : CUDA_SUCCESS;
    for (size_t i = 0; i < function->info.parameter_count && error == CUDA_SUCCESS; i++) {
        hx_parameter parameter = {.size = sizeof parameter};
        (void)!hx_program_parameter(function->module->module->program, function->kernel, i, &parameter);
        if (parameters ? !parameters[i]
                       : parameter.offset > bytes || parameter.bytes > bytes - parameter.offset)
            return CUDA_ERROR_INVALID_VALUE;
        arguments[i] =
            (hx_argument){parameters ? parameters[i] : block + parameter.offset, (size_t)parameter.bytes};
    }
    return error;
}

static CUresult error_of(hx_status status, const hx_launch_result *result)
{
    switch (status) {
    case HX_OK:
        return CUDA_SUCCESS;
    case HX_INVALID:
        return CUDA_ERROR_INVALID_VALUE;
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

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
    (void)stream;
    hx_launch_result result = {.size = sizeof result};
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && !function)
        error = CUDA_ERROR_INVALID_HANDLE;
    if (error == CUDA_SUCCESS && (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    hx_argument *arguments = calloc(function->info.parameter_count + 1, sizeof *arguments);
    if (!arguments)
        return CUDA_ERROR_OUT_OF_MEMORY;
    error = read_arguments(function, parameters, extra, arguments);
    if (error == CUDA_SUCCESS) {
        const struct module_launch launch = {.kernel = function->kernel,
                                             .grid = {grid_x, grid_y, grid_z},
                                             .block = {block_x, block_y, block_z},
                                             .shared_bytes = shared_bytes,
                                             .arguments = arguments,
                                             .argument_count = function->info.parameter_count};
        const hx_status status = module_run(function->module->module, &launch, &result);
        error = error_of(status, &result);
        if (status == HX_FAULT || status == HX_LIMIT)
            driver_stop(error);
    }
    free(arguments);
    return error;
}
