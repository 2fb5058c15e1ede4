/* What PTX does with many bytes, or with elements that no atomic instruction of hexec takes: copies in bulk, reductions of them,
 * atomics of 128 bits, and the smaller and greater of halves. Addresses are generic. */

#define PLACE(T, at) ((__generic T *)(at))

/* --- atomics -------------------------------------------------------------------------------------------- */

INNER ushort swap_16(ulong at, ushort wanted, ushort value)
{
    ushort old;
    __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(at), "h"(wanted), "h"(value) : "memory");
    return old;
}
INNER uint swap_32(ulong at, uint wanted, uint value)
{
    uint old;
    __asm__ volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(at), "r"(wanted), "r"(value) : "memory");
    return old;
}
#define CHOSEN(NAME, T, REG, SWAP, ptx)                                                                                \
    uint __hx_atomic_##NAME(ulong at, uint value)                                                                      \
    {                                                                                                                  \
        T old, seen = *PLACE(volatile T, at);                                                                          \
        do {                                                                                                           \
            T next;                                                                                                    \
            old = seen;                                                                                                \
            __asm__(ptx " %0, %1, %2;" : "=" REG(next) : REG(old), REG((T)value));                                     \
            seen = SWAP(at, old, next);                                                                                \
        } while (seen != old);                                                                                         \
        return old;                                                                                                    \
    }
CHOSEN(min_f16, ushort, "h", swap_16, "min.f16")
CHOSEN(max_f16, ushort, "h", swap_16, "max.f16")
CHOSEN(min_bf16, ushort, "h", swap_16, "min.bf16")
CHOSEN(max_bf16, ushort, "h", swap_16, "max.bf16")
CHOSEN(min_f16x2, uint, "r", swap_32, "min.f16x2")
CHOSEN(max_f16x2, uint, "r", swap_32, "max.f16x2")
CHOSEN(min_bf16x2, uint, "r", swap_32, "min.bf16x2")
CHOSEN(max_bf16x2, uint, "r", swap_32, "max.bf16x2")
#undef CHOSEN

/* One lock for all places of 128 bits. Who has it gives it back before the others of its warp try again. */
static global uint hexec_wide_lock[1];
ulong2 __hx_atomic_cas_b128(ulong at, ulong wanted_low, ulong wanted_high, ulong low, ulong high)
{
    const ulong lock = (ulong)(__generic uint *)hexec_wide_lock;
    ulong2 old = 0;
    for (bool is_done = false; !is_done;) {
        uint taken;
        __asm__ volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(lock) : "memory");
        if (taken == 0) {
            old = *PLACE(volatile ulong2, at);
            if (old.x == wanted_low && old.y == wanted_high)
                *PLACE(volatile ulong2, at) = (ulong2)(low, high);
            __asm__ volatile("{ .reg .b32 hx_none; atom.release.gpu.exch.b32 hx_none, [%0], 0; }" : : "l"(lock) : "memory");
            is_done = true;
        }
    }
    return old;
}
/* Any value is taken for the one that is wanted, once it was seen. */
ulong2 __hx_atomic_exch_b128(ulong at, ulong low, ulong high)
{
    ulong2 seen = *PLACE(volatile ulong2, at), old;
    do {
        old = seen;
        seen = __hx_atomic_cas_b128(at, old.x, old.y, low, high);
    } while (seen.x != old.x || seen.y != old.y);
    return old;
}

/* --- copies --------------------------------------------------------------------------------------------- */

/* Addresses and size are multiples of 16: a load at an address that is none is the fault that says so. */
INNER void require_sixteens(ulong to, ulong from, uint bytes)
{
    const ulong rest = (to | from | bytes) & 15;
    if (rest)
        (void)*PLACE(volatile uint4, from | rest);
}
void __hx_bulk_copy(ulong to, ulong from, uint bytes)
{
    require_sixteens(to, from, bytes);
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint at = 0; at < bytes; at += 16)
        *PLACE(uint4, to + at) = *PLACE(const uint4, from + at);
}
/* Of each 16 bytes those whose bits are set in the mask. */
void __hx_bulk_copy_masked(ulong to, ulong from, uint bytes, uint mask)
{
    require_sixteens(to, from, bytes);
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint at = 0; at < bytes; at++)
        if (mask >> (at & 15) & 1)
            *PLACE(uchar, to + at) = *PLACE(const uchar, from + at);
}
void __hx_bulk_clear(ulong to, ulong bytes)
{
#pragma clang loop unroll(disable) vectorize(disable)
    for (ulong at = 0; at < bytes; at += 8)
        *PLACE(ulong, to + at) = 0;
}

#define REDUCED(NAME, T, REG, ptx)                                                                                     \
    void __hx_bulk_##NAME(ulong to, ulong from, uint bytes)                                                            \
    {                                                                                                                  \
        require_sixteens(to, from, bytes);                                                                             \
        _Pragma("clang loop unroll(disable) vectorize(disable)") for (uint at = 0; at < bytes; at += sizeof(T))        \
            __asm__ volatile("red." ptx " [%0], %1;" : : "l"(to + at), REG(*PLACE(const T, from + at)) : "memory");    \
    }
#define REDUCED_ALL(what)                                                                                              \
    REDUCED(what##_u32, uint, "r", #what ".u32")                                                                       \
    REDUCED(what##_s32, uint, "r", #what ".s32")                                                                       \
    REDUCED(what##_u64, ulong, "l", #what ".u64")                                                                      \
    REDUCED(what##_s64, ulong, "l", #what ".s64")
REDUCED_ALL(add)
REDUCED_ALL(min)
REDUCED_ALL(max)
REDUCED(inc_u32, uint, "r", "inc.u32")
REDUCED(dec_u32, uint, "r", "dec.u32")
REDUCED(and_b32, uint, "r", "and.b32")
REDUCED(or_b32, uint, "r", "or.b32")
REDUCED(xor_b32, uint, "r", "xor.b32")
REDUCED(and_b64, ulong, "l", "and.b64")
REDUCED(or_b64, ulong, "l", "or.b64")
REDUCED(xor_b64, ulong, "l", "xor.b64")
REDUCED(add_f32, uint, "r", "add.f32")
REDUCED(add_f64, ulong, "l", "add.f64")
REDUCED(add_f16, ushort, "h", "add.noftz.f16")
REDUCED(add_bf16, ushort, "h", "add.noftz.bf16")
#undef REDUCED_ALL
#undef REDUCED
#define REDUCED_HALVES(what)                                                                                           \
    void __hx_bulk_##what(ulong to, ulong from, uint bytes)                                                            \
    {                                                                                                                  \
        require_sixteens(to, from, bytes);                                                                             \
        _Pragma("clang loop unroll(disable) vectorize(disable)") for (uint at = 0; at < bytes; at += 2)                \
            __hx_atomic_##what(to + at, *PLACE(const ushort, from + at));                                              \
    }
REDUCED_HALVES(min_f16)
REDUCED_HALVES(max_f16)
REDUCED_HALVES(min_bf16)
REDUCED_HALVES(max_bf16)
#undef REDUCED_HALVES
#undef PLACE
