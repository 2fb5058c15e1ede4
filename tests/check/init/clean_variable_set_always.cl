/* Each way that leads to the read sets the variable. */
// run --grid 1 --block 32 --arg i32:32 --arg i32:32
kernel void always(global int *y, global const int *x)
{
    int i = get_global_id(0);
    int kind;
    if (x[i] > 0)
        kind = 1;
    else
        kind = 2;
    if (kind == 1)
        y[i] = 1;
    int h[4];
    for (int k = 0; k < 4; k++)
        h[k] = kind + k;
    y[h[0]] = h[3];
}
