/* Exports of a real profile: the request is checked before anything is written, files are whole or not there,
 * lack of memory is an error wherever it strikes; and the parts of OTLP that no file shows. */
#include "hexec/export.h"
#include "profile/profile.h"
#include "report/sinks/export.h"
#include "trace/otlp.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct export_class export_folded, export_speedscope, export_svg, export_pprof, export_callgrind,
    export_prometheus, export_openmetrics, export_otlp, export_html;
static const struct export_class *const classes[] = {
    &export_folded,     &export_speedscope,  &export_svg,  &export_pprof, &export_callgrind,
    &export_prometheus, &export_openmetrics, &export_otlp, &export_html};

/* Two kernels; one with calls, one way to `leaf` from each of two functions. */
static const char *const program = "program: exported\n"
                                   "buffers: [{name: out, type: u32, count: 64, access: write}]\n"
                                   "kernels:\n"
                                   "  - name: calls\n"
                                   "    code: |\n"
                                   "      mov.u32 r0, %tid.x\n"
                                   "      call left\n"
                                   "      call right\n"
                                   "      exit\n"
                                   "      left:\n"
                                   "      call leaf\n"
                                   "      ret\n"
                                   "      right:\n"
                                   "      call leaf\n"
                                   "      ret\n"
                                   "      leaf:\n"
                                   "      stg.u32 [$out + r0*4], r0\n"
                                   "      ret\n"
                                   "  - name: plain\n"
                                   "    code: |\n"
                                   "      exit\n"
                                   "run:\n"
                                   "  - {kernel: calls, grid: [1], block: [32]}\n"
                                   "  - {kernel: plain, grid: [1], block: [32]}\n";

static struct {
    char folder[40];
    hx_diag *diag;
    hx_context *context;
    hx_profile *profile;
} made;

static void make(const char *name)
{
    const hx_profile_options options = {.size = sizeof options, .runs = 1};
    strcpy(made.folder, "/tmp/hexec-export-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(made.folder));
    ck_assert_ok(hx_diag_new(NULL, &made.diag));
    ck_assert_ok(hx_context_new(NULL, made.diag, &made.context));
    hx_status status = hx_context_load_bytes(made.context, name, program, strlen(program), made.diag);
    ck_assert_msg(status == HX_OK, "%s", hx_diag_count(made.diag) ? hx_diag_at(made.diag, 0)->message : "");
    ck_assert_ok(hx_profile_run(made.context, &options, made.diag, &made.profile));
}

static void set_up(void)
{
    make("exported.yaml");
}

static void tear_down(void)
{
    char command[80];
    hx_profile_free(made.profile);
    hx_context_free(made.context);
    hx_diag_free(made.diag);
    snprintf(command, sizeof command, "rm -r %s", made.folder);
    ck_assert_int_eq(system(command), 0);
    memset(&made, 0, sizeof made);
}

static hx_status export_as(const char *format, const char *weight, const char *path)
{
    const hx_export_options options = {
        .size = sizeof options, .format = format, .path = path, .weight = weight};
    hx_diag_clear(made.diag);
    hx_status checked = hx_export_check(&options, made.diag);
    hx_diag_clear(made.diag);
    hx_status status = hx_profile_export(made.profile, &options, made.diag);
    ck_assert(checked == status || checked == HX_OK);
    return status;
}

START_TEST(test_what_is_asked_for)
{
    char path[80];
    snprintf(path, sizeof path, "%s/flame.png", made.folder);
    ck_assert_int_eq(export_as("flamegraph", NULL, path), HX_INVALID);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(made.diag, 0)->hint, ".svg"));
    ck_assert_int_eq(export_as("calgrind", NULL, path), HX_INVALID);
    ck_assert_str_eq(hx_diag_at(made.diag, 0)->hint, "did you mean callgrind?");
    ck_assert_int_eq(export_as("folded", "lane", path), HX_INVALID);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(made.diag, 0)->hint, "lanes"));
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/.folded", made.folder); /* nothing but the ending is an ending */
    ck_assert_ok(export_as("flamegraph", "lanes", path));
}
END_TEST

