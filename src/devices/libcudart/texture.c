/* Texture and surface objects: the driver's, with this API's descriptors. */
#include "devices/libcudart/texture.h"

#include "devices/libcudart/array.h"

#include <string.h>

enum { UNFILTERED_LEVELS = 0x20 }; /* a GPU may then not save work between levels */
enum { READ_ELEMENTS, READ_NORMALIZED };

/* ---- What a texture is of ------------------------------------------------------------------------------ */

static cudaError_t resource_to_driver(const cudaResourceDesc *resource, CUDA_RESOURCE_DESC *ret_resource)
{
    if (!resource)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC made = {.resType = resource->resType};
    cudaError_t error = 0;
    switch (resource->resType) {
    case RESOURCE_ARRAY:
        made.res.array.hArray = resource->res.array.array;
        break;
    case RESOURCE_MIPMAPPED_ARRAY:
        made.res.mipmap.hMipmappedArray = resource->res.mipmap.mipmap;
        break;
    case RESOURCE_LINEAR:
        made.res.linear.devPtr = (uintptr_t)resource->res.linear.devPtr;
        made.res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
        error = format_to_driver(&resource->res.linear.desc, &made.res.linear.format,
                                 &made.res.linear.numChannels);
        break;
    case RESOURCE_PITCH2D:
        made.res.pitch2D.devPtr = (uintptr_t)resource->res.pitch2D.devPtr;
        made.res.pitch2D.width = resource->res.pitch2D.width;
        made.res.pitch2D.height = resource->res.pitch2D.height;
        made.res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
        error = format_to_driver(&resource->res.pitch2D.desc, &made.res.pitch2D.format,
                                 &made.res.pitch2D.numChannels);
        break;
    default:
        error = CUDA_ERROR_INVALID_VALUE;
    }
    *ret_resource = made;
    return error;
}

static void resource_from_driver(const CUDA_RESOURCE_DESC *is, cudaResourceDesc *ret_resource)
{
    cudaResourceDesc made;
    memset(&made, 0, sizeof made);
    made.resType = is->resType;
    switch (is->resType) {
    case RESOURCE_ARRAY:
        made.res.array.array = is->res.array.hArray;
        break;
    case RESOURCE_MIPMAPPED_ARRAY:
        made.res.mipmap.mipmap = is->res.mipmap.hMipmappedArray;
        break;
    case RESOURCE_LINEAR:
        made.res.linear.devPtr = (void *)(uintptr_t)is->res.linear.devPtr;
        made.res.linear.sizeInBytes = is->res.linear.sizeInBytes;
        made.res.linear.desc = format_from_driver(is->res.linear.format, is->res.linear.numChannels);
        break;
    default:
        made.res.pitch2D.devPtr = (void *)(uintptr_t)is->res.pitch2D.devPtr;
        made.res.pitch2D.width = is->res.pitch2D.width;
        made.res.pitch2D.height = is->res.pitch2D.height;
        made.res.pitch2D.pitchInBytes = is->res.pitch2D.pitchInBytes;
        made.res.pitch2D.desc = format_from_driver(is->res.pitch2D.format, is->res.pitch2D.numChannels);
    }
    *ret_resource = made;
    resource_finish(ret_resource);
}

/* ---- How it is read ------------------------------------------------------------------------------------ */

static cudaError_t texture_to_driver(const cudaTextureDesc *texture, CUDA_TEXTURE_DESC *ret_texture)
{
    if (!texture || texture->readMode < READ_ELEMENTS || texture->readMode > READ_NORMALIZED)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_TEXTURE_DESC made = {.filterMode = texture->filterMode,
                              .maxAnisotropy = texture->maxAnisotropy,
                              .mipmapFilterMode = texture->mipmapFilterMode,
                              .mipmapLevelBias = texture->mipmapLevelBias,
                              .minMipmapLevelClamp = texture->minMipmapLevelClamp,
                              .maxMipmapLevelClamp = texture->maxMipmapLevelClamp};
    made.flags = (texture->readMode == READ_ELEMENTS ? TEXTURE_AS_INTEGER : 0) |
                 (texture->normalizedCoords ? TEXTURE_NORMALIZED : 0) | (texture->sRGB ? TEXTURE_SRGB : 0) |
                 (texture->disableTrilinearOptimization ? UNFILTERED_LEVELS : 0) |
                 (texture->seamlessCubemap ? TEXTURE_SEAMLESS : 0);
    memcpy(made.addressMode, texture->addressMode, sizeof made.addressMode);
    memcpy(made.borderColor, texture->borderColor, sizeof made.borderColor);
    *ret_texture = made;
    return 0;
}

