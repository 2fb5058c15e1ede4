/* Halves of a byte, set one after the other. */
// run --grid 1 --block 4 --arg i32:4
kernel void halves(global int *y)
{
    uchar v;
    v = (v & 0xf0) | 3;
    v = (v & 0x0f) | (5 << 4);
    if (v == 0x53)
        y[get_local_id(0)] = 1;
}
