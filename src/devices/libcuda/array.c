/* Arrays: memory that kernels reach by textures and surfaces, and copies by the array's handle.
 *
 * An array is a buffer with its texels in the order of memory: nobody but the driver knows its address, and
 * no order of texels would be faster. */
#include "devices/libcuda/array.h"

#include "devices/cuda/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest sizes, as the attributes of the device have them. */
enum {
    FLAT_WIDTH = 131072,
    FLAT_HEIGHT = 65536,
    DEEP = 16384,
    LAYER_SIZE = 32768,
    LAYERS = 2048,
    CUBES = 2046
};

/* ---- Formats ------------------------------------------------------------------------------------------- */

enum { /* of OpenCL's channel data types */
       SNORM8 = 0x10d0,
       SNORM16,
       UNORM8,
       UNORM16,
       SIGNED8 = 0x10d7,
       SIGNED16,
       SIGNED32,
       UNSIGNED8,
       UNSIGNED16,
       UNSIGNED32,
       HALF,
       FLOAT
};

static const struct {
    int format;
    uint32_t bytes, type, normalized;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 1, UNSIGNED8, UNORM8},
               {CU_AD_FORMAT_UNSIGNED_INT16, 2, UNSIGNED16, UNORM16},
               {CU_AD_FORMAT_UNSIGNED_INT32, 4, UNSIGNED32, UNSIGNED32},
               {CU_AD_FORMAT_SIGNED_INT8, 1, SIGNED8, SNORM8},
               {CU_AD_FORMAT_SIGNED_INT16, 2, SIGNED16, SNORM16},
               {CU_AD_FORMAT_SIGNED_INT32, 4, SIGNED32, SIGNED32},
               {CU_AD_FORMAT_HALF, 2, HALF, HALF},
               {CU_AD_FORMAT_FLOAT, 4, FLOAT, FLOAT}};

/* Formats whose names have the number of channels: unorm8, unorm16, snorm8, snorm16, each of 1, 2 and 4. */
static CUresult normalized_kind_of(int format, unsigned channels, struct texel_kind *ret_kind)
{
    static const uint32_t types[] = {UNORM8, UNORM16, SNORM8, SNORM16};
    const unsigned number = (unsigned)(format - CU_AD_FORMAT_UNORM_INT8X1);
    if (channels != 1u << number % 3)
        return CUDA_ERROR_INVALID_VALUE;
    const uint32_t type = types[number / 3], bytes = number / 3 % 2 + 1;
    *ret_kind = (struct texel_kind){channels * bytes, channels, type, type};
    return CUDA_SUCCESS;
}

CUresult texel_kind_of(int format, unsigned channels, struct texel_kind *ret_kind)
{
    if (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4)
        return normalized_kind_of(format, channels, ret_kind);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format && (channels == 1 || channels == 2 || channels == 4)) {
            *ret_kind = (struct texel_kind){channels * formats[i].bytes, channels, formats[i].type,
                                            formats[i].normalized};
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

static CUresult check_cube(const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    const bool has_layers = wanted->Flags & ARRAY_LAYERED;
    if (wanted->Width != wanted->Height || wanted->Width > LAYER_SIZE || wanted->Depth == 0 ||
        wanted->Depth % 6 != 0 || wanted->Depth > (has_layers ? CUBES : 6))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* A size of 0 says that the array does not have it; with layers their number is the depth, else an array with
 * a depth has a height. */
static CUresult check_sizes(const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    const bool has_layers = wanted->Flags & ARRAY_LAYERED;
    const size_t width = wanted->Width, height = wanted->Height, depth = wanted->Depth;
    if (width == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (wanted->Flags & ARRAY_CUBEMAP)
        return check_cube(wanted);
    if ((wanted->Flags & ARRAY_GATHER) && (height == 0 || (depth > 0 && !has_layers)))
        return CUDA_ERROR_INVALID_VALUE;
    if (has_layers)
        return width <= LAYER_SIZE && height <= LAYER_SIZE && depth > 0 && depth <= LAYERS
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    if (depth > 0)
        return height > 0 && width <= DEEP && height <= DEEP && depth <= DEEP ? CUDA_SUCCESS
                                                                              : CUDA_ERROR_INVALID_VALUE;
    return width <= FLAT_WIDTH && height <= FLAT_HEIGHT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult lay_out(const CUDA_ARRAY3D_DESCRIPTOR *wanted, struct CUarray_st *array)
{
    CUresult error = texel_kind_of(wanted->Format, wanted->NumChannels, &array->kind);
    if (error == CUDA_SUCCESS)
        error = check_sizes(wanted);
    if (error != CUDA_SUCCESS)
        return error;
    if (wanted->Flags & ~(unsigned)(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER))
        return CUDA_ERROR_NOT_SUPPORTED;
    const bool has_layers = wanted->Flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    array->given = *wanted;
    array->width = wanted->Width;
    array->height = wanted->Height ? wanted->Height : 1;
    array->depth = has_layers || wanted->Depth == 0 ? 1 : wanted->Depth;
    array->layers = has_layers ? wanted->Depth : 0;
    array->row_bytes = array->width * array->kind.bytes;
    array->slice_bytes = array->row_bytes * array->height;
    return __builtin_mul_overflow(array->slice_bytes, has_layers ? array->layers : array->depth,
                                  &array->bytes)
               ? CUDA_ERROR_OUT_OF_MEMORY
               : CUDA_SUCCESS;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static CUresult make(CUarray *ret_array, const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    static atomic_ullong made_ever;
    char name[32];
    struct CUarray_st array = {.bytes = 0};
    hx_buffer *buffer = NULL;
    CUresult error = lay_out(wanted, &array);
    if (error != CUDA_SUCCESS)
        return error;
    CUarray made = malloc(sizeof *made);
    snprintf(name, sizeof name, "array %llu", (unsigned long long)atomic_fetch_add(&made_ever, 1) + 1);
    if (!made ||
        hx_buffer_new(machine_device(), name, array.bytes, HX_ACCESS_READWRITE, NULL, &buffer) != HX_OK)
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS)
        error = memory_add(buffer);
    if (error != CUDA_SUCCESS) {
        hx_buffer_free(machine_device(), buffer);
        free(made);
        return error;
    }
    array.address = hx_buffer_address(buffer);
    *made = array;
    *ret_array = made;
    memory_changed(HX_BUFFER_UNWRITTEN, made->address, made->bytes, 0);
    return CUDA_SUCCESS;
}

static void drop(CUarray array)
{
    if (array)
        (void)memory_free(array->address);
    free(array);
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !array || !wanted)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    return make(array, wanted);
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted)
{
    const CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !array || !wanted)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = wanted->Width,
                                          .Height = wanted->Height,
                                          .Format = wanted->Format,
                                          .NumChannels = wanted->NumChannels};
    return make(array, &flat);
}

CUresult cuArrayDestroy(CUarray array)
{
    if (!array || array->is_level)
        return CUDA_ERROR_INVALID_HANDLE;
    queue_wait_for_all();
    const CUresult error = driver_check();
    if (error == CUDA_SUCCESS)
        drop(array);
    return error;
}

/* ---- What an array is ---------------------------------------------------------------------------------- */

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    if (!descriptor || !array)
        return array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *descriptor = array->given;
    return driver_check();
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    if (!descriptor || !array)
        return array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *descriptor = (CUDA_ARRAY_DESCRIPTOR){array->given.Width, array->given.Height, array->given.Format,
                                          array->given.NumChannels};
    return driver_check();
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUarray array, CUdevice device)
{
    CUdevice known;
    const CUresult error = cuDeviceGet(&known, device);
    if (error != CUDA_SUCCESS || !needs || !array)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    *needs = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = array->bytes, .alignment = 256};
    return CUDA_SUCCESS;
}