/* What the exporter makes of the profile. */
static void print_export(const struct export_class *exporter, enum figure weight, struct text *out)
{
    HX_AUTO(stacks_done) struct stacks stacks;
    ck_assert_ok(stacks_make(made.profile, NULL, NULL, &stacks));
    const struct export_request request = {.profile = made.profile,
                                           .stacks = &stacks,
                                           .program = made.profile->program,
                                           .file = made.profile->file,
                                           .weight = weight};
    out->length = 0;
    ck_assert_ok(export_print(exporter, &request, out, NULL));
}

/* Ways to the leaf are separate, and each has its own figures. */
START_TEST(test_folded_stacks)
{
    HX_AUTO(text_done) struct text out = {0};
    print_export(&export_folded, FIGURE_STORED, &out);
    ck_assert_str_eq(out.at, "exported;calls;left;leaf;17: stg.u32 [$out + r0*4], r0;stg.u32 128\n"
                             "exported;calls;right;leaf;17: stg.u32 [$out + r0*4], r0;stg.u32 128\n");
}
END_TEST

/* A full disk, a folder that is not there: an error, and what was there before is as it was. */
START_TEST(test_files_are_whole)
{
    char path[100], before[16] = "";
    snprintf(path, sizeof path, "%s/no/where.folded", made.folder);
    ck_assert_int_eq(export_as("folded", NULL, path), HX_IO);
    ck_assert_int_eq(export_as("callgrind", NULL, "/dev/full"), HX_IO);
    snprintf(path, sizeof path, "%s/old.prom", made.folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("old", file);
    fclose(file);
    ck_assert_int_eq(chmod(made.folder, 0500), 0);
    if (geteuid() != 0) /* root may write everywhere */
        ck_assert_int_eq(export_as("prometheus", NULL, path), HX_IO);
    ck_assert_int_eq(chmod(made.folder, 0700), 0);
    ck_assert_ptr_nonnull(file = fopen(path, "r"));
    ck_assert_uint_eq(fread(before, 1, sizeof before - 1, file), 3);
    fclose(file);
    ck_assert_str_eq(before, "old");
}
END_TEST

/* A file's name is only a name, whatever is in it. */
START_TEST(test_strange_names)
{
    tear_down();
    make("<a&b>\"c\";\\d.yaml");
    HX_AUTO(text_done) struct text out = {0};
    print_export(&export_svg, FIGURE_LANES, &out);
    ck_assert_ptr_nonnull(strstr(out.at, "&lt;a&amp;b&gt;&quot;c&quot;;\\d.yaml:"));
    ck_assert_ptr_null(strstr(out.at, "<a&b>"));
    print_export(&export_speedscope, FIGURE_LANES, &out);
    ck_assert_ptr_nonnull(strstr(out.at, "\"file\":\"<a&b>\\\"c\\\";\\\\d.yaml\""));
}
END_TEST

/* Each allocation fails once, in each exporter. */
START_TEST(test_no_memory)
{
    for (size_t i = 0; i < HX_COUNT_OF(classes); i++) {
        hx_status status = HX_NO_MEMORY;
        for (size_t fail_at = 1; !classes[i]->left_out && status == HX_NO_MEMORY; fail_at++) {
            struct failing_allocator failing;
            struct stacks stacks = {.kernels = NULL};
            failing_allocator_init(&failing, fail_at);
            struct text out = {.allocator = &failing.hook};
            status = stacks_make(made.profile, &failing.hook, NULL, &stacks);
            const struct export_request request = {.profile = made.profile,
                                                   .stacks = &stacks,
                                                   .program = "exported",
                                                   .file = "exported.yaml",
                                                   .unix_ns = 1,
                                                   .allocator = &failing.hook};
            if (status == HX_OK)
                status = export_print(classes[i], &request, &out, NULL);
            ck_assert_msg(status == HX_OK || status == HX_NO_MEMORY, "%s: %d", classes[i]->name, status);
            text_done(&out);
            stacks_done(&stacks);
            ck_assert_msg(failing.live == 0, "%s leaks when allocation %zu fails", classes[i]->name, fail_at);
        }
        ck_assert(classes[i]->left_out || status == HX_OK);
    }
}
END_TEST

static void check_resource(const char *name, const char *attributes, const char *expected)
{
    struct text out = {0};
    struct json json;
    ck_assert_int_eq(name ? setenv("OTEL_SERVICE_NAME", name, 1) : unsetenv("OTEL_SERVICE_NAME"), 0);
    ck_assert_int_eq(attributes ? setenv("OTEL_RESOURCE_ATTRIBUTES", attributes, 1)
                                : unsetenv("OTEL_RESOURCE_ATTRIBUTES"),
                     0);
    json_init(&json, &out);
    json_open_object(&json);
    otlp_resource(&json);
    json_close_object(&json);
    ck_assert_msg(strstr(out.at, expected) != NULL, "%s\nis not in\n%s", expected, out.at);
    text_done(&out);
}

#define ATTRIBUTE(key, value) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
START_TEST(test_resource)
{
    check_resource(NULL, NULL, "{\"attributes\":[" ATTRIBUTE("service.name", "hexec") ",");
    check_resource("mine", "service.name=theirs,a=1",
                   "[" ATTRIBUTE("a", "1") "," ATTRIBUTE("service.name", "mine") ",");
    check_resource(NULL, " service.name = theirs , b=x%20y%2Cz,=nothing,bare,",
                   "[" ATTRIBUTE("service.name", "theirs") "," ATTRIBUTE("b", "x y,z") "," ATTRIBUTE(
                       "telemetry.sdk.name", "hexec"));
    check_resource(NULL, "c=100%", ATTRIBUTE("c", "100%"));
}
END_TEST

START_TEST(test_values)
{
    const hx_field fields[] = {HX_U64("u", UINT64_MAX), HX_U64("v", INT64_MAX), HX_I64("i", INT64_MIN),
                               HX_BOOL("b", 1), HX_F64("f", 0.5)};
    static const char *const expected[] = {
        "{\"key\":\"u\",\"value\":{\"stringValue\":\"18446744073709551615\"}}",
        "{\"key\":\"v\",\"value\":{\"intValue\":\"9223372036854775807\"}}",
        "{\"key\":\"i\",\"value\":{\"intValue\":\"-9223372036854775808\"}}",
        "{\"key\":\"b\",\"value\":{\"boolValue\":true}}", "{\"key\":\"f\",\"value\":{\"doubleValue\":0.5}}"};
    for (size_t i = 0; i < HX_COUNT_OF(fields); i++) {
        struct text out = {0};
        struct json json;
        json_init(&json, &out);
        otlp_attribute(&json, &fields[i]);
        ck_assert_str_eq(out.at, expected[i]);
        text_done(&out);
    }
}
END_TEST

/* Each signal has a file of its own. */
START_TEST(test_otlp_files)
{
    char path[100], file[120];
    snprintf(path, sizeof path, "%s/run.jsonl", made.folder);
    ck_assert_ok(export_as("otlp", NULL, path));
    snprintf(file, sizeof file, "%s/run.metrics.jsonl", made.folder);
    ck_assert_int_eq(access(file, F_OK), 0);
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/bare", made.folder);
    ck_assert_ok(export_as("otlp", NULL, path));
    snprintf(file, sizeof file, "%s/bare.metrics.jsonl", made.folder);
    ck_assert_int_eq(access(file, F_OK), 0);
    ck_assert(otlp_is_url("http://localhost:4318") && !otlp_is_url("httpd.jsonl"));
}
END_TEST

UNIT_MAIN_WITH(set_up, tear_down, "api_exports", test_what_is_asked_for, test_folded_stacks,
               test_files_are_whole, test_strange_names, test_no_memory, test_resource, test_values,
               test_otlp_files)
