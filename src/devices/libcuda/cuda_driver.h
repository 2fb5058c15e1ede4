/* The CUDA driver API as far as this driver has it: types and numbers from its public documentation (CUDA
 * Driver API, reference manual). Functions have the names under which programs look for them: those with a
 * second version end in _v2. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUDA_VERSION_OF_DRIVER 12000

/* X(name, number, what it means) */
#define CUDA_ERRORS(X)                                                                                       \
    X(CUDA_SUCCESS, 0, "no error")                                                                           \
    X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                                       \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                          \
    X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                                 \
    X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                                   \
    X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                       \
    X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                              \
    X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                             \
    X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                           \
    X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                                                      \
    X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                             \
    X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                                   \
    X(CUDA_ERROR_NOT_READY, 600, "device not ready")                                                         \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                           \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                    \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                             \
    X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                                \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                              \
    X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                           \
    X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                              \
    X(CUDA_ERROR_UNKNOWN, 999, "unknown error")
typedef enum CUresult {
#define CUDA_ERROR_VALUE(name, number, text) name = number,
    CUDA_ERRORS(CUDA_ERROR_VALUE)
#undef CUDA_ERROR_VALUE
} CUresult;

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUuuid {
    char bytes[16];
} CUuuid;

/* CUdevice_attribute, those that are known: X(name, number, value). */
#define CUDA_ATTRIBUTES(X)                                                                                   \
    X(MAX_THREADS_PER_BLOCK, 1, 1024)                                                                        \
    X(MAX_BLOCK_DIM_X, 2, 1024)                                                                              \
    X(MAX_BLOCK_DIM_Y, 3, 1024)                                                                              \
    X(MAX_BLOCK_DIM_Z, 4, 64)                                                                                \
    X(MAX_GRID_DIM_X, 5, 2147483647)                                                                         \
    X(MAX_GRID_DIM_Y, 6, 65535)                                                                              \
    X(MAX_GRID_DIM_Z, 7, 65535)                                                                              \
    X(MAX_SHARED_MEMORY_PER_BLOCK, 8, 49152)                                                                 \
    X(TOTAL_CONSTANT_MEMORY, 9, 65536)                                                                       \
    X(WARP_SIZE, 10, 32)                                                                                     \
    X(MAX_PITCH, 11, 2147483647)                                                                             \
    X(MAX_REGISTERS_PER_BLOCK, 12, 65536)                                                                    \
    X(CLOCK_RATE, 13, 1410000)                                                                               \
    X(TEXTURE_ALIGNMENT, 14, 512)                                                                            \
    X(GPU_OVERLAP, 15, 0)                                                                                    \
    X(MULTIPROCESSOR_COUNT, 16, 108)                                                                         \
    X(KERNEL_EXEC_TIMEOUT, 17, 0)                                                                            \
    X(INTEGRATED, 18, 0)                                                                                     \
    X(CAN_MAP_HOST_MEMORY, 19, 0)                                                                            \
    X(COMPUTE_MODE, 20, 0)                                                                                   \
    X(CONCURRENT_KERNELS, 31, 0)                                                                             \
    X(ECC_ENABLED, 32, 0)                                                                                    \
    X(PCI_BUS_ID, 33, 0)                                                                                     \
    X(PCI_DEVICE_ID, 34, 0)                                                                                  \
    X(MEMORY_CLOCK_RATE, 36, 1215000)                                                                        \
    X(GLOBAL_MEMORY_BUS_WIDTH, 37, 5120)                                                                     \
    X(L2_CACHE_SIZE, 38, 41943040)                                                                           \
    X(MAX_THREADS_PER_MULTIPROCESSOR, 39, 2048)                                                              \
    X(ASYNC_ENGINE_COUNT, 40, 0)                                                                             \
    X(COMPUTE_CAPABILITY_MAJOR, 75, 8)                                                                       \
    X(COMPUTE_CAPABILITY_MINOR, 76, 0)                                                                       \
    X(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81, 167936)                                                      \
    X(MAX_REGISTERS_PER_MULTIPROCESSOR, 82, 65536)                                                           \
    X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97, 166912)

/* CUfunction_attribute */
enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_NUM_REGS,
    CU_FUNC_ATTRIBUTE_PTX_VERSION,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
};
/* CUjit_option, those that are read. */
enum {
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
};
/* What the list `extra` of a launch has. */
enum { LAUNCH_EXTRA_END = 0, LAUNCH_EXTRA_POINTER = 1, LAUNCH_EXTRA_SIZE = 2 };

