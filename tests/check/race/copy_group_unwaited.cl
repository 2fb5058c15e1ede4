/* A barrier does not wait for a copy, neither for what it writes nor for what it reads; nor does a wait for another one. */
// run --grid 2 --block 64 --arg i32:64:iota --arg i32:128 --arg i32:128 --arg shared:256 --arg shared:256
kernel void copy(global int *from, global int *to, global int *back, local int *tile, local int *other)
{
    const int i = get_local_id(0);
    event_t events[2];
    events[0] = async_work_group_copy(tile, from, 64, 0);
    events[1] = async_work_group_copy(other, from, 64, 0);
    wait_group_events(1, events);
    const int late = other[i]; // expect race.unwaited_copy x128 also -2
    wait_group_events(1, events + 1);
    events[0] = async_work_group_copy(back + get_group_id(0) * 64, tile, 64, 0);
    const int twice = tile[i] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i] = twice; // expect race.unwaited_copy x128 also -3
    wait_group_events(1, events);
    to[get_global_id(0)] = tile[i] + late;
}
