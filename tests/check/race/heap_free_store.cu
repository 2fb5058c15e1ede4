// ... and a store of another block.
// run --grid 2 --block 1 --arg i32:1 --arg u64:1
__global__ void early(volatile int *flag, int *volatile *at)
{
    if (blockIdx.x == 0) {
        int *const p = (int *)malloc(4096);
        *at = p;
        __threadfence();
        *flag = 1;
        while (*flag != 2)
            ;
        free(p);
    } else {
        while (*flag != 1)
            ;
        __threadfence();
        (*at)[1000] = 3;    // expect race.write_write x* also -5
        *flag = 2;
    }
}
