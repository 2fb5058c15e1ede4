/* The opcode table from the inside, and the decoded instruction that program, verify and lower work on.
 * Nothing here knows an opcode by name: entries say which semantic they mean and which operand form they
 * have, and everything else follows. */
#pragma once

#include "base/diag.h"
#include "semantics/semantics.h"
#include "semantics/types.h"

/* The groups of modifiers that the engine knows, and their values: the closed set that the YAML may use.
 * The YAML gives each group its place in the word. A group's value in an instruction is 0 (none) or 1 + the
 * index of the value here. */
/* clang-format off */
#define MODIFIER_GROUPS(X)                                                                                                                  \
    X(ROUNDING, rounding, "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")                                                               \
    X(SATURATE, saturate, "sat")                                                                                                            \
    X(FLUSH, flush, "ftz")                                                                                                                  \
    X(APPROX, approx, "approx")                                                                                                             \
    X(NAN, nan, "nan")                                                                                                                      \
    X(COMPARE, compare, "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs") \
    X(COMBINE, combine, "and", "or", "xor")                                                                                                 \
    X(VECTOR, vector, "v2", "v4")                                                                                                           \
    X(CACHE, cache, "ca", "cg", "cs", "nc", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "weak", "wb", "wt", "lu", "cv")                                              \
    X(FUNNEL, funnel, "wrap", "clamp")                                                                                                      \
    X(PERMUTE, permute, "f4e", "b4e", "rc8", "ecl", "ecr", "rc16")                                                                          \
    X(SCOPE, scope, "block", "device", "system", "cta", "gpu", "sys", "gl", "cluster")                                                                                            \
    X(NUMBER, number, "finite", "infinite", "number", "notanumber", "normal", "subnormal")                                                  \
    X(SHIFTAMT, shiftamt, "shiftamt") \
    X(NOFTZ, noftz, "noftz") \
    X(SPACE, space, "global", "shared", "local", "const") \
    X(PRIORITY, priority, "evict_last", "evict_normal", "evict_first", "evict_unchanged") \
    X(REST, rest, "rest_evict_first", "rest_evict_unchanged") \
    X(TILE, tile, "m8n8k4", "m8n8k16", "m8n8k32", "m8n8k128", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256") \
    X(PRODUCT, product, "f16xf16", "bf16xbf16", "tf32xtf32", "f64xf64", "s8xs8", "s8xu8", "u8xs8", "u8xu8", "s4xs4", "s4xu4", "u4xs4", "u4xu4", "b1andb1", "b1xorb1")
/* clang-format on */

enum modifier_group {
#define GROUP_VALUE(NAME, name, ...) GROUP_##NAME,
    MODIFIER_GROUPS(GROUP_VALUE)
#undef GROUP_VALUE
        GROUP_COUNT
};
/* Values of instruction.modifiers[GROUP_ROUNDING]. */
enum rounding {
    ROUNDING_NONE,
    ROUNDING_RN,
    ROUNDING_RZ,
    ROUNDING_RM,
    ROUNDING_RP,
    ROUNDING_RNI,
    ROUNDING_RZI,
    ROUNDING_RMI,
    ROUNDING_RPI
};
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };
const char *modifier_group_name(enum modifier_group group);
const char *modifier_text(enum modifier_group group, unsigned value); /* value >= 1; NULL beyond the end */

/* Special registers: X(NAME, text, type). They are sources of a `mov`-like form ("m"). */
/* clang-format off */
#define SPECIAL_REGISTERS(X)                       \
    X(TID_X, "tid.x", U32)                         \
    X(TID_Y, "tid.y", U32)                         \
    X(TID_Z, "tid.z", U32)                         \
    X(NTID_X, "ntid.x", U32)                       \
    X(NTID_Y, "ntid.y", U32)                       \
    X(NTID_Z, "ntid.z", U32)                       \
    X(CTAID_X, "ctaid.x", U32)                     \
    X(CTAID_Y, "ctaid.y", U32)                     \
    X(CTAID_Z, "ctaid.z", U32)                     \
    X(NCTAID_X, "nctaid.x", U32)                   \
    X(NCTAID_Y, "nctaid.y", U32)                   \
    X(NCTAID_Z, "nctaid.z", U32)                   \
    X(LANEID, "laneid", U32)                       \
    X(WARPID, "warpid", U32)                       \
    X(NWARPID, "nwarpid", U32)                     \
    X(GTID, "gtid", U64)                           \
    X(LANEMASK_EQ, "lanemask_eq", U32)             \
    X(LANEMASK_LT, "lanemask_lt", U32)             \
    X(LANEMASK_LE, "lanemask_le", U32)             \
    X(LANEMASK_GT, "lanemask_gt", U32)             \
    X(LANEMASK_GE, "lanemask_ge", U32)             \
    X(CLOCK, "clock", U32)                         \
    X(CLOCK64, "clock64", U64)                     \
    X(GLOBALTIMER, "globaltimer", U64)             \
    X(SMID, "smid", U32)                           \
    X(NSMID, "nsmid", U32)                         \
    X(GRIDID, "gridid", U64)                       \
    X(WARPSIZE, "warpsize", U32)                   \
    X(DYNAMIC_SMEM_SIZE, "dynamic_smem_size", U32) \
    X(TOTAL_SMEM_SIZE, "total_smem_size", U32)
