// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64
__global__ void arms(const int *x, int *y)
{
    const int l = threadIdx.x;
    int v = 0;
    if (x[l] & 1) {
        const unsigned mask = __activemask();
        v = __shfl_sync(mask, x[l], __ffs(mask) - 1) + __popc(__ballot_sync(mask, x[l] > 7));
        v += __popc(__match_any_sync(mask, x[l] / 8));
        __syncwarp(mask);
    }
    y[l] = v;
}
