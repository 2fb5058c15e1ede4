/* Configuration: profiles, the order in which options and variables win, and what is said of bad values. */
#include "trace_unit.h"

#if HX_TRACING
#include "trace/config.h"

struct setup {
    struct arena arena;
    hx_diag *diag;
    struct trace_config config;
    hx_status status;
};

static struct setup read_with(hx_trace_options options, const char *const *environment)
{
    struct setup setup = {0};
    options.get_variable = environment_get;
    options.user = (void *)(uintptr_t)environment;
    ck_assert_int_eq(hx_diag_new(NULL, &setup.diag), HX_OK);
    setup.status = config_read(&options, &setup.arena, setup.diag, &setup.config);
    return setup;
}
#define ENVIRONMENT(...) ((const char *const[]){__VA_ARGS__, NULL})
#define READ(...)        read_with((hx_trace_options){0}, ENVIRONMENT(__VA_ARGS__))

static void done(struct setup *setup, hx_status status, size_t diagnostics)
{
    ck_assert_int_eq(setup->status, status);
    ck_assert_uint_eq(hx_diag_count(setup->diag), diagnostics);
    hx_diag_free(setup->diag);
    arena_done(&setup->arena);
}

static bool passes(const struct filter *filter, const char *target, hx_level level)
{
    return filter_passes(filter, &(struct filter_subject){.target = target, .name = "x", .level = level},
                         HX_LEVEL_OFF);
}

