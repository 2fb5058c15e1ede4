/* The HTML report: one page, in which the profile's document stands so that nothing of a program can end it,
 * plain or, when it is large, compressed; either way what comes out of the page is the document. */
#include "hexec/export.h"
#include "unit.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const char open_plain[] = "<script type=\"application/json\" id=\"document\">",
                  open_gzip[] = "<script type=\"application/json\" id=\"document\" data-encoding=\"gzip\">",
                  close_script[] = "</script>";

/* A kernel of this many instructions, and a comment that would end a script. */
static void write_program(struct text *out, int instructions)
{
    text_print(out, "program: hostile # </script><script>alert(1)</script><!-- \n"
                    "kernels:\n  - name: plain\n    code: |\n");
    for (int i = 1; i < instructions; i++)
        text_print(out, "      mov.u32 r0, %d\n", i);
    text_print(out, "      exit\nrun: [{kernel: plain, grid: [1], block: [32]}]\n");
}

static struct {
    struct text document;   /* the profile's JSON */
    char *bytes;            /* of the page */
    const char *held, *end; /* the text of the script element with the document */
    bool is_gzip;
} page;

static void make_page(hx_profile *profile, hx_diag *diag)
{
    const hx_profile_print_options json = {.size = sizeof json, .format = HX_PROFILE_JSON};
    char path[] = "/tmp/hexec-report-XXXXXX";
    const int file = mkstemp(path);
    const hx_export_options html = {.size = sizeof html, .format = "html", .path = path};
    size_t size;
    ck_assert_int_ge(file, 0);
    close(file);
    ck_assert_ok(hx_profile_export(profile, &html, diag));
    ck_assert_ok(file_read(path, SIZE_MAX / 2, NULL, diag, (struct place){0}, &page.bytes, &size));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_ok(hx_profile_print(profile, &json, diag, text_write, &page.document));
    const char *plain = strstr(page.bytes, open_plain), *gzip = strstr(page.bytes, open_gzip);
    ck_assert((plain == NULL) != (gzip == NULL));
    page.is_gzip = gzip != NULL;
    page.held = plain ? plain + strlen(open_plain) : gzip + strlen(open_gzip);
    page.end = strstr(page.held, close_script);
    ck_assert_ptr_nonnull(page.end);
}

static void make_page_of(int instructions)
{
    hx_diag *diag = NULL;
    hx_context *context = NULL;
    hx_profile *profile = NULL;
    struct text program = {0};
    const hx_profile_options options = {.size = sizeof options, .runs = 1};
    write_program(&program, instructions);
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_ok(hx_context_new(NULL, diag, &context));
    ck_assert_ok(hx_context_load_bytes(context, "hostile.yaml", program.at, program.length, diag));
    ck_assert_ok(hx_profile_run(context, &options, diag, &profile));
    make_page(profile, diag);
    hx_profile_free(profile);
    hx_context_free(context);
    hx_diag_free(diag);
    text_done(&program);
}

static void tear_down(void)
{
    memory_free(NULL, page.bytes);
    text_done(&page.document);
    memset(&page, 0, sizeof page);
}

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    while ((text = strstr(text, word)) != NULL) {
        found++;
        text += strlen(word);
    }
    return found;
}

START_TEST(test_page_holds_all)
{
    make_page_of(4);
    ck_assert_int_eq(strncmp(page.bytes, "<!doctype html>", 15), 0);
    ck_assert_uint_eq(count(page.bytes, close_script), 2); /* the document's and the program's */
    ck_assert_uint_eq(count(page.bytes, "<!-- hexec:"), 0);
    ck_assert_uint_eq(count(page.bytes, "<script src"), 0);
    ck_assert_uint_eq(count(page.bytes, "https://"), 0);
    ck_assert_ptr_nonnull(strstr(page.bytes, "startTheme"));
    ck_assert_ptr_nonnull(strstr(page.bytes, "@media print"));
    ck_assert_str_eq(page.bytes + strlen(page.bytes) - 8, "</html>\n");
}
END_TEST

START_TEST(test_plain_document)
{
    struct text read = {0};
    make_page_of(4);
    ck_assert(!page.is_gzip);
    for (const char *at = page.held; at < page.end;) {
        const bool is_escape = strncmp(at, "\\u003c", 6) == 0;
        ck_assert_int_ne(*at, '<');
        text_append(&read, is_escape ? "<" : at, 1);
        at += is_escape ? 6 : 1;
    }
    ck_assert_str_eq(read.at, page.document.at);
    ck_assert_uint_ge(count(read.at, "</script>"), 2);
    text_done(&read);
}
END_TEST

static size_t decode(const char *at, const char *end, uint8_t *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0, held = 0;
    size_t size = 0;
    ck_assert_uint_eq((size_t)(end - at) % 4, 0);
    for (; at < end && *at != '='; at++) {
        const char *digit = strchr(digits, *at);
        ck_assert_ptr_nonnull(digit);
        bits = bits << 6 | (uint32_t)(digit - digits);
        held += 6;
        if (held >= 8)
            bytes[size++] = (uint8_t)(bits >> (held -= 8));
    }
    ck_assert_int_le(end - at, 2); /* what fills up */
    return size;
}

START_TEST(test_compressed_document)
{
    make_page_of(400);
    ck_assert(page.is_gzip);
    uint8_t *packed = malloc((size_t)(page.end - page.held));
    char *read = malloc(page.document.length + 1);
    z_stream stream = {.next_in = packed,
                       .avail_in = (unsigned)decode(page.held, page.end, packed),
                       .next_out = (uint8_t *)read,
                       .avail_out = (unsigned)page.document.length + 1};
    ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(stream.avail_in, 0);
    ck_assert_uint_eq(stream.total_out, page.document.length);
    ck_assert_mem_eq(read, page.document.at, page.document.length);
    inflateEnd(&stream);
    free(packed);
    free(read);
}
END_TEST

UNIT_MAIN_WITH(NULL, tear_down, "api report", test_page_holds_all, test_plain_document,
               test_compressed_document)
