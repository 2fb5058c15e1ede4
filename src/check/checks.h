/* The frame that checkers work in: what is known of launches and buffers, and findings.
 *
 * A checker is a listener. It keeps its state per worker where it can, and reports a mistake with
 * check_found, from any thread. The frame puts findings that are alike into one, with a count, and keeps the
 * one that comes first by launch, block and thread: so the report does not depend on workers or gangs. */
#pragma once

#include "base/diag.h"
#include "hexec/check.h"
#include "hexec/launch.h"

struct kernel;

enum check_kind {
#define CHECK_KIND(id, checker, name, code) CHECK_##id,
#include "check/kinds.def"
#undef CHECK_KIND
    CHECK_KIND_COUNT
};

/* ---- Checkers */

/* One checker of an hx_checks. */
struct checker {
    hx_listener listener;                   /* its events and functions; `user` as the checker likes */
    void (*close)(struct checker *checker); /* frees it */
    /* A device is followed from now on; its buffers are as check_buffers has them. May be NULL. */
    void (*follow)(struct checker *checker);
    /* When the device is left; may be NULL. Buffers are as check_buffers has them. */
    void (*leave)(struct checker *checker, bool leaks);
};
/* src/check/NAME/NAME.c: HX_NO_MEMORY. */
#define CHECKER(name, KIND)                                                                                  \
    HX_MUST_CHECK hx_status check_##name##_open(hx_checks *checks, hx_diag *diag,                            \
                                                struct checker **ret_checker);
#include "check/checkers.def"
#undef CHECKER

/* ---- What the frame knows. Good until hx_checks_close, unless said otherwise. */

const hx_allocator *check_allocator(const hx_checks *checks);
const hx_checks_options *check_options(const hx_checks *checks);

/* An instruction's place, copied: kernels and programs may be gone before the report. */
struct check_line {
    const char *file, *source_line, *text;
    const char *function; /* NULL: the kernel itself */
    int line, column, length;
};
struct check_code {
    const char *kernel, *program;
    struct check_line *lines;
    const uint32_t *alike; /* of each instruction the first one with its place in the source and its shape */
    uint32_t count, crc;   /* crc: of the words */
    const void *of;        /* the hx_kernel when it was copied */
};
struct check_launch {
    uint64_t number; /* from 1 */
    const struct check_code *code;
    uint32_t grid[3], block[3];
    uint32_t warp_size;
    uint64_t dynamic_shared;
};
/* The launch that runs, or ran last; NULL before the first. A checker's `begin` is called behind the frame's.
 */
const struct check_launch *check_launch_now(const hx_checks *checks);
/* Its kernel's code; for the launch only. */
const struct kernel *check_kernel_now(const hx_checks *checks);
const hx_program *check_program_now(const hx_checks *checks);

/* A buffer that is there, or was. They change only while no launch runs. */
struct check_buffer {
    uint64_t low, size;
    char name[64];
    hx_buffer_access access;
    const void *data; /* its bytes on the host; NULL when it is freed */
    bool is_freed;
    uint64_t freed_behind; /* is_freed: the number of launches before */
    uint64_t freed_number; /* ... and its number among those that were freed */
};
/* The buffer that an address lies in, else the last one below it; freed ones too, but those that are there go
 * before. NULL: there is none. */
const struct check_buffer *check_find_buffer(const hx_checks *checks, uint64_t address);
/* The first one that is there and begins behind an address; NULL: there is none. */
const struct check_buffer *check_buffer_above(const hx_checks *checks, uint64_t address);
/* Those that are there, in the order of addresses; NULL beyond the end. */
const struct check_buffer *check_buffer_at(const hx_checks *checks, size_t index);
/* Bytes of an element of the program's buffer or array with this name; 0: not known. For the launch only. */
uint32_t check_element_bytes(const hx_checks *checks, int space, const char *name);
/* "buffer 'y'", or "the buffer of argument 1" where the name is a number, as of those that `--arg` makes; the
 * name alone where it says itself what it is: "buffer 3", which a driver has named. */
void check_print_buffer(struct text *text, const char *name);

/* ---- Commands: what of launches and copies is ordered; commands.c */

/* Commands of one chain come one behind the other. */
#define CHECK_CHAINS 64
struct check_order {
    uint32_t chain, at;            /* its place in its chain, from 1 on */
    uint32_t behind[CHECK_CHAINS]; /* it comes behind those of each chain up to this one, */
    uint32_t host[CHECK_CHAINS];   /* ... and the host had waited for these when it was given */
    char queue[32];
};
/* False: there is no such command, or it was given too long ago: it counts as ordered. From any thread. */
bool check_order_of(const hx_checks *checks, uint64_t number, struct check_order *ret_order);

/* ---- Findings */

/* Who did what where. */
struct check_site {
    const struct check_launch *launch;
    uint32_t instruction, thread; /* thread: linear number in the block */
    uint64_t block;
    const char *role; /* static: "load", "store", "atomic", "barrier", "earlier store", ... */
};

/* The words of a finding; what `describe` writes. Texts are empty when it is called. */
struct check_words {
    struct text message, note, hint; /* message: one sentence without a full stop, without the place */
    hx_finding_object object;        /* its name is copied */
    char name[64];                   /* object.name, when this is not empty */
};

struct check_finding {
    enum check_kind kind;
    struct check_site sites[HX_FINDING_PLACES];
    uint32_t site_count;
    bool
        is_by_place; /* findings of instructions that are alike (check_code) are one: pieces of a structure */
    uint64_t
        subject; /* tells findings apart at the same instructions: check_subject of a buffer's name, or 0 */
    uint64_t count; /* how often; 0: once */
    /* Called at once, if this is the finding that is shown so far; holds a lock, so it must not report. */
    void (*describe)(void *user, const struct check_finding *finding, struct check_words *words);
    void *user;
    int space; /* for describe: of the access, 0: none */
    uint64_t address;
    uint32_t bytes;
    bool has_values;
    uint64_t before, after; /* bits of the element */
};
/* From any thread. Findings of one kind, instructions (of all sites, in order) and subject are one. */
void check_found(hx_checks *checks, const struct check_finding *finding);
/* Of a buffer's name: allocations of a program, which have numbers and no names, are one subject, since an
 * instruction that goes wrong with each of them is one mistake. What has no instruction has the hash of
 * the whole name. */
uint64_t check_subject(const char *name);
uint64_t check_name_hash(const char *name);
/* Learns of a report: "memory.out_of_range", and what the finding's message is. */
typedef void (*check_report_function)(void *user, const struct check_finding *finding, const char *kind,
                                      const char *message);
/* A finding may have been lost for want of memory: hx_checks_finish says so. From any thread. */
void check_lost(hx_checks *checks);
/* So many accesses were not remembered, because too many of the same word were already: races of later ones
 * with them are not found, and reports say so. From any thread. */
void check_unkept(hx_checks *checks, uint64_t count);

/* ---- Decisions by results that a GPU may give otherwise; decisions.c */

enum check_role { CHECK_DECIDES_BRANCH, CHECK_DECIDES_ADDRESS, CHECK_DECIDES_BARRIER };

struct check_decision {
    enum check_role role;
    const struct check_code *from; /* whose instruction gave the result */
    uint32_t from_instruction;
    hx_fidelity result;
    const char *form, *error, *why; /* as in hx_fidelity_use; good until hx_checks_close */
    struct check_site at;           /* of the first thread; its role is not read */
    uint64_t count;
};
/* From any thread. Decisions of one role and the same two instructions are one. */
void check_decided(hx_checks *checks, const struct check_decision *decision);