/* clang-format on */
enum special_register {
#define SPECIAL_VALUE(NAME, text, type) SPECIAL_##NAME,
    SPECIAL_REGISTERS(SPECIAL_VALUE)
#undef SPECIAL_VALUE
        SPECIAL_COUNT
};
const char *special_name(enum special_register special); /* without '%' */
enum hx_type special_type(enum special_register special);
/* Does it change while a thread looks? */
static inline bool special_is_clock(enum special_register special)
{
    return special == SPECIAL_CLOCK || special == SPECIAL_CLOCK64 || special == SPECIAL_GLOBALTIMER;
}
int special_find(struct slice name); /* without '%', any case; -1 when there is none */

#define REGISTER_COUNT  256
#define PREDICATE_COUNT 16
#define CALL_DEPTH_MAX  256
#define STACK_BYTES     16384 /* of a thread that takes memory while it runs */
#define BARRIER_COUNT   16

/* ---- Operand forms ------------------------------------------------------------------------------------
 * The YAML writes an entry's operands as a list of words; this is what a word may be. The letter is the
 * operand of the semantic's shape, and the field of the word that holds the register. d e         a register
 * that is written            pd pe      a predicate that is written (pe of a comparison: field q) a b c f a
 * register that is read, or a literal pa pb pc pf a predicate that is read, "!" allowed x           a
 * register that is read and written (loop's counter; field d) d2 d3 d4    further destinations (unpack), "_"
 * allowed (fields e of the encoding: see hexec.yaml) m mb        as a, and special registers and array
 * addresses too (field a) [a]         an address (base in field a, index in field b, the rest in the
 * immediate) #n b#n      a small number, 0 to n, held in its field d (barrier ids) imm8        an 8-bit
 * number held in the immediate (lop3's table) label an instruction's index, held in the immediate A "?"
 * behind a word: the operand may be left out. */
enum form_kind {
    FORM_DESTINATION,
    FORM_SOURCE,
    FORM_READ_WRITE,
    FORM_PREDICATE_DESTINATION,
    FORM_PREDICATE_SOURCE,
    FORM_ANY_SOURCE,
    FORM_ADDRESS,
    FORM_SMALL,
    FORM_IMM8,
    FORM_LABEL
};
struct form {
    enum form_kind kind;
    enum semantic_operand letter; /* for destinations 2 to 4: OPERAND_D with `extra` 1 to 3 */
    uint8_t extra;
    bool optional, may_sink, register_only;
    uint32_t maximum; /* FORM_SMALL */
};
#define FORM_COUNT_MAX 6

/* What a metric counts for an opcode; bits of isa_opcode.metrics. */
enum isa_metric { METRIC_BYTES = 1, METRIC_LANES = 2, METRIC_FLOPS = 4 };

struct isa_variant {
    uint8_t group, value;
    int16_t semantic;
};

/* An entry of the YAML: one mnemonic over one set of types with one form. */
struct isa_opcode {
    uint16_t index;       /* in hx_isa.opcodes */
    uint8_t may_literal;  /* bit set of 1 << enum semantic_operand: sources that may be a literal */
    int16_t code;         /* 0 to 255; -1 for a macro-opcode */
    const char *mnemonic; /* lower case, may have dots: "bar.sync" */
    const char *const *aliases;
    size_t alias_count;
    const char *class_name, *summary, *detail, *see, *semantics_name;
    int16_t semantic; /* row of the unmodified form; SEMANTIC_NONE when every use is a variant or a macro */
    enum semantic_shape shape;
    enum hx_space space;
    const struct isa_variant *variants;
    size_t variant_count;
    bool has_directed; /* row <semantics>_directed exists and rz, rm, rp are among the modifiers */
    uint32_t types,
        source_types; /* bit sets; source_types 0: the instruction has one type; types 0: it has none */
    struct form forms[FORM_COUNT_MAX];
    uint8_t form_count;
    uint64_t modifiers[GROUP_COUNT]; /* bit set of allowed values (1 << value) for each group */
    const char *span;                /* "cpu_ldg" */
    uint8_t metrics;
    double flops; /* operations of one lane over a floating-point type; over an integer type it does none */
    double issue_cycles, latency_cycles;
    const char *const *expansion; /* lines of a macro-opcode; NULL for a plain one */
    size_t expansion_count;
    const hx_fidelity_rule *fidelity;
    size_t fidelity_count;
    struct place place;
};

