/* OTLP metrics: the sums that Prometheus gets, as cumulative sums for an OpenTelemetry collector. Names and
 * units are those of OpenTelemetry (dots, UCUM: https://opentelemetry.io/docs/specs/semconv/general/metrics).
 */
#include "trace/otlp.h"
#include "report/sinks/groups.h"

#include <string.h>

extern const struct export_class export_otlp;

static const struct {
    const char *name, *unit;
} names[FIGURE_COUNT] = {
    [FIGURE_TIME] = {"hexec.instruction.time", "ns"},
    [FIGURE_ISSUES] = {"hexec.warp.instructions", "{instruction}"},
    [FIGURE_LANES] = {"hexec.thread.instructions", "{instruction}"},
    [FIGURE_LOADED] = {"hexec.loaded", "By"},
    [FIGURE_STORED] = {"hexec.stored", "By"},
    [FIGURE_FLOPS] = {"hexec.flops", "{operation}"},
};

static void print_point(struct json *json, const struct export_request *request, const struct group *group,
                        enum figure figure)
{
    const hx_field attributes[] = {
        HX_STR("hexec.program", request->program), HX_STR("hexec.kernel", group->kernel->about->name),
        HX_STR("hexec.opcode", group->form), HX_STR("hexec.class", group->class_name)};
    json_open_object(json);
    json_member_array(json, "attributes");
    for (size_t i = 0; i < HX_COUNT_OF(attributes); i++)
        otlp_attribute(json, &attributes[i]);
    json_close_array(json);
    otlp_u64(json, "startTimeUnixNano", request->unix_ns - hx_profile_result(request->profile)->duration_ns);
    otlp_u64(json, "timeUnixNano", request->unix_ns);
    otlp_u64(json, "asInt", group->figures.of[figure]);
    json_close_object(json);
}

static void print_metric(struct json *json, const struct export_request *request, const struct groups *groups,
                         enum figure figure)
{
    json_open_object(json);
    json_member_str(json, "name", names[figure].name);
    json_member_str(json, "description", metric_table[figure].help);
    json_member_str(json, "unit", names[figure].unit);
    json_member_object(json, "sum");
    json_key(json, "aggregationTemporality");
    json_u64(json, 2); /* cumulative */
    json_key(json, "isMonotonic");
    json_bool(json, true);
    json_member_array(json, "dataPoints");
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].figures.of[figure] > 0)
            print_point(json, request, &groups->items[i], figure);
    json_close_array(json);
    json_close_object(json);
    json_close_object(json);
}

static hx_status print_otlp(const struct export_request *request, struct text *out, hx_diag *diag)
{
    struct groups groups HX_AUTO(groups_done) = {.count = 0};
    const hx_status status = groups_make(request, diag, &groups);
    if (status != HX_OK)
        return status;
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_array(&json, "resourceMetrics");
    json_open_object(&json);
    otlp_resource(&json);
    json_member_array(&json, "scopeMetrics");
    json_open_object(&json);
    otlp_scope(&json);
    json_member_array(&json, "metrics");
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (request->stacks->total.of[i] > 0)
            print_metric(&json, request, &groups, (enum figure)i);
    json_close_array(&json);
    json_close_object(&json);
    json_close_array(&json);
    json_close_object(&json);
    json_close_array(&json);
    json_close_object(&json);
    text_append(out, "\n", 1);
    return HX_OK;
}

const struct export_class export_otlp = {"otlp", NULL, print_otlp, NULL};
