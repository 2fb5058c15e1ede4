// run --grid 2,2 --block 8,8 --arg f32:256:iota
kernel void transpose(global float *x)
{
    const int i = get_global_id(1) * 16 + get_global_id(0), j = get_global_id(0) * 16 + get_global_id(1);
    const float a = x[i]; // expect race.read_write x* also +2
    barrier(CLK_GLOBAL_MEM_FENCE);
    x[j] = a;
}
