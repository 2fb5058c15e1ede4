/* Textures, surfaces and images: what tex, tld4, suld, sust and OpenCL's functions of images do, over ordinary loads and
 * stores. A handle is the address of a descriptor (docs/ptx.md, "Textures"). */
struct image {
    ulong data;
    uint width, height, depth, layers; /* 1 where there is no such dimension; layers: 0 when it is no array */
    uint row_bytes, texel_bytes;
    ulong slice_bytes; /* of a layer, too */
    uint type, order;  /* as OpenCL numbers them */
    uint channels;
    uint sampler; /* bits of sampler_t, for fetches that bring none */
    ulong unused;
    float border[4];
};
enum {
    TYPE_SNORM8 = 0x10d0,
    TYPE_SNORM16,
    TYPE_UNORM8,
    TYPE_UNORM16,
    TYPE_SIGNED8 = 0x10d7,
    TYPE_SIGNED16,
    TYPE_SIGNED32,
    TYPE_UNSIGNED8,
    TYPE_UNSIGNED16,
    TYPE_UNSIGNED32,
    TYPE_HALF,
    TYPE_FLOAT
};
#define ORDER_R    0x10b0
#define ORDER_A    0x10b1
#define ORDER_RGBA 0x10b5
#define ORDER_BGRA 0x10b6
/* The bits of sampler_t. */
#define SAMPLER_NORMALIZED 1u
#define SAMPLER_ADDRESS    0xeu
#define SAMPLER_EDGE       2u
#define SAMPLER_BORDER     4u
#define SAMPLER_REPEAT     6u
#define SAMPLER_MIRROR     8u
#define SAMPLER_LINEAR     0x20u
/* No bits of sampler_t: weights of OpenCL, which are not rounded; and how y and z are brought in where the bits of
 * SAMPLER_ADDRESS are for x alone, shifted by this, or 0. */
#define SAMPLER_EXACT 0x100u
#define SAMPLER_OF_Y  12u
#define SAMPLER_OF_Z  16u

typedef global const struct image *image_handle;

INNER int limited(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}
/* The integer that is nearest to a float, from `low` to `high`. */
INNER ASM1(int, nearest, "r", float, "f", "cvt.rni.s32.f32") INNER int quantised(float x, int low, int high)
{
    return limited(nearest(x), low, high);
}

/* A texture that nothing was bound to is all zeros: reading it is a fault. */
INNER void require_image(image_handle image)
{
    if (image->data == 0)
        (void)*(global const volatile uint *)16;
}

/* --- elements ------------------------------------------------------------------------------------------- */

/* A product in f64, rounded to f32, is the quotient for every number of these types. */
INNER uint read_channel(ulong at, uint type)
{
    switch (type) {
    case TYPE_SNORM8:
        return as_uint((float)op_max(*(global const char *)at * (1 / 127.0), -1.0));
    case TYPE_SNORM16:
        return as_uint((float)op_max(*(global const short *)at * (1 / 32767.0), -1.0));
    case TYPE_UNORM8:
        return as_uint((float)(*(global const uchar *)at * (1 / 255.0)));
    case TYPE_UNORM16:
        return as_uint((float)(*(global const ushort *)at * (1 / 65535.0)));
    case TYPE_SIGNED8:
        return (uint)(int)*(global const char *)at;
    case TYPE_SIGNED16:
        return (uint)(int)*(global const short *)at;
    case TYPE_UNSIGNED8:
        return *(global const uchar *)at;
    case TYPE_UNSIGNED16:
        return *(global const ushort *)at;
    case TYPE_HALF:
        return as_uint((float)*(global const half *)at);
    default:
        return *(global const uint *)at;
    }
}

INNER bool has_floats(uint type)
{
    return type <= TYPE_UNORM16 || type >= TYPE_HALF;
}

INNER uint one_of(uint type)
{
    return has_floats(type) ? 0x3f800000u : 1u;
}

