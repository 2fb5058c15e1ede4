/* Members that share a byte are set one after the other, and read; the rest of the unit is padding. */
// run --grid 1 --block 4 --arg i32:4 --arg i32:4 --arg u8:4
struct flags {
    unsigned a : 1, b : 1, n : 30;
};
struct fields {
    unsigned a : 5, b : 9, c : 3;
};
struct small {
    unsigned char a : 3, b : 2;
};
__global__ void set(fields *whole, int *y, small *bytes)
{
    flags f;
    f.a = 1;
    f.b = 0;
    f.n = threadIdx.x;
    if (f.a && !f.b)
        y[threadIdx.x] = f.n;
    fields s;
    s.a = threadIdx.x;
    s.b = 17;
    s.c = 2;
    if (s.b == 17 && s.c == 2)
        whole[threadIdx.x] = s;
    small t;
    t.b = 3;
    t.a = threadIdx.x;
    bytes[threadIdx.x] = t;
    unsigned char all;
    for (int i = 0; i < 8; i++)
        all = (all & ~(1 << i)) | ((i & 1) << i);
    if (all != 0xaa)
        y[0] = all;
}
