// An index before the only array in local memory, which begins behind the addresses of NULL and small indices: no
// null pointer.
// run --grid 2 --block 8 --arg i32:16
kernel void turned(global int *out)
{
    local int line[8];
    local int square[4][8];
    const int i = get_local_id(0);
    line[0 - i] = i; // expect memory.leaves_array x14
    square[0][i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = line[7 - i] + square[0][i];
}
