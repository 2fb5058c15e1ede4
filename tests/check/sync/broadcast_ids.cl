// Work-items that name different ones in a broadcast.
// run --grid 1 --block 64 --arg i32:64 --options -cl-std=CL3.0
kernel void spread(global int *out)
{
    const int i = get_local_id(0);
    out[i] = work_group_broadcast(i, i & 1); // expect sync.divergent_broadcast x32
}
