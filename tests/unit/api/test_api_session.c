/* Sessions: variables, sums, reports. */
#include "unit.h"

#include "hexec/session.h"

#include "base/text.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct output {
    char text[4096];
    size_t length;
};

static hx_status keep(void *user, const char *text, size_t bytes)
{
    struct output *output = user;
    ck_assert_uint_lt(output->length + bytes, sizeof output->text);
    memcpy(output->text + output->length, text, bytes);
    output->length += bytes;
    return HX_OK;
}

static hx_session *session_with(const char *report, hx_diag *diag)
{
    hx_session *session;
    ck_assert_int_eq(report ? setenv("HEXEC_APP_REPORT", report, 1) : unsetenv("HEXEC_APP_REPORT"), 0);
    ck_assert_ok(hx_session_new(NULL, diag, &session));
    return session;
}

static void launch(hx_session *session, const char *kernel, uint64_t ns, hx_status status)
{
    hx_launch_result result = {.size = sizeof result, .duration_ns = ns, .threads = 64};
    result.counts.thread_instructions = 100;
    result.counts.loaded_bytes[1] = 256;
    ck_assert_ok(hx_session_launched(session, kernel, status, &result));
}

START_TEST(test_no_report_without_the_variable)
{
    struct output output = {0};
    hx_launch_options options = {.size = sizeof options, .workers = 3};
    hx_session *session = session_with(NULL, NULL);
    launch(session, "a", 5, HX_OK);
    hx_session_prepare(session, &options);
    ck_assert_int_eq(hx_session_has_report(session), 0);
    ck_assert_int_eq(options.counts, 0);
    ck_assert_uint_eq(options.workers, 3);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    ck_assert_uint_eq(output.length, 0);
    hx_session_free(session);
}
END_TEST

START_TEST(test_variables)
{
    hx_diag *diag;
    hx_launch_options options = {.size = sizeof options, .workers = 3};
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(setenv("HEXEC_WORKERS", "2", 1) | setenv("HEXEC_SEED", "7", 1) |
                         setenv("HEXEC_TIMEOUT", "0.5", 1) | setenv("HEXEC_TIER", "compiled", 1),
                     0);
    hx_session *session = session_with("text", diag);
    hx_session_prepare(session, &options);
    ck_assert_int_eq(options.tier, HX_TIER_COMPILED);
    ck_assert_uint_eq(options.workers, 2);
    ck_assert_uint_eq(options.seed, 7);
    ck_assert_uint_eq(options.timeout_ns, 500000000);
    ck_assert_int_eq(options.counts, HX_COUNT_THREADS);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    hx_session_free(session);
    ck_assert_int_eq(setenv("HEXEC_WORKERS", "many", 1) | setenv("HEXEC_TIER", "fast", 1), 0);
    session = session_with("table", diag);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_WARNING), 3);
    ck_assert_int_eq(hx_session_has_report(session), 0);
    hx_session_free(session);
    hx_diag_free(diag);
    ck_assert_int_eq(unsetenv("HEXEC_WORKERS") | unsetenv("HEXEC_SEED") | unsetenv("HEXEC_TIMEOUT") |
                         unsetenv("HEXEC_TIER"),
                     0);
}
END_TEST

START_TEST(test_text)
{
    struct output output = {0};
    hx_session *session = session_with("text", NULL);
    launch(session, "short", 1000000, HX_OK);
    launch(session, "long", 2000000, HX_OK);
    launch(session, "long", 4000000, HX_FAULT);
    hx_session_transferred(session, "H2D", 64, 10);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    const char *long_row = strstr(output.text, "\nlong "), *short_row = strstr(output.text, "\nshort ");
    ck_assert_ptr_nonnull(strstr(output.text, "hexec: 3 launches of 2 kernels, 7.000 ms"));
    ck_assert(long_row && short_row && long_row < short_row);
    ck_assert_ptr_nonnull(strstr(long_row, "6.000   85.7      3000.0            200          512"));
    ck_assert_ptr_nonnull(strstr(output.text, "1 launch of long failed"));
    ck_assert_ptr_nonnull(strstr(output.text, "1 copy H2D: 64 bytes"));
    ck_assert_ptr_null(strstr(output.text, "D2H"));
    hx_session_free(session);
}
END_TEST

