/* Programs that are run: what they read and write, how they end; and what the cache keeps. */
#include "base/disk_cache.h"
#include "base/process.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

static struct process_result run(const char *script, struct slice input, uint64_t limit_ns)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    static const struct slice files[] = {{"first", 5}, {"second", 6}};
    const struct process process = {
        .arguments = arguments, .input = input, .files = files, .file_count = 2, .limit_ns = limit_ns};
    struct process_result result;
    ck_assert_int_eq(process_run(&process, NULL, &result), HX_OK);
    return result;
}

START_TEST(it_reads_and_writes)
{
    struct text large HX_AUTO(text_done) = {0};
    for (int i = 0; i < 100000; i++)
        text_print(&large, "%d\n", i);
    struct process_result result HX_AUTO(process_result_done) =
        run("cat; cat /proc/self/fd/3 /proc/self/fd/4 >&2", (struct slice){large.at, large.length},
            60 * SECOND_NS);
    ck_assert_int_eq(result.end, PROCESS_EXITED);
    ck_assert_int_eq(result.code, 0);
    ck_assert_uint_eq(result.output.length, large.length);
    ck_assert_int_eq(memcmp(result.output.at, large.at, large.length), 0);
    ck_assert_str_eq(result.errors.at, "firstsecond");
}
END_TEST

START_TEST(ends_are_distinguished)
{
    struct process_result exited HX_AUTO(process_result_done) = run("exit 7", slice_of(""), 60 * SECOND_NS);
    ck_assert(exited.end == PROCESS_EXITED && exited.code == 7);
    struct process_result killed HX_AUTO(process_result_done) =
        run("kill -TERM $$", slice_of(""), 60 * SECOND_NS);
    ck_assert(killed.end == PROCESS_KILLED && killed.code == SIGTERM);
    struct process_result late HX_AUTO(process_result_done) =
        run("while :; do :; done", slice_of(""), SECOND_NS / 20);
    ck_assert_int_eq(late.end, PROCESS_TOO_LONG);
    const char *const nothing[] = {"/nonexistent/program", NULL};
    struct process_result none HX_AUTO(process_result_done);
    ck_assert_int_eq(process_run(&(struct process){.arguments = nothing}, NULL, &none), HX_OK);
    ck_assert_int_eq(none.end, PROCESS_NOT_FOUND);
}
END_TEST

/* As where a virtual machine stands still: the program was not given its time. */
START_TEST(time_in_which_we_are_stopped_does_not_count)
{
    struct process_result result HX_AUTO(process_result_done) =
        run("kill -STOP $PPID; sleep 2.5; kill -CONT $PPID; sleep 0.1; exit 7", slice_of(""), 2 * SECOND_NS);
    ck_assert_int_eq(result.end, PROCESS_EXITED);
    ck_assert_int_eq(result.code, 7);
}
END_TEST

START_TEST(it_has_no_file_of_ours)
{
    const int number = fcntl(1, F_DUPFD, 200); /* as a host program may have them: not closed by exec */
    ck_assert_int_ge(number, 200);
    char script[64];
    snprintf(script, sizeof script, "test -e /proc/self/fd/4 && test ! -e /proc/self/fd/%d", number);
    struct process_result result HX_AUTO(process_result_done) = run(script, slice_of(""), 60 * SECOND_NS);
    close(number);
    ck_assert(result.end == PROCESS_EXITED && result.code == 0);
}
END_TEST

static struct process_result run_ignoring(int number, const char *script)
{
    signal(number, SIG_IGN);
    struct process_result result = run(script, slice_of(""), 60 * SECOND_NS);
    signal(number, SIG_DFL);
    return result;
}

START_TEST(signals_have_their_default_actions)
{
    struct process_result killed HX_AUTO(process_result_done) =
        run_ignoring(SIGTERM, "kill -TERM $$; exit 3");
    ck_assert_int_eq(killed.end, PROCESS_KILLED); /* what we ignore is not ignored there */
    struct process_result left HX_AUTO(process_result_done) = run_ignoring(SIGHUP, "kill -HUP $$; exit 3");
    ck_assert_int_eq(left.end, PROCESS_EXITED); /* but what nohup has set to ignored */
    ck_assert_int_eq(left.code, 3);
    struct process_result unknown HX_AUTO(process_result_done) = run_ignoring(SIGCHLD, "echo text; exit 3");
    ck_assert_int_eq(unknown.end, PROCESS_ENDED);
    ck_assert_str_eq(unknown.output.at, "text\n");
}
END_TEST

START_TEST(programs_are_found_as_a_shell_does)
{
    struct text path HX_AUTO(text_done) = {0};
    ck_assert(process_find("sh", &path));
    ck_assert_int_eq(access(path.at, X_OK), 0);
    path.length = 0;
    ck_assert(!process_find("no-such-program-at-all", &path));
    path.length = 0;
    ck_assert(!process_find("/etc/passwd", &path));
}
END_TEST

