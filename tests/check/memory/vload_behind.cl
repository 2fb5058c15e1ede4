// run --grid 1 --block 32 --arg f32:120 --arg f32:126
/* One access of the source is one finding, whatever it became: the last vectors begin in the buffer. */
kernel void copy(global const float *x, global float *y)
{
    const int i = get_global_id(0);
    const float4 v = vload4(i, x); // expect memory.out_of_range x2
    vstore4(v, i, y); // expect memory.out_of_range x1
}
