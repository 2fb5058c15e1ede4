/* Formats of images: which there are, how many bytes a pixel has, and pixels of a colour. */
#include "devices/opencl/image.h"

#include <math.h>
#include <string.h>

/* Channel types in the order of their numbers, from CL_SNORM_INT8 on. */
static const struct type {
    cl_channel_type number;
    unsigned bytes; /* of a channel; of packed types, which the device does not have, 0 */
} types[] = {
    {CL_SNORM_INT8, 1},       {CL_SNORM_INT16, 2},        {CL_UNORM_INT8, 1},
    {CL_UNORM_INT16, 2},      {CL_UNORM_SHORT_565, 0},    {CL_UNORM_SHORT_555, 0},
    {CL_UNORM_INT_101010, 0}, {CL_SIGNED_INT8, 1},        {CL_SIGNED_INT16, 2},
    {CL_SIGNED_INT32, 4},     {CL_UNSIGNED_INT8, 1},      {CL_UNSIGNED_INT16, 2},
    {CL_UNSIGNED_INT32, 4},   {CL_HALF_FLOAT, 2},         {CL_FLOAT, 4},
    {CL_UNORM_INT24, 0},      {CL_UNORM_INT_101010_2, 0},
};

/* The orders that the device has, and with which types; each has its first channel where a pixel begins. */
static const struct order {
    cl_channel_order number;
    unsigned channels;
    bool is_of_bytes;      /* with types of 8 bits alone (OpenCL 3.0, table 16) */
    unsigned char from[4]; /* which component of a colour each channel is */
} orders[] = {
    {CL_R, 1, false, {0}},
    {CL_A, 1, false, {3}},
    {CL_RG, 2, false, {0, 1}},
    {CL_RGBA, 4, false, {0, 1, 2, 3}},
    {CL_BGRA, 4, true, {2, 1, 0, 3}},
};
#define TYPE_COUNT  (sizeof types / sizeof *types)
#define ORDER_COUNT (sizeof orders / sizeof *orders)

static const struct type *type_of(cl_channel_type number)
{
    const size_t place = number - CL_SNORM_INT8;
    return place < TYPE_COUNT ? &types[place] : NULL;
}

static const struct order *order_of(cl_channel_order number)
{
    for (size_t i = 0; i < ORDER_COUNT; i++)
        if (orders[i].number == number)
            return &orders[i];
    return NULL;
}

static bool is_packed(cl_channel_type type)
{
    return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010;
}

/* Is it a format at all? (OpenCL 3.0, tables 16 and 17) */
static bool is_format(const cl_image_format *format)
{
    const cl_channel_order order = format->image_channel_order;
    const cl_channel_type type = format->image_channel_data_type;
    if (order < CL_R || order > CL_ABGR || !type_of(type))
        return false;
    switch (order) {
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return (type >= CL_SNORM_INT8 && type <= CL_UNORM_INT16) || type == CL_HALF_FLOAT || type == CL_FLOAT;
    case CL_RGB:
    case CL_RGBx:
        return is_packed(type);
    case CL_ARGB:
    case CL_BGRA:
    case CL_ABGR:
        return type_of(type)->bytes == 1;
    case CL_DEPTH:
        return type == CL_UNORM_INT16 || type == CL_FLOAT;
    case CL_DEPTH_STENCIL:
        return type == CL_UNORM_INT24 || type == CL_FLOAT;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
        return type == CL_UNORM_INT8;
    default:
        return !is_packed(type) && type != CL_UNORM_INT24;
    }
}

static bool is_supported(const struct order *order, const struct type *type)
{
    return order && type && type->bytes > 0 && (type->bytes == 1 || !order->is_of_bytes);
}

