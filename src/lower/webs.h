/* Webs: the values of a kernel. A register is a name that a kernel uses for many values in turn; a web is one
 * of them: writes and the reads that they reach, joined where they meet. Rows are given to webs, not to
 * registers. */
#pragma once

#include "lower/micro_op.h"

/* A register or predicate of an instruction and the web that it is there. */
struct web_reference {
    uint16_t member; /* of a flow_set */
    bool writes;
    uint32_t web;
};

/* What the converged code keeps of a web: its same part, its vector, or both. */
enum web_form { WEB_VECTOR = 1, WEB_SAME = 2 };

struct web {
    uint8_t kind;   /* ROW_4, ROW_8 or ROW_PREDICATE */
    bool zeroed;    /* may be read before it is written */
    bool settled;   /* live where a path may stop */
    bool is_known;  /* it is `known` wherever it is read: simplify.c */
    bool is_unread; /* no instruction needs its row */
    uint16_t row;
    uint8_t form;        /* enum web_form; affine.c decides */
    uint8_t affine_part; /* of a web with a same part: what each lane adds to it; 0: nothing */
    uint16_t same_row;   /* of that part */
    struct uniform known;
};

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

/* May a path stop before instruction `at`, and other lanes run? Where blocks begin, and around what lanes
 * wait for.
 */
bool web_stops_at(const struct flow *flow, uint32_t at);
/* The web that member is to instruction `at`, which reads or writes it; NULL: it does not. */
struct web *web_of(const struct web_list *list, uint32_t at, uint32_t member, bool writes);

/* The web that each live register is, while one walks along a block. */
struct web_cursor {
    const struct web_list *list;
    uint32_t current[FLOW_SET_BITS];
};
void web_cursor_enter(struct web_cursor *cursor, uint32_t node);
void web_cursor_pass(struct web_cursor *cursor, uint32_t instruction);

/* The next member of a set from `member` on; FLOW_SET_BITS at the end. */
static inline uint32_t flow_set_next(const struct flow_set *set, uint32_t member)
{
    while (member < FLOW_SET_BITS) {
        uint64_t word = set->words[member / 64] >> (member % 64);
        if (word != 0)
            return member + (uint32_t)__builtin_ctzll(word);
        member = (member / 64 + 1) * 64;
    }
    return FLOW_SET_BITS;
}
/* What kind of row holds a value of a type. */
static inline enum row_kind row_kind_of(enum hx_type type)
{
    return type == HX_TYPE_PRED ? ROW_PREDICATE : type_bits(type) == 64 ? ROW_8 : ROW_4;
}
