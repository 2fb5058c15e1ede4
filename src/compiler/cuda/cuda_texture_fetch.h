/* What kernels read and write of textures and surfaces: instructions of PTX for images. A texture that is a
 * variable is its own handle. */
#pragma once
__HEXEC_HEADER_BEGIN

/* Lines are those of the kernel that calls. */
#define __hexec_method __device__ __attribute__((always_inline, nodebug))
#define __hexec_member static __hexec_method
#define __hexec_device static inline __device__ __attribute__((always_inline, nodebug))

/* --- elements ------------------------------------------------------------------------------------------- */

/* A T of four words: numbers, or floats where the texture has such. */
template <typename __T> struct __hexec_made;
#define __hexec_scalar(__T, value)                                                                           \
    template <> struct __hexec_made<__T> {                                                                   \
        __hexec_member __T of(const uint4 &w)                                                                \
        {                                                                                                    \
            return value;                                                                                    \
        }                                                                                                    \
    };
#define __hexec_vectors(__T, __S)                                                                            \
    template <> struct __hexec_made<__T##1> {                                                                \
        __hexec_member __T##1 of(const uint4 &w)                                                             \
        {                                                                                                    \
            return make_##__T##1(__S(w.x));                                                                  \
        }                                                                                                    \
    };                                                                                                       \
    template <> struct __hexec_made<__T##2> {                                                                \
        __hexec_member __T##2 of(const uint4 &w)                                                             \
        {                                                                                                    \
            return make_##__T##2(__S(w.x), __S(w.y));                                                        \
        }                                                                                                    \
    };                                                                                                       \
    template <> struct __hexec_made<__T##4> {                                                                \
        __hexec_member __T##4 of(const uint4 &w)                                                             \
        {                                                                                                    \
            return make_##__T##4(__S(w.x), __S(w.y), __S(w.z), __S(w.w));                                    \
        }                                                                                                    \
    };
__hexec_scalar(char, (char)w.x) __hexec_scalar(signed char, (signed char)w.x)
    __hexec_scalar(unsigned char, (unsigned char)w.x) __hexec_scalar(short, (short)w.x) __hexec_scalar(
        unsigned short, (unsigned short)w.x) __hexec_scalar(int, (int)w.x) __hexec_scalar(unsigned int, w.x)
        __hexec_scalar(float, __uint_as_float(w.x)) __hexec_vectors(char, (signed char))
            __hexec_vectors(uchar, (unsigned char)) __hexec_vectors(short, (short))
                __hexec_vectors(ushort, (unsigned short)) __hexec_vectors(int, (int))
                    __hexec_vectors(uint, (unsigned int)) __hexec_vectors(float, __uint_as_float)
#undef __hexec_scalar
#undef __hexec_vectors

/* --- textures ------------------------------------------------------------------------------------------- */

/* A function that gives four words, for objects and, with `Texture`, for variables. */
#define __hexec_texture(name, instruction, places, parameters, ...)                                          \
    __hexec_device uint4 __hexec_##name parameters                                                           \
    {                                                                                                        \
        uint4 w;                                                                                             \
        asm(instruction " {%0, %1, %2, %3}, [%4, {" places "}];"                                             \
            : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)                                                     \
            : "l"(t), __VA_ARGS__);                                                                          \
        return w;                                                                                            \
    }
