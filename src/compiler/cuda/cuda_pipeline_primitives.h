/* What cuda_pipeline_primitives.h has in the CUDA toolkit is in cuda_pipeline.h. */
#pragma once
#include "cuda_pipeline.h"
