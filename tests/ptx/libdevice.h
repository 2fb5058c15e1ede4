/* Functions of libdevice that are exact: NV(name) is CUDA's or the host's. */
FUNCTION int bits_of(float value)
{
    return NV(float_as_int)(value);
}
FUNCTION void float_functions(int i, const int *x, int *y)
{
    const float a = NV(int2float_rn)(x[i]) * 0.37f, b = (float)(i - 100) * 1.75f;
    int all = bits_of(NV(fabsf)(a)) ^ bits_of(NV(fmaf)(a, b, a)) * 3;
    all ^= bits_of(NV(sqrtf)(NV(fabsf)(b))) * 5 ^ bits_of(NV(floorf)(a)) * 7 ^ bits_of(NV(ceilf)(a)) * 9;
    all ^= bits_of(NV(truncf)(a)) * 11 ^ bits_of(NV(rintf)(b)) * 13 ^ bits_of(NV(fminf)(a, b)) * 15;
    all ^= bits_of(NV(fmaxf)(a, b)) * 17 ^ bits_of(NV(copysignf)(a, b)) * 19 ^ NV(isnanf)(a / (b - b)) * 21;
    y[i] = all ^ bits_of(NV(fmodf)(a, 3.5f)) * 23;
}
FUNCTION void double_functions(int i, const int *x, int *y)
{
    const double a = x[i] * 0.37, b = (i - 100) * 1.75;
    long long all = NV(double_as_longlong)(NV(fma)(a, b, a)) ^ NV(double_as_longlong)(NV(sqrt)(NV(fabs)(a)));
    all +=
        NV(double2ll_rn)(b) ^ NV(double2int_rz)(a) * 3 ^ NV(double2int_ru)(a) * 5 ^ NV(double2int_rd)(a) * 7;
    y[i] = (int)(all ^ all >> 32) ^ (int)NV(hiloint2double)(0x40f00000 + i, x[i]);
}
FUNCTION void integer_functions(int i, const int *x, int *y)
{
    y[i] = NV(popc)(x[i]) + NV(clz)(x[i]) * 3 + NV(brev)(x[i]) + NV(mulhi)(x[i], 77777777) * 5 +
           NV(abs)(x[i]) + NV(min)(x[i], i) * 7 + NV(max)(x[i], i) * 9 +
           NV(popcll)((long long)x[i] << 20) * 11 + (int)NV(umulhi)(x[i], 0xfffffff1u) * 13 +
           NV(float2int_rd)((float)x[i] * 0.3f) * 15;
}
#define EACH_LIBRARY(f) f(float_functions) f(double_functions) f(integer_functions)
