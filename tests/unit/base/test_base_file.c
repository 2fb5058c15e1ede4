/* Files: what reading refuses, and that a file is written in full or not at all. */
#include "unit.h"

#include "base/crc32.h"
#include "base/file.h"
#include "base/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/hexec-unit-XXXXXX";
static hx_diag *diag;

static void setup(void)
{
    strcpy(folder, "/tmp/hexec-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    diag = NULL;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
}

static void clean_up(void)
{
    hx_diag_free(diag);
    DIR *listing = opendir(".");
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        if (entry->d_name[0] != '.' || entry->d_name[1] == 'h')
            remove(entry->d_name);
    closedir(listing);
    ck_assert_int_eq(chdir("/"), 0);
    rmdir(folder);
}

static size_t files_here(void)
{
    size_t count = 0;
    DIR *listing = opendir(".");
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

static const struct place nowhere = {0};

static void check_content(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(file_read(path, 1 << 20, NULL, diag, nowhere, &bytes, &size), HX_OK);
    ck_assert_str_eq(bytes, expected);
    ck_assert_uint_eq(size, strlen(expected));
    memory_free(NULL, bytes);
}

static void check_refused(const char *path, size_t limit, hx_status status, int code)
{
    char *bytes = NULL;
    size_t size = 77;
    hx_diag_clear(diag);
    ck_assert_int_eq(file_read(path, limit, NULL, diag, nowhere, &bytes, &size), status);
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(size, 77);
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, code);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, path));
}

START_TEST(a_file_comes_back_as_it_was_written)
{
    enum { BYTES = 300000 };
    char *bytes = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 255);
    ck_assert_int_eq(file_write("big", bytes, BYTES, diag), HX_OK);
    char *back = NULL;
    size_t size = 0;
    ck_assert_int_eq(file_read("big", BYTES, NULL, diag, nowhere, &back, &size), HX_OK);
    ck_assert_uint_eq(size, BYTES);
    ck_assert_int_eq(memcmp(back, bytes, BYTES), 0);
    ck_assert_int_eq(back[size], 0);
    memory_free(NULL, back);
    free(bytes);
    ck_assert_int_eq(file_write("empty", NULL, 0, diag), HX_OK);
    check_content("empty", "");
    ck_assert_uint_eq(files_here(), 2);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
}
END_TEST

START_TEST(reading_refuses)
{
    ck_assert_int_eq(file_write("five", "12345", 5, diag), HX_OK);
    ck_assert_int_eq(mkdir("folder", 0700), 0);
    check_refused("none", 100, HX_IO, DIAG_FILE_MISSING);
    check_refused("none/five", 100, HX_IO, DIAG_FILE_MISSING);
    check_refused("five/five", 100, HX_IO, DIAG_FILE_MISSING);
    check_refused("folder", 100, HX_IO, DIAG_FILE_DIRECTORY);
    check_refused("five", 4, HX_INVALID, DIAG_FILE_TOO_LARGE);
    check_refused("/dev/zero", 100000, HX_INVALID, DIAG_FILE_TOO_LARGE); /* it has no size, and no end */
    hx_diag_clear(diag);
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(file_read("five", 5, NULL, diag, nowhere, &bytes, &size), HX_OK);
    ck_assert_str_eq(bytes, "12345");
    memory_free(NULL, bytes);
    ck_assert_int_eq(file_read("", 5, NULL, NULL, nowhere, &bytes, &size), HX_IO);
}
END_TEST

START_TEST(the_place_of_a_name_is_shown)
{
    const struct source source = {"a.yaml", "file: none", 10};
    char *bytes = NULL;
    size_t size = 0;
    struct place place = {&source, 1, 7, 4};
    ck_assert_int_eq(file_read("none", 5, NULL, diag, place, &bytes, &size), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 0)->column, 7);
    ck_assert_str_eq(hx_diag_at(diag, 0)->source_line, "file: none");
}
END_TEST

START_TEST(until_commit_the_old_file_stays)
{
    ck_assert_int_eq(file_write("out", "old", 3, diag), HX_OK);
    struct file_writer *writer = NULL;
    ck_assert_int_eq(file_writer_open("out", NULL, NULL, diag, &writer), HX_OK);
    ck_assert_int_eq(file_writer_put(writer, "new", 3), HX_OK);
    check_content("out", "old");
    file_writer_abandon(writer);
    check_content("out", "old");
    ck_assert_uint_eq(files_here(), 1);
    ck_assert_int_eq(file_writer_open("out", NULL, NULL, diag, &writer), HX_OK);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(file_writer_put(writer, "ab", 2), HX_OK);
    ck_assert_int_eq(file_writer_commit(writer, diag), HX_OK);
    check_content("out", "abababababababababab");
    ck_assert_uint_eq(files_here(), 1);
    file_writer_abandon(NULL);
}
END_TEST

