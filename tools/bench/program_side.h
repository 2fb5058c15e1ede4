/* What the sides that run programs/ have in common: a program with a workload's parameters. */
#pragma once

#include "hexec/hexec.h"
#include "side.h"

struct loaded_program {
    hx_diag *diag;
    hx_context *context;
    hx_program *program; /* of the context */
    uint64_t load_ns;    /* of the instruction set and the program */
};

/* Loads FOLDER/KERNEL.yaml, sets its parameters, and looks whether its buffers are the workload's. False when
 * that fails; then the side's error says why. What is half built is for loaded_program_done. */
bool loaded_program_init(struct loaded_program *loaded, struct side *side, const char *folder);
void loaded_program_done(struct loaded_program *loaded);
/* False, with what the diagnostics say as the side's error, unless the status is good. */
bool loaded_program_good(const struct loaded_program *loaded, struct side *side, hx_status status);
