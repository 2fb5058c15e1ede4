/* The OpenCL driver from the inside.
 *
 * An application calls the loader (ocl-icd), which finds this driver's functions through the table that every
 * object begins with (cl_khr_icd). The functions have the names of OpenCL and are visible inside the driver
 * alone. All of hexec is reached through include/hexec. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include "devices/calls/calls.h"
#include "hexec/hexec.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

extern const cl_icd_dispatch opencl_dispatch;

/* ---- Objects ------------------------------------------------------------------------------------------- */

enum object_kind {
    OBJECT_CONTEXT = 0x48580001,
    OBJECT_QUEUE,
    OBJECT_MEMORY,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_SAMPLER
};
/* What every object begins with. */
struct object {
    const cl_icd_dispatch *dispatch;
    enum object_kind kind;
    atomic_uint references;
};
/* An object of `bytes`, zeroed, with one reference; NULL without memory. */
void *object_new(enum object_kind kind, size_t bytes);
/* Is it an object of this kind? Of NULL and of other objects: no. */
bool object_is(const void *object, enum object_kind kind);
void *object_keep(void *object);
/* Takes a reference away: true when it was the last, and the caller frees the object. */
bool object_drop(void *object);

struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
};
struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
};
extern struct _cl_platform_id opencl_platform;

/* The platform's devices: one, or HEXEC_DEVICES of them that share its memory; devices.c. */
struct device_list {
    cl_uint count;
    cl_device_id items[DEVICES_MOST];
};
const struct device_list *device_list_all(void);
bool device_list_has(const struct device_list *list, cl_device_id device);
/* Are all of `devices`, at least one, in the list? */
bool device_list_has_all(const struct device_list *list, cl_uint count, const cl_device_id *devices);
/* Those of `devices` in their order, each once. */
void device_list_take(struct device_list *list, cl_uint count, const cl_device_id *devices);
/* The device that a question about an object is for: `device`, or the only one of the list if it is NULL. */
bool device_list_means(const struct device_list *list, cl_device_id device);

/* Functions that applications want to be called when something is over. */
struct callback {
    struct callback *next;
    void *function, *user;
    cl_int status; /* of an event: at which it is called */
};
cl_int callback_add(struct callback **list, void *function, void *user, cl_int status);

struct _cl_context {
    struct object object;
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_user;
    cl_context_properties *properties;
    size_t property_count; /* with the 0 at the end */
    struct callback *destructors;
    struct device_list devices;
};

struct _cl_command_queue {
    struct object object;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    cl_queue_properties list[8]; /* as given */
    size_t list_count;
    /* Guarded by the lock of commands. */
    cl_event first, last; /* commands that are not complete, in the order in which they came */
    cl_event barrier;     /* the last one, while it is not complete; borrowed */
    /* What the checker `race` learns: hx_checks_command. */
    unsigned number;             /* of all queues, from 1 on; 0: not yet */
    uint64_t all, barrier_order; /* what comes behind all that it has got; the last barrier of it. 0: none */
};

/* Bytes of a memory object: rows, which in a buffer are one. */
struct rows {
    size_t offset;    /* of the first */
    size_t region[3]; /* bytes of a row, rows of a slice, slices */
    size_t pitch[2];  /* bytes from row to row, and from slice to slice */
};

struct mapped_range {
    struct mapped_range *next;
    char *host; /* what the application was given */
    struct rows rows;
    cl_map_flags flags;
};

/* Memory of clSVMAlloc: a buffer whose address is that of its bytes on the host. */
struct svm {
    struct svm *next;
    cl_context context;
    char *data;
    size_t bytes;
    hx_buffer *buffer;
    unsigned holds; /* the application's, and one for each memory object over it */
};
/* The memory that these bytes lie in, and is now held; NULL: there is none. `context` NULL: of any context.
 */
struct svm *svm_hold(cl_context context, const void *pointer, size_t bytes);
void svm_leave(struct svm *svm);
/* Is there any? */
bool svm_is_there(void);
/* Frees what the application has not freed. */
void svm_free_all(cl_context context);

