/* The debugger from the inside: the run, the points at which it stops, and what is known of its threads.
 *
 * Two threads take part. The *front* gives commands; the *run* executes the program. Only one of them goes on
 * at a time: while the run goes, the front waits in engine_resume, and while it is stopped, the front may
 * read everything that the run made. */
#pragma once

#include "api/context.h"
#include "base/demangle.h"
#include "debug/points.h"
#include "debug/snapshots.h"
#include "debug/source/variables.h"
#include "exec/block.h"
#include "exec/kernel.h"
#include "hexec/debug.h"

#include <pthread.h>

#define DEBUG_MEMBERS (REGISTER_COUNT + PREDICATE_COUNT) /* registers, then predicates */

/* What the threads of a warp have written to one register or predicate. */
struct shadow_member {
    uint64_t written; /* lanes that have written it */
    uint8_t type;     /* enum hx_type of the last write */
    uint64_t values[LANES_PER_CHUNK];
};
struct shadow_warp {
    struct shadow_member *members; /* for each member that the kernel writes */
};
struct shadow_block {
    const struct block *block;
    struct shadow_warp *warps; /* warp_count */
    uint32_t warp_count;
};

/* Values of vectors that expressions make are in memory of the debugger: a space of its own. */
#define DEBUG_SPACE_MADE 64
#define MADE_BYTES       128 /* of the largest vector */
#define MADE_MOST        64

/* A step: one instruction of one warp, before it is done. */
struct moment {
    uint64_t time; /* steps since the program began, this one among them */
    uint64_t block;
    uint32_t first_thread, instruction;
    uint32_t depth; /* of calls, inlined ones among them */
    uint64_t standing, lanes;
};

/* What stopped the run. */
enum reason {
    REASON_NONE,
    REASON_POINT,
    REASON_STEP,
    REASON_RETURN, /* the call has ended that a watchpoint is of */
    REASON_TIME,
    REASON_FAULT,
    REASON_MISTAKE, /* what --check found */
    REASON_INTERRUPT,
    REASON_END
};

/* How far threads go with a command. */
enum scope { SCOPE_THREAD, SCOPE_WARP, SCOPE_BLOCK, SCOPE_ANY, SCOPE_COUNT };
struct stepping {
    bool is_on;
    enum scope scope;
    bool by_line;        /* to another line of the source, not to another instruction */
    uint32_t depth_most; /* deeper calls are passed over */
    bool is_blind;       /* where has_line is false: whether its first step is on another line is not known */
    bool has_line;       /* last_line and last_depth are those of the scope's last step */
    int last_line;
    uint32_t last_depth;
    int until_line; /* not 0: only this line */
    bool has_left;  /* only lines behind left_line, or less deep than left_depth, which until_line has, too */
    int left_line;
    uint32_t left_depth;
    uint64_t block;
    uint32_t thread;
};

/* What the run is to do until it stops. */
struct goal {
    uint64_t stop_time;   /* before the step of this time */
    bool points;          /* breakpoints and watchpoints stop */
    struct stepping step; /* or this does */
    bool records;         /* nothing but stop_time stops: what would have is kept in `recorded` */
    bool is_limited;      /* breakpoints and watchpoints stop only who is in the scope of `step` */
};

#define ALSO_MOST 7
/* What the run stopped for, or would have. */
struct finding {
    enum reason reason;
    struct moment at;
    int line;        /* of a step that is unsure */
    uint32_t point;  /* number; of REASON_POINT */
    uint32_t thread; /* in the block: the first that meets the condition, or that did the access */
    /* of a watchpoint */
    bool is_access, is_store;
    uint32_t instruction; /* that did it */
    uint64_t address, before, after;
    uint32_t bytes;
    uint32_t also_count; /* other points that stop here */
    uint32_t also[ALSO_MOST];
};

#define TRAIL_MOST 65536
struct trail_step {
    uint64_t time;
    uint32_t depth; /* of calls */
};

