// run --grid 1 --block 1 --arg u8:16 --arg u8:64
/* As many loads and stores as it has bytes are one access. */
struct bytes {
    char a[64];
};
__global__ void copy(const bytes *x, bytes *y)
{
    y[0] = x[0]; // expect memory.out_of_range x1
}
