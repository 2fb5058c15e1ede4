// A variable takes what nobody has written, and is used again and again: that is one mistake. So are variables that are made of it.
// Another element that nobody has written is another mistake, also in the same variable.
// run --grid 1 --block 32 --arg i32:64:none --arg i32:64 --arg i32:64
__device__ int twice(int given)
{
    const int copy = given;
    return 2 * copy;
}

__global__ void variable_decides(const int *work, const int *index, int *out)
{
    int at = work[threadIdx.x];
    int sum = 0;
    for (int i = index[at]; i < index[at + 1]; i++) // expect init.address x32
        sum += index[i];
    if (at > 3)
        sum += index[at + 2];
    const int next = twice(at);
    if (next < 0)
        sum++;
    at = work[threadIdx.x + 32];
    sum += index[at]; // expect init.address x32
    out[threadIdx.x] = sum + index[at] + next;
}
