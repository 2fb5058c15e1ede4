/* A copy of the whole group is ordered by the wait alone, also with what the same work-item does. */
// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64 --arg shared:256
kernel void copy(global int *from, global int *to, local int *tile)
{
    int i = get_local_id(0);
    tile[i] = -1; // expect race.write_write x* also +1
    event_t event = async_work_group_copy(tile, from, 64, 0);
    wait_group_events(1, &event);
    to[i] = tile[i];
}
