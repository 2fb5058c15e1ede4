/* Boxes to copy: the driver's descriptors of them, and this API's.
 *
 * Sizes and places in arrays are in texels here, and in bytes there; of other memory they are in bytes in
 * both. */
#include "devices/libcudart/array.h"

enum { HOST = 1, DEVICE, ARRAY, UNIFIED };

/* What the ends are to the driver. NULL: it is an array, which is memory of the device. */
static cudaError_t types_of(const void *to_memory, const void *from_memory, int kind, int *ret_to,
                            int *ret_from)
{
    static const int to[] = {HOST, DEVICE, HOST, DEVICE, UNIFIED},
                     from[] = {HOST, HOST, DEVICE, DEVICE, UNIFIED};
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || (!to_memory && to[kind] == HOST) ||
        (!from_memory && from[kind] == HOST))
        return cudaErrorInvalidMemcpyDirection;
    *ret_to = to_memory ? to[kind] : ARRAY;
    *ret_from = from_memory ? from[kind] : ARRAY;
    return runtime_check_kind(to_memory, from_memory, kind);
}

static void set_ends(void *to, const void *from, CUDA_MEMCPY3D *copy)
{
    if (copy->dstMemoryType == HOST)
        copy->dstHost = to;
    else
        copy->dstDevice = (uintptr_t)to;
    if (copy->srcMemoryType == HOST)
        copy->srcHost = from;
    else
        copy->srcDevice = (uintptr_t)from;
}

cudaError_t row_of(void *to, const void *from, size_t bytes, int kind, CUDA_MEMCPY3D *ret_copy)
{
    *ret_copy =
        (CUDA_MEMCPY3D){.WidthInBytes = bytes, .Height = 1, .Depth = 1, .srcPitch = bytes, .dstPitch = bytes};
    const cudaError_t error = types_of(to, from, kind, &ret_copy->dstMemoryType, &ret_copy->srcMemoryType);
    if (!error)
        set_ends(to, from, ret_copy);
    return error;
}

/* Bytes of the texels that a box with arrays is of; 1: there are none. */
static cudaError_t texel_bytes_of(cudaArray_t to, cudaArray_t from, size_t *ret_bytes)
{
    struct array_size to_size = {.texel_bytes = 1}, from_size = {.texel_bytes = 1};
    cudaError_t error = to ? array_size_of(to, &to_size) : 0;
    if (!error && from)
        error = array_size_of(from, &from_size);
    if (!error && to && from && to_size.texel_bytes != from_size.texel_bytes)
        error = CUDA_ERROR_INVALID_VALUE;
    *ret_bytes = to ? to_size.texel_bytes : from_size.texel_bytes;
    return error;
}

cudaError_t box_of(const cudaMemcpy3DParms *params, CUDA_MEMCPY3D *ret_copy)
{
    size_t texel_bytes;
    if (!params || !params->srcArray == !params->srcPtr.ptr || !params->dstArray == !params->dstPtr.ptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D copy = {.srcXInBytes = params->srcPos.x,
                          .srcY = params->srcPos.y,
                          .srcZ = params->srcPos.z,
                          .srcPitch = params->srcPtr.pitch,
                          .srcHeight = params->srcPtr.ysize,
                          .dstXInBytes = params->dstPos.x,
                          .dstY = params->dstPos.y,
                          .dstZ = params->dstPos.z,
                          .dstPitch = params->dstPtr.pitch,
                          .dstHeight = params->dstPtr.ysize,
                          .Height = params->extent.height,
                          .Depth = params->extent.depth};
    cudaError_t error = types_of(params->dstPtr.ptr, params->srcPtr.ptr, params->kind, &copy.dstMemoryType,
                                 &copy.srcMemoryType);
    if (!error)
        error = texel_bytes_of(params->dstArray, params->srcArray, &texel_bytes);
    if (error)
        return error;
    if (__builtin_mul_overflow(params->extent.width, texel_bytes, &copy.WidthInBytes) ||
        (params->srcArray && __builtin_mul_overflow(copy.srcXInBytes, texel_bytes, &copy.srcXInBytes)) ||
        (params->dstArray && __builtin_mul_overflow(copy.dstXInBytes, texel_bytes, &copy.dstXInBytes)))
        return CUDA_ERROR_INVALID_VALUE;
    if ((copy.srcPitch > 0 && copy.srcPitch < copy.WidthInBytes && !params->srcArray) ||
        (copy.dstPitch > 0 && copy.dstPitch < copy.WidthInBytes && !params->dstArray))
        return cudaErrorInvalidPitchValue;
    set_ends(params->dstPtr.ptr, params->srcPtr.ptr, &copy);
    copy.srcArray = params->srcArray;
    copy.dstArray = params->dstArray;
    *ret_copy = copy;
    return 0;
}

static int kind_of(const CUDA_MEMCPY3D *copy)
{
    if (copy->srcMemoryType == UNIFIED || copy->dstMemoryType == UNIFIED)
        return cudaMemcpyDefault;
    if (copy->srcMemoryType == HOST)
        return copy->dstMemoryType == HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return copy->dstMemoryType == HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t box_from_driver(const CUDA_MEMCPY3D *copy, cudaMemcpy3DParms *ret_params)
{
    const bool is_to_array = copy->dstMemoryType == ARRAY, is_from_array = copy->srcMemoryType == ARRAY;
    size_t texel_bytes;
    const cudaError_t error = texel_bytes_of(is_to_array ? copy->dstArray : NULL,
                                             is_from_array ? copy->srcArray : NULL, &texel_bytes);
    if (error)
        return error;
    cudaMemcpy3DParms params = {
        .extent = {copy->WidthInBytes / texel_bytes, copy->Height, copy->Depth},
        .srcPos = {copy->srcXInBytes / (is_from_array ? texel_bytes : 1), copy->srcY, copy->srcZ},
        .dstPos = {copy->dstXInBytes / (is_to_array ? texel_bytes : 1), copy->dstY, copy->dstZ},
        .kind = kind_of(copy)};
    void *const from =
        copy->srcMemoryType == HOST ? (void *)(uintptr_t)copy->srcHost : (void *)(uintptr_t)copy->srcDevice;
    void *const to = copy->dstMemoryType == HOST ? copy->dstHost : (void *)(uintptr_t)copy->dstDevice;
    if (is_from_array)
        params.srcArray = copy->srcArray;
    else
        params.srcPtr = (cudaPitchedPtr){from, copy->srcPitch, copy->WidthInBytes, copy->srcHeight};
    if (is_to_array)
        params.dstArray = copy->dstArray;
    else
        params.dstPtr = (cudaPitchedPtr){to, copy->dstPitch, copy->WidthInBytes, copy->dstHeight};
    *ret_params = params;
    return 0;
}
