/* What addresses are. */
#include "devices/libcudart/forward.h"

/* cudaMemoryType, and what a device's number is where there is none. */
enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED, INVALID_DEVICE = -2 };

/* Memory that the driver does not know is the host's. A device that reaches all memory of the process reaches
 * it, too. */
static cudaError_t read_unregistered(cudaPointerAttributes *ret_attributes, const void *pointer)
{
    enum { PAGEABLE_MEMORY_ACCESS = 88 };
    int reaches_all = 0;
    const CUresult error = cuDeviceGetAttribute(&reaches_all, PAGEABLE_MEMORY_ACCESS, runtime_device());
    if (error == CUDA_SUCCESS)
        *ret_attributes = (cudaPointerAttributes){.type = MEMORY_UNREGISTERED,
                                                  .device = INVALID_DEVICE,
                                                  .devicePointer = reaches_all ? (void *)pointer : NULL,
                                                  .hostPointer = (void *)pointer};
    return (cudaError_t)error;
}

/* Only managed memory is the host's and the device's at once: memory of a device has no pointer for the host,
 * even where the host can reach it. */
static cudaError_t read_attributes(cudaPointerAttributes *ret_attributes, const void *pointer)
{
    enum {
        POINTER_MEMORY_TYPE = 2,
        POINTER_DEVICE_POINTER,
        POINTER_HOST_POINTER,
        POINTER_IS_MANAGED = 8,
        POINTER_DEVICE_ORDINAL
    };
    int attributes[] = {POINTER_MEMORY_TYPE, POINTER_DEVICE_POINTER, POINTER_HOST_POINTER, POINTER_IS_MANAGED,
                        POINTER_DEVICE_ORDINAL};
    unsigned type = 0, is_managed = 0;
    void *on_device = NULL, *on_host = NULL;
    int device = 0;
    void *values[] = {&type, &on_device, &on_host, &is_managed, &device};
    if (!ret_attributes)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = cuPointerGetAttributes(sizeof attributes / sizeof *attributes, attributes, values,
                                                  DEVICE_ADDRESS(pointer));
    if (error != CUDA_SUCCESS || type == MEMORY_UNREGISTERED)
        return error != CUDA_SUCCESS ? (cudaError_t)error : read_unregistered(ret_attributes, pointer);
    *ret_attributes =
        (cudaPointerAttributes){.type = is_managed ? MEMORY_MANAGED : (int)type,
                                .device = device,
                                .devicePointer = on_device,
                                .hostPointer = type == MEMORY_HOST || is_managed ? on_host : NULL};
    return CUDA_SUCCESS;
}

RUNTIME_FORWARD(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void *pointer),
                read_attributes(attributes, pointer))
RUNTIME_FORWARD(cudaMemRangeGetAttribute,
                (void *value, size_t value_bytes, int attribute, const void *pointer, size_t bytes),
                cuMemRangeGetAttribute(value, value_bytes, attribute, DEVICE_ADDRESS(pointer), bytes))
RUNTIME_FORWARD(cudaMemRangeGetAttributes,
                (void **values, size_t *value_bytes, int *attributes, size_t number, const void *pointer,
                 size_t bytes),
                cuMemRangeGetAttributes(values, value_bytes, attributes, number, DEVICE_ADDRESS(pointer),
                                        bytes))
