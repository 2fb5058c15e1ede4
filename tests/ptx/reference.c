/* What the kernels of scalar.h and calls.h compute, from 256 integers of a file, in a file for each kernel:
 * reference FOLDER. */
#define FUNCTION static
#define APART    __attribute__((noinline))
#include "calls.h"
#include "scalar.h"

#include <stdio.h>

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
    return failed;
}
