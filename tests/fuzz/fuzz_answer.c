/* Any bytes as what a collector of OpenTelemetry answers: it says something or nothing, and what it says can
 * be reported. */
#include "trace/otlp.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct otlp_answer answer = {0};
    hx_diag *diag;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return 0;
    otlp_read_answer((struct slice){(const char *)data, size}, &answer);
    const size_t length = answer.message.length;
    otlp_read_answer((struct slice){(const char *)data, size}, &answer);
    if ((length > 0 && answer.message.length != length) ||
        otlp_partly_sent("spans", "http://localhost", &answer, diag) != HX_OK || hx_diag_count(diag) > 1 ||
        (answer.rejected > 0 && hx_diag_count(diag) == 0))
        abort();
    text_done(&answer.message);
    hx_diag_free(diag);
    return 0;
}
