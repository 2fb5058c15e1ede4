/* An event that no copy has, and one that was waited for before. */
// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64 --arg shared:256
kernel void copy(global int *from, global int *to, local int *tile)
{
    event_t none = 0;
    wait_group_events(1, &none); // expect sync.no_event x64
    event_t event = async_work_group_copy(tile, from, 64, 0);
    wait_group_events(1, &event);
    to[get_local_id(0)] = tile[get_local_id(0)];
    wait_group_events(1, &event); // expect sync.no_event x64
}
