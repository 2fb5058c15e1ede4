/* Floats of 8 bits: what hexec's cuda_fp8.h computes, and the toolkit's. */
#include <cuda_fp8.h>
#include <initializer_list>

#define KERNEL(name) extern "C" __global__ void name(const float *x, float *y, int *out)
#define MIX(value)   sum = sum * 31 + (int)(value)

template <class One, class Two, class Four> __device__ int convert(float f, float g)
{
    int sum = 0;
    const One one(f);
    const Two two(make_float2(f, g));
    const Four four(make_float4(g, f, -f, g * f));
    MIX(one.__x), MIX(two.__x), MIX(four.__x), MIX(One((double)f).__x), MIX(One(__float2half(g)).__x);
    MIX(One(__float2bfloat16(f)).__x), MIX(One((int)g).__x), MIX(One(1000000u).__x);
    MIX(__float_as_int(float(one))), MIX(__float_as_int(float2(two).y)), MIX(__float_as_int(float4(four).w));
    MIX(__half_as_ushort(__half(one))), MIX(bool(one)), MIX(__float_as_int((float)__nv_bfloat16(one)));
    MIX(__half_as_ushort(__high2half(__half2(two))));
    return sum;
}

/* Of all sizes, near the greatest numbers too, and what is no number. */
KERNEL(floats_of_8_bits)
{
    const int i = threadIdx.x;
    int sum = 0;
    const float scales[] = {1e-4f, 0.01f, 1.0f, 57.0f, 58.0f, 7168.0f, 7680.0f, 8000.0f, 1e20f};
    for (int k = 0; k < 9; k++) {
        const float f = k & 1 ? x[i] * scales[k] : scales[k] * ((i & 15) - 8), g = x[i ^ 5] * 0.3f;
        MIX((convert<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(f, g)));
        MIX((convert<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(f, g)));
        for (const auto kind : {__NV_E4M3, __NV_E5M2})
            for (const auto saturation : {__NV_NOSAT, __NV_SATFINITE}) {
                MIX(__nv_cvt_float_to_fp8(f, saturation, kind)), MIX(__nv_cvt_double_to_fp8(f * 1.0000000001, saturation, kind));
                MIX(__nv_cvt_float_to_fp8(1.0f / (i - 3), saturation, kind));
                MIX(__nv_cvt_halfraw_to_fp8(__half_raw(__float2half(f)), saturation, kind));
                MIX(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(__float2bfloat16(g)), saturation, kind));
                MIX(__nv_cvt_double2_to_fp8x2(make_double2(f, g), saturation, kind));
            }
    }
    for (int bits = i; bits < 256; bits += 64) {
        MIX(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3).x), MIX(__nv_cvt_fp8_to_halfraw(bits, __NV_E5M2).x);
        MIX(__nv_cvt_fp8x2_to_halfraw2(bits << 8 | i, __NV_E4M3).y);
    }
    y[i] = float(__nv_fp8_e4m3(x[i]));
    out[i] = sum;
}
