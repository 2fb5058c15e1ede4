// Two shuffles that all lanes of a warp meet in, from both arms of a branch, in an order where one arm's lanes have
// exited when the other's are told of.
// run --grid 4 --block 256 --arg i32:1024 --seed 3
__global__ void exchange(int *out)
{
    int i = threadIdx.x, value = i;
    if (i & 1)
        value = __shfl_sync(~0u, value, 1);
    else
        value = __shfl_sync(~0u, value, 3) * 2 + value;
    out[blockIdx.x * blockDim.x + i] = value;
}
