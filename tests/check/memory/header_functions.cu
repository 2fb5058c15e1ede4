// Accesses of functions of the compiler's headers are in the line of their call.
// run --grid 1 --block 1 --arg i32:8 --arg i32:8
__global__ void wrong(int *out, int *x)
{
    memset(x, 0, 8 * sizeof *x);
    memcpy(out, x, 36);            // expect memory.out_of_range x4  expect memory.out_of_range x4
    out[0] = std::max(x[1], x[8]); // expect memory.out_of_range x1
    float s, c;
    sincosf(x[0], &s, &c);
    sincosf(x[0], (float *)out + 8, &s); // expect memory.out_of_range x1
}
