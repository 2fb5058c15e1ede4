// run --grid 2 --block 64 --arg i32:128:random --arg shared:256
kernel void sort(global int *x, local int *s)
{
    const uint l = get_local_id(0), i = get_global_id(0);
    s[l] = x[i];
    for (uint k = 2; k <= 64; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint other = l ^ j;
            if (other > l && (s[l] > s[other]) == ((l & k) == 0)) {
                const int t = s[l];
                s[l] = s[other];
                s[other] = t;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = s[l];
}
