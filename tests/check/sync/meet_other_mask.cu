// Two arms whose masks differ never meet.
// run --grid 1 --block 32 --arg u32:32
__global__ void meet_other_mask(unsigned *out)
{
    const unsigned lane = threadIdx.x;
    if (lane < 16)
        out[lane] = __shfl_sync(0xffffffff, lane, 3); // expect sync.deadlock x1
    else
        out[lane] = __shfl_sync(0xffff0001, lane, 20);
}
