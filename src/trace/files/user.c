/* A function of the host program as a sink: hx_trace_add_sink. It gets events and spans that have ended,
 * one at a time; beginnings of spans are only for a log. */
#include "trace/files/sinks.h"

#if HX_TRACING
extern const struct sink_class sink_user;

struct user {
    hx_trace_sink function;
    void *user;
};

static hx_status user_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    struct user *user = memory_allocate(NULL, 1, sizeof *user);
    if (!user)
        return diag_no_memory(diag);
    *user = (struct user){request->function, request->user};
    sink->state = user;
    return HX_OK;
}

static void user_records(struct sink *sink, const hx_trace_record *records, size_t count)
{
    const struct user *user = sink->state;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind != HX_RECORD_ENTER)
            user->function(user->user, &records[i]);
}

static void user_flush(struct sink *sink)
{
    (void)sink; /* nothing is kept back */
}

static hx_status user_close(struct sink *sink, hx_diag *diag)
{
    (void)diag;
    memory_free(NULL, sink->state);
    return HX_OK;
}

bool sink_is_function(const struct sink *sink, const struct sink_request *request)
{
    const struct user *user = sink->class == &sink_user ? sink->state : NULL;
    return user && user->function == request->function && user->user == request->user;
}

const struct sink_class sink_user = {"user", WANTED_LOG, user_open, user_records, user_flush, user_close};
#endif
