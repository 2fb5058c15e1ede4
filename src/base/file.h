/* Files: read whole or a piece at a time, and written in full or not at all. */
#pragma once

#include "base/diag.h"

#include <stdatomic.h>

/* What ends a wait for the other end of a pipe, and a long read: borrowed, and constant but for the flag.
 * NULL, and zeros in it: nothing. */
struct file_wait {
    const atomic_bool *interrupted; /* HX_INTERRUPTED once it is true */
    uint64_t limit_ns;              /* HX_LIMIT when nothing could be read or written for so long */
};
/* Must a wait end that goes on since `since_ns` (machine_now_ns)? HX_OK, HX_INTERRUPTED or HX_LIMIT; reports
 * nothing. */
hx_status file_wait_check(const struct file_wait *wait, uint64_t since_ns);
/* Reports what ended a wait, if anything, and returns it. `what` was to be done: "read", "write". */
hx_status file_wait_report(hx_status status, const struct file_wait *wait, const char *what, const char *path,
                           struct place place, hx_diag *diag);
/* "cannot read 'x': No such device", by an errno. HX_IO. */
hx_status file_report_error(hx_diag *diag, enum diag_code code, struct place place, const char *what,
                            const char *path, int error);

/* The largest file that hexec reads as a program or instruction set. */
#define FILE_TEXT_LIMIT_BYTES (64u << 20)

/* Reads a regular file (or a pipe) of at most `limit` bytes; *ret_bytes is given (memory_free), with one NUL
 * behind its end that *ret_size does not count. A directory, a missing file, a file over the limit: a
 * diagnostic that names the file and HX_IO or HX_INVALID. `place` is where the name came from (may be empty).
 */
HX_MUST_CHECK hx_status file_read(const char *path, size_t limit, const hx_allocator *allocator,
                                  hx_diag *diag, struct place place, char **ret_bytes, size_t *ret_size);

#define FILE_BYTES_UNKNOWN UINT64_MAX

/* A regular file or a pipe that is read a piece at a time. */
struct file_reader {
    const char *path; /* this and the next: borrowed until the reader is closed */
    const struct file_wait *wait;
    struct place place; /* where the name came from; may be empty */
    hx_diag *diag;
    uint64_t bytes; /* of the whole; FILE_BYTES_UNKNOWN of a pipe */
    bool is_pipe;
    int file;
};
/* HX_IO for what cannot be opened, and for a device, which may have no end. Never waits. */
HX_MUST_CHECK hx_status file_reader_open(struct file_reader *reader, const char *path,
                                         const struct file_wait *wait, struct place place, hx_diag *diag);
/* The next `size` bytes; *ret_got is smaller only at the end. Waits for the writer of a pipe as long as
 * `wait` has it. HX_IO, HX_INTERRUPTED, HX_LIMIT, reported. */
HX_MUST_CHECK hx_status file_reader_take(struct file_reader *reader, void *bytes, size_t size,
                                         size_t *ret_got);
/* Fine for one that could not be opened. */
void file_reader_close(struct file_reader *reader);

/* Writes a file in full or not at all: without a name, or under a temporary one beside it, until it is
 * complete. A link is followed, also one to a file that is not there yet; a file that is there keeps its
 * mode; a pipe or a device (/dev/null) is written in place. "-" is refused: HX_INVALID. HX_IO with a
 * diagnostic that names the file and says why; the old file is kept. Waits for the reader of a pipe. */
HX_MUST_CHECK hx_status file_write(const char *path, const void *bytes, size_t size, hx_diag *diag);
/* The same, waiting no longer than `wait` has it: HX_INTERRUPTED or HX_LIMIT, reported. */
HX_MUST_CHECK hx_status file_write_waiting(const char *path, const struct file_wait *wait, const void *bytes,
                                           size_t size, hx_diag *diag);
/* The same piece by piece. *ret_writer is given: end it with commit or abandon. HX_NO_MEMORY too. */
struct file_writer;
HX_MUST_CHECK hx_status file_writer_open(const char *path, const struct file_wait *wait,
                                         const hx_allocator *allocator, hx_diag *diag,
                                         struct file_writer **ret_writer);
/* HX_IO once a write failed; commit then reports why. Pieces are gathered, so small ones are fine. */
HX_MUST_CHECK hx_status file_writer_put(struct file_writer *writer, const void *bytes, size_t size);
/* Flushes, gives the file its name, frees. On failure there is no new file, and the old one is kept. */
HX_MUST_CHECK hx_status file_writer_commit(struct file_writer *writer, hx_diag *diag);
/* Leaves nothing of it and frees; NULL is fine. */
void file_writer_abandon(struct file_writer *writer);
/* Opens a pipe to write, once somebody reads it. HX_IO with an errno, HX_INTERRUPTED, HX_LIMIT; reports
 * nothing. */
HX_MUST_CHECK hx_status file_open_pipe(const char *path, const struct file_wait *wait, int *ret_file,
                                       int *ret_error);
/* Into PATH_MAX bytes: the absolute path of a file, or the path that one written there would have, with the
 * links that lead to it followed. False with errno. */
bool file_target(const char *path, char *ret_target);
