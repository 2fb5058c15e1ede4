/* Tapes: how what happens a hundred million times a second gets from the thread that does it to the one that
 * reads of it.
 *
 * A mark is half a cache line and says what cannot be known otherwise; what marks of one form have in common
 * (their name, what their numbers mean) is known to the reader by the form's number. Who writes does it
 * inline, with one store for the reader to see, and is called only where the tape may be full. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Kept as words, so that a mark is four stores: compilers put one together from smaller numbers in memory,
 * and wait for it there. */
struct tape_mark {
    uint64_t end_ticks; /* of machine_ticks */
    uint64_t taken;     /* ticks; block << 32: linear number in the grid */
    uint64_t issue;     /* of the block since its worker turned to it, from 0; instruction << 32: its index */
    uint64_t rest;      /* form; lanes << 16; first_thread << 32: linear number in the block */
};
_Static_assert(sizeof(struct tape_mark) == 32, "two marks are a cache line");

static inline struct tape_mark tape_mark_of(uint64_t end_ticks, uint32_t taken, uint32_t block,
                                            uint32_t instruction, uint32_t issue, uint16_t form,
                                            uint16_t lanes, uint16_t first_thread)
{
    return (struct tape_mark){end_ticks, (uint64_t)block << 32 | taken, (uint64_t)instruction << 32 | issue,
                              (uint64_t)first_thread << 32 | (uint64_t)lanes << 16 | form};
}
static inline uint64_t tape_mark_start(const struct tape_mark *mark)
{
    return mark->end_ticks - (uint32_t)mark->taken;
}
static inline uint16_t tape_mark_form(const struct tape_mark *mark)
{
    return (uint16_t)mark->rest;
}

/* In place of a form: not recorded; to be decided each time. Forms begin behind. */
enum { TAPE_NOTHING, TAPE_ASK, TAPE_FORMS };

struct tape {
    struct tape_mark *marks;
    uint64_t at, limit;     /* the next mark; where `more` checks for room */
    uint64_t mask;          /* room, a power of two, less 1 */
    _Atomic uint64_t *head; /* `at`, as the reader sees it */
    uint64_t least_ticks;   /* what took less is left out */
    const uint16_t *forms;  /* of each instruction */
    uint32_t block, issue;  /* of the next mark */
    uint32_t epoch;         /* what *epoch_now was: when that has changed, nothing above holds any more */
    _Atomic uint32_t *epoch_now;
    bool (*more)(struct tape *tape); /* false: there is no room, and it was counted */
    void *reader;                    /* whose `more` it is */
};

static inline bool tape_is_current(const struct tape *tape)
{
    return atomic_load_explicit(tape->epoch_now, memory_order_relaxed) == tape->epoch;
}

static inline void tape_put(struct tape *tape, struct tape_mark mark)
{
    if (__builtin_expect(tape->at == tape->limit, 0) && !tape->more(tape))
        return;
    tape->marks[tape->at++ & tape->mask] = mark;
    atomic_store_explicit(tape->head, tape->at, memory_order_release);
}