/* What a command has written to memory, or to a register of a thread, before a step. */
struct change {
    uint64_t time;
    uint64_t block; /* that sees the memory, as its thread does */
    uint32_t thread;
    bool is_register;
    uint32_t write; /* of a register: see member_find */
    int space;
    uint64_t address;
    uint32_t bytes;
    uint8_t type;           /* enum hx_type */
    struct bit_range range; /* of a bit-field */
    uint64_t bits;
};

/* Of an instruction. */
enum mark {
    MARK_POINT = 1, /* a breakpoint may be there */
    MARK_HEAD = 2   /* it is of what a function begins with: steps by lines pass over it */
};

enum run_state { RUN_NONE, RUN_GOING, RUN_STOPPED, RUN_ENDED };

struct engine {
    const hx_allocator *allocator;
    hx_context *context;
    hx_run_options options;
    struct exec_listener listener;

    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum run_state state;
    atomic_bool dies, interrupted;

    /* of the run; the front reads it while the run is stopped */
    hx_device *device;
    const struct kernel *kernel;      /* NULL: no launch has begun, or none goes on */
    const struct kernel *last_kernel; /* of the launch that has begun last; NULL: none */
    const struct lowered_kernel *lowered;
    const struct verified_kernel *verified;
    uint32_t launches;
    uint16_t member_index[DEBUG_MEMBERS]; /* 1 + the index in shadow_warp.members; 0: never written */
    uint32_t member_count;
    uint8_t *write_types; /* enum hx_type of each of lowered->writes */
    uint8_t *marked;      /* for each instruction: bits of enum mark */
    LIST(struct shadow_block) blocks;
    struct shadow_block *last_block; /* of the last lookup */
    uint64_t now;                    /* time of the last step that began */
    struct moment at;                /* that step */
    struct goal goal;
    struct finding found;          /* why it stopped */
    struct finding recorded;       /* of a goal that records: what it found last */
    LIST(struct trail_step) trail; /* ... and the steps that it found before, the last TRAIL_MOST of them */
    struct finding unsure;         /* of one whose step is blind: the first step of the scope */
    LIST(struct change) changes;   /* by time */
    size_t change_commands;        /* goes on with each command that makes some */
    struct snapshots snapshots;
    struct snapshot *piece;       /* of the run, which is in it; NULL: it has none */
    const struct snapshot *from;  /* where the run that begins goes on */
    LIST(struct finding) pending; /* accesses to watched places, which are done with the next step */
    hx_fault fault;
    bool stops_at_mistakes;
    struct finding mistake; /* of --check; its reason is REASON_NONE when there is none */
    char mistake_kind[40], mistake_message[320];
    hx_status status; /* REASON_END: how the run ended */
    hx_diag *said;
    bool failed; /* memory ran out */

    struct point_list points;
    uint32_t next_point;
    uint64_t printed_until; /* what kernels print up to this time was shown */
    struct text printed;

    /* the thread that commands are about */
    uint64_t focus_block;
    uint32_t focus_thread;
    uint32_t focus_level;  /* of its calls; 0: the innermost */
    struct dwarf dwarf;    /* what the compiler says of the source; no entries: nothing */
    LIST(uint32_t) scopes; /* entries of functions and blocks with code, outer ones first */
    char made[MADE_MOST * MADE_BYTES];
    struct {
        const struct array *array;
        uint32_t launch, type;
    } dynamic;          /* source/dynamic.c: the type that it has found last */
    bool has_inlined;   /* some of them are inlined functions */
    uint32_t *scope_of; /* of the launch: 2 + the scope of each instruction; 1: it has none; 0: not looked for
                           yet */
};

/* ---- engine.c */
/* Sets up what engine_run needs. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status engine_init(struct engine *engine, hx_context *context, const hx_run_options *options,
                                    hx_diag *diag);
void engine_done(struct engine *engine);
/* Runs towards the goal from where the run is; from the beginning if there is none. Returns when it has
 * stopped or ended. */