/* The element at x, y, z, which are in range; missing channels are 0, and the last one 1. */
INNER uint4 read_texel(image_handle image, uint x, uint y, uint z)
{
    const uint type = image->type, channels = image->channels, bytes = image->texel_bytes / channels;
    const ulong at = image->data + z * image->slice_bytes + (ulong)y * image->row_bytes + (ulong)x * image->texel_bytes;
    uint4 value = (uint4)(read_channel(at, type), 0, 0, one_of(type));
    if (channels > 1)
        value.y = read_channel(at + bytes, type);
    if (channels > 2)
        value.z = read_channel(at + 2 * bytes, type);
    if (channels > 3)
        value.w = read_channel(at + 3 * bytes, type);
    if (image->order == ORDER_BGRA)
        value = value.zyxw;
    return image->order == ORDER_A ? (uint4)(0, 0, 0, value.x) : value;
}

INNER uint4 border_of(image_handle image)
{
    const float4 color = (float4)(image->border[0], image->border[1], image->border[2], image->border[3]);
    return has_floats(image->type) ? as_uint4(color) : (uint4)((uint)color.x, (uint)color.y, (uint)color.z, (uint)color.w);
}

/* --- coordinates ---------------------------------------------------------------------------------------- */

/* A coordinate in texels, and how indices beyond the ends are brought in. */
struct axis {
    float at;
    int size;
    uint address; /* SAMPLER_... */
};

/* Repeating is only for coordinates from 0 to 1 (CUDA C++ Programming Guide, "Texture Fetching"). */
INNER struct axis axis_of(float at, uint size, uint sampler)
{
    const uint address = sampler & SAMPLER_ADDRESS;
    struct axis axis = {at, (int)size, address};
    if (!(sampler & SAMPLER_NORMALIZED)) {
        if (address == SAMPLER_REPEAT || address == SAMPLER_MIRROR)
            axis.address = SAMPLER_EDGE;
        return axis;
    }
    if (address == SAMPLER_REPEAT)
        at = at - op_floorf(at);
    if (address == SAMPLER_MIRROR)
        at = as_float(as_uint(at - 2.0f * op_rintf(0.5f * at)) & 0x7fffffffu);
    axis.at = at * (float)size;
    return axis;
}

/* The sampler of another coordinate than x. */
INNER uint sampler_of(uint sampler, uint shift)
{
    const uint own = sampler >> shift & SAMPLER_ADDRESS;
    return own ? (sampler & ~SAMPLER_ADDRESS) | own : sampler;
}

/* The index, or -1 where the border is. */
INNER int index_on(struct axis axis, int index)
{
    if (axis.address == SAMPLER_BORDER)
        return index < 0 || index >= axis.size ? -1 : index;
    if (axis.address == SAMPLER_REPEAT) {
        if (index < 0)
            return index + axis.size;
        if (index >= axis.size)
            return index - axis.size;
    }
    return index < 0 ? 0 : index >= axis.size ? axis.size - 1 : index;
}

/* NaNs, and what no int can hold, are beyond the ends. */
INNER int whole_part(float at)
{
    const float down = op_floorf(at);
    return down >= 2147483648.0f ? 0x7ffffff0 : down >= -2147483648.0f ? (int)down : -0x7ffffff0;
}

INNER uint4 texel_or_border(image_handle image, int x, int y, int z)
{
    return x < 0 || y < 0 || z < 0 ? border_of(image) : read_texel(image, (uint)x, (uint)y, (uint)z);
}

/* How much of the second of two neighbours: 8 bits behind the point, or all of them. */
INNER float weight_of(float at, uint sampler)
{
    const float part = at - op_floorf(at);
    return sampler & SAMPLER_EXACT ? part : op_rintf(part * 256.0f) * (1.0f / 256.0f);
}

/* The texels around a place, each as much as it is near: the formula of the CUDA C++ Programming Guide, "Linear Filtering",
 * and of the OpenCL C specification, 8.2. */
