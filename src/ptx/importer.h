/* Importing a kernel, seen from the inside: what translate.c (instructions), memory.c (addresses, loads,
 * stores), flow.c (jumps and calls) and load.c (the program) share. */
#pragma once

#include "program/debug_info.h"
#include "program/names.h"
#include "ptx/code.h"

/* What a variable of PTX is in the kernel that is imported. */
enum ptx_binding_kind {
    PTX_BINDING_NONE,
    PTX_BINDING_ARRAY,     /* in shared, constant or local memory: base and symbol */
    PTX_BINDING_PARAMETER, /* a buffer or a parameter of the program: symbol */
    PTX_BINDING_REGISTER,  /* a scalar that is handed to a function: reg */
    PTX_BINDING_POINTER    /* in local memory, `offset` bytes behind where a register points: reg */
};
struct ptx_binding {
    enum ptx_binding_kind kind;
    enum address_base base;
    uint16_t symbol;
    uint32_t reg;
    int32_t offset;
    const struct kernel *kernel; /* that an array in shared memory was made for */
};

/* A function whose body is imported: the kernel, one that is called, or one that is inlined. */
struct ptx_frame {
    const struct ptx_function *function;
    struct ptx_frame *caller;
    const struct ptx_statement *call;     /* of an inlined one */
    uint32_t first_register, first_label; /* virtual numbers of its first ones */
    uint32_t return_label;                /* PTX_NO_LABEL: of a kernel */
    uint32_t carry;                       /* the predicate that CC.CF is; PTX_NO_REGISTER: not used yet */
};

#define PTX_NO_LABEL UINT32_MAX

/* Of a unit: where the virtual registers of a function begin whose body is in it. */
struct ptx_body_registers {
    const struct ptx_function *function;
    uint32_t unit, first;
};

/* Code of its own: the kernel's, or that of a function that is called. */
struct ptx_unit {
    const struct ptx_function *function;
    struct ptx_code code;
    uint32_t first;            /* its place in the kernel's code */
    uint32_t body, close, end; /* behind where its frame is taken; where it is given back; behind all of it */
    bool has_frame;            /* on the thread's stack */
    bool has_array;            /* its frame is the kernel's local array `array` */
    uint32_t array;
    bool is_seen; /* static_frames.c, while it looks for units that call themselves */
};
/* Entries of the table of functions: one for each function whose address is taken, and the first for none.
 * The instruction says how many there are in 8 bits. More are in several tables, of PTX_TABLE_ENTRIES each,
 * and one of those. */
#define PTX_ENTRIES_MOST  255
#define PTX_TABLE_BITS    7
#define PTX_TABLE_ENTRIES (1u << PTX_TABLE_BITS)
#define PTX_TABLES_MOST   255
uint32_t ptx_pointer_entries(const struct ptx_module *module);
/* Targets of calls, which are no labels: with this bit the number of a unit, or the table of pointers. */
#define PTX_TARGET_UNIT  (1u << 31)
#define PTX_TARGET_TABLE UINT32_MAX

struct ptx_lack {
    const struct ptx_statement *statement;
    const char *why;
};

/* A module while it becomes a program. */
struct ptx_loading {
    hx_program *program;
    hx_diag *diag;
    struct arena *arena; /* the program's */
    struct ptx_module module;
    struct ptx_binding *bindings; /* of each variable, by its number */
    LIST(struct program_param) params;
    LIST(struct array) buffers, constants;
    size_t grid_memory; /* 1 + the buffer that nvcc's grids have their barrier in; 0: none */
    struct names names; /* that are taken */
    hx_status status;
};

struct ptx_importer {
    struct ptx_loading *loading;
    hx_program *program;
    const struct ptx_function *function; /* the kernel's */
    struct kernel *kernel;
    const struct ptx_module *module;
    struct ptx_code code;
    struct ptx_binding *bindings; /* of each variable, by its number */
    struct ptx_frame *frame;
    const struct ptx_statement *statement;
    LIST(struct ptx_lack) lacks; /* what the kernel needs and hexec has not */
    LIST(struct array) shared, local;
    uint32_t reserved; /* 1 + the shared array that %reserved_smem_offset_... are places in; 0: none */
    LIST(struct ptx_unit) units;            /* the kernel first */
    LIST(struct debug_place) places;        /* of programs for a debugger */
    LIST(struct ptx_body_registers) bodies; /* ... that are written in PTX */
    LIST(struct debug_register) registers;
    uint32_t kept[2];      /* registers and predicates that units have which keep their values */
    bool shares_registers; /* a unit could not, or may call itself */
    uint32_t unit;         /* that is imported; DEBUG_ANY_UNIT: none yet */
    bool has_pointers;     /* calls by pointer: a table is needed */
    const struct ptx_statement *pointer_call; /* the first of them */
    uint16_t pointer_text; /* the constant that says that a pointer is of another kind of function */
    uint64_t more_slots;   /* values of calls that have no register of PTX_SLOT_REGISTER and above */
    uint16_t slot_array;   /* the local array that they lie in */
    uint32_t array_bytes;  /* of frames that are local arrays */
};

