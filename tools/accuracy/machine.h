/* The virtual machine, with a kernel for one opcode at a time. */
#pragma once

#include "catalog.h"

#include "hexec/hexec.h"

enum { MACHINE_RESULTS = 1 << 16 }; /* of one launch */

struct machine {
    hx_diag *diag;
    hx_isa *isa;
    hx_device *device;
    hx_program *program;
    hx_kernel *kernel;
    hx_buffer *buffers[3]; /* a, d, and b when the opcode has two sources */
};

/* Instruction set and device. `level` as hx_device_options has it. */
hx_status machine_open(struct machine *machine, const char *level);
void machine_close(struct machine *machine);
/* Makes the kernel and the buffers for one opcode over one type, in place of those before. */
hx_status machine_prepare(struct machine *machine, const struct opcode *opcode, const struct format *format);
/* The cells of the buffers. machine_b: NULL when the opcode has one source. */
void *machine_a(struct machine *machine);
void *machine_b(struct machine *machine);
void *machine_results(struct machine *machine);
/* All MACHINE_RESULTS results from the inputs that are there. */
hx_status machine_run(struct machine *machine);
