/* Reading a YAML document, from the inside: what document.c and document_run.c share. */
#pragma once

#include "asm/asm.h"
#include "asm/document.h"
#include "program/address.h"

/* A value that is an address: what it leads to may be declared behind it. */
struct pending_address {
    struct piece word;
    enum hx_type type;
    struct program_param *param; /* a parameter, or ... */
    struct fill *fill;           /* ... an element of a fill's values */
    uint64_t element;
};

struct reading {
    hx_program *program;
    hx_diag *diag;
    const hx_source_options *source;      /* or NULL */
    size_t kernel;                        /* that a launch without a name launches */
    hx_status status;                     /* of the first problem; HX_NO_MEMORY comes first */
    LIST(struct pending_address) pending; /* those of a fill in order */
    struct address_names names;           /* when the arrays are there */
};

/* Keeps a status; returns it. */
hx_status reading_note(struct reading *reading, hx_status status);
/* Memory of the program; NULL is noted. */
void *reading_allocate(struct reading *reading, size_t count, size_t size);
/* The buffer of this name; NULL is reported at the node. */
const struct array *reading_buffer(struct reading *reading, const char *name, const struct yaml_node *node);
/* Keeps an address for later. */
void reading_keep_address(struct reading *reading, const struct pending_address *address);
/* Finds what those that were kept lead to, and makes the names for others. */
void reading_addresses(struct reading *reading);
void reading_done(struct reading *reading);
/* The kernels of `source` or `ptx`, when the addresses are there; their arguments, when the launches are. */
void reading_source(struct reading *reading, const struct yaml_program *from, const struct yaml_node *root);
void reading_arguments(struct reading *reading, const struct yaml_node *root);
/* `args` of a launch in `run`. */
void reading_step_arguments(struct reading *reading, const struct yaml_node *args, struct launch_step *step);
/* A launch's parameter that is an address. */
void reading_setting_address(struct reading *reading, const struct yaml_node *node,
                             struct param_setting *setting);
/* The launches and loops, when the kernels, parameters and buffers are there. */
void reading_steps(struct reading *reading, const struct yaml_program *from, const struct yaml_node *root);
