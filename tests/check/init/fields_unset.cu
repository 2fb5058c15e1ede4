/* One of the members that share a byte is not set: it decides, and goes to the host. */
// run --grid 1 --block 4 --arg i32:4 --arg i32:4 --arg u8:4
struct fields {
    unsigned a : 5, b : 9, c : 3;
};
__global__ void set(int *x, int *y, unsigned char *bytes)
{
    fields s;
    s.a = threadIdx.x;
    s.c = 2;
    if (s.a < 4)
        y[threadIdx.x] = s.c;
    if (s.b == 17) // expect init.branch x4
        y[threadIdx.x] = 1;
    unsigned some, byte;
    if (some & 1) // expect init.branch x4
        y[threadIdx.x] = 2;
    some |= 1;
    x[threadIdx.x] = some; // expect init.store x4
    bytes[threadIdx.x] = (unsigned char)(byte >> 29); // expect init.store x4
}
