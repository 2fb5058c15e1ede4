/* The context, which does what the program `hexec` does: load, run, compare, hand out buffers.
 *
 *     hx_context *context;
 *     hx_context_new(NULL, diag, &context);
 *     hx_context_load(context, "programs/saxpy.yaml", diag);
 *     hx_run_result result = {.size = sizeof result};
 *     hx_context_run(context, NULL, diag, &result);
 *     hx_array_view y;
 *     hx_context_buffer(context, "y", diag, &y);
 *     hx_context_free(context);
 */
#pragma once

#include "hexec/bench.h"
#include "hexec/check.h"
#include "hexec/collector.h"
#include "hexec/compare.h"
#include "hexec/device.h"
#include "hexec/isa.h"
#include "hexec/launch.h"
#include "hexec/listener.h"
#include "hexec/program.h"
#include "hexec/progress.h"
#include "hexec/schema.h"
#include "hexec/status.h"
#include "hexec/stream.h"
#include "hexec/system.h"
#include "hexec/test.h"
#include "hexec/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that a run needs. Two contexts never meet; one context is for one thread at a time
 * (hx_context_interrupt excepted). */
typedef struct hx_context hx_context;

typedef struct hx_context_options {
    size_t size;          /* sizeof (hx_context_options) */
    const char *isa_path; /* NULL: the built-in instruction set */
    hx_device_options device;
    const hx_isa *isa; /* not NULL: this one instead, borrowed until the context is freed */
    hx_source_options
        source; /* how programs in OpenCL C and CUDA C are compiled; its text is borrowed until then */
} hx_context_options;

/* Makes a context: loads the instruction set; the device is made when the first run needs it. *ret_context is
 * given (hx_context_free). HX_INVALID, HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_context_new(const hx_context_options *options, hx_diag *diag,
                                              hx_context **ret_context);
HX_API void hx_context_free(hx_context *context);
HX_API const hx_isa *hx_context_isa(const hx_context *context);

/* Loads a program into the context, in place of the one before. */
HX_API HX_MUST_CHECK hx_status hx_context_load(hx_context *context, const char *path, hx_diag *diag);
/* The same from bytes, as hx_program_load_bytes. */
HX_API HX_MUST_CHECK hx_status hx_context_load_bytes(hx_context *context, const char *name, const void *bytes,
                                                     size_t size, hx_diag *diag);
/* The program, for hx_program_set_param and the like; borrowed. NULL before a load. */
HX_API hx_program *hx_context_program(hx_context *context);
/* From now on runs begin with `count` elements of the host's in a buffer of the program, in place of what the
 * program fills it with. Each run copies them when it begins: `data` is borrowed until the next load, until
 * other data is set for the buffer, or until the context is freed. NULL: the program's fill again. What the
 * kernel has made of them is in hx_context_buffer. HX_INVALID when the program has no such buffer, or one of
 * another type; hx_context_run returns it when `count` is not the buffer's. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_context_set_buffer(hx_context *context, const char *name, hx_type type,
                                                     uint64_t count, const void *data, hx_diag *diag);
/* Before a load what needs a program is HX_INVALID.
 *
 * Verifies all kernels of the program (what `hexec check` does) without running anything. */
HX_API HX_MUST_CHECK hx_status hx_context_verify(hx_context *context, hx_diag *diag);

typedef struct hx_run_options {
    size_t size;        /* sizeof (hx_run_options) */
    const char *kernel; /* only this kernel, once, instead of the program's launches; NULL: all of them */
    int has_grid, has_block, has_dynamic_shared; /* not 0: the shape of
                        `launch` is used in place of the program's */
    hx_launch_options launch; /* but for the shape it always counts: workers, bounds, listeners, ...; its
                                 `arguments` are ignored */
    uint32_t repeat;          /* of the whole sequence; 0: 1 */
    /* Called after each launch when not NULL; other than HX_OK ends the run. */
    hx_status (*launched)(void *user, const char *kernel, const hx_launch_options *shape,
                          const hx_launch_result *result);
    void *user;
    const char *replay; /* the token of an earlier run: its seed is used, and the run must be the same, else
                           HX_INVALID tells what differs; NULL: any run */
    hx_checks *checks;  /* follow the run's buffers and launches; borrowed for the call. NULL: none */
} hx_run_options;

