/* Breakpoints, watchpoints, and stops where the mask splits. */
#pragma once

#include "base/diag.h"
#include "hexec/debug.h"
#include "program/dwarf/types.h"

struct engine;
struct expression_tree;
struct finding;
struct hx_debugger;
struct kernel;
struct moment;
struct text;
struct value;

enum point_kind { POINT_BREAK, POINT_DIVERGE, POINT_WATCH };
enum watch_kind { WATCH_CHANGE = 1, WATCH_WRITE = 2, WATCH_READ = 4 };
#define ANY_BLOCK  UINT64_MAX
#define ANY_THREAD UINT32_MAX
struct code_place {
    const struct kernel *kernel;
    uint32_t instruction;
};
/* The call whose memory is watched. */
struct watched_call {
    uint32_t depth;           /* calls of the machine that the thread is in there; 0: the memory is of none */
    uint32_t depth_in_source; /* ... with those that are inlined */
    uint64_t known;           /* a time at which it is */
    uint64_t begin;           /* its first step; 0: not looked for */
    bool has_ended;
};
/* A breakpoint, a watchpoint, or a stop where the mask splits. */
struct point {
    uint32_t number;
    enum point_kind kind;
    bool is_enabled, is_temporary;
    char *place, *condition;           /* as written; condition may be NULL */
    char *message;                     /* what is printed in place of a stop; NULL: it stops */
    struct expression_tree *test;      /* the condition, read */
    struct expression_tree **inserted; /* those between { and } of the message, read; NULL for a wrong one */
    size_t inserted_count;
    /* where */
    const struct kernel *kernel; /* of a breakpoint; NULL: any */
    int line;                    /* of `source`; 0: `instruction` */
    const struct source *source;
    uint32_t instruction;
    struct code_place
        *places; /* of a line or a function: in each of its instances, in each kernel that has it */
    size_t place_count;
    uint64_t block;
    uint32_t thread;
    /* watched memory */
    uint32_t access; /* enum watch_kind */
    int space;
    enum hx_type type; /* of its elements */
    uint32_t declared; /* ... 1 + their type in the source; 0: they have none */
    uint64_t address, bytes;
    struct bit_range range; /* of a bit-field */
    bool is_variable;       /* `place` is of the source */
    struct watched_call call;
    uint64_t hits, ignore;
    char *commands; /* that are done where it has stopped, in lines; NULL: none */
    bool is_silent; /* ... the first of which says that nothing is to be said of the stop */
};

struct point_list {
    struct point **items;
    size_t count, capacity;
};

/* ---- points.c */
/* Does a point stop here? Fills in ret_found. */
bool points_at_step(struct engine *engine, const struct moment *at, struct finding *ret_found);
bool points_at_branch(struct engine *engine, const struct moment *at, struct finding *ret_found);
/* Keeps what happens to a watched place in engine->pending. */
void points_at_access(struct engine *engine, const hx_access_event *event);
/* The step after them: does one of them stop? */
bool points_after_access(struct engine *engine, struct finding *ret_found);
/* Notes another point that stops where the run is said to stop. */
void points_note(struct finding *found, uint32_t number);
/* Of a watched bit-field: its value among the bytes that an access at an address has. False: it is none, or
 * not all of it is there. */
bool points_bits_of(const struct point *point, uint64_t address, uint32_t bytes, uint64_t *bits);
bool points_match(const struct point *point, const struct kernel *kernel, uint32_t instruction);
/* NULL: there is none of this number. */
struct point *points_find(const struct engine *engine, uint64_t number);
void point_free(struct engine *engine, struct point *point);

/* ---- calls.c */
/* Of a watchpoint on local memory: the call of the thread in focus that has it. */
void points_find_call(const struct engine *engine, struct point *point);
/* Is the call now that has the watched memory? */
bool points_is_in_call(const struct engine *engine, const struct point *point);
/* A step in `depth` calls of the machine: does a call end that a watchpoint is of? Fills in ret_found. */
bool points_at_return(struct engine *engine, const struct moment *at, uint32_t depth,
                      struct finding *ret_found);
/* The launch has ended, or the program begins anew. */
void points_end_calls(struct engine *engine);
/* What comes behind a time is another future now. */
void points_change_past(struct engine *engine, uint64_t time);
/* Takes away the watchpoints whose calls have ended, and says so. */
void points_remove_ended(struct engine *engine, struct text *out);

/* ---- functions.c */
/* Behind what a function begins with, which stores its parameters. */
uint32_t points_begin(const hx_program *program, const struct kernel *kernel, const struct debug_unit *unit);
/* Sets a point to where each kernel begins. HX_NO_MEMORY. The caller frees its places. */
HX_MUST_CHECK hx_status points_read_kernels(struct hx_debugger *debugger, struct point *point);
/* Sets a point to a kernel, a function or a label. HX_INVALID. The caller frees its places. */
HX_MUST_CHECK hx_status points_read_name(struct hx_debugger *debugger, struct slice name,
                                         struct point *point);

/* ---- set_points.c */
/* Makes a point like `made`, with its texts copied, and marks the code; NULL: memory ran out. */
struct point *points_add(struct engine *engine, const struct point *made, struct slice place,
                         struct slice condition, struct slice message);
/* ---- change_points.c */
void points_remove(struct engine *engine, size_t index);
/* Temporary ones that have stopped. */
void points_remove_done(struct engine *engine);
/* ---- lines.c */
/* The first line of the file from `line` on that has code; 0: there is none. */
int points_next_line(const hx_program *program, const struct source *source, int line);
/* Sets a point to this line, or to the next one that has code. False: there is none. */
bool points_aim_at_line(const hx_program *program, const struct source *source, int64_t line,
                        struct point *point);
/* The places of a point's line. False: memory ran out. */
bool points_find_line(const struct engine *engine, struct point *point);

/* ---- set_points.c */
/* A watchpoint on what an expression of the thread in focus names. HX_INVALID. */
HX_MUST_CHECK hx_status points_make_watch(struct hx_debugger *debugger, struct slice place, uint32_t access,
                                          struct point *ret_point);
/* A watchpoint on the place that a value has. */
void points_watch_value(const struct engine *engine, const struct value *value, uint32_t access,
                        struct point *ret_point);
/* 24, saxpy.yaml:24, *12 (an instruction), a label, a kernel. HX_INVALID. The caller frees its places. */
HX_MUST_CHECK hx_status points_read_place(struct hx_debugger *debugger, struct slice place,
                                          struct point *point);
/* Gives a point another condition, or none. HX_NO_MEMORY: it keeps the one that it has. */
HX_MUST_CHECK hx_status points_set_condition(struct engine *engine, struct point *point,
                                             struct slice condition);
/* HX_INVALID when a condition cannot be read. */
HX_MUST_CHECK hx_status points_check_condition(struct hx_debugger *debugger, struct slice condition);
/* HX_INVALID when an expression between { and } of a message cannot be read. */
HX_MUST_CHECK hx_status points_check_message(struct hx_debugger *debugger, struct slice message);
/* The same of an expression of any type. */
HX_MUST_CHECK hx_status points_check_expression(struct hx_debugger *debugger, struct slice text);

/* The file that lines without a file's name are of: that of the call in focus, or the program's first. */
const struct source *points_present_source(const struct hx_debugger *debugger);
/* The source of a name that stands before a colon, or of its path. HX_INVALID. */
HX_MUST_CHECK hx_status points_find_source(struct hx_debugger *debugger, struct slice file,
                                           const struct source **ret_source);
