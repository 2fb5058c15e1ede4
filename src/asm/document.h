/* The structures that libcyaml fills from the YAML of a program; document_schema.c says with which keys. */
#pragma once

#include <stdint.h>

struct words {
    char **items;
    uint32_t count;
};
struct yaml_param {
    char *name, *type, *value;
};
struct yaml_array {
    char *name, *type, *count_text, *fill, *seed, *minimum, *maximum, *file, *text, *access, *align;
    struct words values;
};
struct yaml_arrays {
    struct yaml_array *items;
    uint32_t count;
};
struct yaml_until {
    char *buffer, *index;
};
/* A launch, or with `run` a loop over some of them. */
struct yaml_launch {
    struct words grid, block;
    char *dynamic_shared, *kernel, *repeat, *counter;
    struct yaml_until *until;
    struct yaml_launch *run;
    uint32_t run_count;
};
struct yaml_kernel {
    char *name, *code, *lines;
    struct yaml_arrays shared, local;
};
struct yaml_expect {
    char *buffer, *file, *crc32, *rtol, *atol, *fault;
    struct words values;
};
struct yaml_outcome {
    char *name, *buffer, *is;
    struct words values;
};
struct yaml_program {
    char *name, *description, *origin, *code, *lines, *source, *ptx, *kernel, *options;
    struct yaml_launch *launch;
    struct yaml_param *params;
    struct yaml_arrays buffers, constants, shared, local;
    struct yaml_kernel *kernels;
    struct yaml_launch *run;
    struct yaml_expect *expect;
    struct yaml_outcome *outcomes;
    uint32_t param_count, kernel_count, run_count, expect_count, outcome_count;
};
