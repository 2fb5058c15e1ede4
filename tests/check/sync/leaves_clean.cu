// What leads to the end as a return does: goto, a break, a return where objects are destroyed, or behind a macro of a header.
// run --grid 1 --block 64 --arg i32:64 --arg 50
#include "leaves.h"
struct scoped {
    int *at;
    __device__ explicit scoped(int *place) : at(place)
    {
    }
    __device__ ~scoped()
    {
        if (at)
            *at = 1;
    }
};
__device__ void part(int *s, int *y, int t)
{
    s[t] = t;
    __syncthreads();
    y[t] = s[t ^ 1];
}
__global__ void leaves_clean(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    return_if(t >= n);
    scoped object(nullptr);
    if (t >= n - 2)
        return;
    s[t] = t;
    __syncthreads();
    do {
        if (t >= n - 4)
            break;
        if (t >= n - 6)
            goto done;
        part(s, y, t);
    } while (0);
done:;
}