INNER uint4 filtered(image_handle image, uint sampler, struct axis x, struct axis y, struct axis z, uint dimensions, int layer)
{
    const int first_x = whole_part(x.at - 0.5f), first_y = whole_part(y.at - 0.5f), first_z = whole_part(z.at - 0.5f);
    const float part_x = weight_of(x.at - 0.5f, sampler), part_y = weight_of(y.at - 0.5f, sampler),
                part_z = weight_of(z.at - 0.5f, sampler);
    float4 sum = 0;
#pragma clang loop unroll(disable)
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        const int right = corner & 1, up = corner >> 1 & 1, back = corner >> 2 & 1;
        const float weight = (right ? part_x : 1.0f - part_x) * (up ? part_y : dimensions > 1 ? 1.0f - part_y : 1.0f) *
                             (back ? part_z : dimensions > 2 ? 1.0f - part_z : 1.0f);
        if (weight == 0) /* what is not there counts for nothing, even where it is infinite */
            continue;
        sum += weight * as_float4(texel_or_border(image, index_on(x, first_x + right), dimensions > 1 ? index_on(y, first_y + up) : 0,
                                                  dimensions > 2 ? index_on(z, first_z + back) : layer));
    }
    return as_uint4(sum);
}

/* `y` and `z` are 0 where the image has no such dimension; a layer is no coordinate. */
uint4 __hx_sample(image_handle image, uint sampler, float at_x, float at_y, float at_z, uint dimensions, int layer)
{
    require_image(image);
    const struct axis x = axis_of(at_x, image->width, sampler), y = axis_of(at_y, image->height, sampler_of(sampler, SAMPLER_OF_Y)),
                      z = axis_of(at_z, image->depth, sampler_of(sampler, SAMPLER_OF_Z));
    if ((sampler & SAMPLER_LINEAR) && has_floats(image->type))
        return filtered(image, sampler, x, y, z, dimensions, layer);
    return texel_or_border(image, index_on(x, whole_part(x.at)), dimensions > 1 ? index_on(y, whole_part(y.at)) : 0,
                           dimensions > 2 ? index_on(z, whole_part(z.at)) : layer);
}

INNER int fetched_index(int index, int size, uint sampler)
{
    const int inside = limited(index, 0, size - 1);
    return index != inside && (sampler & SAMPLER_ADDRESS) == SAMPLER_BORDER ? -1 : inside;
}

/* Indices of texels: beyond the ends the border, or the last texel. */
uint4 __hx_fetch(image_handle image, uint sampler, int x, int y, int z)
{
    require_image(image);
    const int slices = image->layers ? (int)image->layers : (int)image->depth;
    return texel_or_border(image, fetched_index(x, (int)image->width, sampler),
                           fetched_index(y, (int)image->height, sampler_of(sampler, SAMPLER_OF_Y)),
                           fetched_index(z, slices, sampler_of(sampler, SAMPLER_OF_Z)));
}

INNER int layer_of(image_handle image, int layer)
{
    return limited(layer, 0, image->layers ? (int)image->layers - 1 : 0);
}

/* --- PTX: tex and tld4 ---------------------------------------------------------------------------------- */

#define HANDLE(handle) ((image_handle)(handle))
#define SAMPLER(handle) (HANDLE(handle)->sampler)
/* Each with the texture's own sampler, and with one that is given. */
#define FETCHES(geometry, function, PARAMS, ...)                                                                       \
    uint4 __hx_tex_##geometry(ulong t, EXPAND PARAMS)                                                                  \
    {                                                                                                                  \
        return function(HANDLE(t), SAMPLER(t), __VA_ARGS__);                                                           \
    }                                                                                                                  \
    uint4 __hx_tex_sampler_##geometry(ulong t, ulong s, EXPAND PARAMS)                                                 \
    {                                                                                                                  \
        return function(HANDLE(t), (uint)s, __VA_ARGS__);                                                              \
    }
#define EXPAND(...) __VA_ARGS__
FETCHES(1d_f32, __hx_sample, (float x), x, 0, 0, 1, 0)
FETCHES(2d_f32, __hx_sample, (float x, float y), x, y, 0, 2, 0)
FETCHES(3d_f32, __hx_sample, (float x, float y, float z), x, y, z, 3, 0)
FETCHES(a1d_f32, __hx_sample, (int layer, float x), x, 0, 0, 1, layer_of(HANDLE(t), layer))
FETCHES(a2d_f32, __hx_sample, (int layer, float x, float y), x, y, 0, 2, layer_of(HANDLE(t), layer))
FETCHES(1d_s32, __hx_fetch, (int x), x, 0, 0)
FETCHES(2d_s32, __hx_fetch, (int x, int y), x, y, 0)
FETCHES(3d_s32, __hx_fetch, (int x, int y, int z), x, y, z)
FETCHES(a1d_s32, __hx_fetch, (int layer, int x), x, 0, layer_of(HANDLE(t), layer))
FETCHES(a2d_s32, __hx_fetch, (int layer, int x, int y), x, y, layer_of(HANDLE(t), layer))
#undef FETCHES

