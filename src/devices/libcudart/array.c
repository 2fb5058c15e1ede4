/* Arrays, and formats of their texels.
 *
 * A format is bits of up to four channels and what they are; the driver has the type of all channels, and
 * their number. */
#include "devices/libcudart/array.h"

/* ---- Formats ------------------------------------------------------------------------------------------- */

static const struct {
    int format, bits, kind;
} types[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
             {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
             {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
             {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
             {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
             {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
             {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
             {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
enum { TYPES = sizeof types / sizeof *types };

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

/* 1, 2 or 4 channels of as many bits each; 0: they are others. */
static unsigned channels_of(const cudaChannelFormatDesc *format)
{
    const int x = format->x, y = format->y, z = format->z, w = format->w;
    if (x <= 0 || (y != 0 && y != x))
        return 0;
    if (z == 0 && w == 0)
        return y == 0 ? 1 : 2;
    return y == x && z == x && w == x ? 4 : 0;
}

cudaError_t format_to_driver(const cudaChannelFormatDesc *format, int *ret_format, unsigned *ret_channels)
{
    if (!format)
        return CUDA_ERROR_INVALID_VALUE;
    if (format->f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
        format->f <= cudaChannelFormatKindSignedNormalized16X4) {
        const int number = format->f - cudaChannelFormatKindUnsignedNormalized8X1;
        *ret_format = CU_AD_FORMAT_UNORM_INT8X1 + number;
        *ret_channels = 1u << number % 3;
        return 0;
    }
    const unsigned channels = channels_of(format);
    for (size_t i = 0; i < TYPES && channels > 0; i++)
        if (types[i].kind == format->f && types[i].bits == format->x) {
            *ret_format = types[i].format;
            *ret_channels = channels;
            return 0;
        }
    return cudaErrorInvalidChannelDescriptor;
}

cudaChannelFormatDesc format_from_driver(int format, unsigned channels)
{
    int bits = 0, kind = 0;
    if (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4) {
        const int number = format - CU_AD_FORMAT_UNORM_INT8X1;
        bits = number / 3 % 2 == 0 ? 8 : 16;
        kind = cudaChannelFormatKindUnsignedNormalized8X1 + number;
    }
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].format == format) {
            bits = types[i].bits;
            kind = types[i].kind;
        }
    return (cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                   channels > 2 ? bits : 0, kind};
}

cudaError_t array_size_of(cudaArray_t array, struct array_size *ret_size)
{
    CUDA_ARRAY3D_DESCRIPTOR is;
    const cudaError_t error = cuArray3DGetDescriptor_v2(&is, array);
    if (error)
        return error;
    const cudaChannelFormatDesc format = format_from_driver(is.Format, is.NumChannels);
    ret_size->texel_bytes = (size_t)(format.x + format.y + format.z + format.w) / 8;
    ret_size->row_bytes = ret_size->texel_bytes * is.Width;
    ret_size->rows = is.Height ? is.Height : 1;
    return 0;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static cudaError_t wanted_of(const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags,
                             CUDA_ARRAY3D_DESCRIPTOR *ret_wanted)
{
    *ret_wanted = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return format_to_driver(format, &ret_wanted->Format, &ret_wanted->NumChannels);
}

static cudaError_t make(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                        unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR wanted;
    cudaError_t error = runtime_begin();
    if (!error)
        error = wanted_of(format, extent, flags, &wanted);
    if (!error)
        error = cuArray3DCreate_v2(array, &wanted);
    return runtime_end(error);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned flags)
{
    return make(array, format, (cudaExtent){width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                              unsigned flags)
{
    return make(array, format, extent, flags);
}

/* Nothing to give back is no error. */
cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error = runtime_begin();
    if (!error && array)
        error = cuArrayDestroy(array);
    return runtime_end(error);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                                     cudaExtent extent, unsigned levels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR wanted;
    cudaError_t error = runtime_begin();
    if (!error)
        error = wanted_of(format, extent, flags, &wanted);
    if (!error)
        error = cuMipmappedArrayCreate(mipmap, &wanted, levels);
    return runtime_end(error);
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned level)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuMipmappedArrayGetLevel(array, mipmap, level);
    return runtime_end(error);
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    cudaError_t error = runtime_begin();
    if (!error && mipmap)
        error = cuMipmappedArrayDestroy(mipmap);
    return runtime_end(error);
}

/* ---- What an array is ---------------------------------------------------------------------------------- */

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR is;
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuArray3DGetDescriptor_v2(&is, array);
    if (error)
        return runtime_end(error);
    if (format)
        *format = format_from_driver(is.Format, is.NumChannels);
    if (extent)
        *extent = (cudaExtent){is.Width, is.Height, is.Depth};
    if (flags)
        *flags = is.Flags;
    return runtime_end(0);
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_t array)
{
    return format ? cudaArrayGetInfo(format, NULL, NULL, array) : runtime_end(CUDA_ERROR_INVALID_VALUE);
}
cudaError_t cudaArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, cudaArray_t array,
                                           int device)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = cuArrayGetMemoryRequirements(needs, array, device);
    return runtime_end(error);
}

/* ---- What the driver does not have --------------------------------------------------------------------- */

cudaError_t cudaMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs,
                                                    cudaMipmappedArray_t mipmap, int device)
{
    (void)needs, (void)mipmap, (void)device;
    return runtime_end(CUDA_ERROR_NOT_SUPPORTED);
}
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned number)
{
    (void)plane, (void)array, (void)number;
    return runtime_end(CUDA_ERROR_NOT_SUPPORTED);
}
cudaError_t cudaArrayGetSparseProperties(void *properties, cudaArray_t array)
{
    (void)properties, (void)array;
    return runtime_end(CUDA_ERROR_NOT_SUPPORTED);
}
cudaError_t cudaMipmappedArrayGetSparseProperties(void *properties, cudaMipmappedArray_t mipmap)
{
    (void)properties, (void)mipmap;
    return runtime_end(CUDA_ERROR_NOT_SUPPORTED);
}