hx_status engine_resume(struct engine *engine, const struct goal *goal);
/* The same, from a snapshot, or from the beginning. */
hx_status engine_again(struct engine *engine, const struct snapshot *from, const struct goal *goal);
/* Ends the run where it is. */
void engine_kill(struct engine *engine);
/* After a change of the points. */
void engine_mark(struct engine *engine);
/* Is there a stopped launch, whose threads can be asked about? */
bool engine_is_live(const struct engine *engine);

struct asker;
/* ---- change.c */
/* Makes the changes of the step that the run is before. */
void change_step(const struct engine *engine);
/* The program is what it was. The run must be killed then. */
void change_forget_all(struct engine *engine);
/* Sets a place to a value, both as expressions for the asker. HX_INVALID. */
HX_MUST_CHECK hx_status change_set(struct hx_debugger *debugger, const struct asker *asker,
                                   struct slice place, struct slice value);

/* ---- registers.c */
enum member_place {
    MEMBER_FOUND,
    MEMBER_EXITED,       /* the thread has exited */
    MEMBER_NOT_READ,     /* nothing reads the value any more, so it has no place */
    MEMBER_READ_ALREADY, /* the instruction that is about to be done has read it before it stopped */
    MEMBER_NO_MEMORY
};
/* Where a register or predicate of a thread lies: a number of lowered->writes, whose row it is. */
enum member_place member_find(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                              uint32_t member, uint32_t *ret_write);
/* The type at which each of lowered->writes is written, for engine->write_types. False: memory ran out. */
bool registers_find_types(struct engine *engine);
/* Keeps what threads have written. */
void registers_keep(struct engine *engine, const hx_write_event *event);
/* Writes it. False: the thread is not there. */
bool member_set(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                uint32_t write, enum hx_type type, uint64_t bits);

/* ---- past.c */
/* Functions of the run's listener and watch: make snapshots, and let the run begin at engine->from. */
void past_turn(void *user, struct worker *worker);
bool past_resume(void *user, struct worker *worker);
bool past_skips(void *user);
/* A step is about to be done; it accesses memory; the launch has ended. */
void past_step(struct engine *engine, const struct moment *at);
void past_access(const struct engine *engine, const hx_access_event *event);
void past_launched(struct engine *engine);
/* Can the goal find nothing in a piece of the run? */
bool past_is_without(const struct engine *engine, const struct snapshot *piece, const struct goal *goal);
/* Are all steps of a piece on the line of this one, in calls as deep? */
bool past_is_one_line(const struct snapshot *piece, const struct finding *step);

/* ---- state.c */
struct shadow_block *state_block(const struct engine *engine, uint64_t number);
/* Threads of a warp, which is a gang. */
uint32_t state_warp_lanes(const struct engine *engine);
/* Those of 64 lanes from a thread on that are of the warp of another one. */
uint64_t state_lanes_of_warp(const struct engine *engine, uint32_t thread, uint32_t first);
/* Lanes that a step of the block may have: a warp, or what an order from a seed has instead, up to 64. */
uint32_t state_step_lanes(const struct engine *engine, const struct shadow_block *block);
const struct gang_state *state_gang(const struct shadow_block *block, uint32_t thread);
/* The path that a thread is on; NULL when it has exited. */
const struct path *state_path(const struct gang_state *gang, uint32_t lane);
struct thread_place {
    uint32_t instruction, depth;
    bool is_at_step; /* the step that the run is before is its own */
    enum path_state state;
    uint8_t barrier;
};
/* Where a thread is; false when it has exited. */
bool state_place(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                 struct thread_place *ret_place);
/* What a thread has in a register or predicate. False when it has written nothing there. */
bool state_member(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                  uint32_t member, uint64_t *ret_bits, enum hx_type *ret_type);
/* `bytes` at an address of a space, as the thread finds them; NULL when they are not all there. */
const char *state_memory(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                         int space, uint64_t address, uint64_t bytes);
/* "block 3, thread 17", with indices along y and z where the shape has them. */
void state_print_thread(const struct engine *engine, uint64_t block, uint32_t thread, struct text *out);
int state_line(const struct kernel *kernel, uint32_t instruction);
/* What stands in the line of an instruction: of OpenCL C and CUDA C the source, without the blanks around it,
 * and otherwise the instruction. */
