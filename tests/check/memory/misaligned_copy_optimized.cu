// Structures that are copied as a whole by an optimizer that knows more of their pointers than the alignment:
// that they are not null, and how much is behind them.
// run --grid 1 --block 4 --arg f32:512 --arg f32:512 --options -O2
struct alignas(16) row {
    float values[64];
};
__global__ void misaligned_copy_optimized(float *p, float *q)
{
    const int i = threadIdx.x;
    ((row *)q)[i] = ((row *)(p + 2))[i]; // expect memory.misaligned x4
    row kept = *(row *)(p + 64);
    kept.values[i & 1] = 1;
    ((row *)(q + 1))[i] = kept; // expect memory.misaligned x4
}
