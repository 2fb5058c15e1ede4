/* Streams and events: work on a device that goes on while the caller does something else.
 *
 *     hx_stream *stream;
 *     hx_stream_new(device, NULL, diag, &stream);
 *     hx_stream_write(stream, x, 0, numbers, sizeof numbers, diag);
 *     hx_stream_launch(stream, kernel, &options, &x, diag, &result);
 *     hx_stream_read(stream, x, 0, numbers, sizeof numbers, diag);
 *     hx_status status = hx_stream_synchronize(stream, diag);
 *     hx_stream_free(stream);
 *
 * Order: the work of one stream is done in the order in which it was given. That of several streams is done
 * in any order, unless an event says otherwise; the default stream is a stream like the others. One launch
 * runs at a time on the workers of a device, and copies, fills and callbacks of other streams go on beside
 * it. Each stream has a thread of its own.
 *
 * Ownership: what a call only reads itself is copied: options, the list of buffers, the values of the
 * program's parameters, a fill's pattern. All else is borrowed until the work is done: kernels, buffers, the
 * host's bytes, results, and what the options point to.
 *
 * Errors: a call fails when its arguments are wrong or memory runs out, and then nothing was given to the
 * stream; its `diag` is used during the call alone. When work fails later, the stream has failed: its further
 * launches, copies and fills are left out, callbacks are called and events are reached all the same, and
 * other streams go on. The next hx_stream_synchronize or hx_device_synchronize returns the status, adds the
 * diagnostics to the `diag` that it was given, and with that the stream is as good as new. Buffers hold what
 * was written.
 *
 * Blocking: with HEXEC_LAUNCH_BLOCKING, HOLOGRAM_LAUNCH_BLOCKING or CUDA_LAUNCH_BLOCKING set to 1 (true, yes;
 * the first that is set counts, when a stream is made), each call returns when its work is done, and with the
 * stream's status and diagnostics when the stream has failed, so that the call that fails is the one at
 * fault. The next synchronize tells them too.
 *
 * Threads: all functions may be called by several threads at once, but the freeing of a thing beside its use.
 * A callback must call none of them, for it would wait for itself. */
#pragma once

#include "hexec/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hx_stream hx_stream;

typedef struct hx_stream_options {
    size_t size;  /* sizeof (hx_stream_options) */
    int blocking; /* 1: each call returns when its work is done, -1: it does not; 0: as the environment says
                   */
} hx_stream_options;

/* Makes a stream on a device; *ret_stream is given (hx_stream_free, or hx_device_free for all that are left).
 * `options` may be NULL. A variable with a bad value is a warning. HX_NO_MEMORY, HX_SYSTEM when a thread
 * cannot be made. */
HX_API HX_MUST_CHECK hx_status hx_stream_new(hx_device *device, const hx_stream_options *options,
                                             hx_diag *diag, hx_stream **ret_stream);
/* Waits until the stream's work is done and frees it; an error that was not read is lost. NULL is fine.
 */
HX_API void hx_stream_free(hx_stream *stream);
/* The device's default stream, made when it is first used, as by hx_stream_new without options;
 * borrowed until the device is freed. */
HX_API HX_MUST_CHECK hx_status hx_stream_default(hx_device *device, hx_diag *diag, hx_stream **ret_stream);
/* Its number on its device, `stream_id` of launches in traces: 0 for the default stream, 1 for the first of
 * the others, then 2. */
HX_API uint32_t hx_stream_id(const hx_stream *stream);

/* hx_launch as work of a stream. A bad shape is an error of the work, a buffer of another device one of the
 * call. `ret_result` may be NULL; else it is filled in when the launch has run, and left alone when it was
 * left out. */
HX_API HX_MUST_CHECK hx_status hx_stream_launch(hx_stream *stream, const hx_kernel *kernel,
                                                const hx_launch_options *options, hx_buffer *const *buffers,
                                                hx_diag *diag, hx_launch_result *ret_result);
