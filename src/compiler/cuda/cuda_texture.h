/* Textures and surfaces: types, and what host programs call. What kernels call is in cuda_texture_fetch.h. */
#pragma once

#include "cuda_types.h"

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
#define cudaTextureType1D         0x01
#define cudaTextureType2D         0x02
#define cudaTextureType3D         0x03
#define cudaTextureTypeCubemap    0x0c
#define cudaTextureType1DLayered  0xf1
#define cudaTextureType2DLayered  0xf2
#define cudaSurfaceType1D         0x01
#define cudaSurfaceType2D         0x02
#define cudaSurfaceType3D         0x03
#define cudaArrayDefault          0u
#define cudaArrayLayered          1u
#define cudaArraySurfaceLoadStore 2u
#define cudaArrayCubemap          4u
#define cudaArrayTextureGather    8u

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
};
template <typename __T, int Dimensions = cudaTextureType1D,
          cudaTextureReadMode Mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
};
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};
template <typename __T, int Dimensions = 1>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height = 0, unsigned int flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags = 0);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned int levels, unsigned int flags = 0);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned int level);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t x, size_t y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream = 0);
cudaError_t cudaGetTextureReference(const struct textureReference **reference, const void *texture);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *at,
                            const struct cudaChannelFormatDesc *format, size_t bytes = (size_t)-1);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *at,
                              const struct cudaChannelFormatDesc *format, size_t width, size_t height,
                              size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *format);
cudaError_t cudaUnbindTexture(const struct textureReference *texture);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
}
template <typename __T> struct cudaChannelFormatDesc cudaCreateChannelDesc();
template <typename Texture>
cudaError_t cudaBindTexture(size_t *offset, const Texture &texture, const void *at,
                            size_t bytes = (size_t)-1);
template <typename Texture>
cudaError_t cudaBindTexture(size_t *offset, const Texture &texture, const void *at,
                            const struct cudaChannelFormatDesc &format, size_t bytes = (size_t)-1);
template <typename Texture>
cudaError_t cudaBindTexture2D(size_t *offset, const Texture &texture, const void *at, size_t width,
                              size_t height, size_t pitch);
template <typename Texture>
cudaError_t cudaBindTexture2D(size_t *offset, const Texture &texture, const void *at,
                              const struct cudaChannelFormatDesc &format, size_t width, size_t height,
                              size_t pitch);
template <typename Texture>
cudaError_t cudaBindTextureToArray(const Texture &texture, cudaArray_const_t array);
template <typename Texture>
cudaError_t cudaBindTextureToArray(const Texture &texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc &format);
template <typename Texture> cudaError_t cudaUnbindTexture(const Texture &texture);
template <typename Texture> cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const Texture &texture);
template <typename Surface>
cudaError_t cudaBindSurfaceToArray(const Surface &surface, cudaArray_const_t array);

/* What a fetch gives: the element, or floats in its place. */
template <typename __T, int Mode> struct __hexec_texel {
    typedef __T type;
};
template <> struct __hexec_texel<char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __hexec_texel<signed char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __hexec_texel<unsigned char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __hexec_texel<short, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __hexec_texel<unsigned short, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __hexec_texel<char1, cudaReadModeNormalizedFloat> {
    typedef float1 type;
};
template <> struct __hexec_texel<char2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __hexec_texel<char4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __hexec_texel<uchar1, cudaReadModeNormalizedFloat> {
    typedef float1 type;
};
template <> struct __hexec_texel<uchar2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __hexec_texel<uchar4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __hexec_texel<short1, cudaReadModeNormalizedFloat> {
    typedef float1 type;
};
template <> struct __hexec_texel<short2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __hexec_texel<short4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __hexec_texel<ushort1, cudaReadModeNormalizedFloat> {
    typedef float1 type;
};
template <> struct __hexec_texel<ushort2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __hexec_texel<ushort4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
#include "cuda_texture_fetch.h"
