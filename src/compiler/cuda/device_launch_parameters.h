/* What device_launch_parameters.h has in the CUDA toolkit is there without it (prelude.h). */
#pragma once
