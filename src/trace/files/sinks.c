/* The table of sinks, and what is done with all that are open. A new sink is a file beside this one and a
 * row. */
#include "trace/files/sinks.h"

#if HX_TRACING
extern const struct sink_class sink_log, sink_user, sink_chrome, sink_perfetto, sink_firefox, sink_otlp;

static const struct sink_class *const classes[] = {
    &sink_log,    /* log.c: lines of text or JSON */
    &sink_user,   /* user.c: a function of the host program */
    &sink_chrome, /* chrome.c: JSON that every viewer of traces takes */
#if HX_PROTOBUF
    &sink_perfetto, /* perfetto.c: the same, smaller */
#endif
    &sink_firefox, /* firefox.c: JSON of Firefox's profiler */
    &sink_otlp,    /* otlp.c: spans for an OpenTelemetry collector */
};

hx_status sinks_open(struct sinks *sinks, const char *name, const struct sink_request *request, hx_diag *diag)
{
    if (sinks->count == SINKS_MAX)
        return HX_LIMIT;
    for (size_t i = 0; i < HX_COUNT_OF(classes); i++) {
        if (!slice_equal(slice_of(name), classes[i]->name))
            continue;
        struct sink *sink = &sinks->open[sinks->count];
        *sink = (struct sink){.class = classes[i]};
        hx_status status = sink->class->open(sink, request, diag);
        sinks->count += status == HX_OK;
        return status;
    }
    return HX_INVALID;
}

const char *sinks_file_kind(void *unused, size_t index)
{
    (void)unused;
    for (size_t i = 0; i < HX_COUNT_OF(classes); i++)
        if (classes[i]->wants == WANTED_FILES && index-- == 0)
            return classes[i]->name;
    return NULL;
}

/* Runs of records that the sink wants. */
static void write_to(struct sink *sink, const hx_trace_record *records, const uint8_t *wanted, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        const bool wants = (wanted[first] & sink->class->wants) != 0;
        for (end = first + 1; end < count && ((wanted[end] & sink->class->wants) != 0) == wants;)
            end++;
        if (wants)
            sink->class->records(sink, records + first, end - first);
    }
}

void sinks_write(struct sinks *sinks, const hx_trace_record *records, const uint8_t *wanted, size_t count)
{
    for (size_t i = 0; i < sinks->count; i++)
        write_to(&sinks->open[i], records, wanted, count);
}

void sinks_flush(struct sinks *sinks)
{
    for (size_t i = 0; i < sinks->count; i++)
        sinks->open[i].class->flush(&sinks->open[i]);
}

hx_status sinks_remove(struct sinks *sinks, const struct sink_request *request)
{
    for (size_t i = sinks->count; i-- > 0;) {
        if (!sink_is_function(&sinks->open[i], request))
            continue;
        const hx_status status = sinks->open[i].class->close(&sinks->open[i], NULL);
        sinks->count--;
        for (size_t k = i; k < sinks->count; k++)
            sinks->open[k] = sinks->open[k + 1];
        return status;
    }
    return HX_INVALID;
}

hx_status sinks_close(struct sinks *sinks, bool is_abandoned, hx_diag *diag)
{
    hx_status first = HX_OK;
    for (size_t i = 0; i < sinks->count; i++) {
        sinks->open[i].is_abandoned = is_abandoned;
        hx_status status = sinks->open[i].class->close(&sinks->open[i], diag);
        first = first == HX_OK ? status : first;
    }
    sinks->count = 0;
    return first;
}
#endif