struct _cl_mem {
    struct object object;
    cl_context context;
    cl_mem parent; /* of a part; else NULL */
    cl_mem_flags flags;
    size_t origin, bytes; /* origin: in the buffer */
    char *host_pointer;   /* CL_MEM_USE_HOST_PTR */
    hx_buffer *buffer;    /* the parent's for a part, as svm is */
    struct svm *svm;      /* CL_MEM_USE_HOST_PTR of shared memory, in which its bytes are; else NULL */
    char *data;           /* its own first byte on the host */
    struct image *image;  /* of a buffer NULL */
    pthread_mutex_t lock;
    struct mapped_range *mapped; /* guarded, as all below, by lock */
    cl_uint map_count;
    struct callback *destructors;
    atomic_uint holds; /* one for all references together, one for each argument of a kernel */
    cl_mem_properties *properties;
    size_t property_count;
};

/* A program that was compiled; kernels keep it. */
struct build {
    atomic_uint references;
    hx_program *program;
    hx_buffer **buffers; /* its variables */
    struct build *base;  /* kept; variables that it has are those of this one, too. NULL: none */
};
struct build *build_keep(struct build *build);
void build_drop(struct build *build);

/* Bytes that grow; free `bytes`. */
struct text {
    char *bytes; /* a zero stands behind them */
    size_t length;
};
/* An hx_write_function; user is a struct text. */
hx_status text_append(void *user, const char *bytes, size_t length);
/* Without memory it adds nothing. */
void text_add(struct text *text, const char *more);
void text_add_messages(struct text *log, const hx_diag *diag);

/* Compiled programs that are linked when the whole is built: of a compiled program one. */
struct objects {
    hx_part *parts; /* their bytes are their own */
    size_t count;
};
cl_int objects_add(struct objects *objects, const void *bytes, size_t count);
void objects_done(struct objects *objects);
/* The bytes of a binary with objects, and back. */
hx_status objects_write(const struct objects *objects, cl_program_binary_type type, const char *options,
                        struct text *text);
bool objects_are_in(const void *bytes, size_t count);
/* CL_INVALID_BINARY; *ret_options is freed by the caller. */
cl_int objects_read(const void *bytes, size_t count, struct objects *ret_objects,
                    cl_program_binary_type *ret_type, char **ret_options);

/* What a source says of a kernel's argument; describe_done it. */
struct argument_description {
    unsigned long space;            /* 0 private, 1 global, 2 constant, 3 local */
    char *type, *qualifiers, *name; /* qualifiers: words between blanks */
    char *access;                   /* read_only, write_only, read_write, none */
};
/* False: it is not known, as of PTX. */
bool describe_argument(cl_program program, const char *kernel, size_t index,
                       struct argument_description *ret_argument);
void describe_done(struct argument_description *argument);
/* What clSetKernelArg takes. */
struct argument_class {
    enum { ARGUMENT_OTHER, ARGUMENT_IMAGE, ARGUMENT_SAMPLER } kind;
    cl_mem_object_type image; /* of an image */
    cl_mem_flags forbidden;   /* that the image must not have */
};
/* Sets the classes of a kernel's `count` arguments, if its source has images or samplers; with the program's
 * lock. */
void describe_classes(cl_program program, const char *kernel, size_t count, struct argument_class *classes);
/* As the source has them, between blanks; NULL: there are none. To be freed. */
char *describe_attributes(cl_program program, const char *kernel);
/* Sets the size of groups that a kernel requires, if its source says one; with the program's lock. */
void describe_required(cl_program program, const char *kernel, uint32_t *required);
/* The size of sub-groups that a kernel requires; 0: it leaves that open. */
size_t describe_sub_group(cl_program program, const char *kernel);

/* A program is compiled once more for launches in which work-items count otherwise. */
enum variant {
    VARIANT_PLAIN,
    VARIANT_SHIFTED, /* from an offset, or of a program that reads its dimensions, and the last has one
                        work-item */
    VARIANT_UNEVEN,  /* the last groups are smaller than the others, whose size does not divide the range */
    VARIANT_COUNT
};
/* What a launch tells programs of the other variants. */
struct launch_numbers {
    uint64_t offset[3], first_group[3], groups[3], local[3], global[3];
    uint64_t dimensions[3]; /* the same number three times */
};
#define NUMBERS_VARIABLE "__hexec_numbers"

