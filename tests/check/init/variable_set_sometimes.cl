/* A variable that one way sets: a compiler that optimizes takes it as set on both. */
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
kernel void sometimes(global int *y, global const int *x)
{
    int i = get_global_id(0);
    int kind, at;
    if (x[i] > 0)
        kind = 1;
    if (kind == 1) // expect init.branch x32
        y[i] = 1;
    if (x[i] > 1)
        at = i;
    y[at & 7] = 2; // expect init.address x32
}
