/* The runtime API: arrays, copies of rows, boxes and arrays, textures and surfaces. */
#pragma once

#include "devices/libcudart/cudart_types.h"

/* Bits of each channel; f: what they are, of cudaChannelFormatKind. */
typedef struct cudaChannelFormatDesc {
    int x, y, z, w, f;
} cudaChannelFormatDesc;
enum {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindUnsignedNormalized8X1 = 5, /* the others in the driver's order: 12 in a row */
    cudaChannelFormatKindSignedNormalized16X4 = 16
};
typedef struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    int kind;
} cudaMemcpy3DParms;
typedef struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef struct cudaResourceDesc {
    int resType; /* numbers of the driver's */
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res; /* CUDA 13 has room for more in it, and flags behind it: only its functions may write them */
} cudaResourceDesc;
typedef struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

/* ... whose result is no error. */
__attribute__((visibility("default"))) cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                                   int kind);

#define CUDART_ARRAY_MAKE_FUNCTIONS(X)                                                                       \
    X(cudaMallocArray, cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height, \
      unsigned flags)                                                                                        \
    X(cudaMalloc3DArray, cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,         \
      unsigned flags)                                                                                        \
    X(cudaFreeArray, cudaArray_t array)                                                                      \
    X(cudaMallocMipmappedArray, cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,           \
      cudaExtent extent, unsigned levels, unsigned flags)                                                    \
    X(cudaGetMipmappedArrayLevel, cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned level)           \
    X(cudaFreeMipmappedArray, cudaMipmappedArray_t mipmap)                                                   \
    X(cudaArrayGetInfo, cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,                  \
      cudaArray_t array)                                                                                     \
    X(cudaGetChannelDesc, cudaChannelFormatDesc *format, cudaArray_t array)                                  \
    X(cudaArrayGetMemoryRequirements, CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, cudaArray_t array, int device)  \
    X(cudaMipmappedArrayGetMemoryRequirements, CUDA_ARRAY_MEMORY_REQUIREMENTS *needs,                        \
      cudaMipmappedArray_t mipmap, int device)                                                               \
    X(cudaArrayGetPlane, cudaArray_t *plane, cudaArray_t array, unsigned number)                             \
    X(cudaArrayGetSparseProperties, void *properties, cudaArray_t array)                                     \
    X(cudaMipmappedArrayGetSparseProperties, void *properties, cudaMipmappedArray_t mipmap)
#define CUDART_BOX_COPY_FUNCTIONS(X)                                                                         \
    X(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,            \
      size_t height, int kind)                                                                               \
    X(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,       \
      size_t height, int kind, cudaStream_t stream)                                                          \
    X(cudaMemcpy2DToArray, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, \
      size_t height, int kind)                                                                               \
    X(cudaMemcpy2DToArrayAsync, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,          \
      size_t width, size_t height, int kind, cudaStream_t stream)                                            \
    X(cudaMemcpy2DFromArray, void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,     \
      size_t height, int kind)                                                                               \
    X(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,              \
      size_t width, size_t height, int kind, cudaStream_t stream)                                            \
    X(cudaMemcpy2DArrayToArray, cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,   \
      size_t from_y, size_t width, size_t height, int kind)                                                  \
    X(cudaMemcpy3D, const cudaMemcpy3DParms *params)                                                         \
    X(cudaMemcpy3DAsync, const cudaMemcpy3DParms *params, cudaStream_t stream)                               \
    X(cudaMemcpy3DPeer, const cudaMemcpy3DPeerParms *params)                                                 \
    X(cudaMemcpy3DPeerAsync, const cudaMemcpy3DPeerParms *params, cudaStream_t stream)                       \
    X(cudaMemcpyToArray, cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind)       \
    X(cudaMemcpyToArrayAsync, cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind,  \
      cudaStream_t stream)                                                                                   \
    X(cudaMemcpyFromArray, void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind)           \
    X(cudaMemcpyFromArrayAsync, void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind,      \
      cudaStream_t stream)                                                                                   \
    X(cudaMemcpyArrayToArray, cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,     \
      size_t from_y, size_t bytes, int kind)
#define CUDART_TEXTURE_FUNCTIONS(X)                                                                          \
    X(cudaCreateTextureObject, cudaTextureObject_t *object, const cudaResourceDesc *resource,                \
      const cudaTextureDesc *texture, const CUDA_RESOURCE_VIEW_DESC *view)                                   \
    X(cudaDestroyTextureObject, cudaTextureObject_t object)                                                  \
    X(cudaGetTextureObjectResourceDesc, cudaResourceDesc *resource, cudaTextureObject_t object)              \
    X(cudaGetTextureObjectTextureDesc, cudaTextureDesc *texture, cudaTextureObject_t object)                 \
    X(cudaGetTextureObjectResourceViewDesc, CUDA_RESOURCE_VIEW_DESC *view, cudaTextureObject_t object)       \
    X(cudaCreateSurfaceObject, cudaSurfaceObject_t *object, const cudaResourceDesc *resource)                \
    X(cudaDestroySurfaceObject, cudaSurfaceObject_t object)                                                  \
    X(cudaGetSurfaceObjectResourceDesc, cudaResourceDesc *resource, cudaSurfaceObject_t object)
#define CUDART_ARRAY_FUNCTIONS(X)                                                                            \
    X(cudaDeviceGetTexture1DLinearMaxWidth, size_t *width, const cudaChannelFormatDesc *format, int device)  \
    CUDART_ARRAY_MAKE_FUNCTIONS(X)                                                                           \
    CUDART_BOX_COPY_FUNCTIONS(X)                                                                             \
    CUDART_TEXTURE_FUNCTIONS(X)
