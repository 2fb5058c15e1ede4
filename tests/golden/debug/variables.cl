typedef struct { float sum; int counts[2]; } total;
float twice(float value) {
  float result = 2 * value;
  return result;
}
kernel void sums(global float *x, local float *scratch) {
  local float tile[4];
  int i = get_global_id(0);
  float4 four = (float4)(1, 2, 3, i);
  total all = {0, {i, 1}};
  for (int k = 0; k <= i; k++) {
    int i = 10 * k;
    all.sum += twice(x[k]) + i;
  }
  tile[i] = scratch[i] = all.sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = tile[i] + four.y;
}
