// Threads that go past the first barrier and return before the second one have not returned before the first.
// run --grid 1 --block 64 --arg i32:64 --arg 60
__global__ void returned_late(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t == 63)
        return;
    s[t] = t;
    if (t % 2 == 0)
        __syncthreads(); // expect sync.skipped x30 also +10
    else if (t >= n)
        return;
    s[t] += 1;
    for (int k = 0; k < 2; k++) {
        if (t >= n - 8)
            return;
        s[t] += k;
    }
    y[t] = s[t];
}
