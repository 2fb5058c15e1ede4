/* What a work-item reads is its own share of the copy, which is as late as those of others. */
// run --grid 1 --block 64 --arg i32:64:iota --arg i32:64 --arg shared:256
kernel void copy(global int *from, global int *to, local int *tile)
{
    const int i = get_local_id(0);
    event_t event = async_work_group_copy(tile, from, 64, 0);
    to[i] = tile[(i + 1) % 64]; // expect race.unwaited_copy x64 also -1
    wait_group_events(1, &event);
}
