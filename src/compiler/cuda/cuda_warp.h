/* What the threads of a warp call together: shuffles, votes, matches, reductions. As assembly: clang has
 * functions for them only if it knows that the version of PTX has them. */
#pragma once
__HEXEC_HEADER_BEGIN

/* Values of 4 bytes go as they are, longer ones in parts. The last operand has the width of a group and the
 * lane behind which nothing is read (PTX ISA, "shfl.sync"). */
#define __hexec_shuffle(NAME, mode, lane_type, clamp)                                                        \
    template <typename __T>                                                                                  \
    static inline __device__ __T NAME(unsigned int mask, __T value, lane_type lane, int width = 32)          \
    {                                                                                                        \
        static_assert(sizeof(__T) % 4 == 0 || sizeof(__T) < 4,                                               \
                      "a shuffled value has 1, 2 or a multiple of 4 bytes");                                 \
        const int bounds = (32 - width) << 8 | clamp;                                                        \
        int parts[(sizeof(__T) + 3) / 4] = {};                                                               \
        __T result;                                                                                          \
        __builtin_memcpy(parts, &value, sizeof(__T));                                                        \
        for (unsigned i = 0; i < (sizeof(__T) + 3) / 4; i++)                                                 \
            asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                                       \
                         : "=r"(parts[i])                                                                    \
                         : "r"(parts[i]), "r"((int)lane), "r"(bounds), "r"(mask));                           \
        __builtin_memcpy(&result, parts, sizeof(__T));                                                       \
        return result;                                                                                       \
    }
__hexec_shuffle(__shfl_sync, idx, int, 31);
__hexec_shuffle(__shfl_up_sync, up, unsigned int, 0);
__hexec_shuffle(__shfl_down_sync, down, unsigned int, 31);
__hexec_shuffle(__shfl_xor_sync, bfly, int, 31);
#undef __hexec_shuffle
/* Without a mask, as before CUDA 9 */
template <typename __T> static inline __device__ __T __shfl(__T v, int lane, int width = 32)
{
    return __shfl_sync(~0u, v, lane, width);
}
template <typename __T> static inline __device__ __T __shfl_up(__T v, unsigned d, int width = 32)
{
    return __shfl_up_sync(~0u, v, d, width);
}
template <typename __T> static inline __device__ __T __shfl_down(__T v, unsigned d, int width = 32)
{
    return __shfl_down_sync(~0u, v, d, width);
}
template <typename __T> static inline __device__ __T __shfl_xor(__T v, int lanes, int width = 32)
{
    return __shfl_xor_sync(~0u, v, lanes, width);
}

static inline __device__ void __syncwarp(unsigned int mask = 0xffffffff)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
#define __hexec_vote(NAME, mode)                                                                             \
    static inline __device__ int NAME(unsigned int mask, int truth)                                          \
    {                                                                                                        \
        int d;                                                                                               \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." #mode                              \
                     ".pred q, p, %2; selp.s32 %0, 1, 0, q;}"                                                \
                     : "=r"(d)                                                                               \
                     : "r"(truth), "r"(mask));                                                               \
        return d;                                                                                            \
    }
__hexec_vote(__all_sync, all);
__hexec_vote(__any_sync, any);
__hexec_vote(__uni_sync, uni);
#undef __hexec_vote
static inline __device__ unsigned int __ballot_sync(unsigned int mask, int truth)
{
    unsigned int d;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2;}"
                 : "=r"(d)
                 : "r"(truth), "r"(mask));
    return d;
}
static inline __device__ unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
static inline __device__ unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int d;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(mask), "r"(base), "r"(offset));
    return d;
}

template <typename __T> static inline __device__ unsigned int __match_any_sync(unsigned int mask, __T value)
{
    static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "a matched value has 4 or 8 bytes");
    long long bits = 0;
    unsigned int found;
    __builtin_memcpy(&bits, &value, sizeof(__T));
    if (sizeof(__T) == 4)
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(found) : "r"((int)bits), "r"(mask));
    else
        asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(found) : "l"(bits), "r"(mask));
    return found;
}
template <typename __T>
static inline __device__ unsigned int __match_all_sync(unsigned int mask, __T value, int *ret_all)
{
    static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "a matched value has 4 or 8 bytes");
    long long bits = 0;
    unsigned int found;
    int all;
    __builtin_memcpy(&bits, &value, sizeof(__T));
    if (sizeof(__T) == 4)
        asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(found), "=r"(all)
                     : "r"((int)bits), "r"(mask));
    else
        asm volatile("{.reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"
                     : "=r"(found), "=r"(all)
                     : "l"(bits), "r"(mask));
    *ret_all = all;
    return found;
}

#define __hexec_reduce(NAME, type, ptx)                                                                      \
    static inline __device__ type NAME(unsigned int mask, type value)                                        \
    {                                                                                                        \
        type d;                                                                                              \
        asm volatile("redux.sync." ptx " %0, %1, %2;" : "=r"(d) : "r"(value), "r"(mask));                    \
        return d;                                                                                            \
    }
__hexec_reduce(__reduce_add_sync, int, "add.s32");
__hexec_reduce(__reduce_add_sync, unsigned int, "add.u32");
__hexec_reduce(__reduce_min_sync, int, "min.s32");
__hexec_reduce(__reduce_min_sync, unsigned int, "min.u32");
__hexec_reduce(__reduce_max_sync, int, "max.s32");
__hexec_reduce(__reduce_max_sync, unsigned int, "max.u32");
__hexec_reduce(__reduce_and_sync, unsigned int, "and.b32");
__hexec_reduce(__reduce_or_sync, unsigned int, "or.b32");
__hexec_reduce(__reduce_xor_sync, unsigned int, "xor.b32");
#undef __hexec_reduce
__HEXEC_HEADER_END