/* All functions, each of which returns a CUresult: X(name, parameters). */
#define CUDA_CONTROL_FUNCTIONS(X)                                                                            \
    X(cuInit, unsigned flags)                                                                                \
    X(cuDriverGetVersion, int *version)                                                                      \
    X(cuGetErrorName, CUresult error, const char **text)                                                     \
    X(cuGetErrorString, CUresult error, const char **text)                                                   \
    X(cuGetProcAddress, const char *name, void **function, int version, uint64_t flags)                      \
    X(cuGetProcAddress_v2, const char *name, void **function, int version, uint64_t flags, int *status)      \
    X(cuDeviceGet, CUdevice *device, int ordinal)                                                            \
    X(cuDeviceGetCount, int *count)                                                                          \
    X(cuDeviceGetName, char *name, int length, CUdevice device)                                              \
    X(cuDeviceGetUuid, CUuuid *uuid, CUdevice device)                                                        \
    X(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice device)                                                     \
    X(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device)                                                   \
    X(cuDeviceGetAttribute, int *value, int attribute, CUdevice device)                                      \
    X(cuDeviceComputeCapability, int *major, int *minor, CUdevice device)                                    \
    X(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device)                                         \
    X(cuDevicePrimaryCtxRelease_v2, CUdevice device)                                                         \
    X(cuDevicePrimaryCtxReset_v2, CUdevice device)                                                           \
    X(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags)                                        \
    X(cuDevicePrimaryCtxGetState, CUdevice device, unsigned *flags, int *is_active)                          \
    X(cuCtxCreate_v2, CUcontext *context, unsigned flags, CUdevice device)                                   \
    X(cuCtxDestroy_v2, CUcontext context)                                                                    \
    X(cuCtxPushCurrent_v2, CUcontext context)                                                                \
    X(cuCtxPopCurrent_v2, CUcontext *context)                                                                \
    X(cuCtxSetCurrent, CUcontext context)                                                                    \
    X(cuCtxGetCurrent, CUcontext *context)                                                                   \
    X(cuCtxGetDevice, CUdevice *device)                                                                      \
    X(cuCtxGetApiVersion, CUcontext context, unsigned *version)                                              \
    X(cuCtxSynchronize, void)                                                                                \
    X(cuModuleLoad, CUmodule *module, const char *path)                                                      \
    X(cuModuleLoadData, CUmodule *module, const void *image)                                                 \
    X(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned count, int *options, void **values)  \
    X(cuModuleUnload, CUmodule module)                                                                       \
    X(cuModuleGetFunction, CUfunction *function, CUmodule module, const char *name)                          \
    X(cuModuleGetGlobal_v2, CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)          \
    X(cuFuncGetAttribute, int *value, int attribute, CUfunction function)                                    \
    X(cuFuncSetAttribute, CUfunction function, int attribute, int value)                                     \
    X(cuFuncSetCacheConfig, CUfunction function, int config)                                                 \
    X(cuLaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
      void **parameters, void **extra)
#define CUDA_MEMORY_FUNCTIONS(X)                                                                             \
    X(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)                                                    \
    X(cuMemAlloc_v2, CUdeviceptr *address, size_t bytes)                                                     \
    X(cuMemAllocAsync, CUdeviceptr *address, size_t bytes, CUstream stream)                                  \
    X(cuMemAllocManaged, CUdeviceptr *address, size_t bytes, unsigned flags)                                 \
    X(cuMemFree_v2, CUdeviceptr address)                                                                     \
    X(cuMemFreeAsync, CUdeviceptr address, CUstream stream)                                                  \
    X(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *bytes, CUdeviceptr address)                        \
    X(cuMemAllocHost_v2, void **host, size_t bytes)                                                          \
    X(cuMemHostAlloc, void **host, size_t bytes, unsigned flags)                                             \
    X(cuMemFreeHost, void *host)                                                                             \
    X(cuMemcpyHtoD_v2, CUdeviceptr to, const void *from, size_t bytes)                                       \
    X(cuMemcpyDtoH_v2, void *to, CUdeviceptr from, size_t bytes)                                             \
    X(cuMemcpyDtoD_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes)                                       \
    X(cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void *from, size_t bytes, CUstream stream)                 \
    X(cuMemcpyDtoHAsync_v2, void *to, CUdeviceptr from, size_t bytes, CUstream stream)                       \
    X(cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)                 \
    X(cuMemsetD8_v2, CUdeviceptr to, unsigned char value, size_t count)                                      \
    X(cuMemsetD16_v2, CUdeviceptr to, unsigned short value, size_t count)                                    \
    X(cuMemsetD32_v2, CUdeviceptr to, unsigned value, size_t count)                                          \
    X(cuMemsetD8Async, CUdeviceptr to, unsigned char value, size_t count, CUstream stream)                   \
    X(cuMemsetD16Async, CUdeviceptr to, unsigned short value, size_t count, CUstream stream)                 \
    X(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t count, CUstream stream)                       \
    X(cuStreamCreate, CUstream *stream, unsigned flags)                                                      \
    X(cuStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority)                            \
    X(cuStreamDestroy_v2, CUstream stream)                                                                   \
    X(cuStreamSynchronize, CUstream stream)                                                                  \
    X(cuStreamQuery, CUstream stream)                                                                        \
    X(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags)                                     \
    X(cuStreamAddCallback, CUstream stream, void (*function)(CUstream, CUresult, void *), void *user,        \
      unsigned flags)                                                                                        \
    X(cuLaunchHostFunc, CUstream stream, void (*function)(void *), void *user)                               \
    X(cuEventCreate, CUevent *event, unsigned flags)                                                         \
    X(cuEventDestroy_v2, CUevent event)                                                                      \
    X(cuEventRecord, CUevent event, CUstream stream)                                                         \
    X(cuEventQuery, CUevent event)                                                                           \
    X(cuEventSynchronize, CUevent event)                                                                     \
    X(cuEventElapsedTime, float *milliseconds, CUevent start, CUevent end)
#define CUDA_FUNCTIONS(X)                                                                                    \
    CUDA_CONTROL_FUNCTIONS(X)                                                                                \
    CUDA_MEMORY_FUNCTIONS(X)

#define CUDA_DECLARE(name, ...) __attribute__((visibility("default"))) CUresult name(__VA_ARGS__);
CUDA_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

/* ---- Inside the driver --------------------------------------------------------------------------------- */

/* CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT when the thread has no context, or what stopped a
 * kernel: after that all work of the process fails, as on a GPU. */
CUresult driver_check(void);
void driver_stop(CUresult error);
/* Memory of the device that others made, such as variables of modules. */
struct hx_buffer;
CUresult memory_add(struct hx_buffer *buffer);
void memory_forget(const struct hx_buffer *buffer);
