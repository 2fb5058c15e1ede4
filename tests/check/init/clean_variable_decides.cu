// What the variable takes was written before, if by another thread.
// run --grid 1 --block 32 --arg i32:32:none --arg i32:64 --arg i32:32
__global__ void clean_variable_decides(int *work, const int *index, int *out)
{
    work[31 - threadIdx.x] = threadIdx.x;
    __syncthreads();
    int at = work[threadIdx.x];
    int sum = 0;
    for (int i = index[at]; i < index[at + 1]; i++)
        sum += index[i];
    if (at > 3)
        sum += index[at + 2];
    out[threadIdx.x] = sum;
}
