/* What cooperative_groups/scan.h has in the CUDA toolkit is in cooperative_groups.h. */
#pragma once
#include <cooperative_groups.h>
