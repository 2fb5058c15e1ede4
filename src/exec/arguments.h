/* Arguments of a launch that the host gives as bytes. */
#pragma once

#include "exec/kernel.h"

/* Words of 64 bits that they take behind the values of parameters and buffers: those of the parameters that
 * are in constant memory. */
size_t exec_arguments_words(const hx_kernel *kernel, const hx_launch_options *options);
/* Checks them, and copies them: numbers into `params`, the values of the program's parameters, the others
 * into `words`. Shared memory that arguments want is added to that of the options. HX_INVALID. */
HX_MUST_CHECK hx_status exec_arguments_take(const hx_kernel *kernel, hx_launch_options *options,
                                            hx_diag *diag, uint64_t *params, uint64_t *words);
/* Writes `words` into the launch's copy of constant memory. */
void exec_arguments_place(const hx_kernel *kernel, const uint64_t *words, char *constants);
