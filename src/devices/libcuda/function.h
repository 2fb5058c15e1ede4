/* Modules and functions from the inside. */
#pragma once

#include "devices/cuda/machine.h"
#include "devices/libcuda/work.h"

/* Where a parameter is when all are laid out one behind the other. */
struct parameter {
    size_t offset, bytes;
};
struct CUfunc_st {
    CUmodule module;
    size_t kernel;
    hx_kernel_info info;
    struct parameter *parameters; /* info.parameter_count of them */
    size_t value_bytes;           /* of all parameters */
    int dynamic_most;             /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; 0: as it is at first */
};
struct CUmod_st {
    struct module *module;
    struct CUfunc_st *functions;
    size_t function_count;
    struct reference *textures, *surfaces; /* that the program wanted; owned (texref.c) */
};

/* False without memory. */
bool function_init(CUfunction function, CUmodule module, size_t kernel);
/* The PTX of an image: text, or a fat binary that has some; *ret_text is given (free).
 * CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU. */
CUresult image_text(const void *image, char **ret_text, size_t *ret_length);
/* The bytes of a file, and a zero behind them; given (free). NULL: it cannot be read. */
char *image_read(const char *path, size_t *ret_bytes);
/* cuModuleLoadDataEx; `of_undefined` is returned when a kernel names a function or variable that the image
 * does not define. */
CUresult module_load(CUmodule *module, const void *image, unsigned count, int *options, void **values,
                     CUresult of_undefined);
