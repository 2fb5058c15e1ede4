// A table of functions, and functions as arguments of others: each thread runs a small program for a stack machine.
typedef int (*operation)(int, int);

__device__ int add(int a, int b) { return (int)((unsigned)a + b); }
__device__ int subtract(int a, int b) { return (int)((unsigned)a - b); }
__device__ int multiply(int a, int b) { return (int)((unsigned)a * b); }
__device__ int largest(int a, int b) { return max(a, b); }
__device__ int power(int a, int b) { return b <= 0 ? 1 : multiply(a, power(a, b - 1)); }

__device__ operation const operations[] = {add, subtract, multiply, largest, power};

__device__ __noinline__ int fold(operation apply, const int *values, int count, int start)
{
    for (int i = 0; i < count; i++)
        start = apply(start, values[i]);
    return start;
}

// Codes from 0 apply an operation to the two values on top; -1 puts the thread's number on top, -2 a 3.
extern "C" __global__ void run(const int *codes, int count, const int *values, int *results, int *folds)
{
    int stack[8], depth = 0;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int at = 0; at < count; at++) {
        const int code = (codes[at] + (codes[at] >= 0 ? i : 0)) % 5;
        if (codes[at] < 0) {
            stack[depth++] = codes[at] == -1 ? i % 7 : 3;
        } else {
            depth--;
            stack[depth - 1] = operations[code](stack[depth - 1], stack[depth]);
        }
    }
    results[i] = stack[0];
    folds[i] = fold(operations[i % 4], values, 6, i);
}
