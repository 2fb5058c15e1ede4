/* Copies that work-items do not make alike are wrong, but nobody here touches one before he has waited: `sync` finds it. */
// run --grid 1 --block 4 --arg i32:8:iota --arg i32:4 --arg shared:16
kernel void copy(global int *from, global int *to, local int *tile)
{
    const int i = get_local_id(0);
    event_t event = async_work_group_copy(tile, from, i == 3 ? 3 : 4, 0);
    wait_group_events(1, &event);
    to[i] = tile[i];
}
