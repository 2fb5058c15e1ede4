/* Sub-groups, which are warps of 32 work-items (OpenCL C 3.0, "Subgroup Functions", and the extensions cl_khr_subgroup_...).
 *
 * A scan over the lanes of any mask: each lane takes the sum of the lane that is 1, 2, 4, 8, 16 places before it in the mask.
 * A reduction is the last lane's sum. */

#define SPECIAL(name)                                                                                        \
    INNER uint special_##name(void)                                                                          \
    {                                                                                                        \
        return __nvvm_read_ptx_sreg_##name();                                                                \
    }
SPECIAL(tid_x)
SPECIAL(tid_y)
SPECIAL(tid_z)
SPECIAL(ntid_x)
SPECIAL(ntid_y)
SPECIAL(ntid_z)
SPECIAL(ctaid_x)
SPECIAL(ctaid_y)
SPECIAL(ctaid_z)
SPECIAL(nctaid_x)
SPECIAL(nctaid_y)
SPECIAL(nctaid_z)

INNER ASM1(int, op_popc, "r", uint, "r", "popc.b32")
INNER ASM3(uint, op_fns, "r", uint, "r", "fns.b32")
#define LANE_REGISTER(NAME)                                                                                  \
    INNER uint lane_##NAME(void)                                                                             \
    {                                                                                                        \
        uint d;                                                                                              \
        __asm__("mov.u32 %0, %%" #NAME ";" : "=r"(d));                                                       \
        return d;                                                                                            \
    }
LANE_REGISTER(laneid)
LANE_REGISTER(lanemask_eq)
LANE_REGISTER(lanemask_ge)
LANE_REGISTER(lanemask_gt)
LANE_REGISTER(lanemask_le)
LANE_REGISTER(lanemask_lt)

INNER uint group_size(void)
{
    return special_ntid_x() * special_ntid_y() * special_ntid_z();
}
INNER uint group_rank(void)
{
    return (special_tid_z() * special_ntid_y() + special_tid_y()) * special_ntid_x() + special_tid_x();
}
INNER uint sub_group_lanes(void)
{
    const uint before = group_rank() & ~31u, left = group_size() - before;
    return left < 32 ? left : 32;
}
/* All work-items of the sub-group, and those that are here now */
INNER uint mask_of_all(void)
{
    return 0xffffffffu >> (32 - sub_group_lanes());
}
INNER uint mask_of_here(void)
{
    uint mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
INNER uint mask_ballot(int truth, uint mask)
{
    uint found;
    __asm__ volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2;}"
                     : "=r"(found)
                     : "r"(truth), "r"(mask));
    return found;
}
INNER uint last_of(uint mask)
{
    return 31 - op_clz((int)mask);
}
INNER uint first_of(uint mask)
{
    return last_of(mask & -mask);
}

uint OVER get_sub_group_size(void)
{
    return sub_group_lanes();
}
uint OVER get_max_sub_group_size(void)
{
    return 32;
}
uint OVER get_num_sub_groups(void)
{
    return (group_size() + 31) / 32;
}
uint OVER get_enqueued_num_sub_groups(void)
{
    return (group_size() + 31) / 32;
}
uint OVER get_sub_group_id(void)
{
    return group_rank() / 32;
}
uint OVER get_sub_group_local_id(void)
{
    return group_rank() & 31;
}
/* Only the memory that the flags name is ordered, which notes tell checkers (src/check/notes.h); images are in global
 * memory. */
INNER void wait_for_lanes(cl_mem_fence_flags flags)
{
    const uint mask = mask_of_all();
    const bool is_local = flags & CLK_LOCAL_MEM_FENCE, is_global = flags & (CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
    if (is_local && is_global)
        __asm__ volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
    else if (is_local)
        __asm__ volatile("notice 1;\n\tbar.warp.sync %0;" ::"r"(mask) : "memory");
    else if (is_global)
        __asm__ volatile("notice 2;\n\tbar.warp.sync %0;" ::"r"(mask) : "memory");
    else
        __asm__ volatile("notice 13;\n\tbar.warp.sync %0;" ::"r"(mask) : "memory");
}
void OVER sub_group_barrier(cl_mem_fence_flags flags)
{
    wait_for_lanes(flags);
}
void OVER sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    wait_for_lanes(flags);
}
int OVER sub_group_all(int truth)
{
    const uint mask = mask_of_all();
    return mask_ballot(truth, mask) == mask;
}
int OVER sub_group_any(int truth)
{
    return mask_ballot(truth, mask_of_all()) != 0;
}
int OVER sub_group_non_uniform_all(int truth)
{
    const uint mask = mask_of_here();
    return mask_ballot(truth, mask) == mask;
}
int OVER sub_group_non_uniform_any(int truth)
{
    return mask_ballot(truth, mask_of_here()) != 0;
}
int OVER sub_group_elect(void)
{
    return lane_laneid() == first_of(mask_of_here());
}

/* --- ballots -------------------------------------------------------------------------------------------- */

