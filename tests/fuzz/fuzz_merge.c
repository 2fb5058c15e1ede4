/* Any bytes as a Chrome trace that is merged with a good one, on either side of it. What comes of it must be
 * a trace that can be merged again. */
#include "hexec/trace.h"

#include <stdint.h>

#if HX_TRACING
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())
#define NESTING_FINE       2000 /* deeper values may be too deep for jansson once they lie within a trace */

static const char good[] = "{\"otherData\":{\"unix_start_ns\":\"1700000000000000000\"},\"traceEvents\":["
                           "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":1.500,\"dur\":2,\"name\":\"a\"}]}";

/* The files, made with the first input and removed at the end. */
static char folder[] = "/tmp/hexec-merge-XXXXXX";
static char tried[64], known[64], merged[64], again[64];

static void remove_files(void)
{
    (void)unlink(tried);
    (void)unlink(known);
    (void)unlink(merged);
    (void)unlink(again);
    (void)rmdir(folder);
}

static void make_files(void)
{
    if (*tried)
        return;
    REQUIRE(mkdtemp(folder) && atexit(remove_files) == 0);
    snprintf(tried, sizeof tried, "%s/tried", folder);
    snprintf(known, sizeof known, "%s/known", folder);
    snprintf(merged, sizeof merged, "%s/merged", folder);
    snprintf(again, sizeof again, "%s/again", folder);
    REQUIRE(file_write(known, good, sizeof good - 1, NULL) == HX_OK);
}

/* Merges two files; an error is reported and leaves no file. */
static hx_status merge(const char *first, const char *second, const char *output)
{
    const char *const inputs[] = {first, second};
    hx_diag *diag;
    (void)unlink(output);
    REQUIRE(hx_diag_new(NULL, &diag) == HX_OK);
    const hx_status status = hx_trace_merge(inputs, 2, output, diag);
    REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
    REQUIRE((status == HX_OK) == (access(output, F_OK) == 0));
    REQUIRE(status == HX_OK || status == HX_INVALID || status == HX_NO_MEMORY);
    hx_diag_free(diag);
    return status;
}

static size_t brackets(const uint8_t *data, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += data[i] == '{' || data[i] == '[';
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_compressed = size > 1 && memcmp(data, "\x1f\x8b", 2) == 0;
    make_files();
    REQUIRE(file_write(tried, (const char *)data, size, NULL) == HX_OK);
    const hx_status status = merge(tried, known, merged);
    if (status == HX_OK && !is_compressed && brackets(data, size) < NESTING_FINE)
        REQUIRE(merge(merged, tried, again) == HX_OK);
    REQUIRE(merge(known, tried, merged) == status);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
#endif
