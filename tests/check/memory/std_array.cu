// An index beyond the end of an array of libcu++, in the line that has it.
// run --grid 1 --block 5 --arg i32:5 --arg f32:8
#include <cuda/std/array>
#include <cuda/std/tuple>
struct pair {
    int first, second;
};
constexpr cuda::std::array<int, 3> table{{5, 6, 7}};
static_assert(table[1] == 6 && cuda::std::get<2>(table) == 7 && cuda::std::tuple_size<cuda::std::array<int, 3>>::value == 3);
__global__ void wrong(int *out, float *floats)
{
    const int t = threadIdx.x;
    cuda::std::array<int, 4> a{1, 2, 3, 4};
    cuda::std::array<pair, 2> pairs = {{{1, 2}, {3, 4}}};
    cuda::std::array made{1.0f, 2.0f};
    auto [x, y] = made;
    out[t] = a[t]; // expect memory.leaves_array x1
    a[t % 4] = 9;
    pairs[t / 4].second = a.size();
    for (int each : a)
        x += each;
    floats[t] = x + y + pairs.back().second + (pairs[0].first == 1) + cuda::std::get<0>(cuda::std::make_tuple(t)) + table[t % 3];
    pairs[t / 2].first = 1; // expect memory.leaves_array x1
    floats[5] = pairs[0].first;
}
