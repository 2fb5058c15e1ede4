/* Types and numbers of the CUDA driver API, from its public documentation (CUDA Driver API, reference
 * manual). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUDA_VERSION_OF_DRIVER 12040

/* X(name, number, what it means) */
#define CUDA_ERRORS(X)                                                                                       \
    X(CUDA_SUCCESS, 0, "no error")                                                                           \
    X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                                       \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                          \
    X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                                 \
    X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                                   \
    X(CUDA_ERROR_STUB_LIBRARY, 34, "the library is a stub")                                                  \
    X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                       \
    X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                              \
    X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                                       \
    X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                             \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")         \
    X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "limit is not supported on this architecture")                      \
    X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216, "the context is in use by another thread")                     \
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these two devices")     \
    X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                           \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "the PTX was compiled with an unsupported toolchain")         \
    X(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")                                      \
    X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                                                      \
    X(CUDA_ERROR_OPERATING_SYSTEM, 304, "OS call failed or operation not supported on this OS")              \
    X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                             \
    X(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")               \
    X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                                   \
    X(CUDA_ERROR_NOT_READY, 600, "device not ready")                                                         \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                           \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                    \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                             \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")                         \
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                           \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "cannot set while device is active in this process")           \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                          \
    X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                                \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                                                        \
      "part or all of the requested memory range is already mapped")                                         \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                                            \
      "pointer does not correspond to a registered memory region")                                           \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")                         \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                              \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "operation not supported on global/shared address space")       \
    X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                           \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch")                 \
    X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                                              \
    X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                              \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")        \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture") \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902,                                                                  \
      "operation would result in a merge of separate capture sequences")                                     \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "capture was not ended in the same stream as it began")      \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work")                         \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "dependency created on uncaptured work in another stream")   \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                                               \
      "operation would make the legacy stream depend on a capturing blocking stream")                        \
    X(CUDA_ERROR_CAPTURED_EVENT, 907,                                                                        \
      "operation not permitted on an event last recorded in a capturing stream")                             \
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                                                             \
      "the graph update was not performed because it included changes which violated constraints specific "  \
      "to instantiated graph update")                                                                        \
    X(CUDA_ERROR_UNKNOWN, 999, "unknown error")
