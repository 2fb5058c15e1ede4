/* Kernels that call CUB, and one of thrust's. */
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

__global__ void sums(const int *in, int *out)
{
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    const int sum = Reduce(room).Sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void scans(const int *in, int *out)
{
    typedef cub::BlockScan<int, 128> Scan;
    __shared__ typename Scan::TempStorage room;
    int before;
    Scan(room).ExclusiveSum(in[threadIdx.x], before);
    out[threadIdx.x] = before;
}

__global__ void sorts(int *values)
{
    typedef cub::BlockRadixSort<int, 128, 4> Sort;
    __shared__ typename Sort::TempStorage room;
    int keys[4];
    for (int i = 0; i < 4; i++)
        keys[i] = values[threadIdx.x * 4 + i];
    Sort(room).Sort(keys);
    for (int i = 0; i < 4; i++)
        values[threadIdx.x * 4 + i] = keys[i];
}

__global__ void warps(const int *in, int *out)
{
    typedef cub::WarpScan<int> Scan;
    __shared__ typename Scan::TempStorage room[4];
    int sum;
    Scan(room[threadIdx.x / 32]).InclusiveSum(in[threadIdx.x], sum);
    out[threadIdx.x] = thrust::plus<int>()(sum, 0);
}

/* Host code, whose kernels are thrust's. */
int sorted(const int *from, int count)
{
    thrust::device_vector<int> values(from, from + count);
    thrust::sort(values.begin(), values.end());
    return thrust::reduce(values.begin(), values.end());
}
