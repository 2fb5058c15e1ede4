// A pointer to right behind an array, which stands in local memory.
// run --grid 1 --block 4 --arg i32:4 --options -cl-std=CL2.0
kernel void behind(global int *out)
{
    local int *local from;
    local int some[4];
    if (get_local_id(0) == 0)
        from = some + 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = from[get_local_id(0)]; // expect memory.leaves_array x4
}