#define __hexec_object unsigned long long t
                        __hexec_texture(fetch, "tex.1d.v4.u32.s32", "%5", (__hexec_object, int x), "r"(x))
                            __hexec_texture(1d, "tex.1d.v4.u32.f32", "%5", (__hexec_object, float x),
                                            "f"(x)) __hexec_texture(2d, "tex.2d.v4.u32.f32", "%5, %6",
                                                                    (__hexec_object, float x, float y),
                                                                    "f"(x), "f"(y))
                                __hexec_texture(3d, "tex.3d.v4.u32.f32", "%5, %6, %7, %7",
                                                (__hexec_object, float x, float y, float z), "f"(x), "f"(y),
                                                "f"(z))
                                    __hexec_texture(cube, "tex.cube.v4.u32.f32", "%5, %6, %7, %7",
                                                    (__hexec_object, float x, float y, float z), "f"(x),
                                                    "f"(y),
                                                    "f"(z))
                                        __hexec_texture(a1d, "tex.a1d.v4.u32.f32", "%5, %6",
                                                        (__hexec_object, int layer, float x), "r"(layer),
                                                        "f"(x)) __hexec_texture(a2d, "tex.a2d.v4.u32.f32",
                                                                                "%5, %6, %7, %7",
                                                                                (__hexec_object, int layer,
                                                                                 float x, float y),
                                                                                "r"(layer), "f"(x), "f"(y))
                                            __hexec_texture(gather0, "tld4.r.2d.v4.u32.f32", "%5, %6",
                                                            (__hexec_object, float x, float y), "f"(x),
                                                            "f"(y))
                                                __hexec_texture(gather1, "tld4.g.2d.v4.u32.f32", "%5, %6",
                                                                (__hexec_object, float x, float y), "f"(x),
                                                                "f"(y))
                                                    __hexec_texture(gather2, "tld4.b.2d.v4.u32.f32", "%5, %6",
                                                                    (__hexec_object, float x, float y),
                                                                    "f"(x),
                                                                    "f"(y))
                                                        __hexec_texture(gather3, "tld4.a.2d.v4.u32.f32",
                                                                        "%5, %6",
                                                                        (__hexec_object, float x, float y),
                                                                        "f"(x), "f"(y))
#undef __hexec_object
#undef __hexec_texture

