// The fourth float of a vector in shared memory was never written, and goes on to a buffer.
// run --grid 1 --block 64 --arg f32:256
kernel void vector_component_cl(global float4 *y)
{
    local float4 tile[64];
    const uint i = get_local_id(0);
    tile[i].x = i;
    tile[i].y = 1;
    tile[i].z = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[63 - i]; // expect init.store x64
}
