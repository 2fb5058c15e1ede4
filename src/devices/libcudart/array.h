/* What arrays, copies, textures and nodes of graphs share. */
#pragma once

#include "devices/libcudart/runtime.h"

/* Formats of texels and the driver's; cudaErrorInvalidChannelDescriptor: there is no such one. */
cudaError_t format_to_driver(const cudaChannelFormatDesc *format, int *ret_format, unsigned *ret_channels);
cudaChannelFormatDesc format_from_driver(int format, unsigned channels);

/* An array: bytes of one texel and of one row, and rows of one slice. */
struct array_size {
    size_t texel_bytes, row_bytes, rows;
};
cudaError_t array_size_of(cudaArray_t array, struct array_size *ret_size);

/* A copy of a box as the driver takes it. */
cudaError_t box_of(const cudaMemcpy3DParms *params, CUDA_MEMCPY3D *ret_copy);
/* ... and as programs have it. */
cudaError_t box_from_driver(const CUDA_MEMCPY3D *copy, cudaMemcpy3DParms *ret_params);
/* A copy of one row, of a kind of cudaMemcpyKind; NULL: that end is an array, which the caller puts in. */
cudaError_t row_of(void *to, const void *from, size_t bytes, int kind, CUDA_MEMCPY3D *ret_copy);
