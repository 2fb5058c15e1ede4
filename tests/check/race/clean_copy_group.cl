/* A barrier before, and a wait behind; vectors of three and strides. */
// run --grid 2 --block 32 --arg f32:512:iota --arg f32:256 --arg shared:512 --arg shared:1024
kernel void copy(global float *from, global float *to, local float *tile, local float3 *wide)
{
    int i = get_local_id(0);
    tile[i] = tile[i + 32] = wide[i].x = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t events[2];
    events[0] = async_work_group_strided_copy(tile, from, 64, 2, 0);
    events[1] = async_work_group_copy(wide, (global float3 *)from, 32, 0);
    wait_group_events(2, events);
    tile[i] = tile[63 - i] + wide[31 - i].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t back = async_work_group_copy(to + get_group_id(0) * 32, tile, 32, 0);
    wait_group_events(1, &back);
}
