/* Some work-items name both kinds of memory, and some one of them: what these wrote in the other is not ordered. */
// run --grid 1 --block 64 --arg i32:64 --arg i32:64
kernel void barrier_flags_both(global int *x, global int *y)
{
    local int s[64];
    const int t = get_local_id(0);
    volatile int flags = t % 2 ? CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE;
    s[t] = t;
    x[t] = t; // expect race.read_write x* also +2
    barrier(flags);
    y[t] = s[t ^ 1] + x[t ^ 1];
}
