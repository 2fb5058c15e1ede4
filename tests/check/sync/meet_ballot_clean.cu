// A ballot in each arm of a branch is one; its result may be in the register of the mask.
// run --grid 1 --block 32 --arg u32:32
__global__ void k(unsigned *o) { int t = threadIdx.x; if (t < 16) o[t] = __ballot_sync(~0u, t & 1); else o[t] = __ballot_sync(~0u, t & 2); }