/* Notes that the statement cannot be imported. `why` is a sentence without a full stop, kept as it is;
 * NULL where there was no memory to make it. */
void ptx_lacks(struct ptx_importer *importer, const char *why);
/* The same where the opcode is at fault: PTX has none such, or hexec has not (known.c). */
void ptx_lacks_opcode(struct ptx_importer *importer);
/* A map's row: which opcodes of PTX are which of hexec, or which function imports them. opcodes.def has them.
 */
struct ptx_map_row {
    const char *from, *to, *drop, *tail; /* parts in `drop` are left out; tail: what is put behind */
    void (*import)(struct ptx_importer *importer);
};
extern const struct ptx_map_row ptx_map[];
extern const size_t ptx_map_count;

/* An op with the mnemonic; false when there is none, which is noted as a lack. */
bool ptx_begin(struct ptx_importer *importer, struct ptx_op *ret_op, const char *format, ...) HX_PRINTF(3, 4);
/* Puts an operand of PTX into a form of the op. */
void ptx_put(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
             const struct ptx_operand *operand);
/* The lack of an operand that was taken for a special register, and is none, or one that is written. */
void ptx_lacks_register(struct ptx_importer *importer, const struct ptx_operand *operand);
void ptx_put_special(struct ptx_importer *importer, struct ptx_op *op, unsigned form,
                     const struct ptx_operand *operand);
/* Makes literals fit the form, gives the op the statement's guard, and adds it. */
void ptx_end(struct ptx_importer *importer, struct ptx_op *op);
/* The same without a guard: for what writes only registers that nothing else knows. */
void ptx_end_free(struct ptx_importer *importer, struct ptx_op *op);
/* What the parts of a pattern that are no plain words stood for; empty where an optional one was missing. */
#define PTX_CAPTURES 8
struct ptx_captures {
    struct slice items[PTX_CAPTURES];
    unsigned count;
};
/* Does an opcode fit a pattern, as expansions.def explains them? */
bool ptx_fits_pattern(const char *pattern, struct slice opcode, struct ptx_captures *ret_captures);
/* Imports the statement by the row of expansions.def that fits it; false: there is none. */
bool ptx_expand(struct ptx_importer *importer);
/* Imports the statement as what a text says, which is a body of expansions.def without $. */
void ptx_import_text(struct ptx_importer *importer, const char *body);
/* Imports the statement by the forms of an opcode of hexec. */
void ptx_import_as(struct ptx_importer *importer, const char *mnemonic);
void ptx_import_statement(struct ptx_importer *importer, const struct ptx_statement *statement);
uint32_t ptx_register_of(const struct ptx_importer *importer, uint32_t reg);
enum hx_type ptx_type_of_register(const struct ptx_importer *importer, uint32_t reg);
/* mov.u32 or mov.u64 between virtual registers. */
void ptx_move(struct ptx_importer *importer, uint32_t to, uint32_t from, unsigned bits);
/* A value in a register: itself, or a new one that it is moved to. */
uint32_t ptx_in_register(struct ptx_importer *importer, const struct ptx_operand *operand, enum hx_type type);
#define PTX_MOST_LANES 8 /* of a vector in memory; hexec's have 4 */

/* What the parts of the opcode of a memory access say. */
struct ptx_access {
    enum ptx_space space;
    enum hx_type type;
    unsigned lanes;
    struct slice order, scope; /* acquire, release, ...; gpu, cta, ... */
    bool has_unknown;          /* a part that no load or store has; atomics have more parts */
};
struct ptx_access ptx_read_access(struct slice opcode);
/* Has the statement as many operands at least? If not, that is noted. */
bool ptx_has_operands(struct ptx_importer *importer, uint32_t count);
/* Has a value as many elements as the access? If not, that is noted. */
bool ptx_check_lanes(struct ptx_importer *importer, const struct ptx_operand *value,
                     const struct ptx_access *access);
