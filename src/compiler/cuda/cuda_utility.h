/* Pairs, tuples, sequences of integers, iterators backwards: of C++'s own library, or, where a program has
 * none (cuda_rtc.h), what cuda::std has of them. */
#pragma once
#include <cuda_traits.h>
#ifndef __CUDACC_RTC__
#include <iterator>
#include <tuple>
#include <utility>
#else
__HEXEC_HEADER_BEGIN
/* Where the language looks for them: auto [a, b] = pair */
namespace std
{
template <typename __T> struct tuple_size;
template <size_t __I, typename __T> struct tuple_element;
} // namespace std

namespace __hexec_std
{
using ::std::tuple_element;
using ::std::tuple_size;
template <size_t __I, typename __T> using tuple_element_t = typename tuple_element<__I, __T>::type;
template <typename __T> inline constexpr size_t tuple_size_v = tuple_size<__T>::value;

template <typename __T> __host__ __device__ constexpr remove_reference_t<__T> &&move(__T &&of) noexcept
{
    return static_cast<remove_reference_t<__T> &&>(of);
}
template <typename __T> __host__ __device__ constexpr __T &&forward(remove_reference_t<__T> &of) noexcept
{
    return static_cast<__T &&>(of);
}
template <typename __T> __host__ __device__ constexpr __T &&forward(remove_reference_t<__T> &&of) noexcept
{
    return static_cast<__T &&>(of);
}
template <typename __T> __host__ __device__ constexpr const __T &as_const(__T &of) noexcept
{
    return of;
}
struct in_place_t {
    explicit in_place_t() = default;
};
inline constexpr in_place_t in_place{};
struct nullopt_t {
    __host__ __device__ explicit constexpr nullopt_t(int)
    {
    }
};
inline constexpr nullopt_t nullopt{0};
struct piecewise_construct_t {
    explicit piecewise_construct_t() = default;
};

template <typename __T, __T... __is> struct integer_sequence {
    using value_type = __T;
    __host__ __device__ static constexpr size_t size() noexcept
    {
        return sizeof...(__is);
    }
};
template <size_t... __is> using index_sequence = integer_sequence<size_t, __is...>;
template <typename __T, __T __n> using make_integer_sequence = __make_integer_seq<integer_sequence, __T, __n>;
template <size_t __n> using make_index_sequence = make_integer_sequence<size_t, __n>;
template <typename... __T> using index_sequence_for = make_index_sequence<sizeof...(__T)>;

/* --- pairs ---------------------------------------------------------------------------------------------- */

template <typename __A, typename __B> struct pair {
    using first_type = __A;
    using second_type = __B;
    __A first;
    __B second;
    __host__ __device__ constexpr pair() : first(), second()
    {
    }
    __host__ __device__ constexpr pair(const __A &a, const __B &b) : first(a), second(b)
    {
    }
    template <typename __U, typename __V,
              typename = enable_if_t<__is_constructible(__A, __U &&) && __is_constructible(__B, __V &&)>>
    __host__ __device__ constexpr pair(__U &&a, __V &&b)
        : first(static_cast<__U &&>(a)), second(static_cast<__V &&>(b))
    {
    }
    template <typename __U, typename __V>
    __host__ __device__ constexpr pair(const pair<__U, __V> &of) : first(of.first), second(of.second)
    {
    }
    friend __host__ __device__ constexpr bool operator==(const pair &a, const pair &b)
    {
        return a.first == b.first && a.second == b.second;
    }
    friend __host__ __device__ constexpr bool operator!=(const pair &a, const pair &b)
    {
        return !(a == b);
    }
    friend __host__ __device__ constexpr bool operator<(const pair &a, const pair &b)
    {
        return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
    }
};
#if __cplusplus >= 201703L
template <typename __A, typename __B> pair(__A, __B) -> pair<__A, __B>;
#endif
template <typename __A, typename __B>
__host__ __device__ constexpr pair<decay_t<__A>, decay_t<__B>> make_pair(__A &&a, __B &&b)
{
    return pair<decay_t<__A>, decay_t<__B>>(static_cast<__A &&>(a), static_cast<__B &&>(b));
}
template <size_t __I, typename __A, typename __B>
__host__ __device__ constexpr tuple_element_t<__I, pair<__A, __B>> &get(pair<__A, __B> &of) noexcept
{
    if constexpr (__I == 0)
        return of.first;
    else
        return of.second;
}
template <size_t __I, typename __A, typename __B>
__host__ __device__ constexpr const tuple_element_t<__I, pair<__A, __B>> &
get(const pair<__A, __B> &of) noexcept
{
    if constexpr (__I == 0)
        return of.first;
    else
        return of.second;
}
template <size_t __I, typename __A, typename __B>
__host__ __device__ constexpr tuple_element_t<__I, pair<__A, __B>> &&get(pair<__A, __B> &&of) noexcept
{
    return static_cast<tuple_element_t<__I, pair<__A, __B>> &&>(get<__I>(of));
}

/* --- tuples: a base for each element -------------------------------------------------------------------- */

template <size_t __I, typename __T> struct __hexec_element {
    __T is;
};
template <typename __Indexes, typename... __T> struct __hexec_elements;
template <size_t... __I, typename... __T>
struct __hexec_elements<index_sequence<__I...>, __T...> : __hexec_element<__I, __T>... {
    __host__ __device__ constexpr __hexec_elements() : __hexec_element<__I, __T>{}...
    {
    }
    template <typename... __U>
    __host__ __device__ constexpr __hexec_elements(true_type, __U &&...of)
        : __hexec_element<__I, __T>{static_cast<__U &&>(of)}...
    {
    }
};
template <typename... __T> class tuple : public __hexec_elements<index_sequence_for<__T...>, __T...>
{
    using base = __hexec_elements<index_sequence_for<__T...>, __T...>;

  public:
    constexpr tuple() = default;
    template <typename... __U, typename = enable_if_t<sizeof...(__U) == sizeof...(__T) &&
                                                      (__is_constructible(__T, __U &&) && ...)>>
    __host__ __device__ constexpr tuple(__U &&...of) : base(true_type(), static_cast<__U &&>(of)...)
    {
    }
    template <typename... __U,
              typename = enable_if_t<sizeof...(__U) == sizeof...(__T) && !is_same_v<tuple<__U...>, tuple>>>
    __host__ __device__ constexpr tuple(const tuple<__U...> &of) : tuple(of, index_sequence_for<__U...>())
    {
    }
    template <typename... __U> __host__ __device__ constexpr tuple &operator=(const tuple<__U...> &of)
    {
        assign(of, index_sequence_for<__U...>());
        return *this;
    }
    template <typename __A, typename __B>
    __host__ __device__ constexpr tuple &operator=(const pair<__A, __B> &of)
    {
        assign(of, make_index_sequence<2>());
        return *this;
    }
    constexpr tuple(const tuple &) = default;
    __host__ __device__ constexpr tuple &operator=(const tuple &of) /* also of references */
    {
        assign(of, index_sequence_for<__T...>());
        return *this;
    }

  private:
    template <typename __Of, size_t... __I>
    __host__ __device__ constexpr tuple(const __Of &of, index_sequence<__I...>)
        : base(true_type(), get<__I>(of)...)
    {
    }
    template <typename __Of, size_t... __I>
    __host__ __device__ constexpr void assign(const __Of &of, index_sequence<__I...>)
    {
        ((get<__I>(*this) = get<__I>(of)), ...);
    }
};
#if __cplusplus >= 201703L
template <typename... __T> tuple(__T...) -> tuple<__T...>;
#endif
template <size_t __I, typename __T>
__host__ __device__ constexpr __T &__hexec_at(__hexec_element<__I, __T> &of) noexcept
{
    return of.is;
}
template <size_t __I, typename __T>
__host__ __device__ constexpr const __T &__hexec_at(const __hexec_element<__I, __T> &of) noexcept
{
    return of.is;
}
template <size_t __I, typename... __T> __host__ __device__ constexpr auto &get(tuple<__T...> &of) noexcept
{
    return __hexec_at<__I>(of);
}
template <size_t __I, typename... __T>
__host__ __device__ constexpr auto &get(const tuple<__T...> &of) noexcept
{
    return __hexec_at<__I>(of);
}
template <size_t __I, typename... __T> __host__ __device__ constexpr auto &&get(tuple<__T...> &&of) noexcept
{
    return static_cast<tuple_element_t<__I, tuple<__T...>> &&>(__hexec_at<__I>(of));
}
template <typename... __T> __host__ __device__ constexpr tuple<decay_t<__T>...> make_tuple(__T &&...of)
{
    return tuple<decay_t<__T>...>(static_cast<__T &&>(of)...);
}
template <typename... __T> __host__ __device__ constexpr tuple<__T &...> tie(__T &...of) noexcept
{
    return tuple<__T &...>(of...);
}
template <typename... __T>
__host__ __device__ constexpr tuple<__T &&...> forward_as_tuple(__T &&...of) noexcept
{
    return tuple<__T &&...>(static_cast<__T &&>(of)...);
}
template <typename __F, typename __Of, size_t... __I>
__host__ __device__ constexpr decltype(auto) __hexec_apply(__F &&call, __Of &&of, index_sequence<__I...>)
{
    return static_cast<__F &&>(call)(get<__I>(static_cast<__Of &&>(of))...);
}
template <typename __F, typename __Of>
__host__ __device__ constexpr decltype(auto) apply(__F &&call, __Of &&of)
{
    return __hexec_apply(static_cast<__F &&>(call), static_cast<__Of &&>(of),
                         make_index_sequence<tuple_size<remove_cvref_t<__Of>>::value>());
}
template <size_t __I, typename __Of>
__host__ __device__ constexpr bool __hexec_equal(const __Of &a, const __Of &b)
{
    if constexpr (__I == tuple_size<__Of>::value)
        return true;
    else
        return get<__I>(a) == get<__I>(b) && __hexec_equal<__I + 1>(a, b);
}
template <size_t __I, typename __Of>
__host__ __device__ constexpr bool __hexec_less(const __Of &a, const __Of &b)
{
    if constexpr (__I == tuple_size<__Of>::value)
        return false;
    else
        return get<__I>(a) < get<__I>(b) || (!(get<__I>(b) < get<__I>(a)) && __hexec_less<__I + 1>(a, b));
}
template <typename... __T>
__host__ __device__ constexpr bool operator==(const tuple<__T...> &a, const tuple<__T...> &b)
{
    return __hexec_equal<0>(a, b);
}
template <typename... __T>
__host__ __device__ constexpr bool operator!=(const tuple<__T...> &a, const tuple<__T...> &b)
{
    return !(a == b);
}
template <typename... __T>
__host__ __device__ constexpr bool operator<(const tuple<__T...> &a, const tuple<__T...> &b)
{
    return __hexec_less<0>(a, b);
}

/* --- iterators ------------------------------------------------------------------------------------------ */

template <typename __T> class reverse_iterator /* of pointers */
{
    __T at;

  public:
    __host__ __device__ constexpr explicit reverse_iterator(__T behind) : at(behind)
    {
    }
    __host__ __device__ constexpr __T base() const
    {
        return at;
    }
    __host__ __device__ constexpr auto &operator*() const
    {
        return at[-1];
    }
    __host__ __device__ constexpr auto *operator->() const
    {
        return at - 1;
    }
    __host__ __device__ constexpr auto &operator[](ptrdiff_t i) const
    {
        return at[-1 - i];
    }
    __host__ __device__ constexpr reverse_iterator &operator++()
    {
        at--;
        return *this;
    }
    __host__ __device__ constexpr reverse_iterator operator++(int)
    {
        return reverse_iterator(at--);
    }
    __host__ __device__ constexpr reverse_iterator &operator--()
    {
        at++;
        return *this;
    }
    __host__ __device__ constexpr reverse_iterator operator+(ptrdiff_t by) const
    {
        return reverse_iterator(at - by);
    }
    friend __host__ __device__ constexpr ptrdiff_t operator-(reverse_iterator a, reverse_iterator b)
    {
        return b.at - a.at;
    }
    friend __host__ __device__ constexpr bool operator==(reverse_iterator a, reverse_iterator b)
    {
        return a.at == b.at;
    }
    friend __host__ __device__ constexpr bool operator!=(reverse_iterator a, reverse_iterator b)
    {
        return a.at != b.at;
    }
};
} // namespace __hexec_std

namespace std
{
template <typename __T> struct tuple_size<const __T> : tuple_size<__T> {
};
template <size_t __I, typename __T> struct tuple_element<__I, const __T> {
    using type = const typename tuple_element<__I, __T>::type;
};
template <typename __A, typename __B>
struct tuple_size<__hexec_std::pair<__A, __B>> : __hexec_std::integral_constant<size_t, 2> {
};
template <size_t __I, typename __A, typename __B> struct tuple_element<__I, __hexec_std::pair<__A, __B>> {
    using type = __hexec_std::conditional_t<__I == 0, __A, __B>;
};
template <typename... __T>
struct tuple_size<__hexec_std::tuple<__T...>> : __hexec_std::integral_constant<size_t, sizeof...(__T)> {
};
template <size_t __I, typename... __T> struct tuple_element<__I, __hexec_std::tuple<__T...>> {
    using type = __type_pack_element<__I, __T...>;
};
} // namespace std
__HEXEC_HEADER_END
#endif
