/* Programs in PTX, the assembly language of NVIDIA's compilers (PTX ISA 9.0). */
#pragma once

#include "program/program.h"

/* Do these bytes begin as PTX does, behind blanks and comments: with .version, or without it with another
 * directive of a module? */
bool ptx_is_text(const void *bytes, size_t size);
/* Does PTX declare functions with mangled names that may be nowhere: it may have no body for them, and
 * hexec's library has none? */
bool ptx_may_lack_functions(struct slice text);
/* Adds to a program what PTX has, whose text it borrows: a kernel for each .entry, its scalar parameters as
 * parameters of the program, behind those that there are, and variables of the module as buffers and
 * constants. HX_INVALID, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status ptx_import(hx_program *program, const struct source *text, hx_diag *diag);
/* Fills in a program from PTX, whose text it borrows: a kernel for each .entry, its scalar parameters as
 * parameters of the program, variables of the module as buffers and constants, and a launch of the first
 * kernel with one block. A kernel that cannot run here is there, with struct kernel.lack. HX_INVALID,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status ptx_load(hx_program *program, const struct source *text, hx_diag *diag);
