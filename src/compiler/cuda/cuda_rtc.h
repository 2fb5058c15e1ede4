/* What NVRTC's programs have without an include (NVRTC, "Predefined Macros" and "Predefined Types"): there is
 * no host and no C library, and no more of C++'s own than initializer lists, move and forward. A program
 * brings what else it wants, under the names that a library has. */
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
typedef __builtin_va_list va_list;
#define NULL            0
#define va_start(...)   __builtin_va_start(__VA_ARGS__)
#define va_end(list)    __builtin_va_end(list)
#define va_arg(...)     __builtin_va_arg(__VA_ARGS__)
#define va_copy(to, of) __builtin_va_copy(to, of)
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...)                                                                                          \
    ((__VA_ARGS__) ? (void)0 : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#ifndef __HEXEC_NO_LIST /* --builtin-initializer-list=false: the program has its own */
namespace std
{
template <typename __T> class initializer_list
{
    const __T *begin_;
    size_t size_;

  public:
    using value_type = __T;
    using reference = const __T &;
    using const_reference = const __T &;
    using size_type = size_t;
    using iterator = const __T *;
    using const_iterator = const __T *;
    __host__ __device__ constexpr initializer_list() noexcept : begin_(nullptr), size_(0)
    {
    }
    __host__ __device__ constexpr size_t size() const noexcept
    {
        return size_;
    }
    __host__ __device__ constexpr const __T *begin() const noexcept
    {
        return begin_;
    }
    __host__ __device__ constexpr const __T *end() const noexcept
    {
        return begin_ + size_;
    }
};
} // namespace std
#endif

/* Placement is the compiler's own: it calls nothing. */
__device__ void *operator new(size_t, void *at) noexcept;
__device__ void *operator new[](size_t, void *at) noexcept;

/* Defined behind the functions of a thread: clang's headers for these use what a C library has. */
#define INT_MAX      __INT_MAX__
#define INT_MIN      (-__INT_MAX__ - 1)
#define HUGE_VAL     __builtin_huge_val()
#define HUGE_VALF    __builtin_huge_valf()
#define FP_NAN       0
#define FP_INFINITE  1
#define FP_ZERO      2
#define FP_SUBNORMAL 3
#define FP_NORMAL    4
