/* The table of sinks, and what is done with all that are open. A new sink is a file beside this one and a
 * row. */
#include "trace/sinks/sinks.h"

#if HX_TRACING
extern const struct sink_class sink_log, sink_user;

static const struct sink_class *const classes[] = {
    &sink_log,  /* log.c: lines of text or JSON */
    &sink_user, /* user.c: a function of the host program */
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

void sinks_write(struct sinks *sinks, const hx_trace_record *records, size_t count)
{
    for (size_t i = 0; i < sinks->count; i++)
        sinks->open[i].class->records(&sinks->open[i], records, count);
}

void sinks_flush(struct sinks *sinks)
{
    for (size_t i = 0; i < sinks->count; i++)
        sinks->open[i].class->flush(&sinks->open[i]);
}

hx_status sinks_close(struct sinks *sinks)
{
    hx_status first = HX_OK;
    for (size_t i = 0; i < sinks->count; i++) {
        hx_status status = sinks->open[i].class->close(&sinks->open[i]);
        first = first == HX_OK ? status : first;
    }
    sinks->count = 0;
    return first;
}
#endif
