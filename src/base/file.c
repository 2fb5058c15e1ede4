/* Files.
 *
 * Reading takes a path and leaves all bytes, with a NUL behind them so that text needs no copy. Writing goes
 * to a temporary name in the same directory and is renamed when complete: a full disk or a crash never leaves
 * half a file under the name that somebody relies on. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hx_status report_errno(hx_diag *diag, enum diag_code code, struct place place, const char *what,
                              const char *path, int error)
{
    char reason[128];
    diag_report(diag, code, place, NULL, "cannot %s '%s': %s", what, path,
                strerror_r(error, reason, sizeof reason));
    return HX_IO;
}

static void close_file(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static hx_status open_for_reading(const char *path, hx_diag *diag, struct place place, int *ret_file)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        diag_report(diag, DIAG_FILE_MISSING, place, NULL, "there is no file '%s'", path);
        return HX_IO;
    }
    if (file < 0)
        return report_errno(diag, DIAG_FILE_READ, place, "read", path, errno);
    struct stat about;
    if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(file);
        diag_report(diag, DIAG_FILE_DIRECTORY, place, "name a file in it", "'%s' is a directory", path);
        return HX_IO;
    }
    *ret_file = file;
    return HX_OK;
}

hx_status file_read(const char *path, size_t limit, const hx_allocator *allocator, hx_diag *diag,
                    struct place place, char **ret_bytes, size_t *ret_size)
{
    HX_AUTO(close_file) int file = -1;
    hx_status status = open_for_reading(path, diag, place, &file);
    if (status != HX_OK)
        return status;
    HX_AUTO(text_done) struct text text = {.allocator = allocator};
    char piece[16384];
    for (;;) {
        ssize_t got = read(file, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return report_errno(diag, DIAG_FILE_READ, place, "read", path, errno);
        text_append(&text, piece, (size_t)got);
        if (text.failed)
            return diag_no_memory(diag);
        if (text.length > limit)
            return diag_report(diag, DIAG_FILE_TOO_LARGE, place, NULL, "'%s' is larger than %zu bytes", path,
                               limit);
        if (got == 0)
            break;
    }
    *ret_bytes = text.at;
    *ret_size = text.length;
    text.at = NULL;
    return HX_OK;
}

struct file_writer {
    const hx_allocator *allocator;
    char *path, *temporary;
    int file;
    int error; /* errno of the first failed write */
};

static void writer_free(struct file_writer *writer)
{
    if (writer->file >= 0)
        close(writer->file);
    memory_free(writer->allocator, writer->path);
    memory_free(writer->allocator, writer->temporary);
    memory_free(writer->allocator, writer);
}

void file_writer_abandon(struct file_writer *writer)
{
    if (!writer)
        return;
    if (writer->file >= 0)
        unlink(writer->temporary);
    writer_free(writer);
}

hx_status file_writer_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                           struct file_writer **ret_writer)
{
    struct stat about;
    if (strcmp(path, "-") == 0 || *path == 0)
        return diag_report(diag, DIAG_FILE_WRITE, (struct place){0}, "name a file", "cannot write to '%s'",
                           path);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        diag_report(diag, DIAG_FILE_DIRECTORY, (struct place){0}, "name a file in it", "'%s' is a directory",
                    path);
        return HX_IO;
    }
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    struct file_writer *writer = memory_allocate(allocator, 1, sizeof *writer);
    if (!writer)
        return diag_no_memory(diag);
    *writer = (struct file_writer){.allocator = allocator, .file = -1};
    writer->path = memory_allocate(allocator, length + 1, 1);
    writer->temporary = memory_allocate(allocator, length + sizeof suffix, 1);
    if (!writer->path || !writer->temporary) {
        writer_free(writer);
        return diag_no_memory(diag);
    }
    memcpy(writer->path, path, length);
    memcpy(writer->temporary, path, length);
    memcpy(writer->temporary + length, suffix, sizeof suffix);
    writer->file = mkostemp(writer->temporary, O_CLOEXEC);
    if (writer->file < 0) {
        hx_status status = report_errno(diag, DIAG_FILE_WRITE, (struct place){0}, "write", path, errno);
        writer_free(writer);
        return status;
    }
    *ret_writer = writer;
    return HX_OK;
}

hx_status file_writer_put(struct file_writer *writer, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0 && writer->error == 0) {
        ssize_t put = write(writer->file, at, size);
        if (put < 0 && errno != EINTR)
            writer->error = errno;
        if (put > 0) {
            at += put;
            size -= (size_t)put;
        }
    }
    return writer->error ? HX_IO : HX_OK;
}

/* mkstemp makes files that only their owner may read; a result is an ordinary file. */
static void set_ordinary_mode(int file)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(file, 0666 & ~mask);
}

hx_status file_writer_commit(struct file_writer *writer, hx_diag *diag)
{
    if (writer->error == 0) {
        set_ordinary_mode(writer->file);
        int file = writer->file;
        writer->file = -1;
        if (close(file) != 0 || rename(writer->temporary, writer->path) != 0)
            writer->error = errno;
    }
    hx_status status = HX_OK;
    if (writer->error) {
        status = report_errno(diag, DIAG_FILE_WRITE, (struct place){0}, "write", writer->path, writer->error);
        unlink(writer->temporary);
    }
    writer_free(writer);
    return status;
}

hx_status file_write(const char *path, const void *bytes, size_t size, hx_diag *diag)
{
    struct file_writer *writer;
    hx_status status = file_writer_open(path, NULL, diag, &writer);
    if (status != HX_OK)
        return status;
    (void)!file_writer_put(writer, bytes, size); /* an error is kept and reported by commit */
    return file_writer_commit(writer, diag);
}
