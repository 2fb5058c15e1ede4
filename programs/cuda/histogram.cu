// How often each of 256 values occurs: counts of a block in shared memory, to which lanes of a warp that have the same
// value add together (__match_any_sync), and then counts of all blocks in a variable of the module.
__device__ unsigned blocks_done;

__global__ void histogram(const unsigned char *values, int n, unsigned *counts, unsigned *last)
{
    extern __shared__ unsigned mine[];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned value = values[i], lanes = __activemask(), same = __match_any_sync(lanes, value);
        if (threadIdx.x % 32 == __ffs(same) - 1)
            atomicAdd(&mine[value], __popc(same));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&counts[i], mine[i]);
    __syncthreads();
    bool is_last = false;
    if (threadIdx.x == 0) {
        __threadfence(); // the counts of this block before the number of blocks that are done, ...
        is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
        __threadfence(); // ... and that before the counts of others
    }
    if (__syncthreads_or(is_last)) {
        // the last block sees the counts of all
        unsigned largest = 0;
        for (int i = threadIdx.x; i < 256; i += blockDim.x)
            largest = max(largest, __ldcg(&counts[i]));
        atomicMax(last, largest);
    }
}
