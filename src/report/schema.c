/* The JSON Schema of the document "hexec-profile" version 1.
 *
 * Takes the table of metrics, leaves a schema (draft 2020-12) in which each object of metrics has exactly
 * those that its scope has. A test validates what document.c writes against it. */
#include "report/schema.h"

#include "hexec/profile.h"

#include <string.h>

void schema_print_object(struct text *text, const struct schema_member *members,
                         const struct schema_member *optional)
{
    text_print(text, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; members[i].name; i++)
        text_print(text, "%s\"%s\":%s", i ? "," : "", members[i].name, members[i].schema);
    if (optional)
        text_print(text, ",\"%s\":%s", optional->name, optional->schema);
    text_print(text, "},\"required\":[");
    for (size_t i = 0; members[i].name; i++)
        text_print(text, "%s\"%s\"", i ? "," : "", members[i].name);
    text_print(text, "],\"additionalProperties\":false}");
}

static const struct schema_member why = {"why", OF("why")};
/* of baselines: percent (hexec compare) */
static const struct schema_member threshold = {"threshold", "{\"type\":\"number\",\"exclusiveMinimum\":0}"};
static const struct schema_member isa[] = {{"name", NAME}, {"hash", NAME}, {NULL, NULL}};
static const struct schema_member build[] = {{"compiler", NAME}, {"type", NAME}, {NULL, NULL}};
static const struct schema_member machine[] = {{"cpu", NAME},
                                               {"cores", COUNT},
                                               {"cpu_level", MAYBE},
                                               {"timer", "{\"enum\":[\"tsc\",\"clock\"]}"},
                                               {NULL, NULL}};
static const struct schema_member options[] = {
    {"workers_least", COUNT}, {"gang_least", COUNT},  {"workers", COUNT}, {"warp_size", COUNT},
    {"gang", COUNT},          {"seed", COUNT},        {"repeat", COUNT},  {"runs", COUNT},
    {"timed_runs", COUNT},    {"time_scale", NUMBER}, {NULL, NULL}};
static const struct schema_member source[] = {{"file", STRING}, {"lines", EACH(STRING)}, {NULL, NULL}};
static const struct schema_member metric[] = {
    {"name", NAME},    {"unit", STRING}, {"kind", "{\"enum\":[\"exact\",\"measured\",\"model\"]}"},
    {"formula", NAME}, {"help", NAME},   {"ncu", MAYBE},
    {NULL, NULL}};
static const struct schema_member part[] = {
    {"name", NAME}, {"ns", NUMBER}, {"kind", "{\"const\":\"measured\"}"}, {NULL, NULL}};
static const struct schema_member precision[] = {
    {"wanted_percent", NUMBER},
    {"reached_percent", "{\"type\":[\"number\",\"null\"]}"},
    {"others_percent", NUMBER},
    {"loop_ns", NUMBER},
    {"slowed_percent", NUMBER},
    {"end", "{\"enum\":[\"narrow\",\"time\",\"runs\",\"stopped\"]}"},
    {NULL, NULL}};
static const struct schema_member wall[] = {{"samples_ns", EACH(NUMBER)},
                                            {"precision", OF("precision")},
                                            {"parts", EACH(OF("part"))},
                                            {"total_ns", "{\"type\":[\"number\",\"null\"],\"minimum\":0}"},
                                            {NULL, NULL}};
/* Costs and peaks, where they were requested; see predict.c. */
#define FIGURE      "{\"type\":[\"number\",\"null\"]}"
#define ASKED(name) "{\"anyOf\":[{\"type\":\"null\"}," OF(name) "]}"
static const struct schema_member prediction[] = {{"ns", NUMBER},
                                                  {"issues", COUNT},
                                                  {"left_out", COUNT},
                                                  {"measured_ns", FIGURE},
                                                  {"unexplained_share", FIGURE},
                                                  {"kernels", EACH(OF("predicted_kernel"))},
                                                  {NULL, NULL}};
static const struct schema_member predicted_kernel[] = {
    {"name", NAME}, {"ns", NUMBER}, {"issues", COUNT}, {"left_out", COUNT}, {NULL, NULL}};
static const struct schema_member rate[] = {{"one", NUMBER}, {"all", NUMBER}, {NULL, NULL}};
static const struct schema_member level[] = {
    {"read", OF("rate")}, {"write", OF("rate")}, {"copy", OF("rate")}, {NULL, NULL}};
static const struct schema_member host[] = {
    {"f32_flops", OF("rate")},
    {"f64_flops", OF("rate")},
    {"memory", "{\"type\":\"object\",\"additionalProperties\":" OF("level") "}"},
    {"kernels", EACH(OF("roofline"))},
    {NULL, NULL}};
static const struct schema_member roofline[] = {{"name", NAME},
                                                {"flops_per_second", NUMBER},
                                                {"bytes_per_second", NUMBER},
                                                {"arithmetic_intensity", FIGURE},
                                                {"roof_flops_per_second", NUMBER},
                                                {"share_of_roof", NUMBER},
                                                {"bound", NAME},
                                                {"levels", EACH(OF("level_roof"))},
                                                {NULL, NULL}};
