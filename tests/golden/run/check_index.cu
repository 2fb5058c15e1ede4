struct pair {
    float low[4], high[4];
};

extern "C" __global__ void indexes(float *out, long n)
{
    struct pair pair;
    for (int i = 0; i < 4; i++)
        pair.low[i] = pair.high[i] = i;
    const unsigned char beyond = threadIdx.x * 9;
    const float first = pair.high[n - 1 - (long)threadIdx.x];
    const float second = pair.low[beyond];
    out[threadIdx.x] = first + second;
}
