/* Functions of this API that do what one of the driver's does. */
#pragma once

#include "devices/libcudart/runtime.h"

/* RUNTIME_CALL(name, call of the driver, parameters) */
#define RUNTIME_CALL(name, call, ...)                                                                        \
    cudaError_t name(__VA_ARGS__)                                                                            \
    {                                                                                                        \
        cudaError_t error = runtime_begin();                                                                 \
        if (!error)                                                                                          \
            error = (cudaError_t)(call);                                                                     \
        return runtime_end(error);                                                                           \
    }