/* A field of the 128-bit word: `at` counts bits from the least significant of the first byte. */
struct isa_field {
    uint8_t at, bits;
};
/* Fields of the encoding that the YAML must place: X(name). */
/* clang-format off */
#define ISA_FIELDS(X)                                                                                    \
    X(opcode) X(type) X(source_type) X(guard) X(literal) X(d) X(a) X(b) X(c) X(e) X(f) X(d2) X(d3) X(d4) \
    X(sinks) X(no_e) X(q) X(has_q) X(omitted) X(immediate) X(target) X(imm8) X(offset) X(symbol) X(base) \
    X(scale) X(index)
/* clang-format on */

/* All mnemonics and aliases in alphabetic order; one of several entries stands behind another. */
struct isa_name {
    const char *name;
    const struct isa_opcode *opcode;
};
struct isa_index {
    const struct isa_name *names;
    size_t count;
};

struct hx_isa {
    struct arena arena;
    const char *name, *version;
    const char *source_name;
    uint32_t crc; /* of the YAML's bytes: binaries name the instruction set that they were made with */
    const struct isa_opcode *opcodes;
    size_t opcode_count;
    const struct isa_opcode *by_code[256];
    struct {
#define FIELD_MEMBER(name) struct isa_field name;
        ISA_FIELDS(FIELD_MEMBER)
#undef FIELD_MEMBER
    } fields;
    struct isa_field group_fields[GROUP_COUNT];
    const struct isa_index *index;
};

/* isa/hexec.yaml, loaded and checked when hexec was built (tools/isa_table). Its places have lines, but no
 * source; it has no allocator: hx_isa_load gives a copy that has one. */
extern const hx_isa isa_default;

/* The entry for a mnemonic (lower case or not, aliases too) and types. NULL when there is none; then
 * *ret_any is some entry of that mnemonic (for "ldg has no type f128") or NULL. */
const struct isa_opcode *isa_find(const hx_isa *isa, struct slice mnemonic, enum hx_type type,
                                  enum hx_type source_type, const struct isa_opcode **ret_any);
/* The longest dotted beginning of a word that is a mnemonic or alias; empty when there is none. */
struct slice isa_cut_mnemonic(const hx_isa *isa, struct slice word);
/* The type of a part such as "f32"; NONE when it is no type. */
enum hx_type isa_type_of(struct slice part);
/* Is this (dotted) text a mnemonic or alias? */
bool isa_has_mnemonic(const hx_isa *isa, struct slice mnemonic);
/* Writes line `index` of a macro-opcode's expansion with its operands put in. `operands` are texts in the
 * order of the forms; absent ones are empty. */
void isa_expand_line(const struct isa_opcode *opcode, size_t index, const struct slice *operands,
                     struct slice type, struct slice source_type, struct text *text);
/* The letters of a form as the YAML writes it, into `ret_text` (at least 8 bytes). */
void form_print(const struct form *form, char *ret_text);
/* Names for suggestions, in the form that text_suggest takes; user is the hx_isa. */
const char *isa_name_at(void *isa, size_t index);

/* ---- The decoded instruction ----------------------------------------------------------------------------
 */
enum operand_kind {
    OPERAND_ABSENT,
    OPERAND_REGISTER,
    OPERAND_PREDICATE,
    OPERAND_IMMEDIATE, /* bits: the value at the operand's width */
    OPERAND_PARAMETER, /* symbol: scalar parameters first, then buffers, in order of declaration */
    OPERAND_SPECIAL,   /* symbol: enum special_register */
    OPERAND_ARRAY,     /* the address of array `symbol` in `space` */
    OPERAND_ADDRESS,
    OPERAND_TARGET, /* bits: the index of an instruction */
    OPERAND_SINK
};
enum address_base { BASE_REGISTER, BASE_PARAMETER, BASE_SHARED, BASE_CONSTANT, BASE_LOCAL, BASE_NONE };
enum address_index { INDEX_NONE, INDEX_64, INDEX_U32, INDEX_I32 };
struct operand {
    uint8_t kind;  /* enum operand_kind */
    uint8_t reg;   /* a register's or predicate's number; an address's base register */
    bool negated;  /* !p0 */
    uint8_t space; /* OPERAND_ARRAY: enum hx_space */
    uint16_t symbol;
    uint8_t base_kind, index_kind, index_reg, scale; /* OPERAND_ADDRESS; scale is 1, 2, 4, 8 or 16 */
    int32_t offset;
    uint64_t bits;
};
struct instruction {
    const struct isa_opcode *opcode;
    uint8_t type, source_type; /* enum hx_type; NONE when the opcode has none */
    int8_t guard;              /* predicate's number, -1 for none */
    bool guard_negated;
    uint8_t modifiers[GROUP_COUNT];
    struct operand operands[FORM_COUNT_MAX]; /* one for each form of the opcode */
};
/* A word as it stands in a binary. */
struct word {
    uint8_t bytes[16];
};

