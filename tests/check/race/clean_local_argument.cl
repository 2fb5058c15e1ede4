// run --grid 1 --block 64 --arg shared:256 --arg u32:64
/* What an argument points at lies behind the kernel's own local variables. */
kernel void beside(local int *given, global int *all)
{
    local int own;
    const int i = get_local_id(0);
    if (i == 0)
        own = 7;
    given[63 - i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    all[i] = own + given[i];
}