START_TEST(writing_refuses)
{
    struct file_writer *writer = NULL;
    ck_assert_int_eq(mkdir("folder", 0700), 0);
    ck_assert_int_eq(file_writer_open("-", NULL, NULL, diag, &writer), HX_INVALID);
    ck_assert_int_eq(file_writer_open("", NULL, NULL, diag, &writer), HX_INVALID);
    ck_assert_int_eq(file_writer_open("folder", NULL, NULL, diag, &writer), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 2)->code, DIAG_FILE_DIRECTORY);
    ck_assert_int_eq(file_writer_open("none/out", NULL, NULL, diag, &writer), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 3)->code, DIAG_FILE_WRITE);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 3)->message, "'none/out': No such file"));
    ck_assert_ptr_null(writer);
    ck_assert_uint_eq(files_here(), 1);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
    char bytes[100000] = {0};
    ck_assert_int_eq(file_write("/dev/full", bytes, 10, diag), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_FILE_WRITE);
    struct file_writer *writer = NULL;
    ck_assert_int_eq(file_writer_open("/dev/full", NULL, NULL, diag, &writer), HX_OK);
    ck_assert_int_eq(file_writer_put(writer, bytes, sizeof bytes), HX_IO);
    ck_assert_int_eq(file_writer_commit(writer, diag), HX_IO);
    ck_assert_uint_eq(hx_diag_count(diag), 2);
}
END_TEST

START_TEST(special_files_are_not_replaced)
{
    struct stat about;
    ck_assert_int_eq(file_write("/dev/null", "abc", 3, diag), HX_OK);
    ck_assert(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
}
END_TEST

START_TEST(links_and_modes_stay)
{
    struct stat about;
    ck_assert_int_eq(file_write("target", "old", 3, diag), HX_OK);
    ck_assert_int_eq(chmod("target", 0640), 0);
    ck_assert_int_eq(symlink("target", "link"), 0);
    ck_assert_int_eq(file_write("link", "new", 3, diag), HX_OK);
    check_content("target", "new");
    ck_assert(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(stat("target", &about) == 0 && (about.st_mode & 0777) == 0640);
    mode_t mask = umask(027);
    ck_assert_int_eq(file_write("fresh", "x", 1, diag), HX_OK);
    umask(mask);
    ck_assert(stat("fresh", &about) == 0 && (about.st_mode & 0777) == 0640);
}
END_TEST

START_TEST(a_link_to_nothing_is_followed)
{
    struct stat about;
    ck_assert_int_eq(mkdir("folder", 0700), 0);
    ck_assert_int_eq(symlink("second", "first"), 0);
    ck_assert_int_eq(symlink("folder/target", "second"), 0);
    ck_assert_int_eq(file_write("first", "new", 3, diag), HX_OK);
    check_content("folder/target", "new");
    ck_assert(lstat("first", &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(lstat("second", &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert_int_eq(unlink("folder/target"), 0);
    ck_assert_int_eq(rmdir("folder"), 0);
    ck_assert_int_eq(file_write("first", "new", 3, diag), HX_IO);
    ck_assert_int_eq(symlink("loop", "loop"), 0);
    ck_assert_int_eq(file_write("loop", "new", 3, diag), HX_IO);
    ck_assert(lstat("loop", &about) == 0 && S_ISLNK(about.st_mode));
}
END_TEST

/* Has the folder's file system files without a name? */
static bool has_unnamed_files(void)
{
    const int file = open(".", O_WRONLY | O_TMPFILE, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

START_TEST(a_killed_process_leaves_no_file)
{
    if (!has_unnamed_files())
        return;
    ck_assert_int_eq(file_write("old", "old", 3, diag), HX_OK);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct file_writer *new_file = NULL, *old_file = NULL;
        if (file_writer_open("new", NULL, NULL, diag, &new_file) == HX_OK &&
            file_writer_open("old", NULL, NULL, diag, &old_file) == HX_OK &&
            file_writer_put(new_file, "half", 4) == HX_OK && file_writer_put(old_file, "half", 4) == HX_OK)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_uint_eq(files_here(), 1);
    check_content("old", "old");
}
END_TEST

START_TEST(a_pipe_without_reader_is_waited_for_so_long)
{
    atomic_bool interrupted = false;
    const struct file_wait wait = {.interrupted = &interrupted, .limit_ns = 1000000};
    char bytes[100000] = {0};
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_assert_int_eq(file_write_waiting("pipe", &wait, "abc", 3, diag), HX_LIMIT);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, "'pipe'"));
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK); /* one that reads nothing before the end */
    ck_assert_int_ge(reader, 0);
    ck_assert_int_eq(file_write_waiting("pipe", &wait, bytes, sizeof bytes, diag), HX_LIMIT);
    ck_assert_int_gt(read(reader, bytes, sizeof bytes), 0);
    close(reader);
    interrupted = true;
    ck_assert_int_eq(file_write_waiting("pipe", &wait, "abc", 3, diag), HX_INTERRUPTED);
    ck_assert_int_eq(hx_diag_at(diag, 2)->code, DIAG_INTERRUPTED);
}
END_TEST

START_TEST(a_reader_takes_what_is_wanted)
{
    atomic_bool interrupted = false;
    const struct file_wait wait = {.interrupted = &interrupted, .limit_ns = 1000000};
    struct file_reader reader;
    char bytes[8];
    size_t got = 77;
    ck_assert_int_eq(file_reader_open(&reader, "/dev/zero", &wait, nowhere, diag), HX_IO);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_FILE_DIRECTORY);
    ck_assert_int_eq(file_write("five", "12345", 5, diag), HX_OK);
    ck_assert_int_eq(file_reader_open(&reader, "five", &wait, nowhere, diag), HX_OK);
    ck_assert_uint_eq(reader.bytes, 5);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_OK);
    ck_assert(got == 3 && memcmp(bytes, "123", 3) == 0);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_OK);
    ck_assert(got == 2 && memcmp(bytes, "45", 2) == 0);
    file_reader_close(&reader);

    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_assert_int_eq(file_reader_open(&reader, "pipe", &wait, nowhere, diag), HX_OK);
    ck_assert(reader.is_pipe && reader.bytes == FILE_BYTES_UNKNOWN);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_LIMIT); /* nobody writes */
    const int writer = open("pipe", O_WRONLY);
    ck_assert_int_eq(write(writer, "1234", 4), 4);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_OK);
    ck_assert(got == 3 && memcmp(bytes, "123", 3) == 0);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_LIMIT); /* one of three is there */
    interrupted = true;
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_INTERRUPTED);
    interrupted = false;
    close(writer);
    ck_assert_int_eq(file_reader_take(&reader, bytes, 3, &got), HX_OK);
    ck_assert_uint_eq(got, 0);
    file_reader_close(&reader);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    hx_status status = HX_NO_MEMORY;
    struct failing_allocator failing;
    ck_assert_int_eq(file_write("five", "12345", 5, diag), HX_OK);
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        failing_allocator_init(&failing, fail_at);
        char *bytes = NULL;
        size_t size;
        status = file_read("five", 5, &failing.hook, diag, nowhere, &bytes, &size);
        memory_free(&failing.hook, bytes);
        ck_assert_uint_eq(failing.live, 0);
    }
    ck_assert_int_eq(status, HX_OK);
    ck_assert_uint_gt(failing.made, 0);
    status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        failing_allocator_init(&failing, fail_at);
        struct file_writer *writer = NULL;
        status = file_writer_open("out", NULL, &failing.hook, diag, &writer);
        if (status == HX_OK)
            ck_assert_int_eq(file_writer_commit(writer, diag), HX_OK);
        ck_assert_uint_eq(failing.live, 0);
        ck_assert_uint_eq(files_here(), status == HX_OK ? 2 : 1);
    }
    ck_assert_int_eq(status, HX_OK);
}
END_TEST

