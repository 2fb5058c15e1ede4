/* A kernel that is ready to run: verified and lowered, with its constants. */
#pragma once

#include "exec/bind.h"
#include "hexec/launch.h"
#include "lower/micro_op.h"

#include <pthread.h>

/* Bytes behind the constants that vectors may read, and where they begin: at a multiple of it. */
#define CONSTANTS_PADDING 64

/* Forms of a kernel that are kept: a program launches it with few. */
#define KERNEL_BOUND_MOST 8

struct hx_kernel {
    const hx_allocator *allocator;
    const hx_program *program;
    struct verified_kernel *verified;
    struct lowered_kernel *lowered, *packed; /* packed: for gangs of several blocks, or NULL */
    pthread_mutex_t plain_lock;
    struct lowered_kernel *plain; /* made for the first plain launch; guarded by plain_lock */
    const struct kernel *code;
    char *constants;
    struct tier *tier;     /* compiled code, made for the first launch that wants it; guarded by plain_lock */
    _Atomic bool has_code; /* some of it is there */
    _Atomic uint64_t interpreted_ns;  /* so far, in launches that might have been compiled */
    _Atomic bool has_reported_strays; /* exec/strays.h */
    bool has_addresses;               /* among the constants, which launches put there */
    struct {
        struct bind_request request;
        const struct bound_kernel *form;
    } bound[KERNEL_BOUND_MOST]; /* bound_count; guarded by bound_lock, as is their arena */
    uint32_t bound_count;
    struct arena bound_arena;
    pthread_mutex_t bound_lock;
};

/* hx_kernel_new; waits for constants out of pipes no longer than `wait`, which may be NULL, has it. */
HX_MUST_CHECK hx_status kernel_new(const hx_program *program, size_t index, const struct file_wait *wait,
                                   const hx_allocator *allocator, hx_diag *diag, hx_kernel **ret_kernel);
/* Borrowed from the kernel; its program and its code are there. */
const struct lowered_kernel *kernel_lowered(const hx_kernel *kernel);
/* The kernel without any speed machinery, for plain launches; borrowed likewise. Any thread. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status kernel_plain(const hx_kernel *kernel, hx_diag *diag,
                                     const struct lowered_kernel **ret_lowered);
/* The kernel bound as `request` says, whose `lowered` is one of the kernel's own: binding takes longer than a
 * small launch. *ret_bound is good as long as both the kernel and `arena` are. Any thread. Errors as
 * bind_kernel. */
HX_MUST_CHECK hx_status kernel_bind(const hx_kernel *kernel, const struct bind_request *request,
                                    struct arena *arena, hx_diag *diag,
                                    const struct bound_kernel **ret_bound);
/* The kernel's code, for listeners and tools. */
const struct kernel *kernel_code(const hx_kernel *kernel);
/* Bytes that one lane moves in an instruction (a whole vector for .v2 .v4); 0: it accesses no memory. */
uint32_t kernel_access_bytes(const struct instruction *instruction);
/* Fills a buffer as the program says; one that nobody has written (`fill: none`) is reported as such. As
 * program_fill. */
HX_MUST_CHECK hx_status exec_fill_buffer(hx_device *device, const hx_program *program,
                                         const struct array *array, hx_buffer *buffer,
                                         const struct file_wait *wait, hx_diag *diag);
/* Copies what buffers have (hx_launch_options.constants) to the program's constants at `place`. HX_INVALID:
 * one is of another device, or there is none. */
HX_MUST_CHECK hx_status exec_copy_constants(hx_device *device, const hx_program *program,
                                            hx_buffer *const *constants, hx_diag *diag, char *place);
