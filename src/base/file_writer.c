/* Writing files.
 *
 * What is written goes to a file without a name and is linked to its name when it is complete: a full disk, a
 * crash or SIGKILL leaves neither half a file nor a temporary one. Where the system has no such files, the
 * file has a temporary name in the same directory until it is renamed. Only a pipe or a device is written in
 * place: a rename would replace it. */
#include "base/file.h"

#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)32 << 10)

struct file_writer {
    const hx_allocator *allocator;
    const struct file_wait *wait;
    char *path, *target; /* as the user wrote it; what links lead to */
    char *temporary;     /* the name until the end; NULL: there is none */
    bool is_unnamed;     /* linked to its name at the end */
    int file;
    int error;        /* errno of the first failed write */
    hx_status status; /* HX_INTERRUPTED or HX_LIMIT: what ended a wait */
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

/* ---- Where it goes ------------------------------------------------------------------------------------- */

#define LINKS_MOST 40 /* as the kernel has it */

/* What a link leads to that leads to nothing: the name that the file is to have. False with errno. */
static bool follow_links(const char *path, char *ret_target)
{
    struct stat about;
    size_t length = strlen(path);
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(ret_target, path, length + 1);
    for (int links = 0; lstat(ret_target, &about) == 0 && S_ISLNK(about.st_mode); links++) {
        char value[PATH_MAX];
        const ssize_t got = readlink(ret_target, value, sizeof value);
        const char *slash = strrchr(ret_target, '/');
        const size_t folder = got > 0 && value[0] != '/' && slash ? (size_t)(slash - ret_target) + 1 : 0;
        if (got < 0 || links == LINKS_MOST || folder + (size_t)got >= PATH_MAX) {
            errno = got < 0 ? errno : links == LINKS_MOST ? ELOOP : ENAMETOOLONG;
            return false;
        }
        memcpy(ret_target + folder, value, (size_t)got);
        ret_target[folder + (size_t)got] = 0;
    }
    return true;
}

bool file_target(const char *path, char *ret_target)
{
    return realpath(path, ret_target) || follow_links(path, ret_target);
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Names the file beside the target as nothing else is named, with `make`, which says whether it did. */
static hx_status make_temporary(struct file_writer *writer, bool (*make)(struct file_writer *, const char *))
{
    static const char pattern[] = ".hexec-0123456789abcdef";
    const size_t folder = folder_length(writer->target);
    char *name = memory_allocate(writer->allocator, folder + sizeof pattern, 1);
    if (!name)
        return HX_NO_MEMORY;
    memcpy(name, writer->target, folder);
    bool is_made = false;
    errno = EEXIST;
    for (unsigned attempt = 0; attempt < 100 && !is_made && errno == EEXIST; attempt++) {
        unsigned long long unique = machine_now_ns() * 100 + attempt + ((unsigned long long)getpid() << 40);
        snprintf(name + folder, sizeof pattern, ".hexec-%016llx", unique);
        is_made = make(writer, name);
    }
    writer->error = is_made ? 0 : errno;
    if (is_made)
        writer->temporary = name;
    else
        memory_free(writer->allocator, name);
    return writer->error ? HX_IO : HX_OK;
}

/* The mode is left to the umask, as for any file. */
#define NEW_FILE_MODE 0666

static bool create_named(struct file_writer *writer, const char *name)
{
    writer->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
    return writer->file >= 0;
}

#define OWN_FILE_BYTES 40

/* The name under which /proc has an open file, by which one without a name can be linked. */
static const char *own_name(const struct file_writer *writer, char *ret_name)
{
    snprintf(ret_name, OWN_FILE_BYTES, "/proc/self/fd/%d", writer->file);
    return ret_name;
}

static bool link_to(struct file_writer *writer, const char *name)
{
    char own[OWN_FILE_BYTES];
    return linkat(AT_FDCWD, own_name(writer, own), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Not every file system has files without a name, and not every process sees /proc. */
static void open_unnamed(struct file_writer *writer)
{
#ifdef O_TMPFILE
    char own[OWN_FILE_BYTES], folder[PATH_MAX] = ".";
    const size_t length = folder_length(writer->target);
    if (length >= sizeof folder)
        return;
    memcpy(folder, writer->target, length);
    folder[length ? length : 1] = 0;
    writer->file = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, NEW_FILE_MODE);
    writer->is_unnamed = writer->file >= 0 && access(own_name(writer, own), F_OK) == 0;
    if (writer->file >= 0 && !writer->is_unnamed) {
        close(writer->file);
        writer->file = -1;
    }
#endif
}

#define POLL_MS 20

/* A pipe is open when somebody reads it; there is no event to wait for until then. */
hx_status file_open_pipe(const char *path, const struct file_wait *wait, int *ret_file, int *ret_error)
{
    const uint64_t start_ns = machine_now_ns();
    int file;
    while ((file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0) {
        if (errno != EINTR && errno != ENXIO) {
            *ret_error = errno;
            return HX_IO;
        }
        (void)poll(NULL, 0, POLL_MS);
        const hx_status status = file_wait_check(wait, start_ns);
        if (status != HX_OK)
            return status;
    }
    *ret_file = file;
    return HX_OK;
}

static hx_status open_in_place(struct file_writer *writer, bool is_pipe)
{
    if (is_pipe)
        return file_open_pipe(writer->target, writer->wait, &writer->file, &writer->error);
    writer->file = open(writer->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    writer->error = writer->file < 0 ? errno : 0;
    return writer->error ? HX_IO : HX_OK;
}

static hx_status open_target(struct file_writer *writer)
{
    char target[PATH_MAX];
    struct stat about;
    const bool exists = stat(writer->path, &about) == 0;
    if (!file_target(writer->path, target)) {
        writer->error = errno;
        return HX_IO;
    }
    writer->target = copy_text(writer->allocator, target);
    if (!writer->target)
        return HX_NO_MEMORY;
    if (exists && !S_ISREG(about.st_mode))
        return open_in_place(writer, S_ISFIFO(about.st_mode));
    if (exists && access(writer->target, W_OK) != 0) { /* a rename ignores the mode */
        writer->error = errno;
        return HX_IO;
    }
    open_unnamed(writer);
    hx_status status = writer->is_unnamed ? HX_OK : make_temporary(writer, create_named);
    if (status == HX_OK && exists)
        (void)!fchmod(writer->file, about.st_mode & 0777); /* the mode is kept */
    return status;
}

/* ---- The writer ---------------------------------------------------------------------------------------- */

static hx_status report(const struct file_writer *writer, hx_status status, hx_diag *diag)
{
    if (status == HX_NO_MEMORY || (status == HX_IO && writer->error == ENOMEM))
        return diag_no_memory(diag);
    if (status == HX_IO)
        return file_report_error(diag, DIAG_FILE_WRITE, (struct place){0}, "write", writer->path,
                                 writer->error);
    return file_wait_report(status, writer->wait, "write", writer->path, (struct place){0}, diag);
}

hx_status file_writer_open(const char *path, const struct file_wait *wait, const hx_allocator *allocator,
                           hx_diag *diag, struct file_writer **ret_writer)
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
    *writer = (struct file_writer){.allocator = allocator, .wait = wait, .file = -1};
    writer->path = copy_text(allocator, path);
    hx_status status = writer->path ? open_target(writer) : HX_NO_MEMORY;
    if (status == HX_OK) {
        *ret_writer = writer;
        return HX_OK;
    }
    status = report(writer, status, diag);
    writer_free(writer);
    return status;
}

/* Waits until a pipe takes bytes, whose reader may be slow. */
static void wait_for_room(struct file_writer *writer, uint64_t since_ns)
{
    struct pollfd ready = {.fd = writer->file, .events = POLLOUT};
    while (writer->status == HX_OK && poll(&ready, 1, POLL_MS) <= 0)
        writer->status = file_wait_check(writer->wait, since_ns);
}

static void put_through(struct file_writer *writer, const char *at, size_t size)
{
    uint64_t since_ns = machine_now_ns();
    while (size > 0 && writer->error == 0 && writer->status == HX_OK) {
        ssize_t put = write(writer->file, at, size);
        if (put < 0 && errno == EAGAIN)
            wait_for_room(writer, since_ns);
        else if (put < 0 && errno != EINTR)
            writer->error = errno;
        if (put == 0)
            writer->error = EIO;
        if (put > 0) {
            at += put;
            size -= (size_t)put;
            since_ns = machine_now_ns();
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
    return writer->error ? HX_IO : writer->status;
}

/* Gives the complete file its name, in place of one that has it. */
static void take_name(struct file_writer *writer)
{
    if (writer->is_unnamed && link_to(writer, writer->target))
        return;
    if (writer->is_unnamed && errno == EEXIST) { /* a link replaces nothing, a rename does */
        if (make_temporary(writer, link_to) == HX_NO_MEMORY)
            writer->error = ENOMEM;
    } else if (writer->is_unnamed)
        writer->error = errno;
    if (writer->error == 0 && writer->temporary && rename(writer->temporary, writer->target) != 0)
        writer->error = errno;
}

hx_status file_writer_commit(struct file_writer *writer, hx_diag *diag)
{
    flush(writer);
    if (writer->error == 0 && writer->status == HX_OK && writer->is_unnamed)
        take_name(writer);
    int file = writer->file;
    writer->file = -1;
    if (close(file) != 0 && writer->error == 0)
        writer->error = errno;
    if (writer->error == 0 && writer->status == HX_OK && !writer->is_unnamed)
        take_name(writer);
    hx_status status = writer->error ? HX_IO : writer->status;
    if (status != HX_OK) {
        status = report(writer, status, diag);
        if (writer->temporary)
            unlink(writer->temporary);
    }
    writer_free(writer);
    return status;
}

hx_status file_write_waiting(const char *path, const struct file_wait *wait, const void *bytes, size_t size,
                             hx_diag *diag)
{
    struct file_writer *writer = NULL;
    hx_status status = file_writer_open(path, wait, NULL, diag, &writer);
    if (status != HX_OK || !writer)
        return status;
    (void)!file_writer_put(writer, bytes, size); /* an error is kept and reported by commit */
    return file_writer_commit(writer, diag);
}

hx_status file_write(const char *path, const void *bytes, size_t size, hx_diag *diag)
{
    return file_write_waiting(path, NULL, bytes, size, diag);
}
