/* Webs: the values of a kernel. A kernel uses one register for many values in turn; a web is one of them:
 * writes and the reads that they reach. Writes that reach one read belong to one web. */
#pragma once

#include "verify/verify.h"

/* A register or predicate of an instruction and the web that it is there. */
struct web_reference {
    uint16_t member; /* of a flow_set */
    bool writes;
    uint32_t web;
};

enum web_kind { WEB_4_BYTES, WEB_8_BYTES, WEB_PREDICATE };
struct web {
    uint8_t kind; /* enum web_kind */
    bool zeroed;  /* may be read before it is written */
    bool settled; /* live where a path may stop */
};
#define WEB_NONE UINT32_MAX

struct web_list {
    const struct verified_kernel *verified;
    struct web *webs;
    uint32_t web_count;
    struct flow_set *live_before; /* for each node: what is read later, at its beginning */
    struct flow_set *live_after;  /* for each instruction */
    uint32_t *entry; /* for each node: where in `entries` the webs of live_before are, ascending */
    uint32_t *entries;
    uint32_t *first; /* for each instruction: its references; code_count + 1 of them */
    struct web_reference *references;
};

/* Finds the webs of a kernel; everything is in `arena`. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status web_list_make(const struct verified_kernel *verified, struct arena *arena,
                                      hx_diag *diag, struct web_list *ret_list);

/* May a path stop before instruction `at`, and other lanes run? True where blocks begin, and around
 * instructions at which lanes wait. */
bool web_stops_at(const struct flow *flow, uint32_t at);
/* The web that `member` is to instruction `at`; WEB_NONE if the instruction does not read (or write) it. */
uint32_t web_of(const struct web_list *list, uint32_t at, uint32_t member, bool writes);

/* The web that each live register is, while a caller walks along a block. */
struct web_cursor {
    const struct web_list *list;
    uint32_t current[FLOW_SET_BITS];
};
void web_cursor_enter(struct web_cursor *cursor, uint32_t node);
void web_cursor_pass(struct web_cursor *cursor, uint32_t instruction);

/* What kind of web holds a value of a type. */
static inline enum web_kind web_kind_of(enum hx_type type)
{
    return type == HX_TYPE_PRED ? WEB_PREDICATE : type_bits(type) == 64 ? WEB_8_BYTES : WEB_4_BYTES;
}
