/* What hexec doctor found out, between finding it and printing it. */
#pragma once

#include "command.h"
#include "hexec/system.h"

/* Something that has a value because of what was said somewhere. Strings live as long as the arena. */
struct doctor_setting {
    const char *name, *value; /* NULL: it has none */
    const char *source;       /* flag, variable, profile, implied, default; refused: a bad value */
    const char *from;         /* the flag, the variable, the profile, the other setting; "" for the default */
    const char *variables;    /* that could say it, separated by blanks */
};
/* A variable that looks like one of hexec's and that nothing reads. */
struct doctor_unknown {
    const char *name, *value, *meant; /* NULL: nothing is near */
};
/* A file format, and the option that selects it. */
struct doctor_sink {
    const char *name, *option;
    bool is_built;
};

struct doctor {
    struct arena arena;
    hx_machine machine;
    const hx_isa *isa;
    const char *cpu_level; /* that runs use; NULL: HEXEC_CPU_LEVEL names one that is not there */
    struct doctor_setting *tracing, *options, *others;
    size_t tracing_count, option_count, other_count;
    struct doctor_unknown *unknown;
    size_t unknown_count;
    const struct doctor_sink *sinks;
    size_t sink_count;
    hx_compilers compilers;      /* of kernels in OpenCL C and CUDA C */
    double unwanted_ns, span_ns; /* of a span; 0: there is no tracing in this build */
    bool failed;                 /* memory ran out */
};

void doctor_print_text(struct text *out, const struct doctor *doctor);
void doctor_print_json(struct text *out, const struct doctor *doctor, const hx_diag *diag);
