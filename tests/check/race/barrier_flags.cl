/* One barrier, whose flags are a variable: it orders memory between those that name it, and for no others. */
// run --grid 2 --block 64 --arg i32:128 --arg i32:128
kernel void barrier_flags(global int *x, global int *y)
{
    local int s[64];
    const int t = get_local_id(0);
    volatile int flags = t < 32 ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE;
    s[t] = t; // expect race.read_write x* also +2
    barrier(flags);
    y[get_global_id(0)] = s[t ^ 1] + x[get_global_id(0)];
}
