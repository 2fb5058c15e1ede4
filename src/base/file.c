/* Reading files.
 *
 * Takes a path, leaves all bytes, with a NUL behind them so that text needs no copy, or a piece at a time. A
 * reader never blocks in a read: it polls the pipe for a moment at a time and checks between two moments
 * whether the wait must end. */
#include "base/file.h"

#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hx_status file_report_error(hx_diag *diag, enum diag_code code, struct place place, const char *what,
                            const char *path, int error)
{
    char reason[128];
    diag_report(diag, code, place, NULL, "cannot %s '%s': %s", what, path,
                strerror_r(error, reason, sizeof reason));
    return HX_IO;
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

hx_status file_wait_check(const struct file_wait *wait, uint64_t since_ns)
{
    if (!wait)
        return HX_OK;
    if (wait->interrupted && atomic_load_explicit(wait->interrupted, memory_order_relaxed))
        return HX_INTERRUPTED;
    return wait->limit_ns && machine_now_ns() - since_ns > wait->limit_ns ? HX_LIMIT : HX_OK;
}

hx_status file_wait_report(hx_status status, const struct file_wait *wait, const char *what, const char *path,
                           struct place place, hx_diag *diag)
{
    if (status == HX_INTERRUPTED)
        diag_report(diag, DIAG_INTERRUPTED, place, NULL, "the run was interrupted while it waited to %s '%s'",
                    what, path);
    else if (status == HX_LIMIT)
        diag_report(diag, DIAG_TIMEOUT, place,
                    "start the program at the other end of the pipe, or give it more with --timeout",
                    "cannot %s '%s': the other end of the pipe did nothing for %.3g s", what, path,
                    (double)wait->limit_ns * 1e-9);
    return status;
}

/* ---- Whole files --------------------------------------------------------------------------------------- */

static void close_file(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static hx_status open_for_reading(const char *path, int flags, hx_diag *diag, struct place place,
                                  int *ret_file, struct stat *ret_about)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        diag_report(diag, DIAG_FILE_MISSING, place, NULL, "there is no file '%s'", path);
        return HX_IO;
    }
    if (file < 0)
        return file_report_error(diag, DIAG_FILE_READ, place, "read", path, errno);
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
    hx_status status = open_for_reading(path, 0, diag, place, &file, &about);
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
            return file_report_error(diag, DIAG_FILE_READ, place, "read", path, errno);
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

/* ---- A piece at a time --------------------------------------------------------------------------------- */

#define READ_MOST ((size_t)1 << 20) /* between two checks of the wait */
#define POLL_MS   50

hx_status file_reader_open(struct file_reader *reader, const char *path, const struct file_wait *wait,
                           struct place place, hx_diag *diag)
{
    struct stat about = {0};
    *reader = (struct file_reader){
        .path = path, .wait = wait, .place = place, .diag = diag, .file = -1, .bytes = FILE_BYTES_UNKNOWN};
    const hx_status status = open_for_reading(path, O_NONBLOCK, diag, place, &reader->file, &about);
    if (status != HX_OK)
        return status;
    reader->is_pipe = S_ISFIFO(about.st_mode);
    if (!reader->is_pipe && !S_ISREG(about.st_mode)) {
        file_reader_close(reader);
        diag_report(diag, DIAG_FILE_DIRECTORY, place, "name a regular file or a pipe",
                    "'%s' is a device or a socket, of which there is no end to read to", path);
        return HX_IO;
    }
    if (S_ISREG(about.st_mode) && about.st_size > 0) /* files of /proc say 0 and have something in them */
        reader->bytes = (uint64_t)about.st_size;
    return HX_OK;
}

void file_reader_close(struct file_reader *reader)
{
    close_file(&reader->file);
    reader->file = -1;
}

/* HX_OK when a read would not wait. A pipe that nobody has opened to write is not at its end. */
static hx_status wait_for_bytes(const struct file_reader *reader, uint64_t since_ns)
{
    hx_status status = file_wait_check(reader->wait, since_ns);
    struct pollfd ready = {.fd = reader->file, .events = POLLIN};
    while (status == HX_OK && reader->is_pipe && poll(&ready, 1, POLL_MS) <= 0)
        status = file_wait_check(reader->wait, since_ns);
    return status;
}

hx_status file_reader_take(struct file_reader *reader, void *bytes, size_t size, size_t *ret_got)
{
    size_t taken = 0;
    uint64_t since_ns = machine_now_ns();
    while (taken < size) {
        const hx_status status = wait_for_bytes(reader, since_ns);
        if (status != HX_OK)
            return file_wait_report(status, reader->wait, "read", reader->path, reader->place, reader->diag);
        const size_t most = size - taken < READ_MOST ? size - taken : READ_MOST;
        const ssize_t got = read(reader->file, (char *)bytes + taken, most);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return file_report_error(reader->diag, DIAG_FILE_READ, reader->place, "read", reader->path,
                                     errno);
        if (got > 0) {
            taken += (size_t)got;
            since_ns = machine_now_ns();
        }
    }
    *ret_got = taken;
    return HX_OK;
}
