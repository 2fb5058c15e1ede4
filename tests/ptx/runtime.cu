// nvcc -ptx -O3 -arch=sm_90 runtime.cu -o runtime-O3-sm_90.ptx; -G -arch=sm_75
#include <cassert>
#include <cstdio>

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ explicit square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct rectangle : shape {
    int width, height;
    __device__ rectangle(int width, int height) : width(width), height(height) {}
    __device__ int area() const override { return width * height; }
};
typedef int (*function)(int);
__device__ __noinline__ int twice(int a) { return 2 * a; }
__device__ __noinline__ int next(int a) { return a + 1; }
__device__ const function table[4] = {twice, next, twice, nullptr};
__device__ __noinline__ int deeper(int n) { return n == 0 ? 0 : 1 + deeper(n - 1) * 2 % 7; }
__device__ __noinline__ int fills_the_stack(int n)
{
    int values[100];
    for (int i = 0; i < 100; i++)
        values[i] = n * i;
    return n == 0 ? values[99] : fills_the_stack(n - 1) + values[n % 100];
}
__device__ __noinline__ void say(int thread, const char *what, double value, long long wide)
{
    printf("%d: %s is %.3f and %lld, %c %x %5.1e %%\n", thread, what, value, wide, 'a' + thread, 255, value / 3);
}

extern "C" {
__global__ void prints(const int *x)
{
    const int i = threadIdx.x;
    say(i, i % 2 ? "odd" : "even", x[i] * 0.5, (long long)x[i] << 33);
    if (i == 2)
        printf("two\n");
}
__global__ void asserts(const int *x, int *y)
{
    assert(x[threadIdx.x] < 9);
    y[threadIdx.x] = x[threadIdx.x];
}
__global__ void shapes(const int *x, int *y)
{
    const int i = threadIdx.x;
    shape *made = i % 3 ? (shape *)new square(x[i]) : (shape *)new rectangle(x[i], 7);
    y[i] = made->area();
    delete made;
}
__global__ void allocates(const int *x, int *y)
{
    int sum = 0;
    for (int turn = 0; turn < 50; turn++) {
        const int count = (threadIdx.x + turn) % 9 + 1;
        int *const p = (int *)malloc(count * sizeof *p), *const q = (int *)malloc(100000);
        for (int k = 0; k < count; k++)
            p[k] = x[threadIdx.x] + k;
        for (int k = 0; k < count; k++)
            sum += p[k];
        free(q);
        free(p);
    }
    y[threadIdx.x] = sum + (malloc(9000000) != nullptr);
}
__global__ void fills_the_heap(int *y)
{
    int count = 0;
    while (count < 100 && malloc(200000))
        count++;
    y[0] = count;
}
__global__ void calls_table(const int *x, int *y)
{
    y[threadIdx.x] = table[x[threadIdx.x]](threadIdx.x);
}
__global__ void recurses(int depth, int *y) { y[threadIdx.x] = deeper(depth); }
__global__ void fills(int depth, int *y) { y[threadIdx.x] = fills_the_stack(depth); }
}
