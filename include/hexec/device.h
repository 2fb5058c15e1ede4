/* The virtual device: its memory and its workers. */
#pragma once

#include "hexec/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device: one address space of global memory and a pool of worker threads. Any thread may use it, several
 * at once; one launch runs at a time, and others, as well as the making and freeing of buffers, wait for its
 * end: what a launch calls (print, a callback) must do none of them on its device. Several devices run
 * launches at once. */
typedef struct hx_device hx_device;

typedef struct hx_device_options {
    size_t size;                   /* sizeof (hx_device_options) */
    const hx_allocator *allocator; /* borrowed until the device is freed; NULL: the C library's */
    uint32_t workers;              /* threads that run blocks; 0: as many as the process has cores */
    uint64_t max_memory_bytes;     /* of buffers and block state together; 0: no bound */
    const char *cpu_level; /* "x86-64-v3", "v4", "plain" (also for v2); NULL: the best of this machine */
    int unified; /* not 0: a buffer's device address is where its bytes are, and kernels reach all memory of
                    the process at its own addresses. What is not mapped is a fault, as everywhere; an access
                    beyond the end of a block of memory is one only where nothing else is mapped. Addresses
                    of freed buffers come again. Linux alone; elsewhere kernels reach buffers only */
} hx_device_options;

/* Makes a device; *ret_device is given (hx_device_free). `options` may be NULL. HX_INVALID for a CPU level
 * that the machine or the build lacks, HX_NO_MEMORY, HX_SYSTEM when threads cannot be made. */
HX_API HX_MUST_CHECK hx_status hx_device_new(const hx_device_options *options, hx_diag *diag,
                                             hx_device **ret_device);
/* Frees the device and every buffer on it, and its streams (stream.h) when their work is done; NULL is fine.
 * No other launch may be running. */
HX_API void hx_device_free(hx_device *device);
HX_API uint32_t hx_device_workers(const hx_device *device);
HX_API const char *hx_device_cpu_level(const hx_device *device);
/* Ends the running launch, and the next one when none runs, with HX_INTERRUPTED as soon as each worker
 * reaches a backward jump or a block's end. Async-signal-safe; any thread. */
HX_API void hx_device_interrupt(hx_device *device);

/* Adds a listener (listener.h) of every launch on the device from the next one on, behind those of the launch
 * itself, and of the device's buffers; borrowed until it is taken away or the device is freed. Waits for a
 * launch that runs. HX_NO_MEMORY. */
struct hx_listener;
HX_API HX_MUST_CHECK hx_status hx_device_listen(hx_device *device, const struct hx_listener *listener,
                                                hx_diag *diag);
/* Takes it away; nothing happens when it is not there. */
HX_API void hx_device_unlisten(hx_device *device, const struct hx_listener *listener);

/* Not 0: yes. `user` is the caller's. */
typedef int (*hx_may_change_function)(void *user);
/* Asks the program, by any worker, when the threads of a launch can only go round in loops and a listener
 * wants to know (HX_EVENT_STUCK): may anything outside of the launch change what they read? Then the launch
 * goes on, and the question comes again. Without a function nothing may. Before the first launch. */
HX_API void hx_device_may_change(hx_device *device, hx_may_change_function may_change, void *user);

/* From now on loads of global memory that begin at most so many bytes before or behind a buffer give 0 and
 * are no faults, as on GPUs, whose memory is in pages; a warning names the first one of each kernel, and
 * hx_launch_result.stray_loads counts them. 0, as at first: they are faults. Not while a launch runs. */
HX_API void hx_device_allow_strays(hx_device *device, uint64_t bytes);

typedef enum hx_buffer_access {
    HX_ACCESS_READ = 1,
    HX_ACCESS_WRITE = 2,
    HX_ACCESS_READWRITE = 3
} hx_buffer_access;

/* A range of global memory. */
typedef struct hx_buffer hx_buffer;

/* Makes a zeroed buffer of `bytes` (0 is allowed: it has an address and no bytes). `name` is what faults call
 * it; it is copied, and may be NULL. *ret_buffer belongs to the device; hx_buffer_free gives it back earlier.
 * HX_INVALID for another access, HX_LIMIT over max_memory_bytes, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_buffer_new(hx_device *device, const char *name, uint64_t bytes,
                                             hx_buffer_access access, hx_diag *diag, hx_buffer **ret_buffer);
/* Makes a buffer over memory of the caller's: nothing is copied, kernels and copies read and write `data`
 * itself. The caller keeps it where it is until the buffer is freed, and frees it behind that; whatever it
 * holds counts as written. It may have any alignment: the buffer's address is as far behind a multiple of 256
 * as `data` is, so that kernels can use it for elements for which it is aligned on the host. `data` may be
 * NULL if `bytes` is 0. It does not count for max_memory_bytes. With HX_ACCESS_READ nothing is written to it.
 * Two buffers may be over the same bytes. Otherwise as hx_buffer_new. */
HX_API HX_MUST_CHECK hx_status hx_buffer_new_over(hx_device *device, const char *name, void *data,
                                                  uint64_t bytes, hx_buffer_access access, hx_diag *diag,
                                                  hx_buffer **ret_buffer);
/* As hx_buffer_new_over, and the buffer's device address is that of `data`: kernels and the host have one
 * pointer for each byte. On a device that is not unified it is the one kind of buffer whose address comes
 * again when the host's allocator gives out the memory again. HX_INVALID when another buffer has the
 * addresses, or 64 KiB behind them. */
HX_API HX_MUST_CHECK hx_status hx_buffer_new_shared(hx_device *device, const char *name, void *data,
                                                    uint64_t bytes, hx_buffer_access access, hx_diag *diag,
                                                    hx_buffer **ret_buffer);
/* As hx_buffer_new_shared, and other buffers may lie right before and behind it: kernels and copies can use
 * several side by side as one array, whose access may differ from buffer to buffer. Which of them a wrong
 * index reaches is not found. HX_INVALID when another buffer has one of the addresses, and for 0 bytes. */
HX_API HX_MUST_CHECK hx_status hx_buffer_new_beside(hx_device *device, const char *name, void *data,
                                                    uint64_t bytes, hx_buffer_access access, hx_diag *diag,
                                                    hx_buffer **ret_buffer);
/* Makes a buffer that is `bytes` of another, from `offset` on, for launches and copies that take a whole one:
 * it has a share of the bytes, the access and the name. A kernel that goes beyond the part, and stays in the
 * buffer, does nothing wrong. `buffer` may be a part, too. *ret_part belongs to the device, and is freed by
 * hx_buffer_free, or with the buffer that it is a part of. HX_INVALID for a range that is not in the buffer
 * and for a buffer of another device, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_buffer_new_part(hx_device *device, hx_buffer *buffer, uint64_t offset,
                                                  uint64_t bytes, hx_diag *diag, hx_buffer **ret_part);
/* Nothing happens to NULL and to a buffer of another device. */
HX_API void hx_buffer_free(hx_device *device, hx_buffer *buffer);
/* Its device address (a multiple of 256, but for a part and a buffer over the caller's memory; never 0), its
 * size in bytes, and its bytes on the host: borrowed until the buffer is freed; not to be touched while a
 * launch runs that uses them. */
HX_API uint64_t hx_buffer_address(const hx_buffer *buffer);
HX_API uint64_t hx_buffer_bytes(const hx_buffer *buffer);
HX_API void *hx_buffer_data(hx_buffer *buffer);

#ifdef __cplusplus
}
#endif
