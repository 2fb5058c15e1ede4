/* Memory in lines: allocating, copying, filling. */
#include "devices/libcudart/runtime.h"

/* ---- Allocations --------------------------------------------------------------------------------------- */

static CUdeviceptr at(const void *address)
{
    return (uintptr_t)address;
}

/* Of no bytes there is no memory, and that is no error. */
cudaError_t cudaMalloc(void **address, size_t bytes)
{
    CUdeviceptr made = 0;
    cudaError_t error = runtime_begin();
    if (!error && !address)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && bytes > 0)
        error = cuMemAlloc_v2(&made, bytes);
    if (!error)
        *address = (void *)(uintptr_t)made;
    return runtime_end(error);
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags)
{
    CUdeviceptr made = 0;
    cudaError_t error = runtime_begin();
    if (!error && !address)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = cuMemAllocManaged(&made, bytes, flags);
    if (!error)
        *address = (void *)(uintptr_t)made;
    return runtime_end(error);
}

static cudaError_t allocate_rows(void **address, size_t *pitch, size_t width, size_t rows)
{
    enum { ELEMENT = 4 };
    CUdeviceptr made = 0;
    cudaError_t error = runtime_begin();
    *address = NULL;
    *pitch = 0;
    if (!error && width > 0 && rows > 0)
        error = cuMemAllocPitch_v2(&made, pitch, width, rows, ELEMENT);
    if (!error)
        *address = (void *)(uintptr_t)made;
    return error;
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
    return runtime_end(address && pitch ? allocate_rows(address, pitch, width, height)
                                        : (cudaError_t)CUDA_ERROR_INVALID_VALUE);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent extent)
{
    size_t rows = 0;
    if (!memory || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_end(CUDA_ERROR_INVALID_VALUE);
    const cudaError_t error = allocate_rows(&memory->ptr, &memory->pitch, extent.width, rows);
    if (!error) {
        memory->xsize = extent.width;
        memory->ysize = extent.height;
    }
    return runtime_end(error);
}

cudaError_t cudaFree(void *address)
{
    cudaError_t error = runtime_begin();
    if (!error && address)
        error = cuMemFree_v2(at(address));
    return runtime_end(error);
}

/* ---- Memory of the host -------------------------------------------------------------------------------- */

cudaError_t cudaHostAlloc(void **host, size_t bytes, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (!error && !host)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && bytes == 0)
        *host = NULL;
    else if (!error)
        error = cuMemHostAlloc(host, bytes, flags);
    return runtime_end(error);
}

cudaError_t cudaMallocHost(void **host, size_t bytes)
{
    return cudaHostAlloc(host, bytes, 0);
}

cudaError_t cudaFreeHost(void *host)
{
    cudaError_t error = runtime_begin();
    if (!error && host)
        error = cuMemFreeHost(host);
    return runtime_end(error);
}

cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMemHostRegister_v2(host, bytes, flags);
    return runtime_end(error);
}

cudaError_t cudaHostUnregister(void *host)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMemHostUnregister(host);
    return runtime_end(error);
}

cudaError_t cudaHostGetDevicePointer(void **address, void *host, unsigned flags)
{
    CUdeviceptr found = 0;
    cudaError_t error = runtime_begin();
    if (!error && !address)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = cuMemHostGetDevicePointer_v2(&found, host, flags);
    if (!error)
        *address = (void *)(uintptr_t)found;
    return runtime_end(error);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMemHostGetFlags(flags, host);
    return runtime_end(error);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *bytes)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMemGetInfo_v2(free_bytes, bytes);
    return runtime_end(error);
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

/* What memory is to the device: its own, which the host does not reach, such that both reach, or the host's.
 */
enum place { PLACE_DEVICE, PLACE_BOTH, PLACE_HOST };

/* What stopped a kernel before is the answer, too. */
static cudaError_t find_place(const void *address, enum place *ret_place)
{
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, TYPE_DEVICE = 2 };
    unsigned type = 0, is_managed = 0;
    *ret_place = PLACE_BOTH;
    if (!address)
        return CUDA_SUCCESS;
    CUresult error = cuPointerGetAttribute(&type, MEMORY_TYPE, at(address));
    *ret_place = PLACE_HOST;
    if (error == CUDA_ERROR_INVALID_VALUE)
        return CUDA_SUCCESS;
    if (error == CUDA_SUCCESS)
        error = cuPointerGetAttribute(&is_managed, IS_MANAGED, at(address));
    if (error == CUDA_SUCCESS)
        *ret_place = type == TYPE_DEVICE && !is_managed ? PLACE_DEVICE : PLACE_BOTH;
    return (cudaError_t)error;
}

