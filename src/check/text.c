/* Findings for people.
 *
 * Takes finished checks, leaves text: the first finding in full, each of its places with the line of the
 * source, then a line for each of the others, and a last line that is always there. */
#include "base/text.h"
#include "check/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_count(struct text *text, const hx_finding *finding)
{
    if (finding->count > 1)
        text_print(text, " (%" PRIu64 " times)", finding->count);
}

static void print_thread(struct text *text, const hx_finding_place *place)
{
    text_print(text, "block (%u,%u,%u), thread (%u,%u,%u)", place->block[0], place->block[1], place->block[2],
               place->thread[0], place->thread[1], place->thread[2]);
}

static hx_status render(const hx_finding *finding, const hx_finding_place *place, struct text *message,
                        const hx_checks_render_options *options, struct text *out)
{
    const hx_diagnostic item = {.code = finding->code,
                                .severity = !place || place == finding->places ? finding->severity : HX_NOTE,
                                .file = place ? place->file : NULL,
                                .line = place ? place->line : 0,
                                .column = place ? place->column : 0,
                                .length = place ? place->length : 0,
                                .source_line = place ? place->source_line : NULL,
                                .message = message->at ? message->at : ""};
    const hx_render_options how = {.color = options && options->color};
    return message->failed ? HX_NO_MEMORY : hx_diagnostic_render(&item, &how, text_write, out);
}

/* One finding with all its places. */
static hx_status print_full(const hx_finding *finding, const hx_checks_render_options *options,
                            struct text *out)
{
    hx_status status = HX_OK;
    for (uint32_t i = 0; status == HX_OK && (i == 0 || i < finding->place_count); i++) {
        const hx_finding_place *place = finding->place_count > 0 ? &finding->places[i] : NULL;
        struct text message HX_AUTO(text_done) = {.allocator = out->allocator};
        if (i == 0) {
            text_print(&message, "%s: %s", finding->kind, finding->message);
            print_count(&message, finding);
        } else {
            text_print(&message, "%s", place->role);
        }
        if (place) {
            text_print(&message, i == 0 ? ", first in " : ", in ");
            print_thread(&message, place);
            if (place->launch > 1 || (i > 0 && place->launch != finding->places[0].launch))
                text_print(&message, ", launch %" PRIu64, place->launch);
        }
        status = render(finding, place, &message, options, out);
    }
    if (finding->note)
        text_print(out, "      note: %s\n", finding->note);
    if (finding->hint)
        text_print(out, "      help: %s\n", finding->hint);
    return status;
}

void check_print_brief(const hx_finding *finding, struct text *out)
{
    const hx_finding_place *place = finding->place_count > 0 ? &finding->places[0] : NULL;
    if (place && place->file)
        text_print(out, "%s:%d:%d: ", place->file, place->line, place->column);
    text_print(out, "%s%s: %s", finding->severity == HX_WARNING ? "warning: " : "", finding->kind,
               finding->message);
    for (uint32_t i = 1; i < finding->place_count; i++) {
        const hx_finding_place *const other = &finding->places[i];
        if (place->file && other->file && strcmp(place->file, other->file) != 0)
            text_print(out, "; %s in %s:%d", other->role, other->file, other->line);
        else
            text_print(out, "; %s in line %d", other->role, other->line);
    }
    print_count(out, finding);
}

static void print_many(struct text *out, uint64_t count, const char *what)
{
    text_print(out, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

void check_print_sum(const hx_checks *checks, struct text *out)
{
    const char *name;
    uint32_t kind, printed = 0;
    const uint64_t warnings = checks->total - checks->errors;
    print_many(out, checks->total, "finding");
    if (warnings > 0 && checks->errors > 0) {
        text_print(out, " (");
        print_many(out, checks->errors, "error");
        text_print(out, ", ");
        print_many(out, warnings, "warning");
        text_print(out, ")");
    } else if (warnings > 0) {
        text_print(out, warnings == 1 ? " (a warning)" : " (all warnings)");
    }
    if (checks->suppressed)
        text_print(out, ", %" PRIu64 " suppressed", checks->suppressed);
    if (checks->failure.status != HX_OK)
        text_print(out, ", and the run %s",
                   checks->failure.status == HX_FAULT ? "ended with a fault" : "was stopped before its end");
    text_print(out, "; checked: ");
    for (size_t i = 0; (name = hx_checks_name(i, &kind)); i++)
        if (checks->options.kinds & kind)
            text_print(out, "%s%s", printed++ ? ", " : "", name);
}

bool check_print_unkept(const hx_checks *checks, struct text *out)
{
    if (checks->unkept == 0)
        return false;
    text_print(out, "race did not remember ");
    text_print(out,
               "%" PRIu64
               " access%s of words with more than 256 that nothing orders; later ones may race with them",
               checks->unkept, checks->unkept == 1 ? "" : "es");
    return true;
}

/* The one to read first: two threads that store the same are of no interest beside the race that they are in.
 */
static size_t first_error(const hx_checks *checks)
{
    for (size_t i = 0; i < checks->finding_count; i++)
        if (checks->findings[i].severity != HX_WARNING)
            return i;
    return 0;
}

hx_status hx_checks_render(const hx_checks *checks, const hx_checks_render_options *options,
                           hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, checks);
    DIAG_REQUIRE(NULL, write);
    struct text out HX_AUTO(text_done) = {.allocator = checks->allocator};
    hx_status status = HX_OK;
    const size_t first = first_error(checks);
    if (first < checks->finding_count)
        status = print_full(&checks->findings[first], options, &out);
    for (size_t i = 0; status == HX_OK && i < checks->finding_count; i++) {
        if (i == first)
            continue;
        check_print_brief(&checks->findings[i], &out);
        text_print(&out, "\n");
    }
    if (checks->total > checks->finding_count)
        text_print(&out, "%" PRIu64 " more are not shown\n", checks->total - checks->finding_count);
    if (checks->left_out > 0)
        text_print(&out, "the report is full: %" PRIu64 " more mistakes are in no finding\n",
                   checks->left_out);
    if (check_print_unkept(checks, &out))
        text_print(&out, "\n");
    check_print_decisions(checks, &out);
    check_print_sum(checks, &out);
    text_print(&out, "\n");
    if (status != HX_OK || out.failed)
        return HX_NO_MEMORY;
    return write(user, out.at, out.length);
}
