/* Files.
 *
 * Reading takes a path and leaves all bytes, with a NUL behind them so that text needs no copy. Writing goes
 * to a temporary name in the same directory and is renamed when complete: a full disk or a crash never leaves
 * half a file under the final name. Only a pipe or a device is written in place: a rename
 * would replace it. */
#include "base/file.h"

#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* ---- Reading ------------------------------------------------------------------------------------------- */

static hx_status open_for_reading(const char *path, hx_diag *diag, struct place place, int *ret_file,
                                  struct stat *ret_about)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        diag_report(diag, DIAG_FILE_MISSING, place, NULL, "there is no file '%s'", path);
        return HX_IO;
    }
    if (file < 0)
        return report_errno(diag, DIAG_FILE_READ, place, "read", path, errno);
    if (fstat(file, ret_about) == 0 && S_ISDIR(ret_about->st_mode)) {
        close(file);
        diag_report(diag, DIAG_FILE_DIRECTORY, place, "name a file in it", "'%s' is a directory", path);
        return HX_IO;
    }
    *ret_file = file;
    return HX_OK;
}

#define PIECE_BYTES ((size_t)64 << 10)

/* A text with room for the whole file when its size is known, so that reading seldom moves it. */
static bool reserve_for(struct text *text, const struct stat *about, size_t limit)
{
    size_t size = S_ISREG(about->st_mode) && about->st_size > 0 ? (size_t)about->st_size : 0;
    return memory_list_reserve(text->allocator, (void **)&text->at, 0, &text->capacity,
                               (size < limit ? size : limit) + PIECE_BYTES + 1, 1);
}

