/* Launches: a kernel over a grid of blocks of threads, and what came of it. */
#pragma once

#include "hexec/device.h"
#include "hexec/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel made ready to run: verified and lowered. Constant; any number of launches may use it. */
typedef struct hx_kernel hx_kernel;

/* Verifies and lowers kernel `index` of a program as its parameters are now; warnings and errors go to
 * `diag`. *ret_kernel is given (hx_kernel_free) and borrows the program until then. HX_INVALID, HX_NO_MEMORY.
 */
HX_API HX_MUST_CHECK hx_status hx_kernel_new(const hx_program *program, size_t index,
                                             const hx_allocator *allocator, hx_diag *diag,
                                             hx_kernel **ret_kernel);
HX_API void hx_kernel_free(hx_kernel *kernel);
/* Instructions of the kernel's code. */
HX_API uint32_t hx_kernel_instructions(const hx_kernel *kernel);
/* The micro-ops as `hexec disasm --lowered` prints them. */
HX_API HX_MUST_CHECK hx_status hx_kernel_print(const hx_kernel *kernel, hx_write_function write, void *user);

typedef struct hx_launch_options {
    size_t size;                   /* sizeof (hx_launch_options) */
    uint32_t grid[3], block[3];    /* 0 counts as 1 */
    uint64_t dynamic_shared_bytes; /* behind the static shared arrays */
    uint32_t workers;              /* at most the device's; 0: all of them. 1 runs them one after another, in
                                      linear order when there is no seed */
    uint32_t warp_size;            /* 1 to 64, a power of two; 0: 32 */
    uint32_t gang_lanes;           /* lanes that one dispatch serves, 1 to 256; 0: chosen from the kernel */
    uint64_t timeout_ns;           /* 0: none */
    uint64_t max_instructions;     /* thread-instructions; 0: no bound. Checked at backward jumps and calls,
                                      so a run ends a little after it */
    uint64_t seed;                 /* not 0: the order of blocks, gangs and paths is drawn from it; the same
                                      seed gives the same order */
    int counts;                    /* not 0: fill in `counts` of the result (costs a few percent) */
    uint32_t launch_id;            /* %gridid */
    /* What kernels print, block by block in their order, within a block thread by thread; called by one
     * thread at a time, of whichever worker. NULL: nothing is printed. `text` is good for the call only. */
    void (*print)(void *user, const char *text, size_t bytes);
    void *print_user;
    /* Not NULL: room for hx_kernel_instructions(kernel) entries, to which the launch adds what each
     * instruction did and what it took. Written when the launch ends. Costs 10 to 20 percent. */
    struct hx_instruction_profile *profile;
} hx_launch_options;

/* What one instruction of a kernel did, exactly, and what it took, measured on some of its issues: of all
 * issues of the launch one in 64, drawn at random, is timed between fences. */
typedef struct hx_instruction_profile {
    uint64_t issues;                       /* once for each gang */
    uint64_t lanes;                        /* active lanes of all issues */
    uint64_t sampled;                      /* issues that were timed */
    double sampled_ns, sampled_ns_squares; /* sums of their times, and of the squares; what timing an empty
                                              instruction takes is taken off */
} hx_instruction_profile;

/* What a run did, exactly. */
typedef struct hx_counts {
    uint64_t issues;                           /* instructions issued, once for each gang */
    uint64_t thread_instructions;              /* active lanes of all issues */
    uint64_t loaded_bytes[6], stored_bytes[6]; /* by space: none, global, shared, constant, local, generic */
    uint64_t flops;
} hx_counts;

/* Why a kernel was stopped. */
/* clang-format off */
#define HX_FAULT_LIST(X)                                                       \
    X(NONE, "no fault")                                                        \
    X(OUT_OF_RANGE, "access outside every buffer")                             \
    X(MISALIGNED, "misaligned access")                                         \
    X(READ_DENIED, "read of a write-only buffer")                              \
    X(WRITE_DENIED, "write to a read-only buffer")                             \
    X(CALL_DEPTH, "calls nested too deep")                                     \
    X(BARRIER_DEADLOCK, "threads wait at barriers that can never be complete") \
    X(BARRIER_COUNT, "barrier with a bad thread count")                        \
    X(JUMP_TABLE, "jump beyond the end of a table")                            \
    X(MEMBER_MASK, "member mask that does not name its own lane")              \
    X(ASSERT, "assertion failed")                                              \
    X(TRAP, "trap instruction")                                                \
    X(FELL_OFF_END, "execution ran past the last instruction")                 \
    X(NO_MEMORY, "no memory for the kernel's state")                           \
    X(STACK, "stack overflow or misuse")
/* clang-format on */
typedef enum hx_fault_kind {
#define HX_FAULT_VALUE(name, text) HX_FAULT_##name,
    HX_FAULT_LIST(HX_FAULT_VALUE)
#undef HX_FAULT_VALUE
} hx_fault_kind;

typedef struct hx_fault {
    hx_fault_kind kind;
    uint32_t instruction; /* index in the kernel's code */
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t bytes; /* of the access */
    int is_store;
    int space;        /* 1 global, 2 shared, 3 constant, 4 local */
    char nearest[64]; /* name of the nearest buffer or array, "" for none */
    uint64_t nearest_low, nearest_bytes;
    char detail[512]; /* operands' values; who waits where */
} hx_fault;

typedef struct hx_launch_result {
    size_t size;
    uint64_t duration_ns;
    uint64_t blocks, threads; /* of the grid */
    uint64_t blocks_done;     /* that ran to their end */
    uint32_t workers, gang_lanes;
    hx_counts counts;
    hx_fault fault;
} hx_launch_result;

/* Runs a kernel to its end. `buffers` are the program's buffers in its order. *ret_result is filled in
 * whatever happens (partial counts, the fault). HX_FAULT (reported in `diag` with file, line, text, block,
 * thread, address, nearest buffer), HX_LIMIT, HX_INTERRUPTED, HX_INVALID for a bad shape, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_launch(hx_device *device, const hx_kernel *kernel,
                                         const hx_launch_options *options, hx_buffer *const *buffers,
                                         hx_diag *diag, hx_launch_result *ret_result);
HX_API const char *hx_fault_text(hx_fault_kind kind);
/* Its name, "OUT_OF_RANGE", as `expect` has it in any case; "" beyond the last. Static. */
HX_API const char *hx_fault_name(hx_fault_kind kind);

#ifdef __cplusplus
}
#endif