START_TEST(defaults)
{
    struct setup setup = READ("X=");
    ck_assert_int_eq(setup.config.format, LOG_PRETTY);
    ck_assert(!setup.config.span_events);
    ck_assert(setup.config.threshold_ns == 0);
    ck_assert_uint_eq(setup.config.redacted_count, 0);
    ck_assert_str_eq(setup.config.token, "***REDACTED***");
    ck_assert(passes(&setup.config.filter, "hexec::exec", HX_WARN));
    ck_assert(!passes(&setup.config.filter, "hexec::exec", HX_INFO));
    /* whether or not the build has perf spans ready, nobody has asked to see them */
    ck_assert(!passes(&setup.config.perf_filter, "hexec::performance", HX_DEBUG));
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(profiles)
{
    struct setup setup = READ("HEXEC_TRACING_PROFILE=ci");
    ck_assert_int_eq(setup.config.format, LOG_JSON);
    ck_assert(!setup.config.perf);
    ck_assert(!setup.config.span_events);
    done(&setup, HX_OK, 0);
    setup = READ("HOLOGRAM_TRACING_PROFILE=performance");
    ck_assert_int_eq(setup.config.format, LOG_JSON);
    ck_assert(setup.config.perf);
    ck_assert(setup.config.span_events);
    ck_assert(passes(&setup.config.perf_filter, "hexec::performance", HX_DEBUG));
    ck_assert(!passes(&setup.config.filter, "hexec::exec", HX_DEBUG));
    done(&setup, HX_OK, 0);
    setup = READ("HEXEC_TRACING_PROFILE= Performance ");
    ck_assert(setup.config.span_events);
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(who_wins)
{
    struct setup setup = READ("HOLOGRAM_TRACING_FORMAT=json", "HEXEC_TRACING_FORMAT=compact");
    ck_assert_int_eq(setup.config.format, LOG_COMPACT);
    done(&setup, HX_OK, 0);
    setup = READ("HOLOGRAM_TRACING_FORMAT=compact", "HEXEC_TRACING_FORMAT="); /* empty: not set */
    ck_assert_int_eq(setup.config.format, LOG_COMPACT);
    done(&setup, HX_OK, 0);
    setup = read_with(
        (hx_trace_options){.format = "pretty", .profile = "performance", .perf = -1},
        ENVIRONMENT("HEXEC_TRACING_FORMAT=compact", "HEXEC_PERF_TRACING=1", "HEXEC_TRACING_PROFILE=ci"));
    ck_assert_int_eq(setup.config.format, LOG_PRETTY);
    ck_assert(!setup.config.perf);
    ck_assert(setup.config.span_events);
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(which_filter_wins)
{
    static const char *const all[] = {"RUST_LOG=error",
                                      "HOLOGRAM_TRACING_DIRECTIVES=warn",
                                      "HEXEC_TRACING_DIRECTIVES=info",
                                      "HOLOGRAM_LOG=debug",
                                      "HEXEC_LOG=error",
                                      NULL};
    static const hx_level expected[] = {HX_ERR, HX_WARN, HX_INFO, HX_DEBUG, HX_ERR};
    for (size_t count = 1; count <= 5; count++) {
        const char *environment[6] = {NULL};
        memcpy(environment, all, count * sizeof *all);
        struct setup setup = read_with((hx_trace_options){0}, environment);
        ck_assert(passes(&setup.config.filter, "hexec::exec", expected[count - 1]));
        ck_assert(!passes(&setup.config.filter, "hexec::exec", expected[count - 1] - 1));
        done(&setup, HX_OK, 0);
    }
    struct setup setup = read_with((hx_trace_options){.filter = "trace"}, all);
    ck_assert(passes(&setup.config.filter, "hexec::exec", HX_TRACE));
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(perf_spans_and_their_filter)
{
    struct setup setup = READ("HEXEC_PERF_TRACING=yes");
    ck_assert(setup.config.perf);
    ck_assert(passes(&setup.config.perf_filter, "hexec::performance", HX_DEBUG));
    ck_assert(!passes(&setup.config.filter, "hexec::exec", HX_DEBUG));
    done(&setup, HX_OK, 0);
    /* a directive that names the target says what is wanted of it */
    setup = READ("HEXEC_PERF_TRACING=1", "HEXEC_LOG=debug,hexec::performance=warn");
    ck_assert(!passes(&setup.config.perf_filter, "hexec::performance", HX_DEBUG));
    done(&setup, HX_OK, 0);
    setup = READ("HOLOGRAM_PERF_TRACING=true", "HOLOGRAM_PERF_DIRECTIVES=hexec::performance[{bytes=4}]=debug",
                 "HEXEC_LOG=off");
    const hx_field four = HX_U64("bytes", 4), eight = HX_U64("bytes", 8);
    struct filter_subject span = {"hexec::performance", "cpu_ldg", HX_DEBUG, true, true, &four, 1};
    ck_assert(filter_passes(&setup.config.perf_filter, &span, HX_LEVEL_OFF));
    span.fields = &eight;
    ck_assert(!filter_passes(&setup.config.perf_filter, &span, HX_LEVEL_OFF));
    done(&setup, HX_OK, 0);
    setup = READ("HEXEC_TRACING_PROFILE=performance", "HEXEC_PERF_TRACING=0");
    ck_assert(!setup.config.perf);
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(threshold)
{
    struct setup setup = READ("HEXEC_PERF_THRESHOLD_US=2.5");
    ck_assert(setup.config.threshold_ns == 2500);
    done(&setup, HX_OK, 0);
    setup = read_with((hx_trace_options){.has_threshold = 1, .threshold_us = 0},
                      ENVIRONMENT("HEXEC_PERF_THRESHOLD_US=7"));
    ck_assert(setup.config.threshold_ns == 0);
    done(&setup, HX_OK, 0);
}
END_TEST

START_TEST(redaction)
{
    struct setup setup =
        READ("HEXEC_TRACING_REDACT_FIELDS= file ,, token*,", "HOLOGRAM_TRACING_REDACT_TOKEN=[hidden]");
    ck_assert_uint_eq(setup.config.redacted_count, 2);
    ck_assert_str_eq(setup.config.redacted[0], "file");
    ck_assert_str_eq(setup.config.redacted[1], "token*");
    ck_assert_str_eq(setup.config.token, "[hidden]");
    done(&setup, HX_OK, 0);
}
END_TEST

static void expect_warning(const char *variable, const char *message, const char *hint)
{
    struct setup setup = READ(variable);
    const hx_diagnostic *said = hx_diag_at(setup.diag, 0);
    ck_assert_ptr_nonnull(said);
    ck_assert_int_eq(said->code, DIAG_TRACE_VARIABLE);
    ck_assert_int_eq(said->severity, HX_WARNING);
    ck_assert_str_eq(said->message, message);
    ck_assert_msg(strstr(said->hint, hint) != NULL, "%s", said->hint);
    done(&setup, HX_OK, 1);
}

START_TEST(bad_values)
{
    expect_warning("HEXEC_TRACING_PROFILE=perfomance",
                   "HEXEC_TRACING_PROFILE=perfomance is not understood; local is taken", "'performance'");
    expect_warning("HOLOGRAM_TRACING_PROFILE=?",
                   "HOLOGRAM_TRACING_PROFILE=? is not understood; local is taken",
                   "local, ci or performance");
    expect_warning("HEXEC_TRACING_FORMAT=xml", "HEXEC_TRACING_FORMAT=xml is not understood; pretty is taken",
                   "pretty, compact or json");
    expect_warning("HEXEC_PERF_THRESHOLD_US=many",
                   "HEXEC_PERF_THRESHOLD_US=many is not understood; 0 is taken", "microseconds");
    expect_warning("HEXEC_PERF_THRESHOLD_US=-1", "HEXEC_PERF_THRESHOLD_US=-1 is not understood; 0 is taken",
                   "microseconds");
    expect_warning("HEXEC_PERF_THRESHOLD_US=inf", "HEXEC_PERF_THRESHOLD_US=inf is not understood; 0 is taken",
                   "microseconds");
    expect_warning("HEXEC_PERF_THRESHOLD_US=nan", "HEXEC_PERF_THRESHOLD_US=nan is not understood; 0 is taken",
                   "microseconds");
    struct setup setup = READ("HEXEC_TRACING_PROFILE=ci", "HEXEC_PERF_TRACING=maybe");
    ck_assert_str_eq(hx_diag_at(setup.diag, 0)->message,
                     "HEXEC_PERF_TRACING=maybe is not understood; false is taken");
    done(&setup, HX_OK, 1);
}
END_TEST

START_TEST(bad_filters_and_options)
{
    struct setup setup = READ("HOLOGRAM_TRACING_DIRECTIVES=hexec=loud");
    ck_assert_ptr_nonnull(
        strstr(hx_diag_at(setup.diag, 0)->message, "HOLOGRAM_TRACING_DIRECTIVES: bad directive"));
    done(&setup, HX_INVALID, 1);
    setup = READ("HEXEC_PERF_DIRECTIVES=[perf=info");
    ck_assert_ptr_nonnull(strstr(hx_diag_at(setup.diag, 0)->message, "HEXEC_PERF_DIRECTIVES: bad directive"));
    done(&setup, HX_INVALID, 1);
    setup = READ("HEXEC_LOG=hexec::exce=debug");
    done(&setup, HX_OK, 1);
    setup = READ("RUST_LOG=hyper=debug,tokio::runtime=info"); /* other programs' targets */
    done(&setup, HX_OK, 0);
    setup = read_with((hx_trace_options){.format = "jsn"}, ENVIRONMENT("X="));
    ck_assert_int_eq(hx_diag_at(setup.diag, 0)->code, DIAG_TRACE_OPTION);
    done(&setup, HX_INVALID, 1);
    setup = read_with((hx_trace_options){.has_threshold = 1, .threshold_us = -1}, ENVIRONMENT("X="));
    done(&setup, HX_INVALID, 1);
}
END_TEST

START_TEST(colors)
{
    struct setup setup = read_with((hx_trace_options){.color = 1}, ENVIRONMENT("NO_COLOR=1"));
    ck_assert(setup.config.color);
    done(&setup, HX_OK, 0);
    setup = read_with((hx_trace_options){.color = 1, .format = "json"}, ENVIRONMENT("X="));
    ck_assert(!setup.config.color);
    done(&setup, HX_OK, 0);
    setup = read_with((hx_trace_options){.color = -1}, ENVIRONMENT("X="));
    ck_assert(!setup.config.color);
    done(&setup, HX_OK, 0);
    setup = read_with((hx_trace_options){.log_file = "x"}, ENVIRONMENT("X="));
    ck_assert(!setup.config.color);
    ck_assert_str_eq(setup.config.log_file, "x");
    done(&setup, HX_OK, 0);
}
END_TEST

static void keep_setting(void *user, const hx_setting *setting)
{
    static const char *const sources[] = {"default", "option", "variable", "profile", "implied"};
    text_print(user, "%s=%s %s %s\n", setting->name, setting->value, sources[setting->source], setting->from);
}

static void expect_settings(hx_trace_options options, const char *const *environment, hx_status status,
                            const char *const *expected)
{
    struct text settings HX_AUTO(text_done) = {0};
    hx_diag *diag;
    options.size = sizeof options;
    options.get_variable = environment_get;
    options.user = (void *)(uintptr_t)environment;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(hx_trace_settings(&options, diag, keep_setting, &settings), status);
    ck_assert_uint_eq(hx_diag_count(diag) > 0, status != HX_OK);
    for (; *expected; expected++)
        ck_assert_msg(strstr(settings.at, *expected) != NULL, "no '%s' in\n%s", *expected, settings.at);
    hx_diag_free(diag);
}
#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(sources)
{
    expect_settings((hx_trace_options){0}, ENVIRONMENT("X="), HX_OK,
                    LINES("profile=local default \n", "format=pretty profile local\n",
                          "filter=warn profile local\n", "perf_filter=warn implied filter\n",
                          "threshold_us=0 default \n", "redact_token=***REDACTED*** default \n",
                          "log_file= default \n"));
    expect_settings((hx_trace_options){.format = "compact", .color = 1, .log_file = "x", .perf = 1},
                    ENVIRONMENT("HEXEC_TRACING_FORMAT=json", "HOLOGRAM_TRACING_PROFILE=performance",
                                "RUST_LOG=info", "HEXEC_PERF_TRACING=0"),
                    HX_OK,
                    LINES("profile=performance variable HOLOGRAM_TRACING_PROFILE\n",
                          "span_events=enter, exit and close profile performance\n",
                          "format=compact option \n", "color=yes option \n", "log_file=x option \n",
                          "perf=on option \n", "filter=info variable RUST_LOG\n",
                          "perf_filter=info,hexec::performance=debug implied perf\n"));
    expect_settings((hx_trace_options){.has_threshold = 1, .threshold_us = 2.5},
                    ENVIRONMENT("HOLOGRAM_TRACING_DIRECTIVES=debug", "HEXEC_TRACING_DIRECTIVES=info",
                                "NO_COLOR=1", "HEXEC_PERF_DIRECTIVES=off",
                                "HOLOGRAM_TRACING_REDACT_FIELDS=a,b", "HEXEC_PERF_THRESHOLD_US=9"),
                    HX_OK,
                    LINES("filter=info variable HEXEC_TRACING_DIRECTIVES\n", "color=no variable NO_COLOR\n",
                          "perf_filter=off variable HEXEC_PERF_DIRECTIVES\n",
                          "redact_fields=a,b variable HOLOGRAM_TRACING_REDACT_FIELDS\n",
                          "threshold_us=2.5 option \n"));
    expect_settings((hx_trace_options){0}, ENVIRONMENT("TERM=dumb"), HX_OK,
                    LINES("color=no variable TERM\n"));
    expect_settings((hx_trace_options){0}, ENVIRONMENT("HEXEC_TRACING_PROFILE=ci"), HX_OK,
                    LINES("color=no implied format\n", "perf=off profile ci\n"));
}
END_TEST

/* What is not taken is not where the value comes from, and one bad filter does not hide the rest. */
START_TEST(sources_of_bad_values)
{
    expect_settings((hx_trace_options){0},
                    ENVIRONMENT("HEXEC_TRACING_PROFILE=perfomance", "HEXEC_TRACING_FORMAT=xml",
                                "HEXEC_PERF_TRACING=maybe", "HEXEC_PERF_THRESHOLD_US=many",
                                "HEXEC_LOG=x=loud", "HOLOGRAM_PERF_DIRECTIVES=debug"),
                    HX_INVALID,
                    LINES("profile=local default \n", "format=pretty profile local\n",
                          "threshold_us=0 default \n", " profile local\nthreshold_us",
                          "filter=x=loud variable HEXEC_LOG\n",
                          "perf_filter=debug variable HOLOGRAM_PERF_DIRECTIVES\n"));
}
END_TEST

UNIT_MAIN("trace config", sources, sources_of_bad_values, defaults, profiles, who_wins, which_filter_wins,
          perf_spans_and_their_filter, threshold, redaction, bad_values, bad_filters_and_options, colors)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
