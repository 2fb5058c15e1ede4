/* Filters: what directives let through, and what is said of bad ones. */
#include "trace_unit.h"

#if HX_TRACING
#include "trace/filter.h"

struct asking {
    struct arena arena;
    struct filter filter;
};

static void ask(struct asking *asking, const char *directives)
{
    ck_assert_int_eq(filter_parse(directives, "test", false, &asking->arena, NULL, &asking->filter), HX_OK);
}

static bool wants(const char *directives, const struct filter_subject *subject)
{
    struct asking asking = {0};
    ask(&asking, directives);
    bool passes = filter_passes(&asking.filter, subject, HX_LEVEL_OFF);
    const struct filter_subject site = {
        subject->target, subject->name, subject->level, subject->is_span, subject->is_perf, NULL, 0};
    enum filter_answer answer = filter_ask(&asking.filter, &site);
    arena_done(&asking.arena);
    /* the answer without the fields must not contradict the one with them */
    ck_assert_msg(answer == FILTER_DEPENDS || (answer == FILTER_ALWAYS) == passes, "%s", directives);
    return passes;
}

static bool wants_event(const char *directives, const char *target, hx_level level)
{
    const struct filter_subject subject = {.target = target, .name = "something", .level = level};
    return wants(directives, &subject);
}

