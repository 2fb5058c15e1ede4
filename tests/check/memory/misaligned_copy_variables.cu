// Structures copied from pointers to members and elements of variables, and from those to pointers: the
// compiler put the variables where they are, and the pointers may still be wrong.
// run --grid 1 --block 1 --arg f32:512
struct alignas(16) row {
    float values[64];
};
template <typename T, int n> struct holder {
    int kind;
    T held[n];
};
__device__ row table[4];
__device__ holder<row, 2> one;
__global__ void misaligned_copy_variables(float *p)
{
    __shared__ row shared[2];
    table[1] = *(row *)(p + 2);    // expect memory.misaligned x1
    one.held[1] = *(row *)(p + 1); // expect memory.misaligned x1
    shared[1] = *(row *)(p + 66);  // expect memory.misaligned x1
    *(row *)(p + 130) = table[1];  // expect memory.misaligned x1
    *(row *)(p + 195) = shared[1]; // expect memory.misaligned x1
}
