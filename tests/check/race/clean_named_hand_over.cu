// run --grid 2 --block 64 --arg i32:32
/* Full and empty, as two numbered barriers. */
__global__ void hand_over(int *y)
{
    __shared__ int s[32];
    const int l = threadIdx.x;
    for (int k = 0; k < 3; k++)
        if (l < 32) {
            if (k > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[l] = l + k;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            if (s[63 - l] < 0)
                y[l - 32] = 1;
            if (k < 2)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
}
