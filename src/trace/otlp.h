/* OTLP, the protocol of OpenTelemetry, as JSON: what spans and metrics have in common. 64-bit integers are
 * strings and ids hexadecimal (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
#pragma once

#include "trace/json.h"

/* "key": "123" */
void otlp_u64(struct json *json, const char *key, uint64_t value);
/* A member of `attributes`: an object of key and value. */
void otlp_attribute(struct json *json, const hx_field *field);
/* The member "resource", of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME ("hexec" where neither names the
 * service), and then "scope" on request. */
void otlp_resource(struct json *json);
void otlp_scope(struct json *json);

/* Is it an address rather than a file? */
bool otlp_is_url(const char *destination);
/* Brings a document of one signal ("traces", "metrics") where --otlp says. A URL is that of the collector:
 * /v1/SIGNAL is put behind it unless it is there; OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_TIMEOUT
 * (ms) count. That it does not get there is a warning, and HX_OK. A file is written and renamed, one for each
 * signal, as OTLP wants it: FILE.jsonl is FILE.traces.jsonl and FILE.metrics.jsonl; HX_IO. */
HX_MUST_CHECK hx_status otlp_deliver(const char *destination, const char *signal, const char *bytes,
                                     size_t size, const hx_allocator *allocator, hx_diag *diag);
