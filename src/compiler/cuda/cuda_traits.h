/* What the other headers need to know of types: of C++'s own library, or, where a program has none
 * (cuda_rtc.h), made from what clang knows. */
#pragma once
#ifndef __CUDACC_RTC__
#include <type_traits>
namespace __hexec_std
{
using namespace ::std;
}
#else
__HEXEC_HEADER_BEGIN
namespace __hexec_std
{
using ::size_t, ::ptrdiff_t;
using nullptr_t = decltype(nullptr);

template <typename __T, __T __is> struct integral_constant {
    static constexpr __T value = __is;
    using value_type = __T;
    using type = integral_constant;
    __host__ __device__ constexpr operator __T() const noexcept
    {
        return __is;
    }
    __host__ __device__ constexpr __T operator()() const noexcept
    {
        return __is;
    }
};
template <bool __is> using bool_constant = integral_constant<bool, __is>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

/* --- choices -------------------------------------------------------------------------------------------- */

template <bool, typename __T = void> struct enable_if {
};
template <typename __T> struct enable_if<true, __T> {
    using type = __T;
};
template <bool __is, typename __T = void> using enable_if_t = typename enable_if<__is, __T>::type;
template <bool, typename __A, typename __B> struct conditional {
    using type = __A;
};
template <typename __A, typename __B> struct conditional<false, __A, __B> {
    using type = __B;
};
template <bool __is, typename __A, typename __B>
using conditional_t = typename conditional<__is, __A, __B>::type;
template <typename...> struct __hexec_void {
    using type = void;
};
template <typename... __T> using void_t = typename __hexec_void<__T...>::type;
template <typename __T> struct type_identity {
    using type = __T;
};
template <typename __T> using type_identity_t = typename type_identity<__T>::type;
template <typename...> struct conjunction : true_type {
};
template <typename __T> struct conjunction<__T> : __T {
};
template <typename __T, typename... __Rest>
struct conjunction<__T, __Rest...> : conditional_t<bool(__T::value), conjunction<__Rest...>, __T> {
};
template <typename...> struct disjunction : false_type {
};
template <typename __T> struct disjunction<__T> : __T {
};
template <typename __T, typename... __Rest>
struct disjunction<__T, __Rest...> : conditional_t<bool(__T::value), __T, disjunction<__Rest...>> {
};
template <typename __T> struct negation : bool_constant<!bool(__T::value)> {
};
template <typename... __T> inline constexpr bool conjunction_v = conjunction<__T...>::value;
template <typename... __T> inline constexpr bool disjunction_v = disjunction<__T...>::value;
template <typename __T> inline constexpr bool negation_v = negation<__T>::value;

/* --- other types ---------------------------------------------------------------------------------------- */

/* `is` is what a type of the form `of` becomes; others stay */
#define __hexec_strip(NAME, of, is)                                                                          \
    template <typename __T> struct NAME {                                                                    \
        using type = __T;                                                                                    \
    };                                                                                                       \
    template <typename __T> struct NAME<of> {                                                                \
        using type = is;                                                                                     \
    };                                                                                                       \
    template <typename __T> using NAME##_t = typename NAME<__T>::type
__hexec_strip(remove_const, const __T, __T);
__hexec_strip(remove_volatile, volatile __T, __T);
#undef __hexec_strip
template <typename __T> struct remove_cv : remove_const<remove_volatile_t<__T>> {
};
template <typename __T> using remove_cv_t = typename remove_cv<__T>::type;
template <typename __T> struct remove_reference {
    using type = __T;
};
template <typename __T> struct remove_reference<__T &> {
    using type = __T;
};
template <typename __T> struct remove_reference<__T &&> {
    using type = __T;
};
template <typename __T> using remove_reference_t = typename remove_reference<__T>::type;
template <typename __T> struct remove_cvref : remove_cv<remove_reference_t<__T>> {
};
template <typename __T> using remove_cvref_t = typename remove_cvref<__T>::type;
template <typename __T> struct remove_pointer {
    using type = __T;
};
template <typename __T> struct remove_pointer<__T *> {
    using type = __T;
};
template <typename __T> struct remove_pointer<__T *const> {
    using type = __T;
};
template <typename __T> struct remove_pointer<__T *volatile> {
    using type = __T;
};
template <typename __T> using remove_pointer_t = typename remove_pointer<__T>::type;
template <typename __T> struct remove_extent {
    using type = __T;
};
template <typename __T> struct remove_extent<__T[]> {
    using type = __T;
};
template <typename __T, size_t __n> struct remove_extent<__T[__n]> {
    using type = __T;
};
template <typename __T> using remove_extent_t = typename remove_extent<__T>::type;
template <typename __T> struct remove_all_extents {
    using type = __T;
};
template <typename __T> struct remove_all_extents<__T[]> : remove_all_extents<__T> {
};
template <typename __T, size_t __n> struct remove_all_extents<__T[__n]> : remove_all_extents<__T> {
};
template <typename __T> using remove_all_extents_t = typename remove_all_extents<__T>::type;
template <typename __T> struct add_const {
    using type = const __T;
};
template <typename __T> struct add_volatile {
    using type = volatile __T;
};
template <typename __T> struct add_cv {
    using type = const volatile __T;
};
template <typename __T> using add_const_t = const __T;
template <typename __T> using add_volatile_t = volatile __T;
template <typename __T> using add_cv_t = const volatile __T;
/* There is no reference to void. */
template <typename __T, typename = void> struct add_lvalue_reference {
    using type = __T;
};
template <typename __T> struct add_lvalue_reference<__T, void_t<__T &>> {
    using type = __T &;
};
template <typename __T, typename = void> struct add_rvalue_reference {
    using type = __T;
};
template <typename __T> struct add_rvalue_reference<__T, void_t<__T &&>> {
    using type = __T &&;
};
template <typename __T> using add_lvalue_reference_t = typename add_lvalue_reference<__T>::type;
template <typename __T> using add_rvalue_reference_t = typename add_rvalue_reference<__T>::type;
template <typename __T, typename = void> struct add_pointer {
    using type = __T;
};
template <typename __T> struct add_pointer<__T, void_t<remove_reference_t<__T> *>> {
    using type = remove_reference_t<__T> *;
};
template <typename __T> using add_pointer_t = typename add_pointer<__T>::type;
template <typename __T> __host__ __device__ add_rvalue_reference_t<__T> declval() noexcept;
template <typename __T> struct decay {
    using __is = remove_reference_t<__T>;
    using type = conditional_t<__is_array(__is), remove_extent_t<__is> *,
                               conditional_t<__is_function(__is), add_pointer_t<__is>, remove_cv_t<__is>>>;
};
template <typename __T> using decay_t = typename decay<__T>::type;
template <typename __T, bool = __is_enum(__T)> struct underlying_type {
};
template <typename __T> struct underlying_type<__T, true> {
    using type = __underlying_type(__T);
};
template <typename __T> using underlying_type_t = typename underlying_type<__T>::type;
template <typename... __T> struct common_type {
};
template <typename __T> struct common_type<__T> : decay<__T> {
};
template <typename __A, typename __B> struct common_type<__A, __B> {
    using type = decay_t<decltype(false ? declval<__A>() : declval<__B>())>;
};
template <typename __A, typename __B, typename... __Rest>
struct common_type<__A, __B, __Rest...> : common_type<typename common_type<__A, __B>::type, __Rest...> {
};
template <typename... __T> using common_type_t = typename common_type<__T...>::type;

/* Signed and unsigned: of an integer or an enumeration by its size, char and bool among them */
template <bool __s, typename __T, size_t = sizeof(__T)> struct __hexec_sign;
#define __hexec_signs(type)                                                                                  \
    template <> struct __hexec_sign<true, type> {                                                            \
        using is = signed type;                                                                              \
    };                                                                                                       \
    template <> struct __hexec_sign<false, type> {                                                           \
        using is = unsigned type;                                                                            \
    };                                                                                                       \
    template <> struct __hexec_sign<true, unsigned type> {                                                   \
        using is = signed type;                                                                              \
    };                                                                                                       \
    template <> struct __hexec_sign<false, unsigned type> {                                                  \
        using is = unsigned type;                                                                            \
    }
__hexec_signs(char);
__hexec_signs(short);
__hexec_signs(int);
__hexec_signs(long);
__hexec_signs(long long);
__hexec_signs(__int128);
#undef __hexec_signs
template <> struct __hexec_sign<true, signed char> {
    using is = signed char;
};
template <> struct __hexec_sign<false, signed char> {
    using is = unsigned char;
};
template <bool __s, typename __T> struct __hexec_sign<__s, __T, 1> : __hexec_sign<__s, char> {
};
template <bool __s, typename __T> struct __hexec_sign<__s, __T, 2> : __hexec_sign<__s, short> {
};
template <bool __s, typename __T> struct __hexec_sign<__s, __T, 4> : __hexec_sign<__s, int> {
};
template <bool __s, typename __T> struct __hexec_sign<__s, __T, 8> : __hexec_sign<__s, long> {
};
template <bool __s, typename __T> using __hexec_sign_of = typename __hexec_sign<__s, __T>::is;
template <typename __T> struct make_signed {
    using type = __hexec_sign_of<true, __T>;
};
template <typename __T> struct make_unsigned {
    using type = __hexec_sign_of<false, __T>;
};
template <typename __T> struct make_signed<const __T> {
    using type = const __hexec_sign_of<true, __T>;
};
template <typename __T> struct make_unsigned<const __T> {
    using type = const __hexec_sign_of<false, __T>;
};
template <typename __T> using make_signed_t = typename make_signed<__T>::type;
template <typename __T> using make_unsigned_t = typename make_unsigned<__T>::type;

/* --- what a type is ------------------------------------------------------------------------------------- */

#define __hexec_trait(NAME, ...)                                                                             \
    template <typename __T> struct NAME : bool_constant<(__VA_ARGS__)> {                                     \
    };                                                                                                       \
    template <typename __T> inline constexpr bool NAME##_v = (__VA_ARGS__)
#define __hexec_trait_of(NAME) __hexec_trait(NAME, __##NAME(__T))
#define __hexec_trait_of_two(NAME, ...)                                                                      \
    template <typename __T, typename __U> struct NAME : bool_constant<(__VA_ARGS__)> {                       \
    };                                                                                                       \
    template <typename __T, typename __U> inline constexpr bool NAME##_v = (__VA_ARGS__)
#define __hexec_trait_of_all(NAME)                                                                           \
    template <typename __T, typename... __U> struct NAME : bool_constant<__##NAME(__T, __U...)> {            \
    };                                                                                                       \
    template <typename __T, typename... __U> inline constexpr bool NAME##_v = __##NAME(__T, __U...)
