/* References: the textures and surfaces that a module declares by name (.texref, .surfref).
 *
 * Each is a variable of the module that is a descriptor. What the program sets is kept, and written into the
 * variable when all work is done that may read what it had before. */
#include "devices/libcuda/array.h"
#include "devices/libcuda/function.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What both kinds begin with. */
struct reference {
    struct reference *next;
    CUdeviceptr variable;
};
struct CUtexref_st {
    struct reference reference;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    int format; /* of memory without an array */
    unsigned channels;
    bool is_bound;
};
struct CUsurfref_st {
    struct reference reference;
    CUarray array; /* NULL: it is bound to none */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all modules' lists */

static void free_list(struct reference *list)
{
    while (list) {
        struct reference *next = list->next;
        free(list);
        list = next;
    }
}

void references_free(CUmodule module)
{
    free_list(module->textures);
    free_list(module->surfaces);
}

/* That of the variable in the list; else `made`, which is kept there. */
static void *keep(struct reference **list, struct reference *made)
{
    pthread_mutex_lock(&lock);
    struct reference *at = *list;
    while (at && at->variable != made->variable)
        at = at->next;
    if (!at) {
        made->next = *list;
        *list = at = made;
    }
    pthread_mutex_unlock(&lock);
    if (at != made)
        free(made);
    return at;
}

static CUresult put(CUdeviceptr variable, const struct texture_descriptor *descriptor)
{
    if (variable == 0)
        return driver_check(); /* no module has it */
    queue_wait_for_all();
    char *place = memory_place(variable, sizeof *descriptor);
    if (!place)
        return CUDA_ERROR_INVALID_HANDLE;
    memcpy(place, descriptor, sizeof *descriptor);
    memory_changed(HX_BUFFER_FILLED, variable, sizeof *descriptor, 0);
    return driver_check();
}

static CUresult find_variable(CUmodule module, const char *name, CUdeviceptr *ret_variable)
{
    size_t bytes = 0;
    const CUresult error = cuModuleGetGlobal_v2(ret_variable, &bytes, module, name);
    return error == CUDA_SUCCESS && bytes != sizeof(struct texture_descriptor) ? CUDA_ERROR_NOT_FOUND : error;
}

static CUtexref texture_new(CUdeviceptr variable)
{
    CUtexref made = calloc(1, sizeof *made);
    if (made)
        *made = (struct CUtexref_st){
            .reference.variable = variable,
            .format = CU_AD_FORMAT_FLOAT,
            .channels = 1,
            .texture.addressMode = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP},
        };
    return made;
}

CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name)
{
    CUdeviceptr variable = 0;
    const CUresult error = texture ? find_variable(module, name, &variable) : CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    CUtexref made = texture_new(variable);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *texture = keep(&module->textures, &made->reference);
    return CUDA_SUCCESS;
}

/* One that no module has: it keeps what it is given. */
CUresult cuTexRefCreate(CUtexref *texture)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !texture)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    CUtexref made = texture_new(0);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *texture = made;
    return CUDA_SUCCESS;
}

CUresult cuTexRefDestroy(CUtexref texture)
{
    if (!texture || texture->reference.variable != 0)
        return CUDA_ERROR_INVALID_VALUE;
    free(texture);
    return driver_check();
}

CUresult cuModuleGetSurfRef(CUsurfref *surface, CUmodule module, const char *name)
{
    CUdeviceptr variable = 0;
    const CUresult error = surface ? find_variable(module, name, &variable) : CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_SUCCESS)
        return error;
    CUsurfref made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->reference.variable = variable;
    *surface = keep(&module->surfaces, &made->reference);
    return CUDA_SUCCESS;
}

/* ---- What a texture reads ------------------------------------------------------------------------------ */

/* Writes what is set now, unless nothing is bound. */
static CUresult renew(CUtexref texture)
{
    struct texture_descriptor descriptor;
    if (!texture->is_bound)
        return driver_check();
    CUDA_RESOURCE_DESC resource = texture->resource;
    if (resource.resType == RESOURCE_LINEAR) {
        resource.res.linear.format = texture->format;
        resource.res.linear.numChannels = texture->channels;
    }
    const CUresult error = texture_describe(&resource, &texture->texture, NULL, &descriptor);
    return error == CUDA_SUCCESS ? put(texture->reference.variable, &descriptor) : error;
}

/* Sets something if what comes of it can be read. */
static CUresult change(CUtexref texture, const struct CUtexref_st *wanted)
{
    const struct CUtexref_st old = *texture;
    *texture = *wanted;
    const CUresult error = renew(texture);
    if (error != CUDA_SUCCESS)
        *texture = old;
    return error;
}

