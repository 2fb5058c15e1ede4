/* The kernels in plain C: what a programmer would write for one thread of a CPU. */
#pragma once

#include "workloads.h"

/* Runs a workload on its buffers. */
typedef void native_kernel(const struct workload *workload, void *const *buffers);
/* By name; NULL when there is none. */
native_kernel *native_find(const char *name);
