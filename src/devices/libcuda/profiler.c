/* Where a program wants its profile to begin and end. hexec's is of all launches (hexec app --profile), so
 * that these change nothing. */
#include "devices/libcuda/cuda_driver.h"

CUresult cuProfilerStart(void)
{
    return driver_check();
}

CUresult cuProfilerStop(void)
{
    return driver_check();
}
