/* Functions that are one call of the driver. */
#pragma once

#include "devices/libcudart/runtime.h"

/* Defines a function of the runtime API: its name, its parameters, and the call, whose value is an error. */
#define RUNTIME_FORWARD(name, parameters, call)                                                              \
    cudaError_t name parameters                                                                              \
    {                                                                                                        \
        cudaError_t error = runtime_begin();                                                                 \
        if (!error)                                                                                          \
            error = (cudaError_t)(call);                                                                     \
        return runtime_end(error);                                                                           \
    }
/* Memory by the pointer that programs of the runtime API have of it. */
#define DEVICE_ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))
