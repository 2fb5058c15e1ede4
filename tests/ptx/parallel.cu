// nvcc -ptx -O3 -arch=sm_90 parallel.cu -o parallel-O3-sm_90.ptx
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__device__ int counter = 40;
__constant__ int weights[4] = {1, 10, 100, 1000};
extern "C" __global__ void reduce(const float4 *x, float *out)
{
    extern __shared__ float sums[];
    int t = threadIdx.x;
    float4 v = x[blockIdx.x * blockDim.x + t];
    sums[t] = v.x + v.y + v.z + v.w;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sums[0]);
}
extern "C" __global__ void warps(int *out)
{
    int lane = threadIdx.x & 31, sum = lane;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
    out[threadIdx.x] = sum + __popc(odd) + atomicAdd(&counter, 0) + weights[lane & 3];
}
