/* One barrier, whose flags are a variable: each half of the work-items exchanges in the memory that it names. */
// run --grid 2 --block 64 --arg i32:128 --arg i32:128
kernel void barrier_flags(global int *x, global int *y)
{
    local int s[64];
    const int t = get_local_id(0), i = get_global_id(0);
    volatile int flags = t < 32 ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE;
    for (int round = 0; round < 2; round++) {
        if (t < 32)
            x[i] = t + round;
        else
            s[t] = t + round;
        barrier(flags);
        y[i] = t < 32 ? x[i ^ 1] : s[t ^ 1];
        barrier(flags);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    s[t] = x[i ^ 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i ^ 63] = s[t ^ 63];
}
