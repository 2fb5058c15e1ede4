/* The instruction set: loaded from YAML, checked in full, then constant. */
#pragma once

#include "hexec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, text, bits): the twelve types of values and of memory; the packed ones, two numbers of 16 bits in
 * 32, which only instructions have; PRED is a predicate. */
/* clang-format off */
#define HX_TYPE_LIST(X) \
    X(I8, "i8", 8)      \
    X(U8, "u8", 8)      \
    X(I16, "i16", 16)   \
    X(U16, "u16", 16)   \
    X(F16, "f16", 16)   \
    X(BF16, "bf16", 16) \
    X(I32, "i32", 32)   \
    X(U32, "u32", 32)   \
    X(F32, "f32", 32)   \
    X(I64, "i64", 64)   \
    X(U64, "u64", 64)   \
    X(F64, "f64", 64)   \
    X(F16X2, "f16x2", 32) \
    X(BF16X2, "bf16x2", 32) \
    X(PRED, "pred", 1)
/* clang-format on */

typedef enum hx_type {
#define HX_TYPE_VALUE(name, text, bits) HX_TYPE_##name,
    HX_TYPE_LIST(HX_TYPE_VALUE)
#undef HX_TYPE_VALUE
        HX_TYPE_COUNT,
    HX_TYPE_NONE = HX_TYPE_COUNT
} hx_type;

/* "f32"; "?" for no type. Static. */
HX_API const char *hx_type_name(hx_type type);
/* Bytes of an element in memory: 1, 2, 4, 8; 0 for PRED and NONE. */
HX_API size_t hx_type_bytes(hx_type type);
/* The type of a name in any case, PTX's spellings among them (s32, b32, b8, ...); HX_TYPE_NONE if unknown. */
HX_API hx_type hx_type_find(const char *name);

/* An instruction set. Constant after loading: any number of threads may use it at once. */
typedef struct hx_isa hx_isa;

/* Loads and checks an instruction set. `path` is the YAML file, NULL the one built into the library.
 * *ret_isa is given (hx_isa_free); programs loaded with it borrow it until they are freed. Borrows
 * `allocator` until then. HX_INVALID (with every error of the file in `diag`), HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_isa_load(const char *path, const hx_allocator *allocator, hx_diag *diag,
                                           hx_isa **ret_isa);
/* The same from bytes in memory; `name` is what diagnostics call them. Borrows `yaml` for the call. */
HX_API HX_MUST_CHECK hx_status hx_isa_load_text(const char *name, const char *yaml, size_t bytes,
                                                const hx_allocator *allocator, hx_diag *diag,
                                                hx_isa **ret_isa);
HX_API void hx_isa_free(hx_isa *isa);
/* Its name, and how many entries (opcodes, macro-opcodes among them) it has. */
HX_API const char *hx_isa_name(const hx_isa *isa);
HX_API size_t hx_isa_opcode_count(const hx_isa *isa);

/* How far the result of a GPU may be from that of hexec. */
typedef enum hx_fidelity {
    HX_FIDELITY_UNSTATED, /* the set does not say */
    HX_FIDELITY_EXACT,    /* each bit is fixed */
    HX_FIDELITY_WITHIN,   /* within a stated error */
    HX_FIDELITY_OPEN      /* PTX, or the order of threads, leaves it open */
} hx_fidelity;
/* "exact", "within", "open"; "" of others. Static. */
HX_API const char *hx_fidelity_name(hx_fidelity fidelity);
/* The first rule of an opcode counts that has the instruction's type and modifier. */
typedef struct hx_fidelity_rule {
    hx_fidelity result;
    uint32_t types;       /* a bit 1 << hx_type for each; 0: all of the opcode */
    const char *modifier; /* that the instruction must have, "approx"; "": none */
    const char *error;    /* "relative 2^-22", "1 ulp"; "" unless HX_FIDELITY_WITHIN */
    const char *why;      /* what more is to say, in words; or "" */
} hx_fidelity_rule;

/* An entry; strings are borrowed from the set. */
typedef struct hx_opcode_info {
    size_t size;            /* sizeof (hx_opcode_info) */
    const char *mnemonic;   /* lower case, may have dots: "bar.sync" */
    const char *class_name; /* "float", "memory" */
    const char *semantics;  /* its meaning; "" of a macro-opcode */
    const char *span;       /* "cpu_ldg" */
    const char *summary;    /* what it does, in words */
    const char *detail;     /* ... and in the notation of docs/isa.md */
    int code;               /* 0 to 255; -1 of a macro-opcode */
    double issue_cycles, latency_cycles;
    const hx_fidelity_rule *fidelity; /* fidelity_count rules, in order */
    size_t fidelity_count;
} hx_opcode_info;
/* The entry at `index`, in the order of the set; ret_info->size is set before. HX_INVALID beyond the end. */
HX_API HX_MUST_CHECK hx_status hx_isa_opcode(const hx_isa *isa, size_t index, hx_opcode_info *ret_info);

typedef enum hx_isa_format { HX_ISA_TEXT, HX_ISA_MARKDOWN, HX_ISA_JSON } hx_isa_format;
/* Writes the reference: the whole set, or with `mnemonic` (any case, aliases too) the entries of one.
 * HX_INVALID with a suggestion when there is no such mnemonic; else what `write` returned. */
HX_API HX_MUST_CHECK hx_status hx_isa_reference(const hx_isa *isa, const char *mnemonic, hx_isa_format format,
                                                hx_diag *diag, hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
