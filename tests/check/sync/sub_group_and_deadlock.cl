// run --grid 1 --block 128 --arg i32:128
/* Those of the sub-group go on, as the others have ended; what waits for ever waits for something else. */
kernel void two(global int *y)
{
    const int i = get_local_id(0);
    if (i >= 16 && i < 32)
        return;
    if (i < 32)
        y[i] = sub_group_all(i >= 0); // expect sync.divergent_sub_group x16 also +3
    else
        __asm__ volatile("bar.sync 1, 128;" ::: "memory"); // expect sync.deadlock x1
}
