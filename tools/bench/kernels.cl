/* The kernels in OpenCL C: the algorithms of programs/, with their blocks, tiles and barriers. Arguments are the
 * program's buffers and then its parameters, in its order. Multiplications and additions are contracted where the
 * program says fma, and nowhere else. */
#pragma OPENCL FP_CONTRACT OFF

kernel void vector_add(global const float *a, global const float *b, global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void saxpy(global const float *x, global float *y, uint n, float a)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = fma(x[i], a, y[i]);
}

kernel void matmul_naive(global const float *a, global const float *b, global float *c, uint n)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= n || row >= n)
        return;
    float sum = 0;
    for (uint k = 0; k < n; k++)
        sum = fma(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

kernel void matmul_tiled(global const float *a, global const float *b, global float *c, uint n)
{
    local float a_tile[16 * 16], b_tile[16 * 16];
    uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint tile = 0; tile < n; tile += 16) {
        a_tile[y * 16 + x] = a[row * n + tile + x];
        b_tile[y * 16 + x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < 16; k++)
            sum = fma(a_tile[y * 16 + k], b_tile[k * 16 + x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

kernel void nbody(global const float4 *bodies, global float4 *velocity, global float4 *moved, uint n,
                  float softening, float step)
{
    local float4 tile[64];
    uint me = get_local_id(0), i = get_global_id(0), block = get_local_size(0);
    float4 body = bodies[i];
    float3 pull = (float3)(0, 0, 0);
    for (uint first = 0; first < n; first += block) {
        tile[me] = bodies[first + me];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < block; k++) {
            float4 other = tile[k];
            float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
            float inverse = rsqrt(fma(dz, dz, fma(dy, dy, fma(dx, dx, softening))));
            float factor = inverse * inverse * inverse * other.w;
            pull.x = fma(dx, factor, pull.x);
            pull.y = fma(dy, factor, pull.y);
            pull.z = fma(dz, factor, pull.z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 speed = velocity[i];
    speed.xyz = fma(pull, (float3)(step), speed.xyz);
    velocity[i] = speed;
    body.xyz = fma(speed.xyz, (float3)(step), body.xyz);
    moved[i] = body;
}

kernel void mandelbrot(global uint *out, uint width, uint height, uint limit, float left, float top, float pixel)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float c_re = (float)x * pixel + left, c_im = (float)y * pixel + top, re = 0, im = 0;
    uint steps = 0;
    while (steps < limit) {
        float re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4)
            break;
        im = fma(re * im, 2.0f, c_im);
        re = re2 - im2 + c_re;
        steps++;
    }
    out[y * width + x] = steps;
}

/* The normal distribution (Abramowitz and Stegun 26.2.17). */
float normal(float x)
{
    float t = 1 / fma(fabs(x), 0.2316419f, 1.0f);
    float sum = 1.330274429f * t - 1.821255978f;
    sum = sum * t + 1.781477937f;
    sum = sum * t - 0.356563782f;
    sum = sum * t + 0.31938153f;
    float tail = sum * t * (exp(x * x * -0.5f) * 0.3989422804f);
    return x > 0 ? 1 - tail : tail;
}

kernel void black_scholes(global const float *spot, global const float *strike, global const float *years,
                          global float *call_price, global float *put_price, uint n, float rate, float volatility)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float width = sqrt(years[i]) * volatility;
    float drift = (volatility * volatility * 0.5f + rate) * years[i];
    float d1 = (drift + log(spot[i] / strike[i])) / width, d2 = d1 - width;
    float discounted = exp(-(years[i] * rate)) * strike[i];
    float price = spot[i] * normal(d1) - discounted * normal(d2);
    call_price[i] = price;
    put_price[i] = price + discounted - spot[i];
}

kernel void reduce_sum(global const float *x, global float *sums, uint n)
{
    local float part[256];
    uint me = get_local_id(0), i = get_global_id(0);
    part[me] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
        if (me < half_)
            part[me] += part[me + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        sums[get_group_id(0)] = part[0];
}

kernel void transpose(global const float *input, global float *output, uint width, uint height)
{
    local float tile[32 * 33];
    uint x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 32, top = get_group_id(1) * 32;
    for (uint k = 0; k < 32; k += 8)
        if (left + x < width && top + y + k < height)
            tile[(y + k) * 33 + x] = input[(top + y + k) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 32; k += 8)
        if (top + x < height && left + y + k < width)
            output[(left + y + k) * height + top + x] = tile[x * 33 + y + k];
}

kernel void stencil2d(global const float *before, global float *after, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint i = y * width + x;
    float value = before[i];
    if (x != 0 && y != 0 && x + 1 != width && y + 1 != height)
        value = ((before[i - width] + before[i + width]) + (before[i - 1] + before[i + 1])) * 0.25f;
    after[i] = value;
}

kernel void spmv_csr(global const uint *row_start, global const uint *column, global const float *value,
                     global const float *x, global float *y, uint rows)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    uint end = row_start[row + 1];
    float sum = 0;
    for (uint k = row_start[row]; k < end; k++)
        sum = fma(value[k], x[column[k]], sum);
    y[row] = sum;
}

kernel void collatz(global uint *out, uint n)
{
    uint i = get_global_id(0), steps = 0;
    if (i >= n)
        return;
    ulong number = (ulong)i + 1;
    while (number > 1) {
        number = (number & 1) == 0 ? number >> 1 : 3 * number + 1;
        steps++;
    }
    out[i] = steps;
}

kernel void histogram(global const uchar *x, global uint *bins, uint n)
{
    local uint counts[64];
    uint me = get_local_id(0);
    if (me < 64)
        counts[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < 64)
        atomic_add(&bins[me], counts[me]);
}

kernel void scan_block(global const uint *x, global uint *total)
{
    local uint running[256];
    uint me = get_local_id(0), sum = x[get_global_id(0)];
    running[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < get_local_size(0); step *= 2) {
        uint left = me >= step ? running[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += left;
        running[me] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    total[get_global_id(0)] = sum;
}

kernel void bitonic_sort(global uint *keys)
{
    local uint key[256];
    uint me = get_local_id(0);
    key[me] = keys[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint length = 2; length <= get_local_size(0); length *= 2)
        for (uint distance = length / 2; distance > 0; distance /= 2) {
            uint partner = me ^ distance;
            if (partner > me) {
                uint a = key[me], b = key[partner], low = min(a, b), high = max(a, b);
                bool ascends = (me & length) == 0;
                key[me] = ascends ? low : high;
                key[partner] = ascends ? high : low;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    keys[get_global_id(0)] = key[me];
}

kernel void hash64(global const ulong *x, global ulong *hash, global ulong *folded, ulong p1, ulong p2, ulong p3)
{
    ulong i = get_global_id(0), sum = p3;
    for (uint k = 0; k < 4; k++) {
        sum += x[4 * i + k] * p2;
        sum = rotate(sum, 31ul) * p1;
    }
    sum = (sum ^ sum >> 33) * p2;
    sum = (sum ^ sum >> 29) * p3;
    sum ^= sum >> 32;
    hash[i] = sum;
    folded[i] = mul_hi(sum, p1) ^ (sum * p1);
}

uint is_inside(uint a, uint b)
{
    ulong x = a >> 16, y = b >> 16;
    return x * x + y * y < (1ul << 32) ? 1 : 0;
}

/* Philox 4x32-10 (Salmon et al. 2011). */
kernel void monte_carlo(global uint *out, uint steps, uint seed)
{
    uint i = get_global_id(0), hits = 0;
    for (uint step = 0; step < steps; step++) {
        uint c0 = i, c1 = step, c2 = 0, c3 = 0, key0 = seed, key1 = 0;
        for (uint round_ = 0; round_ < 10; round_++) {
            uint high0 = mul_hi(c0, 0xD2511F53u), low0 = c0 * 0xD2511F53u;
            uint high1 = mul_hi(c2, 0xCD9E8D57u), low1 = c2 * 0xCD9E8D57u;
            c0 = high1 ^ c1 ^ key0;
            c1 = low1;
            c2 = high0 ^ c3 ^ key1;
            c3 = low0;
            key0 += 0x9E3779B9u;
            key1 += 0xBB67AE85u;
        }
        hits += is_inside(c0, c1) + is_inside(c2, c3);
    }
    out[i] = hits;
}
