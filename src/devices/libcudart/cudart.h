/* The CUDA runtime API as far as this library has it. */
#pragma once

#include "devices/libcudart/cudart_array.h"
#include "devices/libcudart/cudart_core.h"
#include "devices/libcudart/cudart_device.h"
#include "devices/libcudart/cudart_graph.h"
#include "devices/libcudart/cudart_stream.h"

#define CUDART_EXPORTED           __attribute__((visibility("default")))
#define CUDART_DECLARE(name, ...) CUDART_EXPORTED cudaError_t name(__VA_ARGS__);
CUDART_CORE_FUNCTIONS(CUDART_DECLARE)
CUDART_DEVICE_FUNCTIONS(CUDART_DECLARE)
CUDART_STREAM_FUNCTIONS(CUDART_DECLARE)
CUDART_GRAPH_FUNCTIONS(CUDART_DECLARE)
CUDART_ARRAY_FUNCTIONS(CUDART_DECLARE)
