/* Kernels as functions of one element, for nvcc and for the host's compiler: FUNCTION is __device__ or
 * static, APART keeps a function from being inlined. */
struct triple {
    int a;
    float b;
    long long c;
};

FUNCTION int local_array(int x, int *values)
{
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        values[i] = x * i ^ (i << 3);
        sum += values[(x + i) & 7];
    }
    return sum;
}
FUNCTION APART struct triple make_triple(int i, float f)
{
    struct triple made;
    made.a = i * 3;
    made.b = f * 0.5f;
    made.c = (long long)i * 1000000007ll;
    return made;
}

FUNCTION void divisions(int i, const int *x, int *y)
{
    y[i] = x[i] / (i % 7 + 1) + x[i] % (i % 5 + 1) - (x[i] >> 3) + (int)(((unsigned)x[i] >> 5) * 7);
}
FUNCTION void wide_products(int i, const int *x, int *y)
{
    const long long product = (long long)x[i] * x[(i + 1) % 256];
    y[i] = (int)(product >> 16) ^ (int)product;
}
FUNCTION void local_memory(int i, const int *x, int *y)
{
    int values[8] = {0};
    y[i] = local_array(x[i], values);
}
FUNCTION void floats(int i, const int *x, int *y)
{
    float f = (float)x[i] * 0.001f;
    f = f * f - 3.0f * f + 1.0f / (f * f + 1.0f);
    const double d = (double)f * 1.25 + i;
    y[i] = (int)(d * 100.0);
}
FUNCTION void structures(int i, const int *x, int *y)
{
    const struct triple made = make_triple(x[i], (float)i);
    y[i] = made.a + (int)made.b + (int)(made.c % 1009);
}
FUNCTION void narrow_types(int i, const int *x, int *y)
{
    const unsigned char u8 = (unsigned char)x[i];
    const signed char s8 = (signed char)x[i];
    const short s16 = (short)x[i];
    const unsigned short u16 = (unsigned short)x[i];
    y[i] = u8 * 3 + s8 * 5 + s16 * 7 + u16;
}
FUNCTION void loops(int i, const int *x, int *y)
{
    int value = x[i], steps = 0;
    while (value != 1 && steps < 200) {
        value = value & 1 ? 3 * value + 1 : value >> 1;
        value &= 0xffffff;
        steps++;
    }
    y[i] = steps;
}
FUNCTION void hashes(int i, const int *x, int *y)
{
    unsigned long long hash = 1469598103934665603ull;
    for (int k = 0; k < 16; k++) {
        hash ^= (unsigned)x[(i + k) % 256];
        hash *= 1099511628211ull;
    }
    y[i] = (int)(hash ^ (hash >> 32));
}
FUNCTION void matrices(int i, const int *x, int *y)
{
    int m[4][4], all = 0;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = x[(i + r * 4 + c) % 256];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            int sum = 0;
            for (int k = 0; k < 4; k++)
                sum += m[r][k] * m[k][c];
            all ^= sum;
        }
    y[i] = all;
}
FUNCTION void switches(int i, const int *x, int *y)
{
    switch (x[i] & 15) {
    case 0:
        y[i] = 5;
        break;
    case 1:
        y[i] = x[i] * 2;
        break;
    case 2:
        y[i] = -x[i];
        break;
    case 3:
        y[i] = i;
        break;
    case 4:
        y[i] = ~i;
        break;
    case 5:
        y[i] = i * i;
        break;
    case 6:
        y[i] = x[i] | 1;
        break;
    case 7:
        y[i] = 77;
        break;
    default:
        y[i] = x[i] & 0xff;
    }
}

#define EACH_KERNEL(X)                                                                                       \
    X(divisions)                                                                                             \
    X(wide_products)                                                                                         \
    X(local_memory)                                                                                          \
    X(floats)                                                                                                \
    X(structures)                                                                                            \
    X(narrow_types)                                                                                          \
    X(loops) X(hashes) X(matrices) X(switches)
