/* The JSON Schema of the document "hexec-findings" version 1, which export.c writes.
 *
 * Takes the tables of kinds and checkers, leaves a schema (draft 2020-12). A test validates documents against
 * it. */
#include "check/schema.h"

#include "check/frame.h"
#include "report/schema.h"

#define PLACE_INDEX "{\"type\":\"array\",\"items\":" COUNT ",\"minItems\":3,\"maxItems\":3}"
#define INTEGER     "{\"type\":\"integer\"}"

static const struct schema_member reason = {"reason", NAME}; /* of suppressed findings */
static const struct schema_member place[] = {
    {"role", NAME},          {"file", MAYBE},         {"line", COUNT},    {"column", COUNT},
    {"length", COUNT},       {"program", STRING},     {"kernel", STRING}, {"readable", STRING},
    {"function", MAYBE},     {"instruction", STRING}, {"index", COUNT},   {"block", PLACE_INDEX},
    {"thread", PLACE_INDEX}, {"launch", COUNT},       {NULL, NULL}};
static const struct schema_member finding[] = {
    {"kind", OF("kind")},
    {"code", "{\"type\":\"string\",\"pattern\":\"^HX[0-9]{4}$\"}"},
    {"severity", "{\"enum\":[\"error\",\"warning\"]}"},
    {"checker", OF("checker")},
    {"message", NAME},
    {"count", COUNT},
    {"places", EACH(OF("place"))},
    {"object", "{\"anyOf\":[{\"type\":\"null\"}," OF("object") "]}"},
    {"note", MAYBE},
    {"help", MAYBE},
    {NULL, NULL}};
static const struct schema_member decision[] = {
    {"decides", "{\"enum\":[\"branch\",\"address\",\"barrier\"]}"},
    {"form", NAME},
    {"result", "{\"enum\":[\"within\",\"open\"]}"},
    {"error", STRING},
    {"why", STRING},
    {"from", OF("place")},
    {"at", OF("place")},
    {"count", COUNT},
    {NULL, NULL}};
static const struct schema_member document[] = {{"format", "{\"const\":\"hexec-findings\"}"},
                                                {"version", "{\"const\":1}"},
                                                {"checked", EACH(OF("checker"))},
                                                {"total", COUNT},
                                                {"errors", COUNT},
                                                {"suppressed", COUNT},
                                                {"unkept", COUNT},
                                                {"findings", EACH(OF("finding"))},
                                                {"suppressed_findings", EACH(OF("finding"))},
                                                {"decisions", EACH(OF("decision"))},
                                                {NULL, NULL}};
/* `before` and `after` are there together. */
static const char object[] =
    "{\"type\":\"object\",\"properties\":{\"name\":" MAYBE
    ",\"space\":{\"enum\":[\"global\",\"shared\",\"constant\",\"local\"]},\"address\":" COUNT
    ",\"bytes\":" COUNT ",\"low\":" COUNT ",\"size\":" COUNT ",\"offset\":" INTEGER ",\"element\":" INTEGER
    ",\"element_bytes\":" COUNT ",\"before\":" COUNT ",\"after\":" COUNT
    "},\"required\":[\"name\",\"space\",\"address\",\"bytes\",\"low\",\"size\","
    "\"offset\",\"element\",\"element_bytes\"],\"dependentRequired\":{\"before\":[\"after\"],\"after\":["
    "\"before\"]},"
    "\"additionalProperties\":false}";

void check_schema_print(struct text *text)
{
    const char *name;
    text_print(text,
               "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"hexec findings\","
               "\"$ref\":\"#/$defs/document\",\"$defs\":{\"kind\":{\"enum\":[");
    for (size_t i = 0; i < CHECK_KIND_COUNT; i++)
        text_print(text, "%s\"%s\"", i ? "," : "", check_kind_rows[i].name);
    text_print(text, "]},\"checker\":{\"enum\":[");
    for (size_t i = 0; (name = hx_checks_name(i, NULL)); i++)
        text_print(text, "%s\"%s\"", i ? "," : "", name);
    text_print(text, "]},\"object\":%s,\"place\":", object);
    schema_print_object(text, place, NULL);
    text_print(text, ",\"finding\":");
    schema_print_object(text, finding, &reason);
    text_print(text, ",\"decision\":");
    schema_print_object(text, decision, NULL);
    text_print(text, ",\"document\":");
    schema_print_object(text, document, NULL);
    text_print(text, "}}\n");
}
