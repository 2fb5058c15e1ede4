/* Decisions by results that a GPU may give otherwise: collected, sorted, worded.
 *
 * Takes what the checker of values that nobody wrote has noted of a launch, leaves hx_fidelity_decisions, and
 * the part of each report about them. They are no findings: they change neither totals nor exit codes. */
#include "base/demangle.h"
#include "base/json.h"
#include "check/frame.h"
#include "ptx/library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DECISIONS_MAX 10000
#define SHOWN_MAX     20 /* in a report as text */

static const char *const role_names[] = {[CHECK_DECIDES_BRANCH] = "branch",
                                         [CHECK_DECIDES_ADDRESS] = "address",
                                         [CHECK_DECIDES_BARRIER] = "barrier"};

/* ---- Collecting ---------------------------------------------------------------------------------------- */

static bool is_alike(const struct check_decision *a, const struct check_decision *b)
{
    return a->role == b->role && a->from == b->from && a->from_instruction == b->from_instruction &&
           a->at.launch->code == b->at.launch->code && a->at.instruction == b->at.instruction;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Below 0: `a` comes first. */
static int compare_sites(const struct check_site *a, const struct check_site *b)
{
    int order = compare(a->launch->number, b->launch->number);
    order = order ? order : compare(a->block, b->block);
    order = order ? order : compare(a->thread, b->thread);
    return order ? order : compare(a->instruction, b->instruction);
}

static int compare_decisions(const void *a, const void *b)
{
    const struct check_decision *x = a, *y = b;
    int order = compare_sites(&x->at, &y->at);
    order = order ? order : compare(x->role, y->role);
    return order ? order : compare(x->from_instruction, y->from_instruction);
}

void check_decided(hx_checks *checks, const struct check_decision *decision)
{
    struct check_decision *found = NULL;
    const char *const file = decision->from->lines[decision->from_instruction].file;
    /* where malloc finds memory is open, and no program is to depend on it */
    if (file && strcmp(file, PTX_LIBRARY_SOURCE) == 0)
        return;
    pthread_mutex_lock(&checks->lock);
    for (size_t i = 0; i < checks->noted.count && !found; i++)
        if (is_alike(&checks->noted.items[i], decision))
            found = &checks->noted.items[i];
    if (found) {
        found->count += decision->count;
        if (compare_sites(&decision->at, &found->at) < 0)
            found->at = decision->at;
    } else if (checks->noted.count >= DECISIONS_MAX) {
        checks->decisions_left_out++;
    } else if (!LIST_PUSH(checks->allocator, &checks->noted, *decision)) {
        checks->lacks_memory = true;
    }
    pthread_mutex_unlock(&checks->lock);
}

/* ---- Finishing ----------------------------------------------------------------------------------------- */

static void fill(const struct check_decision *noted, hx_fidelity_decision *ret_decision)
{
    const struct check_launch launch = {.code = noted->from, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    const struct check_site from = {
        .launch = &launch, .instruction = noted->from_instruction, .role = "result"};
    struct check_site at = noted->at;
    at.role = role_names[noted->role];
    *ret_decision = (hx_fidelity_decision){.decides = role_names[noted->role],
                                           .form = noted->form,
                                           .fidelity = noted->result,
                                           .error = noted->error,
                                           .why = noted->why,
                                           .count = noted->count};
    check_place_of(&from, &ret_decision->from);
    check_place_of(&at, &ret_decision->at);
}

hx_status check_decisions_finish(hx_checks *checks)
{
    const size_t count = checks->noted.count;
    hx_fidelity_decision *const made = memory_allocate(checks->allocator, count + 1, sizeof *made);
    if (!made)
        return HX_NO_MEMORY;
    if (count > 1)
        qsort(checks->noted.items, count, sizeof *checks->noted.items, compare_decisions);
    for (size_t i = 0; i < count; i++)
        fill(&checks->noted.items[i], &made[i]);
    memory_free(checks->allocator, checks->decisions);
    checks->decisions = made;
    checks->decision_count = count;
    return HX_OK;
}

void check_decisions_done(hx_checks *checks)
{
    LIST_DONE(checks->allocator, &checks->noted);
    memory_free(checks->allocator, checks->decisions);
    checks->decisions = NULL;
    checks->decision_count = 0;
}

size_t hx_checks_decision_count(const hx_checks *checks)
{
    return checks ? checks->decision_count : 0;
}

const hx_fidelity_decision *hx_checks_decision(const hx_checks *checks, size_t index)
{
    return checks && index < checks->decision_count ? &checks->decisions[index] : NULL;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

/* "the result of 'sin.approx.f32' (line 12, within 2^-20.9) decides" */
static void print_result(const hx_fidelity_decision *decision, struct text *out)
{
    const hx_finding_place *const from = &decision->from;
    const bool is_elsewhere = strcmp(from->kernel, decision->at.kernel) != 0;
    text_print(out, "the result of '%s' (", decision->form);
    if (from->line > 0)
        text_print(out, is_elsewhere ? "line %d of " : "line %d, ", from->line);
    else if (is_elsewhere)
        text_print(out, "in ");
    if (is_elsewhere) {
        demangle(out, from->kernel);
        text_print(out, ", ");
    }
    if (decision->fidelity == HX_FIDELITY_WITHIN)
        text_print(out, "within %s", decision->error);
    else
        text_print(out, "open%s%s", decision->why[0] ? ": " : "", decision->why);
    text_print(out, ") decides ");
}

static const char *decided(const hx_fidelity_decision *decision)
{
    return strcmp(decision->decides, "address") == 0  ? "an address"
           : strcmp(decision->decides, "branch") == 0 ? "which way threads go"
                                                      : "at a barrier or for a warp";
}

static void print_first(const hx_fidelity_decision *decision, struct text *out)
{
    const hx_finding_place *const at = &decision->at;
    text_print(out, "first in block (%u,%u,%u), thread (%u,%u,%u)", at->block[0], at->block[1], at->block[2],
               at->thread[0], at->thread[1], at->thread[2]);
    if (at->launch > 1)
        text_print(out, ", launch %" PRIu64, at->launch);
}

void check_print_decisions(const hx_checks *checks, struct text *out)
{
    const size_t count = checks->decision_count, shown = count < SHOWN_MAX ? count : SHOWN_MAX;
    for (size_t i = 0; i < shown; i++) {
        const hx_fidelity_decision *const decision = &checks->decisions[i];
        const hx_finding_place *const at = &decision->at;
        if (at->file)
            text_print(out, "%s:%d:%d: ", at->file, at->line, at->column);
        text_print(out, "note: ");
        print_result(decision, out);
        text_print(out, "%s here, ", decided(decision));
        print_first(decision, out);
        text_print(out, decision->count > 1 ? " (%" PRIu64 " times)\n" : "\n", decision->count);
    }
    const uint64_t more = count - shown + checks->decisions_left_out;
    if (more > 0)
        text_print(out, "%" PRIu64 " more such notes%s\n", more,
                   checks->decisions_left_out ? "" : " are in --json and --report");
}

void check_put_decisions(const hx_checks *checks, struct json *json)
{
    json_member_array(json, "decisions");
    for (size_t i = 0; i < checks->decision_count; i++) {
        const hx_fidelity_decision *const decision = &checks->decisions[i];
        json_open_object(json);
        json_member_str(json, "decides", decision->decides);
        json_member_str(json, "form", decision->form);
        json_member_str(json, "result", hx_fidelity_name(decision->fidelity));
        json_member_str(json, "error", decision->error);
        json_member_str(json, "why", decision->why);
        json_key(json, "from");
        check_put_place(json, &decision->from);
        json_key(json, "at");
        check_put_place(json, &decision->at);
        json_member_u64(json, "count", decision->count);
        json_close_object(json);
    }
    json_close_array(json);
}

void check_print_decisions_html(const hx_checks *checks, struct text *out)
{
    if (checks->decision_count == 0)
        return;
    text_print(
        out,
        "<section id=\"decisions\" class=\"findings\">\n<header><h2>Decisions by results that a GPU may give "
        "otherwise</h2></header>\n<table>\n<thead><tr><th scope=\"col\">Result</th>"
        "<th scope=\"col\">Decides</th><th scope=\"col\">Times</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < checks->decision_count; i++) {
        const hx_fidelity_decision *const decision = &checks->decisions[i];
        struct text words HX_AUTO(text_done) = {.allocator = out->allocator};
        print_result(decision, &words);
        text_print(&words, "%s", decided(decision));
        out->failed |= words.failed;
        text_print(out, "<tr><td><p>");
        text_print_xml(out, words.failed ? "" : words.at);
        text_print(out, "</p></td><td>");
        check_print_place_html(&decision->at, out);
        text_print(out, "</td><td data-name=\"times\">%" PRIu64 "</td></tr>\n", decision->count);
    }
    text_print(out, "</tbody>\n</table>\n</section>\n");
}