struct slice state_line_text(const struct kernel *kernel, uint32_t instruction);
/* NULL when it is not known. */
const struct source *state_source(const struct kernel *kernel, uint32_t instruction);
/* Are they the same file? Each kernel may have its own copy. */
bool state_same_source(const struct source *a, const struct source *b);
/* The name of the file of an instruction's line; "" when it has none. */
const char *state_file(const struct kernel *kernel, uint32_t instruction);
/* The function of an instruction; where calls are not known, the last label before it, or else the kernel's
 * name. */
const char *state_function(const struct kernel *kernel, uint32_t instruction);
/* The instruction of the call that led from depth `depth` to the next; the thread is deeper. */
uint32_t state_caller(const struct shadow_block *block, uint32_t thread, uint32_t depth);
/* The launch whose blocks run; NULL: none does. */
const struct launch *state_launch(const struct engine *engine);
/* Elements of an array: of dynamic shared memory those that the launch has. */
uint64_t state_array_count(const struct engine *engine, const struct array *array);
/* What stands before an array's name where a name is meant: "arg" where it is the number of an argument, as
 * of the buffers that `--arg` makes, and "" otherwise. */
const char *state_name_prefix(const struct array *array);
/* The buffer, or array of the kernel, of an address: "y[12]". */
void state_print_address(const struct engine *engine, int space, uint64_t address, struct text *out);

/* ---- value.c, expression.c */
struct value {
    enum hx_type type; /* HX_TYPE_NONE: a structure or array of the source */
    uint64_t bits;
    uint32_t declared;         /* 1 + the entry of its type in the source; 0: it is not of the source */
    uint32_t dimension;        /* of an array of the source: the first one of what is left of it */
    bool is_unknown;           /* where only names and grammar are checked: it may be of any type */
    uint32_t member;           /* 1 + the register or predicate that it is; 0: none */
    uint8_t triple;            /* 1 + which of threadIdx, blockIdx, blockDim and gridDim it is; 0: none */
    bool is_unwritten;         /* ... to which the thread has written nothing */
    const struct array *array; /* the array or buffer of hexec that it is, as a whole; NULL: none */
    /* of an element of memory */
    bool has_address;
    int space;
    uint64_t address, count; /* count: elements of a whole array, or 1 */
    struct bit_range range;  /* of a bit-field: its bits from `address` on; else its count is 0 */
};
struct asker {
    const struct engine *engine;
    const struct shadow_block *block; /* NULL: no thread is there, and registers have no value */
    uint32_t thread;
    uint32_t level;       /* of the call whose variables are meant: 0 is the innermost */
    bool has_own_names;   /* those of the source mean nothing */
    bool takes_unwritten; /* a register that the thread has not written is 0 */
};
/* A text read as an expression (expression.h), to be evaluated for many threads. NULL with what is wrong in
 * *ret_wrong, of `room` bytes. */
struct expression_tree *expression_new(const struct engine *engine, struct slice text, char *ret_wrong,
                                       size_t room);
/* NULL is fine. */
void expression_free(struct expression_tree *expression);
/* A register that the thread has not written is an error. HX_INVALID with what is wrong in *ret_wrong. The
 * expression keeps where its names lead. */
HX_MUST_CHECK hx_status expression_evaluate(struct expression_tree *expression, const struct asker *asker,
                                            struct value *ret_value, char *ret_wrong, size_t room);