uint4 OVER sub_group_ballot(int truth)
{
    return (uint4)(mask_ballot(truth, mask_of_here()), 0, 0, 0);
}
int OVER sub_group_inverse_ballot(uint4 value)
{
    return value.x >> lane_laneid() & 1;
}
int OVER sub_group_ballot_bit_extract(uint4 value, uint index)
{
    return value.x >> (index & 31) & 1;
}
/* Of all bits that a whole sub-group has, also in one with fewer work-items */
uint OVER sub_group_ballot_bit_count(uint4 value)
{
    return op_popc(value.x);
}
uint OVER sub_group_ballot_inclusive_scan(uint4 value)
{
    return op_popc(value.x & lane_lanemask_le());
}
uint OVER sub_group_ballot_exclusive_scan(uint4 value)
{
    return op_popc(value.x & lane_lanemask_lt());
}
uint OVER sub_group_ballot_find_lsb(uint4 value)
{
    return first_of(value.x);
}
uint OVER sub_group_ballot_find_msb(uint4 value)
{
    return last_of(value.x);
}
#define LANE_MASK(NAME)                                                                                      \
    uint4 OVER get_sub_group_##NAME##_mask(void)                                                             \
    {                                                                                                        \
        return (uint4)(lane_lanemask_##NAME() & mask_of_all(), 0, 0, 0);                                     \
    }
LANE_MASK(eq)
LANE_MASK(ge)
LANE_MASK(gt)
LANE_MASK(le)
LANE_MASK(lt)

/* --- values of other lanes ------------------------------------------------------------------------------ */

INNER int lane_bits(int bits, uint lane, uint mask)
{
    int d;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(d) : "r"(bits), "r"(lane), "r"(mask));
    return d;
}
#define FROM_LANE(T, TO_BITS, FROM_BITS)                                                                     \
    INNER T OVER from_lane(T value, uint lane, uint mask)                                                    \
    {                                                                                                        \
        return FROM_BITS(lane_bits(TO_BITS(value), lane, mask));                                             \
    }
#define FROM_LANE_LONG(T)                                                                                    \
    INNER T OVER from_lane(T value, uint lane, uint mask)                                                    \
    {                                                                                                        \
        const int2 bits = as_int2(value);                                                                    \
        return as_##T((int2)(lane_bits(bits.x, lane, mask), lane_bits(bits.y, lane, mask)));                 \
    }
FROM_LANE(char, (int), (char))
FROM_LANE(uchar, (int), (uchar))
FROM_LANE(short, (int), (short))
FROM_LANE(ushort, (int), (ushort))
FROM_LANE(int, , )
FROM_LANE(uint, as_int, as_uint)
FROM_LANE(float, as_int, as_float)
FROM_LANE(half, as_short, half_of_bits)
FROM_LANE_LONG(long)
FROM_LANE_LONG(ulong)
FROM_LANE_LONG(double)

/* The lanes of `value`'s mask whose values are the same: all, or not. */
#define LANES(T)                                                                                             \
    T OVER sub_group_broadcast(T value, uint lane)                                                           \
    {                                                                                                        \
        return from_lane(value, lane, mask_of_all());                                                        \
    }                                                                                                        \
    T OVER sub_group_non_uniform_broadcast(T value, uint lane)                                               \
    {                                                                                                        \
        return from_lane(value, lane, mask_of_here());                                                       \
    }                                                                                                        \
    T OVER sub_group_broadcast_first(T value)                                                                \
    {                                                                                                        \
        const uint mask = mask_of_here();                                                                    \
        return from_lane(value, first_of(mask), mask);                                                       \
    }                                                                                                        \
    int OVER sub_group_non_uniform_all_equal(T value)                                                        \
    {                                                                                                        \
        const uint mask = mask_of_here();                                                                    \
        return mask_ballot(from_lane(value, first_of(mask), mask) == value, mask) == mask;                   \
    }                                                                                                        \
    T OVER sub_group_shuffle(T value, uint lane)                                                             \
    {                                                                                                        \
        return from_lane(value, lane, mask_of_here());                                                       \
    }                                                                                                        \
    T OVER sub_group_shuffle_xor(T value, uint lanes)                                                        \
    {                                                                                                        \
        return from_lane(value, lane_laneid() ^ lanes, mask_of_here());                                      \
    }                                                                                                        \
    T OVER sub_group_shuffle_up(T value, uint by)                                                            \
    {                                                                                                        \
        return from_lane(value, lane_laneid() - by, mask_of_here());                                         \
    }                                                                                                        \
    T OVER sub_group_shuffle_down(T value, uint by)                                                          \
    {                                                                                                        \
        return from_lane(value, lane_laneid() + by, mask_of_here());                                         \
    }
