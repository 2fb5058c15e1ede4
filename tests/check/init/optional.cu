// A value of an optional that is looked at without asking whether it is there.
// run --grid 1 --block 2 --arg i32:2 --arg i32:6
#include <cuda/std/optional>
__device__ cuda::std::optional<int> half(int i)
{
    if (i % 2)
        return cuda::std::nullopt;
    return i / 2;
}
__global__ void wrong(int *out, int *right)
{
    const int t = threadIdx.x;
    cuda::std::optional<int> found = half(t), other;
    right[t] = found ? *found : -1;
    right[2 + t] = half(t + 1).value_or(7);
    other = t;
    other.emplace(5);
    right[4 + t] = other.value() + (other == found) + (found == cuda::std::nullopt);
    if (*half(t)) // expect init.branch x1
        out[t] = 1;
}
