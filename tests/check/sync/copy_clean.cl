/* Copies in a loop, one event for several copies, one event twice in a list, and a branch that all take. */
// run --grid 2 --block 64 --arg i32:256:iota --arg i32:128 --arg shared:1024
kernel void copy(global int *from, global int *to, local int *tile)
{
    event_t event = 0, list[3];
    for (int i = 0; i < 8; i++)
        event = async_work_group_copy(tile + i * 8, from + i * 8, 8, event);
    wait_group_events(1, &event);
    for (int i = 0; i < 9; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        list[0] = async_work_group_copy(tile + 64, from + i, 64, 0);
        list[1] = list[0];
        list[2] = async_work_group_copy(tile + 128, from + 64, 64, 0);
        wait_group_events(3, list);
    }
    if (get_num_groups(0) > 1) {
        event = async_work_group_copy(tile + 192, from + 128, 64, 0);
        wait_group_events(1, &event);
    }
    int i = get_local_id(0);
    to[get_global_id(0)] = tile[i] + tile[64 + i] + tile[128 + i];
}
