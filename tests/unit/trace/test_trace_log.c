/* The log: what its lines look like, pretty, compact and JSON, in a file. */
#include "trace_unit.h"

#if HX_TRACING
#include "base/file.h"

#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <unistd.h>

static char path[64];

/* Times and durations are replaced by words: they differ from run to run. */
static void replace(struct text *text, const char *pattern, const char *word)
{
    regex_t regex;
    regmatch_t match;
    struct text result = {0};
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED), 0);
    const char *at = text->at ? text->at : "";
    while (regexec(&regex, at, 1, &match, 0) == 0) {
        text_append(&result, at, (size_t)match.rm_so);
        text_append(&result, word, strlen(word));
        at += match.rm_eo;
    }
    text_append(&result, at, strlen(at));
    regfree(&regex);
    text_done(text);
    *text = result;
}

static void log_start(const char *const *environment, int color)
{
    snprintf(path, sizeof path, "/tmp/hexec_test_log_%d", (int)getpid());
    hx_trace_options options = quiet_options(environment);
    options.no_log = 0;
    options.log_file = path;
    options.color = color;
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
}

static void log_expect(const char *expected)
{
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    char *bytes;
    size_t size;
    ck_assert_int_eq(file_read(path, 1 << 20, NULL, NULL, (struct place){0}, &bytes, &size), HX_OK);
    unlink(path);
    struct text text = {0};
    text_append(&text, bytes, size);
    memory_free(NULL, bytes);
    replace(&text, "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z", "<clock>");
    replace(&text, "duration_us([=\":]+)[0-9.]+", "duration_us <us>");
    replace(&text, "duration_ms([=\":]+)[0-9]+\\.[0-9]{3}", "duration_ms <ms>");
    replace(&text, "duration_ns([=\":]+)[0-9]+", "duration_ns <ns>");
    ck_assert_str_eq(text.at, expected);
    text_done(&text);
}

static void emit(void)
{
    HX_SPAN(HX_INFO, "hexec::exec", "launch", HX_STR("kernel", "saxpy"), HX_U64("blocks", 4));
    HX_EVENT(HX_WARN, "hexec::memory", "allocation", HX_F64("size_kb", 1.5), HX_BOOL("ok", 1));
    HX_SPAN(HX_INFO, "hexec::isa", "bare");
    HX_PERF_SPAN("cpu_ldg", HX_U64("bytes", 4));
}

START_TEST(pretty)
{
    log_start((const char *const[]){"HEXEC_LOG=info,hexec::performance=debug", "HEXEC_PERF_TRACING=1", NULL},
              0);
    emit();
    log_expect("<clock>  WARN launch: hexec::memory: allocation size_kb=1.5 ok=true\n"
               "<clock> DEBUG perf{name=\"cpu_ldg\" bytes=4}: hexec::performance: performance_span_complete "
               "duration_us <us> duration_ms <ms>\n"
               "<clock>  INFO launch:bare: hexec::isa: close duration_us <us> duration_ms <ms>\n"
               "<clock>  INFO launch{kernel=\"saxpy\" blocks=4}: hexec::exec: close duration_us <us> "
               "duration_ms <ms>\n");
}
END_TEST

START_TEST(pretty_in_colors)
{
    log_start((const char *const[]){"HEXEC_LOG=info", NULL}, 1);
    HX_EVENT(HX_ERR, "hexec::isa", "x", HX_STR("evil", "\033[31m"));
    log_expect("\033[2m<clock>\033[0m \033[31mERROR\033[0m hexec::isa: x evil=\"\\u001b[31m\"\n");
}
END_TEST

START_TEST(compact)
{
    log_start((const char *const[]){"HEXEC_LOG=debug", "HEXEC_PERF_TRACING=1",
                                    "HOLOGRAM_TRACING_FORMAT=compact", NULL},
              0);
    emit();
    HX_EVENT(HX_INFO, "guest", "hello");
    log_expect(" WARN memory: allocation size_kb=1.5 ok=true\n"
               "DEBUG performance: cpu_ldg bytes=4 duration_us <us>\n"
               " INFO isa: bare close duration_us <us>\n"
               " INFO exec: launch close kernel=\"saxpy\" blocks=4 duration_us <us>\n"
               " INFO guest: hello\n");
}
END_TEST

