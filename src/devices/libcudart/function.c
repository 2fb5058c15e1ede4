/* Kernels: what they are, what is set for them, and how many of their blocks a multiprocessor holds.
 *
 * A program names a kernel by the symbol of its host function, or by a handle. */
#include "devices/libcudart/forward.h"

#include <stddef.h>
#include <string.h>

/* Defines a function with a parameter `symbol`, whose call uses `function`. */
#define FUNCTION_FORWARD(name, parameters, call)                                                             \
    cudaError_t name parameters                                                                              \
    {                                                                                                        \
        CUfunction function = NULL;                                                                          \
        cudaError_t error = runtime_begin();                                                                 \
        if (!error)                                                                                          \
            error = registered_function(symbol, &function);                                                  \
        if (!error)                                                                                          \
            error = (cudaError_t)(call);                                                                     \
        return runtime_end(error);                                                                           \
    }

/* ---- Attributes ---------------------------------------------------------------------------------------- */

#define OF_INT(field)  offsetof(cudaFuncAttributes, field), false
#define OF_SIZE(field) offsetof(cudaFuncAttributes, field), true
/* By the driver's number of the attribute (CUfunction_attribute). */
static const struct {
    size_t offset;
    bool is_size;
} attribute_fields[] = {{OF_INT(maxThreadsPerBlock)},
                        {OF_SIZE(sharedSizeBytes)},
                        {OF_SIZE(constSizeBytes)},
                        {OF_SIZE(localSizeBytes)},
                        {OF_INT(numRegs)},
                        {OF_INT(ptxVersion)},
                        {OF_INT(binaryVersion)},
                        {OF_INT(cacheModeCA)},
                        {OF_INT(maxDynamicSharedSizeBytes)},
                        {OF_INT(preferredShmemCarveout)},
                        {OF_INT(clusterDimMustBeSet)},
                        {OF_INT(requiredClusterWidth)},
                        {OF_INT(requiredClusterHeight)},
                        {OF_INT(requiredClusterDepth)},
                        {OF_INT(nonPortableClusterSizeAllowed)},
                        {OF_INT(clusterSchedulingPolicyPreference)}};

static cudaError_t read_attributes(cudaFuncAttributes *ret_attributes, CUfunction function)
{
    cudaFuncAttributes read = {0};
    if (!ret_attributes)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof attribute_fields / sizeof *attribute_fields; i++) {
        int value = 0;
        const CUresult error = cuFuncGetAttribute(&value, (int)i, function);
        if (error != CUDA_SUCCESS)
            return (cudaError_t)error;
        const size_t size = (size_t)value;
        if (attribute_fields[i].is_size)
            memcpy((char *)&read + attribute_fields[i].offset, &size, sizeof size);
        else
            memcpy((char *)&read + attribute_fields[i].offset, &value, sizeof value);
    }
    *ret_attributes = read;
    return CUDA_SUCCESS;
}

FUNCTION_FORWARD(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void *symbol),
                 read_attributes(attributes, function))
FUNCTION_FORWARD(cudaFuncSetAttribute, (const void *symbol, int attribute, int value),
                 cuFuncSetAttribute(function, attribute, value))
FUNCTION_FORWARD(cudaFuncSetCacheConfig, (const void *symbol, int config),
                 cuFuncSetCacheConfig(function, config))
FUNCTION_FORWARD(cudaFuncSetSharedMemConfig, (const void *symbol, int config),
                 cuFuncSetSharedMemConfig(function, config))
FUNCTION_FORWARD(cudaFuncGetName, (const char **name, const void *symbol), cuFuncGetName(name, function))
FUNCTION_FORWARD(cudaFuncGetParamInfo, (const void *symbol, size_t index, size_t *offset, size_t *bytes),
                 cuFuncGetParamInfo(function, index, offset, bytes))
RUNTIME_FORWARD(cudaKernelSetAttributeForDevice, (cudaKernel_t kernel, int attribute, int value, int device),
                cuKernelSetAttribute(attribute, value, kernel, device))

/* ---- Occupancy ----------------------------------------------------------------------------------------- */

FUNCTION_FORWARD(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                 (int *blocks, const void *symbol, int block, size_t shared_bytes),
                 cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared_bytes))
FUNCTION_FORWARD(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 (int *blocks, const void *symbol, int block, size_t shared_bytes, unsigned flags),
                 cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, shared_bytes,
                                                                      flags))
FUNCTION_FORWARD(cudaOccupancyAvailableDynamicSMemPerBlock,
                 (size_t * bytes, const void *symbol, int blocks, int block),
                 cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block))

/* The device has no clusters. */
static cudaError_t refuse_clusters(const int *value, CUfunction function, const cudaLaunchConfig_t *config)
{
    return value && function && config ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION_FORWARD(cudaOccupancyMaxPotentialClusterSize,
                 (int *blocks, const void *symbol, const cudaLaunchConfig_t *config),
                 refuse_clusters(blocks, function, config))
FUNCTION_FORWARD(cudaOccupancyMaxActiveClusters,
                 (int *clusters, const void *symbol, const cudaLaunchConfig_t *config),
                 refuse_clusters(clusters, function, config))
