/* Running a program.
 *
 * What it reads and what it writes lies in files without a name (memfd_create), so nothing has to be read
 * while it runs, and nothing is left on the disk whatever happens. */
#include "base/process.h"
#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 100000000u /* of the time that a program is waited for; a step usually takes 2 ms */

extern char **environ;

void process_result_done(struct process_result *result)
{
    text_done(&result->output);
    text_done(&result->errors);
}

/* --- files without a name ------------------------------------------------------------------------------- */

#define FILES_MAX (PROCESS_FIRST_FILE + PROCESS_FILES_MAX)

/* A file with these bytes, to be read from its start, under a number from `lowest` on; -1 with errno. */
static int make_file(struct slice bytes, int lowest)
{
    const int low = memfd_create("hexec", MFD_CLOEXEC);
    const int file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, lowest);
    const int error = errno;
    if (low >= 0)
        close(low);
    errno = error;
    for (size_t done = 0; file >= 0 && done < bytes.length;) {
        const ssize_t count = write(file, bytes.at + done, bytes.length - done);
        if (count < 0 && errno != EINTR) {
            const int failure = errno;
            close(file);
            errno = failure;
            return -1;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

static void read_file(int file, struct text *text)
{
    struct stat is;
    if (fstat(file, &is) != 0 || is.st_size == 0 || !text_reserve(text, (size_t)is.st_size))
        return;
    for (off_t at = 0; at < is.st_size;) {
        char part[65536];
        const ssize_t count = pread(file, part, sizeof part, at);
        if (count == 0 || (count < 0 && errno != EINTR))
            return;
        text_append(text, part, count > 0 ? (size_t)count : 0);
        at += count > 0 ? count : 0;
    }
}

struct files {
    int numbers[FILES_MAX]; /* 0 to 2 are standard input, output and errors */
    size_t count;
};

static void close_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        close(files->numbers[i]);
}

static int open_files(const struct process *process, struct files *files)
{
    const struct slice standard[PROCESS_FIRST_FILE] = {process->input};
    const int lowest = (int)(PROCESS_FIRST_FILE + process->file_count); /* the program gets those below */
    files->count = 0;
    if (process->file_count > PROCESS_FILES_MAX)
        return EMFILE;
    for (size_t i = 0; i < PROCESS_FIRST_FILE + process->file_count; i++) {
        const bool is_standard = i < PROCESS_FIRST_FILE;
        const int file =
            make_file(is_standard ? standard[i] : process->files[i - PROCESS_FIRST_FILE], lowest);
        if (file < 0)
            return errno;
        files->numbers[files->count++] = file;
    }
    return 0;
}

/* --- the process ---------------------------------------------------------------------------------------- */

/* What a shell has set to ignored for a program in the background, or nohup, stays ignored. */
static void choose_default_signals(sigset_t *signals)
{
    sigfillset(signals);
    sigdelset(signals, SIGHUP);
    sigdelset(signals, SIGINT);
    sigdelset(signals, SIGQUIT);
}

static int spawn(const struct process *process, const struct files *files, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    choose_default_signals(&defaults);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    for (size_t i = 0; i < files->count && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, files->numbers[i], (int)i);
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(&actions, (int)files->count);
    if (!error)
        error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (!error)
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) /* the arguments are not changed: the type is one of before C had const */
        error = posix_spawnp(ret_pid, process->arguments[0], &actions, &attributes,
                             (char *const *)process->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the end; a process that runs for too long is killed first. Its time is that in which we run, too:
 * where we do not, a virtual machine stands still, or we are stopped, and the process may have been as well.
 */
static void wait_for(pid_t pid, uint64_t limit_ns, struct process_result *result)
{
    uint64_t last = machine_now_ns(), waited = 0;
    struct timespec pause = {.tv_nsec = 100000};
    bool is_late = false;
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(pid, &status, is_late ? 0 : WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            result->end = is_late               ? PROCESS_TOO_LONG
                          : ended != pid        ? PROCESS_ENDED
                          : WIFSIGNALED(status) ? PROCESS_KILLED
                                                : PROCESS_EXITED;
            result->code = ended != pid ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
            return;
        }
        const uint64_t now = machine_now_ns();
        waited += now - last < STEP_NS ? now - last : STEP_NS;
        last = now;
        if (!is_late && waited > limit_ns) {
            kill(pid, SIGKILL);
            is_late = true;
        } else if (!is_late) {
            nanosleep(&pause, NULL);
            pause.tv_nsec = pause.tv_nsec < 2000000 ? pause.tv_nsec * 2 : pause.tv_nsec;
        }
    }
}

hx_status process_run(const struct process *process, const hx_allocator *allocator,
                      struct process_result *ret_result)
{
    struct files files;
    pid_t pid = 0;
    *ret_result = (struct process_result){.output.allocator = allocator, .errors.allocator = allocator};
    int error = open_files(process, &files);
    ret_result->end = PROCESS_FAILED;
    if (!error) {
        error = spawn(process, &files, &pid);
        ret_result->end = error == ENOENT || error == EACCES ? PROCESS_NOT_FOUND : PROCESS_FAILED;
    }
    ret_result->code = error;
    if (!error) {
        wait_for(pid, process->limit_ns, ret_result);
        read_file(files.numbers[1], &ret_result->output);
        read_file(files.numbers[2], &ret_result->errors);
    }
    close_files(&files);
    return ret_result->output.failed || ret_result->errors.failed ? HX_NO_MEMORY : HX_OK;
}

static bool may_run(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISREG(is.st_mode) && access(path, X_OK) == 0;
}

bool process_find(const char *name, struct text *ret_path)
{
    if (strchr(name, '/')) {
        text_print(ret_path, "%s", name);
        return !ret_path->failed && may_run(name);
    }
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        const size_t length = strcspn(at, ":");
        ret_path->length = 0;
        text_print(ret_path, "%.*s/%s", (int)length, length ? at : ".", name);
        if (ret_path->failed || may_run(ret_path->at))
            return !ret_path->failed;
        at += length + (at[length] == ':');
    }
    return false;
}
