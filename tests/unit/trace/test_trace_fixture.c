/* The log of tests (hexec_test_log in unit.h): a program of tests is run with and without HEXEC_LOG. */
#include "trace_unit.h"

#if HX_TRACING
#include <stdio.h>
#include <sys/wait.h>

/* Runs it; *ret_said is what it wrote to standard error (text_done). Returns its exit code. */
static int run_child(const char *log, const char *fails, struct text *ret_said)
{
    char bytes[4096];
    size_t length;
    ck_assert_int_eq(log ? setenv("HEXEC_LOG", log, 1) : unsetenv("HEXEC_LOG"), 0);
    ck_assert_int_eq(fails ? setenv("LOG_CHILD_FAILS", fails, 1) : unsetenv("LOG_CHILD_FAILS"), 0);
    FILE *pipe = popen("'" LOG_CHILD "' 2>&1 >/dev/null", "r");
    ck_assert_ptr_nonnull(pipe);
    text_append(ret_said, "", 0);
    while ((length = fread(bytes, 1, sizeof bytes, pipe)) > 0)
        text_append(ret_said, bytes, length);
    const int status = pclose(pipe);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(silent_unless_asked)
{
    struct text said HX_AUTO(text_done) = {0};
    ck_assert_int_eq(run_child(NULL, NULL, &said), EXIT_SUCCESS);
    ck_assert_uint_eq(said.length, 0);
    ck_assert_int_eq(run_child("", NULL, &said), EXIT_SUCCESS);
    ck_assert_uint_eq(said.length, 0);
    /* a failure alone makes no noise there either: Check tells it on standard output */
    ck_assert_int_eq(run_child(NULL, "1", &said), EXIT_FAILURE);
    ck_assert_uint_eq(said.length, 0);
}
END_TEST

START_TEST(tells_what_tests_trace)
{
    struct text said HX_AUTO(text_done) = {0};
    ck_assert_int_eq(run_child("trace", NULL, &said), EXIT_SUCCESS);
    ck_assert_msg(strstr(said.at, "hexec::isa") != NULL, "%s", said.at);
    ck_assert_msg(strstr(said.at, "last_words") != NULL, "%s", said.at);
}
END_TEST

START_TEST(filters)
{
    struct text said HX_AUTO(text_done) = {0};
    ck_assert_int_eq(run_child("hexec::exec=trace", NULL, &said), EXIT_SUCCESS);
    ck_assert_ptr_null(strstr(said.at, "hexec::isa"));
    ck_assert_msg(strstr(said.at, "last_words") != NULL, "%s", said.at);
}
END_TEST

START_TEST(tells_all_before_a_failure)
{
    struct text said HX_AUTO(text_done) = {0};
    ck_assert_int_eq(run_child("trace", "1", &said), EXIT_FAILURE);
    ck_assert_msg(strstr(said.at, "last_words") != NULL, "%s", said.at);
}
END_TEST

/* Tests that would trace nothing by mistake fail. */
START_TEST(refuses_bad_directives)
{
    struct text said HX_AUTO(text_done) = {0};
    ck_assert_int_eq(run_child("hexec=loud", NULL, &said), EXIT_FAILURE);
}
END_TEST

UNIT_MAIN("trace fixture", silent_unless_asked, tells_what_tests_trace, filters, tells_all_before_a_failure,
          refuses_bad_directives)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
