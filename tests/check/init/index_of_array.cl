/* An index that nobody has set is part of an address, and decides about no branch of the program's. */
// run --grid 1 --block 1 --arg i32:32
kernel void indexed(global int *y)
{
    int table[4] = {1, 2, 3, 4};
    int at;
    if (y[0] > 0)
        at = 1;
    y[1] = table[at & 3]; // expect init.address x1
}
