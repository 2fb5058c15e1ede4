// Each row gets mean 0 and variance 1, and then a scale and a shift for each column. A work-item has four columns,
// as a vector; EPSILON is an option of the compiler (-DEPSILON=1e-5f).
#ifndef EPSILON
#define EPSILON 1e-5f
#endif

kernel void layer_norm(global const float4 *x, global const float4 *scale, global const float4 *shift, global float4 *out)
{
    local float2 sums[64]; // of the values and of their squares
    const size_t t = get_local_id(0), size = get_local_size(0), row = get_group_id(0) * size;
    const float4 value = x[row + t];
    sums[t] = (float2)(dot(value, (float4)(1)), dot(value, value));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = size / 2; half_size > 0; half_size /= 2) {
        if (t < half_size)
            sums[t] += sums[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float2 mean = sums[0] / (4 * size);
    const float scaled = rsqrt(mean.y - mean.x * mean.x + EPSILON);
    out[row + t] = fma((value - mean.x) * scaled, scale[t], shift[t]);
}
