/* What a device is, in a structure that grew with the versions of CUDA: almost all of it are attributes, one
 * field each.
 *
 * CUDA 12 has the function twice: programs that were built with earlier versions call it by its first name,
 * and have no room for the fields that are new in 12. */
#include "devices/libcudart/forward.h"

#include <stddef.h>
#include <string.h>

CUDART_DEVICE_VERSIONED_FUNCTIONS(CUDART_DECLARE)

#if CUDART_VERSION < 13000
#define UNTIL_12(...) __VA_ARGS__
#else
#define UNTIL_12(...)
#endif

struct cudaDeviceProp {
    char name[256];
    CUuuid uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    UNTIL_12(int clockRate;)
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    UNTIL_12(int deviceOverlap;)
    int multiProcessorCount;
    UNTIL_12(int kernelExecTimeoutEnabled;)
    int integrated, canMapHostMemory;
    UNTIL_12(int computeMode;)
    int maxTexture1D, maxTexture1DMipmap;
    UNTIL_12(int maxTexture1DLinear;)
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing;
    UNTIL_12(int memoryClockRate;)
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    UNTIL_12(int singleToDoublePrecisionPerfRatio;)
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;
    UNTIL_12(int cooperativeMultiDeviceLaunch;)
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported; /* the first that CUDA 11 does not have */
    int sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
    int memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
#if CUDART_VERSION < 13000
    int reserved[63];
#else
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
#endif
};
#if CUDART_VERSION < 13000
_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "the structure of CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, hostRegisterSupported) == 728, "the structure of CUDA 11");
#else
_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "the structure of CUDA 13");
#endif

/* The number of each field's attribute (cudaDeviceAttr); where a field is an array, of its first element: the
 * others follow. */
#define OF(field, attribute)                                                                                 \
    {                                                                                                        \
        offsetof(struct cudaDeviceProp, field), attribute,                                                   \
            sizeof(((struct cudaDeviceProp *)NULL)->field) / sizeof(int)                                     \
    }
#define OF_SIZE(field, attribute)                                                                            \
    {                                                                                                        \
        offsetof(struct cudaDeviceProp, field), attribute, 0                                                 \
    }
