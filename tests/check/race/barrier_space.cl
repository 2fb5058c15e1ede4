/* A barrier orders the memory that its flags name, and no other. */
// run --grid 1 --block 64 --arg i32:64 --arg i32:64 --arg shared:256
kernel void part(global int *a, global int *b, local int *tile)
{
    int i = get_local_id(0);
    a[i] = i; // expect race.read_write x* also +3
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = a[63 - i] + tile[63 - i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    tile[i] = 1; // expect race.read_write x* also -2
}