struct _cl_program {
    struct object object;
    cl_context context;
    struct device_list devices;
    cl_uint number; /* of all that the application made, from 1 on */
    char *source;   /* NULL: of a binary */
    size_t source_bytes;
    unsigned char *binary;
    size_t binary_bytes;
    pthread_mutex_t lock;
    char *options, *log; /* guarded, as all below, by lock */
    cl_build_status status;
    cl_program_binary_type type; /* of what was made last */
    struct objects objects;      /* of a compiled program, a library, and a program that was linked */
    char *assembly;              /* for describe.c; NULL: not needed yet */
    struct build *build;         /* NULL: not built */
    struct build *variants[VARIANT_COUNT]; /* NULL: none yet; the plain one is `build` */
    cl_uint kernels;                       /* that are there */
};
/* A build of the program for such launches; borrowed from the program. NULL when it cannot be made. */
struct build *program_variant(cl_program program, enum variant variant);
/* Puts what the variant has before the program's text. */
hx_status variant_begin(enum variant variant, bool is_linked, struct text *text);
/* May the program be launched with groups that do not divide the range? With its lock or kernels. */
bool variant_has_uneven(cl_program program);
/* May the program call get_work_dim? Under the same conditions. */
bool variant_reads_dimensions(cl_program program);
/* A program without contents. NULL without memory. */
cl_program program_new(cl_context context);
/* Forgets what it was built or compiled to; with its lock, as the next two. */
void program_clear(cl_program program);
/* Builds a program that has its source or its objects. CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS. */
cl_int program_build(cl_program program, const char *options);
/* Makes its binary of its objects. */
void program_keep_objects(cl_program program, cl_program_binary_type type);
/* The options of the compiler that cannot be read are among the errors. */
bool options_are_bad(const hx_diag *diag);

struct kernel_argument {
    bool is_set;
    cl_mem memory; /* a buffer, kept; its address is the value */
    size_t bytes;
    unsigned char *value; /* NULL: of local memory, or a pointer to nothing */
};
struct _cl_kernel {
    struct object object;
    cl_program program;
    struct build *build;
    size_t index;
    hx_kernel_info info;
    pthread_mutex_t lock;
    hx_kernel *prepared[VARIANT_COUNT]; /* when they are first launched; guarded, as all below, by lock */
    struct kernel_argument *arguments;
    struct argument_class *classes; /* of each argument; they do not change */
};

/* ---- Commands ------------------------------------------------------------------------------------------ */

struct launch_command {
    hx_kernel *kernel;
    struct build *build;
    cl_kernel owner; /* kept, as the build's kernels are its own */
    hx_launch_options options;
    hx_argument *arguments; /* and their values behind them: one block of memory */
    cl_mem *memories;       /* kept until it is done */
    size_t memory_count;
    cl_uint dimensions;
    size_t offset[3], global[3], local[3];
    enum variant variant;
};
/* Rows of bytes from one place to another. */
struct copy_command {
    char *to;
    const char *from;
    const char *direction; /* H2D, D2H, D2D */
    size_t region[3], to_pitch[2], from_pitch[2];
};
struct fill_command {
    char *to;
    size_t bytes, pattern_bytes;
    unsigned char pattern[128];
};
struct range_command {
    struct rows rows; /* that are mapped or were */
    bool is_read;     /* mapped to be read alone: then all of it is */
};
struct svm_command {
    char *to;
    const char *from; /* of copies and fills */
    size_t bytes, pattern_bytes;
    cl_map_flags flags;
    void **pointers; /* of clEnqueueSVMFree */
    cl_uint count;
    void(CL_CALLBACK *release)(cl_command_queue, cl_uint, void *[], void *); /* NULL: the driver frees them */
    void *user;
};
struct native_command {
    void(CL_CALLBACK *function)(void *);
    void *arguments;
};

struct waiter; /* what waits for an event */

/* An event is a command, or a user's. */
struct _cl_event {
    struct object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user's event */
    cl_command_type type;
    /* Guarded by the lock of commands. */
    cl_int status;
    cl_int failed; /* of what it waited for; CL_SUCCESS: nothing failed */
    cl_ulong times[4];
    uint64_t order; /* its number for hx_checks_command */
    size_t pending; /* events that it waits for */
    struct waiter *waiters;
    struct callback *callbacks;
    cl_event next_ready, previous, next; /* ready to run; of its queue */
    /* What is to be done. NULL: nothing. */
    cl_int (*run)(cl_event command);
    cl_mem memories[2]; /* kept until it is done; or NULL */
    void *allocated;    /* freed when it is done */
    union {
        struct launch_command launch;
        struct copy_command copy;
        struct fill_command fill;
        struct range_command range;
        struct native_command native;
        struct svm_command svm;
    } as;
};

