// How many ways there are to put n queens on a board of n x n so that none attacks another. A thread has a column for
// the queens of the first two rows, and tries the other rows with a function that calls itself.
__device__ __noinline__ unsigned place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    if (columns == all)
        return 1;
    unsigned ways = 0;
    for (unsigned open = all & ~(columns | left | right); open; open &= open - 1) {
        const unsigned queen = open & -open;
        ways += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

extern "C" __global__ void queens(int n, unsigned *ways, unsigned *total)
{
    const unsigned all = (1u << n) - 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    const unsigned first = 1u << i / n, second = 1u << i % n;
    const bool attacked = (first | first << 1 | first >> 1) & second;
    const unsigned own =
        attacked ? 0 : place(all, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
    ways[i] = own;
    atomicAdd(total, own);
}