#define __hexec_unpack(...) __VA_ARGS__
#define __hexec_fetch(name, made, parameters, ...)                                                           \
    template <typename __T> __hexec_device __T name(cudaTextureObject_t t, __hexec_unpack parameters)        \
    {                                                                                                        \
        return __hexec_made<__T>::of(__hexec_##made(t, __VA_ARGS__));                                        \
    }                                                                                                        \
    template <typename __T>                                                                                  \
    __hexec_device void name(__T *value, cudaTextureObject_t t, __hexec_unpack parameters)                   \
    {                                                                                                        \
        *value = __hexec_made<__T>::of(__hexec_##made(t, __VA_ARGS__));                                      \
    }                                                                                                        \
    template <typename __T, int __D, cudaTextureReadMode __M>                                                \
    __hexec_device typename __hexec_texel<__T, __M>::type name(const texture<__T, __D, __M> &variable,       \
                                                               __hexec_unpack parameters)                    \
    {                                                                                                        \
        const unsigned long long t = (unsigned long long)&variable;                                          \
        return __hexec_made<typename __hexec_texel<__T, __M>::type>::of(__hexec_##made(t, __VA_ARGS__));     \
    }
                                                            __hexec_fetch(tex1Dfetch, fetch, (int x),
                                                                          x) __hexec_fetch(tex1D, 1d,
                                                                                           (float x), x)
                                                                __hexec_fetch(tex2D, 2d, (float x, float y),
                                                                              x, y) __hexec_fetch(tex3D, 3d,
                                                                                                  (float x,
                                                                                                   float y,
                                                                                                   float z),
                                                                                                  x, y, z)
                                                                    __hexec_fetch(texCubemap, cube,
                                                                                  (float x, float y, float z),
                                                                                  x, y, z)
                                                                        __hexec_fetch(tex1DLayered, a1d,
                                                                                      (float x, int layer),
                                                                                      layer, x)
                                                                            __hexec_fetch(tex2DLayered, a2d,
                                                                                          (float x, float y,
                                                                                           int layer),
                                                                                          layer, x, y)
    /* There are no mipmaps: a level or gradient does not count. */
    __hexec_fetch(tex1DLod, 1d, (float x, float), x)
        __hexec_fetch(tex2DLod, 2d, (float x, float y, float), x, y)
            __hexec_fetch(tex3DLod, 3d, (float x, float y, float z, float), x, y, z)
                __hexec_fetch(tex1DGrad, 1d, (float x, float, float), x)
                    __hexec_fetch(tex2DGrad, 2d, (float x, float y, float2, float2), x, y)
                        __hexec_fetch(tex3DGrad, 3d, (float x, float y, float z, float4, float4), x, y, z)
                            __hexec_fetch(tex1DLayeredLod, a1d, (float x, int layer, float), layer, x)
                                __hexec_fetch(tex2DLayeredLod, a2d, (float x, float y, int layer, float),
                                              layer, x, y)
#undef __hexec_fetch

                                    __hexec_device uint4
    __hexec_gather(unsigned long long t, float x, float y, int component)
{
    return component == 0   ? __hexec_gather0(t, x, y)
           : component == 1 ? __hexec_gather1(t, x, y)
           : component == 2 ? __hexec_gather2(t, x, y)
                            : __hexec_gather3(t, x, y);
}
template <typename __T>
__hexec_device __T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    return __hexec_made<__T>::of(__hexec_gather(t, x, y, component));
}
template <typename __T, int __D, cudaTextureReadMode __M>
__hexec_device typename __hexec_texel<__T, __M>::type tex2Dgather(const texture<__T, __D, __M> &variable,
                                                                  float x, float y, int component = 0)
{
    return __hexec_made<typename __hexec_texel<__T, __M>::type>::of(
        __hexec_gather((unsigned long long)&variable, x, y, component));
}

/* --- surfaces ------------------------------------------------------------------------------------------- */

/* An access of so many bytes in each boundary mode, whose parts are words of a type of PTX. */
template <unsigned Bytes> struct __hexec_surface;
#define __hexec_at [s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)
#define __hexec_get(geometry, type, places, words, outs, boundary)                                           \
    asm volatile("suld.b." geometry type "." #boundary " {" words "}, [%[s], {" places "}];"                 \
                 : outs:__hexec_at                                                                           \
                 : "memory")
#define __hexec_put(geometry, type, places, words, ins, boundary)                                            \
    asm volatile("sust.b." geometry type "." #boundary " [%[s], {" places "}], {" words "};"                 \
                 :                                                                                           \
                 : __hexec_at, ins                                                                           \
                 : "memory")
#define __hexec_by_mode(access, geometry, type, places, words, values)                                       \
    if (mode == cudaBoundaryModeZero)                                                                        \
        access(geometry, type, places, words, __hexec_unpack values, zero);                                  \
    else if (mode == cudaBoundaryModeClamp)                                                                  \
        access(geometry, type, places, words, __hexec_unpack values, clamp);                                 \
    else                                                                                                     \
        access(geometry, type, places, words, __hexec_unpack values, trap)
#define __hexec_accesses(name, geometry, type, places, words, outs, ins)                                     \
    __hexec_method void get_##name(unsigned long long s, int x, int y, int z, cudaSurfaceBoundaryMode mode)  \
    {                                                                                                        \
        __hexec_by_mode(__hexec_get, geometry, type, places, words, outs);                                   \
    }                                                                                                        \
    __hexec_method void put_##name(unsigned long long s, int x, int y, int z, cudaSurfaceBoundaryMode mode)  \
    {                                                                                                        \
        __hexec_by_mode(__hexec_put, geometry, type, places, words, ins);                                    \
    }
#define __hexec_size(bytes, __T, count, type, words, outs, ins)                                              \
    template <> struct __hexec_surface<bytes> {                                                              \
        __T p[count];                                                                                        \
        __hexec_accesses(1d, "1d", type, "%[x]", words, outs, ins)                                           \
            __hexec_accesses(2d, "2d", type, "%[x], %[y]", words, outs, ins)                                 \
                __hexec_accesses(3d, "3d", type, "%[x], %[y], %[z], %[z]", words, outs, ins)                 \
                    __hexec_accesses(a1d, "a1d", type, "%[z], %[x]", words, outs, ins)                       \
                        __hexec_accesses(a2d, "a2d", type, "%[z], %[x], %[y], %[y]", words, outs, ins)       \
    };
__hexec_size(1, unsigned short, 1, ".b8", "%[a]", ([a] "=h"(p[0])), ([a] "h"(p[0]))) /* its low byte */
    __hexec_size(2, unsigned short, 1, ".b16", "%[a]", ([a] "=h"(p[0])), ([a] "h"(p[0])))
        __hexec_size(4, unsigned int, 1, ".b32", "%[a]", ([a] "=r"(p[0])), ([a] "r"(p[0])))
            __hexec_size(8, unsigned int, 2, ".v2.b32", "%[a], %[b]", ([a] "=r"(p[0]), [b] "=r"(p[1])),
                         ([a] "r"(p[0]), [b] "r"(p[1])))
                __hexec_size(16, unsigned int, 4, ".v4.b32", "%[a], %[b], %[c], %[d]",
                             ([a] "=r"(p[0]), [b] "=r"(p[1]), [c] "=r"(p[2]), [d] "=r"(p[3])),
                             ([a] "r"(p[0]), [b] "r"(p[1]), [c] "r"(p[2]), [d] "r"(p[3])))
#undef __hexec_size
#undef __hexec_accesses
#undef __hexec_by_mode
#undef __hexec_put
#undef __hexec_get
#undef __hexec_at

#define __hexec_mode cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define __hexec_surfaces(geometry, made, parameters, x, y, z)                                                \
    template <typename __T>                                                                                  \
    __hexec_device __T surf##geometry##read(cudaSurfaceObject_t s, __hexec_unpack parameters, __hexec_mode)  \
    {                                                                                                        \
        __hexec_surface<sizeof(__T)> access;                                                                 \
        __T value;                                                                                           \
        access.get_##made(s, x, y, z, mode);                                                                 \
        __builtin_memcpy(&value, access.p, sizeof value);                                                    \
        return value;                                                                                        \
    }                                                                                                        \
    template <typename __T>                                                                                  \
    __hexec_device void surf##geometry##read(__T *value, cudaSurfaceObject_t s, __hexec_unpack parameters,   \
                                             __hexec_mode)                                                   \
    {                                                                                                        \
        *value = surf##geometry##read<__T>(s, __hexec_unpack_names, mode);                                   \
    }                                                                                                        \
    template <typename __T>                                                                                  \
    __hexec_device void surf##geometry##write(__T value, cudaSurfaceObject_t s, __hexec_unpack parameters,   \
                                              __hexec_mode)                                                  \
    {                                                                                                        \
        __hexec_surface<sizeof(__T)> access = {};                                                            \
        __builtin_memcpy(access.p, &value, sizeof value);                                                    \
        access.put_##made(s, x, y, z, mode);                                                                 \
    }
#define __hexec_unpack_names x
                    __hexec_surfaces(1D, 1d, (int x), x, 0, 0)
#undef __hexec_unpack_names
#define __hexec_unpack_names x, y
                        __hexec_surfaces(2D, 2d, (int x, int y), x, y, 0)
#undef __hexec_unpack_names
#define __hexec_unpack_names x, y, z
                            __hexec_surfaces(3D, 3d, (int x, int y, int z), x, y, z)
#undef __hexec_unpack_names
#define __hexec_unpack_names x, layer
                                __hexec_surfaces(1DLayered, a1d, (int x, int layer), x, 0, layer)
#undef __hexec_unpack_names
#define __hexec_unpack_names x, y, layer
                                    __hexec_surfaces(2DLayered, a2d, (int x, int y, int layer), x, y, layer)
#undef __hexec_unpack_names
#undef __hexec_surfaces
#undef __hexec_mode
#undef __hexec_unpack
#undef __hexec_device
#undef __hexec_member
#undef __hexec_method
                                        __HEXEC_HEADER_END