/* Sets the modifier that a part such as "ftz" means. 1: set; 0: the opcode has none such; -1: one of its
 * group is set already. */
int isa_apply_modifier(const struct isa_opcode *opcode, struct slice part, uint8_t *modifiers);
/* A mnemonic with its types and modifiers, "setp.lt.and.f32"; false when it means nothing. Operands are not
 * filled in, and there is no guard. */
bool isa_read_mnemonic(const hx_isa *isa, struct slice word, struct instruction *ret_instruction);

/* Packs; what cannot be expressed (two literals, a number that does not fit its field) was refused by the
 * assembler, so this only asserts. */
struct word instruction_encode(const hx_isa *isa, const struct instruction *instruction);
/* Unpacks and validates: unknown opcode or type, bits set that no field covers, a value out of range: false,
 * with what is wrong in *ret_why (static). Every word that it accepts encodes to the same bytes again. */
bool instruction_decode(const hx_isa *isa, const struct word *word, struct instruction *ret_instruction,
                        const char **ret_why);
/* The row that the instruction means, modifiers considered; SEMANTIC_NONE for one that is no row. */
int instruction_semantic(const struct instruction *instruction);

/* Its form: mnemonic and types, "add.f32", "cvt.f32.i8", "bra"; modifiers are left out. Cut where there is no
 * room. */
void instruction_form(const struct instruction *instruction, char *ret_text, size_t room);

/* How operand i of an instruction meets registers. Vector forms (.v2 .v4) read or write `registers` of them
 * from `reg` on. For an address: the base (64 bits) and the index are reported as reads by their own call. */
struct operand_access {
    bool reads, writes, predicate;
    bool is_base, is_index;   /* of an address; an index of 32 bits counts as unsigned */
    uint8_t first, registers; /* first register or predicate */
    enum hx_type type;        /* at which type it is read or written; PRED for predicates */
};
/* The type at which operand i is read or written: PRED for predicates, U64 for addresses, NONE for what holds
 * no value (labels). */
enum hx_type instruction_operand_type(const struct instruction *instruction, unsigned operand);
/* Does it compute with both halves of packed operands? (An atomic over a packed type is a row of its own.) */
bool instruction_is_packed(const struct instruction *instruction);
/* Floating-point operations of one lane, 0 over an integer type; and the type that they are over, NONE where
 * there are none (of a packed type that of a half). */
double instruction_flops(const struct instruction *instruction);
enum hx_type instruction_flop_type(const struct instruction *instruction);
/* Elements of a memory access: 1, or 2 and 4 in vector forms. */
/* How far a GPU's result may be from hexec's. Static, or of the instruction set. */
const hx_fidelity_rule *instruction_fidelity(const struct instruction *instruction);
/* A division of integers, whose result is open where it divides by 0. */
bool instruction_is_open_at_zero(const struct instruction *instruction);
/* May its result be another one on a GPU: is it open, for some operands, or fixed only within an error? */
bool instruction_may_differ(const struct instruction *instruction);
unsigned instruction_vector(const struct instruction *instruction);
/* Registers that operand i stands for, from its own on: 1, more in vector forms and of matrices. */
unsigned instruction_registers(const struct instruction *instruction, unsigned operand);

/* The matrices of mma: A has `rows` x `depth` elements, B `depth` x 8, C and D `rows` x 8. Each lane has one
 * register of B for each of `steps`, one of A for each step and 8 rows, and two elements of C and D for each
 * 8 rows. */
struct isa_tile {
    unsigned rows, depth, steps;
};
/* False when the instruction is none, or its elements do not fill whole registers, up to 4 of B. */
bool instruction_tile(const struct instruction *instruction, struct isa_tile *ret_tile);
/* The type that its sums are made at: f32 for f16. */
enum hx_type instruction_sum_type(const struct instruction *instruction);
/* Fills the accesses of an instruction, its guard and address registers among them; returns how many. */
#define ACCESS_COUNT_MAX 12
size_t instruction_accesses(const struct instruction *instruction, struct operand_access *ret_accesses);
/* r0 to r255; p0 to p15. False without a report. */
bool register_read(struct slice text, char letter, unsigned count, uint8_t *ret_number);
