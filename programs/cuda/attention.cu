// out = softmax(Q K^T / sqrt(d)) V for one head, without the matrix of scores: a warp has a query, and goes over tiles
// of keys with a running maximum and sum (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
#define WIDTH 32
#define KEYS 32
#define WARPS 4

__device__ float warp_max(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, distance));
    return x;
}

__device__ float warp_sum(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xffffffff, x, distance);
    return x;
}

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out, int count)
{
    __shared__ float keys[KEYS][WIDTH + 1], values[KEYS][WIDTH];
    const int lane = threadIdx.x, warp = threadIdx.y, query = blockIdx.x * WARPS + warp;
    const float own = q[query * WIDTH + lane] * rsqrtf(WIDTH);
    float largest = -INFINITY, sum = 0, result = 0;
    for (int first = 0; first < count; first += KEYS) {
        for (int row = warp; row < KEYS; row += WARPS) {
            keys[row][lane] = k[(first + row) * WIDTH + lane];
            values[row][lane] = v[(first + row) * WIDTH + lane];
        }
        __syncthreads();
        float score = 0; // of the key that this lane has
        for (int i = 0; i < WIDTH; i++)
            score += __shfl_sync(0xffffffff, own, i) * keys[lane][i];
        const float higher = fmaxf(largest, warp_max(score)), weight = expf(score - higher);
        const float shrink = expf(largest - higher);
        sum = sum * shrink + warp_sum(weight);
        result *= shrink;
        for (int i = 0; i < KEYS; i++)
            result += __shfl_sync(0xffffffff, weight, i) * values[i][lane];
        largest = higher;
        __syncthreads();
    }
    out[query * WIDTH + lane] = result / sum;
}
