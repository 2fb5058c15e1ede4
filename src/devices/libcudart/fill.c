/* Fills: of bytes in lines, rows and planes. */
#include "devices/libcudart/runtime.h"

/* Rows of `width` bytes, each `pitch` behind the one before. Of none nothing is done. */
struct rows {
    void *address;
    size_t pitch, width, height;
};

static cudaError_t fill(const struct rows *rows, int value, bool is_async, cudaStream_t stream)
{
    const CUdeviceptr to = (uintptr_t)rows->address;
    const unsigned char byte = (unsigned char)value;
    cudaError_t error = runtime_begin();
    if (error || rows->width == 0 || rows->height == 0)
        return error;
    if (rows->height == 1 || rows->pitch == rows->width)
        return is_async ? cuMemsetD8Async(to, byte, rows->width * rows->height, stream)
                        : cuMemsetD8_v2(to, byte, rows->width * rows->height);
    if (rows->pitch < rows->width)
        return cudaErrorInvalidPitchValue;
    return is_async ? cuMemsetD2D8Async(to, rows->pitch, byte, rows->width, rows->height, stream)
                    : cuMemsetD2D8_v2(to, rows->pitch, byte, rows->width, rows->height);
}

/* Planes of rows; the memory has ysize rows in each. */
static cudaError_t fill_planes(const cudaPitchedPtr *memory, int value, const cudaExtent *extent,
                               bool is_async, cudaStream_t stream)
{
    const size_t slice = memory->pitch * memory->ysize;
    cudaError_t error = CUDA_SUCCESS;
    if (extent->height > memory->ysize && extent->depth > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (extent->height == memory->ysize) {
        const struct rows rows = {memory->ptr, memory->pitch, extent->width, extent->height * extent->depth};
        return fill(&rows, value, is_async, stream);
    }
    for (size_t z = 0; z < extent->depth && !error; z++) {
        const struct rows rows = {(char *)memory->ptr + z * slice, memory->pitch, extent->width,
                                  extent->height};
        error = fill(&rows, value, is_async, stream);
    }
    return error;
}

cudaError_t cudaMemset(void *address, int value, size_t bytes)
{
    return runtime_end(fill(&(const struct rows){address, bytes, bytes, 1}, value, false, NULL));
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream)
{
    return runtime_end(fill(&(const struct rows){address, bytes, bytes, 1}, value, true, stream));
}

cudaError_t cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height)
{
    return runtime_end(fill(&(const struct rows){address, pitch, width, height}, value, false, NULL));
}

cudaError_t cudaMemset2DAsync(void *address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return runtime_end(fill(&(const struct rows){address, pitch, width, height}, value, true, stream));
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent)
{
    return runtime_end(fill_planes(&memory, value, &extent, false, NULL));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream)
{
    return runtime_end(fill_planes(&memory, value, &extent, true, stream));
}
