// A barrier of a sub-group orders the memory that its flags name, and no other.
// run --grid 1 --block 32 --arg i32:32 --arg i32:32 --arg i32:32
kernel void k(global int *a, global int *b, global int *c)
{
    local int s[32];
    const int i = get_local_id(0);
    a[i] = i; // expect race.read_write x* also +2
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = a[31 - i];
    s[i] = i; // expect race.read_write x* also +3
    c[i] = i; // expect race.read_write x* also +2
    sub_group_barrier(0);
    b[i] += s[31 - i] + c[31 - i];
}