__hexec_trait_of(is_void);
__hexec_trait_of(is_integral);
__hexec_trait_of(is_floating_point);
__hexec_trait_of(is_array);
__hexec_trait_of(is_function);
__hexec_trait_of(is_pointer);
__hexec_trait_of(is_lvalue_reference);
__hexec_trait_of(is_rvalue_reference);
__hexec_trait_of(is_reference);
__hexec_trait_of(is_member_pointer);
__hexec_trait_of(is_member_object_pointer);
__hexec_trait_of(is_member_function_pointer);
__hexec_trait_of(is_class);
__hexec_trait_of(is_enum);
__hexec_trait_of(is_union);
__hexec_trait_of(is_arithmetic);
__hexec_trait_of(is_fundamental);
__hexec_trait_of(is_object);
__hexec_trait_of(is_scalar);
__hexec_trait_of(is_compound);
__hexec_trait_of(is_const);
__hexec_trait_of(is_volatile);
__hexec_trait_of(is_unsigned);
__hexec_trait_of(is_empty);
__hexec_trait_of(is_final);
__hexec_trait_of(is_abstract);
__hexec_trait_of(is_polymorphic);
__hexec_trait_of(is_aggregate);
__hexec_trait_of(is_trivial);
__hexec_trait_of(is_trivially_copyable);
__hexec_trait_of(is_standard_layout);
__hexec_trait(is_signed, __is_arithmetic(__T) && !__is_unsigned(__T));
__hexec_trait(is_null_pointer, __is_same(remove_cv_t<__T>, nullptr_t));
__hexec_trait(has_unique_object_representations, __has_unique_object_representations(__T));
__hexec_trait_of_all(is_constructible);
__hexec_trait_of_all(is_trivially_constructible);
__hexec_trait_of_all(is_nothrow_constructible);
__hexec_trait(is_default_constructible, __is_constructible(__T));
__hexec_trait(is_trivially_default_constructible, __is_trivially_constructible(__T));
__hexec_trait(is_nothrow_default_constructible, __is_nothrow_constructible(__T));
__hexec_trait(is_copy_constructible, __is_constructible(__T, add_lvalue_reference_t<const __T>));
__hexec_trait(is_trivially_copy_constructible,
              __is_trivially_constructible(__T, add_lvalue_reference_t<const __T>));
