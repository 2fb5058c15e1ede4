// Thirty-one lanes of a warp wait in loops of their own, and one is long in coming: its loop has no memory that
// changes, only a register.
// run --grid 1 --block 32 --arg i32:64
__global__ void k(volatile int *o)
{
    int t = threadIdx.x;
    if (t == 31) {
        int x = 1;
        for (int i = 0; i < 100000; i++)
            x = x * 3 + 1;
        o[0] = x | 1;
    }
#define WAIT(n)                                                                                              \
    if (t == n)                                                                                              \
        while (o[0] == 0)                                                                                    \
            ;
    WAIT(0) WAIT(1) WAIT(2) WAIT(3) WAIT(4) WAIT(5) WAIT(6) WAIT(7) WAIT(8) WAIT(9) WAIT(10) WAIT(11)
    WAIT(12) WAIT(13) WAIT(14) WAIT(15) WAIT(16) WAIT(17) WAIT(18) WAIT(19) WAIT(20) WAIT(21) WAIT(22)
    o[32 + t] = 1;
}
