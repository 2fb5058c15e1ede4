/* One work-item copies another number of elements. */
// run --grid 2 --block 64 --arg i32:64:iota --arg i32:128 --arg shared:256
kernel void copy(global int *from, global int *to, local int *tile)
{
    int i = get_local_id(0);
    event_t event = async_work_group_copy(tile, from, i == 63 ? 1 : 64, 0); // expect sync.divergent_copy x2 also +0
    wait_group_events(1, &event);
    to[get_global_id(0)] = tile[i];
}
