/* A kernel that is ready to run, for the modules to the right: what it was lowered to. */
#pragma once

#include "hexec/launch.h"
#include "lower/micro_op.h"

/* Borrowed from the kernel; its program and its code are there. */
const struct lowered_kernel *kernel_lowered(const hx_kernel *kernel);
