/* What stands before each program in OpenCL C. clang has no instruction for libclc's native functions, and
 * PTX has them as approximations.
 *
 * clang 14 takes it that a barrier leaves variables alone whose address nothing has, as most local ones, and
 * moves their loads across it (its analysis of globals counts only arguments of intrinsics). It moves none
 * across assembly that changes memory. */
#define __OPENCL_VERSION__ 300 /* of the device; that of the language is clang's to define */
#define __IMAGE_SUPPORT__  1
#define cl_intel_required_subgroup_size 1
/* The one size that there is: any other is an error that says so. */
#ifdef __OPENCL_CPP_VERSION__
template <int size> struct __hexec_sub_group {
    static_assert(size == 32, "sub-groups have 32 work-items here");
    static constexpr int is = 32;
};
#define intel_reqd_sub_group_size(size) intel_reqd_sub_group_size(__hexec_sub_group<(size)>::is)
#else
#define intel_reqd_sub_group_size(size)                                                                      \
    intel_reqd_sub_group_size(                                                                               \
        sizeof(struct { _Static_assert((size) == 32, "sub-groups have 32 work-items here"); char are[32]; }))
#endif
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#define cl_khr_subgroup_extended_types         1
#define cl_khr_subgroup_non_uniform_vote       1
#define cl_khr_subgroup_ballot                 1
#define cl_khr_subgroup_non_uniform_arithmetic 1
#define cl_khr_subgroup_shuffle                1
#define cl_khr_subgroup_shuffle_relative       1
#define cl_khr_subgroup_clustered_reduce       1
#define cl_khr_extended_bit_ops                1
#define cl_khr_integer_dot_product             1
#define __opencl_c_integer_dot_product_input_4x8bit        1
#define __opencl_c_integer_dot_product_input_4x8bit_packed 1
/* What lanes do that are here: clang 14 makes one call of two that are alike at the begin or end of both branches
 * (SimplifyCFG does not ask whether they are convergent). It moves none past assembly with another number. */
#define __hexec_apart(call)                                                                                  \
    ({ __asm__ volatile("" ::"n"(__COUNTER__)); const __typeof__(call) __hexec_result = call;                \
       __asm__ volatile("" ::"n"(__COUNTER__)); __hexec_result; })
