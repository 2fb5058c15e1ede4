/* Vector files from the inside: document.c reads them, text.c writes kernels for them, run.c runs those,
 * programs.c runs programs, coverage.c counts what was tried, report.c goes over files. */
#pragma once

#include "hexec/hexec.h"
#include "hexec/test.h"
#include "program/program.h"
#include "yaml/load.h"

#define VECTOR_OPERANDS_MAX 16 /* elements of sources or of results, vector forms included */
#define VECTOR_MEMORY_MAX   1024u

/* One vector of a case; bits are those of their types. */
struct vector {
    uint64_t in[VECTOR_OPERANDS_MAX], out[VECTOR_OPERANDS_MAX];
    int64_t at;            /* bytes from the beginning of memory */
    const uint8_t *memory; /* the case's memory_bytes of it; NULL: none */
    const uint8_t *after;  /* what memory holds then; NULL: not compared */
    size_t memory_bytes;
    hx_fault_kind fault; /* HX_FAULT_NONE: it runs to its end */
    struct place place;
};

/* What an operand of a case is: an element of a source or of a result. */
struct vector_operand {
    enum hx_type type;
    uint8_t form, element; /* operand of the instruction; register of a vector form */
    bool is_immediate;     /* stands in the instruction's text */
};

struct vector_case {
    const char *op; /* as written */
    struct instruction instruction;
    struct vector_operand in[VECTOR_OPERANDS_MAX], out[VECTOR_OPERANDS_MAX];
    unsigned in_count, out_count;
    bool has_address;
    double ulp;
    struct vector *vectors;
    size_t vector_count;
    struct place place;
};

struct vector_file {
    struct arena arena;
    struct source source;
    const hx_isa *isa;
    struct vector_case *cases;
    size_t case_count;
};

/* The table that says what a vector file may have. */
const cyaml_schema_value_t *vectors_document_schema(void);
/* Has a text the key `vectors` at its outermost level? (A program's code may not be YAML as it stands.) */
bool vectors_is_text(const char *text);
/* Reads a vector file's document into `file`, whose arena and source are in use. Reports every mistake:
 * HX_INVALID. */
HX_MUST_CHECK hx_status vectors_read(const struct yaml_document *document, hx_diag *diag,
                                     struct vector_file *file);

/* ---- text.c: kernels for vectors that differ in their register operands only */

enum vector_mode { MODE_FULL, MODE_LONE, MODE_DIVERGED, MODE_FAULT, MODE_COUNT };
extern const char *const vector_mode_names[MODE_COUNT];
#define VECTOR_BLOCK 64u

struct vector_batch {
    const struct vector_case *test;
    const struct vector *const *vectors;
    uint32_t count;
    uint32_t copy_bytes;   /* of memory that belongs to a slot */
    uint32_t instructions; /* that the tested one becomes: a macro-opcode may be several */
};
/* How many threads write a result, and which vector slot `slot` has. */
uint32_t batch_slots(const struct vector_batch *batch, enum vector_mode mode);
uint32_t batch_vector(const struct vector_batch *batch, enum vector_mode mode, uint32_t slot);
/* A program of the tested instruction alone, for the set that is tested. */
void batch_instruction(const struct vector_batch *batch, struct text *text);
/* The program of a batch in one mode, for the set that is built in, with nops for the instruction. */
void batch_text(const struct vector_batch *batch, enum vector_mode mode, struct text *text);

/* ---- coverage.c */

struct coverage {
    const hx_isa *isa;
    uint8_t *tried; /* a byte for each cell */
    size_t cell_count;
};
HX_MUST_CHECK bool coverage_init(struct coverage *coverage, const hx_isa *isa, const hx_allocator *allocator);
void coverage_done(struct coverage *coverage, const hx_allocator *allocator);
void coverage_add(struct coverage *coverage, const struct instruction *instruction);
void coverage_merge(struct coverage *into, const struct coverage *from);
/* Calls for each form of an instruction set (an opcode over its types, without a modifier, or where it must
 * have one with the first that means something); other than HX_OK ends it. */
hx_status coverage_each_form(const hx_isa *isa,
                             hx_status (*function)(void *user, const struct instruction *form), void *user);
void coverage_count(const struct coverage *coverage, hx_test_coverage *ret_counts);
hx_status coverage_gaps(const struct coverage *coverage, bool modified, hx_write_function write, void *user);

/* ---- run.c */

/* Where a file's points go. */
struct file_run {
    const hx_isa *isa, *built_in;
    const hx_test_options *options;
    const char *path;
    hx_diag *diag;
    struct arena arena; /* strings of points */
    LIST(hx_test_point) points;
    struct coverage coverage;
    size_t vectors, programs;
    hx_status status; /* of what kept the file from being run */
};
/* Does the filter want a point of this name? */
bool vectors_wants(const struct file_run *run, const char *name);
/* NULL: run->status says why. */
hx_context *vectors_new_context(struct file_run *run, const hx_isa *isa);
/* Runs what the context has loaded, under `checks` unless NULL. */
HX_MUST_CHECK hx_status vectors_run_context(const struct file_run *run, hx_context *context,
                                            hx_checks *checks, hx_diag *diag, hx_run_result *result);
/* Copies it. */
void vectors_add_point(struct file_run *run, hx_test_point point);
/* Runs all cases of a vector file. */
void run_vectors(struct file_run *run, const struct vector_file *file);
/* ---- programs.c: the program in a file */
void run_program(struct file_run *run);
