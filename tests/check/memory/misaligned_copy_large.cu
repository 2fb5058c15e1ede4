// A structure of many bytes is copied by accesses of what it is aligned to, also where a compiler that does not
// optimize goes byte by byte.
// run --grid 1 --block 1 --arg f32:256 --arg f32:256
struct wide {
    double values[20];
};
__global__ void misaligned_copy_large(float *p, float *q)
{
    *(wide *)(q + 2) = *(wide *)(p + 1); // expect memory.misaligned x1
}
