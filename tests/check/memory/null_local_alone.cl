// A kernel without local memory has pointers to it that are NULL.
// run --grid 1 --block 32 --arg i32:32 --arg 0
kernel void put(global int *out, int some)
{
    local int *to = 0;
    const int i = get_local_id(0);
    if (i >= some)
        to[i] = i; // expect memory.null x32
    out[i] = i;
}