START_TEST(json_lines)
{
    log_start((const char *const[]){"HEXEC_TRACING_PROFILE=performance", NULL}, 1);
    emit();
    log_expect(
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::exec\",\"fields\":{\"event\":"
        "\"enter\","
        "\"name\":\"launch\",\"kernel\":\"saxpy\",\"blocks\":4}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"WARN\",\"target\":\"hexec::memory\",\"fields\":{\"event\":"
        "\"allocation\",\"size_kb\":1.5,\"ok\":true},\"span\":{\"name\":\"launch\"}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::isa\",\"fields\":{\"event\":"
        "\"enter\","
        "\"name\":\"bare\"},\"span\":{\"name\":\"launch\"}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"DEBUG\",\"target\":\"hexec::performance\",\"fields\":{"
        "\"event\":"
        "\"performance_span_complete\",\"name\":\"cpu_ldg\",\"bytes\":4,\"duration_us <us>,\"duration_ms "
        "<ms>,"
        "\"duration_ns <ns>}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::isa\",\"fields\":{\"event\":"
        "\"exit\","
        "\"name\":\"bare\"},\"span\":{\"name\":\"launch\"}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::isa\",\"fields\":{\"event\":"
        "\"close\","
        "\"name\":\"bare\",\"duration_us <us>,\"duration_ms <ms>,\"duration_ns "
        "<ns>},\"span\":{\"name\":\"launch\"}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::exec\",\"fields\":{\"event\":"
        "\"exit\","
        "\"name\":\"launch\",\"kernel\":\"saxpy\",\"blocks\":4}}\n"
        "{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"hexec::exec\",\"fields\":{\"event\":"
        "\"close\","
        "\"name\":\"launch\",\"kernel\":\"saxpy\",\"blocks\":4,\"duration_us <us>,\"duration_ms <ms>,"
        "\"duration_ns <ns>}}\n");
}
END_TEST

START_TEST(nothing_to_say)
{
    log_start((const char *const[]){"X=", NULL}, 0); /* the default profile */
    HX_SPAN(HX_DEBUG, "hexec::exec", "launch");
    hx_record_execution(3, 100);
    log_expect("");
}
END_TEST

START_TEST(redacted)
{
    log_start((const char *const[]){"HEXEC_LOG=info", "HEXEC_TRACING_FORMAT=json",
                                    "HEXEC_TRACING_REDACT_FIELDS=kernel", "HEXEC_TRACING_REDACT_TOKEN=\"",
                                    NULL},
              0);
    HX_EVENT(HX_INFO, "t", "x", HX_STR("kernel", "saxpy"));
    log_expect("{\"timestamp\":\"<clock>\",\"level\":\"INFO\",\"target\":\"t\",\"fields\":{\"event\":\"x\","
               "\"kernel\":\"\\\"\"}}\n");
}
END_TEST

START_TEST(no_such_folder)
{
    hx_diag *diag;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    hx_trace_options options = quiet_options(NULL);
    options.no_log = 0;
    options.log_file = "/nowhere/at/all";
    ck_assert_int_eq(hx_trace_init(&options, diag), HX_IO);
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_TRACE_FILE);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, "/nowhere/at/all"));
    HX_EVENT(HX_ERR, "t", "x"); /* off */
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    hx_diag_free(diag);
}
END_TEST

START_TEST(full_disk)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    hx_trace_options options = quiet_options((const char *const[]){"HEXEC_LOG=info", NULL});
    options.no_log = 0;
    options.log_file = "/dev/full";
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    HX_EVENT(HX_INFO, "t", "x");
    ck_assert_int_eq(hx_trace_shutdown(), HX_IO);
}
END_TEST

UNIT_MAIN("trace log", pretty, pretty_in_colors, compact, json_lines, nothing_to_say, redacted,
          no_such_folder, full_disk)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