/* The driver tells memory of the device from the host's by its address. What a kind says besides must be so.
 */
cudaError_t runtime_check_kind(const void *to, const void *from, int kind)
{
    enum place to_place, from_place;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = find_place(to, &to_place);
    if (!error)
        error = find_place(from, &from_place);
    if (error || kind == cudaMemcpyDefault)
        return error;
    const bool is_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
               is_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return to_place != (is_to_device ? PLACE_HOST : PLACE_DEVICE) &&
                   from_place != (is_from_device ? PLACE_HOST : PLACE_DEVICE)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* By the kind, so that reports have the direction that the program names. */
static cudaError_t copy(void *to, const void *from, size_t bytes, int kind)
{
    return kind == cudaMemcpyHostToDevice   ? cuMemcpyHtoD_v2(at(to), from, bytes)
           : kind == cudaMemcpyDeviceToHost ? cuMemcpyDtoH_v2(to, at(from), bytes)
                                            : cuMemcpy(at(to), at(from), bytes);
}

static cudaError_t copy_async(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    return kind == cudaMemcpyHostToDevice   ? cuMemcpyHtoDAsync_v2(at(to), from, bytes, stream)
           : kind == cudaMemcpyDeviceToHost ? cuMemcpyDtoHAsync_v2(to, at(from), bytes, stream)
                                            : cuMemcpyAsync(at(to), at(from), bytes, stream);
}

cudaError_t runtime_copy(void *to, const void *from, size_t bytes, int kind, bool is_async,
                         cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error || bytes == 0)
        return error;
    error = to && from ? runtime_check_kind(to, from, kind) : (cudaError_t)CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    return is_async ? copy_async(to, from, bytes, kind, stream) : copy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return runtime_end(runtime_copy(to, from, bytes, kind, false, NULL));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    return runtime_end(runtime_copy(to, from, bytes, kind, true, stream));
}

/* Devices share one memory: between them a copy is as any other. */
static cudaError_t copy_between(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                bool is_async, cudaStream_t stream)
{
    int count = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuDeviceGetCount(&count);
    if (!error && (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count))
        error = CUDA_ERROR_INVALID_DEVICE;
    return error ? error : runtime_copy(to, from, bytes, cudaMemcpyDeviceToDevice, is_async, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return runtime_end(copy_between(to, to_device, from, from_device, bytes, false, NULL));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    return runtime_end(copy_between(to, to_device, from, from_device, bytes, true, stream));
}

/* ---- Variables ----------------------------------------------------------------------------------------- */

cudaError_t runtime_find_bytes(const void *symbol, size_t bytes, size_t offset, void **ret_place)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = registered_variable(symbol, &address, &size);
    if (!error && (offset > size || bytes > size - offset))
        error = CUDA_ERROR_INVALID_VALUE;
    *ret_place = (void *)(uintptr_t)(address + offset);
    return error;
}

static cudaError_t copy_to(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                           bool is_async, cudaStream_t stream)
{
    void *place = NULL;
    cudaError_t error = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost
                            ? (cudaError_t)cudaErrorInvalidMemcpyDirection
                            : runtime_find_bytes(symbol, bytes, offset, &place);
    return error ? error : runtime_copy(place, from, bytes, kind, is_async, stream);
}

static cudaError_t copy_from(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                             bool is_async, cudaStream_t stream)
{
    void *place = NULL;
    cudaError_t error = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice
                            ? (cudaError_t)cudaErrorInvalidMemcpyDirection
                            : runtime_find_bytes(symbol, bytes, offset, &place);
    return error ? error : runtime_copy(to, place, bytes, kind, is_async, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    return runtime_end(copy_to(symbol, from, bytes, offset, kind, false, NULL));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    int kind, cudaStream_t stream)
{
    return runtime_end(copy_to(symbol, from, bytes, offset, kind, true, stream));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return runtime_end(copy_from(to, symbol, bytes, offset, kind, false, NULL));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                      cudaStream_t stream)
{
    return runtime_end(copy_from(to, symbol, bytes, offset, kind, true, stream));
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    void *place = NULL;
    const cudaError_t error =
        address ? runtime_find_bytes(symbol, 0, 0, &place) : (cudaError_t)CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *address = place;
    return runtime_end(error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUdeviceptr address = 0;
    cudaError_t error = bytes ? runtime_begin() : (cudaError_t)CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = registered_variable(symbol, &address, bytes);
    return runtime_end(error);
}
