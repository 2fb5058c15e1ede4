/* Files: read whole, written under a temporary name and then renamed. */
#pragma once

#include "base/diag.h"

/* The largest file that hexec reads as a program or instruction set. */
#define FILE_TEXT_LIMIT_BYTES (64u << 20)

/* Reads a regular file (or a pipe) of at most `limit` bytes; *ret_bytes is given (memory_free), with one NUL
 * behind its end that *ret_size does not count. A directory, a missing file, a file over the limit: a
 * diagnostic that names the file and HX_IO or HX_INVALID. `place` is where the name came from (may be empty).
 */
HX_MUST_CHECK hx_status file_read(const char *path, size_t limit, const hx_allocator *allocator,
                                  hx_diag *diag, struct place place, char **ret_bytes, size_t *ret_size);
/* Writes a file in full or not at all: to a temporary name beside it, then renamed. A link is followed, a
 * file that is there keeps its mode; a pipe or a device (/dev/null) is written in place. "-" is
 * refused: HX_INVALID. HX_IO with a diagnostic that names the file and says why; the old file is kept. */
HX_MUST_CHECK hx_status file_write(const char *path, const void *bytes, size_t size, hx_diag *diag);
/* The same piece by piece. *ret_writer is given: end it with commit or abandon. HX_NO_MEMORY too. */
struct file_writer;
HX_MUST_CHECK hx_status file_writer_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                                         struct file_writer **ret_writer);
/* HX_IO once a write failed; commit then reports why. Pieces are gathered, so small ones are fine. */
HX_MUST_CHECK hx_status file_writer_put(struct file_writer *writer, const void *bytes, size_t size);
/* Flushes, renames, frees. On failure the temporary file is removed and the old one is kept. */
HX_MUST_CHECK hx_status file_writer_commit(struct file_writer *writer, hx_diag *diag);
/* Removes the temporary file and frees; NULL is fine. */
void file_writer_abandon(struct file_writer *writer);
