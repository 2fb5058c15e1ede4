/* The HTML report: one page that holds all it needs. The page's template, style and script are files of
 * src/report/html, which the build puts into the library; what is made here is the page around the
 * profile's JSON document. A document of a large kernel is compressed, so that the page stays small enough to
 * mail. */
#include "base/memory.h"
#include "profile/profile.h"
#include "report/sinks/export.h"

#include <string.h>
#include <zlib.h>

extern const struct export_class export_html;
extern const char report_template[], report_style[], report_script[];
extern const size_t report_template_bytes, report_style_bytes, report_script_bytes;

#define PLAIN_BYTES_MAX (256u << 10) /* larger documents are compressed */

/* In a script element nothing but the element's end tag is read; a '<' of JSON stands within strings only,
 * where it may be an escape, so that no text of a program can end the element. */
static void print_plain(struct text *out, const char *id, const char *text, size_t length)
{
    const char *at = text, *end = at + length, *next;
    text_print(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (; (next = memchr(at, '<', (size_t)(end - at))) != NULL; at = next + 1) {
        text_append(out, at, (size_t)(next - at));
        text_print(out, "\\u003c");
    }
    text_append(out, at, (size_t)(end - at));
    text_print(out, "</script>");
}

static void *allocate(void *allocator, unsigned count, unsigned size)
{
    return memory_allocate(allocator, count, size);
}

static void release(void *allocator, void *pointer)
{
    memory_free(allocator, pointer);
}

/* gzip, RFC 1952, without a time: the same document gives the same bytes. */
static hx_status compress_document(const struct text *document, const hx_allocator *allocator,
                                   uint8_t **ret_bytes, size_t *ret_count)
{
    const int window_bits = 15, gzip = 16, memory_level = 9;
    z_stream stream = {.zalloc = allocate, .zfree = release, .opaque = (void *)allocator};
    if (document->length > UINT32_MAX ||
        deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits + gzip, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return HX_NO_MEMORY;
    const size_t bound = deflateBound(&stream, document->length);
    uint8_t *bytes = memory_allocate(allocator, bound, 1);
    stream.next_in = (uint8_t *)document->at;
    stream.avail_in = (unsigned)document->length;
    stream.next_out = bytes;
    stream.avail_out = (unsigned)bound;
    const bool is_done = bytes && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *ret_count = stream.total_out;
    deflateEnd(&stream);
    if (!is_done) {
        memory_free(allocator, bytes);
        return HX_NO_MEMORY;
    }
    *ret_bytes = bytes;
    return HX_OK;
}

static hx_status print_compressed(struct text *out, const struct text *document,
                                  const hx_allocator *allocator)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    hx_status status = compress_document(document, allocator, &bytes, &count);
    if (status != HX_OK)
        return status;
    text_print(out, "<script type=\"application/json\" id=\"document\" data-encoding=\"gzip\">");
    text_print_base64(out, bytes, count);
    text_print(out, "</script>");
    memory_free(allocator, bytes);
    return HX_OK;
}

static hx_status print_document(const struct export_request *request, struct text *out, hx_diag *diag)
{
    const hx_profile_print_options options = {.size = sizeof options, .format = HX_PROFILE_JSON};
    struct text document HX_AUTO(text_done) = {.allocator = request->allocator};
    hx_status status = hx_profile_print(request->profile, &options, diag, text_write, &document);
    if (status == HX_OK && document.length <= PLAIN_BYTES_MAX)
        print_plain(out, "document", document.at, document.length);
    else if (status == HX_OK)
        status = print_compressed(out, &document, request->allocator);
    if (request->findings)
        print_plain(out, "findings-document", request->findings, strlen(request->findings));
    return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
}

/* The template up to a marker, which it has; *at is then behind it. */
static void print_until(struct text *out, const char **at, const char *marker)
{
    const char *found = strstr(*at, marker);
    text_append(out, *at, (size_t)(found - *at));
    *at = found + strlen(marker);
}

static hx_status print_html(const struct export_request *request, struct text *out, hx_diag *diag)
{
    const char *at = report_template;
    print_until(out, &at, "<!-- hexec:style -->\n");
    text_append(out, report_style, report_style_bytes);
    print_until(out, &at, "<!-- hexec:document -->");
    hx_status status = print_document(request, out, diag);
    print_until(out, &at, "<!-- hexec:script -->\n");
    text_append(out, report_script, report_script_bytes);
    text_append(out, at, report_template_bytes - (size_t)(at - report_template));
    return status;
}

const struct export_class export_html = {"html", NULL, print_html, NULL};
