/* What cuda_occupancy.h has in the CUDA toolkit is there without it (prelude.h). */
#pragma once
