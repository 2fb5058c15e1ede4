/* The server of the Debug Adapter Protocol from the inside
 * (microsoft.github.io/debug-adapter-protocol, 1.68).
 *
 * The *reader* is a thread that puts the client's messages into a queue; the server takes them out one after
 * the other and answers. While the program runs, the server waits for it: a message that comes then
 * interrupts the run, is answered, and the run goes on. */
#pragma once

#include "base/json.h"
#include "base/json_reader.h"
#include "debug/debug.h"

#include <limits.h>

/* ---- wire.c: messages as bytes */
struct wire {
    const hx_allocator *allocator;
    int input, output;
    int wake;       /* reading ends when there is something to read here */
    struct text in; /* what was read and not used yet */
};
/* The next message, given (json_decref): a text in place of one that is no object says so. False: the input
 * has ended, or what comes is no message; then *ret_wrong says what it is, NULL at the end. */
bool wire_read(struct wire *wire, json_t **ret_message, const char **ret_wrong);
/* Writes a message with its header. HX_IO, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status wire_write(const struct wire *wire, const struct text *message);

/* A member of a request; the other value where it is missing or of another type. */
const char *dap_string(const json_t *object, const char *key);
int64_t dap_integer(const json_t *object, const char *key, int64_t otherwise);
bool dap_boolean(const json_t *object, const char *key, bool otherwise);

/* ---- The session */

/* What variables that a client may open lead to. */
enum dap_kind {
    DAP_REGISTERS, /* of a thread */
    DAP_LANES,     /* registers, each over the lanes of a warp */
    DAP_LANE_VALUES,
    DAP_SPECIALS,
    DAP_PARAMETERS,
    DAP_BUFFERS,
    DAP_SHARED,
    DAP_LOCAL,
    DAP_CONSTANTS,
    DAP_ELEMENTS,  /* of an array in memory */
    DAP_ARGUMENTS, /* of a call */
    DAP_LOCALS,
    DAP_PARTS /* of a value of the source */
};
#define DAP_EXPRESSION 160 /* bytes of an expression that a client may evaluate */
struct dap_reference {
    enum dap_kind kind;
    uint64_t block;
    uint32_t thread, member;
    uint32_t level;     /* of the call */
    struct value array; /* DAP_ELEMENTS, DAP_PARTS */
    /* Of the array or value: what an element's expression begins with; of DAP_PARTS empty when it is too
     * long. */
    char name[DAP_EXPRESSION];
};
struct dap_frame {
    uint64_t block;
    uint32_t thread, level;
};

/* A breakpoint that a client set: a request takes all of its group away and sets new ones. */
enum dap_group { DAP_LINES, DAP_FUNCTIONS, DAP_INSTRUCTIONS, DAP_DATA, DAP_DIVERGE };
struct dap_point {
    uint32_t number;
    enum dap_group group;
    const struct source *source; /* of DAP_LINES */
};

/* A file by the name that a client has given it, and by the one that the system has. */
struct dap_path {
    char *given;
    const char *real;
};

/* What the server does when a request is answered. */
enum dap_next {
    DAP_STAY,
    DAP_RUN,
    DAP_BACK,
    DAP_ENTRY,   /* to the first step */
    DAP_BEGIN,   /* runs from the beginning */
    DAP_END,     /* ends the run where it is */
    DAP_ANNOUNCE /* the run is elsewhere: a command moved it */
};

struct dap {
    const hx_debug_server *server;
    const hx_allocator *allocator;
    hx_diag *diag; /* of the request that is being answered */
    hx_status status;
    struct wire wire;

    pthread_t reader;
    pthread_mutex_t lock;
    pthread_cond_t came;
    LIST(json_t *) queue;
    bool input_has_ended;
    const char *wrong_input;
    hx_debugger *interruptible; /* of this lock; NULL: there is none yet, or none any more */
    atomic_bool runs;           /* a message interrupts the run */

    hx_context *context;
    hx_debugger *debugger; /* NULL before launch */
    uint64_t sequence;
    bool is_running; /* a run is interrupted, and will go on */
    bool is_paused, is_done;
    bool stops_on_entry, stops_at_end, stops_on_fault;
    bool no_debug; /* the program is only run */
    bool lines_from_1, columns_from_1, has_uris;
    bool takes_invalidated; /* the client reads again what an event says to have changed */
    enum dap_next next;
    struct goal goal;
    enum scope scope; /* of the last step: who is said to have stopped */
    uint64_t error_count;

    LIST(struct dap_point) points;
    LIST(struct dap_path) paths;
    /* until the program goes on */
    LIST(struct dap_frame) frames;
    LIST(struct dap_reference) references;
    LIST(const struct source *) sources; /* those that are no files: 1 + the index is sourceReference */
};

/* Reports why a request cannot be done; HX_INVALID. */
HX_PRINTF(3, 4)
hx_status dap_wrong(struct dap *dap, const char *hint, const char *format, ...);
/* HX_INVALID unless a launch is stopped; while the program runs nothing is known of it. */
HX_MUST_CHECK hx_status dap_need_stop(struct dap *dap);
/* The program has ended and can go back: no thread is there, but what the buffers hold. */
bool dap_has_ended(const struct dap *dap);
/* HX_INVALID unless a launch is stopped or the program has ended. */
HX_MUST_CHECK hx_status dap_need_buffers(struct dap *dap);
/* Begins an event, whose body may be written then, and sends it. */
void dap_begin_event(struct dap *dap, struct text *text, struct json *json, const char *event);
void dap_end_event(struct dap *dap, struct text *text, struct json *json);
void dap_send_output(struct dap *dap, const char *category, const char *text, size_t length);

