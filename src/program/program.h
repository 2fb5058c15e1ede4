/* A program from the inside: asm fills it and the modules to the right read it. */
#pragma once

#include "hexec/program.h"
#include "isa/isa.h"

struct file_wait;
struct kernel_debug;
struct program_debug;

/* What an address leads to. address.h says what the address is. */
enum address_kind { TARGET_NONE, TARGET_BUFFER, TARGET_CONSTANT, TARGET_SHARED, TARGET_LOCAL };
struct address_target {
    enum address_kind kind;
    bool is_generic; /* of an array: as generic accesses take it, not as those of its space do */
    bool is_narrow;  /* of a buffer, or generic: in the 32 bits of kernels that have no more */
    uint16_t kernel; /* whose array it is, in shared and local memory */
    uint32_t index;  /* in the list of buffers, constants or the kernel's arrays */
};
struct address {
    struct address_target target;
    int64_t addend; /* bytes */
    uint8_t byte;   /* of an element of 8 bits: which byte of the address it is, from the lowest */
};

struct program_param {
    const char *name;
    enum hx_type type;
    uint64_t bits; /* its value now, at the width of the type; changed by hx_program_set_param */
    struct address_target target; /* to whose address `bits` are added when a launch takes them */
    bool has_value;               /* false: the file gives none, so a run must (--param) */
    struct place place;
    uint32_t follows; /* 1 + the index of a parameter before it, which does not follow any, and whose value it
                         has in each launch that does not set it; 0: it has its own */
    bool is_formal;   /* of an imported kernel: it needs a value only if that kernel runs */
    uint64_t shared_bytes; /* of the dynamic shared memory that the value is the address of; 0: it is none */
};

/* An element of a fill's values that is an address. */
struct relocation {
    uint64_t element;
    struct address address;
};

enum fill_kind { FILL_ZERO, FILL_IOTA, FILL_RANDOM, FILL_NUMBER, FILL_VALUES, FILL_FILE };
struct fill {
    enum fill_kind kind;
    uint64_t seed;
    uint64_t minimum, maximum; /* random, bits of the array's type: min <= v < max for floats (min alone when
                                  they are equal), min <= v <= max for integers */
    uint64_t number_bits;      /* FILL_NUMBER: the element's bits */
    const void *values;        /* FILL_VALUES: value_count elements of the array's type, little-endian */
    size_t value_count;
    const struct relocation *relocations; /* ... of which these are 0 there, in the order of the elements */
    size_t relocation_count;
    const char *path; /* FILL_FILE: as written; relative to the program's directory unless absolute */
    bool from_working_directory; /* ... or to the working directory, when it came from the command line */
    struct place place;
};

enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_READWRITE = 3 };

/* A buffer, or an array in shared, local or constant space: same form. */
struct array {
    const char *name;
    enum hx_type type;
    const char *count_text; /* the expression; NULL: taken from values or file */
    uint64_t count;         /* elements, as computed from the current parameters */
    bool is_counted;        /* count was taken from a file, which is not read for it again */
    uint32_t align;         /* of its start, in bytes, a power of two; 0: its type's */
    bool is_formal;         /* constant: holds what a kernel's parameter is given */
    bool is_dynamic;        /* shared: has the launch's dynamic memory, and no count of its own */
    bool is_made;           /* by a compiler: nobody has written it, as a literal */
    bool is_managed; /* buffer: the host reaches it at its address; programs that were saved have none */
    uint64_t offset; /* shared, local, constant: bytes from the start of its space */
    struct fill fill;
    enum access access;
    struct place place, count_place;
};

struct array_list {
    struct array *items;
    size_t count;
    uint64_t bytes; /* of all arrays laid out, shared, local and constant */
};

/* A line of the listing that an instruction came from. */
struct code_line {
    struct place place; /* of the instruction, guard included; of a macro-opcode's, the macro-opcode's */
    const char *text;   /* as written, trimmed, without label and comment; in a binary, as disassembled */
    bool is_unaligned;  /* a barrier of PTX at which lanes of a warp may be in different instructions */
};
struct code_label {
    const char *name;
    uint32_t target;
};

/* A formal parameter of an imported kernel. */
struct kernel_param {
    bool is_constant; /* an array in constant memory, which holds its bytes; else a scalar parameter */
    bool is_pointer;  /* its compiler says so; false: it may be one */
    bool is_shared;   /* ... to shared memory */
    bool is_narrow;   /* pointers have 4 bytes, as this parameter may be one */
    uint32_t index;   /* in the program's constants or params */
    const char *name; /* as the compiler has it */
};

/* What a kernel that was imported needs and hexec does not have. */
struct kernel_lack {
    struct place place;
    const char *text, *why; /* the instruction; a sentence without a full stop */
};

