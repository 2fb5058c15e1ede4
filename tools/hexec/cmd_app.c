/* hexec app: runs a program that uses a GPU, with hexec in the GPU's place.
 *
 * Takes the program and its arguments; sets the variables by which OpenCL's loader and the system's find
 * hexec's drivers, and those that the drivers read; waits for the program and reports what it did. Drivers
 * keep that in files of a folder while they do it, so that the report is complete however the program ends,
 * and is one of all processes that the program started. */
#include "exports.h"
#include "run.h"

#include "base/file.h"
#include "base/machine.h"
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_OF_SIGNAL 128 /* and the signal's number, as shells have it */

/* Where drivers are from the folder of this program: in a build, and where it is installed. */
static const char *const folders[] = {"lib/hexec", "../" HEXEC_LIBDIR "/hexec"};

/* The folder of the drivers, of this build or installation. */
static hx_status find_drivers(struct command *command, struct arena *arena, const char **ret_folder)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < HX_COUNT_OF(folders); i++) {
        const char *folder = arena_format(arena, "%s/%s", self, folders[i]);
        const char *driver = folder ? arena_format(arena, "%s/cuda/libcuda.so.1", folder) : NULL;
        struct stat about;
        if (!driver)
            return diag_no_memory(command->diag);
        if (stat(driver, &about) == 0) {
            *ret_folder = folder;
            return HX_OK;
        }
    }
    return diag_report(command->diag, DIAG_APP, (struct place){0},
                       "build all of hexec, or install it: its drivers are in lib/hexec",
                       "app: this hexec has no driver beside it");
}

/* ---- The environment ----------------------------------------------------------------------------------- */

/* A variable is set to what an option says; without the option it stays as it is. */
static bool pass_option(const struct options *options, enum option_id id)
{
    char variable[64];
    const struct option_value *value = option_value(options, id);
    return !value || setenv(option_variable(id, variable), value->text, 1) == 0;
}

static bool set_flag(const char *variable, bool is_on)
{
    return (is_on ? setenv(variable, "1", 1) : unsetenv(variable)) == 0;
}

static bool wants_profile(const struct options *options)
{
    return option_is_on(options, OPTION_PROFILE) || exports_wanted(options);
}

/* The same for a file, which the program finds wherever it goes. */
static bool pass_file(const struct options *options, enum option_id id)
{
    char variable[64], path[PATH_MAX];
    const char *file = option_text(options, id);
    return !file || setenv(option_variable(id, variable), realpath(file, path) ? path : file, 1) == 0;
}

static hx_status set_variables(struct command *command, struct arena *arena, const char *folder,
                               const char *record)
{
    const struct options *options = command->options;
    const char *icd = arena_format(arena, "%s/hexec.icd", folder);
    const char *others = getenv("LD_LIBRARY_PATH");
    const char *libraries = arena_format(arena, "%s/cuda:%s%s%s", folder, folder,
                                         others && *others ? ":" : "", others ? others : "");
    bool is_set = icd && setenv("OCL_ICD_VENDORS", icd, 1) == 0;
    is_set &= libraries && setenv("LD_LIBRARY_PATH", libraries, 1) == 0;
    is_set &= setenv("HEXEC_APP_REPORT", option_is_on(options, OPTION_JSON) ? "json" : "text", 1) == 0;
    is_set &= setenv("HEXEC_APP_RECORD", record, 1) == 0;
    is_set &= set_flag("HEXEC_APP_TRACE", option_value(options, OPTION_TRACE) != NULL);
    is_set &= set_flag("HEXEC_APP_SARIF", option_value(options, OPTION_SARIF) != NULL);
    is_set &= set_flag("HEXEC_APP_PROFILE", wants_profile(options)) && pass_option(options, OPTION_DEVICE);
    is_set &= pass_option(options, OPTION_WORKERS) && pass_option(options, OPTION_SEED) &&
              pass_option(options, OPTION_TIER) && pass_option(options, OPTION_TIMEOUT) &&
              pass_option(options, OPTION_CHECK) && pass_option(options, OPTION_ERROR_LIMIT) &&
              pass_file(options, OPTION_SUPPRESSIONS);
    return is_set ? HX_OK : diag_no_memory(command->diag);
}

/* What is wrong with the list of checkers, of what is known, or with what is made of a profile, is said
 * before the program runs, not by each of its processes. */
static hx_status check_options(struct command *command)
{
    hx_checks_options wanted;
    hx_status status = checks_wanted(command, &wanted);
    hx_suppressions_free(wanted.suppressions);
    if (status == HX_OK)
        status = exports_check(command);
    return status == HX_OK ? profile_check_printing(command) : status;
}

/* ---- The program --------------------------------------------------------------------------------------- */

/* Signals that end programs: from the terminal they reach the program, too; others are passed on to it. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void pass_on(pid_t child, const siginfo_t *signal)
{
    if (signal->si_code == SI_USER || signal->si_code == SI_QUEUE || signal->si_code == SI_TKILL)
        (void)kill(child, signal->si_signo);
}

/* Its exit status as a shell has it. */
static int wait_for(pid_t child, const sigset_t *awaited)
{
    int status = 0;
    for (;;) {
        siginfo_t signal;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFSIGNALED(status) ? EXIT_OF_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
        if (sigwaitinfo(awaited, &signal) > 0 && signal.si_signo != SIGCHLD)
            pass_on(child, &signal);
    }
}

/* In the child. It ends with hexec, which may be killed. `said` gets the error, or ends when the program
 * runs.
 */
_Noreturn static void become(char *const *words, const sigset_t *before, pid_t parent, int said)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigprocmask(SIG_SETMASK, before, NULL);
    if (getppid() == parent)
        execvp(words[0], words);
    const int error = errno;
    (void)!write(said, &error, sizeof error);
    _exit(127);
}

