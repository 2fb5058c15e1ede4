/* Numbers of 128 bits: run.py knows what must come out. */
typedef unsigned __int128 wide;
typedef __int128 signed_wide;

__device__ wide number(int i)
{
    const unsigned long long high = i * 0x9e3779b97f4a7c15ull, low = ~i * 0xd1342543de82ef95ull + 99;
    return ((wide)(high >> i * 7 % 64) << 64 | low) >> i * 13 % 90;
}

__global__ void k(wide *out, double *doubles, float *floats)
{
    const int i = threadIdx.x;
    const wide a = number(i), c = number(i * 3 + 1), d = i % 3 == 0 ? c >> 64 | 1 : c, b = d ? d : 7;
    const signed_wide s = i & 1 ? -(signed_wide)a : (signed_wide)a, t = i & 2 ? -(signed_wide)b : (signed_wide)b;
    const wide results[10] = {a,
                              b,
                              a / b,
                              a % b,
                              (wide)(s / t),
                              (wide)(s % t),
                              (wide)(double)a,
                              (wide)(signed_wide)(double)s,
                              (wide)(float)(a >> 1),
                              (wide)(signed_wide)(float)(s >> 1)};
    for (int j = 0; j < 10; j++)
        out[10 * i + j] = results[j];
    doubles[2 * i] = (double)a;
    doubles[2 * i + 1] = (double)s;
    floats[2 * i] = (float)a;
    floats[2 * i + 1] = (float)s;
}