static const struct schema_member level_roof[] = {{"name", NAME},
                                                  {"bytes", NUMBER},
                                                  {"arithmetic_intensity", NUMBER},
                                                  {"roof_flops_per_second", FIGURE},
                                                  {NULL, NULL}};
static const struct schema_member function[] = {
    {"name", NAME}, {"entry", COUNT}, {"line", COUNT}, {NULL, NULL}};
static const struct schema_member instruction[] = {{"pc", COUNT},
                                                   {"line", COUNT},
                                                   {"column", COUNT},
                                                   {"text", NAME},
                                                   {"opcode", NAME},
                                                   {"form", NAME},
                                                   {"class", NAME},
                                                   {"span", NAME},
                                                   {"fidelity", STRING},
                                                   {"function", COUNT},
                                                   {"metrics", OF("instruction_metrics")},
                                                   {NULL, NULL}};
static const struct schema_member line[] = {
    {"line", COUNT}, {"instructions", COUNT}, {"metrics", OF("line_metrics")}, {NULL, NULL}};
static const struct schema_member opcode[] = {
    {"form", NAME}, {"instructions", COUNT}, {"metrics", OF("opcode_metrics")}, {NULL, NULL}};
static const struct schema_member branch[] = {{"pc", COUNT},        {"line", COUNT}, {"taken", COUNT},
                                              {"not_taken", COUNT}, {"both", COUNT}, {NULL, NULL}};
static const struct schema_member histogram[] = {
    {"form", NAME},
    {"buckets",
     EACH("{\"type\":\"array\",\"prefixItems\":[" NUMBER "," COUNT "],\"minItems\":2,\"maxItems\":2}")},
    {NULL, NULL}};
static const struct schema_member buffer[] = {
    {"name", NAME}, {"bytes", COUNT}, {"metrics", OF("buffer_metrics")}, {NULL, NULL}};
static const struct schema_member bound[] = {{"name", NAME}, {"ns", NUMBER}, {NULL, NULL}};
#define LIMIT "{\"type\":[\"integer\",\"null\"],\"minimum\":0}"
static const struct schema_member occupancy[] = {
    {"share", NUMBER},
    {"achieved", NUMBER},
    {"busy_sms", COUNT},
    {"blocks", COUNT},
    {"warps", COUNT},
    {"limit", NAME},
    {"limits", "{\"type\":\"object\",\"additionalProperties\":" COUNT "}"},
    {"registers", COUNT},
    {"shared_bytes", COUNT},
    {"l1_bytes", COUNT},
    {"registers_for_more", LIMIT},
    {"shared_bytes_for_more", LIMIT},
    {"block_threads_for_more", LIMIT},
    {NULL, NULL}};
static const struct schema_member model[] = {{"gpu", NAME},
                                             {"ns", NUMBER},
                                             {"fill_ns", NUMBER},
                                             {"bound", NAME},
                                             {"unit", NAME},
                                             {"parts", EACH(OF("bound"))},
                                             {"peak_gflops", NUMBER},
                                             {"peak_dram_gbps", NUMBER},
                                             {"occupancy", OF("occupancy")},
                                             {NULL, NULL}};
static const struct schema_member kernel[] = {{"name", NAME},
                                              {"file", STRING},
                                              {"line", COUNT},
                                              {"launches", COUNT},
                                              {"grid", SHAPE},
                                              {"block", SHAPE},
                                              {"registers", COUNT},
                                              {"shared_bytes", COUNT},
                                              {"metrics", OF("kernel_metrics")},
                                              {"functions", EACH(OF("function"))},
                                              {"instructions", EACH(OF("instruction"))},
                                              {"lines", EACH(OF("line"))},
                                              {"opcodes", EACH(OF("opcode"))},
                                              {"buffers", EACH(OF("buffer"))},
                                              {"model", "{\"anyOf\":[{\"type\":\"null\"}," OF("model") "]}"},
                                              {"branches", EACH(OF("branch"))},
                                              {"histograms", EACH(OF("histogram"))},
                                              {NULL, NULL}};
static const struct schema_member worker[] = {
    {"worker", COUNT},           {"blocks", COUNT},         {"wall_ns", NUMBER},
    {"instructions_ns", NUMBER}, {"scheduling_ns", NUMBER}, {"instrumentation_ns", NUMBER},
    {"idle_ns", NUMBER},         {"off_core_ns", NUMBER},   {NULL, NULL}};
static const struct schema_member launch[] = {
    {"kernel", NAME},
    {"grid", SHAPE},
    {"block", SHAPE},
    {"threads", COUNT},
    {"metrics", OF("launch_metrics")},
    {"workers", EACH(OF("worker"))},
    {"blocks", EACH("{\"type\":\"array\",\"prefixItems\":[" COUNT "," COUNT "," NUMBER "," NUMBER
                    "],\"minItems\":4,\"maxItems\":4}")},
    {"blocks_shown", COUNT},
    {"blocks_total", COUNT},
    {NULL, NULL}};
