/* From a module of LLVM IR to machine code that can be called, and what else is wanted of it. */
#pragma once

#include "exec/tier/tier.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

/* What links machine code into the process. */
struct object_linker {
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef machine;
    uint64_t libraries; /* made so far: each object has one of its own, so that names do not clash */
};

/* True when there is no error; else its text goes to `why` (TIER_WHY_BYTES). */
bool object_is_fine(LLVMErrorRef error, char *why);

/* False when the machine cannot: `why` says why. object_close in any case. */
bool object_open(struct object_linker *linker, char *why);
void object_close(struct object_linker *linker);

/* Optimises `module` and makes machine code of it, or takes what the store has of an equal module. The caller
 * gets *ret_object. `module` may be left as it was. */
bool object_make(struct object_linker *linker, const struct tier_request *request, LLVMModuleRef module,
                 LLVMMemoryBufferRef *ret_object, char *why);
/* Makes function `symbol` of the object callable, until object_unload. `object` is taken. */
bool object_load(struct object_linker *linker, const struct tier_request *request, LLVMMemoryBufferRef object,
                 const char *symbol, LLVMOrcJITDylibRef *ret_library, void **ret_address, char *why);
void object_unload(LLVMOrcJITDylibRef library);

/* Appends the module after optimisation: as LLVM IR, or as assembly, a `.loc` before the code of each line.
 */
bool object_print_ir(struct object_linker *linker, LLVMModuleRef module, struct text *ret_text, char *why);
bool object_print_assembly(struct object_linker *linker, LLVMModuleRef module, struct text *ret_text,
                           char *why);
