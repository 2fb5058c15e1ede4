// Lanes that execute an operation together and do not agree who does.
// run --grid 1 --block 32 --arg u32:32
__global__ void k(unsigned *out)
{
    unsigned t = threadIdx.x, mask = t < 16 ? 0xffffffff : 0xffff0000;
    out[t] = __ballot_sync(mask, t & 1);  // expect sync.different_masks x16
    out[t] += __reduce_add_sync(mask, 1); // expect sync.different_masks x16
    __syncwarp(mask);                     // expect sync.different_masks x16
}