#define sub_group_elect() __hexec_apart(sub_group_elect())
#define sub_group_non_uniform_all(truth) __hexec_apart(sub_group_non_uniform_all(truth))
#define sub_group_non_uniform_any(truth) __hexec_apart(sub_group_non_uniform_any(truth))
#define sub_group_non_uniform_all_equal(value) __hexec_apart(sub_group_non_uniform_all_equal(value))
#define sub_group_non_uniform_broadcast(value, lane) __hexec_apart(sub_group_non_uniform_broadcast(value, lane))
#define sub_group_broadcast_first(value) __hexec_apart(sub_group_broadcast_first(value))
#define sub_group_ballot(truth) __hexec_apart(sub_group_ballot(truth))
#define sub_group_shuffle(value, lane) __hexec_apart(sub_group_shuffle(value, lane))
#define sub_group_shuffle_xor(value, mask) __hexec_apart(sub_group_shuffle_xor(value, mask))
#define sub_group_shuffle_up(value, by) __hexec_apart(sub_group_shuffle_up(value, by))
#define sub_group_shuffle_down(value, by) __hexec_apart(sub_group_shuffle_down(value, by))
#define sub_group_non_uniform_reduce_add(value) __hexec_apart(sub_group_non_uniform_reduce_add(value))
#define sub_group_non_uniform_reduce_min(value) __hexec_apart(sub_group_non_uniform_reduce_min(value))
#define sub_group_non_uniform_reduce_max(value) __hexec_apart(sub_group_non_uniform_reduce_max(value))
#define sub_group_non_uniform_reduce_mul(value) __hexec_apart(sub_group_non_uniform_reduce_mul(value))
#define sub_group_non_uniform_reduce_and(value) __hexec_apart(sub_group_non_uniform_reduce_and(value))
#define sub_group_non_uniform_reduce_or(value) __hexec_apart(sub_group_non_uniform_reduce_or(value))
#define sub_group_non_uniform_reduce_xor(value) __hexec_apart(sub_group_non_uniform_reduce_xor(value))
#define sub_group_non_uniform_reduce_logical_and(value) __hexec_apart(sub_group_non_uniform_reduce_logical_and(value))
#define sub_group_non_uniform_reduce_logical_or(value) __hexec_apart(sub_group_non_uniform_reduce_logical_or(value))
#define sub_group_non_uniform_reduce_logical_xor(value) __hexec_apart(sub_group_non_uniform_reduce_logical_xor(value))
#define sub_group_non_uniform_scan_inclusive_add(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_add(value))
#define sub_group_non_uniform_scan_inclusive_min(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_min(value))
#define sub_group_non_uniform_scan_inclusive_max(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_max(value))
#define sub_group_non_uniform_scan_inclusive_mul(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_mul(value))
#define sub_group_non_uniform_scan_inclusive_and(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_and(value))
#define sub_group_non_uniform_scan_inclusive_or(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_or(value))
#define sub_group_non_uniform_scan_inclusive_xor(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_xor(value))
#define sub_group_non_uniform_scan_inclusive_logical_and(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_logical_and(value))
#define sub_group_non_uniform_scan_inclusive_logical_or(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_logical_or(value))
#define sub_group_non_uniform_scan_inclusive_logical_xor(value) __hexec_apart(sub_group_non_uniform_scan_inclusive_logical_xor(value))
#define sub_group_non_uniform_scan_exclusive_add(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_add(value))
#define sub_group_non_uniform_scan_exclusive_min(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_min(value))
#define sub_group_non_uniform_scan_exclusive_max(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_max(value))
#define sub_group_non_uniform_scan_exclusive_mul(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_mul(value))
#define sub_group_non_uniform_scan_exclusive_and(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_and(value))
#define sub_group_non_uniform_scan_exclusive_or(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_or(value))
#define sub_group_non_uniform_scan_exclusive_xor(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_xor(value))
#define sub_group_non_uniform_scan_exclusive_logical_and(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_logical_and(value))
#define sub_group_non_uniform_scan_exclusive_logical_or(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_logical_or(value))
#define sub_group_non_uniform_scan_exclusive_logical_xor(value) __hexec_apart(sub_group_non_uniform_scan_exclusive_logical_xor(value))
#define sub_group_clustered_reduce_add(value, size) __hexec_apart(sub_group_clustered_reduce_add(value, size))
#define sub_group_clustered_reduce_min(value, size) __hexec_apart(sub_group_clustered_reduce_min(value, size))
#define sub_group_clustered_reduce_max(value, size) __hexec_apart(sub_group_clustered_reduce_max(value, size))
#define sub_group_clustered_reduce_mul(value, size) __hexec_apart(sub_group_clustered_reduce_mul(value, size))
#define sub_group_clustered_reduce_and(value, size) __hexec_apart(sub_group_clustered_reduce_and(value, size))
#define sub_group_clustered_reduce_or(value, size) __hexec_apart(sub_group_clustered_reduce_or(value, size))
#define sub_group_clustered_reduce_xor(value, size) __hexec_apart(sub_group_clustered_reduce_xor(value, size))
#define sub_group_clustered_reduce_logical_and(value, size) __hexec_apart(sub_group_clustered_reduce_logical_and(value, size))
#define sub_group_clustered_reduce_logical_or(value, size) __hexec_apart(sub_group_clustered_reduce_logical_or(value, size))
#define sub_group_clustered_reduce_logical_xor(value, size) __hexec_apart(sub_group_clustered_reduce_logical_xor(value, size))
#else
/* clang declares them from OpenCL C 2.0 on, and the device has cl_khr_subgroups in all versions. */
#define __hexec_of_sub_group __attribute__((overloadable, convergent))
uint __hexec_of_sub_group get_sub_group_size(void);
uint __hexec_of_sub_group get_max_sub_group_size(void);
uint __hexec_of_sub_group get_num_sub_groups(void);
uint __hexec_of_sub_group get_sub_group_id(void);
uint __hexec_of_sub_group get_sub_group_local_id(void);
void __hexec_of_sub_group sub_group_barrier(cl_mem_fence_flags flags);
int __hexec_of_sub_group sub_group_all(int truth);
int __hexec_of_sub_group sub_group_any(int truth);
#define __hexec_sub_group_values(T)                                                                          \
    T __hexec_of_sub_group sub_group_broadcast(T value, uint lane);                                          \
    T __hexec_of_sub_group sub_group_reduce_add(T value);                                                    \
    T __hexec_of_sub_group sub_group_reduce_min(T value);                                                    \
    T __hexec_of_sub_group sub_group_reduce_max(T value);                                                    \
    T __hexec_of_sub_group sub_group_scan_exclusive_add(T value);                                            \
    T __hexec_of_sub_group sub_group_scan_exclusive_min(T value);                                            \
    T __hexec_of_sub_group sub_group_scan_exclusive_max(T value);                                            \
    T __hexec_of_sub_group sub_group_scan_inclusive_add(T value);                                            \
    T __hexec_of_sub_group sub_group_scan_inclusive_min(T value);                                            \
    T __hexec_of_sub_group sub_group_scan_inclusive_max(T value);