/* What each function that enqueues gets. */
struct enqueue {
    cl_command_queue queue;
    cl_command_type type;
    cl_uint wait_count;
    const cl_event *wait_list;
    cl_event *ret_event;
    bool is_blocking, is_barrier;
};
/* Checks the queue and the list of events; makes a command with one reference. */
cl_int command_new(const struct enqueue *enqueue, cl_event *ret_command);
/* Is there nothing beside it that could write memory now, neither commands, but those that come behind it in
 * its queue, nor threads of the program? */
bool command_is_alone(cl_event command);
/* Gives it to its queue, and takes that reference; waits for it if it is blocking. */
cl_int command_give(const struct enqueue *enqueue, cl_event command);
/* The number of the command that this thread runs, for hx_checks_command; 0: none. */
uint64_t command_doing(void);
/* Gives back a command that was not given to its queue. */
void command_discard(cl_event command);
/* Is it a good list of events of the context? */
cl_int event_list_check(cl_context context, cl_uint count, const cl_event *events);
/* Waits until all commands of the queue are complete. */
cl_int queue_finish(cl_command_queue queue);
cl_int launch_run(cl_event command);
/* May the program, or another command, write what the launch that runs reads? */
int launch_may_change(void *user);
void launch_done(cl_event command);

/* ---- Answers ------------------------------------------------------------------------------------------- */

/* Where a clGet...Info function puts what it tells. */
struct answer {
    size_t room;
    void *value;
    size_t *ret_bytes;
};
cl_int answer_bytes(const struct answer *answer, const void *bytes, size_t count);
cl_int answer_text(const struct answer *answer, const char *text);
#define ANSWER(answer, type, ...) answer_bytes(answer, &(const type){__VA_ARGS__}, sizeof(type))

/* ---- The device ---------------------------------------------------------------------------------------- */

/* hexec's device, which is made when it is first needed and stays until the process ends. NULL when it cannot
 * be made, and in a child that was forked when it was there. Any thread. */
hx_device *device_get(void);
/* Is this such a child? Then no command is done, and none ever ends. */
bool device_is_lost(void);
/* The session gets the calls of OpenCL from now on, if it wants to know. */
void opencl_watch_calls(hx_session *session);
const hx_isa *device_isa(void);
/* What follows launches and copies, and reports when the process ends; NULL when it cannot be made. */
hx_session *device_session(void);
/* Prints the messages on standard error: OpenCL has no better place. */
void device_complain(const hx_diag *diag);
void memory_drop(cl_mem memory);
/* Does the program have a pointer to any now? */
bool memory_is_mapped(void);
/* Arguments of kernels are no references (clSetKernelArg): the destructors of a memory object that is only an
 * argument any more have been called, and no command may use it. It is freed when nothing holds it. */
cl_mem memory_hold(cl_mem memory);
void memory_leave(cl_mem memory);
bool memory_is_buffer(const void *object);
/* One without bytes; NULL without memory. */
cl_mem memory_new(cl_context context, cl_mem_flags flags, size_t bytes);
bool memory_flags_are_good(cl_mem_flags flags);
/* What a part, or an image over a buffer, does not say is as in the buffer. */
cl_mem_flags memory_flags_of_part(cl_mem_flags flags, cl_mem_flags of_parent);
bool memory_part_flags_are_good(cl_mem parent, cl_mem_flags flags);
/* Gives it bytes of its own, `host`'s or those that nobody has written; `kind` is what its name begins with.
 */
cl_int memory_fill(cl_mem memory, const char *kind, void *host);
/* Gives it the parent's bytes, from `origin` on. */
void memory_be_part(cl_mem memory, cl_mem parent, size_t origin);
void queue_drop(cl_command_queue queue);
void context_drop(cl_context context);
void program_drop(cl_program program);
void kernel_drop(cl_kernel kernel);
void event_drop(cl_event event);
/* Tells the session what happened to bytes of a buffer, from `from` at `from_offset` on if they are a copy.
 */
void memory_changed(cl_mem memory, hx_buffer_change change, size_t offset, size_t bytes, cl_mem from,
                    size_t from_offset);
/* CL_MEM_USE_HOST_PTR: the application's rows are as the buffer's, or the other way round. */
void memory_to_host(cl_mem memory, const struct rows *rows);
void memory_from_host(cl_mem memory, const struct rows *rows);
/* memory_changed for each row. */
void memory_rows_changed(cl_mem memory, hx_buffer_change change, const struct rows *rows);