cl_int image_format_check(const cl_image_format *format)
{
    if (!format || !is_format(format))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return is_supported(order_of(format->image_channel_order), type_of(format->image_channel_data_type))
               ? CL_SUCCESS
               : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

unsigned image_channels(const cl_image_format *format)
{
    return order_of(format->image_channel_order)->channels;
}

size_t image_pixel_bytes(const cl_image_format *format)
{
    return (size_t)image_channels(format) * type_of(format->image_channel_data_type)->bytes;
}

/* All formats are for all kinds of images, to be read and written. */
cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint room, cl_image_format *formats, cl_uint *ret_count)
{
    cl_uint count = 0;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!memory_flags_are_good(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE) ||
        type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (formats && room == 0))
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < ORDER_COUNT; i++)
        for (size_t k = 0; k < TYPE_COUNT; k++) {
            if (!is_supported(&orders[i], &types[k]))
                continue;
            if (formats && count < room)
                formats[count] = (cl_image_format){orders[i].number, types[k].number};
            count++;
        }
    if (ret_count)
        *ret_count = count;
    return CL_SUCCESS;
}

/* ---- Pixels of a colour -------------------------------------------------------------------------------- */

/* Rounded to the nearest half, of two the even one: its bits. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fffu;           /* as kernels have it */
    if (magnitude >= 0x477ff000u) /* 65520 and more */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) { /* 2^-14: a multiple of 2^-24 */
        float absolute;
        memcpy(&absolute, &magnitude, sizeof absolute);
        return (uint16_t)(sign | (uint32_t)rintf(absolute * 0x1p24f));
    }
    const uint32_t rest = magnitude & 0x1fffu, half = (magnitude - 0x38000000u) >> 13;
    return (uint16_t)(sign | (half + (rest > 0x1000u || (rest == 0x1000u && (half & 1)))));
}

/* As convert_T_sat_rte: NaN is 0. */
static int64_t whole_of(float value, float low, float high)
{
    return value >= high    ? (int64_t)high
           : value <= low   ? (int64_t)low
           : value == value ? (int64_t)rintf(value)
                            : 0;
}

static int64_t limited(int64_t number, int64_t low, int64_t high)
{
    return number < low ? low : number > high ? high : number;
}

/* The channel's bits, in the lowest bytes. */
static uint32_t channel_bits(cl_channel_type type, const void *color, unsigned component)
{
    float value;
    int32_t number;
    uint32_t bits;
    memcpy(&value, (const char *)color + 4 * (size_t)component, 4);
    memcpy(&number, (const char *)color + 4 * (size_t)component, 4);
    memcpy(&bits, (const char *)color + 4 * (size_t)component, 4);
    switch (type) {
    case CL_SNORM_INT8:
        return (uint32_t)whole_of(value * 127.0f, -128, 127);
    case CL_SNORM_INT16:
        return (uint32_t)whole_of(value * 32767.0f, -32768, 32767);
    case CL_UNORM_INT8:
        return (uint32_t)whole_of(value * 255.0f, 0, 255);
    case CL_UNORM_INT16:
        return (uint32_t)whole_of(value * 65535.0f, 0, 65535);
    case CL_SIGNED_INT8:
        return (uint32_t)limited(number, INT8_MIN, INT8_MAX);
    case CL_SIGNED_INT16:
        return (uint32_t)limited(number, INT16_MIN, INT16_MAX);
    case CL_UNSIGNED_INT8:
        return (uint32_t)limited(bits, 0, UINT8_MAX);
    case CL_UNSIGNED_INT16:
        return (uint32_t)limited(bits, 0, UINT16_MAX);
    case CL_HALF_FLOAT:
        return half_of(value);
    default:
        return bits;
    }
}

size_t image_pixel(const cl_image_format *format, const void *color, unsigned char *ret_bytes)
{
    const struct order *order = order_of(format->image_channel_order);
    const unsigned bytes = type_of(format->image_channel_data_type)->bytes;
    for (unsigned i = 0; i < order->channels; i++) {
        const uint32_t bits = channel_bits(format->image_channel_data_type, color, order->from[i]);
        memcpy(ret_bytes + (size_t)i * bytes, &bits, bytes); /* x86-64 is little-endian */
    }
    return (size_t)order->channels * bytes;
}