static const struct schema_member hint[] = {{"kernel", NAME}, {"line", COUNT},   {"rule", NAME},
                                            {"text", NAME},   {"share", NUMBER}, {NULL, NULL}};
static const struct schema_member document[] = {{"format", "{\"const\":\"hexec-profile\"}"},
                                                {"version", "{\"const\":1}"},
                                                {"hexec", NAME},
                                                {"status", NAME},
                                                {"program", NAME},
                                                {"file", STRING},
                                                {"isa", OF("isa")},
                                                {"inputs", MAYBE},
                                                {"build", OF("build")},
                                                {"machine", OF("machine")},
                                                {"options", OF("options")},
                                                {"source", EACH(OF("source"))},
                                                {"metrics", EACH(OF("metric"))},
                                                {"wall", OF("wall")},
                                                {"prediction", ASKED("prediction")},
                                                {"host", ASKED("host")},
                                                {"kernels", EACH(OF("kernel"))},
                                                {"launches", EACH(OF("launch"))},
                                                {"launches_left_out", COUNT},
                                                {"hints", EACH(OF("hint"))},
                                                {NULL, NULL}};

#define OBJECT(name) #name, name
static const struct {
    const char *name;
    const struct schema_member *members;
    bool has_why; /* of what it has no value for */
} objects[] = {{OBJECT(isa), false},
               {OBJECT(build), false},
               {OBJECT(machine), false},
               {OBJECT(options), false},
               {OBJECT(source), false},
               {OBJECT(metric), false},
               {OBJECT(part), false},
               {OBJECT(precision), false},
               {OBJECT(wall), true},
               {OBJECT(prediction), false},
               {OBJECT(predicted_kernel), false},
               {OBJECT(rate), false},
               {OBJECT(level), false},
               {OBJECT(host), false},
               {OBJECT(roofline), false},
               {OBJECT(level_roof), false},
               {OBJECT(function), false},
               {OBJECT(instruction), true},
               {OBJECT(line), true},
               {OBJECT(opcode), true},
               {OBJECT(buffer), true},
               {OBJECT(bound), false},
               {OBJECT(occupancy), false},
               {OBJECT(model), false},
               {OBJECT(branch), false},
               {OBJECT(histogram), false},
               {OBJECT(kernel), true},
               {OBJECT(worker), false},
               {OBJECT(launch), true},
               {OBJECT(hint), false}};

static void print_metrics(struct text *text, const char *name, hx_profile_scope scope)
{
    const hx_metric *row;
    const char *between = "";
    text_print(text, ",\"%s_metrics\":{\"type\":\"object\",\"properties\":{", name);
    for (size_t m = 0; (row = hx_metric_at(m)); m++) {
        if (!(row->scopes & (uint32_t)scope))
            continue;
        text_print(text, "%s\"%s\":{\"$ref\":\"#/$defs/%s\"}", between, row->name,
                   row->kind == HX_METRIC_MEASURED ? "measured" : "number");
        between = ",";
    }
    text_print(text, "},\"required\":[");
    between = "";
    for (size_t m = 0; (row = hx_metric_at(m)); m++)
        if (row->scopes & (uint32_t)scope) {
            text_print(text, "%s\"%s\"", between, row->name);
            between = ",";
        }
    text_print(text, "],\"additionalProperties\":false}");
}

void schema_print_profile(struct text *text)
{
    text_print(text,
               "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"hexec profile\","
               "\"$ref\":\"#/$defs/document\",\"$defs\":{"
               "\"number\":{\"type\":[\"number\",\"null\"]},"
               "\"why\":{\"type\":\"object\",\"additionalProperties\":" NAME "},"
               "\"measured\":{\"type\":[\"object\",\"null\"],\"properties\":{\"value\":{\"type\":\"number\"},"
               "\"low\":{\"type\":\"number\"},\"high\":{\"type\":\"number\"}},"
               "\"required\":[\"value\",\"low\",\"high\"],\"additionalProperties\":false}");
    print_metrics(text, "kernel", HX_SCOPE_KERNEL);
    print_metrics(text, "launch", HX_SCOPE_LAUNCH);
    print_metrics(text, "instruction", HX_SCOPE_INSTRUCTION);
    print_metrics(text, "line", HX_SCOPE_LINE);
    print_metrics(text, "buffer", HX_SCOPE_BUFFER);
    print_metrics(text, "opcode", HX_SCOPE_OPCODE);
    for (size_t i = 0; i < HX_COUNT_OF(objects); i++) {
        text_print(text, ",\"%s\":", objects[i].name);
        schema_print_object(text, objects[i].members, objects[i].has_why ? &why : NULL);
    }
    text_print(text, ",\"document\":");
    schema_print_object(text, document, &threshold);
    text_print(text, "}}\n");
}
