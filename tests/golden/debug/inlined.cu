struct acc { float total; __device__ __forceinline__ void add(float x) { total += x; } };
namespace m {
__device__ __forceinline__ int twice(int x) {
    int y = x * 2;
    return y;
}
}
__device__ __forceinline__ int four(int x) {
    int z = m::twice(x);
    return m::twice(z) + 1;
}
__device__ __noinline__ int outer(int v) {
    int w = four(v);
    return w + 1;
}
__global__ void k(int *out) {
    int i = threadIdx.x;
    acc a = {0};
    a.add(i);
    int r = four(i);
    r += outer(r);
    out[i] = r + (int)a.total;
}
