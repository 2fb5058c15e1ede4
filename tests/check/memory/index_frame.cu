// An index far beyond an array of a function leaves all that the function has in local memory. The index is reported,
// and not the access: only the index tells which array was meant.
// run --grid 1 --block 32 --arg f32:32
__global__ void frame(float *out)
{
    float first[4], second[4];
    for (int i = 0; i < 4; i++)
        first[i] = second[i] = i;
    const int i = threadIdx.x;
    out[i] = first[i % 4] + second[i * 100]; // expect memory.leaves_array x31
}
