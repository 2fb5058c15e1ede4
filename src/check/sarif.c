/* Findings as SARIF 2.1.0, which code hosts show beside the lines of a change.
 *
 * Takes finished checks, leaves one document: a rule for each kind, a result for each finding. Suppressed
 * ones are results with their reason, which code hosts hide. */
#include "base/json.h"
#include "check/frame.h"

#include <string.h>

static void put_i64(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_i64(json, value);
}

/* A path as the reference that a URI is. */
static void put_uri(struct json *json, const char *path)
{
    struct text uri HX_AUTO(text_done) = {.allocator = json->out->allocator};
    for (const char *at = path; *at; at++)
        if (text_is_word(*at) || strchr("/.-~", *at))
            text_append(&uri, at, 1);
        else
            text_print(&uri, "%%%02X", (unsigned char)*at);
    json_member_str(json, "uri", uri.at);
    json->out->failed |= uri.failed;
}

static void put_location(struct json *json, const hx_finding_place *place, bool is_related)
{
    json_open_object(json);
    if (place->file) {
        json_member_object(json, "physicalLocation");
        json_member_object(json, "artifactLocation");
        put_uri(json, place->file);
        json_close_object(json);
        if (place->line > 0) {
            json_member_object(json, "region");
            put_i64(json, "startLine", place->line);
            if (place->column > 0) {
                put_i64(json, "startColumn", place->column);
                put_i64(json, "endColumn", place->column + (place->length > 0 ? place->length : 1));
            }
            json_close_object(json);
        }
        json_close_object(json);
    }
    json_member_array(json, "logicalLocations");
    json_open_object(json);
    json_member_str(json, "name", place->kernel);
    json_member_str(json, "kind", "function");
    json_close_object(json);
    json_close_array(json);
    if (is_related) {
        json_member_object(json, "message");
        json_member_str(json, "text", place->role);
        json_close_object(json);
    }
    json_close_object(json);
}

static void put_message(struct json *json, const char *key, const char *text)
{
    json_member_object(json, key);
    json_member_str(json, "text", text);
    json_close_object(json);
}

static const char *level_of(hx_severity severity)
{
    return severity == HX_WARNING ? "warning" : "error";
}

static void put_rule(struct json *json, const struct kind_row *row)
{
    json_open_object(json);
    json_member_str(json, "id", row->name);
    put_message(json, "shortDescription", hx_explain_title(row->code));
    put_message(json, "fullDescription", hx_explain_text(row->code));
    json_member_object(json, "defaultConfiguration");
    json_member_str(json, "level", level_of(row->severity));
    json_close_object(json);
    json_close_object(json);
}

/* With a list of suppressions in one result, each has one (SARIF 2.1.0, 3.27.23): it is empty otherwise. */
static void put_suppressions(struct json *json, const hx_finding *finding)
{
    json_member_array(json, "suppressions");
    if (finding->reason) {
        json_open_object(json);
        json_member_str(json, "kind", "external");
        json_member_str(json, "justification", finding->reason);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_result(struct json *json, const hx_finding *finding)
{
    json_open_object(json);
    json_member_str(json, "ruleId", finding->kind);
    json_member_str(json, "level", level_of(finding->severity));
    put_message(json, "message", finding->message);
    json_member_u64(json, "occurrenceCount", finding->count);
    json_member_array(json, "locations");
    if (finding->place_count > 0)
        put_location(json, &finding->places[0], false);
    json_close_array(json);
    json_member_array(json, "relatedLocations");
    for (uint32_t i = 1; i < finding->place_count; i++)
        put_location(json, &finding->places[i], true);
    json_close_array(json);
    put_suppressions(json, finding);
    json_close_object(json);
}

static void put_notification(struct json *json, const char *level, const char *text,
                             const hx_finding_place *place)
{
    json_open_object(json);
    json_member_str(json, "level", level);
    put_message(json, "message", text);
    if (place) {
        json_member_array(json, "locations");
        put_location(json, place, false);
        json_close_array(json);
    }
    json_close_object(json);
}

/* That the tool ran, whether to the end of what it ran, and what it could not do (SARIF 2.1.0, 3.20). */
static void put_invocation(struct json *json, const hx_checks *checks)
{
    struct text unkept HX_AUTO(text_done) = {.allocator = checks->allocator};
    const struct check_failure *failure = &checks->failure;
    const bool has_unkept = check_print_unkept(checks, &unkept), has_failed = failure->status != HX_OK;
    if (!has_unkept && !has_failed)
        return;
    json_member_array(json, "invocations");
    json_open_object(json);
    json_key(json, "executionSuccessful");
    json_bool(json, !has_failed);
    json_member_array(json, "toolExecutionNotifications");
    if (has_failed)
        put_notification(json, "error", failure->what, failure->has_place ? &failure->place : NULL);
    if (has_unkept)
        put_notification(json, "warning", unkept.at, NULL);
    json_close_array(json);
    json_close_object(json);
    json_close_array(json);
}

void check_print_sarif(const hx_checks *checks, struct text *out)
{
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_member_str(&json, "version", "2.1.0");
    json_member_array(&json, "runs");
    json_open_object(&json);
    json_member_object(&json, "tool");
    json_member_object(&json, "driver");
    json_member_str(&json, "name", "hexec");
    json_member_str(&json, "semanticVersion", HX_VERSION);
    json_member_array(&json, "rules");
    for (size_t i = 0; i < CHECK_KIND_COUNT; i++)
        put_rule(&json, &check_kind_rows[i]);
    json_close_array(&json);
    json_close_object(&json);
    json_close_object(&json);
    put_invocation(&json, checks);
    json_member_str(&json, "columnKind", "utf16CodeUnits");
    json_member_array(&json, "results");
    for (size_t i = 0; i < checks->finding_count + checks->suppressed_count; i++)
        put_result(&json, &checks->findings[i]);
    json_close_array(&json);
    json_close_object(&json);
    json_close_array(&json);
    json_close_object(&json);
    text_append(out, "\n", 1);
}
