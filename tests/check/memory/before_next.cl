/* An index wraps around: what is accessed lies before the only buffer. */
// run --grid 1 --block 200 --arg i32:200
kernel void wraps(global int *y)
{
    char i = get_local_id(0);
    y[i] = 1; // expect memory.out_of_range x72
}