struct texture_descriptor array_describe(const struct CUarray_st *array)
{
    static const uint32_t orders[] = {0, 0x10b0, 0x10b2, 0, 0x10b5}; /* CL_R, CL_RG, CL_RGBA */
    return (struct texture_descriptor){.data = array->address,
                                       .width = (uint32_t)array->width,
                                       .height = (uint32_t)array->height,
                                       .depth = (uint32_t)array->depth,
                                       .layers = (uint32_t)array->layers,
                                       .row_bytes = (uint32_t)array->row_bytes,
                                       .texel_bytes = array->kind.bytes,
                                       .slice_bytes = array->slice_bytes,
                                       .type = array->kind.type,
                                       .order = orders[array->kind.channels],
                                       .channels = array->kind.channels};
}

/* ---- Arrays with levels -------------------------------------------------------------------------------- */

static size_t halved(size_t size, unsigned level)
{
    const size_t less = size >> level;
    return size == 0 || less > 0 ? less : 1;
}

static void drop_levels(CUmipmappedArray mipmap)
{
    for (unsigned i = 0; i < mipmap->count; i++)
        drop(mipmap->levels[i]);
    free(mipmap);
}

/* Each level has half of the sizes of the one before, down to 1; layers are as many in all of them. */
CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *wanted,
                                unsigned levels)
{
    CUresult error = driver_check();
    if (error != CUDA_SUCCESS || !mipmap || !wanted || levels == 0)
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    const bool has_layers = wanted->Flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    CUmipmappedArray made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const unsigned most = sizeof made->levels / sizeof *made->levels;
    for (unsigned i = 0; i < levels && i < most && error == CUDA_SUCCESS; i++) {
        CUDA_ARRAY3D_DESCRIPTOR level = *wanted;
        if (i > 0 && wanted->Width >> i == 0 && wanted->Height >> i == 0 &&
            (has_layers || wanted->Depth >> i == 0))
            break;
        level.Width = halved(wanted->Width, i);
        level.Height = halved(wanted->Height, i);
        level.Depth = has_layers ? wanted->Depth : halved(wanted->Depth, i);
        error = make(&made->levels[i], &level);
        if (error == CUDA_SUCCESS) {
            made->levels[i]->is_level = true;
            made->count++;
        }
    }
    if (error == CUDA_SUCCESS)
        *mipmap = made;
    else
        drop_levels(made);
    return error;
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned level)
{
    if (!array || !mipmap || level >= mipmap->count)
        return mipmap ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *array = mipmap->levels[level];
    return driver_check();
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
    if (!mipmap)
        return CUDA_ERROR_INVALID_HANDLE;
    queue_wait_for_all();
    const CUresult error = driver_check();
    if (error == CUDA_SUCCESS)
        drop_levels(mipmap);
    return error;
}