/* Room for a replay token, with its end. */
#define HX_REPLAY_TOKEN_BYTES 256
/* Not 0: a replay token is of the program that the context has loaded, compiled as it is here. Which way of
 * compiling a file a token is of can be found so before anything runs. */
HX_API int hx_context_fits_replay(hx_context *context, const char *token);

typedef struct hx_run_result {
    size_t size;
    uint64_t launches;
    uint64_t duration_ns;         /* of the launches */
    uint64_t load_ns, prepare_ns; /* of reading and assembling; of verifying, lowering and filling buffers */
    uint64_t threads, blocks;
    uint32_t workers, gang_lanes; /* the most that any launch had */
    hx_counts counts;
    hx_fault fault;
    char replay[HX_REPLAY_TOKEN_BYTES];       /* what hx_run_options.replay takes; "" without a seed */
    uint32_t workers_least, gang_lanes_least; /* the fewest */
} hx_run_result;

/* Makes and fills the buffers, runs the launches in order. `options` may be NULL. The buffers hold what was
 * written even after a fault. *ret_result is filled in whatever happens. What fills a buffer from a pipe is
 * waited for no longer than `launch.timeout_ns`: HX_LIMIT. */
HX_API HX_MUST_CHECK hx_status hx_context_run(hx_context *context, const hx_run_options *options,
                                              hx_diag *diag, hx_run_result *ret_result);
/* Ends the run that goes on with HX_INTERRUPTED, in a launch or between two; where none goes on, the next
 * one. Async-signal-safe; any thread. */
HX_API void hx_context_interrupt(hx_context *context);

/* A buffer after a run: borrowed until the next run or load. */
typedef struct hx_array_view {
    const char *name;
    hx_type type;
    uint64_t count;
    const void *data;
    hx_buffer_access access; /* what kernels may do with it */
} hx_array_view;
/* HX_INVALID with a suggestion when the program has no such buffer, or nothing was run yet. */
HX_API HX_MUST_CHECK hx_status hx_context_buffer(hx_context *context, const char *name, hx_diag *diag,
                                                 hx_array_view *ret_view);
/* The buffer at `index`; its name is NULL beyond the end. Works before a run too (data is NULL then). */
HX_API hx_array_view hx_context_buffer_at(hx_context *context, size_t index);

/* Compares the buffers with the program's `expect`; HX_MISMATCH with the first differences in `diag`.
 * *ret_checked: how many expectations there are. */
HX_API HX_MUST_CHECK hx_status hx_context_check_expectations(hx_context *context, hx_diag *diag,
                                                             size_t *ret_checked);
/* The same with how the run ended: `status` is what hx_context_run returned. HX_OK when everything is as
 * `expect` has it, an expected fault among it; else what the run ended with, or HX_MISMATCH. */
HX_API HX_MUST_CHECK hx_status hx_context_verdict(hx_context *context, hx_status status,
                                                  const hx_run_result *result, hx_diag *diag,
                                                  size_t *ret_checked);
/* Writes a buffer to a file: .npy with its type (bf16 as u16), raw bytes for any other ending. The file is
 * there in full or not at all; a pipe is waited for no longer than the last run's `launch.timeout_ns`, if it
 * had one: HX_LIMIT. */
HX_API HX_MUST_CHECK hx_status hx_context_save_buffer(hx_context *context, const char *name, const char *path,
                                                      hx_diag *diag);
/* Writes `count` elements of a buffer from `first` on as text, one a space, f32 as short as reads back. */
HX_API HX_MUST_CHECK hx_status hx_context_print_buffer(hx_context *context, const char *name, uint64_t first,
                                                       uint64_t count, hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