static const struct {
    size_t offset;
    int attribute, count; /* count: 0 of a size_t */
} fields[] = {
    OF_SIZE(sharedMemPerBlock, 8),
    OF(regsPerBlock, 12),
    OF(warpSize, 10),
    OF_SIZE(memPitch, 11),
    OF(maxThreadsPerBlock, 1),
    OF(maxThreadsDim, 2),
    OF(maxGridSize, 5),
    OF_SIZE(totalConstMem, 9),
    OF(major, 75),
    OF(minor, 76),
    OF_SIZE(textureAlignment, 14),
    OF_SIZE(texturePitchAlignment, 51),
    OF(multiProcessorCount, 16),
    OF(integrated, 18),
    OF(canMapHostMemory, 19),
    OF(maxTexture1D, 21),
    OF(maxTexture1DMipmap, 77),
    OF(maxTexture2D, 22),
    OF(maxTexture2DMipmap, 73),
    OF(maxTexture2DLinear, 70),
    OF(maxTexture2DGather, 45),
    OF(maxTexture3D, 24),
    OF(maxTexture3DAlt, 47),
    OF(maxTextureCubemap, 52),
    OF(maxTexture1DLayered, 42),
    OF(maxTexture2DLayered, 27),
    OF(maxTextureCubemapLayered, 53),
    OF(maxSurface1D, 55),
    OF(maxSurface2D, 56),
    OF(maxSurface3D, 58),
    OF(maxSurface1DLayered, 61),
    OF(maxSurface2DLayered, 63),
    OF(maxSurfaceCubemap, 66),
    OF(maxSurfaceCubemapLayered, 67),
    OF_SIZE(surfaceAlignment, 30),
    OF(concurrentKernels, 31),
    OF(ECCEnabled, 32),
    OF(pciBusID, 33),
    OF(pciDeviceID, 34),
    OF(pciDomainID, 50),
    OF(tccDriver, 35),
    OF(asyncEngineCount, 40),
    OF(unifiedAddressing, 41),
    OF(memoryBusWidth, 37),
    OF(l2CacheSize, 38),
    OF(persistingL2CacheMaxSize, 108),
    OF(maxThreadsPerMultiProcessor, 39),
    OF(streamPrioritiesSupported, 78),
    OF(globalL1CacheSupported, 79),
    OF(localL1CacheSupported, 80),
    OF_SIZE(sharedMemPerMultiprocessor, 81),
    OF(regsPerMultiprocessor, 82),
    OF(managedMemory, 83),
    OF(isMultiGpuBoard, 84),
    OF(multiGpuBoardGroupID, 85),
    OF(hostNativeAtomicSupported, 86),
    OF(pageableMemoryAccess, 88),
    OF(concurrentManagedAccess, 89),
    OF(computePreemptionSupported, 90),
    OF(canUseHostPointerForRegisteredMem, 91),
    OF(cooperativeLaunch, 95),
    OF_SIZE(sharedMemPerBlockOptin, 97),
    OF(pageableMemoryAccessUsesHostPageTables, 100),
    OF(directManagedMemAccessFromHost, 101),
    OF(maxBlocksPerMultiProcessor, 106),
    OF(accessPolicyMaxWindowSize, 109),
    OF_SIZE(reservedSharedMemPerBlock, 111),
    OF(hostRegisterSupported, 99),
    OF(sparseCudaArraySupported, 112),
    OF(hostRegisterReadOnlySupported, 113),
    OF(timelineSemaphoreInteropSupported, 114),
    OF(memoryPoolsSupported, 115),
    OF(gpuDirectRDMASupported, 116),
    OF(gpuDirectRDMAFlushWritesOptions, 117),
    OF(gpuDirectRDMAWritesOrdering, 118),
    OF(memoryPoolSupportedHandleTypes, 119),
    OF(deferredMappingCudaArraySupported, 121),
    OF(ipcEventSupported, 125),
    OF(clusterLaunch, 120),
    OF(unifiedFunctionPointers, 129),
#if CUDART_VERSION < 13000
    OF(clockRate, 13),
    OF(deviceOverlap, 15),
    OF(kernelExecTimeoutEnabled, 17),
    OF(computeMode, 20),
    OF(maxTexture1DLinear, 69),
    OF(memoryClockRate, 36),
    OF(singleToDoublePrecisionPerfRatio, 87),
    OF(cooperativeMultiDeviceLaunch, 96),
#else
    OF(deviceNumaConfig, 130),
    OF(deviceNumaId, 131),
    OF(mpsEnabled, 133),
    OF(hostNumaId, 134),
    OF(gpuPciDeviceID, 139),
    OF(gpuPciSubsystemID, 140),
    OF(hostNumaMultinodeIpcSupported, 143),
#endif
};

static CUresult read_field(char *properties, size_t which, CUdevice device)
{
    char *place = properties + fields[which].offset;
    CUresult error = CUDA_SUCCESS;
    int value = 0;
    for (int i = 0; i < fields[which].count && error == CUDA_SUCCESS; i++) {
        error = cuDeviceGetAttribute(&value, fields[which].attribute + i, device);
        memcpy(place + (size_t)i * sizeof value, &value, sizeof value);
    }
    if (fields[which].count > 0)
        return error;
    error = cuDeviceGetAttribute(&value, fields[which].attribute, device);
    memcpy(place, &(size_t){(size_t)value}, sizeof(size_t));
    return error;
}

/* The first `bytes` of the structure. */
static cudaError_t read_properties(void *ret_properties, size_t bytes, CUdevice device)
{
    struct cudaDeviceProp read = {0};
    if (!ret_properties)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuDeviceGetName(read.name, sizeof read.name, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceGetUuid_v2(&read.uuid, device);
    if (error == CUDA_SUCCESS)
        error = cuDeviceTotalMem_v2(&read.totalGlobalMem, device);
    for (size_t i = 0; i < sizeof fields / sizeof *fields && error == CUDA_SUCCESS; i++)
        error = read_field((char *)&read, i, device);
    if (error == CUDA_SUCCESS)
        memcpy(ret_properties, &read, bytes);
    return (cudaError_t)error;
}

#if CUDART_VERSION < 13000
RUNTIME_FORWARD(cudaGetDeviceProperties, (struct cudaDeviceProp * properties, int device),
                read_properties(properties, offsetof(struct cudaDeviceProp, hostRegisterSupported), device))
RUNTIME_FORWARD(cudaGetDeviceProperties_v2, (struct cudaDeviceProp * properties, int device),
                read_properties(properties, sizeof *properties, device))
#else
RUNTIME_FORWARD(cudaGetDeviceProperties, (struct cudaDeviceProp * properties, int device),
                read_properties(properties, sizeof *properties, device))
#endif
