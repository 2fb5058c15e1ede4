/* Modules, and libraries, which are modules by another name.
 *
 * A module is text of PTX, or a fat binary that has some (fatbin.c). */
#include "devices/libcuda/array.h"
#include "devices/libcuda/function.h"
#include "devices/libcuda/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What kernels name and no input defines. The importer lists it among what a kernel lacks. */
static bool find_undefined(const hx_program *program, hx_lack *ret_lack)
{
    for (size_t k = 0; k < hx_program_kernel_count(program); k++)
        for (size_t i = 0; i < hx_program_lack_count(program, k); i++)
            if (hx_program_lack(program, k, i, ret_lack) == HX_OK && hx_lack_is_undefined(ret_lack))
                return true;
    return false;
}

static void tell_undefined(const hx_lack *lack, struct log *log)
{
    char text[512];
    const int length =
        snprintf(text, sizeof text, "%s:%d:%d: error: undefined reference in '%s': %s\n",
                 lack->file ? lack->file : "module.ptx", lack->line, lack->column, lack->text, lack->why);
    if (log->text && length > 0)
        (void)append(log, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    else if (length > 0)
        (void)fputs(text, stderr);
}

/* Messages go to the log that the caller brought, or else to standard error. `undefined` may be NULL. */
static void tell(const hx_diag *diag, const hx_lack *undefined, unsigned count, const int *options,
                 void **values)
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
    if (undefined)
        tell_undefined(undefined, &log);
    if (!log.text)
        machine_complain(diag);
    else if (size)
        *size = (void *)(uintptr_t)log.length;
}

/* A managed variable is where the host has its bytes, as only it is. */
static CUresult add_variable(hx_buffer *buffer)
{
    const bool is_managed =
        !device_is_unified() && hx_buffer_address(buffer) == (uintptr_t)hx_buffer_data(buffer);
    return is_managed ? memory_add_shared(buffer, 0, true) : memory_add(buffer);
}

static CUresult fill_in(CUmodule made)
{
    const hx_program *program = made->module->program;
    made->function_count = hx_program_kernel_count(program);
    made->functions = calloc(made->function_count + 1, sizeof *made->functions);
    if (!made->functions)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < made->function_count; i++)
        if (!function_init(&made->functions[i], made, i))
            return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < hx_program_buffer_count(program); i++)
        if (add_variable(made->module->buffers[i]) != CUDA_SUCCESS)
            return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < hx_program_constant_count(program); i++)
        if (memory_add(made->module->constants[i]) != CUDA_SUCCESS)
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

static void free_module(CUmodule module)
{
    for (size_t i = 0; module->module && i < hx_program_buffer_count(module->module->program); i++)
        memory_forget(module->module->buffers[i]);
    for (size_t i = 0; module->module && i < hx_program_constant_count(module->module->program); i++)
        memory_forget(module->module->constants[i]);
    references_free(module);
    module_free(module->module);
    for (size_t i = 0; module->functions && i < module->function_count; i++)
        free(module->functions[i].parameters);
    free(module->functions);
    free(module);
}

CUresult module_load(CUmodule *module, const void *image, unsigned count, int *options, void **values,
                     CUresult of_undefined)
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
    char *text = NULL;
    size_t length = 0;
    error = image_text(image, &text, &length);
    hx_status status = HX_INVALID;
    if (error == CUDA_SUCCESS)
        status = module_new(text, length, diag, &made->module);
    free(text);
    hx_lack lack;
    const bool has_all = status != HX_OK || !find_undefined(made->module->program, &lack);
    tell(diag, has_all ? NULL : &lack, count, options, values);
    hx_diag_free(diag);
    if (!has_all)
        error = of_undefined;
    if (error == CUDA_SUCCESS && status == HX_OK)
        error = fill_in(made);
    else if (error == CUDA_SUCCESS)
        error = status == HX_INVALID ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        *module = made;
    else
        free_module(made);
    return error;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values)
{
    return module_load(module, image, count, options, values, CUDA_ERROR_INVALID_PTX);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

char *image_read(const char *path, size_t *ret_bytes)
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
    *ret_bytes = length;
    return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !path)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    size_t bytes;
    char *text = image_read(path, &bytes);
    const CUresult loaded = text ? cuModuleLoadData(module, text) : CUDA_ERROR_FILE_NOT_FOUND;
    free(text);
    return loaded;
}

CUresult cuModuleUnload(CUmodule module)
{
    if (!module)
        return CUDA_ERROR_INVALID_HANDLE;
    queue_wait_for_all();
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

/* A variable in global or constant memory; NULL: there is none. */
static hx_buffer *variable_of(const struct module *module, const char *name)
{
    for (size_t i = 0; i < hx_program_buffer_count(module->program); i++)
        if (strcmp(hx_program_buffer_name(module->program, i), name) == 0)
            return module->buffers[i];
    for (size_t i = 0; i < hx_program_constant_count(module->program); i++)
        if (strcmp(hx_program_constant_name(module->program, i), name) == 0)
            return module->constants[i];
    return NULL;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !module || !name)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    const hx_buffer *buffer = variable_of(module->module, name);
    if (buffer && address)
        *address = hx_buffer_address(buffer);
    if (buffer && bytes)
        *bytes = hx_buffer_bytes(buffer);
    return buffer ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

CUresult cuModuleGetLoadingMode(int *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = 1; /* CU_MODULE_EAGER_LOADING */
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned *number, CUmodule module)
{
    if (!number || !module)
        return number ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *number = (unsigned)module->function_count;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    if (!functions || !module)
        return functions ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && i < module->function_count; i++)
        functions[i] = &module->functions[i];
    return CUDA_SUCCESS;
}

/* ---- Libraries ----------------------------------------------------------------------------------------- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, int *options, void **values, unsigned count,
                           int *library_options, void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoadDataEx(library, image, count, options, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, int *options, void **values,
                               unsigned count, int *library_options, void **library_values,
                               unsigned library_count)
{
    (void)options, (void)values, (void)count, (void)library_options, (void)library_values,
        (void)library_count;
    return cuModuleLoad(library, path);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload(library);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    if (!module || !library)
        return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *module = library;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction(kernel, library, name);
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    return cuModuleGetFunctionCount(count, library);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    return cuModuleEnumerateFunctions(kernels, count, library);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

/* Where the device reaches all memory of the process, every variable is as a managed one. */
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    if (!name || !library)
        return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    hx_buffer *buffer = variable_of(library->module, name);
    if (!buffer || hx_buffer_address(buffer) != (uintptr_t)hx_buffer_data(buffer))
        return CUDA_ERROR_NOT_FOUND;
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}
