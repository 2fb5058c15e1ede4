// Local memory of one argument, by a pointer, beyond its end and before its begin: the next argument's is near.
// run --grid 1 --block 32 --arg i32:32 --arg shared:64 --arg shared:128
kernel void sums(global int *out, local int *few, local int *more)
{
    const int i = get_local_id(0);
    more[i] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    few[i] = i; // expect memory.leaves_array x16
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 7)
        atomic_inc(more - 1); // expect memory.leaves_array x1
    out[i] = few[i & 15] + more[i];
}
