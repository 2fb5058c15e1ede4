/* Copies of rows and boxes, and of arrays.
 *
 * A copy in two dimensions is one in three with a depth of 1. */
#include "devices/libcudart/array.h"

static cudaError_t do_copy(const CUDA_MEMCPY3D *copy, bool is_async, cudaStream_t stream)
{
    return (cudaError_t)(is_async ? cuMemcpy3DAsync_v2(copy, stream) : cuMemcpy3D_v2(copy));
}

static cudaError_t copy_box(const cudaMemcpy3DParms *params, bool is_async, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_begin();
    if (!error)
        error = box_of(params, &copy);
    if (!error)
        error = do_copy(&copy, is_async, stream);
    return runtime_end(error);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params)
{
    return copy_box(params, false, NULL);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, cudaStream_t stream)
{
    return copy_box(params, true, stream);
}

/* ---- Between devices ----------------------------------------------------------------------------------- */

/* They share one memory. */
static cudaError_t copy_between(const cudaMemcpy3DPeerParms *params, bool is_async, cudaStream_t stream)
{
    int count = 0;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuDeviceGetCount(&count);
    if (!error && !params)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && (params->srcDevice < 0 || params->srcDevice >= count || params->dstDevice < 0 ||
                   params->dstDevice >= count))
        error = CUDA_ERROR_INVALID_DEVICE;
    if (error)
        return runtime_end(error);
    const cudaMemcpy3DParms box = {.srcArray = params->srcArray,
                                   .srcPos = params->srcPos,
                                   .srcPtr = params->srcPtr,
                                   .dstArray = params->dstArray,
                                   .dstPos = params->dstPos,
                                   .dstPtr = params->dstPtr,
                                   .extent = params->extent,
                                   .kind = cudaMemcpyDefault};
    return copy_box(&box, is_async, stream);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *params)
{
    return copy_between(params, false, NULL);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *params, cudaStream_t stream)
{
    return copy_between(params, true, stream);
}

/* ---- Two dimensions ------------------------------------------------------------------------------------ */

/* One end of a copy: an array, at a byte of a row; or memory with rows of `row_bytes`. */
struct place {
    bool is_array;
    cudaArray_t array;
    size_t x, y;
    void *memory;
    size_t row_bytes;
};

static bool is_missing(const struct place *place)
{
    return !place->is_array && !place->memory;
}

/* The copy of a row of these ends, which may have more rows than one. */
static cudaError_t copy_of_places(const struct place *to, const struct place *from, size_t width, int kind,
                                  CUDA_MEMCPY3D *ret_copy)
{
    const cudaError_t error = row_of(to->memory, from->memory, width, kind, ret_copy);
    ret_copy->dstXInBytes = to->x;
    ret_copy->dstY = to->y;
    ret_copy->dstPitch = to->row_bytes;
    ret_copy->srcXInBytes = from->x;
    ret_copy->srcY = from->y;
    ret_copy->srcPitch = from->row_bytes;
    ret_copy->dstArray = to->array;
    ret_copy->srcArray = from->array;
    return error;
}

static cudaError_t copy_rows(struct place to, struct place from, size_t width, size_t height, int kind,
                             bool is_async, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_begin();
    if (!error && ((to.is_array && !to.array) || (from.is_array && !from.array)))
        error = CUDA_ERROR_INVALID_HANDLE;
    if (!error && (is_missing(&to) || is_missing(&from)))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && ((!to.array && to.row_bytes < width) || (!from.array && from.row_bytes < width)))
        error = cudaErrorInvalidPitchValue;
    if (!error)
        error = copy_of_places(&to, &from, width, kind, &copy);
    if (!error) {
        copy.Height = height;
        error = do_copy(&copy, is_async, stream);
    }
    return runtime_end(error);
}

static struct place in_memory(const void *memory, size_t pitch)
{
    return (struct place){.memory = (void *)(uintptr_t)memory, .row_bytes = pitch};
}
static struct place in_array(cudaArray_t array, size_t x, size_t y)
{
    return (struct place){.is_array = true, .array = array, .x = x, .y = y};
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, int kind)
{
    return copy_rows(in_memory(to, to_pitch), in_memory(from, from_pitch), width, height, kind, false, NULL);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, int kind, cudaStream_t stream)
{
    return copy_rows(in_memory(to, to_pitch), in_memory(from, from_pitch), width, height, kind, true, stream);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, int kind)
{
    return copy_rows(in_array(to, x, y), in_memory(from, pitch), width, height, kind, false, NULL);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, int kind, cudaStream_t stream)
{
    return copy_rows(in_array(to, x, y), in_memory(from, pitch), width, height, kind, true, stream);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                                  size_t height, int kind)
{
    return copy_rows(in_memory(to, pitch), in_array(from, x, y), width, height, kind, false, NULL);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
                                       size_t width, size_t height, int kind, cudaStream_t stream)
{
    return copy_rows(in_memory(to, pitch), in_array(from, x, y), width, height, kind, true, stream);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
    return copy_rows(in_array(to, to_x, to_y), in_array(from, from_x, from_y), width, height, kind, false,
                     NULL);
}

/* ---- Bytes of arrays, row behind row ------------------------------------------------------------------- */

static cudaError_t check_bytes(struct place *place, size_t bytes)
{
    struct array_size size;
    const cudaError_t error = place->is_array ? array_size_of(place->array, &size) : 0;
    if (error || !place->is_array)
        return error;
    place->row_bytes = size.row_bytes;
    if (place->x >= size.row_bytes || place->y >= size.rows ||
        bytes > (size.rows - place->y) * size.row_bytes - place->x)
        return CUDA_ERROR_INVALID_VALUE;
    return 0;
}

static size_t left_in_row(const struct place *place, size_t bytes)
{
    const size_t left = place->row_bytes - place->x;
    return !place->array || bytes < left ? bytes : left;
}

static void advance(struct place *place, size_t bytes)
{
    if (!place->array) {
        place->memory = (char *)place->memory + bytes;
        return;
    }
    place->x += bytes;
    if (place->x == place->row_bytes) {
        place->x = 0;
        place->y++;
    }
}

/* Stretch by stretch that is in one row of both. */
static cudaError_t copy_bytes(struct place to, struct place from, size_t bytes, int kind, bool is_async,
                              cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (!error && (is_missing(&to) || is_missing(&from)))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = check_bytes(&to, bytes);
    if (!error)
        error = check_bytes(&from, bytes);
    while (!error && bytes > 0) {
        CUDA_MEMCPY3D copy;
        const size_t now = left_in_row(&to, left_in_row(&from, bytes));
        error = copy_of_places(&to, &from, now, kind, &copy);
        if (!error)
            error = do_copy(&copy, is_async, stream);
        advance(&to, now);
        advance(&from, now);
        bytes -= now;
    }
    return runtime_end(error);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return copy_bytes(in_array(to, x, y), in_memory(from, 0), bytes, kind, false, NULL);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   int kind, cudaStream_t stream)
{
    return copy_bytes(in_array(to, x, y), in_memory(from, 0), bytes, kind, true, stream);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind)
{
    return copy_bytes(in_memory(to, 0), in_array(from, x, y), bytes, kind, false, NULL);
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t stream)
{
    return copy_bytes(in_memory(to, 0), in_array(from, x, y), bytes, kind, true, stream);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
                                   size_t from_y, size_t bytes, int kind)
{
    return copy_bytes(in_array(to, to_x, to_y), in_array(from, from_x, from_y), bytes, kind, false, NULL);
}
