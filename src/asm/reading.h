/* Reading a YAML document, from the inside: what document.c and document_run.c share. */
#pragma once

#include "asm/asm.h"
#include "asm/document.h"

struct reading {
    hx_program *program;
    hx_diag *diag;
    hx_status status; /* of the first problem; HX_NO_MEMORY comes first */
};

/* Keeps a status; returns it. */
hx_status reading_note(struct reading *reading, hx_status status);
/* Memory of the program; NULL is noted. */
void *reading_allocate(struct reading *reading, size_t count, size_t size);
/* The buffer of this name; NULL is reported at the node. */
const struct array *reading_buffer(struct reading *reading, const char *name, const struct yaml_node *node);
/* The launches and loops, when the kernels, parameters and buffers are there. */
void reading_steps(struct reading *reading, const struct yaml_program *from, const struct yaml_node *root);
