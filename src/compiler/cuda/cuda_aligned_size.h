/* Bytes of a copy whose addresses, and they themselves, are multiples of a number: libcu++'s, which
 * cooperative_groups::memcpy_async takes, too. */
#pragma once

namespace cuda
{
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    __device__ constexpr explicit aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    __device__ constexpr operator size_t() const
    {
        return value;
    }
};
} // namespace cuda
