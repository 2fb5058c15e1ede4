/* What cuda::std has of its own: each thread counts what is not as it must be. */
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/utility>

template <typename T> constexpr __host__ __device__ unsigned orders(const T &a, const T &b)
{
    return (a == b) | (a != b) << 1 | (a < b) << 2 | (a > b) << 3 | (a <= b) << 4 | (a >= b) << 5;
}
constexpr unsigned equal = 0x31, less = 0x16, greater = 0x2a, unordered = 2;
using three = cuda::std::array<int, 3>;
using maybe = cuda::std::optional<int>;
static_assert(orders(three{1, 2, 3}, three{1, 3, 0}) == less && orders(maybe(2), maybe(1)) == greater);
static_assert(*three{1, 2, 3}.rbegin() == 3 && *(three{1, 2, 3}.crend() - 1) == 1);

__device__ int check_array(int i)
{
    three a{i, i + 1, i + 2}, b{i, i + 1, i + 3};
    const three same = a;
    int wrong = (orders(a, b) != less) + (orders(b, a) != greater) + (orders(a, same) != equal), digits = 0;
    for (auto at = a.rbegin(); at != a.rend(); ++at)
        digits = digits * 100 + *at;
    for (auto at = same.rbegin(); at != same.rend(); ++at)
        digits -= *at;
    wrong += digits != (i + 2) * 10000 + (i + 1) * 100 + i - 3 * i - 3;
    *a.rbegin() = 9;
    wrong += a.back() != 9 || *a.crbegin() != 9 || *(a.crend() - 1) != i;
    swap(a, b);
    wrong += b[2] != 9 || a[2] != i + 3;
    cuda::std::swap(a, b);
    a.swap(b);
    wrong += b[2] != 9 || a[2] != i + 3;
    a.fill(i);
    cuda::std::array<int, 0> none;
    return wrong + (a != three{i, i, i}) + !none.empty() + (none.rbegin() != none.rend());
}

__device__ int check_optional(int i)
{
    maybe a(i), b(i + 1), none;
    int wrong = (orders(a, b) != less) + (orders(b, a) != greater) + (orders(a, maybe(i)) != equal);
    wrong += (orders(none, a) != less) + (orders(a, none) != greater) + (orders(none, maybe()) != equal);
    wrong += !(a < i + 1) + !(i - 1 < a) + !(a == i) + !(i + 1 != a) + !(cuda::std::nullopt < a) + (a <= cuda::std::nullopt);
    const float no_number = __int_as_float(0x7fc00000);
    wrong += orders(cuda::std::optional<float>(no_number), cuda::std::optional<float>(1.0f)) != unordered;
    a.swap(none);
    wrong += a.has_value() || none != i;
    swap(a, none);
    cuda::std::swap(a, b);
    return wrong + (a != i + 1) + (b != i) + none.has_value();
}

__device__ int check_utility(int i)
{
    int a = i, b = 7, rows[2][2] = {{1, i}, {2, 3}}, others[2][2] = {{4, 5}, {i, 6}};
    cuda::std::swap(a, b);
    int wrong = a != 7 || b != i;
    wrong += cuda::std::exchange(a, i + 3) != 7 || a != i + 3;
    cuda::std::swap(rows, others);
    using cuda::std::swap;
    swap(rows[0][0], rows[1][0]);
    return wrong + (rows[0][0] != i || rows[1][0] != 4 || rows[1][1] != 6 || others[0][1] != i);
}

__global__ void standard(const float *x, int *wrong)
{
    const int i = threadIdx.x;
    wrong[i] = check_array(i) + 100 * check_optional(i) + 10000 * check_utility(i);
}