__hexec_trait(is_move_constructible, __is_constructible(__T, add_rvalue_reference_t<__T>));
__hexec_trait(is_nothrow_move_constructible, __is_nothrow_constructible(__T, add_rvalue_reference_t<__T>));
__hexec_trait(is_copy_assignable,
              __is_assignable(add_lvalue_reference_t<__T>, add_lvalue_reference_t<const __T>));
__hexec_trait(is_trivially_copy_assignable,
              __is_trivially_assignable(add_lvalue_reference_t<__T>, add_lvalue_reference_t<const __T>));
__hexec_trait(is_move_assignable, __is_assignable(add_lvalue_reference_t<__T>, add_rvalue_reference_t<__T>));
__hexec_trait(is_nothrow_move_assignable,
              __is_nothrow_assignable(add_lvalue_reference_t<__T>, add_rvalue_reference_t<__T>));
__hexec_trait_of_two(is_assignable, __is_assignable(__T, __U));
__hexec_trait_of_two(is_same, __is_same(__T, __U));
__hexec_trait_of_two(is_base_of, __is_base_of(__T, __U));
__hexec_trait_of_two(is_convertible, __is_convertible_to(__T, __U));
#undef __hexec_trait
#undef __hexec_trait_of
#undef __hexec_trait_of_two
#undef __hexec_trait_of_all

