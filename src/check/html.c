/* Findings as one HTML page, with the style of the report of profiles.
 *
 * Takes finished checks, leaves a page that needs no network: a row for each finding, with all of its places
 * and their lines. It is complete without its script, which only follows the colours of the system. */
#include "base/demangle.h"
#include "check/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const char report_style[]; /* made of src/report/html during the build */
extern const size_t report_style_bytes;

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'\">\n<link rel=\"icon\" href=\"data:,\">\n";
static const char script[] =
    "<script>\nconst dark = matchMedia(\"(prefers-color-scheme: dark)\");\n"
    "const follow = () => document.documentElement.dataset.theme = dark.matches ? \"dark\" : \"light\";\n"
    "dark.addEventListener(\"change\", follow);\nfollow();\n</script>\n";

/* The line, with the place marked. */
static void print_source(const hx_finding_place *place, struct text *out)
{
    const size_t length = strlen(place->source_line);
    const size_t from = place->column > 0 && (size_t)place->column <= length ? (size_t)place->column - 1 : 0;
    const size_t marked = place->length > 0 ? (size_t)place->length : 0;
    const size_t end = from + marked < length ? from + marked : length;
    struct text part HX_AUTO(text_done) = {.allocator = out->allocator};
    text_print(out, "<pre class=\"code\" tabindex=\"0\">%5d  ", place->line);
    for (int i = 0; i < 3; i++) {
        const size_t begin = i == 0 ? 0 : i == 1 ? from : end;
        const size_t stop = i == 0 ? from : i == 1 ? end : length;
        part.length = 0;
        text_append(&part, place->source_line + begin, stop - begin);
        text_print(out, i == 1 ? "<mark>" : "");
        if (part.length > 0 && !part.failed)
            text_print_xml(out, part.at);
        text_print(out, i == 1 ? "</mark>" : "");
    }
    out->failed |= part.failed;
    text_print(out, "</pre>");
}

void check_print_place_html(const hx_finding_place *place, struct text *out)
{
    text_print(out, "<p>");
    text_print_xml(out, place->role);
    if (place->file) {
        text_print(out, " in <code>");
        text_print_xml(out, place->file);
        text_print(out, ":%d</code>", place->line);
    }
    text_print(out, ", kernel <code>");
    struct text kernel HX_AUTO(text_done) = {.allocator = out->allocator};
    demangle(&kernel, place->kernel);
    out->failed |= kernel.failed;
    text_print_xml(out, kernel.at ? kernel.at : "");
    text_print(out, "</code>, <span class=\"muted\">block (%u,%u,%u), thread (%u,%u,%u)", place->block[0],
               place->block[1], place->block[2], place->thread[0], place->thread[1], place->thread[2]);
    if (place->launch > 1)
        text_print(out, ", launch %" PRIu64, place->launch);
    text_print(out, "</span></p>");
    if (place->source_line)
        print_source(place, out);
}

static void print_more(const char *name, const char *text, struct text *out)
{
    if (!text)
        return;
    text_print(out, "<p class=\"muted\">%s: ", name);
    text_print_xml(out, text);
    text_print(out, "</p>");
}

static void print_finding(const hx_finding *finding, struct text *out)
{
    const char *severity = finding->severity == HX_WARNING ? "warning" : "error";
    text_print(out,
               "<tr><td><p><span class=\"severity %s\">%s</span> <span class=\"found\">%s</span> "
               "<span class=\"muted\">HX%04d</span></p><p>",
               severity, severity, finding->kind, finding->code);
    text_print_xml(out, finding->message);
    text_print(out, "</p>");
    print_more("note", finding->note, out);
    print_more("help", finding->hint, out);
    print_more("suppressed", finding->reason, out);
    text_print(out, "</td><td>");
    for (uint32_t i = 0; i < finding->place_count; i++)
        check_print_place_html(&finding->places[i], out);
    text_print(out, "</td><td data-name=\"times\">%" PRIu64 "</td></tr>\n", finding->count);
}

static void print_section(const char *id, const char *title, const hx_finding *findings, size_t count,
                          struct text *out)
{
    if (count == 0)
        return;
    text_print(out,
               "<section id=\"%s\" class=\"findings\">\n<header><h2>%s</h2></header>\n<table>\n<thead><tr>"
               "<th scope=\"col\">Finding</th><th scope=\"col\">Where</th><th scope=\"col\">Times</th></tr>"
               "</thead>\n<tbody>\n",
               id, title);
    for (size_t i = 0; i < count; i++)
        print_finding(&findings[i], out);
    text_print(out, "</tbody>\n</table>\n</section>\n");
}

void check_print_html(const hx_checks *checks, struct text *out)
{
    const char *program = checks->codes.count > 0 ? checks->codes.items[0]->program : "no launch";
    text_append(out, head, sizeof head - 1);
    text_print(out, "<title>");
    text_print_xml(out, program);
    text_print(out, ": findings</title>\n<style>\n");
    text_append(out, report_style, report_style_bytes);
    text_print(out,
               "</style>\n%s</head>\n<body>\n<header class=\"top\">\n<div class=\"title\">\n"
               "<span class=\"maker\">hexec --check</span>\n<h1>",
               script);
    text_print_xml(out, program);
    text_print(out, "</h1>\n<p class=\"muted\">");
    check_print_sum(checks, out);
    text_print(out, "</p>\n</div>\n</header>\n<main id=\"main\">\n");
    print_section("findings", "Findings", checks->findings, checks->finding_count, out);
    print_section("suppressed", "Suppressed", checks->findings + checks->finding_count,
                  checks->suppressed_count, out);
    if (checks->finding_count + checks->suppressed_count == 0)
        text_print(out, "<p class=\"empty\">Nothing was found.</p>\n");
    check_print_decisions_html(checks, out);
    text_print(out, "</main>\n<footer><p class=\"muted\">hexec %s</p></footer>\n</body>\n</html>\n",
               HX_VERSION);
}