/* The same of a text. */
HX_MUST_CHECK hx_status expression_value(const struct asker *asker, struct slice text,
                                         struct value *ret_value, char *ret_wrong, size_t room);
/* Can it be read, and are its names there? Without a thread: a condition is for those that come. */
HX_MUST_CHECK hx_status expression_check(const struct engine *engine, struct slice text, char *ret_wrong,
                                         size_t room);
bool value_is_true(const struct value *value);
/* As hexec's type has it; value_show knows types of the source, too. */
void value_print(const struct value *value, char format, struct text *out);
void value_print_character(unsigned char byte, char quote, struct text *out);
void value_show_triple(const struct asker *asker, const struct value *value, char format, struct text *out);
void value_show(const struct asker *asker, const struct value *value, char format, struct text *out);
/* What C prints for %s: of an array of characters or a pointer to some, up to the zero. False: it is none. */
bool value_append_text(const struct asker *asker, const struct value *value, struct text *out);
/* The type of hexec of this name, "f32"; HX_TYPE_NONE: there is none. */
enum hx_type debug_type(struct slice name);
double value_number(const struct value *value);
/* Bits as a value of the type has them: signed ones extended by their sign, others by zeros. */
uint64_t value_extend(uint64_t bits, enum hx_type type);
/* Of 64 bits. */
struct value value_integer(uint64_t bits, bool is_unsigned);
struct value value_real(double number);
struct value value_converted(const struct value *value, enum hx_type type);
/* With the type that C gives an operation of both. */
struct value value_common(const struct value *value, const struct value *other);
/* -a, +a, !a, ~a. *ret_wrong: NULL, or a sentence with %s for the operator. */
struct value value_of_one(char operator, const struct value * a, const char **ret_wrong);
struct value value_combined(const char *operator, const struct value * a, const struct value *b,
                            const char **ret_wrong);
/* Bytes of a value in memory. */
uint64_t value_bytes(const struct engine *engine, const struct value *value);

/* ---- travel.c */
/* Runs to the goal, and says where the program stands then. HX_INVALID when it has ended. */
HX_MUST_CHECK hx_status travel_go(struct hx_debugger *debugger, const struct goal *goal);
/* What came of a run: where it stands, or what `status` says. */
HX_MUST_CHECK hx_status travel_report(struct hx_debugger *debugger, hx_status status);
/* To the step of a time. */
hx_status travel_to(struct engine *engine, uint64_t time);
enum travel_end { TRAVEL_FOUND, TRAVEL_AT_BEGINNING, TRAVEL_INTERRUPTED };
/* To the last step before the present at which the goal would have stopped, and `times` - 1 times more to the
 * last one before that. If there is none: to the first step of all; of a thread, a warp or a block nowhere,
 * or to the last one that there is. Nowhere if it is interrupted. */
hx_status travel_back(struct engine *engine, const struct goal *wanted, uint64_t times,
                      enum travel_end *ret_end);
/* Sets a goal, whose step has its scope, block and thread, to the next step or line from where this thread
 * is, or to the one before. */
void travel_aim(const struct engine *engine, struct goal *goal, bool by_line, bool over_calls,
                bool backwards);
/* A goal that ends where the thread in focus is back in what called it; false when it is in no call. */
bool travel_aim_out(const struct engine *engine, struct goal *ret_goal);

