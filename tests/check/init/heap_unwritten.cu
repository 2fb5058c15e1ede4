/* What malloc gives is unwritten, also when somebody has had it before. */
// run --grid 1 --block 4 --arg i32:4
__global__ void unwritten(int *y)
{
    int *p = (int *)malloc(16);
    p[0] = 1;
    if (p[threadIdx.x & 1] == 1) // expect init.branch x2
        y[threadIdx.x] = 1;
    p[1] = p[2] = p[3] = 2;
    free(p);
    int *q = (int *)malloc(16);
    if (q[3]) // expect init.branch x4
        y[threadIdx.x] = 2;
    free(q);
    int *n = new int[2];
    y[threadIdx.x] = n[1]; // expect init.store x4
    delete[] n;
}