/* Has the program NVIDIA's CUDA runtime in it (nvcc without -cudart shared)? */
static bool has_own_runtime(const char *name)
{
    static const char mark[] = "libcudart_static_"; /* part of names that its files leave in a program */
    struct text path HX_AUTO(text_done) = {0};
    struct stat about;
    const int file = process_find(name, &path) ? open(path.at, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    const bool is_there = fstat(file, &about) == 0 && about.st_size > 0;
    const size_t bytes = is_there ? (size_t)about.st_size : 0;
    const void *text = is_there ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    (void)close(file);
    if (text == MAP_FAILED)
        return false;
    const bool has_mark = memmem(text, bytes, mark, sizeof mark - 1) != NULL;
    (void)munmap((void *)(uintptr_t)text, bytes);
    return has_mark;
}

static hx_status run_program(struct command *command, char *const *words, int *ret_exit)
{
    int said[2], error = 0;
    sigset_t awaited, before;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (size_t i = 0; i < HX_COUNT_OF(ending); i++)
        sigaddset(&awaited, ending[i]);
    if (pipe2(said, O_CLOEXEC) != 0)
        return file_report_error(command->diag, DIAG_APP, (struct place){0}, "run", words[0], errno);
    const pid_t parent = getpid();
    (void)sigprocmask(SIG_BLOCK, &awaited, &before);
    const pid_t child = fork();
    if (child == 0)
        become(words, &before, parent, said[1]);
    error = child < 0 ? errno : 0;
    (void)close(said[1]);
    if (child > 0 && read(said[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0;
    (void)close(said[0]);
    if (child > 0)
        *ret_exit = wait_for(child, &awaited);
    if (error == 0 && has_own_runtime(words[0]))
        diag_report(command->diag, DIAG_APP_RUNTIME, (struct place){0}, "build it with nvcc -cudart shared",
                    "'%s' has NVIDIA's CUDA runtime in it, which does not use hexec", words[0]);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return error ? file_report_error(command->diag, DIAG_APP, (struct place){0}, "run", words[0], error)
                 : HX_OK;
}

/* ---- The report ---------------------------------------------------------------------------------------- */

struct taker {
    const struct command *command;
    bool has_taken; /* a profile */
};

static hx_status export(void *user, const hx_profile *profile)
{
    struct taker *taker = user;
    taker->has_taken = true;
    return exports_write(taker->command, profile, NULL);
}

static hx_status report(struct command *command, const char *record, uint64_t program_ns, int *exit_code)
{
    struct text out HX_AUTO(text_done) = {0};
    uint64_t findings = 0, errors = 0;
    const char *output = option_text(command->options, OPTION_OUTPUT);
    struct taker taker = {.command = command};
    const hx_profile_print_options printing = profile_print_options(command);
    const hx_session_report_options wanted = {.size = sizeof wanted,
                                              .profile = wants_profile(command->options) ? &printing : NULL,
                                              .take_profile = export,
                                              .take_user = &taker,
                                              .folder = record,
                                              .program_ns = program_ns,
                                              .json = option_is_on(command->options, OPTION_JSON),
                                              .sarif = option_text(command->options, OPTION_SARIF),
                                              .ret_errors = &errors};
    hx_status status = hx_session_report_records(&wanted, command->diag, text_write, &out, &findings);
    if (status == HX_OK && wanted.profile && !taker.has_taken)
        diag_report(command->diag, DIAG_SESSION_PROFILE, (struct place){0},
                    "see whether it uses OpenCL or CUDA",
                    "there is no profile, and no file of one: the program launched no kernel");
    if (status == HX_OK && output)
        status = file_write(output, out.at, out.length, command->diag);
    else if (status == HX_OK) /* standard output is the program's */
        for (size_t done = 0; done < out.length;) {
            const ssize_t wrote = write(STDERR_FILENO, out.at + done, out.length - done);
            if (wrote < 0 && errno != EINTR)
                break;
            done += wrote > 0 ? (size_t)wrote : 0;
        }
    if (*exit_code == 0 && (option_is_on(command->options, OPTION_STRICT) ? findings : errors) > 0)
        *exit_code = hx_status_exit_code(HX_MISMATCH);
    return status;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

static hx_status run_in(struct command *command, struct arena *arena, const char *drivers, const char *record)
{
    const struct options *options = command->options;
    hx_status status = set_variables(command, arena, drivers, record);
    char **words = ARENA_ARRAY(arena, char *, options->argument_count + 1);
    if (status == HX_OK && !words)
        status = diag_no_memory(command->diag);
    for (size_t i = 0; status == HX_OK && i < options->argument_count; i++)
        words[i] = (char *)(uintptr_t)options->arguments[i];
    const uint64_t start = machine_now_ns();
    if (status == HX_OK)
        status = run_program(command, words, &command->exit_code);
    return status == HX_OK ? report(command, record, machine_now_ns() - start, &command->exit_code) : status;
}

hx_status cmd_app(struct command *command)
{
    struct arena arena HX_AUTO(arena_done) = {0};
    const char *drivers = NULL, *temporary = getenv("TMPDIR");
    hx_status status = check_options(command);
    if (status == HX_OK)
        status = find_drivers(command, &arena, &drivers);
    if (status != HX_OK)
        return status;
    char *record = arena_format(&arena, "%s/hexec-app-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!record)
        return diag_no_memory(command->diag);
    if (!mkdtemp(record))
        return file_report_error(command->diag, DIAG_APP, (struct place){0}, "make", record, errno);
    status = run_in(command, &arena, drivers, record);
    remove_folder(record);
    return status;
}
