/* Linking: several modules become one, whose image cuModuleLoadData takes.
 *
 * A linked image is the PTX of all inputs, one behind the other: what one declares as external another
 * defines, as within one module. It is loaded once when it is complete, so that what is wrong is said then.
 */
#include "devices/libcuda/function.h"

#include <stdlib.h>
#include <string.h>

struct CUlink_st {
    char *text;
    size_t length;
    unsigned option_count; /* of cuLinkCreate; what they point to is the caller's until the end */
    int *options;
    void **values;
};

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *state)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !state || (count > 0 && (!options || !values)))
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    struct CUlink_st *made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *made = (struct CUlink_st){.option_count = count, .options = options, .values = values};
    *state = made;
    return CUDA_SUCCESS;
}

static CUresult add_text(CUlinkState state, const char *text, size_t length)
{
    char *grown = realloc(state->text, state->length + length + 2);
    if (!grown)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(grown + state->length, text, length);
    state->text = grown;
    state->length += length;
    state->text[state->length++] = '\n';
    state->text[state->length] = '\0';
    return CUDA_SUCCESS;
}

/* The text of an input, which need not end with a zero. */
static CUresult add_input(CUlinkState state, const void *data, size_t bytes)
{
    char *text = NULL, *copy = calloc(bytes + sizeof(uint32_t), 1);
    size_t length = 0;
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, bytes);
    CUresult error = image_text(copy, &text, &length);
    free(copy);
    if (error == CUDA_SUCCESS)
        error = add_text(state, text, length);
    free(text);
    return error;
}

CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t bytes, const char *name,
                          unsigned count, int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !state || !data || bytes == 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_CUBIN && type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        return type < 0 || type > CU_JIT_INPUT_NVVM ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NO_BINARY_FOR_GPU;
    return add_input(state, data, bytes);
}

CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned count, int *options,
                          void **values)
{
    const CUresult error = driver_check();
    size_t bytes = 0;
    if (error != CUDA_SUCCESS || !state || !path)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    char *data = image_read(path, &bytes);
    const CUresult added = !data ? CUDA_ERROR_FILE_NOT_FOUND
                           : bytes == 0
                               ? CUDA_ERROR_INVALID_IMAGE
                               : cuLinkAddData_v2(state, type, data, bytes, path, count, options, values);
    free(data);
    return added;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    CUmodule module = NULL;
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !state || !image)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (!state->text)
        return CUDA_ERROR_INVALID_IMAGE;
    const CUresult loaded = module_load(&module, state->text, state->option_count, state->options,
                                        state->values, CUDA_ERROR_UNKNOWN); /* as NVIDIA's linker has it */
    if (loaded != CUDA_SUCCESS)
        return loaded;
    *image = state->text;
    if (bytes)
        *bytes = state->length + 1;
    return cuModuleUnload(module);
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state)
        return CUDA_ERROR_INVALID_HANDLE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
