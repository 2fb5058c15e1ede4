/* OpenCL's functions of images. clang has no code for image2d_t on these devices, so that a definition under OpenCL's own
 * name cannot look into its image: an image is a handle here, and the names are those that clang gives calls in kernels. */

/* What is read and written is 32 bits a channel, of which halves are the floats. */
#define CHANNELS(T)                                                                                                    \
    INNER T##4 result_##T(uint4 bits)                                                                                  \
    {                                                                                                                  \
        return as_##T##4(bits);                                                                                        \
    }                                                                                                                  \
    INNER uint4 bits_of_##T(T##4 value)                                                                                \
    {                                                                                                                  \
        return as_uint4(value);                                                                                        \
    }
CHANNELS(float)
CHANNELS(int)
CHANNELS(uint)
#undef CHANNELS
INNER half4 result_half(uint4 bits)
{
    const float4 v = as_float4(bits);
    return (half4)((half)v.x, (half)v.y, (half)v.z, (half)v.w);
}
INNER uint4 bits_of_half(half4 v)
{
    return as_uint4((float4)((float)v.x, (float)v.y, (float)v.z, (float)v.w));
}

/* Functions of one kind of image: how clang writes the kind, the vector types of places, and what reads one. */
#define READS(R, T, prefix, kind, mangled, INTS, ints, FLOATS, floats, by_float, by_int)                               \
    T##4 read##R##_##kind##_sf(ulong t, ulong s, FLOATS c) __asm__(prefix mangled "11ocl_sampler" floats);             \
    T##4 read##R##_##kind##_si(ulong t, ulong s, INTS c) __asm__(prefix mangled "11ocl_sampler" ints);                 \
    T##4 read##R##_##kind##_i(ulong t, INTS c) __asm__(prefix mangled ints);                                           \
    T##4 read##R##_##kind##_sf(ulong t, ulong s, FLOATS c)                                                             \
    {                                                                                                                  \
        return result_##T(by_float(HANDLE(t), (uint)s, c));                                                             \
    }                                                                                                                  \
    T##4 read##R##_##kind##_si(ulong t, ulong s, INTS c)                                                               \
    {                                                                                                                  \
        return result_##T(by_int(HANDLE(t), (uint)s, c));                                                               \
    }                                                                                                                  \
    T##4 read##R##_##kind##_i(ulong t, INTS c)                                                                         \
    {                                                                                                                  \
        return result_##T(by_int(HANDLE(t), SAMPLER_EDGE, c));                                                          \
    }
#define WRITES(R, T, prefix, kind, mangled, INTS, ints, vector, at_x, at_y, at_z)                                      \
    void write##R##_##kind(ulong t, INTS c, T##4 value) __asm__(prefix mangled ints vector);                           \
    void write##R##_##kind(ulong t, INTS c, T##4 value)                                                                \
    {                                                                                                                  \
        const uint4 bits = bits_of_##T(value);                                                                         \
        if ((uint)(at_x) < HANDLE(t)->width) /* in bytes, it might come round to the begin */                          \
            __hx_surface_store_zero(t, at_x, at_y, at_z, bits.x, bits.y, bits.z, bits.w);                              \
    }
#define EACH_READ(...)                                                                                                 \
    READS(f, float, "_Z11read_imagef", __VA_ARGS__)                                                                    \
    READS(h, half, "_Z11read_imageh", __VA_ARGS__)                                                                     \
    READS(i, int, "_Z11read_imagei", __VA_ARGS__)                                                                      \
    READS(ui, uint, "_Z12read_imageui", __VA_ARGS__)

