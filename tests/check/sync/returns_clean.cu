// Returns in all places: behind a macro, in arms, in a loop, in a function that is all that the kernel does, and by an instruction.
// run --grid 1 --block 64 --arg i32:64 --arg 60
#define LEAVE_IF(condition)                                                                                                                                                         \
    if (condition)                                                                                                                                                                  \
    return
#define leave_at(place)                                                                                                                                                             \
    if (threadIdx.x == place)                                                                                                                                                       \
    return
__device__ void work(int *s, int *y, int n)
{
    const int t = threadIdx.x;
    LEAVE_IF(t >= n);
    leave_at(5);
    s[t] = t;
    __syncthreads();
    if (t >= n - 4) {
        if (t % 2) {
            y[t] = 1;
            return;
        } else {
            y[t] = 2;
            return;
        }
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (t >= n - 8 - k)
            return;
        s[t] += k;
        __syncthreads();
    }
    if (t == 7)
        asm volatile("exit;");
    __syncthreads();
    y[t] = s[t];
}
__global__ void returns_clean(int *y, int n)
{
    __shared__ int s[64];
    work(s, y, n);
}
