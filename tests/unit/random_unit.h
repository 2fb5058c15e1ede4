/* Random programs for the tests of verify and lower, and random ways through them. */
#pragma once

#include "kernel_unit.h"
#include "verify/verify.h"

#define RANDOM_BLOCKS    6
#define RANDOM_CALLS_MAX 32

static uint32_t random_state;
static inline uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* "D": a register that is written, "S": one that is read, "V": the first of a vector, "P": a predicate. */
static const char *const templates[] = {
    "mov.u32 D, 3",
    "mov.u64 D, 3",
    "mov.u32 D, %tid.x",
    "add.u32 D, S, S",
    "add.u64 D, S, S",
    "add.i8 D, S, 1",
    "mulw.u32 D, S, S",
    "madw.i32 D, S, S, S",
    "mad.f32.sat.ftz D, S, S, S",
    "fma.rz.f64 D, S, S, S",
    "cvt.u64.i32 D, S",
    "cvt.f32.f64 D, S",
    "setp.lt.u32 P, S, S",
    "setp.ge.or.f32 P, S, S, !P",
    "set.eq.u32.u64 D, S, S",
    "sel.u64 D, S, S, P",
    "addc.u64 D, P, S, S, P",
    "pand P, !P, P",
    "pack.u64.u32 D, S, S",
    "pack.u64.u16 D, S, S, S, S",
    "unpack.u32.u64 D, D, S",
    "unpack.u16.u64 D, _, D, D, S",
    "shl.u64 D, S, S",
    "ldg.u32 D, [$x + S*4]",
    "ldg.u64.v2 V, [S + S.i32*8]",
    "lds.u32.v4 V, [S]",
    "stg.u32 [S + S.u32*2 + 4], S",
    "stg.u64.v2 [S], V",
    "bar.sync 1, S",
    "nop",
};

static inline void print_instruction(struct text *text, const char *at)
{
    if (draw(3) == 0)
        text_print(text, "@%sp%u ", draw(2) ? "!" : "", draw(3));
    for (; *at; at++) {
        if (*at == 'D' || *at == 'S')
            text_print(text, "r%u", draw(6));
        else if (*at == 'V')
            text_print(text, "r%u", draw(3));
        else if (*at == 'P')
            text_print(text, "p%u", draw(3));
        else
            text_append(text, at, 1);
    }
    text_print(text, "\n");
}

static inline void print_program(struct text *text)
{
    for (unsigned block = 0; block < RANDOM_BLOCKS; block++) {
        text_print(text, "b%u: nop\n", block);
        for (unsigned i = 0; i < 1 + draw(7); i++)
            print_instruction(text, templates[draw(HX_COUNT_OF(templates))]);
        if (draw(3) != 0)
            text_print(text, "@%sp%u ", draw(2) ? "!" : "", draw(3));
        switch (draw(6)) {
        case 0:
            text_print(text, "call b%u\n", draw(RANDOM_BLOCKS));
            break;
        case 1:
            text_print(text, "ret\n");
            break;
        case 2:
            text_print(text, "loop.%s r%u, b%u\n", draw(2) ? "u32" : "i64", draw(6), draw(RANDOM_BLOCKS));
            break;
        default:
            text_print(text, "bra b%u\n", draw(RANDOM_BLOCKS));
        }
    }
    text_print(text, "exit\n");
    ck_assert(!text->failed);
}

/* A way: where it stands, and the predicates that it has settled on. */
struct way {
    const struct kernel *kernel;
    uint32_t at, depth, calls[RANDOM_CALLS_MAX];
    uint32_t stamps[PREDICATE_COUNT]; /* of the value below */
    bool values[PREDICATE_COUNT];
};

/* Is the guard of the instruction at hand true? `stamps` tell when predicates were written; one that was not
 * written since has the value that it had, and one that was never written (0) is false. */
static inline bool way_guard(struct way *way, const uint32_t *stamps)
{
    const struct instruction *instruction = &way->kernel->code[way->at];
    const int p = instruction->guard;
    if (p < 0)
        return true;
    if (stamps[p] != way->stamps[p]) {
        way->stamps[p] = stamps[p];
        way->values[p] = draw(2);
    }
    return way->values[p] != instruction->guard_negated;
}

/* Goes on; false at the end. */
static inline bool way_next(struct way *way, bool guard)
{
    const struct instruction *instruction = &way->kernel->code[way->at];
    const int semantic = guard ? verify_flow_semantic(instruction) : SEMANTIC_NONE;
    const uint32_t target = verify_flow_target(way->kernel, instruction);
    uint32_t next = way->at + 1;
    if (semantic == SEM_exit || (semantic == SEM_return && way->depth == 0) ||
        (semantic == SEM_call && way->depth == RANDOM_CALLS_MAX))
        return false;
    if (semantic == SEM_branch || (semantic == SEM_loop && draw(2)))
        next = target;
    if (semantic == SEM_return)
        next = way->calls[--way->depth];
    if (semantic == SEM_call) {
        way->calls[way->depth++] = next;
        next = target;
    }
    way->at = next;
    return next < way->kernel->code_count;
}