/* Faces are layers; which one, and where on it, says the table "Cubemap Textures" of the CUDA C++ Programming Guide. */
struct face {
    float x, y;
    int layer;
    uint sampler;
};
INNER struct face face_of(image_handle image, uint sampler, int cube, float x, float y, float z)
{
    const float far_x = as_float(as_uint(x) & 0x7fffffffu), far_y = as_float(as_uint(y) & 0x7fffffffu),
                far_z = as_float(as_uint(z) & 0x7fffffffu);
    float most, right, down;
    int face;
    if (far_x >= far_y && far_x >= far_z) {
        face = x < 0, most = far_x, right = x < 0 ? z : -z, down = -y;
    } else if (far_y >= far_z) {
        face = 2 + (y < 0), most = far_y, right = x, down = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), most = far_z, right = z < 0 ? -x : x, down = -y;
    }
    const int cubes = image->layers ? (int)(image->layers / 6) : 1;
    return (struct face){(right / most + 1) * 0.5f, (down / most + 1) * 0.5f,
                         layer_of(image, 6 * limited(cube, 0, cubes - 1) + face),
                         (sampler & SAMPLER_LINEAR) | SAMPLER_EDGE | SAMPLER_NORMALIZED};
}
uint4 __hx_tex_cubes(ulong t, uint sampler, int cube, float x, float y, float z)
{
    const struct face face = face_of(HANDLE(t), sampler, cube, x, y, z);
    return __hx_sample(HANDLE(t), face.sampler, face.x, face.y, 0, 2, face.layer);
}
uint4 __hx_tex_cube_f32(ulong t, float x, float y, float z)
{
    return __hx_tex_cubes(t, SAMPLER(t), 0, x, y, z);
}
uint4 __hx_tex_sampler_cube_f32(ulong t, ulong s, float x, float y, float z)
{
    return __hx_tex_cubes(t, (uint)s, 0, x, y, z);
}
uint4 __hx_tex_acube_f32(ulong t, int cube, float x, float y, float z)
{
    return __hx_tex_cubes(t, SAMPLER(t), cube, x, y, z);
}
uint4 __hx_tex_sampler_acube_f32(ulong t, ulong s, int cube, float x, float y, float z)
{
    return __hx_tex_cubes(t, (uint)s, cube, x, y, z);
}

/* One channel of the four texels around a place, against the clock from the lower left one on. */
INNER uint channel_of(uint4 texel, uint channel)
{
    return channel == 0 ? texel.x : channel == 1 ? texel.y : channel == 2 ? texel.z : texel.w;
}
uint4 __hx_gather(ulong t, uint sampler, float at_x, float at_y, int layer, uint channel)
{
    const image_handle image = HANDLE(t);
    require_image(image);
    const struct axis x = axis_of(at_x, image->width, sampler), y = axis_of(at_y, image->height, sampler_of(sampler, SAMPLER_OF_Y));
    const int left = whole_part(x.at - 0.5f), low = whole_part(y.at - 0.5f);
    const int x0 = index_on(x, left), x1 = index_on(x, left + 1), y0 = index_on(y, low), y1 = index_on(y, low + 1);
    return (uint4)(channel_of(texel_or_border(image, x0, y1, layer), channel), channel_of(texel_or_border(image, x1, y1, layer), channel),
                   channel_of(texel_or_border(image, x1, y0, layer), channel), channel_of(texel_or_border(image, x0, y0, layer), channel));
}
#define GATHERS(geometry, PARAMS, x, y, layer)                                                                         \
    uint4 __hx_tld4_##geometry(ulong t, EXPAND PARAMS, uint channel)                                                   \
    {                                                                                                                  \
        return __hx_gather(t, SAMPLER(t), x, y, layer, channel);                                                       \
    }                                                                                                                  \
    uint4 __hx_tld4_sampler_##geometry(ulong t, ulong s, EXPAND PARAMS, uint channel)                                  \
    {                                                                                                                  \
        return __hx_gather(t, (uint)s, x, y, layer, channel);                                                          \
    }
