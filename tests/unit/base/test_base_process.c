/* Programs that are run: what they read and write, how they end; and what the cache keeps. */
#include "base/disk_cache.h"
#include "base/process.h"
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

START_TEST(it_has_no_file_and_no_signal_of_ours)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    signal(SIGTERM, SIG_IGN);
    char script[128];
    snprintf(script, sizeof script, "kill -TERM $$; test ! -e /proc/self/fd/%d", ends[0] > 9 ? ends[0] : 99);
    struct process_result result HX_AUTO(process_result_done) = run(script, slice_of(""), 60 * SECOND_NS);
    signal(SIGTERM, SIG_DFL);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_eq(result.end, PROCESS_KILLED); /* the signal that we ignore is not ignored there */
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

UNIT_MAIN("base/process", it_reads_and_writes, ends_are_distinguished, it_has_no_file_and_no_signal_of_ours,
          programs_are_found_as_a_shell_does, the_cache_keeps_what_it_was_given)
