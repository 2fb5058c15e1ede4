// run --grid 1 --block 64 --arg f32:64:iota --arg 3
// Lanes come to both arms, in the second warp the other way round: one finding.
__global__ void add(float *x, int n)
{
    int i = threadIdx.x;
    if ((i + i / 32) & 1) {
        x[i] += 1;
        __syncthreads(); // expect sync.divergent_warp x32 also +3
    } else {
        x[i] += n;
        __syncthreads();
    }
}
