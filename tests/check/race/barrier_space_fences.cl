/* A barrier orders the memory that its flags name, and no other, in kernels with fences and atomics that release, too. */
// run --grid 4 --block 64 --arg i32:256 --arg i32:256
kernel void part(global int *a, global int *b)
{
    local int tile[64];
    const int t = get_local_id(0), i = get_global_id(0);
    a[i] = i; // expect race.read_write x* also +3
    tile[t] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = a[i ^ 1] + tile[t ^ 1];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