#define FLOAT_1D(t, s, c)  __hx_sample(t, s | SAMPLER_EXACT, c, 0, 0, 1, 0)
#define FLOAT_2D(t, s, c)  __hx_sample(t, s | SAMPLER_EXACT, c.x, c.y, 0, 2, 0)
#define FLOAT_3D(t, s, c)  __hx_sample(t, s | SAMPLER_EXACT, c.x, c.y, c.z, 3, 0)
#define FLOAT_A1D(t, s, c) __hx_sample(t, s | SAMPLER_EXACT, c.x, 0, 0, 1, layer_of(t, nearest(c.y)))
#define FLOAT_A2D(t, s, c) __hx_sample(t, s | SAMPLER_EXACT, c.x, c.y, 0, 2, layer_of(t, nearest(c.z)))
#define INT_1D(t, s, c)    __hx_fetch(t, s, c, 0, 0)
#define INT_2D(t, s, c)    __hx_fetch(t, s, c.x, c.y, 0)
#define INT_3D(t, s, c)    __hx_fetch(t, s, c.x, c.y, c.z)
#define INT_A1D(t, s, c)   __hx_fetch(t, s, c.x, 0, layer_of(t, c.y))
#define INT_A2D(t, s, c)   __hx_fetch(t, s, c.x, c.y, layer_of(t, c.z))

EACH_READ(1d_ro, "14ocl_image1d_ro", int, "i", float, "f", FLOAT_1D, INT_1D)
EACH_READ(1d_rw, "14ocl_image1d_rw", int, "i", float, "f", FLOAT_1D, INT_1D)
EACH_READ(2d_ro, "14ocl_image2d_ro", int2, "Dv2_i", float2, "Dv2_f", FLOAT_2D, INT_2D)
EACH_READ(2d_rw, "14ocl_image2d_rw", int2, "Dv2_i", float2, "Dv2_f", FLOAT_2D, INT_2D)
EACH_READ(3d_ro, "14ocl_image3d_ro", int4, "Dv4_i", float4, "Dv4_f", FLOAT_3D, INT_3D)
EACH_READ(3d_rw, "14ocl_image3d_rw", int4, "Dv4_i", float4, "Dv4_f", FLOAT_3D, INT_3D)
EACH_READ(a1d_ro, "20ocl_image1d_array_ro", int2, "Dv2_i", float2, "Dv2_f", FLOAT_A1D, INT_A1D)
EACH_READ(a1d_rw, "20ocl_image1d_array_rw", int2, "Dv2_i", float2, "Dv2_f", FLOAT_A1D, INT_A1D)
EACH_READ(a2d_ro, "20ocl_image2d_array_ro", int4, "Dv4_i", float4, "Dv4_f", FLOAT_A2D, INT_A2D)
EACH_READ(a2d_rw, "20ocl_image2d_array_rw", int4, "Dv4_i", float4, "Dv4_f", FLOAT_A2D, INT_A2D)
EACH_READ(buffer_ro, "21ocl_image1d_buffer_ro", int, "i", float, "f", FLOAT_1D, INT_1D)
EACH_READ(buffer_rw, "21ocl_image1d_buffer_rw", int, "i", float, "f", FLOAT_1D, INT_1D)
#undef EACH_READ
#undef READS

#define VECTORS(access)                                                                                                \
    FORMS(access, f, float, "_Z12write_imagef", "Dv4_f", "Dv4_f")                                                      \
    FORMS(access, h, half, "_Z12write_imageh", "Dv4_Dh", "Dv4_Dh")                                                     \
    FORMS(access, i, int, "_Z12write_imagei", "Dv4_i", "S0_")                                                          \
    FORMS(access, ui, uint, "_Z13write_imageui", "Dv4_j", "Dv4_j")
