// Threads leave a loop by goto, past a barrier in it, and go on with the others: those that return there are not found.
// run --grid 1 --block 64 --arg i32:64 --arg 60
__global__ void skipped_by_goto(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    switch (t % 8) {
    case 7: return;
    case 1: s[t] = 2; break;
    case 2: s[t] = 3; break;
    case 3: s[t] = 5; break;
    default: s[t] = 9;
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        while (s[t] > 0) { s[t]--; if (t == 11) return; if (s[t] == 4) goto out; }
        __syncthreads(); // expect-kinds sync.skipped
        if (n > 0 && t == 13) return;
        if (t == 14 || t == 22) { y[t] = 2; return; }
    }
out:
    y[t] = s[t];
}
