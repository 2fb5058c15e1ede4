// run --grid 4 --block 64 --arg f32:256:iota --arg f32:5 --arg u32:1
/* threadFenceReduction of the samples in short. */
__global__ void sum(const float *x, volatile float *partial, unsigned *count)
{
    __shared__ float s[64];
    __shared__ bool is_last;
    const int l = threadIdx.x;
    s[l] = x[blockIdx.x * 64 + l];
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (l < k)
            s[l] += s[l + k];
    }
    if (l == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        s[l] = l < gridDim.x ? partial[l] : 0;
        __syncthreads();
        for (int k = 2; k > 0; k /= 2) {
            if (l < k)
                s[l] += s[l + k];
            __syncthreads();
        }
        if (l == 0) {
            partial[4] = s[0];
            *count = 0;
        }
    }
}