START_TEST(test_json)
{
    struct output output = {0};
    hx_session *session = session_with("json", NULL);
    launch(session, "a\"b", 1000, HX_OK);
    launch(session, "a\"b", 3000, HX_OK);
    ck_assert_ok(hx_session_report(session, NULL, keep, &output));
    json_t *root = json_loadb(output.text, output.length, 0, NULL);
    ck_assert_ptr_nonnull(root);
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(kernel, "name")), "a\"b");
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "launches")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "time_least_ns")), 1000);
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "time_most_ns")), 3000);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "all"), "threads")), 128);
    json_decref(root);
    hx_session_free(session);
}
END_TEST

/* ---- Records ------------------------------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            ck_assert_int_eq(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    closedir(folder);
    ck_assert_int_eq(rmdir(path), 0);
}

/* Two sessions, of which one is never freed, and files that are none of a record. */
START_TEST(test_records)
{
    struct output output = {0};
    char folder[] = "/tmp/hexec-records-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("HEXEC_APP_RECORD", folder, 1), 0);
    hx_session *first = session_with("json", NULL), *second = session_with("json", NULL);
    ck_assert_int_eq(unsetenv("HEXEC_APP_RECORD"), 0);
    launch(first, "both", 1000, HX_OK);
    launch(second, "both", 3000, HX_FAULT);
    launch(second, "other", 5000, HX_OK);
    hx_session_transferred(first, "D2H", 64, 10);
    hx_session_transferred(second, "D2H", 36, 10);
    ck_assert_int_eq(hx_session_has_report(first), 0);
    ck_assert_ok(hx_session_report(first, NULL, keep, &output));
    ck_assert_uint_eq(output.length, 0);
    hx_session_free(first);
    write_file(folder, "1-abc.record", "hexecapp and no more");
    write_file(folder, "2-abc.record", "");
    const hx_session_report_options options = {.size = sizeof options, .folder = folder, .json = 1};
    ck_assert_ok(hx_session_report_records(&options, NULL, keep, &output, NULL));
    json_t *root = json_loadb(output.text, output.length, 0, NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "processes")), 2);
    json_t *kernels = json_object_get(root, "kernels");
    ck_assert_uint_eq(json_array_size(kernels), 2);
    json_t *both = json_array_get(kernels, 1); /* the second by time */
    ck_assert_str_eq(json_string_value(json_object_get(both, "name")), "both");
    ck_assert_int_eq(json_integer_value(json_object_get(both, "launches")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(both, "failed")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(both, "time_least_ns")), 1000);
    ck_assert_int_eq(json_integer_value(json_object_get(both, "time_most_ns")), 3000);
    json_t *copied = json_array_get(json_object_get(root, "transfers"), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(copied, "bytes")), 100);
    json_decref(root);
    hx_session_free(second);
    remove_folder(folder);
    ck_assert_int_eq(hx_session_report_records(&options, NULL, keep, &output, NULL), HX_IO);
}
END_TEST

/* Names beyond the number that is kept share a row. */
START_TEST(test_many_kernels)
{
    enum { KERNELS = 9000, ROWS = 8192 };
    hx_session *session = session_with("json", NULL);
    for (int i = 0; i < KERNELS; i++) {
        char name[600];
        (void)snprintf(name, sizeof name, "kernel_%d_%0*d", i, i == 7 ? 550 : 1, 0);
        launch(session, name, 100, HX_OK);
        launch(session, name, 100, HX_OK);
    }
    struct text out HX_AUTO(text_done) = {0};
    ck_assert_ok(hx_session_report(session, NULL, text_write, &out));
    json_t *root = json_loadb(out.at, out.length, 0, NULL);
    json_t *kernels = json_object_get(root, "kernels"), *kernel;
    size_t index, further = 0;
    ck_assert_uint_eq(json_array_size(kernels), ROWS);
    json_array_foreach (kernels, index, kernel) {
        const int launches = (int)json_integer_value(json_object_get(kernel, "launches"));
        const bool is_further =
            strcmp(json_string_value(json_object_get(kernel, "name")), "(further kernels)") == 0;
        ck_assert_int_eq(launches, is_further ? 2 * (KERNELS - ROWS + 1) : 2);
        further += is_further;
    }
    ck_assert_uint_eq(further, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "all"), "launches")),
                     2 * KERNELS);
    json_decref(root);
    hx_session_free(session);
}
END_TEST

UNIT_MAIN("api_session", test_no_report_without_the_variable, test_variables, test_text, test_json,
          test_records, test_many_kernels)
