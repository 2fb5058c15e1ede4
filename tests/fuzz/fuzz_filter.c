/* Fuzzes filter directives: any text is parsed, and what comes of it is asked about a few spans and events.
 * What is said of a site without its fields must hold with them. */
#include "hexec/trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if HX_TRACING
#include "trace/filter.h"

static const hx_field fields[] = {HX_U64("bytes", 4), HX_STR("file", "saxpy.yaml"), HX_I64("step", -3),
                                  HX_F64("ratio", 0.5), HX_BOOL("checked", 1)};
static const struct filter_subject subjects[] = {
    {"hexec::exec", "launch", HX_DEBUG, true, false, fields, 5},
    {"hexec::memory", "allocation", HX_INFO, false, false, fields, 1},
    {"hexec::performance", "cpu_ldg", HX_DEBUG, true, true, fields, 1},
    {"guest", "x", HX_ERR, false, false, NULL, 0},
};

static void ask(const struct filter *filter, const struct filter_subject *subject)
{
    struct filter_subject site = *subject;
    site.fields = NULL;
    site.field_count = 0;
    bool passes = filter_passes(filter, subject, HX_LEVEL_OFF);
    hx_level inside = filter_inside(filter, subject);
    enum filter_answer answer = filter_ask(filter, &site);
    if ((answer == FILTER_NEVER && passes) || (answer == FILTER_ALWAYS && !passes) ||
        (inside != HX_LEVEL_OFF && !filter->names_spans))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct filter filter = {0};
    hx_diag *diag = NULL;
    char *text = malloc(size + 1);
    if (!text || hx_diag_new(NULL, &diag) != HX_OK)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    hx_status status = filter_parse(text, "fuzz", true, &arena, diag, &filter);
    if ((status == HX_OK) != (hx_diag_count_of(diag, HX_ERROR) == 0))
        abort();
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && status == HX_OK; i++)
        ask(&filter, &subjects[i]);
    hx_diag_free(diag);
    arena_done(&arena);
    free(text);
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