/* to := from + offset, of 64 bits. */
void ptx_add_offset(struct ptx_importer *importer, uint32_t to, uint32_t from, int64_t offset);
/* Has the statement's opcode this part? */
bool ptx_has_part(const struct ptx_statement *statement, const char *part);
/* The parts of an opcode, one a call; *at begins at 0. False behind the last. */
bool ptx_next_part(struct slice opcode, size_t *at, struct slice *ret_part);

/* Notes that a variable is declared .extern and defined nowhere; false when it is so. */
bool ptx_is_defined(struct ptx_importer *importer, const struct ptx_variable *variable);
/* Have the registers of the statement the types that its opcode says? If not, that is noted. */
bool ptx_check_types(struct ptx_importer *importer);

/* Functions of the map. */
void ptx_import_load(struct ptx_importer *importer);
void ptx_import_store(struct ptx_importer *importer);
void ptx_import_mov(struct ptx_importer *importer);
void ptx_import_cvta(struct ptx_importer *importer);
void ptx_import_isspacep(struct ptx_importer *importer);
void ptx_import_atomic(struct ptx_importer *importer);
void ptx_import_carry(struct ptx_importer *importer);
void ptx_import_barrier(struct ptx_importer *importer);
void ptx_import_cluster_wait(struct ptx_importer *importer);
void ptx_import_barrier_reduction(struct ptx_importer *importer);
void ptx_import_jump(struct ptx_importer *importer);
void ptx_import_jump_table(struct ptx_importer *importer);
void ptx_import_call(struct ptx_importer *importer);
void ptx_import_return(struct ptx_importer *importer);
void ptx_import_conversion(struct ptx_importer *importer);
void ptx_import_video(struct ptx_importer *importer);
void ptx_import_nothing(struct ptx_importer *importer);
void ptx_import_copy(struct ptx_importer *importer);
void ptx_import_copy_commit(struct ptx_importer *importer);
void ptx_import_copy_wait(struct ptx_importer *importer);
void ptx_import_copy_wait_all(struct ptx_importer *importer);
void ptx_import_copy_arrival(struct ptx_importer *importer);
void ptx_import_mbarrier_init(struct ptx_importer *importer);
void ptx_import_mbarrier_inval(struct ptx_importer *importer);
void ptx_import_mbarrier_arrive(struct ptx_importer *importer);
void ptx_import_mbarrier_bytes(struct ptx_importer *importer);
void ptx_import_mbarrier_wait(struct ptx_importer *importer);
void ptx_import_mbarrier_count(struct ptx_importer *importer);
void ptx_import_elect(struct ptx_importer *importer);
void ptx_import_mma(struct ptx_importer *importer);
void ptx_import_wmma(struct ptx_importer *importer);
void ptx_import_wmma_access(struct ptx_importer *importer);
void ptx_import_ldmatrix(struct ptx_importer *importer);
void ptx_import_stmatrix(struct ptx_importer *importer);
void ptx_import_movmatrix(struct ptx_importer *importer);

/* Imports the statements of a function into the code. */
void ptx_import_body(struct ptx_importer *importer, struct ptx_frame *frame);
/* Gives the variables that a function declares their place in the kernel. */
void ptx_bind_variables(struct ptx_importer *importer, const struct ptx_function *function);

/* Is a parameter or result of this type memory, and no scalar? */
bool ptx_is_memory(const struct ptx_variable *variable);
/* Does the function use its parameter only as a whole? */
bool ptx_is_whole(const struct ptx_function *function, const struct ptx_variable *variable);
/* Local memory of the function that is imported: of the kernel's arrays, or of its frame. */
struct ptx_binding ptx_take_local(struct ptx_importer *importer, const struct ptx_variable *variable);
/* The address operand of a load or store of such memory. */
void ptx_put_local(struct ptx_op *op, unsigned form, const struct ptx_binding *binding, int32_t offset);
/* Copies a structure from local memory to other local memory, 8 bytes and then single ones. */
void ptx_copy_structure(struct ptx_importer *importer, const struct ptx_binding *from,
                        const struct ptx_variable *variable, const struct ptx_binding *to, int32_t offset);
/* Stores a scalar that the function reads in parts, or whose address it takes. */
void ptx_store_param(struct ptx_importer *importer, const struct ptx_function *function,
                     const struct ptx_variable *formal);
