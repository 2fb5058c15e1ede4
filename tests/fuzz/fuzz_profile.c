/* Any bytes as a stored profile: compared with itself, it is the same or refused with a reason, and a
 * baseline made of it can be read again. */
#include "base/file.h"
#include "hexec/compare.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static char tried[64], baseline[80];

static void remove_files(void)
{
    (void)unlink(tried);
    (void)unlink(baseline);
}

static hx_status compare(const char *before, const char *now, double *ret_threshold)
{
    hx_comparison *comparison = NULL;
    hx_diag *diag;
    REQUIRE(hx_diag_new(NULL, &diag) == HX_OK);
    const hx_status status = hx_compare(before, now, NULL, diag, &comparison);
    REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
    REQUIRE(status == HX_OK || status == HX_INVALID);
    if (status == HX_OK) {
        REQUIRE(!hx_comparison_difference_at(comparison, 0) && !hx_comparison_change_at(comparison, 0));
        *ret_threshold = hx_comparison_threshold(comparison);
    }
    hx_comparison_free(comparison);
    hx_diag_free(diag);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double threshold;
    if (!*tried) {
        snprintf(tried, sizeof tried, "/tmp/hexec-profile-%d", (int)getpid());
        snprintf(baseline, sizeof baseline, "%s.baseline", tried);
        REQUIRE(atexit(remove_files) == 0);
    }
    REQUIRE(file_write(tried, data, size, NULL) == HX_OK);
    if (compare(tried, tried, &threshold) == HX_OK) {
        REQUIRE(hx_compare_save_baseline(tried, baseline, 7.5, NULL, NULL) == HX_OK);
        REQUIRE(compare(baseline, tried, &threshold) == HX_OK && threshold == 7.5);
    }
    return 0;
}