struct kernel {
    const char *name;
    const char *symbol; /* of an imported kernel: its name there, of any length; NULL: the same as `name` */
    uint16_t index;
    struct array_list shared, local; /* constants belong to the program */
    uint32_t
        null_bytes; /* from 0 on in shared and local memory, where no variable is: pointers there are NULL */
    uint32_t gap_bytes; /* at least, between what lies in shared memory, for checks; 0: it needs no gaps */
    struct word *words; /* code_count words */
    struct instruction *code; /* the same, decoded */
    struct code_line *lines;  /* one for each instruction; never NULL (a binary has its own line table) */
    uint32_t code_count;
    struct code_label *labels; /* in order of their targets */
    size_t label_count;
    struct place place;
    bool is_imported;          /* its compiler answers for widths and unwritten registers: no warnings */
    struct kernel_lack *lacks; /* lack_count; one that has any cannot be launched */
    size_t lack_count;
    struct kernel_param *formals; /* formal_count: what its arguments are, in order; imported kernels only */
    size_t formal_count;
    uint64_t dynamic_shared;    /* that its arguments need in launches that are no step of the program */
    uint32_t required_block[3]; /* the only shape that it runs in; 0: any */
    struct kernel_debug *debug; /* debug_info.h; NULL: nothing is known */
    bool says_pointers;         /* its compiler says which of them are pointers */
};

/* What a launch sets a parameter to. */
struct param_setting {
    uint32_t param;   /* index in params */
    const char *text; /* an expression of integers and integer parameters; NULL: bits */
    uint32_t from;    /* 1 + the index of a parameter as wide whose value it has; 0: text or bits */
    uint64_t bits;    /* of the parameter's type */
    struct address_target target; /* to whose address that is added; `text` then begins with 0 */
    struct place place;
};

struct launch_step {
    const struct kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t repeat;
    uint64_t dynamic_shared;
    struct param_setting *settings; /* setting_count, of different parameters */
    size_t setting_count;
    struct place place, block_place;
};

/* Steps that run again and again: sequence.h says in which order. */
#define LOOP_NO_COUNTER UINT32_MAX
struct run_loop {
    uint32_t first, end;     /* the steps from `first` to before `end`, at least one */
    const char *repeat_text; /* how many passes, at most: an expression */
    uint32_t counter;        /* index in params of an integer that is the number of the pass, from 0 */
    bool has_until;          /* it ends behind a pass that leaves 0 in ... */
    uint32_t until_buffer;   /* ... this buffer, at the index ... */
    const char *index_text;  /* ... that this expression gives; NULL: 0 */
    struct place place, repeat_place, until_place, index_place;
};

enum expect_kind { EXPECT_VALUES, EXPECT_FILE, EXPECT_CRC32, EXPECT_FAULT };
struct expectation {
    enum expect_kind kind;
    size_t buffer; /* index in buffers */
    const void *values;
    size_t value_count;
    struct fill file; /* EXPECT_FILE: path and place */
    uint32_t crc32;
    uint32_t fault; /* EXPECT_FAULT: enum hx_fault_kind; there is no buffer */
    double rtol, atol;
    struct place place;
};

enum outcome_kind { OUTCOME_COUNTED, OUTCOME_FORBIDDEN, OUTCOME_REQUIRED };
extern const char *const outcome_words[]; /* "counted", ... */
/* Values that a buffer may have behind a run in some order of threads. */
struct outcome {
    const char *name;
    enum outcome_kind is;
    struct expectation expects; /* EXPECT_VALUES */
    struct place place;
};

/* What kernels are written in. */
enum program_language { LANGUAGE_ASSEMBLY, LANGUAGE_PTX, LANGUAGE_OPENCL, LANGUAGE_CUDA };

struct hx_program {
    struct arena arena;
    const hx_isa *isa;
    const char *path;      /* as given; NULL for text */
    const char *directory; /* that files of the program are relative to; "." when unknown */
    struct source source;
    /* What the lines of code are lines of: the program's own text, or, for a binary and its disassembly, the
     * file that the binary was made of, whose name alone is known. */
    struct source origin;
    bool may_be_empty;     /* of PTX: it need not have a kernel */
    hx_source_level level; /* whose lines are shown of kernels that come from PTX */
    const struct source
        *shown; /* the text of these lines, below HX_SOURCE_WRITTEN; NULL: that of the program */
    const char *name, *description;
    struct program_param *params;
    size_t param_count;
    struct array_list buffers, constants;
    struct kernel *kernels;
    size_t kernel_count;
    struct launch_step *steps; /* at least one */
    size_t step_count;
    struct run_loop *loops; /* an outer one before those in it, else in the order of their steps */
    size_t loop_count;
    struct expectation *expectations;
    size_t expectation_count;
    struct outcome *outcomes;
    size_t outcome_count;
    enum program_language language;
    const char *source_path; /* of a file that the document's kernels are compiled from; or NULL */
    uint32_t crc;            /* of the file's bytes */
    bool is_binary;
    int for_debugging;           /* hx_source_options.for_debugging; kernels that come from PTX keep ... */
    struct program_debug *debug; /* ... where their variables are: debug_info.h; NULL: not known */
    bool for_checks;             /* hx_source_options.check_indexes */
    bool lacks_launch;           /* the file says neither `launch` nor `run`: one thread runs */
};