template <typename __T, typename = void> struct is_destructible : false_type {
};
template <typename __T> struct is_destructible<__T, void_t<decltype(declval<__T &>().~__T())>> : true_type {
};
template <typename __T> inline constexpr bool is_destructible_v = is_destructible<__T>::value;
template <typename __T, bool = is_destructible_v<__T>> struct is_nothrow_destructible : false_type {
};
template <typename __T>
struct is_nothrow_destructible<__T, true> : bool_constant<noexcept(declval<__T &>().~__T())> {
};
template <typename __T> inline constexpr bool is_nothrow_destructible_v = is_nothrow_destructible<__T>::value;
template <typename __T>
struct is_trivially_destructible : bool_constant<is_destructible_v<__T> &&__has_trivial_destructor(__T)> {
};
template <typename __T>
inline constexpr bool is_trivially_destructible_v = is_trivially_destructible<__T>::value;
template <typename __T> struct alignment_of : integral_constant<size_t, alignof(__T)> {
};
template <typename __T> inline constexpr size_t alignment_of_v = alignof(__T);
template <typename __T> struct rank : integral_constant<size_t, __array_rank(__T)> {
};
template <typename __T> inline constexpr size_t rank_v = __array_rank(__T);
template <typename __T, unsigned __n = 0>
struct extent : integral_constant<size_t, __array_extent(__T, __n)> {
};
template <typename __T, unsigned __n = 0> inline constexpr size_t extent_v = __array_extent(__T, __n);
template <size_t __bytes, size_t __align = __BIGGEST_ALIGNMENT__> struct aligned_storage {
    struct type {
        alignas(__align) unsigned char data[__bytes];
    };
};
template <size_t __bytes, size_t __align = __BIGGEST_ALIGNMENT__>
using aligned_storage_t = typename aligned_storage<__bytes, __align>::type;

/* --- calls: of functions and objects, not of members -----------------------------------------------------
 */

template <typename __F, typename... __A> using __hexec_result = decltype(declval<__F>()(declval<__A>()...));
template <typename, typename __F, typename... __A> struct __hexec_call : false_type {
};
template <typename __F, typename... __A>
struct __hexec_call<void_t<__hexec_result<__F, __A...>>, __F, __A...> : true_type {
    using type = __hexec_result<__F, __A...>;
};
template <typename __F, typename... __A> struct invoke_result : __hexec_call<void, __F, __A...> {
};
template <typename __F, typename... __A> using invoke_result_t = typename invoke_result<__F, __A...>::type;
template <typename __F, typename... __A>
struct is_invocable : bool_constant<__hexec_call<void, __F, __A...>::value> {
};
template <typename __F, typename... __A>
inline constexpr bool is_invocable_v = is_invocable<__F, __A...>::value;
__host__ __device__ constexpr bool is_constant_evaluated() noexcept
{
    return __builtin_is_constant_evaluated();
}
} // namespace __hexec_std
__HEXEC_HEADER_END
#endif