#define CUBE_GATHERS(geometry, PARAMS, cube)                                                                           \
    INNER uint4 gather_##geometry(ulong t, uint sampler, EXPAND PARAMS, uint channel)                                  \
    {                                                                                                                  \
        const struct face face = face_of(HANDLE(t), sampler, cube, x, y, z);                                           \
        return __hx_gather(t, face.sampler, face.x, face.y, face.layer, channel);                                      \
    }                                                                                                                  \
    uint4 __hx_tld4_##geometry(ulong t, EXPAND PARAMS, uint channel)                                                   \
    {                                                                                                                  \
        return gather_##geometry(t, SAMPLER(t), NAMES_##geometry, channel);                                            \
    }                                                                                                                  \
    uint4 __hx_tld4_sampler_##geometry(ulong t, ulong s, EXPAND PARAMS, uint channel)                                  \
    {                                                                                                                  \
        return gather_##geometry(t, (uint)s, NAMES_##geometry, channel);                                               \
    }
#define NAMES_cube  x, y, z
#define NAMES_acube number, x, y, z
GATHERS(2d, (float x, float y), x, y, 0)
GATHERS(a2d, (int layer, float x, float y), x, y, layer_of(HANDLE(t), layer))
CUBE_GATHERS(cube, (float x, float y, float z), 0)
CUBE_GATHERS(acube, (int number, float x, float y, float z), number)
#undef NAMES_acube
#undef NAMES_cube
#undef CUBE_GATHERS
#undef GATHERS

/* --- PTX: surfaces -------------------------------------------------------------------------------------- */

/* Where byte x of row y would be, if the surface had it. */
INNER ulong surface_place(image_handle image, int x, int y, int z)
{
    return image->data + (ulong)(long)z * image->slice_bytes + (ulong)((long)y * (long)image->row_bytes) + (ulong)(long)x;
}
/* The address of `bytes` bytes from byte x of row y on. Beyond the ends: 0. */
INNER ulong surface_address(image_handle image, int x, int y, int z, int bytes)
{
    const int row = (int)(image->width * image->texel_bytes), slices = image->layers ? (int)image->layers : (int)image->depth;
    if (x < 0 || x > row - bytes || y < 0 || y >= (int)image->height || z < 0 || z >= slices)
        return 0;
    return surface_place(image, x, y, z);
}
INNER ulong clamped_address(image_handle image, int x, int y, int z, int bytes)
{
    const int row = (int)(image->width * image->texel_bytes), slices = image->layers ? (int)image->layers : (int)image->depth;
    return surface_address(image, limited(x, 0, row - bytes), limited(y, 0, (int)image->height - 1), limited(z, 0, slices - 1), bytes);
}
/* For loads: .zero reads the border's zeros, .trap an address that no buffer has, from which it is known where
 * it was to be (program/image.h, IMAGE_OUTSIDE). */
#define OUTSIDE (1ul << 62)
ulong __hx_surface_get_zero(ulong s, int x, int y, int z, int bytes)
{
    const ulong at = surface_address(HANDLE(s), x, y, z, bytes);
    return at ? at : (ulong)HANDLE(s)->border;
}
ulong __hx_surface_get_clamp(ulong s, int x, int y, int z, int bytes)
{
    return clamped_address(HANDLE(s), x, y, z, bytes);
}
ulong __hx_surface_get_trap(ulong s, int x, int y, int z, int bytes)
{
    const ulong at = surface_address(HANDLE(s), x, y, z, bytes);
    return at ? at : OUTSIDE | (surface_place(HANDLE(s), x, y, z) & (OUTSIDE - 1));
}
/* For stores: 0 where nothing is to be stored. */
ulong __hx_surface_put_zero(ulong s, int x, int y, int z, int bytes)
{
    return surface_address(HANDLE(s), x, y, z, bytes);
}
ulong __hx_surface_put_clamp(ulong s, int x, int y, int z, int bytes)
{
    return clamped_address(HANDLE(s), x, y, z, bytes);
}
ulong __hx_surface_put_trap(ulong s, int x, int y, int z, int bytes)
{
    return __hx_surface_get_trap(s, x, y, z, bytes);
}