CUresult cuTexRefSetArray(CUtexref texture, CUarray array, unsigned flags)
{
    enum { OVERRIDE_FORMAT = 1 };
    if (!texture || !array || flags != OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.is_bound = true;
    wanted.resource = (CUDA_RESOURCE_DESC){.resType = RESOURCE_ARRAY, .res.array.hArray = array};
    wanted.format = array->given.Format;
    wanted.channels = array->given.NumChannels;
    return change(texture, &wanted);
}

/* The texture begins at the last address before it that is aligned. */
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref texture, CUdeviceptr address, size_t bytes)
{
    enum { ALIGNMENT = 256 }; /* the device's attribute */
    const size_t inside = address % ALIGNMENT;
    if (!texture || (inside > 0 && !offset))
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.is_bound = true;
    wanted.resource =
        (CUDA_RESOURCE_DESC){.resType = RESOURCE_LINEAR,
                             .res.linear = {.devPtr = address - inside, .sizeInBytes = bytes + inside}};
    const CUresult error = change(texture, &wanted);
    if (error == CUDA_SUCCESS && offset)
        *offset = inside;
    return error;
}

CUresult cuTexRefSetAddress2D_v3(CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *layout, CUdeviceptr address,
                                 size_t pitch)
{
    if (!texture || !layout)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.is_bound = true;
    wanted.format = layout->Format;
    wanted.channels = layout->NumChannels;
    wanted.resource = (CUDA_RESOURCE_DESC){.resType = RESOURCE_PITCH2D,
                                           .res.pitch2D = {.devPtr = address,
                                                           .format = layout->Format,
                                                           .numChannels = layout->NumChannels,
                                                           .width = layout->Width,
                                                           .height = layout->Height,
                                                           .pitchInBytes = pitch}};
    return change(texture, &wanted);
}

CUresult cuTexRefSetFormat(CUtexref texture, int format, int channels)
{
    struct texel_kind kind;
    if (!texture || texel_kind_of(format, (unsigned)channels, &kind) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.format = format;
    wanted.channels = (unsigned)channels;
    return change(texture, &wanted);
}

CUresult cuTexRefSetAddressMode(CUtexref texture, int dimension, int mode)
{
    if (!texture || dimension < 0 || dimension > 2 || mode < ADDRESS_WRAP || mode > ADDRESS_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.texture.addressMode[dimension] = mode;
    return change(texture, &wanted);
}

CUresult cuTexRefSetFilterMode(CUtexref texture, int mode)
{
    if (!texture || mode < FILTER_POINT || mode > FILTER_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    wanted.texture.filterMode = mode;
    return change(texture, &wanted);
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref texture, unsigned most)
{
    if (!texture)
        return CUDA_ERROR_INVALID_VALUE;
    texture->texture.maxAnisotropy = most;
    return driver_check();
}

CUresult cuTexRefSetBorderColor(CUtexref texture, float *color)
{
    if (!texture || !color)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUtexref_st wanted = *texture;
    memcpy(wanted.texture.borderColor, color, sizeof wanted.texture.borderColor);
    return change(texture, &wanted);
}

CUresult cuTexRefSetFlags(CUtexref texture, unsigned flags)
{
    if (!texture || (flags & ~TEXTURE_FLAGS))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & TEXTURE_SRGB)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct CUtexref_st wanted = *texture;
    wanted.texture.flags = flags;
    return change(texture, &wanted);
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref texture)
{
    if (!address || !texture || !texture->is_bound)
        return CUDA_ERROR_INVALID_VALUE;
    if (texture->resource.resType == RESOURCE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *address = texture->resource.resType == RESOURCE_LINEAR ? texture->resource.res.linear.devPtr
                                                            : texture->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref texture)
{
    if (!array || !texture || !texture->is_bound || texture->resource.resType != RESOURCE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *array = texture->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddressMode(int *mode, CUtexref texture, int dimension)
{
    if (!mode || !texture || dimension < 0 || dimension > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = texture->texture.addressMode[dimension];
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFilterMode(int *mode, CUtexref texture)
{
    if (!mode || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = texture->texture.filterMode;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFormat(int *format, int *channels, CUtexref texture)
{
    if (!texture)
        return CUDA_ERROR_INVALID_VALUE;
    if (format)
        *format = texture->format;
    if (channels)
        *channels = (int)texture->channels;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref texture)
{
    if (!most || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    *most = (int)texture->texture.maxAnisotropy;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref texture)
{
    if (!color || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(color, texture->texture.borderColor, sizeof texture->texture.borderColor);
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFlags(unsigned *flags, CUtexref texture)
{
    if (!flags || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = texture->texture.flags;
    return CUDA_SUCCESS;
}

/* ---- Surfaces ------------------------------------------------------------------------------------------ */

CUresult cuSurfRefSetArray(CUsurfref surface, CUarray array, unsigned flags)
{
    struct texture_descriptor descriptor;
    if (!surface || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = surface_describe(array, &descriptor);
    if (error == CUDA_SUCCESS)
        error = put(surface->reference.variable, &descriptor);
    if (error == CUDA_SUCCESS)
        surface->array = array;
    return error;
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surface)
{
    if (!array || !surface || !surface->array)
        return CUDA_ERROR_INVALID_VALUE;
    *array = surface->array;
    return CUDA_SUCCESS;
}
