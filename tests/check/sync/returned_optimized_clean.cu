// What returns do at the end is what threads that go on do, too, and an optimizer makes one code of both: the source tells returns.
// run --grid 2 --block 64 --arg i32:128 --arg i32:128 --arg 100 --options -O2
#define RETURN_UNLESS(c) do { if (!(c)) return; } while (0)
struct counter { int *p; __device__ counter(int *q) : p(q) {} __device__ ~counter() { *p += 1; } };
__global__ void returned_optimized_clean(int *y, int *log, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    counter all(&log[i]);
    RETURN_UNLESS(i < n);
    if (i == 7 || t == 9) {
        y[i] = 1; // and a word: } return (
        return;
    }
    s[t] = i;
    __syncthreads();
    if (i % 5 == 0) y[i] = 2; else if (i % 7 == 0) { y[i] = 3; return; }
    __syncthreads();
    y[i] += s[63 - t];
}
