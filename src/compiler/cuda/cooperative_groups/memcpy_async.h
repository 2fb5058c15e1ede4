/* What cooperative_groups/memcpy_async.h has in the CUDA toolkit is in cooperative_groups.h. */
#pragma once
#include <cooperative_groups.h>
