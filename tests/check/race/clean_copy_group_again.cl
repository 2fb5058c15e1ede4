/* Copies of a loop have the same events again, one event may stand for two copies, and bytes of a word are shares of several. */
// run --grid 2 --block 64 --arg u8:256:iota --arg u8:128 --arg shared:64 --arg shared:67
kernel void copy(global uchar *from, global uchar *to, local uchar *tile, local uchar *parts)
{
    const int i = get_local_id(0);
    uchar sum = 0;
    event_t event;
    for (int round = 0; round < 4; round++) {
        event = async_work_group_copy(tile, from, 64, 0);
        event = async_work_group_copy(parts + round, from + 64, 64, event);
        barrier(CLK_LOCAL_MEM_FENCE);
        wait_group_events(1, &event);
        sum += tile[i] + parts[i + round];
        barrier(CLK_LOCAL_MEM_FENCE);
        parts[i] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    event = async_work_group_copy(to + get_group_id(0) * 64, parts, 64, 0);
    sum += parts[i];
    wait_group_events(1, &event);
    parts[i] = sum;
}
