/* The control-flow graph, and one solver for what flows along it.
 *
 * Nodes are basic blocks, in order of instructions, and behind them one *exit node* for each group of
 * subroutines: every ret of the group leads to it, and it leads to the place behind every call of the group.
 * So the graph stays as small as the code however many calls and rets there are. It does not know which call
 * a ret belongs to; that would blur what is known about registers that the subroutine does not touch, so an
 * edge leads around the call as well (EDGE_BYPASS), and the exit node says which registers the group may
 * write. */
#pragma once

#include "program/program.h"

#define FLOW_NONE UINT32_MAX
/* A set of registers and predicates: bit r, and bit REGISTER_COUNT + p. */
#define FLOW_SET_BITS  (REGISTER_COUNT + PREDICATE_COUNT)
#define FLOW_SET_WORDS ((FLOW_SET_BITS + 63) / 64)
struct flow_set {
    uint64_t words[FLOW_SET_WORDS];
};

enum flow_edge_kind {
    EDGE_NEXT,   /* to the instruction behind */
    EDGE_TAKEN,  /* a branch or loop that jumps */
    EDGE_CALL,   /* to the subroutine */
    EDGE_LEAVE,  /* from a ret to the exit node of its group */
    EDGE_RETURN, /* from an exit node to the place behind a call */
    EDGE_BYPASS  /* from a call to the place behind it: for what the subroutine does not write */
};
struct flow_edge {
    uint32_t from, to; /* nodes */
    uint32_t through;  /* EDGE_BYPASS: the group's exit node */
    uint8_t kind;
};

struct flow_node {
    uint32_t first, end; /* instructions first to end - 1; none in an exit node */
    bool reachable;
    bool falls_off;                        /* goes on behind the last instruction */
    uint32_t out, out_count, in, in_count; /* runs of flow.edges and of flow.edges_in */
};

struct flow {
    const struct kernel *kernel;
    struct flow_node *nodes;
    uint32_t block_count, node_count;  /* exit nodes are block_count to node_count - 1 */
    uint32_t *node_of;                 /* for each instruction its block */
    struct flow_edge *edges;           /* by `from` */
    const struct flow_edge **edges_in; /* by `to` */
    uint32_t edge_count;
    struct flow_set *written; /* for exit node n at n - block_count: what its group may write */
};

/* Makes the graph of a kernel in `arena`. HX_NO_MEMORY. A kernel without instructions has no nodes. */
HX_MUST_CHECK hx_status verify_flow_make(const struct kernel *kernel, struct arena *arena, hx_diag *diag,
                                         struct flow *ret_flow);
/* How deep calls nest; *ret_recursive: the depth is unknown. *ret_call: an instruction that begins the
 * longest chain of calls, FLOW_NONE if there is none. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status verify_flow_depth(const struct flow *flow, const hx_allocator *allocator,
                                          hx_diag *diag, uint32_t *ret_depth, bool *ret_recursive,
                                          uint32_t *ret_call);

/* What flows: states of `bytes` bytes, one for each node, at the node's beginning (at its end when backward).
 */
struct flow_problem {
    size_t bytes;
    bool backward;
    void *user;
    /* Carries a state through a node's instructions, in place. */
    void (*pass)(void *user, uint32_t node, void *state);
    /* Merges what comes along an edge into a state; true when that changed. */
    bool (*merge)(void *user, const struct flow_edge *edge, const void *from, void *into);
};
/* Solves to the fixed point. `states` (node_count * bytes) hold the neutral element and, for a forward
 * problem, in node 0 what holds at the start. Forward: reachable nodes alone; backward: all of them.
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status verify_flow_solve(const struct flow *flow, const struct flow_problem *problem,
                                          const hx_allocator *allocator, hx_diag *diag, void *states);

/* The row of an instruction that ends a block; SEMANTIC_NONE for one that only goes on. */
int verify_flow_semantic(const struct instruction *instruction);
/* Does it call a subroutine, by name or by a table? */
bool verify_flow_calls(const struct instruction *instruction);
/* The instruction that a jump or call names; FLOW_NONE when it is behind the last one. */
uint32_t verify_flow_target(const struct kernel *kernel, const struct instruction *instruction);
/* Branches in the table that an instruction jumps or calls by, from its target on; 0 for any other
 * instruction.
 */
uint32_t verify_flow_table(const struct instruction *instruction);
/* What a way out of a block tells about a guard: that predicate *ret_predicate has *ret_value. False:
 * nothing. */
bool verify_flow_guard(const struct flow *flow, const struct flow_edge *edge, int *ret_predicate,
                       bool *ret_value);
/* The set's member for an access's i-th register. */
static inline uint32_t flow_member(const struct operand_access *access, unsigned i)
{
    return access->predicate ? REGISTER_COUNT + access->first + i : access->first + i;
}
static inline bool flow_set_has(const struct flow_set *set, uint32_t member)
{
    return set->words[member / 64] >> (member % 64) & 1;
}
static inline void flow_set_add(struct flow_set *set, uint32_t member)
{
    set->words[member / 64] |= 1ull << (member % 64);
}
static inline void flow_set_remove(struct flow_set *set, uint32_t member)
{
    set->words[member / 64] &= ~(1ull << (member % 64));
}
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
