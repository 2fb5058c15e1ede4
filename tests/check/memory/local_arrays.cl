// Arrays in local memory by pointers, which functions are given: one runs into the next.
// run --grid 1 --block 8 --arg i32:8 --options -cl-std=CL2.0
void put(local int *to, int count)
{
    for (int i = 0; i <= count; i++)
        to[i] = i; // expect memory.leaves_array x1
}
int sum(int *of, int count)
{
    int all = 0;
    for (int i = 0; i <= count; i++)
        all += of[i]; // expect memory.leaves_array x1
    return all;
}
kernel void two(global int *out)
{
    local int a[8];
    local int b[8];
    const int i = get_local_id(0);
    b[i] = 77;
    a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        put(a, 8);
        out[1] = sum(b, 8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        out[0] = b[0];
}
