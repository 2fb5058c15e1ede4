/* What the parts of the runtime API share. */
#pragma once

#include "devices/libcudart/cudart.h"

#include <stdbool.h>

/* Every function of the API begins with this: the driver is started, and the primary context of the calling
 * thread's device is current, unless the program has made another one current. */
cudaError_t runtime_begin(void);
/* ... and ends with this: an error is kept for cudaGetLastError (of the calling thread), and returned.
 * cudaErrorNotReady (CUDA_ERROR_NOT_READY) is no error. */
cudaError_t runtime_end(cudaError_t error);
/* The number of the calling thread's device, which cudaSetDevice sets. */
CUdevice runtime_device(void);
cudaError_t runtime_set_device(CUdevice device);
/* The primary context of a device, which is made if it is not there. */
cudaError_t runtime_context(CUdevice device, CUcontext *ret_context);

/* The function that a kernel's symbol in the host's program stands for, or whose handle it is (cudaGetKernel,
 * cudaGetFuncBySymbol); cudaErrorInvalidDeviceFunction: there is none. */
cudaError_t registered_function(const void *symbol, CUfunction *ret_function);
/* A handle that a program is given may stand in a symbol's place. */
void registered_give(CUfunction function);
/* The symbol that such a function has in the host's program; NULL: it has none. */
const void *registered_symbol(CUfunction function);
/* Where the variable is that a symbol of the host's program stands for; cudaErrorInvalidSymbol. */
cudaError_t registered_variable(const void *symbol, CUdeviceptr *ret_address, size_t *ret_bytes);
/* The device has been reset: modules are loaded anew when they are needed. */
void registered_forget(void);

/* A copy between memory in lines, of a kind of cudaMemcpyKind: now, or in the stream. */
cudaError_t runtime_copy(void *to, const void *from, size_t bytes, int kind, bool is_async,
                         cudaStream_t stream);
/* Where `bytes` of a variable from `offset` on are; CUDA_ERROR_INVALID_VALUE: it has fewer. */
cudaError_t runtime_find_bytes(const void *symbol, size_t bytes, size_t offset, void **ret_place);
/* Does the device reach what a kind of cudaMemcpyKind says that it does, and the host? NULL: it is an array,
 * of which nothing is checked. */
cudaError_t runtime_check_kind(const void *to, const void *from, int kind);
