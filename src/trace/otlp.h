/* OTLP, the protocol of OpenTelemetry, as JSON: what spans and metrics have in common. 64-bit integers are
 * strings and ids hexadecimal (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
#pragma once

#include "base/json.h"

/* "key": "123" */
void otlp_u64(struct json *json, const char *key, uint64_t value);
/* A member of `attributes`: an object of key and value. */
void otlp_attribute(struct json *json, const hx_field *field);
/* The member "resource", of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME ("hexec" where neither names the
 * service), and then "scope" on request. */
void otlp_resource(struct json *json);
void otlp_scope(struct json *json);

/* What --otlp stands for: "env" is the URL of OTEL_EXPORTER_OTLP_ENDPOINT, or the usual one. */
const char *otlp_destination(const char *wanted);
/* Is it an address rather than a file? */
bool otlp_is_url(const char *destination);
/* A collector may take a request and not all that is in it, or have something to say of it ("partial
 * success", https://opentelemetry.io/docs/specs/otlp/#partial-success-1): nothing is sent again. */
struct otlp_answer {
    uint64_t rejected;   /* spans or points of metrics, of all requests */
    struct text message; /* the first one; text_done frees it */
};
/* Posts a document of one signal ("traces", "metrics") to a collector: /v1/SIGNAL is put behind its URL
 * unless it is there; OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_TIMEOUT (ms) count. HX_IO with the
 * reason appended to `ret_reason` when it does not get there, HX_NO_MEMORY. What a collector that took it
 * says of it is added to `answer`. */
HX_MUST_CHECK hx_status otlp_send(const char *base, const char *signal, const char *bytes, size_t size,
                                  const hx_allocator *allocator, struct text *ret_reason,
                                  struct otlp_answer *answer);
/* Adds what the text of one answer says: an Export...ServiceResponse as JSON. One that is none says nothing.
 */
void otlp_read_answer(struct slice text, struct otlp_answer *answer);
/* Warns of what a collector said when it took something, if it did. */
hx_status otlp_partly_sent(const char *what, const char *base, const struct otlp_answer *answer,
                           hx_diag *diag);
/* Warns that something was not sent, for telemetry is no reason to fail: HX_OK unless warnings are errors. */
hx_status otlp_not_sent(const char *what, const char *base, const struct text *reason, hx_diag *diag);
/* Writes a document to a file, one for each signal, as OTLP wants it: FILE.jsonl is FILE.traces.jsonl and
 * FILE.metrics.jsonl. HX_IO, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status otlp_write(const char *path, const char *signal, const char *bytes, size_t size,
                                   const hx_allocator *allocator, hx_diag *diag);