__hexec_sub_group_values(int) __hexec_sub_group_values(uint) __hexec_sub_group_values(long)
__hexec_sub_group_values(ulong) __hexec_sub_group_values(float) __hexec_sub_group_values(double)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__hexec_sub_group_values(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#undef __hexec_sub_group_values
#undef __hexec_of_sub_group
#endif
#if __OPENCL_CPP_VERSION__ >= 202100 || __OPENCL_C_VERSION__ >= 300
#define __opencl_c_work_group_collective_functions 1
#endif
#define mem_fence(flags)       (__hexec_order(), mem_fence(flags), __hexec_order())
#define read_mem_fence(flags)  (__hexec_order(), read_mem_fence(flags), __hexec_order())
#define write_mem_fence(flags) (__hexec_order(), write_mem_fence(flags), __hexec_order())
static inline void __attribute__((always_inline, nodebug)) __hexec_order(void)
{
    __asm__ volatile("" ::: "memory");
}
#define __hexec_each_width(NAME, EXPRESSION)                                                                 \
    static inline float __attribute__((overloadable)) NAME(float x) { return EXPRESSION; }                   \
    static inline float2 __attribute__((overloadable)) NAME(float2 x)                                        \
    { return (float2)(NAME(x.x), NAME(x.y)); }                                                               \
    static inline float3 __attribute__((overloadable)) NAME(float3 x)                                        \
    { return (float3)(NAME(x.x), NAME(x.y), NAME(x.z)); }                                                    \
    static inline float4 __attribute__((overloadable)) NAME(float4 x)                                        \
    { return (float4)(NAME(x.lo), NAME(x.hi)); }                                                             \
    static inline float8 __attribute__((overloadable)) NAME(float8 x)                                        \
    { return (float8)(NAME(x.lo), NAME(x.hi)); }                                                             \
    static inline float16 __attribute__((overloadable)) NAME(float16 x)                                      \
    { return (float16)(NAME(x.lo), NAME(x.hi)); }
__hexec_each_width(__hexec_native_sin, __nvvm_sin_approx_f(x))
__hexec_each_width(__hexec_native_cos, __nvvm_cos_approx_f(x))
__hexec_each_width(__hexec_native_tan, __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
__hexec_each_width(__hexec_native_exp2, __nvvm_ex2_approx_f(x))
__hexec_each_width(__hexec_native_exp, __nvvm_ex2_approx_f(x * 0x1.715476p+0f))
__hexec_each_width(__hexec_native_exp10, __nvvm_ex2_approx_f(x * 0x1.a934f0p+1f))
__hexec_each_width(__hexec_native_log2, __nvvm_lg2_approx_f(x))
__hexec_each_width(__hexec_native_log, __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f)
__hexec_each_width(__hexec_native_log10, __nvvm_lg2_approx_f(x) * 0x1.344136p-2f)
__hexec_each_width(__hexec_native_sqrt, __nvvm_sqrt_approx_f(x))
__hexec_each_width(__hexec_native_rsqrt, __nvvm_rsqrt_approx_f(x))
#undef __hexec_each_width
#define native_sin   __hexec_native_sin
#define native_cos   __hexec_native_cos
#define native_tan   __hexec_native_tan
#define native_exp2  __hexec_native_exp2
#define native_exp   __hexec_native_exp
#define native_exp10 __hexec_native_exp10
#define native_log2  __hexec_native_log2
#define native_log   __hexec_native_log
#define native_log10 __hexec_native_log10
#define native_sqrt  __hexec_native_sqrt
#define native_rsqrt __hexec_native_rsqrt
/* libclc's nan of a double is infinite for 0 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define __hexec_nan_of_width(N)                                                                              \
    static inline float##N __attribute__((overloadable, always_inline, nodebug)) __hexec_nan(uint##N code)   \
    { return as_float##N(code | (uint##N)0x7fc00000u); }                                                     \
    static inline double##N __attribute__((overloadable, always_inline, nodebug)) __hexec_nan(ulong##N code) \
    { return as_double##N(code | (ulong##N)0x7ff8000000000000ul); }                                          \
    static inline half##N __attribute__((overloadable, always_inline, nodebug)) __hexec_nan(ushort##N code)  \
    { return as_half##N((ushort##N)(code | (ushort##N)0x7e00)); }
__hexec_nan_of_width() __hexec_nan_of_width(2) __hexec_nan_of_width(3) __hexec_nan_of_width(4)
__hexec_nan_of_width(8) __hexec_nan_of_width(16)
#undef __hexec_nan_of_width
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#define nan(code) __hexec_nan(code)
/* libclc rounds values of less than half of the smallest half to 0, also upwards and downwards */
#define __hexec_half_of_width(T, N, W)                                                                       \
    static inline T##N __attribute__((overloadable, always_inline, nodebug)) __hexec_half_up(T##N x)         \
    { return (x > (T##N)0) & (x < (T##N)0x1p-24##W) ? (T##N)0x1p-24##W : x; }                                \
    static inline T##N __attribute__((overloadable, always_inline, nodebug)) __hexec_half_down(T##N x)       \
    { return (x < (T##N)0) & (x > (T##N)-0x1p-24##W) ? (T##N)-0x1p-24##W : x; }
#define __hexec_half_of(T, W)                                                                                \
    __hexec_half_of_width(T, , W) __hexec_half_of_width(T, 2, W) __hexec_half_of_width(T, 3, W)              \
    __hexec_half_of_width(T, 4, W) __hexec_half_of_width(T, 8, W) __hexec_half_of_width(T, 16, W)
__hexec_half_of(float, f) __hexec_half_of(double, )
#undef __hexec_half_of_width
#undef __hexec_half_of
#define vstore_half_rtp(x, i, to) vstore_half_rtp(__hexec_half_up(x), i, to)
#define vstore_half_rtn(x, i, to) vstore_half_rtn(__hexec_half_down(x), i, to)
#define vstore_half2_rtp(x, i, to) vstore_half2_rtp(__hexec_half_up(x), i, to)
#define vstore_half2_rtn(x, i, to) vstore_half2_rtn(__hexec_half_down(x), i, to)
#define vstore_half3_rtp(x, i, to) vstore_half3_rtp(__hexec_half_up(x), i, to)
#define vstore_half3_rtn(x, i, to) vstore_half3_rtn(__hexec_half_down(x), i, to)
#define vstore_half4_rtp(x, i, to) vstore_half4_rtp(__hexec_half_up(x), i, to)
#define vstore_half4_rtn(x, i, to) vstore_half4_rtn(__hexec_half_down(x), i, to)
#define vstore_half8_rtp(x, i, to) vstore_half8_rtp(__hexec_half_up(x), i, to)
#define vstore_half8_rtn(x, i, to) vstore_half8_rtn(__hexec_half_down(x), i, to)
#define vstore_half16_rtp(x, i, to) vstore_half16_rtp(__hexec_half_up(x), i, to)
#define vstore_half16_rtn(x, i, to) vstore_half16_rtn(__hexec_half_down(x), i, to)
#define vstorea_half_rtp(x, i, to) vstorea_half_rtp(__hexec_half_up(x), i, to)
#define vstorea_half_rtn(x, i, to) vstorea_half_rtn(__hexec_half_down(x), i, to)
#define vstorea_half2_rtp(x, i, to) vstorea_half2_rtp(__hexec_half_up(x), i, to)
#define vstorea_half2_rtn(x, i, to) vstorea_half2_rtn(__hexec_half_down(x), i, to)
#define vstorea_half3_rtp(x, i, to) vstorea_half3_rtp(__hexec_half_up(x), i, to)
#define vstorea_half3_rtn(x, i, to) vstorea_half3_rtn(__hexec_half_down(x), i, to)
#define vstorea_half4_rtp(x, i, to) vstorea_half4_rtp(__hexec_half_up(x), i, to)
#define vstorea_half4_rtn(x, i, to) vstorea_half4_rtn(__hexec_half_down(x), i, to)
#define vstorea_half8_rtp(x, i, to) vstorea_half8_rtp(__hexec_half_up(x), i, to)
#define vstorea_half8_rtn(x, i, to) vstorea_half8_rtn(__hexec_half_down(x), i, to)
#define vstorea_half16_rtp(x, i, to) vstorea_half16_rtp(__hexec_half_up(x), i, to)
#define vstorea_half16_rtn(x, i, to) vstorea_half16_rtn(__hexec_half_down(x), i, to)
#include "prelude_group.cl"
