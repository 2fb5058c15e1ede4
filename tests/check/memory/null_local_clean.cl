// A local pointer that may be NULL, and is asked first. All 228 KiB of local memory are used.
// run --grid 2 --block 64 --arg i32:128 --arg shared:233216
kernel void sums(global int *out, local int *given)
{
    local int tile[64];
    local int *from = get_group_id(0) == 0 ? tile : get_local_size(0) == 64 ? given : 0;
    const int i = get_local_id(0);
    tile[i] = i;
    given[i] = 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = from ? from[0] + from[63] : 0;
}
