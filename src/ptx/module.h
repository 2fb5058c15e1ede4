/* What a text of PTX says: a module of variables and functions, whose statements have operands with their
 * names looked up. Everything lives in the module's arena and borrows the source's text. */
#pragma once

#include "program/program.h"
#include "ptx/token.h"
#include "semantics/types.h"

enum ptx_space {
    PTX_SPACE_NONE,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_CONST,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_REG
};

struct kernel_param;

struct ptx_variable {
    struct slice name;
    enum ptx_space space;
    enum hx_type type; /* of an element; NONE: of a kind that hexec does not have, such as .texref */
    uint32_t align;    /* at least that of the type */
    uint64_t bytes;    /* 0: an array without a size */
    bool is_array, is_extern;
    bool is_shared;        /* a parameter that points to shared memory */
    bool is_managed;       /* the host reaches it at its address */
    bool is_pointer;       /* a parameter of which the compiler says so */
    uint32_t reg;          /* PTX_SPACE_REG: a formal parameter that is a register of the function */
    uint32_t lanes;        /* of it: 2 and 4 of .v2 and .v4, whose registers follow; else 1 */
    const uint8_t *values; /* `bytes` of them; NULL: it has no initial value */
    struct ptx_relocation *relocations;
    size_t relocation_count;
    struct place place;
    uint32_t number; /* in the order of the text, over the whole module */
};

/* An address in an initial value: `bytes` at `at` are the address of a variable or function, plus `addend`,
 * without its lowest `shift` bits. */
struct ptx_relocation {
    uint64_t at;
    uint32_t bytes;
    uint32_t shift; /* a multiple of 8 */
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    int64_t addend;
    bool is_generic;
    bool is_masked; /* one byte of it alone */
    struct place place;
};

enum ptx_operand_kind {
    PTX_OPERAND_REGISTER,  /* reg */
    PTX_OPERAND_IMMEDIATE, /* bits; a float as an f64 when it was decimal or 0d, f32 when it was 0f */
    PTX_OPERAND_SPECIAL,   /* text: tid.x, without '%' */
    PTX_OPERAND_VARIABLE,  /* variable + offset */
    PTX_OPERAND_FUNCTION,
    PTX_OPERAND_LABEL,   /* label */
    PTX_OPERAND_ADDRESS, /* in brackets: items[0] is the base (register, variable or immediate), + offset */
    PTX_OPERAND_VECTOR,  /* in braces: items */
    PTX_OPERAND_LIST,    /* in parentheses: items */
    PTX_OPERAND_TARGETS, /* the name of a list of labels: items */
    PTX_OPERAND_PROTOTYPE,
    PTX_OPERAND_SINK
};
enum ptx_number_kind { PTX_NUMBER_INTEGER, PTX_NUMBER_F32, PTX_NUMBER_F64 };

struct ptx_operand {
    enum ptx_operand_kind kind;
    enum ptx_number_kind number;
    bool negated;   /* !%p1 */
    bool has_minus; /* -%r1, of vmad */
    uint32_t reg, label;
    uint64_t bits;
    int64_t offset;
    struct slice text, selector; /* selector: h1 of %r1.h1, empty when there is none */
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    struct ptx_operand *items; /* `count` of them */
    uint32_t count;
    struct ptx_operand *second; /* p|q, NULL: none */
    struct place place;
};

#define PTX_NO_GUARD UINT32_MAX
struct ptx_statement {
    struct slice opcode, text; /* "ld.global.f32"; all of it with the guard, without the semicolon */
    uint32_t guard;            /* a register, or PTX_NO_GUARD */
    bool guard_negated;
    struct ptx_operand *operands;
    uint32_t operand_count;
    struct place place, origin; /* origin: the line of .loc; without it the same as place */
};

struct ptx_label {
    struct slice name;
    uint32_t target; /* index of the statement behind it */
    struct place place;
};

/* Registers by name: one, or those that a number follows, from 0 on. */
struct ptx_named_register {
    struct slice name;
    uint32_t first, count;
    bool is_range;
};

struct ptx_function {
    struct slice name;
    bool is_kernel, has_body, is_library; /* is_library: of the device library */
    bool is_weak;                         /* a body that is not goes before this one */
    struct ptx_variable **params, **results;
    uint32_t param_count, result_count;
    enum hx_type *registers; /* their types: PRED for predicates */
    bool *untyped;           /* of each: does it hold values of any type of its width? .b32 and so on */
    uint32_t register_count;
    struct ptx_named_register *named_registers; /* not those with lanes */
    uint32_t named_register_count;
    struct ptx_variable **variables; /* declared in the body, .param ones among them */
    uint32_t variable_count;
    struct ptx_statement *statements;
    uint32_t statement_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct kernel_param *formals;     /* of a kernel, for the program */
    uint32_t block_limits[3];         /* .reqntid; 0: not given */
    const struct ptx_function *alias; /* .alias: what it is another name of; NULL: nothing */
    /* What ptx_plan_calls finds. */
    uint32_t number;   /* in the module */
    uint32_t sites;    /* calls of it */
    uint32_t expanded; /* its statements and those of what is inlined into it */
    uint32_t depth;    /* of functions inlined into each other */
    uint32_t pointer;  /* its value as a pointer; 0: nothing takes its address */
    bool is_apart;     /* it is called and not inlined */
    struct place place;
};

struct ptx_file {
    uint64_t number;
    unsigned module; /* whose number it is, from 1 on */
    struct slice name;
    struct source source; /* text empty when it was not found */
};

struct ptx_module {
    struct arena *arena;
    const struct source *source;
    const hx_program
        *program; /* files of .file are relative to its folder; one of them may be its own source */
    struct slice version, target;
    bool is_opencl;        /* .target says texmode_independent */
    unsigned address_bits; /* of .address_size, or 32 */
    bool says_address_bits;
    struct ptx_variable **variables;
    uint32_t variable_count;
    struct ptx_function **functions;
    uint32_t function_count;
    uint32_t numbered;           /* variables, those of functions among them */
    bool has_constant_arguments; /* pointers to constants, which are addresses of buffers: addresses of
                                    constants are generic then, as OpenCL has them */
    struct program_debug *debug; /* what sections say to a debugger; NULL: nothing, or it is not wanted */
    bool compares_addresses;     /* or other numbers of 64 bits: it may ask whether a pointer is NULL */
    bool has_grid_memory; /* a kernel reads where the memory of its grid is, which has the grid's barrier */
    bool has_constant_pointers; /* generic addresses of constants, which loads from global memory take, too */
};

/* Is it a special register with half of the address of a grid's memory? */
bool ptx_is_of_grid_memory(struct slice name);
/* Reads a module of a program. What is wrong is reported with its place; reading ends there. HX_INVALID,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status ptx_parse(const struct source *source, const hx_program *program, struct arena *arena,
                                  hx_diag *diag, struct ptx_module *ret_module);

/* A variable's name as its author wrote it, of the one that clang or nvcc gave it ("tile" of _ZZ3sumE4tile
 * and sum_$_tile); the same name when it has no such form. A part of `name`. */
struct slice ptx_written_name(struct slice name);
