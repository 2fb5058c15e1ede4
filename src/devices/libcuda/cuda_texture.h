/* Arrays, textures and surfaces of the driver API: types and numbers from its public documentation, and the
 * functions. */
#pragma once

#include "devices/libcuda/cuda_types.h"

typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef uint64_t CUtexObject, CUsurfObject;

/* CUarray_format */
enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    CU_AD_FORMAT_SIGNED_INT8 = 0x08,
    CU_AD_FORMAT_SIGNED_INT16 = 0x09,
    CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    CU_AD_FORMAT_HALF = 0x10,
    CU_AD_FORMAT_FLOAT = 0x20,
    CU_AD_FORMAT_UNORM_INT8X1 = 0xc0, /* X2, X4, then those of 16 bits, then signed ones: 12 in a row */
    CU_AD_FORMAT_SNORM_INT16X4 = 0xcb
};
/* Flags of CUDA_ARRAY3D_DESCRIPTOR. */
enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
    size_t size, alignment;
    unsigned reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;

/* CUresourcetype, CUaddress_mode, CUfilter_mode; flags of CUDA_TEXTURE_DESC. */
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCH2D };
enum { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum { FILTER_POINT, FILTER_LINEAR };
enum { TEXTURE_AS_INTEGER = 1, TEXTURE_NORMALIZED = 2, TEXTURE_SRGB = 0x10, TEXTURE_SEAMLESS = 0x40 };
#define TEXTURE_FLAGS 0x73u /* and 0x20, which says how a GPU may filter between levels */

typedef struct CUDA_RESOURCE_DESC {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC {
    int format; /* CUresourceViewFormat */
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

#define CUDA_ARRAY_FUNCTIONS(X)                                                                              \
    X(cuArrayCreate_v2, CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted)                                 \
    X(cuArrayGetDescriptor_v2, CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)                             \
    X(cuArrayDestroy, CUarray array)                                                                         \
    X(cuArray3DCreate_v2, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted)                             \
    X(cuArray3DGetDescriptor_v2, CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)                         \
    X(cuArrayGetMemoryRequirements, CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUarray array, CUdevice device)   \
    X(cuMipmappedArrayCreate, CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *wanted,               \
      unsigned levels)                                                                                       \
    X(cuMipmappedArrayGetLevel, CUarray *array, CUmipmappedArray mipmap, unsigned level)                     \
    X(cuMipmappedArrayDestroy, CUmipmappedArray mipmap)                                                      \
    X(cuMemcpyDtoA_v2, CUarray to, size_t offset, CUdeviceptr from, size_t bytes)                            \
    X(cuMemcpyAtoD_v2, CUdeviceptr to, CUarray from, size_t offset, size_t bytes)                            \
    X(cuMemcpyHtoA_v2, CUarray to, size_t offset, const void *from, size_t bytes)                            \
    X(cuMemcpyAtoH_v2, void *to, CUarray from, size_t offset, size_t bytes)                                  \
    X(cuMemcpyAtoA_v2, CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)         \
    X(cuMemcpyHtoAAsync_v2, CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)      \
    X(cuMemcpyAtoHAsync_v2, void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
#define CUDA_TEXTURE_FUNCTIONS(X)                                                                            \
    X(cuTexObjectCreate, CUtexObject *object, const CUDA_RESOURCE_DESC *resource,                            \
      const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)                                 \
    X(cuTexObjectDestroy, CUtexObject object)                                                                \
    X(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC *resource, CUtexObject object)                          \
    X(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC *texture, CUtexObject object)                             \
    X(cuTexObjectGetResourceViewDesc, CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)                     \
    X(cuSurfObjectCreate, CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)                          \
    X(cuSurfObjectDestroy, CUsurfObject object)                                                              \
    X(cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC *resource, CUsurfObject object)                        \
    X(cuDeviceGetTexture1DLinearMaxWidth, size_t *width, int format, unsigned channels, CUdevice device)     \
    X(cuModuleGetTexRef, CUtexref *texture, CUmodule module, const char *name)                               \
    X(cuModuleGetSurfRef, CUsurfref *surface, CUmodule module, const char *name)                             \
    X(cuTexRefCreate, CUtexref *texture)                                                                     \
    X(cuTexRefDestroy, CUtexref texture)                                                                     \
    X(cuTexRefSetArray, CUtexref texture, CUarray array, unsigned flags)                                     \
    X(cuTexRefSetAddress_v2, size_t *offset, CUtexref texture, CUdeviceptr address, size_t bytes)            \
    X(cuTexRefSetAddress2D_v3, CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *layout, CUdeviceptr address,   \
      size_t pitch)                                                                                          \
    X(cuTexRefSetFormat, CUtexref texture, int format, int channels)                                         \
    X(cuTexRefSetAddressMode, CUtexref texture, int dimension, int mode)                                     \
    X(cuTexRefSetFilterMode, CUtexref texture, int mode)                                                     \
    X(cuTexRefSetMaxAnisotropy, CUtexref texture, unsigned most)                                             \
    X(cuTexRefSetBorderColor, CUtexref texture, float *color)                                                \
    X(cuTexRefSetFlags, CUtexref texture, unsigned flags)                                                    \
    X(cuTexRefGetAddress_v2, CUdeviceptr *address, CUtexref texture)                                         \
    X(cuTexRefGetArray, CUarray *array, CUtexref texture)                                                    \
    X(cuTexRefGetAddressMode, int *mode, CUtexref texture, int dimension)                                    \
    X(cuTexRefGetFilterMode, int *mode, CUtexref texture)                                                    \
    X(cuTexRefGetFormat, int *format, int *channels, CUtexref texture)                                       \
    X(cuTexRefGetMaxAnisotropy, int *most, CUtexref texture)                                                 \
    X(cuTexRefGetBorderColor, float *color, CUtexref texture)                                                \
    X(cuTexRefGetFlags, unsigned *flags, CUtexref texture)                                                   \
    X(cuSurfRefSetArray, CUsurfref surface, CUarray array, unsigned flags)                                   \
    X(cuSurfRefGetArray, CUarray *array, CUsurfref surface)
