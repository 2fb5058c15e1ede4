/* Spans as OTLP: how they nest, what belongs to which, ids, redacted values, and receivers that are not
 * there. Whether OpenTelemetry understands it is tested with its own decoder in tests/clients. */
#include "trace_unit.h"

#if HX_TRACING
#include "trace/otlp.h"

#include <stdio.h>
#include <unistd.h>

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

static const char *const environment[] = {"TRACEPARENT=00-" TRACE "-" PARENT "-01",
                                          "HEXEC_TRACING_REDACT_FIELDS=secret", NULL};

/* What is recorded below: a span in a span, an event in each, and one outside. */
static void record(void)
{
    HX_EVENT(HX_INFO, "hexec::test", "outside", HX_U64("n", 1));
    HX_SPAN(HX_INFO, "hexec::test", "outer", HX_STR("secret", "1234"));
    HX_EVENT(HX_INFO, "hexec::test", "early");
    {
        HX_SPAN(HX_INFO, "hexec::test", "inner", HX_U64("bytes", UINT64_C(1) << 40));
        HX_EVENT(HX_INFO, "hexec::test", "deep", HX_BOOL("fine", 1));
    }
    HX_EVENT(HX_INFO, "hexec::test", "late");
}

static hx_status trace_to(const char *destination, hx_diag *diag)
{
    char file[120];
    snprintf(file, sizeof file, "otlp:%s", destination);
    const char *const files[] = {file};
    hx_trace_options options = quiet_options(environment);
    options.files = files;
    options.file_count = 1;
    options.process_name = "tested";
    hx_status status = hx_trace_init(&options, diag);
    if (status == HX_OK)
        record();
    const hx_status finished = hx_trace_finish(diag);
    return status == HX_OK ? finished : status;
}

/* The text of the span `name`, from its braces to its braces. */
static struct slice find_span(const char *text, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"name\":\"%s\",\"kind\":1", name);
    const char *at = strstr(text, key);
    ck_assert_msg(at != NULL, "no span %s in %s", name, text);
    while (*at != '{')
        at--;
    const char *end = at;
    int depth = 0;
    do
        depth += *end == '{' ? 1 : *end == '}' ? -1 : 0;
    while (*end++ && depth > 0);
    return (struct slice){at, (size_t)(end - at)};
}

static bool has(struct slice text, const char *what)
{
    return memmem(text.at, text.length, what, strlen(what)) != NULL;
}

/* "key":"<value>" into `ret_value`; "" without the key. */
static const char *value_of(struct slice text, const char *key, char ret_value[64])
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    const char *at = memmem(text.at, text.length, pattern, strlen(pattern));
    snprintf(ret_value, 64, "%.*s", at ? (int)strcspn(at + strlen(pattern), "\"") : 0,
             at ? at + strlen(pattern) : "");
    return ret_value;
}

static void check_spans(const char *text)
{
    const struct slice root = find_span(text, "tested"), outer = find_span(text, "outer"),
                       inner = find_span(text, "inner");
    char a[64], b[64];
    ck_assert_str_eq(value_of(root, "parentSpanId", a), PARENT);
    ck_assert_str_eq(value_of(outer, "traceId", a), TRACE);
    ck_assert_str_eq(value_of(outer, "parentSpanId", a), value_of(root, "spanId", b));
    ck_assert_str_eq(value_of(inner, "parentSpanId", a), value_of(outer, "spanId", b));
    ck_assert_str_ne(value_of(inner, "spanId", a), value_of(outer, "spanId", b));
    ck_assert_uint_eq(strlen(value_of(inner, "spanId", a)), 16);
    ck_assert(has(root, "\"name\":\"outside\"") && !has(root, "\"name\":\"early\""));
    ck_assert(has(outer, "\"name\":\"early\"") && has(outer, "\"name\":\"late\"") &&
              !has(outer, "\"name\":\"deep\""));
    ck_assert(has(inner, "\"name\":\"deep\"") &&
              has(inner, "{\"key\":\"fine\",\"value\":{\"boolValue\":true}}"));
    ck_assert(has(inner, "{\"key\":\"bytes\",\"value\":{\"intValue\":\"1099511627776\"}}"));
    ck_assert(has(outer, "***REDACTED***") && !strstr(text, "1234\""));
}