/* Copies `bytes` from the host into a buffer, from a buffer to the host, from a buffer to one (which may be
 * the same, and the ranges may overlap). Offsets are in bytes. What kernels may do with a buffer does not
 * matter. HX_INVALID for a range that is not in the buffer, and for a buffer of another device. */
HX_API HX_MUST_CHECK hx_status hx_stream_write(hx_stream *stream, hx_buffer *to, uint64_t to_offset,
                                               const void *from, uint64_t bytes, hx_diag *diag);
HX_API HX_MUST_CHECK hx_status hx_stream_read(hx_stream *stream, const hx_buffer *from, uint64_t from_offset,
                                              void *to, uint64_t bytes, hx_diag *diag);
HX_API HX_MUST_CHECK hx_status hx_stream_copy(hx_stream *stream, hx_buffer *to, uint64_t to_offset,
                                              const hx_buffer *from, uint64_t from_offset, uint64_t bytes,
                                              hx_diag *diag);
/* Fills `bytes` of a buffer with a pattern of 1, 2, 4, 8 or 16 bytes, of which `bytes` is a multiple.
 * HX_INVALID for another pattern or number, and for a range that is not in the buffer. */
HX_API HX_MUST_CHECK hx_status hx_stream_fill(hx_stream *stream, hx_buffer *to, uint64_t to_offset,
                                              const void *pattern, size_t pattern_bytes, uint64_t bytes,
                                              hx_diag *diag);
/* Calls a function of the host's when the work before it is done, with the stream's status at that point: not
 * HX_OK when it has failed. The stream's thread calls it, and goes on when it returns. */
typedef void (*hx_stream_function)(void *user, hx_status status);
HX_API HX_MUST_CHECK hx_status hx_stream_callback(hx_stream *stream, hx_stream_function function, void *user,
                                                  hx_diag *diag);

/* Waits until all work that was given before the call is done; says what failed (see above). `diag` may be
 * NULL. */
HX_API HX_MUST_CHECK hx_status hx_stream_synchronize(hx_stream *stream, hx_diag *diag);
/* Is all work done that was given? Never waits; says nothing about errors. */
HX_API int hx_stream_query(hx_stream *stream);
/* hx_stream_synchronize for every stream of a device, in the order in which they were made: the first error's
 * status, the diagnostics of all. HX_OK without streams. */
HX_API HX_MUST_CHECK hx_status hx_device_synchronize(hx_device *device, hx_diag *diag);

/* A point in a stream's work. */
typedef struct hx_event hx_event;

/* Makes an event, for streams of any device; *ret_event is given (hx_event_free). Borrows `allocator` (NULL:
 * the C library's) until the event is freed and the work of all streams that it was given to is done; several
 * threads call it at once. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_event_new(const hx_allocator *allocator, hx_diag *diag,
                                            hx_event **ret_event);
/* Frees it; work that waits for it still does. NULL is fine. */
HX_API void hx_event_free(hx_event *event);
/* Places the event behind the work that the stream was given, in place of where it was. It is reached, with
 * the time, when that work is done or left out. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_event_record(hx_event *event, hx_stream *stream, hx_diag *diag);
/* What the stream is given from now on waits until the event is reached where it was recorded last, be it in
 * another stream or another device's. An event that was never recorded is reached. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_stream_wait_event(hx_stream *stream, const hx_event *event, hx_diag *diag);
/* Waits until the event is reached where it was recorded last; at once when it never was. An error of the
 * stream stays with the stream. */
HX_API void hx_event_synchronize(const hx_event *event);
/* Is it reached, or was it never recorded? Never waits. */
HX_API int hx_event_query(const hx_event *event);
/* Nanoseconds from one event to another, of the machine's steady clock; negative when `end` was reached
 * first. HX_INVALID when one of them was not recorded or is not reached. */
HX_API HX_MUST_CHECK hx_status hx_event_elapsed_ns(const hx_event *start, const hx_event *end,
                                                   int64_t *ret_ns);

#ifdef __cplusplus
}
#endif