/* behind_int4: how the vector is written where an int4 stands before it */
#define FORMS(access, R, T, prefix, vector, behind_int4)                                                                            \
    WRITES(R, T, prefix, 1d_##access, "14ocl_image1d_" #access, int, "i", vector, c, 0, 0)                             \
    WRITES(R, T, prefix, 2d_##access, "14ocl_image2d_" #access, int2, "Dv2_i", vector, c.x, c.y, 0)                    \
    WRITES(R, T, prefix, 3d_##access, "14ocl_image3d_" #access, int4, "Dv4_i", behind_int4, c.x, c.y, c.z)                  \
    WRITES(R, T, prefix, a1d_##access, "20ocl_image1d_array_" #access, int2, "Dv2_i", vector, c.x, 0, c.y)             \
    WRITES(R, T, prefix, a2d_##access, "20ocl_image2d_array_" #access, int4, "Dv4_i", behind_int4, c.x, c.y, c.z)           \
    WRITES(R, T, prefix, buffer_##access, "21ocl_image1d_buffer_" #access, int, "i", vector, c, 0, 0)
VECTORS(wo)
VECTORS(rw)
#undef FORMS
#undef VECTORS
#undef WRITES

#define ASK(name, prefix, kind, mangled, T, value)                                                                     \
    T name##_##kind(ulong t) __asm__(prefix mangled);                                                                  \
    T name##_##kind(ulong t)                                                                                           \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
#define ASK_EACH(name, prefix, T, value)                                                                               \
    ASK_KIND(name, prefix, 1d, "14ocl_image1d_", T, value)                                                             \
    ASK_KIND(name, prefix, 2d, "14ocl_image2d_", T, value)                                                             \
    ASK_KIND(name, prefix, 3d, "14ocl_image3d_", T, value)                                                             \
    ASK_KIND(name, prefix, a1d, "20ocl_image1d_array_", T, value)                                                      \
    ASK_KIND(name, prefix, a2d, "20ocl_image2d_array_", T, value)                                                      \
    ASK_KIND(name, prefix, buffer, "21ocl_image1d_buffer_", T, value)
#define ASK_KIND(name, prefix, kind, mangled, T, value)                                                                \
    ASK(name, prefix, kind##_ro, mangled "ro", T, value)                                                               \
    ASK(name, prefix, kind##_wo, mangled "wo", T, value)                                                               \
    ASK(name, prefix, kind##_rw, mangled "rw", T, value)
ASK_EACH(width, "_Z15get_image_width", int, (int)HANDLE(t)->width)
ASK_EACH(data_type, "_Z27get_image_channel_data_type", int, (int)HANDLE(t)->type)
ASK_EACH(order, "_Z23get_image_channel_order", int, (int)HANDLE(t)->order)
ASK_KIND(height, "_Z16get_image_height", 2d, "14ocl_image2d_", int, (int)HANDLE(t)->height)
ASK_KIND(height, "_Z16get_image_height", 3d, "14ocl_image3d_", int, (int)HANDLE(t)->height)
ASK_KIND(height, "_Z16get_image_height", a2d, "20ocl_image2d_array_", int, (int)HANDLE(t)->height)
ASK_KIND(depth, "_Z15get_image_depth", 3d, "14ocl_image3d_", int, (int)HANDLE(t)->depth)
ASK_KIND(layers, "_Z20get_image_array_size", a1d, "20ocl_image1d_array_", ulong, HANDLE(t)->layers)
ASK_KIND(layers, "_Z20get_image_array_size", a2d, "20ocl_image2d_array_", ulong, HANDLE(t)->layers)
ASK_KIND(dim, "_Z13get_image_dim", 2d, "14ocl_image2d_", int2, (int2)((int)HANDLE(t)->width, (int)HANDLE(t)->height))
ASK_KIND(dim, "_Z13get_image_dim", a2d, "20ocl_image2d_array_", int2, (int2)((int)HANDLE(t)->width, (int)HANDLE(t)->height))
ASK_KIND(dim, "_Z13get_image_dim", 3d, "14ocl_image3d_", int4, (int4)((int)HANDLE(t)->width, (int)HANDLE(t)->height, (int)HANDLE(t)->depth, 0))
#undef ASK_KIND
#undef ASK_EACH
#undef ASK

/* A sampler is its bits. */
ulong __translate_sampler_initializer(int bits)
{
    return (uint)bits;
}