/* The address of memory in a register: in local memory, or a number of the space that it is in. */
uint32_t ptx_address_of(struct ptx_importer *importer, const struct ptx_binding *binding);
/* Virtual registers for those that the function declares; the first. */
uint32_t ptx_add_registers(struct ptx_importer *importer, const struct ptx_function *function);
uint32_t ptx_new_label(struct ptx_importer *importer);
void ptx_place_label(struct ptx_importer *importer, uint32_t label);

/* plan.c: what the calls of a module mean. False when memory runs out. */
HX_MUST_CHECK bool ptx_plan_calls(struct ptx_loading *loading);
const struct ptx_function *ptx_function_meant(const struct ptx_function *function);
const struct ptx_function *ptx_callee(const struct ptx_statement *statement);
/* A call's operands; lists without items where it has none. */
struct ptx_call {
    const struct ptx_operand *results, *target, *params;
};
/* A parameter in a register: a scalar, or the local address of memory. */
uint32_t ptx_call_value(struct ptx_importer *importer, const struct ptx_operand *operand, unsigned bits);
/* Does a result go to where a parameter comes from: `call (%r1), f, (%r1)`? */
bool ptx_is_overwritten(const struct ptx_operand *actual, const struct ptx_operand *results);
/* Where a structure that is a parameter is: a copy of it if it is a result, too. */
struct ptx_binding ptx_param_memory(struct ptx_importer *importer, const struct ptx_operand *actual,
                                    const struct ptx_operand *results);
/* The register that a scalar result goes to. */
uint32_t ptx_call_result(struct ptx_importer *importer, const struct ptx_operand *operand);
/* extern.c: functions of the runtime. */
bool ptx_is_extern(struct slice name);
void ptx_call_extern(struct ptx_importer *importer, const struct ptx_function *function,
                     const struct ptx_call *call);
/* A text in constant memory. */
struct ptx_binding ptx_constant_text(struct ptx_loading *loading, const char *text);
/* frames.c: calls of functions that have code of their own. `pointer` is a register with the function's
 * value; without a function the pointer says which. */
void ptx_call_apart(struct ptx_importer *importer, const struct ptx_function *function, uint32_t pointer,
                    const struct ptx_operand *results, const struct ptx_operand *params);
/* Imports the body of a function that is called, with its parameters and results. */
void ptx_import_called(struct ptx_importer *importer, const struct ptx_function *function);
/* units.c: gives all units real registers and makes one code of them, importer->code. */
void ptx_join_units(struct ptx_importer *importer);
void ptx_import_units(struct ptx_importer *importer);
/* static_frames.c: gives a unit that keeps something in local memory an array for it, if that can be; its
 * registers are chosen. */
void ptx_give_array(struct ptx_importer *importer, struct ptx_unit *unit);
/* Places in the unit's frame become places in its array. True when the op wants the frame's address in its
 * register. */
bool ptx_put_array(const struct ptx_unit *unit, struct ptx_op *op);

/* places.c: for a debugger. Notes what a variable is bound to; gives the kernel what was noted. */
void ptx_note_place(struct ptx_importer *importer, const struct ptx_variable *variable);
void ptx_keep_places(struct ptx_importer *importer);

/* names.c: the same of registers and labels of programs that are written in PTX. Notes the virtual registers
 * of a body; those that have real ones, when a unit's code is joined: `moved` has the places of its ops; and
 * gives the kernel what was noted, false when memory runs out. */
void ptx_note_body(struct ptx_importer *importer, const struct ptx_function *function, uint32_t first);
void ptx_note_registers(struct ptx_importer *importer, const struct ptx_unit *unit, const uint32_t *moved);
HX_MUST_CHECK bool ptx_keep_names(struct ptx_importer *importer, struct kernel_debug *debug);
/* Is each register to have one value, if they suffice? */
bool ptx_keeps_values(const struct ptx_importer *importer);

/* An array of hexec for a variable, with its initial value. */
struct array ptx_make_array(struct ptx_loading *loading, const struct ptx_variable *variable);
/* The kernel's local array for spilled registers, code.spill_array: the next one that is made. */
void ptx_add_spill_array(struct ptx_importer *importer, uint64_t slots);
/* Fills in the kernel of an .entry. What is wrong is in loading->status, reported. */
void ptx_import_kernel(struct ptx_loading *loading, const struct ptx_function *function,
                       struct kernel *kernel);
