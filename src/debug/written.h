/* Names of registers and labels in a file of PTX. */
#pragma once

#include "debug/debug.h"

/* Has some kernel a register of this name, "%r2"? */
bool written_is_known(const hx_program *program, struct slice name);
/* The register that has its value where the thread is; NULL: none has it there. */
const struct debug_register *written_find(const struct asker *asker, struct slice name);
/* Which register or predicate of hexec it is. */
uint32_t written_member(const struct debug_register *reg);
/* The name of the value that one of hexec has there; NULL: none. */
const char *written_name(const struct asker *asker, uint32_t member);
/* The labels of a kernel, those of the PTX first, and where they are; NULL beyond the end. */
const char *written_label(const struct kernel *kernel, size_t index, uint32_t *ret_instruction);
