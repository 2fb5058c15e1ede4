// Loads and stores with cache operators: vectors and scalars, and messages by those that go around the caches.
// run --grid 2 --block 1 --arg i32:8 --arg f64:4 --arg u8:8 --arg i32:8 --arg i32:1
#include <cuda_fp16.h>
__global__ void correct(int4 *ints, double2 *doubles, uchar4 *bytes, int2 *flags, int *out)
{
    if (blockIdx.x == 0) {
        __stcg(&ints[1], make_int4(1, 2, 3, 4));
        __stcs(&doubles[1], make_double2(5, 6));
        __stwb(&bytes[1], make_uchar4(7, 8, 9, 10));
        __stcg((__half2 *)&ints[0].x, __floats2half2_rn(1, 2));
        __stcs(&ints[0].y, 3);
        __threadfence();
        __stwt(&flags[1], make_int2(1, 1));
    } else {
        while (__ldcv(&flags[1]).y == 0)
            ;
        __threadfence();
        const int4 a = __ldcg(&ints[1]), b = __ldca(&ints[1]), c = __ldlu(&ints[1]);
        const double2 d = __ldcs(&doubles[1]), e = __ldg(&doubles[1]);
        const uchar4 f = __ldg(&bytes[1]);
        *out = a.x + b.y + c.w + (int)(d.x + e.y) + f.w + (int)__high2float(__ldg((__half2 *)ints)) + __ldcv(&ints[0].y);
    }
}