START_TEST(crc32_is_that_of_zip)
{
    ck_assert_uint_eq(crc32_of("123456789", 9), 0xcbf43926u); /* the check value of the CRC catalogue */
    ck_assert_uint_eq(crc32_of("", 0), 0);
}
END_TEST

START_TEST(the_machine_answers)
{
    struct machine_timer timer = {0};
    machine_timer_calibrate(&timer);
    ck_assert(timer.ns_per_tick > 0);
    uint64_t first = machine_ticks(&timer);
    ck_assert_uint_ge(machine_ticks(&timer), first);
    ck_assert_uint_ge(first, timer.start_ticks);
    struct machine_timer halves = {.ns_per_tick = 0.5};
    ck_assert_uint_eq(machine_ticks_to_ns(&halves, 1000), 500);
    ck_assert_int_ge(machine_cores(), 1);
    ck_assert(machine_loop_ns() > 0);
    ck_assert_uint_lt((unsigned)machine_cpu_level(), CPU_LEVEL_COUNT);
    ck_assert_str_eq(cpu_level_name(CPU_LEVEL_V3), "x86-64-v3");
    ck_assert_str_eq(cpu_level_name(CPU_LEVEL_COUNT), "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/file");
    TCase *tcase = tcase_create("base/file");
    tcase_add_checked_fixture(tcase, setup, clean_up);
    const TTest *tests[] = {a_file_comes_back_as_it_was_written,
                            reading_refuses,
                            the_place_of_a_name_is_shown,
                            until_commit_the_old_file_stays,
                            writing_refuses,
                            a_full_disk_is_an_error,
                            special_files_are_not_replaced,
                            links_and_modes_stay,
                            a_link_to_nothing_is_followed,
                            a_killed_process_leaves_no_file,
                            a_pipe_without_reader_is_waited_for_so_long,
                            a_reader_takes_what_is_wanted,
                            every_allocation_may_fail,
                            crc32_is_that_of_zip,
                            the_machine_answers};
    for (size_t i = 0; i < HX_COUNT_OF(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
