// The variables of two functions have the same memory, one after the other: each of them is unset.
// run --grid 1 --block 32 --arg i32:32
__device__ __noinline__ int first(int give)
{
    int value;
    if (give > 100)
        value = 1;
    if (value > 0) // expect init.branch x32
        return 1;
    return 2;
}

__device__ __noinline__ int second(int give)
{
    int other;
    if (give > 100)
        other = 1;
    const int copy = other;
    if (copy > 0) // expect init.branch x32
        return 1;
    return 2;
}

__global__ void variable_unset_calls(int *out)
{
    out[threadIdx.x] = first(threadIdx.x) + second(threadIdx.x);
}
