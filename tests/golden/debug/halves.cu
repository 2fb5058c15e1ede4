#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct with { __half h; __nv_bfloat16 b; int n; };
extern "C" __global__ void k(float *x, __half arg) {
  int i = threadIdx.x;
  __half h = __float2half(i + 0.25f);
  __nv_bfloat16 b = __float2bfloat16(1.5f);
  __half2 h2 = __floats2half2_rn(1.5f, 2.5f);
  __half several[3] = {h, h, h};
  with w = {h, b, 3};
  __shared__ __half tile[4];
  tile[i] = h;
  x[i] = __half2float(h) + __bfloat162float(b) + __low2float(h2) + __half2float(several[1]) + w.n + __half2float(tile[0]) + __half2float(arg);
}
