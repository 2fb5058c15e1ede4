// ... and may read it, in OpenCL C.
// run --grid 4 --block 16 --arg i32:1 --arg i32:1
kernel void last(global int *count, global int *total)
{
    if (get_local_id(0) == 0 && atomic_inc(count) == (int)get_num_groups(0) - 1) {
        *total = *count;
        *count = 0;
    }
}
