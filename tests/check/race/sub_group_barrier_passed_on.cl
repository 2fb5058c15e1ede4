// What a work-item knows of local memory alone, it passes on for local memory alone.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
kernel void k(global int *a, global int *b)
{
    local int s[32];
    const int i = get_local_id(0);
    a[i] = i; // expect race.read_write x* also +4
    s[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = a[31 - i] + s[31 - i];
}
