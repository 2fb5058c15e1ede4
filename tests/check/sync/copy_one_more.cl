/* The first work-item alone makes a second copy, where the others wait. */
// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64 --arg shared:256
kernel void copy(global int *from, global int *to, local int *tile)
{
    int i = get_local_id(0);
    event_t event = async_work_group_copy(tile, from, 64, 0);
    if (i == 0)
        event = async_work_group_copy(tile, from, 1, event); // expect sync.divergent_copy x63 also +1
    wait_group_events(1, &event);
    to[i] = tile[i];
}
