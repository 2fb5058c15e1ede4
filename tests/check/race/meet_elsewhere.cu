// Lanes of a warp that meet in the arms of a branch are ordered there, and not what they do behind it.
// run --grid 1 --block 32 --arg i32:32
__global__ void meet_elsewhere(int *out)
{
    __shared__ int s[32], after[32];
    const int t = threadIdx.x;
    if (t < 16) {
        s[t] = t;
        __syncwarp();
        out[t] = s[t + 16];
        after[t] = t; // expect race.read_write x16 also +8
    } else {
        s[t] = 2 * t;
        __syncwarp();
        out[t] = s[t - 16];
        if (t > 31)
            return;
        out[t] += 0;
        out[t] += after[t - 16];
    }
}
