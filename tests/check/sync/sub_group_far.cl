// run --grid 1 --block 64 --arg i32:64 --arg 16000
/* Half of the work-items go on alone, many calls ahead of those that have ended. */
kernel void far(global int *y, int n)
{
    const int i = get_local_id(0);
    int sum = 0;
    if (i & 1)
        for (int k = 0; k < n; k++)
            sum += sub_group_all(k > i); // expect sync.divergent_sub_group x32 also +2
    y[i] = sum;
}
