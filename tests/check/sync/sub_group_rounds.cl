// run --grid 1 --block 32 --arg i32:32:iota --arg i32:32
/* Work-items of one sub-group go round a loop more or less often: the last calls lack those that have gone on. */
kernel void rounds(global int *x, global int *y)
{
    const int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 2 + (i >= 8); k++)
        sum += sub_group_reduce_add(x[i]); // expect sync.divergent_sub_group x8 also +2
    y[i] = sum;
}