START_TEST(test_file)
{
    char folder[] = "/tmp/hexec-otlp-XXXXXX", path[80], made[80], text[16384] = "";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.jsonl", folder);
    snprintf(made, sizeof made, "%s/run.traces.jsonl", folder);
    ck_assert_int_eq(trace_to(path, NULL), HX_OK);
    FILE *file = fopen(made, "r");
    ck_assert_ptr_nonnull(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert(length > 0 && length < sizeof text - 1 && text[length - 1] == '\n');
    check_spans(text);
    ck_assert_int_eq(unlink(made), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}
END_TEST

START_TEST(test_file_that_cannot_be)
{
    hx_diag *diag;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(trace_to("/no/such/folder/run.jsonl", diag), HX_IO);
    ck_assert_uint_ge(hx_diag_count(diag), 1);
    hx_diag_free(diag);
}
END_TEST

/* Port 9 of this machine: nobody listens. Tracing ends well all the same. */
START_TEST(test_nobody_there)
{
    hx_diag *diag;
    ck_assert_int_eq(setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "300", 1), 0);
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(trace_to("http://127.0.0.1:9", diag), HX_OK);
    ck_assert_uint_eq(hx_diag_count(diag), 1);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, 1982);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, "3 of 3 spans"));
    hx_diag_free(diag);
}
END_TEST

START_TEST(answers_of_collectors)
{
    static const struct {
        const char *text, *message;
        uint64_t rejected;
    } cases[] = {
        {"{}", "", 0},
        {"", "", 0},
        {"{\"partialSuccess\":{}}", "", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"12\",\"errorMessage\":\"too old\"}}", "too old", 12},
        {" { \"x\": [{}], \"partialSuccess\": {\"rejectedDataPoints\": 3 } } ", "", 3},
        {"{\"partialSuccess\":{\"errorMessage\":\"a \\\"b\\\" \\u00e4\\ud83d\\ude00\\n\"}}",
         "a \"b\" \xc3\xa4\xf0\x9f\x98\x80\n", 0},
        {"{\"partialSuccess\":{\"errorMessage\":\"half a pair \\ud83d\"}}", "", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":-1,\"errorMessage\":7}}", "", 0},
        {"{\"partialSuccess\":{\"rejectedSpans\":\"12\"}", "", 0}, /* cut off: it says nothing */
        {"{\"partialSuccess\":\"no\"}", "", 0},
        {"{\"partialSuccess\":{\"errorMessage\":\"\\u12", "", 0},
        {"\x0a\x04\x08\x0c\x12", "", 0},
        {"<html>", "", 0},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        struct otlp_answer answer = {0};
        otlp_read_answer(slice_of(cases[i].text), &answer);
        ck_assert_msg(answer.rejected == cases[i].rejected, "%s", cases[i].text);
        ck_assert_str_eq(answer.message.length ? answer.message.at : "", cases[i].message);
        text_done(&answer.message);
    }
    struct otlp_answer sum = {0}; /* of several requests, and what the first says */
    otlp_read_answer(slice_of(cases[3].text), &sum);
    otlp_read_answer(slice_of(cases[4].text), &sum);
    otlp_read_answer(slice_of(cases[5].text), &sum);
    ck_assert_uint_eq(sum.rejected, 15);
    ck_assert_str_eq(sum.message.at, "too old");
    text_done(&sum.message);
}
END_TEST

UNIT_MAIN("trace_otlp", test_file, test_file_that_cannot_be, test_nobody_there, answers_of_collectors)
#else
int main(void)
{
    return 0;
}
#endif
