// The same copies of an optimizer, of rows that are where they must be, and of those that may be anywhere.
// run --grid 1 --block 4 --arg f32:512 --arg f32:512 --options -O2
struct alignas(16) row {
    float values[64];
};
struct __attribute__((packed)) anywhere {
    float values[64];
};
__global__ void misaligned_copy_optimized_clean(float *p, float *q)
{
    const int i = threadIdx.x;
    ((row *)q)[i] = ((row *)(p + 4))[i];
    row kept = *(row *)(p + 64);
    kept.values[i & 1] = 1;
    ((row *)(q + 4))[i] = kept;
    ((anywhere *)((char *)q + 1))[i] = ((anywhere *)((char *)p + 3))[i];
}
