// All work-items come to the barrier.
// run --grid 2 --block 64 --arg f32:128
kernel void reverse(global float *y)
{
    local float a[64];
    const int i = get_local_id(0);
    a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = a[63 - i];
}
