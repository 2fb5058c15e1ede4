// A copy without a guard.
// run --grid 2 --block 64 --arg f32:100 --arg f32:100
kernel void copy(global const float *x, global float *y)
{
    const int i = get_global_id(0);
    const float value = x[i]; // expect memory.out_of_range x28
    y[i] = value; // expect memory.out_of_range x28
}
