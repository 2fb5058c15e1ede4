/* The findings of a session: what is known of the kernels' mistakes after each launch is beside its record,
 * so that a process that is killed leaves it. */
#include "api/session.h"

#include "base/file.h"

static void write_beside(const hx_session *session, const char *ending, const struct text *text)
{
    struct text path HX_AUTO(text_done) = {.allocator = session->allocator};
    text_print(&path, "%s%s", session->base, ending);
    if (!path.failed && !text->failed) /* where it cannot be written the one before stays */
        (void)!file_write(path.at, text->at, text->length, NULL);
}

hx_status session_print_findings(hx_session *session, bool is_json, struct text *out)
{
    const hx_checks_render_options how = {.size = sizeof how};
    if (!session->checks)
        return HX_OK;
    const hx_status status = hx_checks_finish(session->checks, NULL);
    if (status != HX_OK)
        return status;
    return is_json ? hx_checks_export(session->checks, HX_CHECKS_JSON, text_write, out)
                   : hx_checks_render(session->checks, &how, text_write, out);
}

void session_keep_findings(hx_session *session)
{
    struct text text HX_AUTO(text_done) = {.allocator = session->allocator};
    struct text json HX_AUTO(text_done) = {.allocator = session->allocator};
    struct text sarif HX_AUTO(text_done) = {.allocator = session->allocator};
    if (!session->base || hx_checks_finish(session->checks, NULL) != HX_OK)
        return;
    uint64_t count = 0;
    for (size_t i = 0; i < hx_checks_finding_count(session->checks); i++)
        count += hx_checks_finding(session->checks, i)->count;
    for (size_t i = 0; i < hx_checks_suppressed_count(session->checks); i++)
        count += hx_checks_suppressed(session->checks, i)->count;
    if (session->has_kept && count == session->findings)
        return;
    session->has_kept = true;
    session->findings = count;
    atomic_store(&session->record->findings, hx_checks_finding_total(session->checks, NULL));
    atomic_store(&session->record->errors, hx_checks_error_total(session->checks));
    if (session_print_findings(session, false, &text) == HX_OK)
        write_beside(session, SESSION_FINDINGS_TEXT, &text);
    if (session->is_json && session_print_findings(session, true, &json) == HX_OK)
        write_beside(session, SESSION_FINDINGS_JSON, &json);
    if (session->has_sarif && hx_checks_export(session->checks, HX_CHECKS_SARIF, text_write, &sarif) == HX_OK)
        write_beside(session, SESSION_FINDINGS_SARIF, &sarif);
}