#define LANES_WIDE(W, T)                                                                                     \
    T##W OVER sub_group_broadcast(T##W value, uint lane)                                                     \
    {                                                                                                        \
        return (T##W)(sub_group_broadcast(FIRST_##W(value), lane), sub_group_broadcast(REST_##W(value), lane)); \
    }                                                                                                        \
    T##W OVER sub_group_non_uniform_broadcast(T##W value, uint lane)                                         \
    {                                                                                                        \
        return (T##W)(sub_group_non_uniform_broadcast(FIRST_##W(value), lane),                               \
                      sub_group_non_uniform_broadcast(REST_##W(value), lane));                               \
    }
#define EACH_TYPE(DEFINE)                                                                                    \
    DEFINE(char) DEFINE(uchar) DEFINE(short) DEFINE(ushort) DEFINE(int) DEFINE(uint) DEFINE(long) DEFINE(ulong) \
    DEFINE(float) DEFINE(double) DEFINE(half)
#define LANES_OF_ALL_WIDTHS(T) LANES(T) EACH_WIDTH(LANES_WIDE, T)
EACH_TYPE(LANES_OF_ALL_WIDTHS)

/* --- reductions and scans ------------------------------------------------------------------------------- */

/* What the identity is added to remains: zeros for sums. */
#define SCAN(NAME, T, SUM)                                                                                   \
    static __attribute__((noinline)) T OVER __hx_scan_##NAME(T value, uint mask)                             \
    {                                                                                                        \
        const uint rank = op_popc(mask & lane_lanemask_lt()), count = op_popc(mask);                         \
        _Pragma("nounroll") for (uint by = 1; by < count; by *= 2)                                           \
        {                                                                                                    \
            const uint lane = rank >= by ? op_fns(mask, 0, rank - by + 1) : lane_laneid();                   \
            const T a = from_lane(value, lane, mask), b = value;                                             \
            if (rank >= by)                                                                                  \
                value = SUM;                                                                                 \
        }                                                                                                    \
        return value;                                                                                        \
    }                                                                                                        \
    INNER T OVER reduce_##NAME(T value, uint mask)                                                           \
    {                                                                                                        \
        return from_lane(__hx_scan_##NAME(value, mask), last_of(mask), mask);                                \
    }                                                                                                        \
    INNER T OVER exclusive_##NAME(T value, uint mask, T none)                                                \
    {                                                                                                        \
        const uint before = mask & lane_lanemask_lt();                                                       \
        const T sum = from_lane(__hx_scan_##NAME(value, mask), before ? last_of(before) : lane_laneid(), mask); \
        return before ? sum : none;                                                                          \
    }
#define SCANS_OF(PREFIX, NAME, T, MASK, NONE)                                                                \
    T OVER PREFIX##_reduce_##NAME(T value)                                                                   \
    {                                                                                                        \
        return reduce_##NAME(value, MASK());                                                                 \
    }                                                                                                        \
    T OVER PREFIX##_scan_inclusive_##NAME(T value)                                                           \
    {                                                                                                        \
        return __hx_scan_##NAME(value, MASK());                                                              \
    }                                                                                                        \
    T OVER PREFIX##_scan_exclusive_##NAME(T value)                                                           \
    {                                                                                                        \
        return exclusive_##NAME(value, MASK(), (T)(NONE));                                                   \
    }
#define NON_UNIFORM(NAME, T, SUM, NONE)                                                                      \
    SCAN(NAME, T, SUM)                                                                                       \
    SCANS_OF(sub_group_non_uniform, NAME, T, mask_of_here, NONE)                                             \
    T OVER sub_group_clustered_reduce_##NAME(T value, uint size)                                             \
    {                                                                                                        \
        const uint lanes = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (lane_laneid() & -size);         \
        return reduce_##NAME(value, mask_of_here() & lanes);                                                 \
    }
#define UNIFORM(NAME, T, SUM, NONE) NON_UNIFORM(NAME, T, SUM, NONE) SCANS_OF(sub_group, NAME, T, mask_of_all, NONE)
#define ARITHMETIC(T, LOWEST, HIGHEST)                                                                       \
    UNIFORM(add, T, a + b, 0)                                                                                \
    UNIFORM(min, T, b < a ? b : a, HIGHEST)                                                                  \
    UNIFORM(max, T, a < b ? b : a, LOWEST)                                                                   \
    NON_UNIFORM(mul, T, a * b, 1)
#define BITWISE(T, LOWEST, HIGHEST)                                                                          \
    ARITHMETIC(T, LOWEST, HIGHEST)                                                                           \
    NON_UNIFORM(and, T, a & b, -1)                                                                           \
    NON_UNIFORM(or, T, a | b, 0)                                                                             \
    NON_UNIFORM(xor, T, a ^ b, 0)
BITWISE(char, CHAR_MIN, CHAR_MAX)
BITWISE(uchar, 0, UCHAR_MAX)
BITWISE(short, SHRT_MIN, SHRT_MAX)
BITWISE(ushort, 0, USHRT_MAX)
BITWISE(int, INT_MIN, INT_MAX)
BITWISE(uint, 0, UINT_MAX)
BITWISE(long, LONG_MIN, LONG_MAX)
BITWISE(ulong, 0, ULONG_MAX)
ARITHMETIC(float, -INFINITY, INFINITY)
ARITHMETIC(double, -INFINITY, INFINITY)
ARITHMETIC(half, -INFINITY, INFINITY)
NON_UNIFORM(logical_and, int, a &&b, 1)
NON_UNIFORM(logical_or, int, a || b, 0)
NON_UNIFORM(logical_xor, int, !a != !b, 0)
