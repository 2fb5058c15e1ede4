// run --grid 1 --block 64 --arg i32:32
/* The producer tells by barrier 1, the consumer waits at barrier 2, where others meet. */
__global__ void hand_over(int *y)
{
    __shared__ int s[32];
    const int l = threadIdx.x;
    if (l < 32) {
        s[l] = l;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 32;" ::: "memory");
        y[l - 32] = s[63 - l]; // expect race.read_write x* also -4
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}
