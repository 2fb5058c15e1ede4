extern "C" __global__ void racy(int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    x[t] = s[(t + 33) % 64];
}
