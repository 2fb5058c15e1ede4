/* Texture and surface objects.
 *
 * The handle that kernels are given is the address of a descriptor, a buffer of its own. The device library
 * (src/ptx/library/images.cl) has what they do with it. */
#include "devices/libcuda/array.h"

#include "devices/cuda/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A texture or a surface that was made; its handle is the address of its descriptor. */
struct object {
    struct object *next;
    hx_buffer *descriptor;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool is_surface, has_view;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects; /* guarded by lock */

static CUresult refuse(const char *what)
{
    fprintf(stderr, "hexec: %s\n", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- What a texture is of ------------------------------------------------------------------------------ */

#define LINEAR_WIDTH ((size_t)1 << 28)
enum { PITCH_WIDTH = 131072, PITCH_HEIGHT = 65000, PITCH_MOST = 2097120, PITCH_UNIT = 32, ALIGNMENT = 256 };

static CUresult describe_linear(const CUDA_RESOURCE_DESC *resource, struct CUarray_st *ret_array)
{
    struct CUarray_st array = {.address = resource->res.linear.devPtr, .height = 1, .depth = 1};
    const CUresult error =
        texel_kind_of(resource->res.linear.format, resource->res.linear.numChannels, &array.kind);
    if (error != CUDA_SUCCESS)
        return error;
    array.width = resource->res.linear.sizeInBytes / array.kind.bytes;
    array.row_bytes = array.width * array.kind.bytes;
    if (!array.address || array.address % ALIGNMENT != 0 || array.width == 0 || array.width > LINEAR_WIDTH)
        return CUDA_ERROR_INVALID_VALUE;
    *ret_array = array;
    return CUDA_SUCCESS;
}

static CUresult describe_rows(const CUDA_RESOURCE_DESC *resource, struct CUarray_st *ret_array)
{
    struct CUarray_st array = {.address = resource->res.pitch2D.devPtr,
                               .width = resource->res.pitch2D.width,
                               .height = resource->res.pitch2D.height,
                               .depth = 1,
                               .row_bytes = resource->res.pitch2D.pitchInBytes};
    const CUresult error =
        texel_kind_of(resource->res.pitch2D.format, resource->res.pitch2D.numChannels, &array.kind);
    if (error != CUDA_SUCCESS)
        return error;
    if (!array.address || array.address % ALIGNMENT != 0 || array.width == 0 || array.width > PITCH_WIDTH ||
        array.height == 0 || array.height > PITCH_HEIGHT || array.row_bytes % PITCH_UNIT != 0 ||
        array.row_bytes > PITCH_MOST || array.row_bytes < array.width * array.kind.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    *ret_array = array;
    return CUDA_SUCCESS;
}

/* A texture reads one level: all that the array or the view has. */
static CUresult describe_level(CUmipmappedArray mipmap, const CUDA_RESOURCE_VIEW_DESC *view,
                               struct CUarray_st *ret_array)
{
    const unsigned first = view ? view->firstMipmapLevel : 0;
    const unsigned last = view ? view->lastMipmapLevel : mipmap ? mipmap->count - 1 : 0;
    if (!mipmap || first > last || last >= mipmap->count)
        return CUDA_ERROR_INVALID_VALUE;
    if (first != last)
        return refuse("a texture that reads several levels of a mipmapped array is not available; give it a "
                      "view of one level");
    *ret_array = *mipmap->levels[first];
    return CUDA_SUCCESS;
}

/* Another format of texels of the same size: CUresourceViewFormat counts 1, 2 and 4 channels of each. */
static CUresult view_format(int format, struct CUarray_st *array)
{
    static const int formats[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                  CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                  CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
    enum { COUNT = 3 * sizeof formats / sizeof *formats, BLOCKS_MOST = 0x22 };
    struct texel_kind kind;
    if (format == 0)
        return CUDA_SUCCESS;
    if (format > COUNT && format <= BLOCKS_MOST)
        return refuse("a view of a texture in a format of compressed blocks is not available");
    if (format < 0 || format > COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = texel_kind_of(formats[(format - 1) / 3], 1u << (format - 1) % 3, &kind);
    if (error != CUDA_SUCCESS || kind.bytes != array->kind.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    array->kind = kind;
    return CUDA_SUCCESS;
}

static bool is_size(size_t wanted, size_t size)
{
    return (wanted ? wanted : 1) == size;
}

static CUresult look_at(const CUDA_RESOURCE_VIEW_DESC *view, struct CUarray_st *array)
{
    const CUresult error = view_format(view->format, array);
    if (error != CUDA_SUCCESS)
        return error;
    const size_t depth = array->layers ? array->layers : array->depth;
    if (!is_size(view->width, array->width) || !is_size(view->height, array->height) ||
        !is_size(view->depth, depth) || view->firstLayer > view->lastLayer ||
        view->lastLayer >= (array->layers ? array->layers : 1))
        return CUDA_ERROR_INVALID_VALUE;
    if (array->layers) {
        array->address += view->firstLayer * array->slice_bytes;
        array->layers = view->lastLayer - view->firstLayer + 1;
    }
    return CUDA_SUCCESS;
}

static CUresult describe_resource(const CUDA_RESOURCE_DESC *resource, const CUDA_RESOURCE_VIEW_DESC *view,
                                  struct CUarray_st *ret_array)
{
    CUresult error = CUDA_SUCCESS;
    if (resource->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    switch (resource->resType) {
    case RESOURCE_ARRAY:
        if (!resource->res.array.hArray)
            return CUDA_ERROR_INVALID_VALUE;
        *ret_array = *resource->res.array.hArray;
        break;
    case RESOURCE_MIPMAPPED_ARRAY:
        error = describe_level(resource->res.mipmap.hMipmappedArray, view, ret_array);
        break;
    case RESOURCE_LINEAR:
        return view ? CUDA_ERROR_INVALID_VALUE : describe_linear(resource, ret_array);
    case RESOURCE_PITCH2D:
        return view ? CUDA_ERROR_INVALID_VALUE : describe_rows(resource, ret_array);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return error == CUDA_SUCCESS && view ? look_at(view, ret_array) : error;
}

/* ---- How a texture reads ------------------------------------------------------------------------------- */

enum { SAMPLER_NORMALIZED = 1, SAMPLER_EDGE = 2, SAMPLER_BORDER = 4, SAMPLER_REPEAT = 6, SAMPLER_MIRROR = 8 };
enum { SAMPLER_LINEAR = 0x20, SAMPLER_Y = 12, SAMPLER_Z = 16 };

static uint32_t mode_of(int address)
{
    static const uint32_t modes[] = {SAMPLER_REPEAT, SAMPLER_EDGE, SAMPLER_MIRROR, SAMPLER_BORDER};
    return modes[address];
}

/* Memory without an array has no modes: a fetch beyond its ends gives zeros. */
static uint32_t sampler_of(const CUDA_TEXTURE_DESC *texture, int resource)
{
    if (resource == RESOURCE_LINEAR)
        return SAMPLER_BORDER;
    return (texture->flags & TEXTURE_NORMALIZED ? SAMPLER_NORMALIZED : 0) |
           (texture->filterMode == FILTER_LINEAR ? SAMPLER_LINEAR : 0) | mode_of(texture->addressMode[0]) |
           mode_of(texture->addressMode[1]) << SAMPLER_Y | mode_of(texture->addressMode[2]) << SAMPLER_Z;
}

static CUresult check_texture(const CUDA_TEXTURE_DESC *texture)
{
    for (size_t i = 0; i < 3; i++)
        if (texture->addressMode[i] < ADDRESS_WRAP || texture->addressMode[i] > ADDRESS_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
    if (texture->filterMode < FILTER_POINT || texture->filterMode > FILTER_LINEAR ||
        texture->mipmapFilterMode < FILTER_POINT || texture->mipmapFilterMode > FILTER_LINEAR ||
        (texture->flags & ~TEXTURE_FLAGS))
        return CUDA_ERROR_INVALID_VALUE;
    if (texture->flags & TEXTURE_SRGB)
        return refuse("a texture that converts from sRGB is not available; have the kernel do it");
    if ((texture->flags & TEXTURE_SEAMLESS) && texture->filterMode == FILTER_LINEAR)
        return refuse("a cube that is filtered across its edges is not available");
    return CUDA_SUCCESS;
}

CUresult texture_describe(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                          const CUDA_RESOURCE_VIEW_DESC *view, struct texture_descriptor *ret_descriptor)
{
    struct CUarray_st array;
    CUresult error = check_texture(texture);
    if (error == CUDA_SUCCESS)
        error = describe_resource(resource, view, &array);
    if (error != CUDA_SUCCESS)
        return error;
    struct texture_descriptor made = array_describe(&array);
    made.sampler = sampler_of(texture, resource->resType);
    if (!(texture->flags & TEXTURE_AS_INTEGER))
        made.type = array.kind.normalized_type;
    if (resource->resType != RESOURCE_LINEAR)
        memcpy(made.border, texture->borderColor, sizeof made.border);
    *ret_descriptor = made;
    return CUDA_SUCCESS;
}

CUresult surface_describe(CUarray array, struct texture_descriptor *ret_descriptor)
{
    if (!array || !(array->given.Flags & ARRAY_SURFACE))
        return CUDA_ERROR_INVALID_VALUE;
    *ret_descriptor = array_describe(array);
    return CUDA_SUCCESS;
}

/* ---- Objects ------------------------------------------------------------------------------------------- */

static CUresult add(const struct object *wanted, const struct texture_descriptor *descriptor,
                    uint64_t *handle)
{
    struct object *made = malloc(sizeof *made);
    hx_buffer *buffer = NULL;
    if (!made || hx_buffer_new(machine_device(),
                               wanted->is_surface ? "descriptor of a surface" : "descriptor of a texture",
                               sizeof *descriptor, HX_ACCESS_READ, NULL, &buffer) != HX_OK) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(hx_buffer_data(buffer), descriptor, sizeof *descriptor);
    *made = *wanted;
    made->descriptor = buffer;
    pthread_mutex_lock(&lock);
    made->next = objects;
    objects = made;
    pthread_mutex_unlock(&lock);
    *handle = hx_buffer_address(buffer);
    return CUDA_SUCCESS;
}

/* Where the object stands in the list; NULL: there is none with this handle. */
static struct object **find(uint64_t handle, bool is_surface)
{
    for (struct object **at = &objects; *at; at = &(*at)->next)
        if (hx_buffer_address((*at)->descriptor) == handle && (*at)->is_surface == is_surface)
            return at;
    return NULL;
}

static CUresult look_up(uint64_t handle, bool is_surface, struct object *ret_object)
{
    pthread_mutex_lock(&lock);
    struct object **at = find(handle, is_surface);
    if (at)
        *ret_object = **at;
    pthread_mutex_unlock(&lock);
    return at ? driver_check() : CUDA_ERROR_INVALID_VALUE;
}

static CUresult destroy(uint64_t handle, bool is_surface)
{
    queue_wait_for_all();
    pthread_mutex_lock(&lock);
    struct object **at = find(handle, is_surface), *taken = at ? *at : NULL;
    if (at)
        *at = taken->next;
    pthread_mutex_unlock(&lock);
    if (!taken)
        return CUDA_ERROR_INVALID_VALUE;
    hx_buffer_free(machine_device(), taken->descriptor);
    free(taken);
    return driver_check();
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct texture_descriptor descriptor;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS && (!object || !resource || !texture))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = texture_describe(resource, texture, view, &descriptor);
    if (error != CUDA_SUCCESS)
        return error;
    struct object wanted = {.resource = *resource, .texture = *texture, .has_view = view != NULL};
    if (view)
        wanted.view = *view;
    return add(&wanted, &descriptor, object);
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    return destroy(object, false);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    struct object found;
    const CUresult error = resource ? look_up(object, false, &found) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *resource = found.resource;
    return error;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    struct object found;
    const CUresult error = texture ? look_up(object, false, &found) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *texture = found.texture;
    return error;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    struct object found;
    CUresult error = view ? look_up(object, false, &found) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS && !found.has_view)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *view = found.view;
    return error;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    struct texture_descriptor descriptor;
    CUresult error = driver_check();
    if (error == CUDA_SUCCESS &&
        (!object || !resource || resource->resType != RESOURCE_ARRAY || resource->flags != 0))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        error = surface_describe(resource->res.array.hArray, &descriptor);
    if (error != CUDA_SUCCESS)
        return error;
    const struct object wanted = {.resource = *resource, .is_surface = true};
    return add(&wanted, &descriptor, object);
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    return destroy(object, true);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    struct object found;
    const CUresult error = resource ? look_up(object, true, &found) : CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS)
        *resource = found.resource;
    return error;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels, CUdevice device)
{
    struct texel_kind kind;
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS || !width)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    if (texel_kind_of(format, channels, &kind) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    *width = LINEAR_WIDTH;
    return CUDA_SUCCESS;
}