hx_status file_read(const char *path, size_t limit, const hx_allocator *allocator, hx_diag *diag,
                    struct place place, char **ret_bytes, size_t *ret_size)
{
    HX_AUTO(close_file) int file = -1;
    struct stat about = {0};
    hx_status status = open_for_reading(path, diag, place, &file, &about);
    if (status != HX_OK)
        return status;
    if (S_ISREG(about.st_mode) && (uint64_t)about.st_size > limit)
        return diag_report(diag, DIAG_FILE_TOO_LARGE, place, NULL,
                           "'%s' has %llu bytes, at most %zu are read", path,
                           (unsigned long long)about.st_size, limit);
    HX_AUTO(text_done) struct text text = {.allocator = allocator};
    bool has_room = reserve_for(&text, &about, limit);
    for (ssize_t got = -1; has_room && got != 0;) {
        got = read(file, text.at + text.length, PIECE_BYTES);
        if (got < 0 && errno != EINTR)
            return report_errno(diag, DIAG_FILE_READ, place, "read", path, errno);
        text.length += got > 0 ? (size_t)got : 0;
        if (text.length > limit)
            return diag_report(diag, DIAG_FILE_TOO_LARGE, place, NULL,
                               "'%s' has more than %zu bytes, and no more are read", path, limit);
        has_room = memory_list_reserve(allocator, (void **)&text.at, text.length, &text.capacity,
                                       PIECE_BYTES + 1, 1);
    }
    if (!has_room)
        return diag_no_memory(diag);
    text.at[text.length] = 0;
    *ret_bytes = text.at;
    *ret_size = text.length;
    text.at = NULL;
    return HX_OK;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

#define BUFFER_BYTES ((size_t)32 << 10)

struct file_writer {
    const hx_allocator *allocator;
    char *path, *target; /* as the user wrote it; what links lead to */
    char *temporary;     /* NULL: written in place */
    int file;
    int error; /* errno of the first failed write */
    size_t waiting;
    char buffer[BUFFER_BYTES];
};

static void writer_free(struct file_writer *writer)
{
    if (writer->file >= 0)
        close(writer->file);
    memory_free(writer->allocator, writer->path);
    memory_free(writer->allocator, writer->target);
    memory_free(writer->allocator, writer->temporary);
    memory_free(writer->allocator, writer);
}

void file_writer_abandon(struct file_writer *writer)
{
    if (!writer)
        return;
    if (writer->temporary)
        unlink(writer->temporary);
    writer_free(writer);
}

static char *copy_text(const hx_allocator *allocator, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memory_allocate(allocator, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Makes a file of a new name beside the target. The mode is left to the umask, as for any file. */
static hx_status open_temporary(struct file_writer *writer, mode_t mode)
{
    static const char pattern[] = ".hexec-0123456789abcdef";
    const char *slash = strrchr(writer->target, '/');
    size_t folder = slash ? (size_t)(slash - writer->target) + 1 : 0;
    char *name = memory_allocate(writer->allocator, folder + sizeof pattern, 1);
    if (!name)
        return HX_NO_MEMORY;
    memcpy(name, writer->target, folder);
    for (unsigned attempt = 0; attempt < 100 && writer->file < 0; attempt++) {
        unsigned long long unique = machine_now_ns() * 100 + attempt + ((unsigned long long)getpid() << 40);
        snprintf(name + folder, sizeof pattern, ".hexec-%016llx", unique);
        writer->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (writer->file < 0 && errno != EEXIST)
            break;
    }
    writer->error = writer->file < 0 ? errno : 0;
    if (writer->file >= 0)
        writer->temporary = name;
    else
        memory_free(writer->allocator, name);
    return writer->error ? HX_IO : HX_OK;
}

static hx_status open_target(struct file_writer *writer)
{
    char resolved[PATH_MAX];
    struct stat about;
    bool exists = stat(writer->path, &about) == 0;
    writer->target =
        copy_text(writer->allocator, exists && realpath(writer->path, resolved) ? resolved : writer->path);
    if (!writer->target)
        return HX_NO_MEMORY;
    if (exists && !S_ISREG(about.st_mode)) {
        writer->file = open(writer->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        writer->error = writer->file < 0 ? errno : 0;
        return writer->error ? HX_IO : HX_OK;
    }
    if (exists && access(writer->target, W_OK) != 0) { /* a rename ignores the mode */
        writer->error = errno;
        return HX_IO;
    }
    hx_status status = open_temporary(writer, 0666);
    if (status == HX_OK && exists)
        (void)!fchmod(writer->file, about.st_mode & 0777); /* the mode is kept */
    return status;
}

hx_status file_writer_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                           struct file_writer **ret_writer)
{
    struct stat about;
    if (strcmp(path, "-") == 0 || *path == 0) {
        diag_report(diag, DIAG_FILE_WRITE, (struct place){0}, "name a file", "cannot write to '%s'", path);
        return HX_INVALID;
    }
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        diag_report(diag, DIAG_FILE_DIRECTORY, (struct place){0}, "name a file in it", "'%s' is a directory",
                    path);
        return HX_IO;
    }
    struct file_writer *writer = memory_allocate(allocator, 1, sizeof *writer);
    if (!writer)
        return diag_no_memory(diag);
    *writer = (struct file_writer){.allocator = allocator, .file = -1};
    writer->path = copy_text(allocator, path);
    hx_status status = writer->path ? open_target(writer) : HX_NO_MEMORY;
    if (status == HX_OK) {
        *ret_writer = writer;
        return HX_OK;
    }
    status = status == HX_NO_MEMORY
                 ? diag_no_memory(diag)
                 : report_errno(diag, DIAG_FILE_WRITE, (struct place){0}, "write", path, writer->error);
    writer_free(writer);
    return status;
}

static void put_through(struct file_writer *writer, const char *at, size_t size)
{
    while (size > 0 && writer->error == 0) {
        ssize_t put = write(writer->file, at, size);
        if (put < 0 && errno != EINTR)
            writer->error = errno;
        if (put == 0)
            writer->error = EIO;
        if (put > 0) {
            at += put;
            size -= (size_t)put;
        }
    }
}

static void flush(struct file_writer *writer)
{
    put_through(writer, writer->buffer, writer->waiting);
    writer->waiting = 0;
}

hx_status file_writer_put(struct file_writer *writer, const void *bytes, size_t size)
{
    if (size > BUFFER_BYTES - writer->waiting)
        flush(writer);
    if (size >= BUFFER_BYTES) {
        put_through(writer, bytes, size);
    } else if (size > 0) {
        memcpy(writer->buffer + writer->waiting, bytes, size);
        writer->waiting += size;
    }
    return writer->error ? HX_IO : HX_OK;
}

hx_status file_writer_commit(struct file_writer *writer, hx_diag *diag)
{
    flush(writer);
    int file = writer->file;
    writer->file = -1;
    if (close(file) != 0 && writer->error == 0)
        writer->error = errno;
    if (writer->error == 0 && writer->temporary && rename(writer->temporary, writer->target) != 0)
        writer->error = errno;
    hx_status status = HX_OK;
    if (writer->error) {
        status = report_errno(diag, DIAG_FILE_WRITE, (struct place){0}, "write", writer->path, writer->error);
        if (writer->temporary)
            unlink(writer->temporary);
    }
    writer_free(writer);
    return status;
}

hx_status file_write(const char *path, const void *bytes, size_t size, hx_diag *diag)
{
    struct file_writer *writer = NULL;
    hx_status status = file_writer_open(path, NULL, diag, &writer);
    if (status != HX_OK || !writer)
        return status;
    (void)!file_writer_put(writer, bytes, size); /* an error is kept and reported by commit */
    return file_writer_commit(writer, diag);
}
