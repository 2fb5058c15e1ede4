/* The ways through a kernel's code: to a barrier, and to an end. */
#pragma once

#include "base/memory.h"
#include "program/program.h"

#define ROUTES_NONE UINT32_MAX

/* A call goes on behind itself; one of a function that leads to the barrier is a barrier, too. */
struct routes {
    const hx_allocator *allocator;
    const struct kernel *code;
    uint32_t count; /* of its instructions */
    uint32_t barrier, end;
    bool *leads;      /* from this instruction to the barrier */
    bool *is_barrier; /* the barrier, and such calls */
    uint32_t *meet;   /* where the ways from here to the end come together; ROUTES_NONE: none leads there */
    uint32_t *from;   /* of the last search: the one before on a way; ROUTES_NONE: not reached */
    uint32_t *queue;
};

/* Made with allocator, code, barrier and end, the rest zero. False: no memory. routes_done in any case. */
HX_MUST_CHECK bool routes_make(struct routes *ways);
void routes_done(struct routes *ways);

/* Where threads may go from an instruction: the i-th of routes_out, ROUTES_NONE: behind the code. */
uint32_t routes_out(const struct routes *ways, uint32_t at);
uint32_t routes_next(const struct routes *ways, uint32_t at, uint32_t i);
/* Fills ways->from: what an instruction leads to, but through no barrier; what all barriers lead to, but not
 * through an instruction. */
void routes_reach(struct routes *ways, uint32_t start);
void routes_reach_behind(struct routes *ways, uint32_t without);
/* The instruction of the kernel itself that leads to the barrier: the barrier, or the first call; uses
 * ways->from. ROUTES_NONE: there is none. */
uint32_t routes_place(struct routes *ways);
/* Is it a branch without a guard? */
bool routes_is_jump(const struct routes *ways, uint32_t at);
