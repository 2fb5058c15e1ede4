/* Kernels whose functions call themselves, each other, and through pointers, for nvcc, clang and the host's
 * compiler: FUNCTION is __device__ or static, APART keeps a function from being inlined. */
struct many {
    int values[9];
    double sum;
};
typedef int operation(int, int);

FUNCTION APART int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
FUNCTION int is_odd(int n);
FUNCTION APART int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
FUNCTION APART int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}
FUNCTION APART int place_queens(int size, unsigned columns, unsigned left, unsigned right, int row)
{
    int count = 0;
    if (row == size)
        return 1;
    for (unsigned open = ((1u << size) - 1) & ~(columns | left | right); open; open &= open - 1) {
        const unsigned bit = open & -open;
        count += place_queens(size, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
    }
    return count;
}
FUNCTION APART struct many fill_many(int n, struct many from)
{
    int own[4];
    for (int i = 0; i < 4; i++)
        own[i] = n * i + from.values[(n + i) % 9];
    from.sum = from.sum * 0.5 + own[n & 3];
    from.values[n % 9] += own[(n + 1) & 3];
    return n == 0 ? from : fill_many(n - 1, from);
}
FUNCTION APART long long sum_of_many(int depth, int a, int b, int c, int d, int e, int f, int g, int h,
                                     long long i, int j, int k, int l, float m, double n, int o, int p,
                                     long long q, int r)
{
    const long long sum = a - b + 2 * c - d + 3 * e - f + g * h + i - j + k * 5 - l + (long long)(m * 8.0f) +
                          (long long)(n * 16.0) + o - p + q + r;
    return depth == 0 ? sum
                      : sum + sum_of_many(depth - 1, b, c, d, e, f, g, h, a, i + 1, k, l, j, m + 1.0f,
                                          n - 0.5, p, o, q * 3, r + depth);
}
FUNCTION APART int add(int a, int b)
{
    return a + b;
}
FUNCTION APART int subtract(int a, int b)
{
    return a - b;
}
FUNCTION APART int multiply(int a, int b)
{
    return a * b;
}
FUNCTION APART int apply(operation *function, int a, int b)
{
    return function ? function(a, b) + 1 : -1;
}
FUNCTION APART int collatz_steps(unsigned long long n, int *most)
{
    if (n == 1)
        return 0;
    if (*most < (int)(n % 1000))
        *most = (int)(n % 1000);
    return 1 + collatz_steps(n % 2 ? 3 * n + 1 : n / 2, most);
}
FUNCTION APART int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

FUNCTION void recursion(int i, const int *x, int *y)
{
    y[i] = fibonacci((x[i] & 0xffff) % 11) + x[i];
}
FUNCTION void mutual_recursion(int i, const int *x, int *y)
{
    y[i] = is_even((x[i] & 0xffff) % 50) * 10 + is_odd(i % 20);
}
FUNCTION void queens(int i, const int *x, int *y)
{
    y[i] = place_queens((x[i] & 0xffff) % 7, 0, 0, 0, 0);
}
FUNCTION void structures_by_value(int i, const int *x, int *y)
{
    struct many from, made;
    for (int k = 0; k < 9; k++)
        from.values[k] = (x[i] >> k) % 100;
    from.sum = i;
    made = fill_many(i % 13, from);
    y[i] = (int)(made.sum * 4.0) + made.values[i % 9] - from.values[(i + 1) % 9];
}
FUNCTION void many_parameters(int i, const int *x, int *y)
{
    y[i] = (int)(sum_of_many(i % 4, x[i], i, 3, 4, 5, 6, 7, x[i] % 7, 1ll << 20, 9, 10, 11, 1.5f, 2.25, 12,
                             13, x[i] * 3ll, 14) %
                 1000003);
}
FUNCTION void pointers(int i, const int *x, int *y)
{
    operation *function = x[i] % 4 == 0 ? add : x[i] % 4 == 1 ? subtract : x[i] % 4 == 2 ? multiply : 0;
    y[i] = apply(function, x[i], i) + (function == add ? 1000000 : 0);
}
FUNCTION void calls_in_loops(int i, const int *x, int *y)
{
    int sum = 0, most = 0;
    for (int k = 1; k <= i % 5 + 1; k++)
        if ((x[i] + k) % 3)
            sum += collatz_steps((unsigned)(i % 23 + k), &most) * k;
    y[i] = sum * 1000 + most;
}
FUNCTION void deep_recursion(int i, const int *x, int *y)
{
    y[i] = ackermann(i % 3, (x[i] & 0xff) % 6);
}
#define EACH_CALL(f)                                                                                         \
    f(recursion) f(mutual_recursion) f(queens) f(structures_by_value) f(many_parameters) f(pointers)         \
        f(calls_in_loops) f(deep_recursion)
