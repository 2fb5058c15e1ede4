#pragma once

__device__ __forceinline__ int square(int *p)
{
    const int value = p[0];
    p[2] = value * value;
    return p[2];
}
