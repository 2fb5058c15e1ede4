// run --grid 2 --block 64 --arg i32:128
/* One barrier, whose flags are a variable: that they differ is no other call. */
kernel void flags(global int *x)
{
    volatile int flags = get_local_id(0) < 5 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
    barrier(flags);
    x[get_global_id(0)] = 1;
}
