/* Which line of the kernel each piece of compiled code comes from, for debuggers, profilers and listings. */
#pragma once

#include "exec/tier/llvm/emit.h"

#include <llvm-c/DebugInfo.h>

struct lines {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef function;
    const struct source *source; /* of `scope` */
    LLVMMetadataRef scope;
};

/* Gives emitter->function a line table; code that is made from now on has the line of the kernel. */
void lines_begin(struct lines *lines, struct emitter *emitter, const char *symbol);
/* Code that is made from now on comes from micro-op `op`. */
void lines_at(struct lines *lines, struct emitter *emitter, uint32_t op);
/* When all code is made. */
void lines_end(struct lines *lines);
