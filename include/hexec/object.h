/* What an object says of its kernels. hx_object_compile (hexec/program.h) makes objects. */
#pragma once

#include "hexec/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an object as LLVM's assembly, whose metadata have what the source says of each kernel and no PTX
 * has: the names, types and qualifiers of its parameters (kernel_arg_name and so on), reqd_work_group_size,
 * work_group_size_hint, vec_type_hint. Bytes borrowed for the call; threads may call it at once. HX_INVALID:
 * they are no object, or there is no clang; HX_NO_MEMORY, and what `write` returns. */
HX_API HX_MUST_CHECK hx_status hx_object_text(const void *object, size_t size, const hx_allocator *allocator,
                                              hx_diag *diag, hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
