/* Reading PTX, seen from the inside: what parse.c (modules), variable.c, body.c (functions) and operand.c
 * share. */
#pragma once

#include "program/debug_info.h"
#include "ptx/module.h"

/* Who sees a name of the outermost level (PTX ISA, "Linking Directives"). */
enum ptx_linkage { PTX_LINK_OWN, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER,
    PTX_SYMBOL_RANGE, /* `count` registers from `number` on: the name, then 0 to count - 1 */
    PTX_SYMBOL_VARIABLE,
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_LABEL,
    PTX_SYMBOL_TARGETS,
    PTX_SYMBOL_PROTOTYPE
};
struct ptx_symbol {
    struct slice name;
    enum ptx_symbol_kind kind;
    uint32_t number, count;
    uint32_t lanes; /* consecutive registers that each one is: of .v2 and .v4; 0: it is a single one */
    struct ptx_variable *variable;
    struct ptx_function *function;
    struct ptx_operand *targets;
    enum ptx_linkage linkage; /* of the outermost level: of the definition, where there is one */
    unsigned module;          /* which of several it stands in */
    struct place place;
};

/* What stands in a section for debuggers and is known when all of the text was read: ... */
struct ptx_fixup {
    uint32_t section; /* enum debug_section */
    uint32_t bytes;
    size_t at;
    struct slice name, minus; /* the address of a name, less that of another one */
    int64_t addend;
};
/* ... addresses of labels. */
struct ptx_debug_label {
    struct slice name;
    uint64_t address;
};
/* .loc; of a text for a debugger. */
struct ptx_loc_place {
    uint64_t file;
    uint32_t line, column;
};
struct ptx_loc {
    uint64_t at;      /* where it stands in the text */
    size_t statement; /* of its function, which stands behind it */
    bool begins;      /* it is none, but the begin of a function */
    bool is_inlined;  /* the rest is known */
    struct ptx_loc_place place, call;
    struct slice label; /* of the function's name */
    uint64_t distance;  /* ... from the label */
};

/* A label that is used before it is there: of an operand, in the scope that is open. */
struct ptx_pending {
    struct ptx_operand *operand;
};

/* Names between two braces. */
struct ptx_scope {
    void *names; /* a tree (search.h) of struct ptx_symbol * */
    struct ptx_scope *outer;
    LIST(struct ptx_pending) pending;
};

/* Several modules in one text (linking.c). */
struct ptx_linking {
    unsigned modules;              /* that have begun */
    bool is_library;               /* what is read is no module of the text: its names are for all */
    void *names;                   /* that modules share, as in ptx_scope.names */
    LIST(struct ptx_symbol *) own; /* what each has for itself */
    size_t before;                 /* of them, those of earlier modules */
};

struct ptx_parser {
    struct ptx_module *module;
    struct arena *arena;
    hx_diag *diag;
    hx_status status; /* of the first error */
    struct ptx_text text;
    struct ptx_token token; /* that comes next */
    struct ptx_scope *scope;
    enum ptx_linkage linkage; /* of the declaration that is read, on the outermost level */
    struct ptx_linking linking;
    struct ptx_function *function; /* whose body is read; NULL outside */
    bool is_call;                  /* what is read is a call, whose parentheses hold lists */
    struct place origin;           /* of .loc; no source: none is in force */
    const char *end;               /* of the last token taken */
    unsigned depth;                /* of braces, brackets and parentheses that are open */
    LIST(struct ptx_variable *) variables;
    LIST(struct ptx_function *) functions;
    LIST(struct ptx_file *) files;
    LIST(enum hx_type) registers;
    LIST(bool) untyped; /* of each register: is it declared .b16, .b32 or .b64? */
    LIST(struct ptx_named_register) named_registers;
    LIST(struct ptx_variable *) locals;
    LIST(struct ptx_statement) statements;
    LIST(struct ptx_label) labels;
    struct text sections[DEBUG_SECTIONS]; /* of programs for a debugger */
    LIST(struct ptx_fixup) fixups;
    LIST(struct ptx_debug_label) debug_labels;
    LIST(struct ptx_loc) locs;
};

/* Tokens. ptx_take gives the token and goes on to the next one; ptx_accept takes it if it is this sign or
 * directive; ptx_expect reports if it is not. Behind an error every token is the end. */
struct ptx_token ptx_take(struct ptx_parser *parser);
bool ptx_is(const struct ptx_parser *parser, const char *text);
bool ptx_accept(struct ptx_parser *parser, const char *text);
bool ptx_expect(struct ptx_parser *parser, const char *text, const char *where);
/* The same for a name; an empty slice behind an error. */
struct ptx_token ptx_expect_name(struct ptx_parser *parser, const char *what);
/* Reports at a place and ends reading. */
void ptx_error(struct ptx_parser *parser, enum diag_code code, struct place place, const char *format, ...)
    HX_PRINTF(4, 5);
/* The same with a cure. */
void ptx_error_cured(struct ptx_parser *parser, enum diag_code code, struct place place, const char *cure,
                     const char *format, ...) HX_PRINTF(5, 6);
