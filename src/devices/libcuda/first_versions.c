/* Functions by their first names, where a later version takes the same parameters, or one more: programs that
 * look for functions themselves call these, too. */
#include "devices/libcuda/work.h"

/* X(name, what it is now, parameters, arguments) */
#define FIRST_FUNCTIONS(X)                                                                                   \
    X(cuCtxCreate, cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device),                   \
      (context, flags, device))                                                                              \
    X(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext context), (context))                                         \
    X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context), (context))                                 \
    X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * context), (context))                                 \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))                  \
    X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))                      \
    X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),          \
      (device, flags))                                                                                       \
    X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream), (stream))                                      \
    X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream), (stream, 0))                         \
    X(cuEventDestroy, cuEventDestroy_v2, (CUevent event), (event))                                           \
    X(cuMemHostRegister, cuMemHostRegister_v2, (void *host, size_t bytes, unsigned flags),                   \
      (host, bytes, flags))                                                                                  \
    X(cuLinkCreate, cuLinkCreate_v2, (unsigned count, int *options, void **values, CUlinkState *state),      \
      (count, options, values, state))                                                                       \
    X(cuLinkAddData, cuLinkAddData_v2,                                                                       \
      (CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned count,              \
       int *options, void **values),                                                                         \
      (state, type, data, bytes, name, count, options, values))                                              \
    X(cuLinkAddFile, cuLinkAddFile_v2,                                                                       \
      (CUlinkState state, int type, const char *path, unsigned count, int *options, void **values),          \
      (state, type, path, count, options, values))                                                           \
    X(cuGraphInstantiate, cuGraphInstantiate_v2,                                                             \
      (CUgraphExec * executable, CUgraph graph, CUgraphNode * error_node, char *log, size_t log_room),       \
      (executable, graph, error_node, log, log_room))                                                        \
    X(cuStreamBatchMemOp, cuStreamBatchMemOp_v2,                                                             \
      (CUstream stream, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),                     \
      (stream, count, list, flags))                                                                          \
    X(cuStreamWaitValue32, cuStreamWaitValue32_v2,                                                           \
      (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags),                                \
      (stream, address, value, flags))                                                                       \
    X(cuStreamWaitValue64, cuStreamWaitValue64_v2,                                                           \
      (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags),                                \
      (stream, address, value, flags))                                                                       \
    X(cuStreamWriteValue32, cuStreamWriteValue32_v2,                                                         \
      (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags),                                \
      (stream, address, value, flags))                                                                       \
    X(cuStreamWriteValue64, cuStreamWriteValue64_v2,                                                         \
      (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags),                                \
      (stream, address, value, flags))

#define FIRST(name, now, parameters, arguments)                                                              \
    __attribute__((visibility("default"))) CUresult name parameters;                                         \
    CUresult name parameters                                                                                 \
    {                                                                                                        \
        return now arguments;                                                                                \
    }
FIRST_FUNCTIONS(FIRST)
