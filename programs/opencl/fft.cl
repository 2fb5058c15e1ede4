// One transform of 256 complex numbers for each work-group: Stockham's method, which needs no reversal of bits. The
// numbers stay in local memory, which the host gives as an argument.
float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel void fft(global const float2 *in, global float2 *out, int n, local float2 *work)
{
    const int i = get_local_id(0), half_n = n / 2, base = get_group_id(0) * n;
    local float2 *from = work, *to = work + n;
    from[i] = in[base + i];
    from[i + half_n] = in[base + i + half_n];
    for (int stride = 1; stride < n; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int k = i & (stride - 1), place = 2 * i - k;
        const float angle = -M_PI_F * k / stride;
        float cosine;
        const float sine = sincos(angle, &cosine);
        const float2 a = from[i], b = times((float2)(cosine, sine), from[i + half_n]);
        to[place] = a + b;
        to[place + stride] = a - b;
        local float2 *swap = from;
        from = to;
        to = swap;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + i] = from[i];
    out[base + i + half_n] = from[i + half_n];
}
