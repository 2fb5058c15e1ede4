// A copy with a guard.
// run --grid 2 --block 64 --arg f32:100 --arg f32:100 --arg 100
kernel void copy(global const float *x, global float *y, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i];
}
