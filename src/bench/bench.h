/* Benchmarks from the inside: subject.c makes an instruction of a form, frame.c the kernels around it,
 * measure.c times them, report.c goes over the forms and keeps what came of it. */
#pragma once

#include "base/machine.h"
#include "hexec/bench.h"
#include "hexec/collector.h"
#include "program/program.h"

/* How a form is brought to run again and again. Most stand in a loop, many copies behind each other; what
 * changes the flow needs somewhere to go. */
enum subject_way {
    WAY_PLAIN,
    WAY_BRANCH,     /* jumps to the instruction behind it */
    WAY_TABLE,      /* jumps to the bra behind it, which is measured apart */
    WAY_CALL,       /* with the ret that comes back */
    WAY_CALL_TABLE, /* with the bra of its table, and the ret */
    WAY_RETURN,     /* with the call that it comes back from */
    WAY_LOOP,       /* a loop of itself */
    WAY_BLOCK,      /* exit: a block that does nothing else */
    WAY_NEVER       /* trap: the guard is false */
};

/* Registers of these kernels. Operand i of the instruction is in SOURCE + STEP * i, or RESULT + i; results of
 * one copy and the next differ by RESULT_STEP. All of them are read behind the loop: what is not read would
 * not be computed. */
enum {
    REG_SOURCE = 16,
    REG_STEP = 4,
    REG_RESULT = 64,
    REG_RESULT_STEP = 8,
    REG_BASE = 240,
    REG_AT = 241,
    REG_ACTIVE = 242,
    REG_PLACE = 243,
    REG_LOOPS = 244,
    REG_TID = 245,
    REG_WORK = 246,
    REG_ZERO = 247,
    P_GUARD = 0,
    P_SOURCE = 1,
    P_RESULT = 8
};
/* As many as there are predicates for results, and few enough that the rows of all results stay in the
 * first-level cache. */
#define SUBJECT_COPIES 8u
#define SUBJECT_BLOCK  256u

/* A form as it is measured. */
struct subject {
    char name[HX_COST_FORM_BYTES];
    struct text text; /* the instruction, as the set under test writes it */
    enum subject_way way;
    int semantic;
    struct instruction instruction; /* as it was made: its operands are those of every copy */
    hx_program *program;            /* what the set under test assembled of it */
    const struct instruction *code; /* of that: several for a macro-opcode */
    uint32_t count;
    enum hx_space space;      /* SPACE_NONE: no access */
    int chain_from, chain_to; /* operands: the result, and the source that can take it; -1: there is none */
    double parts;             /* what is measured together counts as so many issues */
    const char *remark;
};

/* Makes the subject of a form: opcode and types of `form`, operands by the opcode's forms. HX_INVALID when
 * the set's own assembler refuses it; HX_NO_MEMORY. Free it with subject_done, whatever happened. */
HX_MUST_CHECK hx_status subject_init(struct subject *subject, const hx_isa *isa,
                                     const struct instruction *form, const hx_allocator *allocator,
                                     hx_diag *diag);
void subject_done(struct subject *subject);
/* Bytes of an element that it accesses: what an index counts. */
unsigned subject_access_bytes(const struct instruction *instruction);
/* May it stand under a guard? Not where all threads must come. */
bool subject_may_be_guarded(const struct subject *subject);

/* What differs between the kernels of a subject. */
enum frame_kind {
    FRAME_PLAIN,
    FRAME_GUARDED,
    FRAME_DIVERGED,
    FRAME_SAME,
    FRAME_CHAIN,
    FRAME_STRIDED,
    FRAME_SCATTERED, /* places that come from memory: random, or all the same */
    FRAME_KINDS
};
/* Does the kernel make sense for the subject? */
bool frame_fits(const struct subject *subject, enum frame_kind kind);

/* Writes what a program needs before its code: buffers, and the array of the subject's space. */
void frame_declare(const struct subject *subject, struct text *text);
/* What an access of the subject starts at: "$memory", "tile", ... */
const char *frame_base(const struct subject *subject);

/* The buffers of every kernel, in their order; the launch needs one for each. */
enum frame_buffer { FRAME_CONTROL, FRAME_DATA, FRAME_MEMORY, FRAME_LINKS, FRAME_PLACES, FRAME_BUFFERS };
/* Words of FRAME_CONTROL: rounds of the loop; threads that the guard lets through; what places are masked by.
 */
enum { CONTROL_LOOPS, CONTROL_ACTIVE, CONTROL_MASK, CONTROL_WORDS };
extern const char *const frame_buffer_names[FRAME_BUFFERS];
uint64_t frame_buffer_bytes(enum frame_buffer buffer);
/* Fills FRAME_DATA, FRAME_LINKS, FRAME_PLACES; the others start zeroed. */
void frame_fill(enum frame_buffer buffer, void *bytes);
/* What scattered places are masked by to be elements of the subject's space. */
uint32_t frame_mask(const struct subject *subject);

/* A kernel with the subject in it, or the same without it, ready to run. `isa` is the one that is built in,
 * which the frame is written for. The caller frees the frame with frame_done, whatever happened. */
struct frame {
    hx_program *program;
    hx_kernel *kernel;
    uint8_t *is_subject; /* a flag for each instruction: it is the subject, or part of it */
    uint32_t issues;     /* of the subject in one round */
};
HX_MUST_CHECK hx_status frame_init(struct frame *frame, const struct subject *subject, enum frame_kind kind,
                                   bool has_subject, const hx_isa *isa, const hx_allocator *allocator,
                                   hx_diag *diag);
void frame_done(struct frame *frame, const hx_allocator *allocator);

/* What all measurements share. */
struct bench {
    const hx_isa *isa, *built_in;
    hx_isa *own_isa; /* the built-in one, when it was loaded for this */
    const hx_allocator *allocator;
    hx_bench_options options;
    hx_device *device;
    hx_buffer *buffers[FRAME_BUFFERS];
    uint32_t runs, runs_most; /* samples of a point: at least, and at most */
    uint64_t sample_ns;
    struct machine_use use; /* of the machine, some time ago; others: the share that others used since */
    double others;
    double loop_ns;     /* the fastest machine_loop_ns until now */
    struct arena arena; /* the report's */
    LIST(hx_bench_form) forms;
    hx_cost_machine machine;
    uint64_t duration_ns;
    size_t done, wanted;
    hx_diag *diag;
};

/* What `count` samples say of a point, which they are sorted for: its median and 95 % interval, and whether
 * it is stable, which it returns. around_ns: what both kernels take for each issue, as one: they differ from
 * execution to execution. `others`: the share of the machine that others used. */
bool measure_judge(double *samples, size_t count, double around_ns, double others, hx_bench_point *point);
/* One point of a subject, from its two kernels, for blocks of point->threads: the rest of it is filled in.
 * `control` is what the kernels find in FRAME_CONTROL; how many rounds is found here. */
HX_MUST_CHECK hx_status measure_point(struct bench *bench, const struct subject *subject,
                                      const struct frame *full, const struct frame *empty, uint32_t *control,
                                      hx_bench_point *point);
