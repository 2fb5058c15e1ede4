/* A barrier without flags orders no memory. */
// run --grid 1 --block 64 --arg i32:64 --arg i32:64 --arg shared:256
kernel void part(global int *a, global int *b, local int *tile)
{
    int i = get_local_id(0);
    a[i] = i; // expect race.read_write x* also +3
    tile[i] = i; // expect race.read_write x* also +2
    barrier(0);
    b[i] = a[63 - i] + tile[63 - i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
