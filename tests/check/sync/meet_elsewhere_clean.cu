// Lanes of a warp meet at different instructions with one mask: in the arms of branches, in two loops, in pairs.
// run --grid 2 --block 96 --arg u32:192 --arg u64:192
__device__ unsigned meet(unsigned value, int arm)
{
    unsigned sum = 0;
    if (arm == 0)
        for (int i = 0; i < 5; i++)
            sum += __shfl_xor_sync(~0u, value + i, 16);
    else if (arm == 1)
        for (int j = 4; j >= 0; j--)
            sum += 2 * __shfl_xor_sync(~0u, value + j, 16);
    else {
        sum = __shfl_xor_sync(~0u, value, 16);
        for (int k = 0; k < 4; k++)
            sum += __shfl_xor_sync(~0u, value * 3, 16);
    }
    return sum;
}

__global__ void meet_elsewhere_clean(unsigned *out, unsigned long long *wide)
{
    __shared__ unsigned s[96];
    const unsigned t = threadIdx.x, lane = t % 32, at = blockIdx.x * blockDim.x + t;
    unsigned sum = meet(t, lane % 3);
    const unsigned pair = 3u << (lane & ~1u);
    if (lane & 1) {
        s[t] = t;
        __syncwarp(pair);
        sum += s[t - 1] + __ballot_sync(pair, lane > 9) + __any_sync(~0u, lane == 7);
        __syncwarp();
        wide[at] = __shfl_down_sync(~0u, 0x100000000ull * t, 1);
    } else {
        s[t] = 2 * t;
        __syncwarp(pair);
        sum += s[t + 1] + 2 * __ballot_sync(pair, lane > 4) + __any_sync(~0u, lane == 99);
        __syncwarp();
        wide[at] = __shfl_down_sync(~0u, 0x300000000ull * t, 1);
    }
    out[at] = sum;
}
