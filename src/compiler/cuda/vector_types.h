/* char1 to double4, dim3, and the functions that make them (CUDA C Programming Guide, "Built-in Vector
 * Types"). */
#pragma once
__HEXEC_HEADER_BEGIN

#define __hexec_vectors(name, type, align2, align4)                                                          \
    struct name##1                                                                                           \
    {                                                                                                        \
        type x;                                                                                              \
    };                                                                                                       \
    struct align2 name##2                                                                                    \
    {                                                                                                        \
        type x, y;                                                                                           \
    };                                                                                                       \
    struct name##3                                                                                           \
    {                                                                                                        \
        type x, y, z;                                                                                        \
    };                                                                                                       \
    struct align4 name##4                                                                                    \
    {                                                                                                        \
        type x, y, z, w;                                                                                     \
    };                                                                                                       \
    static inline __host__ __device__ constexpr name##1 make_##name##1(type x)                               \
    {                                                                                                        \
        return name##1 {x};                                                                                  \
    }                                                                                                        \
    static inline __host__ __device__ constexpr name##2 make_##name##2(type x, type y)                       \
    {                                                                                                        \
        return name##2 {x, y};                                                                               \
    }                                                                                                        \
    static inline __host__ __device__ constexpr name##3 make_##name##3(type x, type y, type z)               \
    {                                                                                                        \
        return name##3 {x, y, z};                                                                            \
    }                                                                                                        \
    static inline __host__ __device__ constexpr name##4 make_##name##4(type x, type y, type z, type w)       \
    {                                                                                                        \
        return name##4 {x, y, z, w};                                                                         \
    }
__hexec_vectors(char, signed char, __align__(2), __align__(4));
__hexec_vectors(uchar, unsigned char, __align__(2), __align__(4));
__hexec_vectors(short, short, __align__(4), __align__(8));
__hexec_vectors(ushort, unsigned short, __align__(4), __align__(8));
__hexec_vectors(int, int, __align__(8), __align__(16));
__hexec_vectors(uint, unsigned int, __align__(8), __align__(16));
__hexec_vectors(long, long, __align__(16), __align__(16));
__hexec_vectors(ulong, unsigned long, __align__(16), __align__(16));
__hexec_vectors(longlong, long long, __align__(16), __align__(16));
__hexec_vectors(ulonglong, unsigned long long, __align__(16), __align__(16));
__hexec_vectors(float, float, __align__(8), __align__(16));
__hexec_vectors(double, double, __align__(16), __align__(16));
#undef __hexec_vectors

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};
__HEXEC_HEADER_END
