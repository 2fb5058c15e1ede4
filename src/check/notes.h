/* The numbers of notes (the opcode `notice`), which compiled kernels leave for checkers. Headers for OpenCL C
 * and its functions write them (src/compiler/opencl/prelude_group.cl, src/ptx/library), and the importer of
 * PTX, for calls that clang makes (src/ptx/extern.c). */
#pragma once

#include "program/program.h"

#include <string.h>

#define NOTE_HEAP_NAME "hexec_heap" /* of the buffer that the heap of threads is */

enum check_note {
    /* before a barrier of OpenCL C, in one with it: the memory that it orders, when that is not all */
    NOTE_ORDERS_SHARED = 1,
    NOTE_ORDERS_GLOBAL = 2,
    NOTE_ORDERS_NOTHING = 13,
    /* copies of whole blocks: what all threads must give alike, as a hash; the event that the copy has; an
     * event that is waited for, before the barrier that waits */
    NOTE_COPY = 3,
    NOTE_COPY_EVENT = 4,
    NOTE_COPY_WAIT = 5,
    /* behind a thread's share of a copy whose event it has noted: where in shared memory the whole copy
     * writes, or reads, and its elements times 8, plus the logarithm of the bytes of one */
    NOTE_COPY_WRITES = 14,
    NOTE_COPY_READS = 15,
    /* an index is beyond its array, or a pointer is not aligned for its type
     * (hx_source_options.check_indexes): the lower half of the address of what clang says of it
     * (memory/clang_notes.c), and right behind that the lower and the upper half of the index or pointer */
    NOTE_TYPE = 16,
    NOTE_INDEX = 6,
    NOTE_POINTER = 17,
    /* the same of each pointer whose structure is copied as a whole, aligned or not, but that NOTE_TYPE has
     * the alignment */
    NOTE_COPIED = 20,
    /* and of each lane's row of a matrix in shared memory (ldmatrix, stmatrix): its offset, and 0 */
    NOTE_ROW = 25,
    /* of the heap of threads: before free, the lower and the upper half of the pointer; behind malloc, the
     * lower half of what it returned, and the bytes that it was to have (UINT32_MAX: or more) */
    NOTE_HEAP_FREE = 7,
    NOTE_HEAP_MADE = 8,
    /* before NOTE_ASYNC_COPY, where all that it reads is known: the lower and the upper half of where */
    NOTE_ASYNC_READS = 24,
    /* behind a copy to shared memory that a thread does not wait for: the offset and the bytes; the end of a
     * group of such copies; a wait for all groups but the last ones, and how many those are; one for all
     * copies */
    NOTE_ASYNC_COPY = 9,
    NOTE_ASYNC_COMMIT = 10,
    NOTE_ASYNC_WAIT = 11,
    NOTE_ASYNC_WAIT_ALL = 12,
    /* before NOTE_ASYNC_READS or NOTE_ASYNC_COPY: the copy ends with the phase that a barrier in shared
     * memory is in; behind such copies: those of the thread until now do; its offset, and
     * the two bits of the phase */
    NOTE_ASYNC_END = 29,
    NOTE_ASYNC_ARRIVE = 30,
    /* before a copy in bulk out of shared memory: its offset and the bytes; the end of a group of such
     * copies; a wait for all groups but the last ones, and how many those are */
    NOTE_BULK_READS = 31,
    NOTE_BULK_COMMIT = 32,
    NOTE_BULK_WAIT = 33,
    /* behind a copy in bulk out of shared memory: the lower and the upper half of where it writes as many
     * bytes; the same of one that combines what is there with them, by atomics; a wait as before, also for
     * what the copies write */
    NOTE_BULK_WRITES = 35,
    NOTE_BULK_COMBINES = 36,
    NOTE_BULK_WAIT_WRITTEN = 37,
    /* before a barrier in shared memory is initialized, invalidated, or anything else is done with it: its
     * offset; of a wait, behind its load of the barrier, also the two bits of the phase that it has found */
    NOTE_MBARRIER_INIT = 21,
    NOTE_MBARRIER_INVAL = 22,
    NOTE_MBARRIER_USE = 23,
    /* behind an arrival: the barrier's offset, and the phase that it has found */
    NOTE_MBARRIER_PHASE = 34,
    /* before a barrier that all threads of the block must reach, those too that may return before another
     * one: that of a whole grid */
    NOTE_BARRIER_OF_ALL = 19,
    /* before a broadcast of the whole block: the thread whose value it is, which all name alike */
    NOTE_BROADCAST = 18,
    /* before a function of images, textures or surfaces, or a question about one: the lower and the upper
     * half of the handle */
    NOTE_IMAGE = 26,
    /* before a call that all work-items of a sub-group make together; of a broadcast, whose value it is */
    NOTE_SUB_GROUP = 27,
};

static inline bool note_is_heap(const char *buffer_name)
{
    return strcmp(buffer_name, NOTE_HEAP_NAME) == 0;
}
static inline bool note_is(const struct instruction *instruction, enum check_note number)
{
    return instruction_semantic(instruction) == SEM_note && instruction->operands[0].bits == number;
}
static inline bool note_is_in(const struct kernel *code, enum check_note number)
{
    for (uint32_t i = 0; i < code->code_count; i++)
        if (note_is(&code->code[i], number))
            return true;
    return false;
}
/* The note of the memory that the barrier of OpenCL C at `index` orders; 0: it orders all. */
static inline uint32_t note_of_order(const struct kernel *code, uint32_t index)
{
    const struct instruction *const note = index > 0 ? &code->code[index - 1] : NULL;
    const bool is_noted = note && (note_is(note, NOTE_ORDERS_SHARED) || note_is(note, NOTE_ORDERS_GLOBAL) ||
                                   note_is(note, NOTE_ORDERS_NOTHING));
    return is_noted ? (uint32_t)note->operands[0].bits : 0;
}
/* Are these barriers one call, whose flags are a variable? It became a barrier for each of them. */
static inline bool note_is_one_call(const struct kernel *code, uint32_t barrier, uint32_t other)
{
    const struct place *const a = &code->lines[barrier].place, *const b = &code->lines[other].place;
    return a->source == b->source && a->line == b->line && a->column == b->column &&
           note_of_order(code, barrier) != note_of_order(code, other);
}
