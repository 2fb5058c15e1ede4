// run --grid 1 --block 64 --arg i32:64:iota
void both(global int *x, int i)
{
    x[i] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
}
kernel void arms(global int *x)
{
    const int i = get_global_id(0);
    both(x, i);
    if (x[0] >= 0) /* for all the same */
        both(x, i);
    for (int k = 0; k < 2; k++)
        both(x, 63 - i);
}
