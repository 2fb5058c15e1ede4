/* What the files of graphs share. */
#pragma once

#include "devices/libcudart/runtime.h"

/* The context that nodes are of. */
CUcontext graph_context(void);
/* A node of any kind as the driver takes it. */
cudaError_t graph_node_to_driver(const cudaGraphNodeParams *params, CUgraphNodeParams *ret_params);
