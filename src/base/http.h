/* HTTP: one POST at a time, by libcurl. */
#pragma once

#include "base/text.h"

struct http_post {
    const char *url, *content_type;
    const char *headers; /* more of them: key=value, separated by commas, values %-encoded; NULL: none */
    const void *body;
    size_t size;
    unsigned timeout_ms; /* for all tries together */
};
/* Posts, and again after a while when the receiver is not there or says that it is busy (429, 502, 503, 504:
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp-response has that list), as often as the time allows but
 * at most three times. HX_OK for an answer of 2xx, whose first HTTP_ANSWER_BYTES are appended to `ret_answer`
 * (empty, or NULL); else HX_IO with the reason appended to `ret_reason`. Any thread. */
#define HTTP_ANSWER_BYTES ((size_t)64 << 10)
HX_MUST_CHECK hx_status http_post(const struct http_post *post, struct text *ret_reason,
                                  struct text *ret_answer);
