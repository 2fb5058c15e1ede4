/* What the kernels of scalar.h, calls.h and libdevice.h compute, from 256 integers of a file, in a file for
 * each kernel: reference FOLDER. */
#define FUNCTION static
#define APART    __attribute__((noinline))
#include "calls.h"
#include "scalar.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What libdevice's functions do, in C. */
#define NV(name) host_##name
#define HOST(result, name, parameters, value)                                                                \
    static result host_##name parameters                                                                     \
    {                                                                                                        \
        return value;                                                                                        \
    }
static int host_float_as_int(float a)
{
    int bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
static long long host_double_as_longlong(double a)
{
    long long bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
static double host_hiloint2double(int high, int low)
{
    const uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    double made;
    memcpy(&made, &bits, sizeof made);
    return made;
}
static int host_brev(int a)
{
    uint32_t turned = 0;
    for (int i = 0; i < 32; i++)
        turned |= ((uint32_t)a >> i & 1) << (31 - i);
    return (int)turned;
}
HOST(float, int2float_rn, (int a), (float)a)
HOST(float, fabsf, (float a), fabsf(a))
HOST(float, fmaf, (float a, float b, float c), fmaf(a, b, c))
HOST(float, sqrtf, (float a), sqrtf(a))
HOST(float, floorf, (float a), floorf(a))
HOST(float, ceilf, (float a), ceilf(a))
HOST(float, truncf, (float a), truncf(a))
HOST(float, rintf, (float a), rintf(a))
HOST(float, fminf, (float a, float b), fminf(a, b))
HOST(float, fmaxf, (float a, float b), fmaxf(a, b))
HOST(float, copysignf, (float a, float b), copysignf(a, b))
HOST(float, fmodf, (float a, float b), fmodf(a, b))
HOST(int, isnanf, (float a), a != a)
HOST(double, fma, (double a, double b, double c), fma(a, b, c))
HOST(double, sqrt, (double a), sqrt(a))
HOST(double, fabs, (double a), fabs(a))
HOST(long long, double2ll_rn, (double a), llrint(a))
HOST(int, double2int_rz, (double a), (int)a)
HOST(int, double2int_ru, (double a), (int)ceil(a))
HOST(int, double2int_rd, (double a), (int)floor(a))
HOST(int, popc, (int a), __builtin_popcount((unsigned)a))
HOST(int, popcll, (long long a), __builtin_popcountll((unsigned long long)a))
HOST(int, clz, (int a), a ? __builtin_clz((unsigned)a) : 32)
HOST(int, mulhi, (int a, int b), (int)((long long)a *b >> 32))
HOST(unsigned, umulhi, (unsigned a, unsigned b), (unsigned)((unsigned long long)a *b >> 32))
HOST(int, abs, (int a), a < 0 ? -a : a)
HOST(int, min, (int a, int b), a < b ? a : b)
HOST(int, max, (int a, int b), a > b ? a : b)
HOST(int, float2int_rd, (float a), (int)floorf(a))
#include "libdevice.h"

#define COUNT 256

static int run(const char *folder, const char *name, void (*function)(int, const int *, int *))
{
    int x[COUNT], y[COUNT];
    char path[512];
    snprintf(path, sizeof path, "%s/x.bin", folder);
    FILE *file = fopen(path, "rb");
    if (!file || fread(x, sizeof *x, COUNT, file) != COUNT || fclose(file) != 0)
        return 1;
    for (int i = 0; i < COUNT; i++)
        function(i, x, y);
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    file = fopen(path, "wb");
    return !file || fwrite(y, sizeof *y, COUNT, file) != COUNT || fclose(file) != 0;
}

int main(int argc, char **argv)
{
    int failed = argc != 2;
#define RUN(name) failed = failed || run(argv[1], #name, name);
    EACH_KERNEL(RUN)
    EACH_CALL(RUN)
    EACH_LIBRARY(RUN)
    return failed;
}
