/* Nobody waits for the second copy. */
// run --grid 3 --block 64 --arg i32:128:iota --arg i32:192 --arg shared:512
kernel void copy(global int *from, global int *to, local int *tile)
{
    event_t event = async_work_group_copy(tile, from, 64, 0);
    wait_group_events(1, &event);
    to[get_global_id(0)] = tile[get_local_id(0)];
    async_work_group_copy(tile + 64, from + 64, 64, 0); // expect sync.unwaited_copy x3
}