/* --- the cache ------------------------------------------------------------------------------------------ */

static bool get_is(const char *key, const char *value)
{
    struct text got HX_AUTO(text_done) = {0};
    return disk_cache_get("test", slice_of(key), &got) && strcmp(got.at ? got.at : "", value) == 0;
}

START_TEST(the_cache_keeps_what_it_was_given)
{
    char folder[] = "/tmp/hexec-cache-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    char below[64], command[96];
    snprintf(below, sizeof below, "%s/a/b", folder);
    setenv("HEXEC_CACHE", below, 1);
    ck_assert(!get_is("one", "1"));
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    disk_cache_put("test", slice_of("two"), slice_of(""), NULL);
    ck_assert(get_is("one", "1"));
    ck_assert(get_is("two", ""));
    ck_assert(!get_is("three", "1"));
    disk_cache_put("test", slice_of("one"), slice_of("other"), NULL);
    ck_assert(get_is("one", "other"));
    setenv("HEXEC_CACHE", "off", 1);
    ck_assert(!get_is("one", "other"));
    setenv("HEXEC_CACHE", "/proc/no/such", 1); /* what cannot be kept is no error */
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    ck_assert(!get_is("one", "1"));
    unsetenv("HEXEC_CACHE");
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A file of a size, without any bytes on the disk. */
static void make_file(const char *folder, const char *name, off_t bytes, time_t used)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(ftruncate(file, bytes), 0);
    ck_assert_int_eq(futimens(file, (struct timespec[]){{.tv_sec = used}, {.tv_sec = used}}), 0);
    close(file);
}

static bool is_there(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* HEXEC_CACHE may name a folder that has other files. */
START_TEST(the_cache_removes_its_own_entries_alone)
{
    char folder[] = "/tmp/hexec-cache-XXXXXX", command[96];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("HEXEC_CACHE", folder, 1);
    make_file(folder, "letters.tar", CACHE_BYTES_MAX, 1000);
    make_file(folder, "photo-0123456789abcdef.png", CACHE_BYTES_MAX, 1000);
    make_file(folder, "test-0123456789abcde0", CACHE_BYTES_MAX / 2, 1000);
    make_file(folder, "test-0123456789abcde1", CACHE_BYTES_MAX / 2, 2000);
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    ck_assert(get_is("one", "1"));
    ck_assert(is_there(folder, "letters.tar"));
    ck_assert(is_there(folder, "photo-0123456789abcdef.png"));
    ck_assert(!is_there(folder, "test-0123456789abcde0"));
    ck_assert(is_there(folder, "test-0123456789abcde1"));
    /* sizes are read once in ten seconds */
    make_file(folder, "test-0123456789abcde2", CACHE_BYTES_MAX, 3000);
    disk_cache_put("test", slice_of("two"), slice_of("2"), NULL);
    ck_assert(is_there(folder, "test-0123456789abcde2"));
    make_file(folder, "counted", 0, 4000);
    disk_cache_put("test", slice_of("three"), slice_of("3"), NULL);
    ck_assert(!is_there(folder, "test-0123456789abcde1"));
    ck_assert(!is_there(folder, "test-0123456789abcde2"));
    ck_assert(get_is("one", "1"));
    ck_assert(get_is("three", "3"));
    unsetenv("HEXEC_CACHE");
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* What has an entry's name and is no file is neither read, which might wait for ever, nor replaced. */
START_TEST(the_cache_takes_files_alone_for_entries)
{
    char folder[] = "/tmp/hexec-cache-XXXXXX", command[160];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("HEXEC_CACHE", folder, 1);
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    snprintf(command, sizeof command, "cd %s && name=$(ls test-*) && rm $name && ln -s other $name", folder);
    ck_assert_int_eq(system(command), 0);
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    ck_assert(!is_there(folder, "other"));
    snprintf(command, sizeof command, "cd %s && name=$(ls test-*) && rm $name && mkfifo $name", folder);
    ck_assert_int_eq(system(command), 0);
    disk_cache_put("test", slice_of("one"), slice_of("1"), NULL);
    ck_assert(!get_is("one", "1"));
    unsetenv("HEXEC_CACHE");
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

UNIT_MAIN("base/process", it_reads_and_writes, ends_are_distinguished,
          time_in_which_we_are_stopped_does_not_count, it_has_no_file_of_ours,
          signals_have_their_default_actions, programs_are_found_as_a_shell_does,
          the_cache_keeps_what_it_was_given, the_cache_removes_its_own_entries_alone,
          the_cache_takes_files_alone_for_entries)
