/* Memory that nodes of graphs allocate. */
#pragma once

#include "devices/libcuda/work.h"

/* Addresses for so many bytes; *ret_memory is given (graph_memory_release). */
CUresult graph_memory_new(size_t bytes, struct graph_memory **ret_memory);
/* Work that names it keeps it. */
void graph_memory_keep(struct graph_memory *memory);
void graph_memory_release(struct graph_memory *memory);
CUdeviceptr graph_memory_address(const struct graph_memory *memory);
size_t graph_memory_bytes(const struct graph_memory *memory);
/* A node of the graph allocates it. */
void graph_memory_be_of(struct graph_memory *memory, CUgraph graph);
/* May a graph have a node that frees what begins there? */
bool graph_memory_begins_at(CUdeviceptr address);
/* Are these bytes of an allocation of a node, whether it is there now or not? */
bool graph_memory_has(CUdeviceptr address, size_t bytes);
/* Where the allocation of a node that this address is in begins, and its size; false: there is none. */
bool graph_memory_range(CUdeviceptr address, CUdeviceptr *ret_begin, size_t *ret_bytes);
/* Makes it be there, now. */
CUresult graph_memory_run(struct graph_memory *memory);
/* What begins there has been freed, now. */
void graph_memory_is_back(CUdeviceptr address);

/* Whether it is allocated when all that was given to streams is done. A call that will free it takes it;
 * false: there is nothing to be freed. */
bool graph_memory_take(CUdeviceptr address);

/* Becomes that of an executable graph with these items, which has it alone: CUDA_ERROR_NOT_SUPPORTED when
 * another one has it, CUDA_ERROR_INVALID_VALUE when an item frees what a later one allocates. */
CUresult graph_memory_open(const struct work *list);
void graph_memory_close(const struct work *list);
/* The items are about to be given to a stream: CUDA_ERROR_INVALID_VALUE when one allocates what is there, or
 * frees what is not. With `may_free`, what is there is freed in the stream. */
CUresult graph_memory_launch(const struct work *list, bool may_free, CUstream stream);