static cudaTextureDesc texture_from_driver(const CUDA_TEXTURE_DESC *is)
{
    cudaTextureDesc made = {.filterMode = is->filterMode,
                            .readMode = is->flags & TEXTURE_AS_INTEGER ? READ_ELEMENTS : READ_NORMALIZED,
                            .sRGB = (is->flags & TEXTURE_SRGB) != 0,
                            .normalizedCoords = (is->flags & TEXTURE_NORMALIZED) != 0,
                            .maxAnisotropy = is->maxAnisotropy,
                            .mipmapFilterMode = is->mipmapFilterMode,
                            .mipmapLevelBias = is->mipmapLevelBias,
                            .minMipmapLevelClamp = is->minMipmapLevelClamp,
                            .maxMipmapLevelClamp = is->maxMipmapLevelClamp,
                            .disableTrilinearOptimization = (is->flags & UNFILTERED_LEVELS) != 0,
                            .seamlessCubemap = (is->flags & TEXTURE_SEAMLESS) != 0};
    memcpy(made.addressMode, is->addressMode, sizeof made.addressMode);
    memcpy(made.borderColor, is->borderColor, sizeof made.borderColor);
    return made;
}

/* ---- Textures ------------------------------------------------------------------------------------------ */

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUDA_RESOURCE_DESC of;
    CUDA_TEXTURE_DESC by;
    cudaError_t error = runtime_begin();
    if (!error)
        error = resource_to_driver(resource, &of);
    if (!error)
        error = texture_to_driver(texture, &by);
    if (!error)
        error = cuTexObjectCreate(object, &of, &by, view);
    return runtime_end(error);
}
/* No object is nothing to destroy. */
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    cudaError_t error = runtime_begin();
    if (!error && object)
        error = cuTexObjectDestroy(object);
    return runtime_end(error);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object)
{
    CUDA_RESOURCE_DESC is;
    cudaError_t error = runtime_begin();
    if (!error)
        error = resource ? (cudaError_t)cuTexObjectGetResourceDesc(&is, object) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        resource_from_driver(&is, resource);
    return runtime_end(error);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *texture, cudaTextureObject_t object)
{
    CUDA_TEXTURE_DESC is;
    cudaError_t error = runtime_begin();
    if (!error)
        error = texture ? (cudaError_t)cuTexObjectGetTextureDesc(&is, object) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *texture = texture_from_driver(&is);
    return runtime_end(error);
}
cudaError_t cudaGetTextureObjectResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, cudaTextureObject_t object)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuTexObjectGetResourceViewDesc(view, object);
    return runtime_end(error);
}

/* ---- Surfaces ------------------------------------------------------------------------------------------ */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource)
{
    CUDA_RESOURCE_DESC of;
    cudaError_t error = runtime_begin();
    if (!error)
        error = resource_to_driver(resource, &of);
    if (!error)
        error = cuSurfObjectCreate(object, &of);
    return runtime_end(error);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    cudaError_t error = runtime_begin();
    if (!error && object)
        error = cuSurfObjectDestroy(object);
    return runtime_end(error);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
    CUDA_RESOURCE_DESC is;
    cudaError_t error = runtime_begin();
    if (!error)
        error = resource ? (cudaError_t)cuSurfObjectGetResourceDesc(&is, object) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        resource_from_driver(&is, resource);
    return runtime_end(error);
}