START_TEST(levels)
{
    ck_assert(wants_event("warn", "hexec::exec", HX_WARN));
    ck_assert(wants_event("warn", "hexec::exec", HX_ERR));
    ck_assert(!wants_event("warn", "hexec::exec", HX_INFO));
    ck_assert(wants_event("TRACE", "hexec::exec", HX_TRACE));
    ck_assert(!wants_event("off", "hexec::exec", HX_ERR));
    ck_assert(!wants_event("", "hexec::exec", HX_ERR));
    ck_assert(wants_event("4", "hexec::exec", HX_DEBUG));
    ck_assert(!wants_event("3", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("=info", "hexec::exec", HX_INFO));
    ck_assert(wants_event("hexec::exec", "hexec::exec", HX_TRACE));
}
END_TEST

START_TEST(targets_match_between_colons)
{
    ck_assert(wants_event("hexec=debug", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("hexec::exec=debug", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("hexec::exec=debug", "hexec::exec::memory", HX_DEBUG));
    ck_assert(!wants_event("hexec::exec=debug", "hexec::executor", HX_DEBUG));
    ck_assert(!wants_event("hexec::exec=debug", "hexec", HX_DEBUG));
    ck_assert(!wants_event("hexec::exec=debug", "hexec::isa", HX_ERR));
    ck_assert(wants_event("hexec::*=debug", "hexec::isa", HX_DEBUG));
    ck_assert(wants_event("*::is?=debug", "hexec::isa", HX_DEBUG));
    ck_assert(!wants_event("*::is?=debug", "hexec::exec", HX_DEBUG));
}
END_TEST

START_TEST(names_of_the_document)
{
    ck_assert(wants_event("hologram_backends=debug", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("hologram_backends::backends::cpu=debug", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("atlas_backends=debug", "hexec::memory", HX_DEBUG));
    ck_assert(wants_event("hologram_core::memory=debug", "hexec::memory", HX_DEBUG));
    ck_assert(!wants_event("hologram_core::memory=debug", "hexec::exec", HX_DEBUG));
    ck_assert(!wants_event("hologram_backends_old=debug", "hexec::exec", HX_DEBUG));
}
END_TEST

START_TEST(most_specific_decides)
{
    ck_assert(!wants_event("hexec=debug,hexec::exec=warn", "hexec::exec", HX_DEBUG));
    ck_assert(!wants_event("hexec::exec=warn,hexec=debug", "hexec::exec", HX_DEBUG));
    ck_assert(wants_event("hexec::exec=warn,hexec=debug", "hexec::isa", HX_DEBUG));
    ck_assert(wants_event("off,hexec::isa=info", "hexec::isa", HX_INFO));
    ck_assert(wants_event("warn , debug", "hexec::isa", HX_DEBUG)); /* of equals the later */
    ck_assert(!wants_event("debug,warn,", "hexec::isa", HX_DEBUG));
}
END_TEST

START_TEST(spans_and_fields)
{
    const hx_field fields[] = {HX_U64("bytes", 4),        HX_STR("file", "a,b}.yaml"), HX_I64("step", -3),
                               HX_F64("ratio", 0.5),      HX_BOOL("checked", 1),       HX_STR("mode", NULL),
                               HX_U64("huge", UINT64_MAX)};
    const struct filter_subject span = {"hexec::exec", "launch", HX_DEBUG, true, false, fields, 7};
    ck_assert(wants("[launch]=debug", &span));
    ck_assert(wants("[launch]", &span));
    ck_assert(wants("[la*h]=debug", &span));
    ck_assert(wants("hexec::exec[launch]=debug", &span));
    ck_assert(!wants("hexec::isa[launch]=debug", &span));
    ck_assert(!wants("[load]=debug", &span));
    ck_assert(wants("[{bytes}]=debug", &span));
    ck_assert(wants("[{bytes=4}]=debug", &span));
    ck_assert(wants("[{bytes=*}]=debug", &span));
    ck_assert(!wants("[{bytes=8}]=debug", &span));
    ck_assert(!wants("[{bytes=-4}]=debug", &span));
    ck_assert(!wants("[{lanes}]=debug", &span));
    ck_assert(wants("[{step=-3}]=debug", &span));
    ck_assert(!wants("[{step=3}]=debug", &span));
    ck_assert(wants("[{ratio=0.5}]=debug", &span));
    ck_assert(wants("[{ratio=5e-1}]=debug", &span));
    ck_assert(wants("[{checked=true}]=debug", &span));
    ck_assert(!wants("[{checked=false}]=debug", &span));
    ck_assert(wants("[{huge=18446744073709551615}]=debug", &span));
    ck_assert(wants("[{mode=\"\"}]=debug", &span));
    ck_assert(wants("[{file=\"a,b}.yaml\"}]=debug", &span));
    ck_assert(wants("[{file=*.yaml}]=debug", &span));
    ck_assert(!wants("[{file=*.yml}]=debug", &span));
    ck_assert(wants("warn,[launch{bytes=4, step=-3}]=debug,hexec::isa=off", &span));
    ck_assert(!wants("warn,[launch{bytes=4,step=1}]=debug", &span));
    ck_assert(!wants("debug,[launch{bytes=4}]=off", &span));
}
END_TEST

START_TEST(fields_of_events)
{
    const hx_field fields[] = {HX_U64("size_bytes", 4096)};
    const struct filter_subject event = {"hexec::memory", "allocation", HX_DEBUG, false, false, fields, 1};
    ck_assert(wants("[{size_bytes=4096}]=debug", &event));
    ck_assert(!wants("[{size_bytes=1}]=debug", &event));
    ck_assert(wants("[allocation]=debug", &event));
}
END_TEST

START_TEST(perf_spans)
{
    const hx_field fields[] = {HX_U64("bytes", 4)};
    const struct filter_subject ldg = {"hexec::performance", "cpu_ldg", HX_DEBUG, true, true, fields, 1};
    ck_assert(wants("hexec::performance=debug", &ldg));
    ck_assert(wants("hexec::performance[perf{name=cpu_ldg}]=debug", &ldg));
    ck_assert(wants("[perf{name=\"cpu_ld*\"}]=debug", &ldg));
    ck_assert(wants("[cpu_ldg]=debug", &ldg));
    ck_assert(wants("[perf{bytes=4}]=debug", &ldg));
    ck_assert(!wants("[perf{name=cpu_stg}]=debug", &ldg));
    ck_assert(!wants("debug,[perf{name=cpu_ldg}]=off", &ldg));
    /* only perf spans are called perf */
    const struct filter_subject other = {"hexec::exec", "cpu_ldg", HX_DEBUG, true, false, NULL, 0};
    ck_assert(!wants("[perf]=debug", &other));
    ck_assert(!wants("[{name=cpu_ldg}]=debug", &other));
}
END_TEST

START_TEST(inside_of_spans)
{
    const hx_field fields[] = {HX_U64("bytes", 4)};
    const struct filter_subject span = {"hexec::exec", "launch", HX_DEBUG, true, false, fields, 1};
    struct asking asking = {0};
    ask(&asking, "warn,[launch]=info,[launch{bytes=4}]=debug,[load]=trace");
    ck_assert_int_eq(filter_inside(&asking.filter, &span), HX_DEBUG);
    arena_done(&asking.arena);
    ask(&asking, "trace");
    ck_assert_int_eq(filter_inside(&asking.filter, &span), HX_LEVEL_OFF);
    arena_done(&asking.arena);
    /* an event that may happen inside is not settled without knowing where it happens */
    const struct filter_subject event = {.target = "hexec::isa", .name = "x", .level = HX_DEBUG};
    ask(&asking, "warn,[launch]=debug");
    ck_assert_int_eq(filter_ask(&asking.filter, &event), FILTER_DEPENDS);
    arena_done(&asking.arena);
    ask(&asking, "warn,[launch]=info");
    ck_assert_int_eq(filter_ask(&asking.filter, &event), FILTER_NEVER);
    arena_done(&asking.arena);
}
END_TEST

/* The message and hint of the first diagnostic, and how many there are. */
static void expect_said(const char *directives, hx_status expected, size_t count, const char *message,
                        const char *hint)
{
    struct arena arena = {0};
    struct filter filter = {0};
    hx_diag *diag;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_msg(filter_parse(directives, "HEXEC_LOG", true, &arena, diag, &filter) == expected, "%s",
                  directives);
    ck_assert_msg(hx_diag_count(diag) == count, "%s: %zu", directives, hx_diag_count(diag));
    if (count > 0) {
        const hx_diagnostic *first = hx_diag_at(diag, 0);
        ck_assert_int_eq(first->code, expected == HX_OK ? DIAG_TRACE_NEVER : DIAG_TRACE_FILTER);
        ck_assert_int_eq(first->severity, expected == HX_OK ? HX_WARNING : HX_ERROR);
        ck_assert_msg(strstr(first->message, message) != NULL, "%s: %s", directives, first->message);
        ck_assert_msg(strstr(first->message, "HEXEC_LOG") != NULL, "%s", first->message);
        if (hint)
            ck_assert_msg(first->hint && strstr(first->hint, hint), "%s: %s", directives, first->hint);
    }
    hx_diag_free(diag);
    arena_done(&arena);
}

START_TEST(bad_directives)
{
    expect_said("hexec=debgu", HX_INVALID, 1, "'hexec=debgu': no such level", "'debug'");
    expect_said("hexec=loud", HX_INVALID, 1, "no such level", "off, error, warn");
    expect_said("hexec=6", HX_INVALID, 1, "no such level", NULL);
    expect_said("hexec=", HX_INVALID, 1, "no level", NULL);
    expect_said("[launch", HX_INVALID, 1, "a [ has no ]", NULL);
    expect_said("[launch{bytes=4]=debug", HX_INVALID, 1, "a [ has no ]", NULL);
    expect_said("[launch{bytes]}=debug", HX_INVALID, 1, "a [ has no ]", NULL);
    expect_said("[launch{bytes=\"4]}=debug", HX_INVALID, 1, "a [ has no ]", NULL);
    expect_said("[]=debug", HX_INVALID, 1, "brackets are empty", NULL);
    expect_said("[launch]x=debug", HX_INVALID, 1, "between ] and =", NULL);
    expect_said("[launch{}]=debug", HX_INVALID, 1, "has no name", NULL);
    expect_said("[launch{=4}]=debug", HX_INVALID, 1, "has no name", NULL);
    expect_said("[launch{bytes=}]=debug", HX_INVALID, 1, "has = and no value", NULL);
    expect_said("[launch{bytes=4}x]=debug", HX_INVALID, 1, "a { has no }", NULL);
    expect_said("hexec{bytes=4}=debug", HX_INVALID, 1, "a target has", "[{field=value}]");
    expect_said("two words=debug", HX_INVALID, 1, "a target has", NULL);
    expect_said("hexec=debug=info", HX_INVALID, 1, "no such level", NULL);
    expect_said("\x01=debug", HX_INVALID, 1, "a target has", NULL);
    expect_said("hexec=a,info,[x,hexec=b", HX_INVALID, 2, "'hexec=a'", NULL);
}
END_TEST

START_TEST(directives_that_never_match)
{
    expect_said("hexec::exce=debug", HX_OK, 1, "target 'hexec::exce'", "'hexec::exec'");
    expect_said("hexec:exec=debug", HX_OK, 1, "target 'hexec:exec'", "'hexec::exec'");
    expect_said("debgu", HX_OK, 1, "target 'debgu'", "'debug'");
    expect_said("hyper=info", HX_OK, 1, "target 'hyper'", NULL);
    expect_said("[lanch]=debug", HX_OK, 1, "span or event 'lanch'", "'launch'");
    expect_said("hexec::exec::deep=debug", HX_OK, 1, "target 'hexec::exec::deep'", NULL);
    expect_said("nope*=debug", HX_OK, 1, "target 'nope*'", NULL);
    expect_said("info,hexec::*=debug,[cpu_ldg]=debug,[perf{name=mine}]=off,[l*]=info,*,[*]", HX_OK, 0, NULL,
                NULL);
    expect_said("hologram_backends=debug,hologram_core::x=info", HX_OK, 0, NULL, NULL);
}
END_TEST

START_TEST(globs)
{
    ck_assert(filter_glob("*", ""));
    ck_assert(filter_glob("a*b*c", "a--b--b-c"));
    ck_assert(!filter_glob("a*b*c", "a--b--b-"));
    ck_assert(filter_glob("?", "x"));
    ck_assert(!filter_glob("?", ""));
    ck_assert(filter_glob("", ""));
    ck_assert(!filter_glob("", "x"));
    ck_assert(!filter_glob("[a]", "a")); /* no sets: brackets are letters */
    /* does not take exponential time */
    ck_assert(
        !filter_glob("*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}
END_TEST

START_TEST(many_directives)
{
    struct text HX_AUTO(text_done) text = {0};
    for (int i = 0; i < 5000; i++)
        text_print(&text, "hexec::t%d=off,", i);
    text_print(&text, "hexec::exec=debug");
    ck_assert(!text.failed);
    ck_assert(wants_event(text.at, "hexec::exec", HX_DEBUG));
    ck_assert(!wants_event(text.at, "hexec::t4999", HX_ERR));
}
END_TEST

UNIT_MAIN("trace filter", levels, targets_match_between_colons, names_of_the_document, most_specific_decides,
          spans_and_fields, fields_of_events, perf_spans, inside_of_spans, bad_directives,
          directives_that_never_match, globs, many_directives)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