typedef enum CUresult {
#define CUDA_ERROR_VALUE(name, number, text) name = number,
    CUDA_ERRORS(CUDA_ERROR_VALUE)
#undef CUDA_ERROR_VALUE
} CUresult;

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
/* What cuCtxCreate_v4 takes: shares of the multiprocessors (with MPS), and of the GPU beside a renderer. */
typedef struct {
    void *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
} CUctxCreateParams;
typedef struct CUmod_st *CUmodule;
typedef struct CUlink_st *CUlinkState;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUarray_st *CUarray;
/* A library is a module, and a kernel a function: contexts share them. */
typedef CUmodule CUlibrary;
typedef CUfunction CUkernel;
typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2 {
    CUDA_KERNEL_NODE_PARAMS first;
    CUkernel kern; /* in place of the function */
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS_v2;
typedef struct CUDA_MEMSET_NODE_PARAMS {
    CUdeviceptr dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS {
    void (*fn)(void *user);
    void *userData;
} CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUmemLocation {
    int type, id;
} CUmemLocation;
/* A share of memory without addresses (cuMemCreate), by a number. */
typedef uint64_t CUmemGenericAllocationHandle;
typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;
typedef struct CUmemPoolProps {
    int allocType, handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned char reserved[56];
} CUmemPoolProps;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS {
    CUmemPoolProps poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
/* An operation of cuStreamBatchMemOp: a wait or a write. */
typedef struct CUstreamBatchMemOpParams {
    int operation;
    CUdeviceptr address;
    uint64_t value;
    unsigned flags;
    CUdeviceptr alias;
    uint64_t pad;
} CUstreamBatchMemOpParams;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUcontext ctx;
    unsigned count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;
/* What a node of any kind is to do. */
typedef struct CUgraphNodeParams {
    int type, reserved0[3];
    union {
        int64_t reserved1[29];
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        CUDA_MEMSET_NODE_PARAMS memset;
        CUDA_HOST_NODE_PARAMS host;
        struct {
            CUgraph graph;
            int ownership;
        } graph;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUDA_BATCH_MEM_OP_NODE_PARAMS memOp;
        CUdeviceptr dptr;
    } as;
    int64_t reserved2;
} CUgraphNodeParams;
/* How a node depends on another: here always on all of it. */
typedef struct CUgraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    uint64_t flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    int result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgraphExecUpdateResultInfo {
    int result;
    CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;
typedef struct CUmemcpyAttributes {
    int srcAccessOrder;
    CUmemLocation srcLocHint, dstLocHint;
    unsigned flags;
} CUmemcpyAttributes;
typedef struct CUlaunchAttribute {
    int id;
    char pad[4];
    char value[64];
} CUlaunchAttribute;
typedef struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;
typedef size_t (*CUoccupancyB2DSize)(int block);
typedef struct CUuuid {
    char bytes[16];
} CUuuid;

/* CUdevice_attribute, those that are known: X(name, number, value). */
#define CUDA_TEXTURE_ATTRIBUTES(X)                                                                           \
    X(MAX_TEXTURE1D_WIDTH, 21, 131072)                                                                       \
    X(MAX_TEXTURE2D_WIDTH, 22, 131072)                                                                       \
    X(MAX_TEXTURE2D_HEIGHT, 23, 65536)                                                                       \
    X(MAX_TEXTURE3D_WIDTH, 24, 16384)                                                                        \
    X(MAX_TEXTURE3D_HEIGHT, 25, 16384)                                                                       \
    X(MAX_TEXTURE3D_DEPTH, 26, 16384)                                                                        \
    X(MAX_TEXTURE2D_LAYERED_WIDTH, 27, 32768)                                                                \
    X(MAX_TEXTURE2D_LAYERED_HEIGHT, 28, 32768)                                                               \
    X(MAX_TEXTURE2D_LAYERED_LAYERS, 29, 2048)                                                                \
    X(SURFACE_ALIGNMENT, 30, 256)                                                                            \
    X(MAX_TEXTURE1D_LAYERED_WIDTH, 42, 32768)                                                                \
    X(MAX_TEXTURE1D_LAYERED_LAYERS, 43, 2048)                                                                \
    X(MAX_TEXTURE2D_GATHER_WIDTH, 45, 32768)                                                                 \
    X(MAX_TEXTURE2D_GATHER_HEIGHT, 46, 32768)                                                                \
    X(TEXTURE_PITCH_ALIGNMENT, 51, 32)                                                                       \
    X(MAX_TEXTURECUBEMAP_WIDTH, 52, 32768)                                                                   \
    X(MAX_TEXTURECUBEMAP_LAYERED_WIDTH, 53, 32768)                                                           \
    X(MAX_TEXTURECUBEMAP_LAYERED_LAYERS, 54, 2046)                                                           \
    X(MAX_SURFACE1D_WIDTH, 55, 32768)                                                                        \
    X(MAX_SURFACE2D_WIDTH, 56, 131072)                                                                       \
    X(MAX_SURFACE2D_HEIGHT, 57, 65536)                                                                       \
    X(MAX_SURFACE3D_WIDTH, 58, 16384)                                                                        \
    X(MAX_SURFACE3D_HEIGHT, 59, 16384)                                                                       \
    X(MAX_SURFACE3D_DEPTH, 60, 16384)                                                                        \
    X(MAX_SURFACE1D_LAYERED_WIDTH, 61, 32768)                                                                \
    X(MAX_SURFACE1D_LAYERED_LAYERS, 62, 2048)                                                                \
    X(MAX_SURFACE2D_LAYERED_WIDTH, 63, 32768)                                                                \
    X(MAX_SURFACE2D_LAYERED_HEIGHT, 64, 32768)                                                               \
    X(MAX_SURFACE2D_LAYERED_LAYERS, 65, 2048)                                                                \
    X(MAX_SURFACECUBEMAP_WIDTH, 66, 32768)                                                                   \
    X(MAX_SURFACECUBEMAP_LAYERED_WIDTH, 67, 32768)                                                           \
    X(MAX_SURFACECUBEMAP_LAYERED_LAYERS, 68, 2046)                                                           \
    X(MAX_TEXTURE1D_LINEAR_WIDTH, 69, 268435456)                                                             \
    X(MAX_TEXTURE2D_LINEAR_WIDTH, 70, 131072)                                                                \
    X(MAX_TEXTURE2D_LINEAR_HEIGHT, 71, 65000)                                                                \
    X(MAX_TEXTURE2D_LINEAR_PITCH, 72, 2097120)
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
    X(TEXTURE_ALIGNMENT, 14, 256)                                                                            \
    X(GPU_OVERLAP, 15, 0)                                                                                    \
    X(MULTIPROCESSOR_COUNT, 16, 108)                                                                         \
    X(KERNEL_EXEC_TIMEOUT, 17, 0)                                                                            \
    X(INTEGRATED, 18, 0)                                                                                     \
    X(CAN_MAP_HOST_MEMORY, 19, 1)                                                                            \
    X(COMPUTE_MODE, 20, 0)                                                                                   \
    X(CONCURRENT_KERNELS, 31, 0)                                                                             \
    X(ECC_ENABLED, 32, 0)                                                                                    \
    X(PCI_BUS_ID, 33, 0)                                                                                     \
    X(MEMORY_CLOCK_RATE, 36, 1215000)                                                                        \
    X(GLOBAL_MEMORY_BUS_WIDTH, 37, 5120)                                                                     \
    X(L2_CACHE_SIZE, 38, 41943040)                                                                           \
    X(MAX_THREADS_PER_MULTIPROCESSOR, 39, 2048)                                                              \
    X(ASYNC_ENGINE_COUNT, 40, 0)                                                                             \
    X(COMPUTE_CAPABILITY_MAJOR, 75, 8)                                                                       \
    X(COMPUTE_CAPABILITY_MINOR, 76, 0)                                                                       \
    X(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81, 167936)                                                      \
    X(STREAM_PRIORITIES_SUPPORTED, 78, 1)                                                                    \
    X(MAX_REGISTERS_PER_MULTIPROCESSOR, 82, 65536)                                                           \
    X(CAN_USE_STREAM_MEM_OPS_V1, 92, 1)                                                                      \
    X(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 93, 1)                                                               \
    X(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 94, 1)                                                               \
    X(COOPERATIVE_LAUNCH, 95, 1)                                                                             \
    X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97, 166912)                                                         \
    X(HOST_REGISTER_SUPPORTED, 99, 1)                                                                        \
    X(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102, 1)                                                           \
    X(MAX_BLOCKS_PER_MULTIPROCESSOR, 106, 32)                                                                \
    X(RESERVED_SHARED_MEMORY_PER_BLOCK, 111, 1024)                                                           \
    X(MEMORY_POOLS_SUPPORTED, 115, 1)                                                                        \
    X(CAN_USE_64_BIT_STREAM_MEM_OPS, 122, 1)                                                                 \
    X(CAN_USE_STREAM_WAIT_VALUE_NOR, 123, 1)
/* Of memory that host and kernels reach at one address. */
#define CUDA_SHARED_ATTRIBUTES(X)                                                                            \
    X(UNIFIED_ADDRESSING, 41, 1)                                                                             \
    X(MANAGED_MEMORY, 83, 1)                                                                                 \
    X(CONCURRENT_MANAGED_ACCESS, 89, 1)                                                                      \
    X(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91, 1)
/* Those that a device has where kernels reach all memory of the process. */
#define CUDA_UNIFIED_ATTRIBUTES(X)                                                                           \
    X(PAGEABLE_MEMORY_ACCESS, 88)                                                                            \
    X(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100)                                                     \
    X(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101)

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
/* CUjitInputType. */
enum {
    CU_JIT_INPUT_CUBIN,
    CU_JIT_INPUT_PTX,
    CU_JIT_INPUT_FATBINARY,
    CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_LIBRARY,
    CU_JIT_INPUT_NVVM
};
/* What the list `extra` of a launch has. */
enum { LAUNCH_EXTRA_END = 0, LAUNCH_EXTRA_POINTER = 1, LAUNCH_EXTRA_SIZE = 2 };
