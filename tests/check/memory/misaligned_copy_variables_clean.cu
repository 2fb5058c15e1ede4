// Copies between members and elements of variables, and pointers that are multiples of what they must be.
// run --grid 1 --block 1 --arg f32:512
struct alignas(16) row {
    float values[64];
};
struct plain {
    float values[65];
};
template <typename T, int n> struct holder {
    int kind;
    T held[n];
};
__device__ row table[4];
__device__ plain plains[4];
__device__ holder<row, 2> one;
__global__ void misaligned_copy_variables_clean(float *p)
{
    __shared__ row shared[2];
    table[1] = *(row *)(p + 4);
    table[2] = table[1];
    one.held[1] = *(row *)(p + 8);
    shared[1] = *(row *)(p + 64);
    *(row *)(p + 128) = one.held[1];
    *(row *)(p + 192) = shared[1];
    plains[1] = *(plain *)(p + 3);
    *(plain *)(p + 257) = plains[1];
}
