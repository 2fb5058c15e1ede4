/* Arrays from the inside, and the descriptors by which kernels read and write them. */
#pragma once

#include "devices/libcuda/work.h"

/* What kernels are given the address of (docs/ptx.md, "Textures"). */
struct texture_descriptor {
    uint64_t data;
    uint32_t width, height, depth, layers;
    uint32_t row_bytes, texel_bytes;
    uint64_t slice_bytes;
    uint32_t type, order, channels, sampler;
    uint64_t unused;
    float border[4];
};

/* Texels of a format: their bytes, and their type as OpenCL numbers it, read as they are and, where they are
 * integers of 8 or 16 bits, as floats from 0 or -1 to 1. */
struct texel_kind {
    uint32_t bytes, channels, type, normalized_type;
};
/* CUDA_ERROR_INVALID_VALUE for a format that is none or that has another number of channels. */
CUresult texel_kind_of(int format, unsigned channels, struct texel_kind *ret_kind);

/* Rows lie one behind the other, without bytes between them, and slices or layers likewise. */
struct CUarray_st {
    CUDA_ARRAY3D_DESCRIPTOR given;
    struct texel_kind kind;
    size_t width, height, depth, layers; /* 1 where it has no such size; layers: 0 when it has none */
    size_t row_bytes, slice_bytes, bytes;
    CUdeviceptr address;
    bool is_level; /* of a mipmapped array, which it belongs to */
};
struct CUmipmappedArray_st {
    unsigned count;
    CUarray levels[32];
};
/* All but the sampler of a descriptor. */
struct texture_descriptor array_describe(const struct CUarray_st *array);
/* What kernels are to read of the resource by the texture; the view may be NULL. What is not available is
 * also named on standard error: CUDA_ERROR_NOT_SUPPORTED. */
CUresult texture_describe(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                          const CUDA_RESOURCE_VIEW_DESC *view, struct texture_descriptor *ret_descriptor);
/* Likewise of a surface: the array must have been made for one. */
CUresult surface_describe(CUarray array, struct texture_descriptor *ret_descriptor);
/* Frees the references to textures and surfaces that a module has given. */
void references_free(CUmodule module);