/* Answers the next request, if need be waits for it. False: there is none. */
bool dap_serve_next(struct dap *dap, bool waits);

typedef hx_status (*dap_function)(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- paths.c */
/* A path that a client gives, which may be a URI; false: it is too long. */
bool dap_read_path(const char *text, char path[PATH_MAX]);
/* Keeps how the client has named a file. */
void dap_note_path(struct dap *dap, const char *given);
/* Writes the member "path", as the client would name the file. */
void dap_write_path(const struct dap *dap, const char *path, struct json *json);
/* The absolute path of a source's file; false: it is no file. */
bool dap_source_path(const struct source *source, char path[PATH_MAX]);
void dap_paths_done(struct dap *dap);

/* ---- run.c */
/* Is the program stopped where the filter of branches that split a warp has it? */
bool dap_is_at_split(const struct dap *dap);
/* Does what dap->next says, until the program has stopped, has ended, or the session is over. */
void dap_go(struct dap *dap);
hx_status dap_configuration_done(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_continue(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_next_step(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_step_in(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_step_out(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_step_back(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_reverse_continue(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_pause(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_restart(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_terminate(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_exception_info(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- points.c */
/* Is the point one of the client's? *ret_group, unless NULL, is which. */
bool dap_is_own_point(const struct dap *dap, uint32_t number, enum dap_group *ret_group);
/* A breakpoint as clients have it. */
void dap_write_point(struct dap *dap, struct json *json, const struct point *point, bool is_verified,
                     const char *message);
hx_status dap_set_breakpoints(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_set_function_breakpoints(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_set_instruction_breakpoints(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_set_data_breakpoints(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_data_breakpoint_info(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_set_exception_breakpoints(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_breakpoint_locations(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- threads.c */
/* Threads of the protocol are blocks, warps, and the lanes of the warp that is stopped. */
int64_t dap_thread_id(const struct dap *dap, enum scope scope, uint64_t block, uint32_t thread);
/* False: no block that runs has such a thread. A block's or a warp's thread is one that stands for it. */
bool dap_find_thread(const struct dap *dap, int64_t id, enum scope *ret_scope, uint64_t *ret_block,
                     uint32_t *ret_thread);
/* Writes the member "source". */
void dap_write_source(struct dap *dap, struct json *json, const struct source *source);
hx_status dap_threads(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_stack_trace(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_source(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_scopes(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- variables.c */
/* A number for what a client may open; 0 when memory ran out. */
int64_t dap_new_reference(struct dap *dap, const struct dap_reference *reference);
hx_status dap_variables(struct dap *dap, const json_t *arguments, struct json *body);
/* An expression's value, which a client may open if it is an array. HX_INVALID. */
HX_MUST_CHECK hx_status dap_write_value(struct dap *dap, const struct value *value, const char *expression,
                                        const char *text_key, char format, struct json *json);

/* ---- source.c: variables of the source */
/* Has the call of a frame variables, or parameters? */
bool dap_has_variables(const struct asker *asker, bool parameters);
/* Of DAP_ARGUMENTS, DAP_LOCALS and DAP_PARTS: the objects of an array that is open. */
HX_MUST_CHECK hx_status dap_write_opened(struct dap *dap, const struct dap_reference *from,
                                         const struct asker *asker, uint64_t start, uint64_t count,
                                         char format, struct json *body);
/* dap_write_value of a value that the source declares. */
HX_MUST_CHECK hx_status dap_write_source_value(struct dap *dap, const struct value *value,
                                               const char *expression, const char *text_key, char format,
                                               struct json *json);
/* The expression of a variable below another one; empty when it is too long. */
void dap_source_expression(const struct dap *dap, const struct dap_reference *parent, const char *name,
                           char text[DAP_EXPRESSION]);

/* ---- changes.c: events for what a command at the console has changed */
struct dap_known_point {
    uint32_t number;
    bool is_enabled;
    const char *condition;
};
struct dap_before {
    LIST(struct dap_known_point) points;
    size_t changes; /* of memory and registers */
};
/* What there is before the command. */
void dap_note_before(const struct dap *dap, struct dap_before *ret_before);
/* Behind it; *before is freed. */
void dap_tell_changes(struct dap *dap, struct dap_before *before);

/* ---- evaluate.c */
hx_status dap_evaluate(struct dap *dap, const json_t *arguments, struct json *body);
/* The thread of the frame that a request names becomes the one in focus; without a frame it stays. */
void dap_focus_on_frame(struct dap *dap, const json_t *arguments);
hx_status dap_completions(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- code.c: instructions and memory by address */
/* Where a kernel's instruction is, for clients: a number that grows by 1 with each. */
uint64_t dap_code_address(const struct dap *dap, const struct kernel *kernel, uint32_t instruction);
/* False: there is none. */
bool dap_find_code(const struct dap *dap, uint64_t address, const struct kernel **ret_kernel,
                   uint32_t *ret_instruction);
/* "shared:0x40": a place in memory that a client may give back. */
void dap_print_place(int space, uint64_t address, char text[40]);
/* That place again; a number alone is a generic address. False: it is none. */
bool dap_read_place(const char *text, int *ret_space, uint64_t *ret_address);
hx_status dap_disassemble(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_read_memory(struct dap *dap, const json_t *arguments, struct json *body);

/* ---- set.c */
hx_status dap_set_variable(struct dap *dap, const json_t *arguments, struct json *body);
hx_status dap_set_expression(struct dap *dap, const json_t *arguments, struct json *body);