/* Bytes of shared memory that a block of the kernel may have. */
uint64_t program_most_shared(const struct kernel *kernel);
/* Only what a kernel's own shared arrays take. */
HX_MUST_CHECK hx_status program_layout_shared(hx_program *program, struct kernel *kernel, hx_diag *diag);

/* Recomputes counts and layouts from the current parameters. A count of parameters that have no value yet is
 * 0. HX_INVALID with the place of the expression; HX_IO for a file that counts. */
HX_MUST_CHECK hx_status program_layout(hx_program *program, hx_diag *diag);
/* Fills `bytes` (count elements of the array's type) as `fill` says: the same values on every machine. Reads
 * files of FILL_FILE, waiting no longer than `wait` has it. Used for buffers and constants. */
HX_MUST_CHECK hx_status program_fill(const hx_program *program, const struct array *array,
                                     const struct fill *fill, void *bytes, const struct file_wait *wait,
                                     const hx_allocator *allocator, hx_diag *diag);
/* An expression in the grammar of `count`. */
struct expression {
    const hx_program *program;
    const uint64_t *values; /* bits of its parameters; NULL: as they are in the program */
    bool is_check;          /* its parameters are taken for unknown: what holds of any values is checked */
    const char *what;       /* begins messages: "count" */
    const char *hint;       /* ends them; may be NULL */
    const char *text;
    struct place place;
};
/* Its value from `least` to `most`; `range` is what is said of one beyond them. Where it meets a parameter
 * without a value, *ret_value is 0 and *ret_is_known false. HX_INVALID, with the place in the expression. */
HX_MUST_CHECK hx_status program_evaluate(const struct expression *expression, int64_t least, int64_t most,
                                         const char *range, hx_diag *diag, int64_t *ret_value,
                                         bool *ret_is_known);
/* Opens the files that buffers and expectations name, and reports those that are not there or do not hold
 * what the program says. Data is not read. The first of HX_IO, HX_INVALID, HX_NO_MEMORY that was met. */
HX_MUST_CHECK hx_status program_check_files(const hx_program *program, const hx_allocator *allocator,
                                            hx_diag *diag);
/* A number as bits of a type, checked to fit; used for params, fills, values and immediates. */
HX_MUST_CHECK hx_status program_number_bits(struct slice text, enum hx_type type, struct place place,
                                            hx_diag *diag, uint64_t *ret_bits);
/* Where a kernel is for its author: the first line of what was compiled; else where the kernel is declared.
 */
struct place program_kernel_place(const struct kernel *kernel);
/* "saxpy" of _ZN4math5saxpyEifPf; of other names all. A part of `symbol`. */
struct slice program_identifier(const char *symbol);
/* Do kernels use a parameter, and none of those that are launched? */
bool program_param_is_for_others(const hx_program *program, size_t param);
/* Bytes and alignment of a formal parameter. */
uint64_t program_formal_bytes(const hx_program *program, const struct kernel_param *formal);
uint64_t program_formal_align(const hx_program *program, const struct kernel_param *formal);
/* Name of a parameter by the symbol of OPERAND_PARAMETER: scalars first, then buffers. */
const char *program_symbol_name(const hx_program *program, unsigned symbol);
/* The first label of an instruction, or NULL. */
const struct code_label *program_find_label(const struct kernel *kernel, uint64_t target);
/* Compares a buffer's elements with an expectation. HX_MISMATCH; `diag` then has the first that differ, how
 * many do, and by how much at most. HX_INVALID and HX_IO when there is nothing to compare with. */
HX_MUST_CHECK hx_status program_check_expectation(const hx_program *program,
                                                  const struct expectation *expectation, const void *bytes,
                                                  const struct file_wait *wait, const hx_allocator *allocator,
                                                  hx_diag *diag);
/* "misaligned", in any case, as an hx_fault_kind; 0 when there is none. */
uint32_t program_find_fault(struct slice name);
/* An element as text that reads back; the .npy header of a vector. */
void values_print(struct text *text, const void *element, enum hx_type type);
void npy_header(struct text *text, enum hx_type type, uint64_t count);
