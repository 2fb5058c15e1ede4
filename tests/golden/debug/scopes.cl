int twice(int value)
{
    int two = 2;
    return two * value;
}
kernel void scopes(global int *x)
{
    int i = get_global_id(0);
    int y = twice(i);
    if (i % 2)
        y++;
    x[i] = y;
}
