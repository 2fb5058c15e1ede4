// A function of a header is inlined: its caller stands in this file.
#include "inlined_header.h"
__global__ void k(int *p)
{
    p[3] = square(p);
}