/* ---- commands.c */
struct display {
    uint32_t number;
    char *text, format;
};
/* Commands that do others: script.c. */
struct script {
    uint32_t reads_for; /* the breakpoint whose commands are read; 0: none */
    unsigned depth;     /* of `commands` in them */
    struct text kept;   /* ... what was read of them */
    struct text due;    /* lines to be done */
    size_t done;        /* of `due`: so many bytes */
    bool is_doing;      /* ... one after the other */
    unsigned sources;   /* files that are read, one in the other */
};
struct hx_debugger {
    struct engine engine;
    struct script script;
    hx_write_function write; /* of the command that is being done */
    void *write_user;
    bool color, is_done;
    bool is_by_instruction;   /* the command that is being done steps by instructions, not by lines */
    LIST(char *) completions; /* of the last line */
    char *last_line;          /* the command that an empty line does again */
    int list_line;            /* where list goes on */
    const struct source *list_source;
    LIST(struct display) displays;
    uint32_t next_display;
    struct text *out; /* of the command that is being done */
    hx_diag *diag;
};
/* Reports why something cannot be done; HX_INVALID. */
hx_status debug_report(hx_diag *diag, const char *hint, const char *format, va_list arguments);
/* Reports what is wrong with a command; HX_INVALID. */
HX_PRINTF(3, 4)
hx_status debug_wrong(struct hx_debugger *debugger, const char *hint, const char *format, ...);
/* The first word of *rest, which is then behind it. */
struct slice debug_word(struct slice *rest);
/* Does a line begin with a command's name, or with a part of it that is only one's? */
bool debug_is_command(struct slice line);
/* Writes what the command has said so far. */
HX_MUST_CHECK hx_status debug_flush(struct hx_debugger *debugger);
/* Does one line, without blanks around it. */
HX_MUST_CHECK hx_status debug_do_line(struct hx_debugger *debugger, struct slice line);
/* HX_INVALID unless a launch is stopped. */
HX_MUST_CHECK hx_status debug_need_live(struct hx_debugger *debugger);
/* HX_INVALID unless a launch is stopped or the program has ended: buffers can be read then. */
HX_MUST_CHECK hx_status debug_need_buffers(struct hx_debugger *debugger);
/* The thread in focus; its block may be gone. */
struct asker debug_asker(const struct hx_debugger *debugger);
/* Where the call in focus is in the source; its line is 0 where the thread is not there. */
struct place debug_place(const struct hx_debugger *debugger);
/* HX_INVALID where the thread in focus is not there. */
HX_MUST_CHECK hx_status debug_find_stand(struct hx_debugger *debugger, struct stand *ret_stand);
/* Tells why the run stopped, and where; the focus goes there. */
void debug_print_stop(struct hx_debugger *debugger);
/* An instruction as the assembler reads it. */
void debug_print_code(struct hx_debugger *debugger, uint32_t instruction);
/* ... and its number and labels, with a mark if it is `here`. */
void debug_print_numbered(struct hx_debugger *debugger, uint32_t instruction, uint32_t here);
/* Variables of the call in focus: `info args`, `info locals`. */
hx_status debug_info_args(struct hx_debugger *debugger, struct slice rest);
hx_status debug_info_locals(struct hx_debugger *debugger, struct slice rest);
/* The line of a call of the thread in focus, "#1  saxpy at saxpy.cl:4  ...". */
void debug_print_frame(struct hx_debugger *debugger, uint32_t number, const struct stand *stand);
/* ---- display.c */
void debug_print_displays(struct hx_debugger *debugger);
void debug_forget_displays(struct hx_debugger *debugger);
hx_status debug_info_display(struct hx_debugger *debugger, struct slice rest);
/* ---- show.c */
/* Takes "/x" or "/b" off the words, and "/i" where code can be shown; 0: there is none. HX_INVALID for
 * another letter. */
HX_MUST_CHECK hx_status debug_format(struct hx_debugger *debugger, struct slice *rest, bool takes_code,
                                     char *ret_format);
/* ---- examine.c */
/* The instruction of a number, which is an expression. */
void debug_show_code(struct hx_debugger *debugger, struct slice from);
/* ---- info.c */
/* The tables of info, by index; NULL beyond the end. */
const char *debug_info_name(size_t index);
void debug_print_line(struct hx_debugger *debugger, uint32_t instruction);
