// Sorts unsigned integers by four bits at a time, from the lowest. Each pass counts the digits of each work-group's
// part, finds where each group's numbers of each digit begin, and moves the numbers there in their order.
#define DIGITS 16

kernel void count(global const uint *in, global uint *counts, uint n, uint shift)
{
    local uint mine[DIGITS];
    const uint i = get_global_id(0), t = get_local_id(0);
    if (t < DIGITS)
        mine[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        atomic_inc(&mine[in[i] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < DIGITS)
        counts[t * get_num_groups(0) + get_group_id(0)] = mine[t];
}

// One work-group: counts become the sums of all before them. A work-item takes `each` of them.
kernel void scan(global uint *counts, uint length)
{
    local uint sums[64];
    const uint t = get_local_id(0), each = (length + get_local_size(0) - 1) / get_local_size(0);
    const uint begin = min(t * each, length), end = min(begin + each, length);
    uint sum = 0;
    for (uint i = begin; i < end; i++)
        sum += counts[i];
    sums[t] = sum;
    for (uint distance = 1; distance < get_local_size(0); distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint left = t >= distance ? sums[t - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[t] += left;
    }
    uint before = sums[t] - sum;
    for (uint i = begin; i < end; i++) {
        const uint own = counts[i];
        counts[i] = before;
        before += own;
    }
}

kernel void move(global const uint *in, global uint *out, global const uint *counts, uint n, uint shift)
{
    local uchar digits[256];
    const uint i = get_global_id(0), t = get_local_id(0);
    const uint value = i < n ? in[i] : 0, digit = value >> shift & (DIGITS - 1);
    digits[t] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0; // numbers of this digit in the group that stand before this one
    for (uint other = 0; other < t; other++)
        before += digits[other] == digit;
    if (i < n)
        out[counts[digit * get_num_groups(0) + get_group_id(0)] + before] = value;
}