/* --- stores with conversion ----------------------------------------------------------------------------- */

INNER void write_channel(ulong at, uint type, uint bits)
{
    const float value = as_float(bits);
    const int number = (int)bits;
    switch (type) {
    case TYPE_SNORM8:
        *(global char *)at = (char)quantised(value * 127.0f, -128, 127);
        break;
    case TYPE_SNORM16:
        *(global short *)at = (short)quantised(value * 32767.0f, -32768, 32767);
        break;
    case TYPE_UNORM8:
        *(global uchar *)at = (uchar)quantised(value * 255.0f, 0, 255);
        break;
    case TYPE_UNORM16:
        *(global ushort *)at = (ushort)quantised(value * 65535.0f, 0, 65535);
        break;
    case TYPE_SIGNED8:
        *(global char *)at = (char)limited(number, -128, 127);
        break;
    case TYPE_SIGNED16:
        *(global short *)at = (short)limited(number, -32768, 32767);
        break;
    case TYPE_UNSIGNED8:
        *(global uchar *)at = (uchar)(bits < 255u ? bits : 255u);
        break;
    case TYPE_UNSIGNED16:
        *(global ushort *)at = (ushort)(bits < 65535u ? bits : 65535u);
        break;
    case TYPE_HALF:
        *(global half *)at = (half)value;
        break;
    default:
        *(global uint *)at = bits;
    }
}

INNER void write_texel(image_handle image, ulong at, uint4 value)
{
    const uint type = image->type, channels = image->channels, bytes = image->texel_bytes / channels;
    if (image->order == ORDER_BGRA)
        value = value.zyxw;
    write_channel(at, type, image->order == ORDER_A ? value.w : value.x);
    if (channels > 1)
        write_channel(at + bytes, type, value.y);
    if (channels > 2)
        write_channel(at + 2 * bytes, type, value.z);
    if (channels > 3)
        write_channel(at + 3 * bytes, type, value.w);
}
#define STORES(mode)                                                                                                   \
    void __hx_surface_store_##mode(ulong s, int x, int y, int z, uint r, uint g, uint b, uint a)                       \
    {                                                                                                                  \
        const int bytes = (int)HANDLE(s)->texel_bytes;                                                                 \
        const ulong at = __hx_surface_put_##mode(s, (int)((uint)x * (uint)bytes), y, z, bytes);                        \
        if (at)                                                                                                        \
            write_texel(HANDLE(s), at, (uint4)(r, g, b, a));                                                           \
    }
STORES(zero)
STORES(clamp)
STORES(trap)
#undef STORES

/* --- reductions on surfaces, with x in texels -------------------------------------------------------------- */

#define REDUCE(name, mode, of_signed, of_unsigned)                                                                     \
    void __hx_surface_##name##_##mode(ulong s, int x, int y, int z, uint value)                                        \
    {                                                                                                                  \
        const int bytes = (int)HANDLE(s)->texel_bytes;                                                                 \
        const ulong at = __hx_surface_put_##mode(s, (int)((uint)x * (uint)bytes), y, z, bytes);                        \
        if (at && HANDLE(s)->type == TYPE_SIGNED32)                                                                    \
            __asm__ volatile("red.global." of_signed " [%0], %1;" : : "l"(at), "r"(value) : "memory");                 \
        else if (at)                                                                                                   \
            __asm__ volatile("red.global." of_unsigned " [%0], %1;" : : "l"(at), "r"(value) : "memory");               \
    }
#define REDUCES(mode)                                                                                                  \
    REDUCE(add, mode, "add.u32", "add.u32")                                                                            \
    REDUCE(min, mode, "min.s32", "min.u32")                                                                            \
    REDUCE(max, mode, "max.s32", "max.u32")                                                                            \
    REDUCE(and, mode, "and.b32", "and.b32")                                                                            \
    REDUCE(or, mode, "or.b32", "or.b32")
REDUCES(zero)
REDUCES(clamp)
REDUCES(trap)
#undef REDUCES
#undef REDUCE
