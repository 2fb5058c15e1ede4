/* One component of a vector is not set: such a vector has no padding. */
// run --grid 1 --block 1 --arg u8:4
kernel void three(global uchar4 *y)
{
    uchar4 c;
    c.x = 1;
    c.y = 2;
    c.z = 3;
    y[0] = c; // expect init.store x1
}
