// Sums of all numbers up to each, in one launch: blocks take their numbers in order, and each waits for the sum of
// those before it (a chain of flags; see Merrill and Garland, "Single-pass parallel prefix scan", 2016).
__device__ unsigned next_block;

template <typename T> __device__ T warp_scan(T x, int lane)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        const T left = __shfl_up_sync(0xffffffff, x, distance);
        if (lane >= distance)
            x += left;
    }
    return x;
}

extern "C" __global__ void scan(const int *in, long long *out, int n, volatile long long *totals, volatile int *flags)
{
    __shared__ unsigned number;
    __shared__ long long of_warps[32], before;
    if (threadIdx.x == 0)
        number = atomicAdd(&next_block, 1);
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = number * blockDim.x + threadIdx.x;
    long long sum = warp_scan<long long>(i < n ? in[i] : 0, lane);
    if (lane == 31)
        of_warps[warp] = sum;
    __syncthreads();
    if (warp == 0)
        of_warps[lane] = warp_scan(lane < blockDim.x / 32 ? of_warps[lane] : 0, lane);
    __syncthreads();
    if (warp > 0)
        sum += of_warps[warp - 1];
    if (threadIdx.x == blockDim.x - 1) {
        while (number > 0 && !flags[number - 1])
            ;
        __threadfence();
        before = number > 0 ? totals[number - 1] : 0;
        totals[number] = before + sum;
        __threadfence();
        flags[number] = 1;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + sum;
}