void ptx_no_memory(struct ptx_parser *parser);
/* Braces, brackets and parentheses in each other are read by functions that call themselves: false, with a
 * report, when the stack of a thread would not hold them. ptx_leave for each ptx_enter. */
bool ptx_enter(struct ptx_parser *parser);
void ptx_leave(struct ptx_parser *parser);
/* Passes over what stands between a brace or parenthesis, which is the next token, and its partner. */
void ptx_skip_group(struct ptx_parser *parser);
/* ... and says whether this word is in it. */
bool ptx_skip_group_with(struct ptx_parser *parser, const char *word);
void ptx_skip_to_semicolon(struct ptx_parser *parser);

/* Names. A scope opens inside another; closing it hands labels that it does not have to the outer one. */
void ptx_scope_open(struct ptx_parser *parser, struct ptx_scope *scope);
void ptx_scope_close(struct ptx_parser *parser);
/* Reports a name that the scope has already. */
void ptx_declare(struct ptx_parser *parser, const struct ptx_symbol *symbol);
/* Trees of names: their order, and what is done with symbols when one goes. */
int ptx_compare_symbols(const void *a, const void *b);
void ptx_keep_symbol(void *symbol);

/* linking.c. A module begins: only its own names are seen from here on, ... */
void ptx_begin_module(struct ptx_parser *parser);
/* ... behind the last one all that modules share, and what is declared is shared. */
void ptx_begin_library(struct ptx_parser *parser);
/* What this module calls so, or what others do, if the declaration that is read is for them, too. */
struct ptx_symbol *ptx_find_declared(struct ptx_parser *parser, struct slice name);
struct ptx_symbol *ptx_find_linked(const struct ptx_parser *parser, struct slice name);
/* A symbol is declared; false: other modules have the name for something else. */
bool ptx_note_linkage(struct ptx_parser *parser, struct ptx_symbol *symbol);
/* Makes one of two variables of a name, of which `first` is the one that stays. False: there cannot be both.
 */
bool ptx_merge_variables(struct ptx_parser *parser, struct ptx_symbol *first,
                         const struct ptx_variable *second);
/* All modules were read: their names become those of one program. */
void ptx_link(struct ptx_parser *parser);
void ptx_linking_done(struct ptx_parser *parser);
/* From the inside out; a register of a range too. NULL: there is none. *ret_number is the register. */
const struct ptx_symbol *ptx_find(const struct ptx_parser *parser, struct slice name, uint32_t *ret_number);

/* A register of the function, unnamed; its number. */
uint32_t ptx_add_register(struct ptx_parser *parser, enum hx_type type, bool is_untyped);

/* sections.c: a section from its name on; the place of a label in the code; and what the sections say, when
 * all of the text was read. */
void ptx_read_section(struct ptx_parser *parser);
void ptx_note_label(struct ptx_parser *parser, const struct ptx_token *name);
/* Of a label of a section, in order behind ptx_finish_sections; false: there is none. */
bool ptx_find_debug_label(const struct ptx_parser *parser, struct slice name, uint64_t *ret_address);
/* inlined.c. A place of .loc is read; those that were, for a debugger. */
void ptx_note_loc(struct ptx_parser *parser, struct ptx_loc loc);
void ptx_keep_inlined(struct ptx_parser *parser, struct program_debug *debug);
void ptx_finish_sections(struct ptx_parser *parser);
void ptx_sections_done(struct ptx_parser *parser);

/* A declaration from its space on, ".global .align 4 .f32 x[4] = {...}, y"; up to the semicolon, or for a
 * parameter to what follows it. */
void ptx_read_variables(struct ptx_parser *parser, bool is_extern);
struct ptx_variable *ptx_read_parameter(struct ptx_parser *parser);
/* Lane 1 and so on of a parameter that is a vector of registers: each lane is a parameter of its own. */
struct ptx_variable *ptx_parameter_lane(struct ptx_parser *parser, const struct ptx_variable *parameter,
                                        uint32_t lane);
/* The file of a number, which is made when there is none; NULL when memory runs out. */
struct ptx_file *ptx_find_file(struct ptx_parser *parser, uint64_t number);
/* What stands on the outermost level, to the end of the text. */
void ptx_read_declarations(struct ptx_parser *parser);
/* The function of this name, which the module need not have: it is declared then. */
void ptx_declare_function(struct ptx_parser *parser, struct slice name, struct place place);
/* Puts what a row of rewrites.def says in the place of a statement; false: no row is for it. */
bool ptx_rewrite(struct ptx_parser *parser, const struct ptx_statement *statement);
/* Statements in braces, within a function. */
void ptx_read_scope(struct ptx_parser *parser);
/* The statements of a function, from behind its brace on, to the brace that closes it. */
void ptx_read_body(struct ptx_parser *parser);
/* An operand of an instruction. */
bool ptx_read_operand(struct ptx_parser *parser, struct ptx_operand *ret_operand);
/* An integer or float, or an expression of them; false without a report when none stands there. */
bool ptx_read_number(struct ptx_parser *parser, enum ptx_number_kind *ret_kind, uint64_t *ret_bits);
/* An integer without operators that must be there, from 0 to `most`. */
uint64_t ptx_expect_count(struct ptx_parser *parser, uint64_t most, const char *what);
